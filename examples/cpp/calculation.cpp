// A calculation from C++: silicon, its density and potential, and a second geometry.
//
//     mpirun -n 2 calculation python/wavegrid/data/pseudopotentials/gth-lda.gth
#include <cmath>
#include <cstdio>
#include <memory>

#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/calculation/session.hpp>
#include <wavegrid/mpi/environment.hpp>
#include <wavegrid/pseudo/gth_table.hpp>

using namespace wavegrid;

/// Two atoms in a cell of 5.13 bohr; units are bohr and Ha.
Problem silicon(const char* table) {
  const Crystal crystal{Lattice({{{0, 5.13, 5.13}, {5.13, 0, 5.13}, {5.13, 5.13, 0}}}),
                        {"Si"},
                        {{0, {0, 0, 0}}, {0, {0.25, 0.25, 0.25}}}};
  const auto pseudopotential = std::make_shared<GthPotential>(GthTable(table).find("Si"));
  Problem problem{.crystal = crystal, .pseudopotentials = {pseudopotential}, .scf = {}};  // one per species
  problem.ecut = 6;
  problem.grid = default_grid(crystal.lattice, problem.ecut);
  problem.bands = 4;
  return problem;  // at Gamma; kpoints, smearing, spins, xc, scf, ... have defaults
}

int main(int argc, char** argv) {
  initialise_mpi(&argc, &argv);
  bool good = false;
  if (argc == 2) {
    const Comm comm = Comm::world();
    Session session(comm, silicon(argv[1]));
    const double energy = session.solve().scf.energies.total();

    const SolvedFields fields = session.fields();  // at this rank's points
    double sum = 0;
    for (const double n : fields.density[0]) sum += n;
    const double volume = session.problem().crystal.lattice.volume();
    const Index points = Index{1} * fields.counts[0] * fields.counts[1] * fields.counts[2];
    const double electrons = comm.sum(sum) * volume / static_cast<double>(points);

    session.set_positions({{0, 0, 0}, {0.26, 0.25, 0.24}});  // begins with density and bands of the solve before
    const double moved = session.solve().scf.energies.total();
    if (comm.rank() == 0)
      std::printf("%.6f Ha, %.6f electrons; %.6f Ha after the displacement\n", energy, electrons, moved);
    good = std::abs(electrons - 8) < 1e-6 && moved > energy;
  }
  MPI_Finalize();
  return good ? 0 : 1;
}
