/* The FFT on a program's own list of G-vectors, in its own order and distribution.
 *
 *     mpirun -n 3 g_vectors_c
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <wavegrid.h>

enum { reach = 4, side = 2 * reach + 1, all = side * side * side };

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

  /* A cube of G-vectors, z fastest; every ranks-th one is on this rank. */
  const int grid[3] = {18, 20, 24};
  int(*g)[3] = malloc(sizeof(int[3]) * all), num_g = 0;
  for (int i = rank; i < all; i += ranks, ++num_g) {
    g[num_g][0] = i / (side * side) - reach;
    g[num_g][1] = i / side % side - reach;
    g[num_g][2] = i % side - reach;
  }
  wavegrid_fft* fft = NULL; /* once */
  check(wavegrid_fft_create_from_g(MPI_COMM_WORLD, grid, WAVEGRID_MODE_COMPLEX, g[0], num_g, WAVEGRID_DOUBLE, "auto", 1,
                                   &fft));

  int64_t points = 0; /* of this rank's block of the grid: wavegrid_fft_grid_block() */
  check(wavegrid_fft_size(fft, NULL, &points));
  double complex *psi = malloc(sizeof *psi * all), *back = malloc(sizeof *back * all);
  double complex* values = malloc(sizeof *values * (size_t)(points + 1));
  for (int i = 0; i < num_g; ++i) psi[i] = 1.0 / (1 + g[i][0] * g[i][0] + g[i][1] * g[i][1] + g[i][2] * g[i][2]);
  check(wavegrid_fft_to_real(fft, WAVEGRID_COMPLEX_DOUBLE, psi, num_g, values, points, 1));
  check(wavegrid_fft_to_recip(fft, WAVEGRID_COMPLEX_DOUBLE, values, points, back, num_g, 1));

  double error = 0;
  for (int i = 0; i < num_g; ++i) error = fmax(error, cabs(back[i] - psi[i]));
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("g_vectors: largest error %.1e on %d ranks\n", error, ranks);
  wavegrid_fft_destroy(&fft);
  free(g), free(psi), free(back), free(values);
  MPI_Finalize();
  return error > 1e-12;
}
