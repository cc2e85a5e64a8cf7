// A whole self-consistent calculation: supercells of aluminium as in Gao et al. (2016). The clock of the library's
// profile is the simulated one (hooks.cpp), so that a phase has the time of its messages and of the wait for them.
#include <memory>

#include <wavegrid/calculation/session.hpp>
#include <wavegrid/pseudo/gth_table.hpp>

#include "common/words.hpp"
#include "studies.hpp"

namespace wavegrid::bench {

namespace {

struct Options {
  std::string table;  ///< of pseudopotentials
  int cells = 2;      ///< along each edge
  int bands = 85;     ///< enough for 32 atoms
  int band_groups = 1;
  std::optional<Scheme> scheme = std::nullopt;
  Transport transport = Transport::ring;
  int steps = 100;  ///< at most
};

Options options_of(const Words& words) {
  Options options;
  for_options(words, [&](const Word& word) {
    if (word.option == "--table")
      options.table = word.text;
    else if (word.option == "--cells")
      options.cells = count(word);
    else if (word.option == "--bands")
      options.bands = count(word);
    else if (word.option == "--band-groups")
      options.band_groups = count(word);
    else if (word.option == "--scheme")
      options.scheme = choice(word, schemes);
    else if (word.option == "--transport")
      options.transport = transport_named(word.text);
    else if (word.option == "--steps")
      options.steps = count(word);
    else
      throw bad_input(word.option +
                      ": unknown; valid: --table, --cells, --bands, --band-groups, --scheme, --transport, --steps");
  });
  return options;
}

Problem problem_of(const Options& options) {
  constexpr double a = 7.6533909;  // bohr, 4.05 angstrom
  const Crystal fcc{Lattice({{{a, 0, 0}, {0, a, 0}, {0, 0, a}}}),
                    {"Al"},
                    {{0, {0, 0, 0}}, {0, {0, 0.5, 0.5}}, {0, {0.5, 0, 0.5}}, {0, {0.5, 0.5, 0}}}};
  const int n = options.cells;
  Problem problem{.crystal = supercell(fcc, {n, n, n}), .pseudopotentials = {}, .scf = {}};
  problem.pseudopotentials = {std::make_shared<GthPotential>(GthTable(options.table).find("Al"))};
  problem.ecut = 8.8309;
  problem.grid = {16 * n, 16 * n, 16 * n};
  problem.bands = options.bands;
  problem.smearing = {SmearingKind::fermi_dirac, 0.00735};
  problem.scf.energy_tolerance = 1e-7;
  problem.scf.max_steps = options.steps;
  problem.groups.band_groups = options.band_groups;
  problem.scheme = options.scheme;
  problem.transport = options.transport;
  return problem;
}

}  // namespace

void study_loop(const Comm& comm, const Words& words) {
  const Options options = options_of(words);
  const double start = now();
  const CalculationResult result = run_calculation(comm, problem_of(options));
  const double seconds = comm.max(now() - start);
  std::string phases;
  for (std::size_t i = 0; i < num_phases; ++i)
    phases +=
        text(R"(%s"%s": %.6g)", i == 0 ? "" : ", ", to_string(static_cast<Phase>(i)), result.seconds.per_phase[i]);
  const ParallelReport& parallel = result.parallel;
  print_result(
      comm, text(R"({"ranks": %d, "energy": %.10f, "steps": %d, "transforms": %lld, "rows": %d, "columns": %d, )"
                 R"("band_groups": %d, "partition": "%s", "seconds": %.6g, "phases": {)",
                 comm.size(), result.scf.energies.free(), result.scf.steps, static_cast<long long>(result.work.ffts),
                 parallel.shape.rows, parallel.shape.columns, parallel.groups.band_groups, parallel.partition.c_str(),
                 seconds) +
                phases + "}}");
}

}  // namespace wavegrid::bench
