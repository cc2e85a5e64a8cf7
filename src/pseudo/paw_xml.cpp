// PAW XML: <paw_dataset> of ABINIT and atompaw, <paw_setup> of GPAW; https://gpaw.readthedocs.io/setups/pawxml.html.
// Hartree and bohr; partial waves and projectors without a factor r; densities and potentials are the coefficients of
// Y_00 = 1/sqrt(4 pi).
//
// Left out: exact-exchange matrices, which hybrids need; kinetic-energy densities of the core, which meta-GGAs need;
// the potential of LDA-1/2, which belongs to another functional; GPAW's responses of GLLB. The energies that they would
// add are not those of the functional for which the dataset is used here.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <wavegrid/base/printable.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/crystal/elements.hpp>
#include <wavegrid/pseudo/bare_couplings.hpp>
#include <wavegrid/pseudo/dataset_checks.hpp>
#include <wavegrid/pseudo/functional_names.hpp>
#include <wavegrid/pseudo/paw_xml_mesh.hpp>
#include <wavegrid/pseudo/paw_xml_shape.hpp>
#include <wavegrid/pseudo/radial_quadrature.hpp>
#include <wavegrid/pseudo/readers.hpp>
#include <wavegrid/pseudo/xml_element.hpp>

namespace wavegrid {
namespace {

using Vector = std::vector<double>;

constexpr std::size_t largest_xml_l = 3, most_states = 32;
const double y00 = 0.5 / std::sqrt(units::pi);

class PawXmlReader {
 public:
  PawXmlReader(const TextFile& file, const XmlElement& dataset)
      : file_(file), dataset_(dataset), meshes_(dataset), quadrature_(meshes_.r()) {}

  RadialFile read() {
    read_header();
    read_waves();
    read_core();
    read_shape();
    make_augmentation();
    read_local();
    read_atomic_density();
    out_.paw->kinetic_differences = permuted(dataset_.require("kinetic_energy_differences").numbers(size() * size()));
    out_.d0 = bare_couplings(quadrature_, out_, local_on_mesh());
    return finish();
  }

 private:
  void read_header() {
    const XmlElement atom = dataset_.require("atom");
    if (dataset_.find("core_states") && !dataset_.find("valence_states"))
      dataset_.fail("this file has the wave functions of the core alone; valid are datasets with valence states");
    data_.element = atom.attribute("symbol");
    out_.paw.emplace();
    out_.paw->nuclear_charge = atom.real("Z");
    num_core_ = atom.real("core");
    const double valence = atom.real("valence");
    if (std::abs(out_.paw->nuclear_charge - atomic_number(data_.element)) > 1e-6)
      atom.fail("Z of " + data_.element + " is " + to_text(out_.paw->nuclear_charge) + "; valid is " +
                std::to_string(atomic_number(data_.element)));
    if (std::abs(num_core_ + valence - out_.paw->nuclear_charge) > 1e-6 ||
        std::abs(valence - std::round(valence)) > 1e-6)
      atom.fail("core and valence are " + to_text(num_core_) + " and " + to_text(valence) +
                " electrons; valid are whole numbers whose sum is Z");
    data_.charge = static_cast<int>(std::lround(valence));
    functional_ = paw_xml_functional(dataset_.require("xc_functional").attribute("name"));
    if (const auto generator = dataset_.find("generator"); generator && generator->has("name"))
      out_.generator = generator->attribute("name");
    if (const auto energy = dataset_.find("ae_energy")) out_.paw->total_energy = energy->real("total");
    if (const auto energy = dataset_.find("core_energy")) out_.paw->core_kinetic_energy = energy->real("kinetic");
    if (const auto cutoff = dataset_.find("pw_ecut")) out_.wave_cutoff = cutoff->real("medium");
    if (out_.wave_cutoff && !(*out_.wave_cutoff > 0.0)) out_.wave_cutoff.reset();
  }

  /// The states in the order of `waves`: by l, and as in the file.
  void read_waves() {
    const XmlElement states = dataset_.require("valence_states");
    const std::size_t count = states.children("state");
    if (count < 1 || count > most_states)
      states.fail("<valence_states> has " + std::to_string(count) + " states; valid are 1 to " +
                  std::to_string(most_states));
    order_.resize(count);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const auto l_of = [&](std::size_t i) { return states.require("state", i).count("l", largest_xml_l); };
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return l_of(a) < l_of(b); });
    for (const std::size_t i : order_) read_wave(states.require("state", i), std::to_string(i + 1));
    out_.r = meshes_.r();
    if (const auto radius = dataset_.find("paw_radius"))
      out_.paw->sphere_radius = std::max(out_.paw->sphere_radius, radius->real("rc"));
    if (!(out_.paw->sphere_radius > 0.0 && out_.paw->sphere_radius < out_.r.back()))
      states.fail("the largest radius of the states is " + to_text(out_.paw->sphere_radius) +
                  " bohr; valid are positive ones within the radial grid");
  }

