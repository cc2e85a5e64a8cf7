#include <wavegrid/calculation/shell_occupations.hpp>
#include <wavegrid/linalg/lapack.hpp>

namespace wavegrid {

std::vector<ShellOccupations> shell_occupations(const Crystal& crystal, const Pseudopotentials& atoms,
                                                const SpinMatrices& components) {
  std::vector<ShellOccupations> all;
  for (const AtomShell& one : hubbard_shells(crystal, atoms)) {
    ShellOccupations& found = all.emplace_back(ShellOccupations{one.atom, one.shell.setting.shell});
    const auto spins = occupation_matrices(one, components);
    const auto size = static_cast<std::size_t>(one.shell.size());
    for (std::size_t s = 0; s < components.size(); ++s) {
      auto& rows = found.matrices.emplace_back(size);
      std::vector<double> vectors, values(size);
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < size; ++j) {
          rows[i].push_back(spins[s](static_cast<Index>(i), static_cast<Index>(j)).real());
          vectors.push_back(rows[i].back());
        }
      lapack::eigen_in_place(one.shell.size(), vectors.data(), one.shell.size(), values.data());
      found.eigenvalues.push_back(std::move(values));
    }
  }
  return all;
}

}  // namespace wavegrid
