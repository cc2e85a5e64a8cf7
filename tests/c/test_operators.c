/* Halos, boxes, tuples, G-vectors and operators of the caller through the C interface, on any number of ranks. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "expect.h"

static int ranks, rank;
#define ON_LAST(there, elsewhere) (rank == ranks - 1 ? (there) : (elsewhere))

/* ---- halos and tuples ---- */

enum { points = 23, width = 3 };

/* Every ranks-th point of a ring; the ghosts are the neighbours of the first and of the last one. */
static int64_t ring(int64_t* own, int64_t* ghosts) {
  int64_t n = 0;
  for (int p = rank; p < points; p += ranks) own[n++] = p;
  ghosts[0] = (own[n - 1] + 1) % points;
  ghosts[1] = (own[0] + points - 1) % points;
  return n;
}

static void halos(const char* transport) {
  int64_t own[points], ghosts[2];
  const int64_t n = ring(own, ghosts), length = (n + 2) * width;
  double values[(points + 2) * width], sum = 0, all = 0;
  wavegrid_plan* halo = NULL;
  EXPECT_OK(wavegrid_plan_from_ghosts(MPI_COMM_WORLD, own, n, ghosts, 2, transport, 1, &halo));
  for (int64_t i = 0; i < length; ++i)
    values[i] = i < n * width ? 10.0 * (double)own[i / width] + (double)(i % width) : -1;
  EXPECT_OK(wavegrid_exchange_run(halo, WAVEGRID_FORWARD, WAVEGRID_DOUBLE, width, values, length, values, length));
  for (int64_t i = n * width; i < length; ++i)
    EXPECT(values[i] == 10.0 * (double)ghosts[i / width - n] + (double)(i % width));
  for (int64_t i = 0; i < length; ++i) values[i] = 1;
  EXPECT_OK(wavegrid_exchange_run(halo, WAVEGRID_ADJOINT, WAVEGRID_DOUBLE, width, values, length, values, length));
  for (int64_t i = 0; i < n * width; ++i) sum += values[i];
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(all == width * (points + 2 * ranks));
  EXPECT_BAD_ON_ALL(
      wavegrid_exchange_run(halo, WAVEGRID_FORWARD, WAVEGRID_DOUBLE, width, values, length - 1, values, length),
      "3 numbers per element");
  EXPECT_BAD_ON_ALL(
      wavegrid_exchange_run(halo, WAVEGRID_FORWARD, WAVEGRID_DOUBLE, ON_LAST(0, 1), values, length, values, length),
      "width is 0");
  wavegrid_plan_destroy(&halo);
  ghosts[0] = points;
  EXPECT_BAD_ON_ALL(wavegrid_plan_from_ghosts(MPI_COMM_WORLD, own, n, ghosts, 2, transport, 1, &halo), "23");
  EXPECT_BAD_ON_ALL(wavegrid_plan_from_ghosts(MPI_COMM_WORLD, own, ON_LAST(-1, n), ghosts, 2, transport, 1, &halo),
                    "own has -1");
  EXPECT(halo == NULL);
}

/* ---- boxes ---- */

