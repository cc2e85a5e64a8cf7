#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>

#include <wavegrid/base/units.hpp>
#include <wavegrid/crystal/elements.hpp>
#include <wavegrid/pseudo/dataset_checks.hpp>
#include <wavegrid/pseudo/radial_quadrature.hpp>
#include <wavegrid/pseudo/upf_dataset.hpp>

namespace wavegrid {
namespace {

using Vector = std::vector<double>;

std::optional<double> positive_cutoff(double rydberg) {
  return rydberg > 0.0 ? std::optional(units::rydberg * rydberg) : std::nullopt;
}

/// r^2 Q_ij^L: the polynomial of L below its radius.
Vector function_of_l(const UpfAugmentation::Function& f, const UpfAugmentation& all, const Vector& r, int l) {
  Vector r2_q(f.r2_q);
  const auto index = static_cast<std::size_t>(l);
  if (all.num_coefficients == 0 || index >= all.inner_radius.size()) return r2_q;
  for (std::size_t i = 0; i < r2_q.size() && r[i] < all.inner_radius[index]; ++i) {
    double sum = 0.0;
    for (std::size_t k = all.num_coefficients; k-- > 0;)
      sum = sum * r[i] * r[i] + f.coefficients[index * all.num_coefficients + k];
    r2_q[i] = std::pow(r[i], l + 2) * sum;
  }
  return r2_q;
}

class UpfDatasetReader {
 public:
  UpfDatasetReader(const XmlElement& root, const UpfVersion& version, const UpfHeader& header, RadialData& data)
      : root_(root), version_(version), header_(header), data_(data), quadrature_(data.r) {}

  void read() {
    out_.r = data_.r;
    out_.generator = header_.generator;
    out_.fully_relativistic = header_.fully_relativistic;
    out_.wave_cutoff = positive_cutoff(header_.wave_cutoff);
    out_.density_cutoff = positive_cutoff(header_.density_cutoff);
    const XmlElement nonlocal = root_.require("PP_NONLOCAL");
    const UpfAugmentation augmentation = version_.augmentation(nonlocal, header_);
    num_points_ = augmentation.cutoff_index;
    read_projectors(nonlocal);
    out_.d0 = in_order(version_.couplings(nonlocal.require("PP_DIJ"), header_), 0);
    for (double& d : out_.d0) d *= units::rydberg;
    if (header_.paw) read_paw();
    make_augmentation(augmentation);
    read_atomic_density();
    data_.channels = channels_of(out_);
    DatasetChecks checks = check_dataset(out_, data_);
    checks.push_back(given_moments(augmentation));
    require_consistent(root_.file(), header_.line, checks, out_);
    data_.augmented = std::make_shared<const AugmentedDataset>(std::move(out_));
  }

 private:
  /// The projectors by l, and among those of one l as in the file.
  void read_projectors(const XmlElement& nonlocal) {
    std::vector<UpfProjector> found;
    for (std::size_t i = 0; i < header_.num_projectors; ++i) {
      found.push_back(version_.projector(nonlocal, i, header_));
      num_points_ = std::max(num_points_, found.back().num_points);
    }
    num_points_ = std::min(num_points_, header_.mesh);
    for (UpfProjector& p : found) p.r_beta.resize(std::min(p.r_beta.size(), num_points_));
    order_.resize(found.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return found[a].l < found[b].l; });
    place_.resize(found.size());
    for (std::size_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
    const Vector j = header_.fully_relativistic ? version_.total_momenta(root_, header_) : Vector(found.size(), 0.0);
    for (const std::size_t i : order_)
      out_.waves.push_back(
          {.l = found[i].l, .j = j[i], .label = found[i].label, .r_projector = std::move(found[i].r_beta)});
  }

  /// Matrix number `number` of those of the file, in the order of the waves.
  [[nodiscard]] Vector in_order(const Vector& matrices, std::size_t number) const {
    const std::size_t n = order_.size();
    Vector found;
    for (const std::size_t i : order_)
      for (const std::size_t j : order_) found.push_back(matrices[number * n * n + i * n + j]);
    return found;
  }

