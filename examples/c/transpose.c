/* A matrix that is distributed by rows is needed by columns: what MPI_Alltoallv does with packing, counts and offsets.
 *
 *     mpirun -n 3 transpose_c
 */
#include <stdio.h>
#include <stdlib.h>
#include <wavegrid.h>

enum { rows = 7, columns = 5 };

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
  const int first_row = rows * rank / ranks, end_row = rows * (rank + 1) / ranks;
  const int first_column = columns * rank / ranks, end_column = columns * (rank + 1) / ranks;

  /* Element (i, j) has the number i * columns + j on all ranks. Each rank says which numbers it has, and which it
   * needs, in the order of its arrays. */
  int64_t have[rows * columns], need[rows * columns], num_have = 0, num_need = 0;
  for (int i = first_row; i < end_row; ++i)
    for (int j = 0; j < columns; ++j) have[num_have++] = i * columns + j;
  for (int j = first_column; j < end_column; ++j)
    for (int i = 0; i < rows; ++i) need[num_need++] = i * columns + j; /* column by column */

  wavegrid_plan* plan = NULL; /* once */
  check(wavegrid_plan_from_indices(MPI_COMM_WORLD, have, num_have, need, num_need, "alltoallv", 1, &plan));

  double by_rows[rows * columns], by_columns[rows * columns];
  for (int64_t n = 0; n < num_have; ++n) by_rows[n] = 0.5 * (double)have[n];
  /* Many times. wavegrid_exchange_start and _wait do the same in two steps, with other work in between. */
  check(wavegrid_exchange_run(plan, WAVEGRID_FORWARD, WAVEGRID_DOUBLE, 1, by_rows, num_have, by_columns, num_need));

  int wrong = 0;
  for (int64_t n = 0; n < num_need; ++n) wrong += by_columns[n] != 0.5 * (double)need[n];
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("transpose: %d wrong values on %d ranks\n", wrong, ranks);
  wavegrid_plan_destroy(&plan);
  MPI_Finalize();
  return wrong != 0;
}
