/* The C interface on any number of ranks: results, and errors for wrong arguments. */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "expect.h"

static const double cell[9] = {8, 0, 0, 0, 9, 0, 1, 0, 7}; /* bohr */
static int ranks, rank;

static void* zeros(int64_t n, size_t size) { return calloc(n > 0 ? (size_t)n : 1, size); }

/* ---- sphere and partition ---- */

static wavegrid_sphere* sphere_of(double cutoff, int mode) {
  int grid[3];
  wavegrid_sphere* sphere = NULL;
  EXPECT_OK(wavegrid_default_grid(cell, cutoff, grid));
  EXPECT_OK(wavegrid_sphere_create(cell, cutoff, grid, mode, NULL, &sphere));
  return sphere;
}

static void spheres(void) {
  const int grid[3] = {20, 20, 20}, flat[3] = {20, 0, 20}, small[3] = {3, 20, 20};
  const double plane[9] = {1, 0, 0, 0, 1, 0, 1, 1, 0}, k[3] = {0.5, 0, 0};
  int any[3];
  wavegrid_sphere* sphere = (wavegrid_sphere*)any; /* every failed call must set it to NULL */
  EXPECT_BAD(wavegrid_sphere_create(NULL, 2, grid, WAVEGRID_MODE_GAMMA, NULL, &sphere), "cell is NULL");
  EXPECT(sphere == NULL);
  EXPECT_BAD(wavegrid_sphere_create(cell, 2, NULL, WAVEGRID_MODE_GAMMA, NULL, &sphere), "grid is NULL");
  EXPECT_BAD(wavegrid_sphere_create(cell, 2, grid, WAVEGRID_MODE_GAMMA, NULL, NULL), "sphere is NULL");
  EXPECT_BAD(wavegrid_sphere_create(plane, 2, grid, WAVEGRID_MODE_GAMMA, NULL, &sphere), "coplanar");
  EXPECT_BAD(wavegrid_sphere_create(cell, -2, grid, WAVEGRID_MODE_GAMMA, NULL, &sphere), "found -2 Ha");
  EXPECT_BAD(wavegrid_sphere_create(cell, (double)NAN, grid, WAVEGRID_MODE_GAMMA, NULL, &sphere), "cutoff");
  EXPECT_BAD(wavegrid_sphere_create(cell, (double)INFINITY, grid, WAVEGRID_MODE_GAMMA, NULL, &sphere), "cutoff");
  EXPECT_BAD(wavegrid_sphere_create(cell, 2, flat, WAVEGRID_MODE_GAMMA, NULL, &sphere), "20 x 0 x 20");
  EXPECT_BAD(wavegrid_sphere_create(cell, 2, small, WAVEGRID_MODE_GAMMA, NULL, &sphere), "at least");
  EXPECT_BAD(wavegrid_sphere_create(cell, 2, grid, 7, NULL, &sphere), "mode 7");
  EXPECT_BAD(wavegrid_sphere_create(cell, 2, grid, WAVEGRID_MODE_GAMMA, k, &sphere), "k = 0");
  EXPECT_BAD(wavegrid_default_grid(cell, 0, any), "cutoff");
  EXPECT_BAD(wavegrid_default_grid(cell, 1, NULL), "grid is NULL");

  int64_t half = 0, whole = 0;
  wavegrid_sphere *gamma = sphere_of(2, WAVEGRID_MODE_GAMMA), *full = sphere_of(2, WAVEGRID_MODE_COMPLEX);
  EXPECT_OK(wavegrid_sphere_size(gamma, &half));
  EXPECT_OK(wavegrid_sphere_size(full, &whole));
  EXPECT(half > 1 && whole == 2 * half - 1);
  EXPECT_BAD(wavegrid_sphere_size(NULL, &half), "sphere is NULL");
  EXPECT_BAD(wavegrid_sphere_size(gamma, NULL), "size is NULL");
  wavegrid_sphere_destroy(&gamma);
  wavegrid_sphere_destroy(&full);
  EXPECT(gamma == NULL);
  wavegrid_sphere_destroy(&gamma);
  wavegrid_sphere_destroy(NULL);
}