  void read_paw() {
    const XmlElement section = root_.require("PP_PAW"), waves = root_.require("PP_FULL_WFC");
    const auto function = [&](const XmlElement& element) { return element.numbers(header_.mesh); };
    PawData paw{.nuclear_charge = static_cast<double>(atomic_number(header_.element))};
    const Vector occupations = section.require("PP_OCCUPATIONS").numbers(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const std::string number = std::to_string(order_[i] + 1);
      out_.waves[i].occupation = std::max(0.0, occupations[order_[i]]);
      out_.waves[i].r_all_electron = function(waves.require("PP_AEWFC." + number));
      out_.waves[i].r_pseudo = function(waves.require("PP_PSWFC." + number));
      for (const char* name : {"PP_AEWFC_REL.", "PP_AEWFC_rel."})  // pw.x 6.7 reads and writes the second alone
        if (const auto small = waves.find(name + number)) out_.waves[i].r_small = function(*small);
    }
    paw.all_electron_core = function(section.require("PP_AE_NLCC"));
    paw.pseudo_core = data_.core;
    paw.has_core_xc = true;
    paw.r_ion_potential = function(section.require("PP_AE_VLOC"));
    for (std::size_t i = 0; i < paw.r_ion_potential.size(); ++i)
      paw.r_ion_potential[i] =
          out_.r[i] > 0.0 ? units::rydberg * out_.r[i] * paw.r_ion_potential[i] : -paw.nuclear_charge;
    if (section.has("core_energy")) paw.core_energy = units::rydberg * section.real("core_energy");
    paw.sphere_radius = paw.integration_radius = out_.r[num_points_ - 1];
    out_.paw = std::move(paw);
    cut_partial_waves(out_);
  }

  /// The moments are integrals of the functions, not the numbers of the file, so that the norm S and the charge agree.
  void make_augmentation(const UpfAugmentation& from) {
    const std::size_t n = order_.size();
    out_.q.assign(n * n, 0.0);
    for (const UpfAugmentation::Function& f : from.functions) {
      const auto [i, j] = std::minmax(place_[f.i], place_[f.j]);
      const int a = out_.waves[i].l, b = out_.waves[j].l;
      for (int l = std::abs(a - b); l <= a + b; l += 2) {
        if (f.l != UpfAugmentation::every_l && f.l != l) continue;
        AugmentationFunction q{i, j, l, 0.0, function_of_l(f, from, out_.r, l)};
        q.r2_q.resize(std::min(q.r2_q.size(), num_points_));
        q.moment = quadrature_.moment(q.r2_q, l);
        if (l == 0) out_.q[i * n + j] = out_.q[j * n + i] = q.moment;
        out_.augmentation.push_back(std::move(q));
      }
    }
    std::sort(out_.augmentation.begin(), out_.augmentation.end(),
              [](const auto& a, const auto& b) { return std::tie(a.i, a.j, a.l) < std::tie(b.i, b.j, b.l); });
  }

  /// PP_Q, and PP_MULTIPOLES of PAW, against the integrals.
  [[nodiscard]] DatasetCheck given_moments(const UpfAugmentation& from) const {
    const std::size_t n = order_.size(), count = from.multipoles.size() / (n * n);
    double largest = 0.0;
    for (const AugmentationFunction& q : out_.augmentation) {
      const auto l = static_cast<std::size_t>(q.l);
      if ((l > 0 && l >= count) || out_.waves[q.i].j != out_.waves[q.j].j) continue;  // files have 0 between two j
      const double given = in_order(l < count ? from.multipoles : from.integrals, l < count ? l : 0)[q.i * n + q.j];
      largest = std::max(largest, std::abs(given - q.moment) / std::max(1.0, std::abs(given)));
    }
    return {"q_ij of the file and the integrals of Q_ij differ by", largest, 1e-5, 1e-2};
  }

  void read_atomic_density() {
    const auto given = root_.find("PP_RHOATOM");
    if (!given) return;
    Vector density = given->numbers(header_.mesh);
    for (std::size_t i = 0; i < density.size(); ++i)
      if (out_.r[i] > 0.0) density[i] /= 4.0 * units::pi * out_.r[i] * out_.r[i];
    if (out_.r[0] == 0.0) density[0] = density[1];
    out_.atomic_density = std::move(density);
  }

  const XmlElement& root_;
  const UpfVersion& version_;
  const UpfHeader& header_;
  RadialData& data_;
  RadialQuadrature quadrature_;
  AugmentedDataset out_;
  std::vector<std::size_t> order_, place_;  // file's number of a wave, and wave of a number in the file
  std::size_t num_points_ = 1;              // up to which projectors and Q_ij reach
};

}  // namespace

void read_upf_dataset(const XmlElement& root, const UpfVersion& version, const UpfHeader& header, RadialData& data) {
  const auto falls = std::adjacent_find(data.r.begin(), data.r.end(), std::greater_equal<>{});
  if (data.r.size() < 16 || data.r.front() < 0.0 || falls != data.r.end())
    root.require("PP_MESH").fail("the radial mesh has less than 16 points, or does not rise from 0 on");
  if (header.num_projectors == 0)
    root.require("PP_HEADER").fail("an ultrasoft or PAW dataset without projectors; valid are 1 or more");
  UpfDatasetReader(root, version, header, data).read();
}

}  // namespace wavegrid
