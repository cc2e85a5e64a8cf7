#include "calculation/mesh_bands.hpp"

#include <utility>

#include "eigen/orthonormalise.hpp"
#include "layout/block_layout.hpp"

namespace wavegrid {

template <class S>
void MeshBands<S>::set_geometry(MeshSpace& space, const Problem& problem, Profile* profile, Eigensolver eigensolver) {
  earlier_applications_ = applications();
  const auto before = std::exchange(bands_, {});
  const Index sets = static_cast<Index>(problem.kpoints.size()) * problem.spins;
  const Range mine = BlockLayout(sets, groups_.counts().kpoint_groups).range(groups_.my_kpoint_group());
  groups_.world().together([&] {  // one k-point group may fail
    std::shared_ptr<const MeshProjectors<S>> projectors;
    for (Index i = mine.begin; i < mine.end; ++i) {
      const int k = static_cast<int>(i / problem.spins), spin = static_cast<int>(i % problem.spins);
      const Vec3& point = problem.kpoints[static_cast<std::size_t>(k)].k;
      if (i == mine.begin || spin == 0)
        projectors = std::make_shared<const MeshProjectors<S>>(
            space.of_operators(), point, problem.crystal, problem.pseudopotentials, space.fields.box().largest_g());
      bands_.push_back(std::make_unique<MeshKPointBands<S>>(space, profile, point, projectors, k, spin, eigensolver));
      if (before.empty()) continue;
      MeshKPointBands<S>& earlier = *before[bands_.size() - 1];
      bands_.back()->set(std::move(earlier.state.x));
      bands_.back()->history = std::move(earlier.history);
    }
  });
}

template <class S>
void MeshBands<S>::transfer(const Mesh& from, const Mesh& to) {
  MeshTransfer transfer(from, to);
  for (auto& one : bands_) {
    one->state.x = transfer(one->state.x);
    one->history.transfer([&](const Bands<S>& bands) { return transfer(bands); });
  }
}

template <class S>
void MeshBands<S>::extrapolate(const Crystal& now, const MeshHistory& history) {
  replace([&](MeshKPointBands<S>& one) {
    Bands<S> x = std::move(one.state.x);
    one.history.extrapolate(one.op.product(), history.weights(now, one.history.count()), x);
    return orthonormal_part(one.op.product(), std::move(x));
  });
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
  for (const auto& one : bands_) sum += one->op.applications();
  return sum;
}

template class MeshBands<double>;
template class MeshBands<std::complex<double>>;

}  // namespace wavegrid