static void partitions(void) {
  const char* schemes[] = {"greedy", "cyclic", "balanced", "optimized", "auto"};
  wavegrid_sphere* sphere = sphere_of(2, WAVEGRID_MODE_GAMMA);
  wavegrid_partition* partition = NULL;
  for (int s = 0; s < 5; ++s) {
    wavegrid_statistics statistics;
    int64_t sum = 0, size = 0;
    EXPECT_OK(wavegrid_partition_create(sphere, schemes[s], 6, &partition));
    EXPECT_OK(wavegrid_partition_statistics(partition, &statistics));
    for (int part = 0; part < 6; ++part) {
      EXPECT_OK(wavegrid_partition_size(partition, part, &size));
      EXPECT(size >= statistics.min_plane_waves && size <= statistics.max_plane_waves);
      sum += size;
    }
    EXPECT(sum == statistics.plane_waves && statistics.rows * statistics.columns <= 6);
    EXPECT(s == 4 || strcmp(wavegrid_partition_scheme(partition), schemes[s]) == 0);
    EXPECT(strlen(wavegrid_partition_reason(partition)) > 0);
    wavegrid_partition_destroy(&partition);
  }
  EXPECT_BAD(wavegrid_partition_create(sphere, "hasty", 6, &partition),
             "valid: greedy, cyclic, balanced, optimized, auto");
  EXPECT_BAD(wavegrid_partition_create(sphere, NULL, 6, &partition), "scheme is NULL");
  EXPECT_BAD(wavegrid_partition_create(sphere, "greedy", 0, &partition), "found 0");
  EXPECT_BAD(wavegrid_partition_create(NULL, "greedy", 6, &partition), "sphere is NULL");
  EXPECT(wavegrid_partition_scheme(NULL) == NULL && wavegrid_partition_reason(NULL) == NULL);

  int64_t n = 0;
  EXPECT_OK(wavegrid_partition_create(sphere, "greedy", 2, &partition));
  wavegrid_sphere_destroy(&sphere); /* the partition keeps what it needs */
  EXPECT_OK(wavegrid_partition_size(partition, 1, &n));
  int* g = zeros(3 * n, sizeof *g);
  double* kinetic = zeros(n, sizeof *kinetic);
  EXPECT_OK(wavegrid_partition_g(partition, 1, g, 3 * n));
  EXPECT_OK(wavegrid_partition_kinetic(partition, 1, kinetic, n));
  for (int64_t i = 0; i < n; ++i) EXPECT(kinetic[i] <= 2 && g[3 * i + 2] >= 0);
  EXPECT_BAD(wavegrid_partition_g(partition, 1, g, n), "g has");
  EXPECT_BAD(wavegrid_partition_g(partition, 1, NULL, 3 * n), "g is NULL");
  EXPECT_BAD(wavegrid_partition_kinetic(partition, 2, kinetic, n), "valid: 0 to 1");
  EXPECT_BAD(wavegrid_partition_size(partition, -1, &n), "part -1");
  free(kinetic), free(g);
  wavegrid_partition_destroy(&partition);
}

/* ---- SphereFft ---- */

typedef struct transform {
  wavegrid_fft* fft;
  int64_t size, points;
} transform;

static transform transform_of(int mode, int precision, const char* scheme, const char* transport) {
  transform made = {NULL, 0, 0};
  wavegrid_sphere* sphere = sphere_of(1.5, mode);
  wavegrid_partition* partition = NULL;
  wavegrid_grid_block block;
  EXPECT_OK(wavegrid_partition_create(sphere, scheme, ranks, &partition));
  EXPECT_OK(wavegrid_fft_create(MPI_COMM_WORLD, partition, precision, transport, 1, &made.fft));
  EXPECT_OK(wavegrid_fft_size(made.fft, &made.size, &made.points));
  EXPECT_OK(wavegrid_fft_grid_block(made.fft, &block));
  EXPECT((block.x_end - block.x_begin) * (block.y_end - block.y_begin) * block.nz == made.points);
  wavegrid_partition_destroy(&partition); /* the transform keeps what it needs */
  wavegrid_sphere_destroy(&sphere);
  return made;
}

static double sum(double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return value;
}

