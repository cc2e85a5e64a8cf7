#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <span>
#include <string>
#include <utility>

#include <wavegrid/basis/harmonic_rotation.hpp>
#include <wavegrid/calculation/projections.hpp>
#include <wavegrid/crystal/find_space_group.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/terms/total_momentum.hpp>

namespace wavegrid {

namespace {

constexpr double dependent = 1e-10;  ///< of the largest eigenvalue of S: orbitals combined so are left out

/// The angular momentum of each orbital of a species: from the file, or of the solved atom.
std::vector<int> momenta_of(const Pseudopotential& potential) {
  std::vector<int> l;
  for (int i = 0; i < potential.num_orbitals(); ++i) l.push_back(potential.orbital_l(i));
  return l;
}
std::vector<int> momenta_of(const PseudoAtom& atom) {
  std::vector<int> l;
  for (const PseudoAtom::Orbital& orbital : atom.orbitals) l.push_back(orbital.l);
  return l;
}

/// An empty p level, which metals need, would take the electrons of the neighbours of hydrogen.
void drop_empty_levels(const std::string& element, PseudoAtom& atom) {
  if (element != "H" && element != "He") return;
  std::erase_if(atom.orbitals, [](const PseudoAtom::Orbital& orbital) { return orbital.occupation == 0; });
}

/// S^(-1/2) times the overlaps (functions, bands) of the functions with bands.
template <class D>
Matrix<D> orthonormalised(Matrix<D> s, const Matrix<D>& overlaps) {
  const Index n = s.rows(), bands = overlaps.columns();
  std::vector<double> values(static_cast<std::size_t>(n));
  Matrix<D> vectors(n, n), inner(n, bands), result(n, bands);
  lapack::eigen<D>(n, s.data(), n, n, values.data(), vectors.data(), n);
  lapack::gemm<D>('C', 'N', n, bands, n, D(1), vectors.data(), n, overlaps.data(), n, D(0), inner.data(), n);
  for (Index i = 0; i < n; ++i) {
    const double value = values[static_cast<std::size_t>(i)];
    const double factor = value > dependent * values.back() ? 1 / std::sqrt(value) : 0.0;
    for (Index band = 0; band < bands; ++band) inner(i, band) *= factor;
  }
  lapack::gemm<D>('N', 'N', n, bands, n, D(1), vectors.data(), n, inner.data(), n, D(0), result.data(), n);
  return result;
}

/// The functions with spin up, then with spin down, as spinors.
template <class S>
Bands<S> with_spins(BandView<const S> functions) {
  Bands<S> spinors(2 * functions.rows, 2 * functions.count);
  for (Index spin = 0; spin < 2; ++spin)
    for (Index i = 0; i < functions.count; ++i)
      std::copy_n(functions.band(i), functions.rows,
                  spinors.view().band(spin * functions.count + i) + spin * functions.rows);
  return spinors;
}

/// Overlaps (functions, components of bands) from those of functions with spin up, then with spin down (both, bands).
template <class D>
Matrix<D> by_components(const Matrix<D>& overlaps) {
  const Index functions = overlaps.rows() / 2;
  Matrix<D> result(functions, 2 * overlaps.columns());
  for (Index band = 0; band < overlaps.columns(); ++band)
    for (Index spin = 0; spin < 2; ++spin)
      std::copy_n(&overlaps(spin * functions, band), functions, &result(0, 2 * band + spin));
  return result;
}

/// Adds the channels of an atom's l: those of each j, or of each of its m_j.
void append_total_momenta(int atom, int l, bool by_m, std::vector<OrbitalChannel>& channels) {
  for (const TotalMomentum& state : total_momenta(l)) {
    const int m = (state.twice_j + state.twice_m) / 2;
    if (by_m || m == 0) channels.push_back({atom, l, by_m ? m : -1, state.twice_j});
  }
}

/// The number of a state among these channels.
std::size_t momentum_channel(int l, const TotalMomentum& state, bool by_m) {
  const bool is_second = state.twice_j == 2 * l + 1;
  if (!by_m) return is_second && l > 0 ? 1 : 0;
  return static_cast<std::size_t>((is_second ? 2 * l : 0) + (state.twice_j + state.twice_m) / 2);
}

/// The amplitudes of a shell's harmonics with spin up, then down, that an operation makes of those of a band.
template <class D>
std::vector<std::complex<double>> turned(const Matrix<double>& d, const SpinorMatrix& u, const Matrix<D>& overlaps,
                                         Index first, Index band) {
  const Index n = d.rows();
  std::vector<std::complex<double>> found(static_cast<std::size_t>(2 * n));
  for (Index m = 0; m < n; ++m) {
    std::complex<double> up = 0, down = 0;
    for (Index k = 0; k < n; ++k) {
      up += d(m, k) * std::complex<double>(overlaps(first + k, 2 * band));
      down += d(m, k) * std::complex<double>(overlaps(first + k, 2 * band + 1));
    }
    found[static_cast<std::size_t>(m)] = u[0] * up + u[1] * down;
    found[static_cast<std::size_t>(n + m)] = u[2] * up + u[3] * down;
  }
  return found;
}

/// |<column|amplitudes>|^2 of each column.
std::vector<double> squared_amplitudes(const Matrix<std::complex<double>>& columns,
                                       const std::vector<std::complex<double>>& amplitudes) {
  std::vector<double> found;
  for (Index i = 0; i < columns.columns(); ++i) {
    std::complex<double> sum = 0;
    for (Index a = 0; a < columns.rows(); ++a)
      sum += std::conj(columns(a, i)) * amplitudes[static_cast<std::size_t>(a)];
    found.push_back(std::norm(sum));
  }
  return found;
}

}  // namespace

BandProjector::BandProjector(const Problem& problem, std::vector<PseudoAtom> atoms, bool from_files)
    : problem_(problem), from_files_(from_files), atoms_(std::move(atoms)) {
  for (std::size_t s = 0; s < atoms_.size(); ++s) drop_empty_levels(problem.pseudopotentials[s]->element(), atoms_[s]);
  if (problem.projections_by_j)
    for (int l = 0; l <= highest_l; ++l) momentum_states_.push_back(total_momentum_states(l));
  make_channels();
}

void BandProjector::make_channels() {
  const Crystal& crystal = problem_.crystal;
  using OfL = std::array<std::size_t, highest_l + 1>;
  std::vector<std::vector<int>> momenta;  // of each species
  for (std::size_t s = 0; s < atoms_.size(); ++s)
    momenta.push_back(takes_file_of(static_cast<int>(s)) ? momenta_of(*problem_.pseudopotentials[s])
                                                         : momenta_of(atoms_[s]));
  std::vector<OfL> channel_of;  // of each atom and l
  for (int a = 0; a < crystal.num_atoms(); ++a) {
    const auto& species_momenta = momenta[static_cast<std::size_t>(crystal.atoms[static_cast<std::size_t>(a)].species)];
    OfL& atom_channels = channel_of.emplace_back();
    for (int l = 0; l <= highest_l; ++l) {
      if (std::find(species_momenta.begin(), species_momenta.end(), l) == species_momenta.end()) continue;
      atom_channels[static_cast<std::size_t>(l)] = channels_.size();
      if (problem_.projections_by_j)
        append_total_momenta(a, l, problem_.projections_by_m, channels_);
      else if (problem_.projections_by_m)
        for (int m = 0; m <= 2 * l; ++m) channels_.push_back({a, l, m});
      else
        channels_.push_back({a, l});
    }
  }
  const bool counts_harmonics = problem_.projections_by_m && !problem_.projections_by_j;
  for (int species = 0; species < crystal.num_species(); ++species)
    for (std::size_t a = 0; a < crystal.atoms.size(); ++a) {
      if (crystal.atoms[a].species != species) continue;
      for (const int l : momenta[static_cast<std::size_t>(species)]) {
        shells_.push_back({static_cast<int>(a), l, static_cast<Index>(function_channel_.size())});
        for (int m = 0; m <= 2 * l; ++m)
          function_channel_.push_back(channel_of[a][static_cast<std::size_t>(l)] +
                                      static_cast<std::size_t>(counts_harmonics ? m : 0));
      }
    }
  if (problem_.projections_by_m || problem_.projections_by_j) return make_rotations();
  for (const SymmetryOperation& operation : problem_.symmetry.operations()) {
    std::vector<std::size_t>& images = images_.emplace_back();
    const std::vector<AtomImage> operation_images = atom_images(crystal, operation);
    for (const OrbitalChannel& channel : channels_) {
      const auto image = static_cast<std::size_t>(operation_images[static_cast<std::size_t>(channel.atom)].atom);
      images.push_back(channel_of[image][static_cast<std::size_t>(channel.l)]);
    }
  }
}

void BandProjector::make_rotations() {
  const Crystal& crystal = problem_.crystal;
  for (const SymmetryOperation& operation : problem_.symmetry.operations()) {
    Image& image = rotated_images_.emplace_back();
    for (const AtomImage& one : atom_images(crystal, operation))
      image.atoms.push_back(static_cast<std::size_t>(one.atom));
    const Mat3 turn = cartesian_rotation(operation.rotation, crystal.lattice.vectors());
    for (int l = 0; l <= highest_l; ++l) image.rotations.push_back(harmonic_rotation(turn, l));
    image.spin = spinor_rotation(turn);
    image.time_reversed = operation.time_reversed;
  }
}

bool BandProjector::takes_file_of(int species) const {
  return from_files_ && problem_.pseudopotentials[static_cast<std::size_t>(species)]->num_orbitals() > 0;
}

template <class S>
void BandProjector::add(KohnShamBands<S>& of, BandView<const S> functions) {
  const InnerProduct& product = of.op.product();
  const BandView<const S> bands = std::as_const(of.state.x).view().slice(0, problem_.bands);
  if (of.op.has_overlap() && problem_.spinors) {  // S acts on spins
    const Bands<S> spinors = with_spins(functions);
    Bands<S> image(2 * functions.rows, spinors.count());
    of.op.apply_overlap(spinors.view(), image.view());
    const BandView<const S> dual = std::as_const(image).view();
    found_.push_back({of.k, of.spin,
                      channel_weights(by_components(orthonormalised<S>(overlap<S>(product, dual, spinors.view()),
                                                                       overlap<S>(product, dual, bands))))});
    return;
  }
  const BandView<const S> states = bands.split(problem_.components());
  Bands<S> image;  // S times the functions
  BandView<const S> dual = functions;
  if (of.op.has_overlap()) {
    image = Bands<S>(functions.rows, functions.count);
    of.op.apply_overlap(functions, image.view());
    dual = std::as_const(image).view();
  }
  found_.push_back(
      {of.k, of.spin,
       channel_weights(orthonormalised<S>(overlap<S>(product, dual, functions), overlap<S>(product, dual, states)))});
}

template <class D>
std::vector<double> BandProjector::channel_weights(const Matrix<D>& overlaps) const {
  std::vector<double> weights;
  const int components = problem_.components();
  for (Index band = 0; band < overlaps.columns() / components; ++band) {
    if (problem_.projections_by_m || problem_.projections_by_j) {
      const std::vector<double> average =
          problem_.projections_by_j ? momentum_weights(overlaps, band) : star_average(overlaps, band);
      weights.insert(weights.end(), average.begin(), average.end());
      continue;
    }
    std::vector<double> band_weights(channels_.size(), 0.0);
    for (int s = 0; s < components; ++s)
      for (Index i = 0; i < overlaps.rows(); ++i)
        band_weights[function_channel_[static_cast<std::size_t>(i)]] += std::norm(overlaps(i, band * components + s));
    band_weights = star_average(band_weights);
    weights.insert(weights.end(), band_weights.begin(), band_weights.end());
  }
  return weights;
}

std::vector<double> BandProjector::star_average(const std::vector<double>& weights) const {
  std::vector<double> average(weights.size(), 0.0);
  for (const std::vector<std::size_t>& images : images_)
    for (std::size_t channel = 0; channel < weights.size(); ++channel)
      average[images[channel]] += weights[channel] / static_cast<double>(images_.size());
  return average;
}

template <class D>
std::vector<double> BandProjector::star_average(const Matrix<D>& overlaps, Index band) const {
  std::vector<double> average(channels_.size(), 0.0);
  for (const Image& image : rotated_images_)
    for (const Shell& shell : shells_) {
      const Matrix<double>& d = image.rotations[static_cast<std::size_t>(shell.l)];
      const std::size_t channel = first_channel(image.atoms[static_cast<std::size_t>(shell.atom)], shell.l);
      for (Index m = 0; m < d.rows(); ++m) {
        D sum{};
        for (Index k = 0; k < d.rows(); ++k) sum += d(m, k) * overlaps(shell.first + k, band);
        average[channel + static_cast<std::size_t>(m)] += std::norm(sum) / static_cast<double>(rotated_images_.size());
      }
    }
  return average;
}

std::size_t BandProjector::first_channel(std::size_t atom, int l) const {
  const auto found = std::ranges::find_if(
      channels_, [&](const OrbitalChannel& one) { return one.atom == static_cast<int>(atom) && one.l == l; });
  return static_cast<std::size_t>(found - channels_.begin());
}

template <class D>
std::vector<double> BandProjector::momentum_weights(const Matrix<D>& overlaps, Index band) const {
  std::vector<double> average(channels_.size(), 0.0);
  const double share = 1.0 / static_cast<double>(rotated_images_.size());
  for (const Image& image : rotated_images_)
    for (const Shell& shell : shells_) {
      const auto l = static_cast<std::size_t>(shell.l);
      const std::vector<TotalMomentum> states = total_momenta(shell.l);
      const std::vector<double> weights =
          squared_amplitudes(momentum_states_[l], turned(image.rotations[l], image.spin, overlaps, shell.first, band));
      const std::size_t first = first_channel(image.atoms[static_cast<std::size_t>(shell.atom)], shell.l);
      for (std::size_t i = 0; i < states.size(); ++i) {
        const auto add = [&](int twice_m, double weight) {
          average[first + momentum_channel(shell.l, {states[i].twice_j, twice_m}, problem_.projections_by_m)] += weight;
        };
        const double weight = share * weights[i];
        const bool both = !problem_.symmetry.is_magnetic() && !problem_.has_vector_magnetisation();
        if (both || !image.time_reversed) add(states[i].twice_m, both ? 0.5 * weight : weight);
        if (both || image.time_reversed) add(-states[i].twice_m, both ? 0.5 * weight : weight);
      }
    }
  return average;
}

Projections BandProjector::gather(const ProcessGroups& groups, const StateTable& table) const {
  const std::size_t channels = channels_.size();
  Projections all{channels_, std::vector<double>(static_cast<std::size_t>(table.size()) * channels, 0.0), {}};
  if (groups.kpoint_group().rank() == 0)
    for (const Projected& one : found_)
      std::copy(one.weights.begin(), one.weights.end(),
                all.weights.begin() +
                    static_cast<std::ptrdiff_t>(static_cast<std::size_t>(table.first(one.k, one.spin)) * channels));
  groups.world().merge(std::span<double>(all.weights));
  for (int s = 0; s < problem_.crystal.num_species(); ++s) all.from_file.push_back(takes_file_of(s));
  return all;
}

template void BandProjector::add(KohnShamBands<double>&, BandView<const double>);
template void BandProjector::add(KohnShamBands<std::complex<double>>&, BandView<const std::complex<double>>);

}  // namespace wavegrid