  /// Files that were converted from ABINIT's own format refer to a state by its number.
  void read_wave(const XmlElement& state, const std::string& number) {
    PartialWave wave{.l = static_cast<int>(state.count("l", largest_xml_l)), .label = state.attribute("id")};
    if (const double n = state.has("n") ? state.real("n") : 0.0; n >= 1 && n <= 9)
      wave.shell = std::to_string(static_cast<int>(n)) + "spdf"[wave.l];
    if (state.has("f")) wave.occupation = state.real("f");
    if (state.has("e")) wave.energy = state.real("e");
    if (state.has("rc")) out_.paw->sphere_radius = std::max(out_.paw->sphere_radius, state.real("rc"));
    wave.r_projector = times_r(wave_function("projector_function", wave, number));
    wave.r_all_electron = times_r(wave_function("ae_partial_wave", wave, number));
    wave.r_pseudo = times_r(wave_function("pseudo_partial_wave", wave, number));
    out_.waves.push_back(std::move(wave));
  }

  [[nodiscard]] Vector wave_function(const std::string& name, const PartialWave& wave,
                                     const std::string& number) const {
    for (std::size_t i = 0; i < dataset_.children(name); ++i) {
      const XmlElement element = dataset_.require(name, i);
      if (const std::string state = element.attribute("state"); state == wave.label || state == number)
        return meshes_.function(element, 1.0, wave.l);
    }
    dataset_.fail("there is no <" + name + "> of the state " + in_quotes(wave.label));
  }

  [[nodiscard]] Vector times_r(Vector f) const {
    for (std::size_t i = 0; i < f.size(); ++i) f[i] *= meshes_.r()[i];
    return f;
  }

  [[nodiscard]] Vector spherical(const XmlElement& element) const { return meshes_.function(element, y00, 0); }

  void read_core() {
    out_.paw->all_electron_core = spherical(dataset_.require("ae_core_density"));
    out_.paw->r_ion_potential = r_ion_potential(quadrature_, out_.paw->nuclear_charge, out_.paw->all_electron_core);
    data_.core = out_.paw->pseudo_core = spherical(dataset_.require("pseudo_core_density"));
  }

  void read_shape() {
    out_.paw->shape = read_paw_xml_shapes(dataset_, meshes_, quadrature_, 2 * out_.largest_l());
    out_.paw->integration_radius = (out_.paw->shape->has_tail() ? 2.0 : 1.0) * out_.paw->sphere_radius;
  }

  /// Q_ij^L = q_ij^L g_L, where q_ij^L is the moment of phi_i phi_j - phi~_i phi~_j.
  void make_augmentation() {
    out_.q.assign(size() * size(), 0.0);
    for (std::size_t i = 0; i < size(); ++i)
      for (std::size_t j = i; j < size(); ++j) {
        const int a = out_.waves[i].l, b = out_.waves[j].l;
        for (int l = std::abs(a - b); l <= a + b; l += 2) {
          AugmentationFunction f{i, j, l, wave_moment(quadrature_, out_, i, j, l), {}};
          for (const double g : out_.paw->shape->r2_g[static_cast<std::size_t>(l)]) f.r2_q.push_back(f.moment * g);
          if (l == 0) out_.q[i * size() + j] = out_.q[j * size() + i] = f.moment;
          out_.augmentation.push_back(std::move(f));
        }
      }
  }

  /// The local potential whose convention of xc is ABINIT's default: Bloechl's where the file has it, then that of
  /// Kresse and Joubert, then GPAW's zero potential, which is Bloechl's.
  void read_local() {
    const auto bloechl = dataset_.find("blochl_local_ionic_potential");
    auto kresse = dataset_.find("kresse_joubert_local_ionic_potential");
    if (!kresse) kresse = dataset_.find("kresse_joubert_local_ionic_pseudopotential");
    const auto zero = dataset_.find("zero_potential");
    if (!bloechl && !kresse && !zero) (void)dataset_.require("zero_potential");
    out_.compensation_in_xc = bloechl || !kresse ? CompensationInXc::excluded : CompensationInXc::included;
    if (zero)
      from_zero_ = local_potential(quadrature_, spherical(*zero), data_.core, out_.paw->shape->r2_g[0], num_core_,
                                   out_.paw->nuclear_charge);
    data_.local = bloechl ? spherical(*bloechl) : kresse ? spherical(*kresse) : from_zero_;
    correct_charge();
  }