static void boxes(void) {
  const int grid[3] = {7, 8, 9};
  int64_t mine[7 * 8 * 9], n = 0, size = 0;
  for (int p = rank; p < 7 * 8 * 9; p += ranks) mine[n++] = p;
  const wavegrid_box box = {{-2, 3, 4}, {4, 5, 6}, rank}; /* leaves the cell along x and z */
  const int64_t num_boxes = ON_LAST(ranks > 1 ? 0 : 1, 1);
  wavegrid_boxes* b = NULL;
  EXPECT_OK(wavegrid_boxes_create(MPI_COMM_WORLD, grid, mine, n, &box, num_boxes, 1, "shared", 1, &b));
  EXPECT_OK(wavegrid_boxes_size(b, &size));
  EXPECT(size == 120 * num_boxes);
  double on_grid[7 * 8 * 9], values[120], total = 0, all = 0;
  for (int64_t i = 0; i < n; ++i) on_grid[i] = (double)mine[i];
  EXPECT_OK(wavegrid_boxes_extract(b, WAVEGRID_DOUBLE, on_grid, n, values, size, 1));
  for (int i = 0; i < size; ++i) {
    const int x = (i / 30 + 5) % 7, y = (i / 6 % 5 + 3) % 8, z = (i % 6 + 4) % 9;
    EXPECT(values[i] == (x * 8 + y) * 9 + z);
    values[i] = 0.5;
  }
  for (int64_t i = 0; i < n; ++i) on_grid[i] = 0;
  EXPECT_OK(wavegrid_boxes_deposit(b, WAVEGRID_DOUBLE, values, size, on_grid, n, 1));
  for (int64_t i = 0; i < n; ++i) total += on_grid[i];
  MPI_Allreduce(&total, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(all == 60.0 * (ranks > 1 ? ranks - 1 : 1));
  EXPECT_BAD_ON_ALL(wavegrid_boxes_extract(b, WAVEGRID_DOUBLE, on_grid, ON_LAST(n - 1, n), values, size, 1),
                    "grid has");
  EXPECT_BAD_ON_ALL(wavegrid_boxes_extract(b, WAVEGRID_INT64, on_grid, n, values, size, 1), "unknown type 4");
  EXPECT_BAD(wavegrid_boxes_size(NULL, &size), "boxes is NULL");
  wavegrid_boxes_destroy(&b);
  wavegrid_boxes_destroy(&b);
  const wavegrid_box large = {{0, 0, 0}, {8, 1, 1}, rank};
  EXPECT_BAD_ON_ALL(wavegrid_boxes_create(MPI_COMM_WORLD, grid, mine, n, &large, 1, 0, "shared", 1, &b), "box");
  EXPECT_BAD_ON_ALL(wavegrid_boxes_create(MPI_COMM_WORLD, grid, mine, n, &box, 1, 0, "pigeon", 1, &b), "transport");
}

/* ---- a list of G-vectors ---- */

static void g_vectors(void) {
  const int grid[3] = {8, 9, 10};
  int g[3 * 125], n = 0;
  double complex psi[125], back[125];
  for (int i = rank; i < 125; i += ranks, ++n) { /* a cube, distributed over the ranks, z fastest */
    g[3 * n] = i / 25 - 2, g[3 * n + 1] = i / 5 % 5 - 2, g[3 * n + 2] = i % 5 - 2;
    psi[n] = 1.0 + i * I;
  }
  wavegrid_fft* fft = NULL;
  int64_t size = 0, values_size = 0;
  EXPECT_OK(
      wavegrid_fft_create_from_g(MPI_COMM_WORLD, grid, WAVEGRID_MODE_COMPLEX, g, n, WAVEGRID_DOUBLE, "auto", 1, &fft));
  EXPECT_OK(wavegrid_fft_size(fft, &size, &values_size));
  EXPECT(size == n);
  double complex* values = calloc((size_t)values_size + 1, sizeof *values);
  double norm[2] = {0, 0}, all[2];
  EXPECT_OK(wavegrid_fft_to_real(fft, WAVEGRID_COMPLEX_DOUBLE, psi, n, values, values_size, 1));
  EXPECT_OK(wavegrid_fft_to_recip(fft, WAVEGRID_COMPLEX_DOUBLE, values, values_size, back, n, 1));
  for (int i = 0; i < n; ++i) EXPECT(cabs(back[i] - psi[i]) < 1e-12);
  for (int i = 0; i < n; ++i) norm[0] += creal(psi[i] * conj(psi[i]));
  for (int64_t i = 0; i < values_size; ++i) norm[1] += creal(values[i] * conj(values[i])) / 720;
  MPI_Allreduce(norm, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(fabs(all[0] - all[1]) < 1e-9 * all[0]);
  free(values);
  wavegrid_fft_destroy(&fft);
  EXPECT_BAD_ON_ALL(wavegrid_fft_create_from_g(MPI_COMM_WORLD, grid, WAVEGRID_MODE_COMPLEX, g, ON_LAST(0, 0),
                                               WAVEGRID_DOUBLE, "auto", 1, &fft),
                    "empty");
  g[0] = ON_LAST(40, g[0]);
  EXPECT_BAD_ON_ALL(
      wavegrid_fft_create_from_g(MPI_COMM_WORLD, grid, WAVEGRID_MODE_COMPLEX, g, n, WAVEGRID_DOUBLE, "auto", 1, &fft),
      "G = (40,");
  EXPECT(fft == NULL);
}

/* ---- eigenpairs ---- */

enum { order = 60, wanted = 4 };
static int64_t first_row;
static int fails_on_last;

/* H = diag(i) + i/10 between neighbours of one rank: a Hermitian matrix in blocks. */
static int apply(void* context, int64_t rows, int64_t vectors, const void* in, void* out) {
  EXPECT(context == &first_row);
  if (fails_on_last && rank == ranks - 1) return 7;
  for (int64_t v = 0; v < vectors; ++v) {
    const double complex* x = (const double complex*)in + v * rows;
    double complex* y = (double complex*)out + v * rows;
    for (int64_t i = 0; i < rows; ++i)
      y[i] =
          (double)(first_row + i) * x[i] + (i > 0 ? 0.1 * I * x[i - 1] : 0) - (i < rows - 1 ? 0.1 * I * x[i + 1] : 0);
  }
  return 0;
}

static int twice(void* context, int64_t rows, int64_t vectors, const void* in, void* out) {
  (void)context;
  for (int64_t i = 0; i < rows * vectors; ++i) ((double complex*)out)[i] = 2 * ((const double complex*)in)[i];
  return 0;
}

static void eigenpairs(void) {
  const int filled = ranks > 1 ? ranks - 1 : 1; /* the last of several ranks has no rows */
  first_row = order * (int64_t)(rank < filled ? rank : filled) / filled;
  const int64_t rows = order * (int64_t)(rank < filled ? rank + 1 : filled) / filled - first_row;
  double values[wanted], halves[wanted], diagonal[order];
  double complex vectors[wanted * order];
  wavegrid_eigen_report report;
  const int type = WAVEGRID_COMPLEX_DOUBLE;
  const MPI_Comm w = MPI_COMM_WORLD;
  EXPECT_OK(wavegrid_lowest_eigenpairs(w, type, rows, apply, &first_row, NULL, wanted, values, vectors, wanted * rows,
                                       &report));
  EXPECT(report.converged && report.rounds > 0 && report.applications > 0 && report.error < 1e-6);
  for (int n = 0; n < wanted; ++n) EXPECT(fabs(values[n] - n) < 0.03);

  wavegrid_eigen_options options = {.overlap = twice, .solver = "lobpcg", .diagonal = diagonal, .tolerance = 1e-10};
  for (int64_t i = 0; i < rows; ++i) diagonal[i] = (double)(first_row + i);
  EXPECT_OK(wavegrid_lowest_eigenpairs(w, type, rows, apply, &first_row, &options, wanted, halves, vectors,
                                       wanted * rows, &report));
  for (int n = 0; n < wanted; ++n) EXPECT(fabs(2 * halves[n] - values[n]) < 1e-6);
  const int64_t before = report.applications;
  options.num_start = wanted;
  EXPECT_OK(wavegrid_lowest_eigenpairs(w, type, rows, apply, &first_row, &options, wanted, halves, vectors,
                                       wanted * rows, &report));
  EXPECT(report.converged && report.applications < before);

#define REFUSED(part, ...) EXPECT_BAD_ON_ALL(wavegrid_lowest_eigenpairs(__VA_ARGS__), part)
  REFUSED("apply is NULL", w, type, rows, ON_LAST(NULL, apply), &first_row, NULL, 2, values, vectors, 2 * rows,
          &report);
  REFUSED("vectors has", w, type, rows, apply, &first_row, NULL, 2, values, vectors, ON_LAST(2 * rows + 1, 2 * rows),
          &report);
  REFUSED("type is 0", w, 0, rows, apply, &first_row, NULL, 2, values, vectors, 2 * rows, &report);
  options.solver = "qr";
  REFUSED("unknown eigensolver 'qr'", w, type, rows, apply, &first_row, &options, 2, values, vectors, 2 * rows,
          &report);
  if (ranks > 1)
    REFUSED("different types, counts", w, type, rows, apply, &first_row, NULL, ON_LAST(1, 2), values, vectors,
            ON_LAST(1, 2) * rows, &report);
  fails_on_last = 1;
  REFUSED("status 7", w, type, rows, apply, &first_row, NULL, 2, values, vectors, 2 * rows, &report);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  halos("neighbor");
  halos("shared");
  boxes();
  g_vectors();
  eigenpairs();
  const int total = all_failures();
  if (rank == 0) printf("%d failures\n", total);
  MPI_Finalize();
  return total == 0 ? 0 : 1;
}
