#include "calculation/mesh_bands.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "calculation/rotated_bands.hpp"
#include "eigen/orthonormalise.hpp"
#include "layout/block_layout.hpp"
#include "realspace/mesh_waves.hpp"

namespace wavegrid {

namespace {

/// The bands, and bands of zeros up to `count`.
template <class S>
Bands<S> filled_up(Bands<S> bands, Index count) {
  if (bands.count() == count) return bands;
  Bands<S> all(bands.rows(), count);
  std::fill_n(all.view().data, all.rows() * count, S(0));
  std::copy_n(bands.view().data, bands.rows() * bands.count(), all.view().data);
  return all;
}

}  // namespace

template <class S>
Range MeshBands<S>::my_share(const Problem& problem) const {
  const Index sets = static_cast<Index>(problem.kpoints.size()) * problem.spins;
  return BlockLayout(sets, groups_.counts().kpoint_groups).range(groups_.my_kpoint_group());
}

template <class S>
void MeshBands<S>::set_geometry(MeshSpace& space, const Problem& problem, Profile* profile, Eigensolver eigensolver) {
  detach();
  const Range mine = my_share(problem);
  std::vector<DetachedBands> before = std::exchange(detached_, {});
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
      DetachedBands& earlier = before[bands_.size() - 1];
      bands_.back()->set(std::move(earlier.x));
      bands_.back()->history = std::move(earlier.history);
    }
  });
}

template <class S>
void MeshBands<S>::detach() {
  for (auto& one : bands_) detached_.push_back({std::move(one->state.x), std::move(one->history)});
  earlier_applications_ = applications();
  bands_.clear();
}

template <class S>
void MeshBands<S>::transfer(const Mesh& from, const Mesh& to) {
  detach();
  MeshTransfer transfer(from, to);
  const double scale = std::sqrt(from.grid().point_volume() / to.grid().point_volume());  // norms stay
  const auto moved = [&](const Bands<S>& bands) {
    Bands<S> answer = transfer(bands);
    std::for_each_n(answer.view().data, answer.rows() * answer.count(), [&](S& value) { value *= scale; });
    return answer;
  };
  for (DetachedBands& one : detached_) {
    one.x = moved(one.x);
    one.history.transfer(moved);
  }
}

template <class S>
void MeshBands<S>::rotate(const Problem& problem, const SolvedGeometry& before, const Mesh& mesh) {
  std::vector<KPoint> all(before.kpoints);
  all.insert(all.end(), problem.kpoints.begin(), problem.kpoints.end());
  const WaveBox box = WaveBox::around(mesh.grid());
  const double ecut = box.largest_cutoff(all);
  std::vector<WaveBands<S>> from, to;
  std::vector<std::unique_ptr<MeshWaves<S>>> new_waves;
  groups_.world().together([&] {  // one k-point group may fail
    for (const auto& one : bands_) {
      MeshWaves<S> waves(mesh, box, ecut, one->h.kpoint());
      from.push_back({waves.waves(), filled_up(waves.to_waves(std::as_const(one->state.x).view()), problem.bands)});
      one->state.x = {};
    }
    const Range mine = my_share(problem);
    for (Index set = mine.begin; set < mine.end; ++set) {
      const Vec3& k = problem.kpoints[static_cast<std::size_t>(set / problem.spins)].k;
      new_waves.push_back(std::make_unique<MeshWaves<S>>(mesh, box, ecut, k));
      to.push_back({new_waves.back()->waves()});
    }
  });
  rotate_bands<S>(groups_, problem, before, from, to);
  detach();
  detached_.clear();
  for (std::size_t i = 0; i < to.size(); ++i)
    detached_.push_back(
        {to[i].x.count() > 0 ? new_waves[i]->to_mesh(std::as_const(to[i].x).view()) : Bands<S>(mesh.num_points(), 0)});
}

template <class S>
void MeshBands<S>::extrapolate(const Crystal& now, const MeshHistory& history) {
  replace([&](MeshKPointBands<S>& one) {
    Bands<S> x = std::move(one.state.x);
    if (x.count() == 0) return x;
    one.history.extrapolate(one.op, history.weights(now, one.history.count()), x);
    return orthonormal_part<S>(one.op, std::move(x));
  });
}

template <class S>
void MeshBands<S>::clear() {
  earlier_applications_ = applications();
  bands_.clear();
  detached_.clear();
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
