/* Localised functions, each on a box of grid points: boxes are added to a grid that is distributed by planes, and
 * values of the grid are extracted into boxes. The cell is periodic.
 *
 *     mpirun -n 3 boxes_c
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <wavegrid.h>

static void check(int status) {
  if (status == WAVEGRID_OK) return;
  fprintf(stderr, "%s\n", wavegrid_last_error());
  MPI_Abort(MPI_COMM_WORLD, status);
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  const int grid[3] = {24, 20, 18}, plane = 20 * 18;
  const int first = 24 * rank / ranks, end = 24 * (rank + 1) / ranks;
  const int64_t num_points = (int64_t)(end - first) * plane;
  int64_t* points = malloc(sizeof *points * (size_t)(num_points + 1)); /* (x, y, z) is (x * ny + y) * nz + z */
  for (int64_t i = 0; i < num_points; ++i) points[i] = (int64_t)first * plane + i;

  const wavegrid_box mine[2] = {{.begin = {7 * rank - 3, 0, -2}, .size = {8, 9, 10}},
                                {.begin = {7 * rank - 3, 5, -2}, .size = {8, 9, 10}}};
  wavegrid_boxes* boxes = NULL; /* once */
  check(wavegrid_boxes_create(MPI_COMM_WORLD, grid, points, num_points, mine, 2, 0, "shared", 1, &boxes));

  /* One electron in each box, constant within it. */
  const int64_t num_values = 2 * 8 * 9 * 10; /* wavegrid_boxes_size() */
  double *values = malloc(sizeof(double) * (size_t)num_values), electrons = 0;
  double* density = calloc((size_t)num_points + 1, sizeof(double));
  for (int64_t i = 0; i < num_values; ++i) values[i] = 1.0 / 720;
  check(wavegrid_boxes_deposit(boxes, WAVEGRID_DOUBLE, values, num_values, density, num_points, 1)); /* many times */
  check(wavegrid_boxes_extract(boxes, WAVEGRID_DOUBLE, density, num_points, values, num_values, 1));

  for (int64_t i = 0; i < num_points; ++i) electrons += density[i];
  MPI_Allreduce(MPI_IN_PLACE, &electrons, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("boxes: %.6f electrons on %d ranks\n", electrons, ranks);
  wavegrid_boxes_destroy(&boxes);
  free(points), free(values), free(density);
  MPI_Finalize();
  return fabs(electrons - 2 * ranks) > 1e-12 * ranks;
}
