#include <algorithm>
#include <cmath>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/spherical_bessel.hpp>
#include <wavegrid/pseudo/augmented_dataset.hpp>
#include <wavegrid/pseudo/hubbard_potential.hpp>

namespace wavegrid {

namespace {

constexpr double step_of_waves = 0.05;  // 1/bohr: functions that end before 60 bohr

/// An orbital as a function of r, from its transform: a sum with the spacing of waves.
double orbital_radial(const Pseudopotential& atom, int orbital, double r) {
  constexpr double largest = 30;
  const int l = atom.orbital_l(orbital);
  std::vector<double> bessel(static_cast<std::size_t>(l) + 1);
  double sum = 0;
  for (int n = 1; n * step_of_waves < largest; ++n) {
    const double g = n * step_of_waves;
    spherical_bessel(g * r, bessel);
    sum += g * g * bessel.back() * atom.orbital(orbital, g);
  }
  return step_of_waves * sum / (2.0 * units::pi * units::pi);
}

/// Forwards to another potential, and has a channel more for each shell.
class HubbardPotential final : public Pseudopotential {
 public:
  HubbardPotential(std::shared_ptr<const Pseudopotential> file, std::vector<HubbardShell> shells)
      : file_(std::move(file)), shells_(std::move(shells)) {
    int first = num_projectors_per_atom(*file_);
    for (HubbardShell& shell : shells_) {
      shell.first = first;
      first += shell.size();
      norms_.push_back(overlap_norm(*file_, shell.orbital));
    }
  }

  [[nodiscard]] const std::string& element() const override { return file_->element(); }
  [[nodiscard]] double valence_charge() const override { return file_->valence_charge(); }
  [[nodiscard]] const std::vector<double>& valence_occupation() const override { return file_->valence_occupation(); }
  [[nodiscard]] double local(double g) const override { return file_->local(g); }
  [[nodiscard]] double local_slope(double g) const override { return file_->local_slope(g); }
  [[nodiscard]] double local_core() const override { return file_->local_core(); }
  [[nodiscard]] double local_radial(double r) const override { return file_->local_radial(r); }
  [[nodiscard]] int num_channels() const override { return file_->num_channels() + static_cast<int>(shells_.size()); }
  [[nodiscard]] int channel_l(int c) const override { return is_shell(c) ? shell(c).l : file_->channel_l(c); }
  [[nodiscard]] int num_projectors(int c) const override { return is_shell(c) ? 1 : file_->num_projectors(c); }
  [[nodiscard]] double coupling(int c, int i, int j) const override {
    return is_shell(c) ? 0.0 : file_->coupling(c, i, j);
  }
  [[nodiscard]] bool has_spin_orbit() const override { return file_->has_spin_orbit(); }
  [[nodiscard]] double spin_orbit_coupling(int c, int i, int j) const override {
    return is_shell(c) ? 0.0 : file_->spin_orbit_coupling(c, i, j);
  }
  [[nodiscard]] double projector(int c, int i, double g) const override {
    return is_shell(c) ? file_->orbital(shell(c).orbital, g) / norm(c) : file_->projector(c, i, g);
  }
  [[nodiscard]] double projector_slope(int c, int i, double g) const override {
    return is_shell(c) ? file_->orbital_slope(shell(c).orbital, g) / norm(c) : file_->projector_slope(c, i, g);
  }
  [[nodiscard]] double projector_radial(int c, int i, double r) const override {
    return is_shell(c) ? orbital_radial(*file_, shell(c).orbital, r) / norm(c) : file_->projector_radial(c, i, r);
  }
  [[nodiscard]] bool has_core_density() const override { return file_->has_core_density(); }
  [[nodiscard]] double core_density(double g) const override { return file_->core_density(g); }
  [[nodiscard]] double core_density_slope(double g) const override { return file_->core_density_slope(g); }
  [[nodiscard]] int num_orbitals() const override { return file_->num_orbitals(); }
  [[nodiscard]] int orbital_l(int i) const override { return file_->orbital_l(i); }
  [[nodiscard]] std::string orbital_label(int i) const override { return file_->orbital_label(i); }
  [[nodiscard]] double orbital_electrons(int i) const override { return file_->orbital_electrons(i); }
  [[nodiscard]] double orbital(int i, double g) const override { return file_->orbital(i, g); }
  [[nodiscard]] double orbital_slope(int i, double g) const override { return file_->orbital_slope(i, g); }
  [[nodiscard]] const AugmentedDataset* augmented() const override { return file_->augmented(); }
  [[nodiscard]] std::span<const HubbardShell> hubbard() const override { return shells_; }
  [[nodiscard]] const Pseudopotential& without_hubbard() const override { return *file_; }

 private:
  [[nodiscard]] bool is_shell(int c) const { return c >= file_->num_channels(); }
  [[nodiscard]] std::size_t number(int c) const { return static_cast<std::size_t>(c - file_->num_channels()); }
  [[nodiscard]] const HubbardShell& shell(int c) const { return shells_[number(c)]; }
  [[nodiscard]] double norm(int c) const { return norms_[number(c)]; }

