/* The lowest eigenpairs of a program's own operator, with the C interface: H = -1/2 d2/dx2 + x^2/2 by differences of
 * second order, on points that are distributed over the ranks. Its eigenvalues are 1/2, 3/2, 5/2, ...
 *
 *     mpirun -n 3 eigenpairs_c
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <wavegrid.h>

enum { points = 201, count = 4 };
static const double spacing = 0.1; /* bohr */

/* A rank's points are [first, first + rows); the values at the ends of its neighbours come by messages. */
typedef struct line {
  int64_t first;
  int left, right; /* ranks, or MPI_PROC_NULL */
} line;

static int apply(void* context, int64_t rows, int64_t vectors, const void* in, void* out) {
  const line* my = context;
  for (int64_t v = 0; v < vectors; ++v) {
    const double* x = (const double*)in + v * rows;
    double *y = (double*)out + v * rows, before = 0, after = 0;
    MPI_Sendrecv(x, 1, MPI_DOUBLE, my->left, 0, &after, 1, MPI_DOUBLE, my->right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(x + rows - 1, 1, MPI_DOUBLE, my->right, 0, &before, 1, MPI_DOUBLE, my->left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int64_t i = 0; i < rows; ++i) {
      const double position = spacing * (double)(my->first + i - points / 2);
      const double neighbours = (i > 0 ? x[i - 1] : before) + (i < rows - 1 ? x[i + 1] : after);
      y[i] = (x[i] - 0.5 * neighbours) / (spacing * spacing) + 0.5 * position * position * x[i];
    }
  }
  return 0;
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  line my = {(int64_t)points * rank / ranks, rank > 0 ? rank - 1 : MPI_PROC_NULL,
             rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL};
  const int64_t rows = (int64_t)points * (rank + 1) / ranks - my.first;

  double values[count], *vectors = malloc(sizeof(double) * (size_t)(count * rows));
  wavegrid_eigen_report report;
  const wavegrid_eigen_options options = {.weight = spacing}; /* the integral of |x|^2 is 1 */
  if (wavegrid_lowest_eigenpairs(MPI_COMM_WORLD, WAVEGRID_DOUBLE, rows, apply, &my, &options, count, values, vectors,
                                 count * rows, &report) != WAVEGRID_OK) {
    fprintf(stderr, "%s\n", wavegrid_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }

  double largest = 0;
  for (int n = 0; n < count; ++n) largest = fmax(largest, fabs(values[n] - (n + 0.5)));
  if (rank == 0)
    printf("%.6f %.6f %.6f %.6f, converged: %d, %d applications of H\n", values[0], values[1], values[2], values[3],
           report.converged, (int)report.applications);
  free(vectors);
  MPI_Finalize();
  return report.converged && largest < 0.01 ? 0 : 1;
}