/* Forward and back, and Parseval with the density: sum_r density / N = sum_n weights |c_n|^2. */
static void round_trip(int mode, int precision, const char* scheme, const char* transport) {
  const int bands = 3, is_double = precision == WAVEGRID_DOUBLE, gamma = mode == WAVEGRID_MODE_GAMMA;
  const int psi_type = is_double ? WAVEGRID_COMPLEX_DOUBLE : WAVEGRID_COMPLEX_FLOAT;
  const double weights[3] = {2, 0.5, 1}, limit = is_double ? 1e-13 : 1e-5;
  transform t = transform_of(mode, precision, scheme, transport);
  const int64_t numbers = 2 * bands * t.size; /* real numbers in psi */
  double *psi = zeros(numbers, sizeof *psi), *back = zeros(numbers, sizeof *back);
  double *values = zeros(2 * bands * t.points, sizeof *values), *density = zeros(t.points, sizeof *density);
  double norm = 0, error = 0, electrons = 0;
  /* Real coefficients: valid in Gamma mode, whichever rank has G = 0. */
  for (int64_t i = 0; i < bands * t.size; ++i) {
    const double c = 1 + 0.125 * (double)((i + rank) % 7);
    if (is_double)
      psi[2 * i] = c;
    else
      ((float*)psi)[2 * i] = (float)c;
    norm += weights[i / t.size] * c * c * (gamma ? 2 : 1);
  }
  const int value_type = gamma ? precision : psi_type;
  EXPECT_OK(wavegrid_fft_to_real(t.fft, value_type, psi, bands * t.size, values, bands * t.points, bands));
  EXPECT_OK(wavegrid_fft_to_recip(t.fft, value_type, values, bands * t.points, back, bands * t.size, bands));
  for (int64_t i = 0; i < numbers; ++i)
    error =
        fmax(error, is_double ? fabs(psi[i] - back[i]) : fabs((double)((float*)psi)[i] - (double)((float*)back)[i]));
  EXPECT(error < limit);
  EXPECT_OK(
      wavegrid_fft_accumulate_density(t.fft, psi_type, psi, bands * t.size, weights, bands, density, t.points, bands));
  for (int64_t i = 0; i < t.points; ++i) electrons += density[i];
  electrons = sum(electrons) / sum((double)t.points);
  norm = sum(norm);
  if (gamma) { /* G = 0, stored once: the first coefficient of each band on one rank */
    int* g = zeros(3 * t.size, sizeof *g);
    wavegrid_sphere* sphere = sphere_of(1.5, mode);
    wavegrid_partition* partition = NULL;
    double twice = 0;
    EXPECT_OK(wavegrid_partition_create(sphere, scheme, ranks, &partition));
    EXPECT_OK(wavegrid_partition_g(partition, rank, g, 3 * t.size));
    for (int64_t i = 0; i < bands * t.size; ++i) {
      const int64_t w = 3 * (i % t.size);
      const double c = 1 + 0.125 * (double)((i + rank) % 7);
      if (g[w] == 0 && g[w + 1] == 0 && g[w + 2] == 0) twice += weights[i / t.size] * c * c;
    }
    norm -= sum(twice);
    wavegrid_partition_destroy(&partition), wavegrid_sphere_destroy(&sphere), free(g);
  }
  EXPECT(fabs(electrons - norm) < limit * norm);
  free(density), free(values), free(back), free(psi);
  wavegrid_fft_destroy(&t.fft);
  EXPECT(t.fft == NULL);
}

