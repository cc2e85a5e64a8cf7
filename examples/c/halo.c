/* The halo exchange of a ring whose points are distributed over the ranks in any way: each rank says which points it
 * owns, and which others it needs.
 *
 *     mpirun -n 3 halo_c
 */
#include <stdio.h>
#include <wavegrid.h>

enum { points = 101, width = 2 }; /* numbers per point, side by side */

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

  /* Every ranks-th point is this rank's own; ghosts are the points before and after each of them. */
  int64_t own[points], ghosts[2 * points], num_own = 0, num_ghosts = 0;
  for (int p = rank; p < points; p += ranks) {
    own[num_own++] = p;
    ghosts[num_ghosts++] = (p + points - 1) % points;
    ghosts[num_ghosts++] = (p + 1) % points;
  }
  wavegrid_plan* halo = NULL; /* once */
  check(wavegrid_plan_from_ghosts(MPI_COMM_WORLD, own, num_own, ghosts, num_ghosts, "neighbor", 1, &halo));

  /* Own points, then ghosts, in one array. */
  double x[3 * points][width];
  const int64_t length = (num_own + num_ghosts) * width;
  for (int64_t i = 0; i < num_own; ++i) x[i][0] = (double)own[i], x[i][1] = -(double)own[i];
  check(wavegrid_exchange_run(halo, WAVEGRID_FORWARD, WAVEGRID_DOUBLE, width, x, length, x, length)); /* many times */

  int wrong = 0;
  for (int64_t i = 0; i < num_ghosts; ++i)
    wrong += x[num_own + i][0] != (double)ghosts[i] || x[num_own + i][1] != -(double)ghosts[i];
  /* WAVEGRID_ADJOINT adds what the ghosts hold to their owners' points, as assembly of finite elements does. */
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("halo: %d wrong ghosts on %d ranks\n", wrong, ranks);
  wavegrid_plan_destroy(&halo);
  MPI_Finalize();
  return wrong != 0;
}