  /// Local potentials of JTH end as -(Z + 1e-7)/r, by the digits of the constants of their generator. As r^2 amplifies
  /// it, such a tail is worth 1e-6 Ha in a crystal, more or less by where it is cut.
  void correct_charge() {
    constexpr double rounding = 1e-6;
    const double charge = -out_.r[data_.local.size() - 1] * data_.local.back();
    if (std::abs(charge / data_.charge - 1.0) < rounding)
      for (double& value : data_.local) value *= data_.charge / charge;
  }

  /// V_loc on the whole mesh: -valence/r beyond its end.
  [[nodiscard]] Vector local_on_mesh() const {
    Vector local(data_.local);
    for (std::size_t i = local.size(); i < out_.r.size(); ++i) local.push_back(-data_.charge / out_.r[i]);
    return local;
  }

  /// n~_v of the file and its compensation charge.
  void read_atomic_density() {
    const auto given = dataset_.find("pseudo_valence_density");
    if (!given) return;
    Vector density = spherical(*given);
    const double missing = data_.charge - 4.0 * units::pi * quadrature_.integrate(times_r(times_r(density)));
    density.resize(out_.r.size(), 0.0);
    const Vector& r2_g = out_.paw->shape->r2_g[0];
    for (std::size_t i = 0; i < r2_g.size(); ++i)
      if (out_.r[i] > 0.0) density[i] += missing * r2_g[i] / (4.0 * units::pi * out_.r[i] * out_.r[i]);
    if (out_.r[0] == 0.0) density[0] = density[1];
    out_.atomic_density = std::move(density);
  }

  /// A matrix of the file in the order of `waves`.
  [[nodiscard]] Vector permuted(const Vector& matrix) const {
    Vector found;
    for (const std::size_t i : order_)
      for (const std::size_t j : order_) found.push_back(matrix[i * size() + j]);
    return found;
  }

  RadialFile finish() {
    data_.r = out_.r;
    data_.channels = channels_of(out_);
    for (auto& channel : data_.channels) channel.outer_end = OuterEnd::first_zero;
    data_.occupation.assign(static_cast<std::size_t>(out_.largest_l()) + 1, 0.0);
    for (const PartialWave& wave : out_.waves) data_.occupation[static_cast<std::size_t>(wave.l)] += wave.occupation;
    for (const PartialWave& wave : out_.waves)
      if (wave.occupation > 0.0 && reaches_far(wave.r_pseudo))
        data_.orbitals.push_back({wave.l, wave.r_pseudo, wave.shell, wave.occupation});
    cut_partial_waves(out_);
    DatasetChecks checks = check_dataset(out_, data_);
    if (!from_zero_.empty() && out_.compensation_in_xc == CompensationInXc::excluded)
      checks.push_back(local_potentials_agree());
    require_consistent(file_, dataset_.line(), checks, out_);
    data_.augmented = std::make_shared<const AugmentedDataset>(std::move(out_));
    return {std::move(data_), "PAW XML", functional_, dataset_.line()};
  }

  /// The largest difference in the sphere between the local potential and that of the zero potential.
  [[nodiscard]] DatasetCheck local_potentials_agree() const {
    double largest = 0.0;
    for (std::size_t i = 1; i < data_.local.size() && out_.r[i] < out_.paw->sphere_radius; ++i)
      largest = std::max(largest, std::abs(data_.local[i] - from_zero_[i]) * std::min(out_.r[i], 1.0));
    return {"the local ionic potential and that of the zero potential differ by", largest, 1e-4, 1e-1, "Ha"};
  }

  /// A wave that is not cut at the sphere serves as an orbital.
  [[nodiscard]] static bool reaches_far(const Vector& wave) {
    double largest = 0.0;
    for (const double value : wave) largest = std::max(largest, std::abs(value));
    return std::abs(wave.back()) < 1e-3 * largest;
  }

  [[nodiscard]] std::size_t size() const { return out_.size(); }

  const TextFile& file_;
  XmlElement dataset_;
  PawXmlMeshes meshes_;
  RadialQuadrature quadrature_;
  RadialData data_;
  AugmentedDataset out_;
  std::string functional_;
  double num_core_ = 0.0;
  Vector from_zero_;
  std::vector<std::size_t> order_;  // of the states of the file
};

}  // namespace

bool looks_like_paw_xml(const TextFile& file) {
  const std::string_view head = file.text().substr(0, 8192);
  return head.find("<paw_dataset") != std::string_view::npos || head.find("<paw_setup") != std::string_view::npos;
}

RadialFile read_paw_xml(const TextFile& file) {
  const XmlDocument document(file);
  const XmlElement root = document.root();
  const auto dataset = root.find("paw_dataset");
  return PawXmlReader(file, dataset ? *dataset : root.require("paw_setup")).read();
}

}  // namespace wavegrid