/* "auto" chooses in the first applications of a potential, the same on all ranks. */
static void automatic(void) {
  transform t = transform_of(WAVEGRID_MODE_GAMMA, WAVEGRID_DOUBLE, "greedy", "auto");
  const int64_t bands = 32;
  double _Complex* psi = zeros(bands * t.size, sizeof(double _Complex));
  double* v = zeros(t.points, sizeof *v);
  char name[64], of_first[64];
  EXPECT(strcmp(wavegrid_fft_transport(t.fft), "auto") == 0 && strcmp(wavegrid_fft_transport_reason(t.fft), "") == 0);
  for (int i = 0; i < 100; ++i)
    EXPECT_OK(wavegrid_fft_apply_local(t.fft, WAVEGRID_COMPLEX_DOUBLE, psi, bands * t.size, v, t.points, psi,
                                       bands * t.size, bands));
  snprintf(name, sizeof name, "%s", wavegrid_fft_transport(t.fft));
  EXPECT((ranks == 1) == (strcmp(name, "auto") == 0));
  EXPECT(ranks == 1 || strlen(wavegrid_fft_transport_reason(t.fft)) > 0);
  memcpy(of_first, name, sizeof of_first);
  MPI_Bcast(of_first, sizeof of_first, MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT(strcmp(name, of_first) == 0);
  EXPECT(wavegrid_fft_transport(NULL) == NULL && wavegrid_fft_transport_reason(NULL) == NULL);
  free(v), free(psi);
  wavegrid_fft_destroy(&t.fft);
}

/* `wrong` on the last rank, `right` on the others: all must get the error. */
#define ON_LAST(wrong, right) (rank == ranks - 1 ? (wrong) : (right))

static void fft_refusals(void) {
  wavegrid_sphere *sphere = sphere_of(1.5, WAVEGRID_MODE_GAMMA), *other = sphere_of(1.25, WAVEGRID_MODE_GAMMA);
  wavegrid_partition *partition = NULL, *larger = NULL, *another = NULL;
  wavegrid_fft* fft = NULL;
  const MPI_Comm world = MPI_COMM_WORLD;
  EXPECT_OK(wavegrid_partition_create(sphere, "greedy", ranks, &partition));
  EXPECT_OK(wavegrid_partition_create(sphere, "greedy", ranks + 1, &larger));
  EXPECT_OK(wavegrid_partition_create(other, "greedy", ranks, &another));
  EXPECT_BAD_ON_ALL(wavegrid_fft_create(MPI_COMM_NULL, partition, WAVEGRID_DOUBLE, "ring", 1, &fft), "MPI_COMM_NULL");
  EXPECT_BAD_ON_ALL(wavegrid_fft_create_f(MPI_Comm_c2f(MPI_COMM_NULL), partition, WAVEGRID_DOUBLE, "ring", 1, &fft),
                    "MPI_COMM_NULL");
  EXPECT_BAD_ON_ALL(wavegrid_fft_create(world, larger, WAVEGRID_DOUBLE, "ring", 1, &fft), "parts");
  EXPECT_BAD_ON_ALL(wavegrid_fft_create(world, ON_LAST(NULL, partition), WAVEGRID_DOUBLE, "ring", 1, &fft),
                    "partition");
  EXPECT_BAD_ON_ALL(wavegrid_fft_create(world, partition, ON_LAST(9, 1), "ring", 1, &fft), "precision is 9");
  EXPECT_BAD_ON_ALL(wavegrid_fft_create(world, partition, WAVEGRID_DOUBLE, ON_LAST("rings", "ring"), 1, &fft),
                    "'rings'");
  EXPECT_BAD_ON_ALL(wavegrid_fft_create(world, partition, WAVEGRID_DOUBLE, ON_LAST(NULL, "ring"), 1, &fft),
                    "transport");
  EXPECT_BAD_ON_ALL(wavegrid_fft_create(world, partition, WAVEGRID_DOUBLE, "ring", ON_LAST(0, 1), &fft),
                    "threads is 0");
  EXPECT_BAD_ON_ALL(wavegrid_fft_create(world, partition, WAVEGRID_DOUBLE, "ring", 1, ON_LAST(NULL, &fft)),
                    "fft is NULL");
  if (ranks > 1) {
    const char* const different = "different spheres, partitions, precisions or transports";
    MPI_Comm half, between;
    EXPECT_BAD_ON_ALL(wavegrid_fft_create(world, ON_LAST(another, partition), 1, "ring", 1, &fft), different);
    EXPECT_BAD_ON_ALL(wavegrid_fft_create(world, partition, ON_LAST(0, 1), "ring", 1, &fft), different);
    EXPECT_BAD_ON_ALL(wavegrid_fft_create(world, partition, 1, ON_LAST("ring", "shared"), 1, &fft), different);
    MPI_Comm_split(world, rank == 0, rank, &half);
    MPI_Intercomm_create(half, 0, world, rank == 0 ? 1 : 0, 0, &between);
    EXPECT_BAD_ON_ALL(wavegrid_fft_create(between, partition, WAVEGRID_DOUBLE, "ring", 1, &fft), "inter-communicator");
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
  }
  EXPECT(fft == NULL);
  wavegrid_partition_destroy(&another), wavegrid_partition_destroy(&larger), wavegrid_partition_destroy(&partition);
  wavegrid_sphere_destroy(&other), wavegrid_sphere_destroy(&sphere);
}

static void transform_refusals(void) {
  transform t = transform_of(WAVEGRID_MODE_GAMMA, WAVEGRID_DOUBLE, "greedy", "alltoallv");
  double _Complex* psi = zeros(2 * t.size, sizeof(double _Complex));
  double* v = zeros(2 * t.points, sizeof *v);
  const int64_t n = t.size, m = t.points, far = INT64_MAX;
  const int z = WAVEGRID_COMPLEX_DOUBLE, d = WAVEGRID_DOUBLE;
  const double weights[2] = {1, 1};
  EXPECT_BAD_ON_ALL(wavegrid_fft_to_real(t.fft, d, psi, 2 * n + ON_LAST(1, 0), v, 2 * m, 2), "psi has");
  EXPECT_BAD_ON_ALL(wavegrid_fft_to_real(t.fft, d, psi, 2 * n, v, 2 * m - ON_LAST(1, 0), 2), "values has");
  EXPECT_BAD_ON_ALL(wavegrid_fft_to_real(t.fft, ON_LAST(z, d), psi, 2 * n, v, 2 * m, 2), "WAVEGRID_DOUBLE");
  EXPECT_BAD_ON_ALL(wavegrid_fft_to_recip(t.fft, 77, v, 2 * m, psi, 2 * n, 2), "type 77 (none)");
  EXPECT_BAD_ON_ALL(wavegrid_fft_to_recip(t.fft, d, v, 2 * m, psi, 2 * n, ON_LAST(-1, 2)), "bands is -1");
  EXPECT_BAD_ON_ALL(wavegrid_fft_to_recip(t.fft, d, v, 2 * m, psi, 2 * n, ON_LAST(far, 2)), "needed");
  EXPECT_BAD_ON_ALL(wavegrid_fft_apply_local(t.fft, z, psi, n, v, m + ON_LAST(1, 0), psi, n, 1), "potential has");
  EXPECT_BAD_ON_ALL(wavegrid_fft_apply_local(t.fft, z, psi, n, v, m, psi, n - ON_LAST(1, 0), 1), "out has");
  EXPECT_BAD_ON_ALL(wavegrid_fft_accumulate_density(t.fft, z, psi, n, weights, ON_LAST(2, 1), v, m, 1),
                    "weights has 2");
  EXPECT_BAD_ON_ALL(wavegrid_fft_accumulate_density(t.fft, z, psi, n, ON_LAST(NULL, weights), 1, v, m, 1),
                    "weights is NULL");
  EXPECT_BAD(wavegrid_fft_to_real(NULL, d, psi, 2 * n, v, 2 * m, 2), "fft is NULL");
  if (ranks > 1) {
    const int64_t bands = ON_LAST(1, 2);
    EXPECT_BAD_ON_ALL(wavegrid_fft_to_real(t.fft, d, psi, bands * n, v, bands * m, bands),
                      "different numbers of bands");
  }
  EXPECT_OK(wavegrid_fft_to_real(t.fft, d, NULL, 0, NULL, 0, 0));
  EXPECT_OK(wavegrid_fft_to_real(t.fft, d, psi, 2 * n, v, 2 * m, 2)); /* still valid */
  EXPECT_BAD(wavegrid_fft_size(NULL, NULL, NULL), "fft is NULL");
  EXPECT_BAD(wavegrid_fft_grid_block(t.fft, NULL), "block is NULL");
  free(v), free(psi);
  wavegrid_fft_destroy(&t.fft);
}

/* ---- plan and run ---- */

/* Every rank sends its elements 0..2 to the next rank, which stores them at 1..3. */
static wavegrid_plan* shift_plan(const char* transport) {
  const wavegrid_run send = {(rank + 1) % ranks, 0, 3}, receive = {(rank + ranks - 1) % ranks, 1, 3};
  wavegrid_plan* plan = NULL;
  EXPECT_OK(wavegrid_plan_from_runs(MPI_COMM_WORLD, &send, 1, &receive, 1, transport, 1, &plan));
  return plan;
}

static void exchanges(const char* transport) {
  const int before = (rank + ranks - 1) % ranks;
  wavegrid_plan* plan = shift_plan(transport);
  wavegrid_exchange *first = NULL, *second = NULL;
  int arrived = -1;
  int64_t elements = -1, messages = -1, numbers[3] = {10 * rank, 10 * rank + 1, 10 * rank + 2},
          shifted[4] = {-1, 0, 0, 0};
  float a[6], b[8];
  for (int i = 0; i < 6; ++i) a[i] = (float)(10 * rank + i);
  for (int i = 0; i < 8; ++i) b[i] = -1;
  EXPECT(strcmp(wavegrid_plan_transport(plan), transport) == 0);
  EXPECT_OK(wavegrid_plan_sent(plan, &elements, &messages));
  EXPECT(elements == (ranks > 1 ? 3 : 0) && messages == (ranks > 1 ? 1 : 0));
  EXPECT_OK(wavegrid_exchange_start(plan, WAVEGRID_FORWARD, WAVEGRID_FLOAT, a, 6, 3, b, 8, 4, 2, &first));
  EXPECT_OK(wavegrid_exchange_start(plan, WAVEGRID_FORWARD, WAVEGRID_INT64, numbers, 3, 0, shifted, 4, 0, 1, &second));
  wavegrid_plan_destroy(&plan); /* exchanges keep what they need */
  EXPECT(plan == NULL);
  EXPECT_OK(wavegrid_exchange_test(first, &arrived));
  EXPECT(arrived == 0 || arrived == 1);
  EXPECT_OK(wavegrid_exchange_wait(&first));
  EXPECT_OK(wavegrid_exchange_wait(&second));
  EXPECT(first == NULL && second == NULL);
  EXPECT(b[0] == -1 && b[4] == -1 && shifted[0] == -1);
  for (int i = 0; i < 3; ++i)
    EXPECT(b[1 + i] == (float)(10 * before + i) && b[5 + i] == (float)(10 * before + 3 + i) &&
           shifted[1 + i] == 10 * before + i);
}

/* All ranks need index 0, of rank 0: the adjoint adds up their values. */
static void adjoint(void) {
  const int64_t index[1] = {0};
  wavegrid_plan* plan = NULL;
  wavegrid_exchange* exchange = NULL;
  double _Complex owned = 0.5, wanted = 1 + rank + I;
  EXPECT_OK(
      wavegrid_plan_from_indices_f(MPI_Comm_c2f(MPI_COMM_WORLD), index, rank == 0, index, 1, "pairwise", 1, &plan));
  EXPECT_OK(wavegrid_plan_use(plan, "shared"));
  EXPECT_OK(wavegrid_exchange_start(plan, WAVEGRID_ADJOINT, WAVEGRID_COMPLEX_DOUBLE, &owned, rank == 0, 1, &wanted, 1,
                                    1, 1, &exchange));
  EXPECT_OK(wavegrid_exchange_wait(&exchange));
  EXPECT(rank != 0 || cabs(owned - (0.5 + ranks * (ranks + 1) / 2 + ranks * I)) < DBL_EPSILON);
  wavegrid_plan_destroy(&plan);
}

static void plan_refusals(void) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const int64_t mine[2] = {2 * rank, 2 * rank + 1}, zero[1] = {0}, unowned[1] = {2 * ranks}, negative[1] = {-3};
  const wavegrid_run far = {ranks, 0, 1}, early = {rank, -1, 1}, one = {rank, 0, 1}, two = {rank, 0, 2};
  wavegrid_plan* plan = NULL;
  EXPECT_BAD_ON_ALL(wavegrid_plan_from_indices(MPI_COMM_NULL, mine, 2, mine, 2, "ring", 1, &plan), "MPI_COMM_NULL");
  EXPECT_BAD_ON_ALL(wavegrid_plan_from_indices(world, mine, 2, mine, 2, "neighbor_blocking", 1, &plan),
                    "valid: alltoallv, alltoall_padded, neighbor, pairwise, ring, one_sided, one_sided_get, shared");
  EXPECT_BAD_ON_ALL(wavegrid_plan_from_indices(world, mine, 2, unowned, 1, "ring", 1, &plan), "no rank owns it");
  EXPECT_BAD_ON_ALL(wavegrid_plan_from_indices(world, ON_LAST(negative, zero), 1, mine, 0, "ring", 1, &plan), "-3");
  EXPECT_BAD_ON_ALL(wavegrid_plan_from_indices(world, mine, ON_LAST(-1, 2), mine, 2, "ring", 1, &plan), "-1 entries");
  EXPECT_BAD_ON_ALL(wavegrid_plan_from_indices(world, mine, 2, ON_LAST(NULL, mine), 2, "ring", 1, &plan),
                    "target is NULL");
  EXPECT_BAD_ON_ALL(wavegrid_plan_from_indices(world, mine, 2, mine, 2, "ring", ON_LAST(0, 1), &plan), "threads is 0");
  EXPECT_BAD_ON_ALL(wavegrid_plan_from_indices(world, mine, 2, mine, 2, "ring", 1, ON_LAST(NULL, &plan)),
                    "plan is NULL");
  EXPECT_BAD_ON_ALL(wavegrid_plan_from_runs(world, ON_LAST(&far, &one), 1, &one, 1, "ring", 1, &plan), "is no rank");
  EXPECT_BAD_ON_ALL(wavegrid_plan_from_runs(world, &one, 1, ON_LAST(&early, &one), 1, "ring", 1, &plan), "start -1");
  EXPECT_BAD_ON_ALL(wavegrid_plan_from_runs(world, ON_LAST(&two, &one), 1, &one, 1, "ring", 1, &plan), "elements more");
  EXPECT_BAD_ON_ALL(wavegrid_plan_from_runs(world, &one, 1, &one, 1, "teleport", 1, &plan), "valid: alltoallv");
  if (ranks > 1) {
    EXPECT_BAD_ON_ALL(wavegrid_plan_from_indices(world, zero, 1, mine, 0, "ring", 1, &plan), "owned twice");
    EXPECT_BAD_ON_ALL(wavegrid_plan_from_runs(world, &one, 1, &one, 1, ON_LAST("ring", "shared"), 1, &plan),
                      "wavegrid_plan_from_runs with different transports");
  }
  EXPECT(plan == NULL && wavegrid_plan_transport(NULL) == NULL);
}