  std::shared_ptr<const Pseudopotential> file_;
  std::vector<HubbardShell> shells_;
  std::vector<double> norms_;
};

/// The shells that can be named, for messages.
std::string labels(const Pseudopotential& potential) {
  std::string names;
  for (int i = 0; i < potential.num_orbitals(); ++i)
    if (const std::string label = potential.orbital_label(i); !label.empty())
      names += (names.empty() ? "" : ", ") + label;
  return names;
}

int find_orbital(const Pseudopotential& potential, const std::string& shell) {
  for (int i = 0; i < potential.num_orbitals(); ++i)
    if (potential.orbital_label(i) == shell) return i;
  const std::string names = labels(potential);
  const std::string what = "DFT+U: the pseudopotential of " + potential.element();
  if (names.empty())
    throw bad_input(what + " holds no orbitals with names; valid: a UPF file with PP_PSWFC, or a PAW dataset");
  throw bad_input(what + " holds no shell " + in_quotes(shell) + "; valid: " + names);
}

HubbardShell shell_of(const Pseudopotential& potential, const HubbardSetting& setting, HubbardOrbitals orbitals) {
  HubbardShell shell{.setting = setting, .orbitals = orbitals};
  shell.orbital = find_orbital(potential, setting.shell);
  shell.l = potential.orbital_l(shell.orbital);
  shell.electrons = potential.orbital_electrons(shell.orbital);
  for (const std::vector<double>& initial : setting.initial)
    if (!initial.empty() && static_cast<int>(initial.size()) != shell.size())
      throw bad_input("DFT+U: " + std::to_string(initial.size()) + " initial occupations of the shell " +
                      setting.shell + " of " + potential.element() + "; valid: " + std::to_string(shell.size()) +
                      " of each spin");
  return shell;
}

/// <p_i|phi> of the radial projector i of a channel and an orbital of its l.
double overlap_with(const Pseudopotential& atom, int channel, int i, int orbital) {
  constexpr double largest = 60;
  double sum = 0;
  for (int n = 1; n * step_of_waves < largest; ++n) {
    const double g = n * step_of_waves;
    sum += g * g * atom.projector(channel, i, g) * atom.orbital(orbital, g);
  }
  return step_of_waves * sum / std::pow(2.0 * units::pi, 3);
}

}  // namespace

double overlap_norm(const Pseudopotential& atom, int orbital) {
  const Pseudopotential& file = atom.without_hubbard();
  const AugmentedDataset* const dataset = file.augmented();
  if (dataset == nullptr) return 1.0;
  std::size_t first = 0;
  double square = 1.0;
  for (int c = 0; c < file.num_channels(); first += static_cast<std::size_t>(file.num_projectors(c)), ++c) {
    if (file.channel_l(c) != file.orbital_l(orbital)) continue;
    std::vector<double> overlaps;
    for (int i = 0; i < file.num_projectors(c); ++i) overlaps.push_back(overlap_with(file, c, i, orbital));
    for (std::size_t i = 0; i < overlaps.size(); ++i)
      for (std::size_t j = 0; j < overlaps.size(); ++j)
        square += overlaps[i] * dataset->overlap(first + i, first + j) * overlaps[j];
  }
  if (!(square > 0))
    throw bad_input("DFT+U: the overlap of an orbital of " + atom.element() + " with itself is " + to_text(square) +
                    "; valid: a dataset whose orbitals have a positive one");
  return std::sqrt(square);
}

std::shared_ptr<const Pseudopotential> with_hubbard(std::shared_ptr<const Pseudopotential> potential,
                                                    const std::vector<HubbardSetting>& settings,
                                                    HubbardOrbitals orbitals) {
  std::vector<HubbardShell> shells;
  for (const HubbardSetting& setting : settings) shells.push_back(shell_of(*potential, setting, orbitals));
  std::ranges::sort(shells, {}, &HubbardShell::orbital);
  if (const auto twice = std::ranges::adjacent_find(shells, {}, &HubbardShell::orbital); twice != shells.end())
    throw bad_input("DFT+U: the shell " + twice->setting.shell + " of " + potential->element() +
                    " is there twice; valid: once");
  return std::make_shared<const HubbardPotential>(std::move(potential), std::move(shells));
}

bool has_hubbard(const Pseudopotentials& atoms) {
  return std::any_of(atoms.begin(), atoms.end(), [](const auto& atom) { return !atom->hubbard().empty(); });
}

bool has_combined_orbitals(const Pseudopotentials& atoms) {
  const bool overlaps =
      std::any_of(atoms.begin(), atoms.end(), [](const auto& atom) { return atom->augmented() != nullptr; });
  return std::any_of(atoms.begin(), atoms.end(), [&](const auto& atom) {
    const auto shells = atom->hubbard();
    return !shells.empty() && (overlaps || shells.front().orbitals == HubbardOrbitals::ortho_atomic);
  });
}

}  // namespace wavegrid
