/* One application of H = -1/2 nabla^2 + V to plane waves, and an exchange forward and back, through the C interface.
 *
 * V(r) = 2 v cos(b1.r) couples G with G + b1 and G - b1, so that H applied to the one plane wave G is known:
 *   (H psi)(G) = |k+G|^2/2,  (H psi)(G + b1) = (H psi)(G - b1) = v,  all else 0.
 *
 *     mpirun -n 3 h_application_c
 */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavegrid.h>

/* Ends the program if a call has failed. */
static void check(int status) {
  if (status == WAVEGRID_OK) return;
  fprintf(stderr, "h_application: %s\n", wavegrid_last_error());
  MPI_Abort(MPI_COMM_WORLD, status);
}

/* Zeros for n elements; never NULL. */
static void* zeros(int64_t n, size_t size) {
  void* data = calloc(n > 0 ? (size_t)n : 1, size);
  if (!data) MPI_Abort(MPI_COMM_WORLD, WAVEGRID_ENVIRONMENT);
  return data;
}

static int is_wave(const int* g, int gx, int gy, int gz) { return g[0] == gx && g[1] == gy && g[2] == gz; }

/* The largest error of H on two bands, G = (0, 0, 0) and G = (1, -1, 0), over all ranks. */
static double h_application(MPI_Comm comm) {
  const double pi = 3.14159265358979323846;
  const double cell[9] = {10, 0, 0, 0, 9, 1, 0, -1, 11}; /* bohr */
  const double cutoff = 4.0, v = 0.25;                   /* Ha */
  const double k[3] = {0.25, 0, -0.125};                 /* of the reciprocal vectors */
  const int bands = 2, waves[2][3] = {{0, 0, 0}, {1, -1, 0}};
  int ranks, rank, grid[3];
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);

  /* Sphere and layout: the same on all ranks. */
  wavegrid_sphere* sphere;
  wavegrid_partition* partition;
  check(wavegrid_default_grid(cell, cutoff, grid));
  check(wavegrid_sphere_create(cell, cutoff, grid, WAVEGRID_MODE_COMPLEX, k, &sphere));
  check(wavegrid_partition_create(sphere, "auto", ranks, &partition));

  /* The transform, and this rank's share of it. */
  wavegrid_fft* fft;
  wavegrid_grid_block block;
  int64_t n, points;
  check(wavegrid_fft_create(comm, partition, WAVEGRID_DOUBLE, "auto", 1, &fft));
  check(wavegrid_fft_size(fft, &n, &points));
  check(wavegrid_fft_grid_block(fft, &block));
  int* g = zeros(3 * n, sizeof *g);                                  /* (n, 3) */
  double* kinetic = zeros(n, sizeof *kinetic);                       /* (n), Ha */
  double* potential = zeros(points, sizeof *potential);              /* (my x, my y, nz), Ha */
  double _Complex* psi = zeros(bands * n, sizeof(double _Complex));  /* (bands, n) */
  double _Complex* hpsi = zeros(bands * n, sizeof(double _Complex)); /* (bands, n), Ha */
  check(wavegrid_partition_g(partition, rank, g, 3 * n));
  check(wavegrid_partition_kinetic(partition, rank, kinetic, n));

  int64_t point = 0;
  for (int64_t x = block.x_begin; x < block.x_end; ++x)
    for (int64_t yz = 0; yz < (block.y_end - block.y_begin) * block.nz; ++yz)
      potential[point++] = 2 * v * cos(2 * pi * (double)x / grid[0]);
  for (int b = 0; b < bands; ++b)
    for (int64_t i = 0; i < n; ++i) psi[b * n + i] = is_wave(g + 3 * i, waves[b][0], waves[b][1], waves[b][2]);

  check(wavegrid_fft_apply_local(fft, WAVEGRID_COMPLEX_DOUBLE, psi, bands * n, potential, points, hpsi, bands * n,
                                 bands));
  double error = 0;
  for (int b = 0; b < bands; ++b)
    for (int64_t i = 0; i < n; ++i) {
      const int *wave = waves[b], *here = g + 3 * i;
      const int neighbour =
          is_wave(here, wave[0] + 1, wave[1], wave[2]) || is_wave(here, wave[0] - 1, wave[1], wave[2]);
      const double expected = is_wave(here, wave[0], wave[1], wave[2]) ? kinetic[i] : neighbour ? v : 0;
      error = fmax(error, cabs(hpsi[b * n + i] + kinetic[i] * psi[b * n + i] - expected));
    }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, comm);
  if (rank == 0)
    printf("partition %s: %s\n", wavegrid_partition_scheme(partition), wavegrid_partition_reason(partition));

  free(hpsi), free(psi), free(potential), free(kinetic), free(g);
  wavegrid_fft_destroy(&fft);
  wavegrid_partition_destroy(&partition);
  wavegrid_sphere_destroy(&sphere);
  return error;
}

/* Moves a block of bands from blocks to a cyclic layout and back; the number of wrong elements over all ranks. */
static int round_trip(MPI_Comm comm) {
  const int bands = 3, total = 101;
  int ranks, rank, wrong = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);

  /* The two layouts: the global index of each local element. */
  const int begin = total * rank / ranks, n = total * (rank + 1) / ranks - begin,
            m = (total - rank + ranks - 1) / ranks;
  int64_t* blocks = zeros(n, sizeof *blocks);
  int64_t* cyclic = zeros(m, sizeof *cyclic);
  for (int i = 0; i < n; ++i) blocks[i] = begin + i;
  for (int i = 0; i < m; ++i) cyclic[i] = rank + i * ranks;
  wavegrid_plan* plan;
  check(wavegrid_plan_from_indices(comm, blocks, n, cyclic, m, "pairwise", 1, &plan));

  /* Values encode their position: band * total + global index. */
  double* source = zeros(bands * n, sizeof *source);
  double* back = zeros(bands * n, sizeof *back);
  double* target = zeros(bands * m, sizeof *target);
  for (int b = 0; b < bands; ++b)
    for (int i = 0; i < n; ++i) source[b * n + i] = (double)(b * total + blocks[i]);

  wavegrid_exchange* exchange;
  check(wavegrid_exchange_start(plan, WAVEGRID_FORWARD, WAVEGRID_DOUBLE, source, bands * n, n, target, bands * m, m,
                                bands, &exchange));
  /* Work on other arrays here; call wavegrid_exchange_test now and then: it lets MPI progress. */
  int arrived;
  check(wavegrid_exchange_test(exchange, &arrived));
  check(wavegrid_exchange_wait(&exchange));
  for (int b = 0; b < bands; ++b)
    for (int i = 0; i < m; ++i) wrong += target[b * m + i] != (double)(b * total + cyclic[i]);

  check(wavegrid_exchange_start(plan, WAVEGRID_BACKWARD, WAVEGRID_DOUBLE, back, bands * n, n, target, bands * m, m,
                                bands, &exchange));
  check(wavegrid_exchange_wait(&exchange));
  wrong += memcmp(back, source, (size_t)(bands * n) * sizeof *back) != 0;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, comm);

  free(target), free(back), free(source), free(cyclic), free(blocks);
  wavegrid_plan_destroy(&plan);
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double error = h_application(MPI_COMM_WORLD);
  const int wrong = round_trip(MPI_COMM_WORLD);
  const int good = error < 1e-13 && wrong == 0;
  if (rank == 0)
    printf("%s: wavegrid %s from C, largest error of H psi %.1e Ha, %d elements astray\n", good ? "OK" : "WRONG",
           wavegrid_version(), error, wrong);
  MPI_Finalize();
  return good ? 0 : 1;
}