static void run_refusals(void) {
  wavegrid_plan* plan = shift_plan("neighbor");
  wavegrid_exchange* exchange = NULL;
  double a[6] = {0}, b[8] = {0}, c[8] = {0};
  int arrived;
  const int f = WAVEGRID_FORWARD, d = WAVEGRID_DOUBLE;
  EXPECT_BAD_ON_ALL(wavegrid_exchange_start(plan, f, d, a, ON_LAST(5, 6), 3, b, 8, 4, 2, &exchange), "source has 5");
  EXPECT_BAD_ON_ALL(wavegrid_exchange_start(plan, f, d, a, 6, 3, b, ON_LAST(7, 8), 4, 2, &exchange), "target has 7");
  EXPECT_BAD_ON_ALL(wavegrid_exchange_start(plan, f, d, a, 6, ON_LAST(0, 3), b, 8, 4, 2, &exchange),
                    "source_stride is 0");
  EXPECT_BAD_ON_ALL(wavegrid_exchange_start(plan, f, d, a, 6, INT64_MAX, b, 8, 4, 2, &exchange), "source has 6");
  EXPECT_BAD_ON_ALL(wavegrid_exchange_start(plan, f, d, a, -1, 3, b, 8, 4, 2, &exchange), "source_length is -1");
  EXPECT_BAD_ON_ALL(wavegrid_exchange_start(plan, f, d, ON_LAST(NULL, a), 6, 3, b, 8, 4, 2, &exchange),
                    "source is NULL");
  EXPECT_BAD_ON_ALL(wavegrid_exchange_start(plan, 5, d, a, 6, 3, b, 8, 4, 2, &exchange), "direction 5");
  EXPECT_BAD_ON_ALL(wavegrid_exchange_start(plan, f, ON_LAST(9, d), a, 6, 3, b, 8, 4, 2, &exchange), "type 9");
  EXPECT_BAD_ON_ALL(wavegrid_exchange_start(plan, f, d, a, 6, 3, b, 8, 4, -2, &exchange), "bands is -2");
  EXPECT_BAD_ON_ALL(wavegrid_exchange_start(plan, f, d, a, 6, 3, b, 8, 4, 2, ON_LAST(NULL, &exchange)),
                    "exchange is NULL");
  EXPECT_BAD_ON_ALL(wavegrid_exchange_start(plan, f, d, a, 6, 3, b, 8, ON_LAST(3, 4), 2, &exchange),
                    "target_stride is 3; valid: 4 or more");
  EXPECT_BAD_ON_ALL(wavegrid_exchange_start(plan, f, d, b, 6, 3, ON_LAST(b + 1, c), 7, 4, 1, &exchange), "overlap");
  char of_last[80];
  snprintf(of_last, sizeof of_last, "rank %d: target is NULL", ranks - 1);
  EXPECT_BAD_ON_ALL(wavegrid_exchange_start(plan, f, d, a, 6, 3, ON_LAST(NULL, b), 8, 4, 2, &exchange), of_last);
  if (ranks > 1) {
    EXPECT_BAD_ON_ALL(wavegrid_exchange_start(plan, f, d, a, 6, 3, b, 8, 4, ON_LAST(1, 2), &exchange),
                      "different directions");
    EXPECT_BAD_ON_ALL(wavegrid_exchange_start(plan, ON_LAST(2, 1), d, a, 6, 3, b, 8, 4, 2, &exchange),
                      "different directions");
    EXPECT_BAD_ON_ALL(wavegrid_plan_use(plan, ON_LAST("ring", "shared")), "different transports");
  }
  EXPECT_BAD_ON_ALL(wavegrid_plan_use(plan, "pigeon"), "unknown transport");
  EXPECT(exchange == NULL);
  EXPECT_BAD(wavegrid_exchange_start(NULL, f, d, a, 6, 3, b, 8, 4, 2, &exchange), "plan is NULL");
  EXPECT_BAD(wavegrid_exchange_wait(&exchange), "exchange is NULL");
  EXPECT_BAD(wavegrid_exchange_wait(NULL), "exchange is NULL");
  EXPECT_BAD(wavegrid_exchange_test(exchange, &arrived), "exchange is NULL");
  EXPECT_OK(wavegrid_exchange_start(plan, f, d, NULL, 0, 0, NULL, 0, 0, 0, &exchange));
  EXPECT_OK(wavegrid_exchange_wait(&exchange));
  EXPECT_OK(wavegrid_exchange_start(plan, f, d, a, 6, 3, b, 8, 4, 2, &exchange)); /* still valid */
  EXPECT_OK(wavegrid_exchange_wait(&exchange));
  wavegrid_plan_destroy(&plan);
  wavegrid_plan_destroy(&plan);
}

