/* Uses the installed C header and library, and the MPI that comes with them: the link line must be complete. */
#include <stdio.h>
#include <wavegrid.h>

int main(int argc, char** argv) {
  const double a = 7.6533909, cell[9] = {a, 0, 0, 0, a, 0, 0, 0, a};
  const int grid[3] = {16, 16, 16};
  wavegrid_sphere* sphere;
  int64_t size = 0;
  MPI_Init(&argc, &argv);
  if (wavegrid_sphere_create(cell, 8.8309, grid, WAVEGRID_MODE_GAMMA, NULL, &sphere) != WAVEGRID_OK) return 1;
  if (wavegrid_sphere_size(sphere, &size) != WAVEGRID_OK) return 1;
  wavegrid_sphere_destroy(&sphere);
  printf("%lld plane waves, wavegrid %s from C\n", (long long)size, wavegrid_version());
  MPI_Finalize();
  return size > 0 ? 0 : 1;
}
