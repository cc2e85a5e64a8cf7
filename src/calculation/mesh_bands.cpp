#include "calculation/mesh_bands.hpp"

#include <utility>

#include "eigen/orthonormalise.hpp"

namespace wavegrid {

template <class S>
void MeshBands<S>::set_geometry(MeshSpace& space, const Problem& problem, Profile* profile, Eigensolver eigensolver) {
  earlier_applications_ = applications();
  const auto before = std::exchange(bands_, {});
  const MeshSetting setting{space.mesh, space.laplacian, profile};
  for (std::size_t k = 0; k < problem.kpoints.size(); ++k) {
    const Vec3& point = problem.kpoints[k].k;
    const auto projectors = std::make_shared<const MeshProjectors<S>>(
        space.mesh, point, problem.crystal, problem.pseudopotentials, space.fields.box().largest_g());
    for (int spin = 0; spin < problem.spins; ++spin) {
      bands_.push_back(
          std::make_unique<MeshKPointBands<S>>(setting, point, projectors, static_cast<int>(k), spin, eigensolver));
      if (before.empty()) continue;
      MeshKPointBands<S>& earlier = *before[bands_.size() - 1];
      bands_.back()->set(std::move(earlier.state.x));
      bands_.back()->history = std::move(earlier.history);
    }
  }
}

template <class S>
void MeshBands<S>::transfer(MeshTransfer& transfer) {
  for (auto& one : bands_) {
    one->state.x = transfer(one->state.x);
    one->history.transfer([&](const Bands<S>& bands) { return transfer(bands); });
  }
}

template <class S>
void MeshBands<S>::extrapolate(const Crystal& now, const MeshHistory& history) {
  for (auto& one : bands_) {
    Bands<S> x = std::move(one->state.x);
    one->history.extrapolate(one->h.product(), history.weights(now, one->history.count()), x);
    one->set(orthonormal_part(one->h.product(), std::move(x)));
  }
}

template <class S>
void MeshBands<S>::clear() {
  earlier_applications_ = applications();
  bands_.clear();
}

template <class S>
BandList<S> MeshBands<S>::list() const {
  BandList<S> list;
  for (const auto& one : bands_) list.push_back(one.get());
  return list;
}

template <class S>
Index MeshBands<S>::applications() const {
  Index sum = earlier_applications_;
  for (const auto& one : bands_) sum += one->h.applications();
  return sum;
}

template class MeshBands<double>;
template class MeshBands<std::complex<double>>;

}  // namespace wavegrid