static void names_and_version(void) {
  char version[40];
  snprintf(version, sizeof version, "%d.%d.%d", WAVEGRID_VERSION_MAJOR, WAVEGRID_VERSION_MINOR, WAVEGRID_VERSION_PATCH);
  EXPECT(strcmp(version, wavegrid_version()) == 0);
  EXPECT(WAVEGRID_VERSION_AT_LEAST(0, 1, 0) && !WAVEGRID_VERSION_AT_LEAST(WAVEGRID_VERSION_MAJOR, 1000, 0));
  EXPECT(strcmp(wavegrid_status_name(WAVEGRID_OK), "ok") == 0);
  EXPECT(strcmp(wavegrid_status_name(WAVEGRID_BAD_INPUT), "bad_input") == 0);
  EXPECT(strcmp(wavegrid_status_name(WAVEGRID_ENVIRONMENT), "environment") == 0);
  EXPECT(strcmp(wavegrid_status_name(WAVEGRID_INTERNAL), "internal") == 0);
  EXPECT(!wavegrid_status_name(1));
}

int main(int argc, char** argv) {
  wavegrid_plan* early = NULL;
  const wavegrid_run none = {0, 0, 0};
  EXPECT(strcmp(wavegrid_last_error(), "") == 0 && strlen(wavegrid_version()) > 0);
  names_and_version();
  const int refused = wavegrid_plan_from_runs(MPI_COMM_WORLD, &none, 0, &none, 0, "ring", 1, &early);
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  EXPECT(refused == WAVEGRID_BAD_INPUT && strstr(wavegrid_last_error(), "MPI is not initialised"));

  spheres();
  partitions();
  round_trip(WAVEGRID_MODE_GAMMA, WAVEGRID_DOUBLE, "greedy", "alltoallv");
  round_trip(WAVEGRID_MODE_GAMMA, WAVEGRID_FLOAT, "balanced", "pairwise");
  round_trip(WAVEGRID_MODE_COMPLEX, WAVEGRID_DOUBLE, "optimized", "shared");
  round_trip(WAVEGRID_MODE_COMPLEX, WAVEGRID_FLOAT, "cyclic", "neighbor");
  automatic();
  fft_refusals();
  transform_refusals();
  const char* transports[] = {"alltoallv", "alltoall_padded", "neighbor",      "pairwise",
                              "ring",      "one_sided",       "one_sided_get", "shared"};
  for (int t = 0; t < 8; ++t) exchanges(transports[t]);
  adjoint();
  plan_refusals();
  run_refusals();

  const int total = all_failures();
  if (rank == 0) printf("%d failures\n", total);
  MPI_Finalize();
  return total == 0 ? 0 : 1;
}
