// The bands of one k-point and spin, with all that their Hamiltonian needs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <wavegrid/discretisation/work.hpp>
#include <wavegrid/hamiltonian/grid_projectors.hpp>
#include <wavegrid/hamiltonian/hamiltonian.hpp>
#include <wavegrid/hamiltonian/nonlocal_potential.hpp>
#include <wavegrid/scf/kohn_sham_bands.hpp>

namespace wavegrid {

/// Plane waves, transform and projectors of one k-point; both spins share them.
template <class S>
struct KPointBasis {
  /// Whether k-points of so many bands share one memory for projectors, which are then recomputed for each k-point.
  /// That takes as long as applying them to one or two bands; with many bands, projectors need most memory after the
  /// bands.
  [[nodiscard]] static bool shares_projectors(Index bands) { return bands >= 64; }

  /// Makes the projectors for the plane waves and the transform.
  using MakeProjectors = std::function<std::unique_ptr<Projectors<S>>(const GSphere& sphere, BandFft<RealOf<S>>& fft)>;

  /// Collective over the k-point group. `partition` is that of the sphere over the ranks of a band group.
  KPointBasis(const ProcessGroups& levels, const ProcessGrid& ranks, const GSphere& sphere_at_k,
              Partition sphere_partition, const FftOptions& options, const MakeProjectors& make_projectors)
      : sphere(sphere_at_k),
        partition(std::move(sphere_partition)),
        fft(levels, ranks, sphere, partition, options),
        projectors(make_projectors(sphere, fft)) {}
  /// With projectors in reciprocal space.
  KPointBasis(const ProcessGroups& levels, const ProcessGrid& ranks, const GSphere& sphere_at_k,
              Partition sphere_partition, const FftOptions& options, const Crystal& crystal,
              const Pseudopotentials& atoms)
      : KPointBasis(levels, ranks, sphere_at_k, std::move(sphere_partition), options,
                    [&](const GSphere& at_k, BandFft<RealOf<S>>& kpoint_fft) {
                      return std::make_unique<NonlocalPotential<S>>(kpoint_fft.rows(), at_k.k(), crystal, atoms);
                    }) {}

  /// Gives the plane waves another k, in units of the reciprocal vectors; their G stay. Local.
  void move_to(const Vec3& k) {
    fft.shift(k - sphere.k());
    sphere = sphere.shifted(k - sphere.k());
    projectors->set_kpoint(k);
  }

  GSphere sphere;
  Partition partition;
  BandFft<RealOf<S>> fft;
  std::unique_ptr<Projectors<S>> projectors;
};

/// The bands of one k-point and spin in plane waves, with all that their Hamiltonian needs. Must not be moved.
template <class S>
struct PlaneWaveBands : KohnShamBands<S> {
  /// `work` may be shared by the bands of several k-points and spins (BandSolver).
  PlaneWaveBands(std::shared_ptr<KPointBasis<S>> kpoint_basis, int number, int spin_index, Eigensolver eigensolver,
                 Profile* profile, std::shared_ptr<Directions<S>> work = std::make_shared<Directions<S>>())
      : KohnShamBands<S>(number, spin_index, h, eigensolver, std::move(work)),
        basis(std::move(kpoint_basis)),
        h(basis->fft, *basis->projectors, profile) {}

  std::shared_ptr<KPointBasis<S>> basis;
  Hamiltonian<S> h;
};

/// The bands that one k-point group works on; may be empty.
template <class S>
using MyBands = std::vector<std::unique_ptr<PlaneWaveBands<S>>>;

/// Operation counts of one k-point and spin since its bands were made, on one rank of the k-point group, 0 on the
/// others. Transforms are those of all bands that share the basis: count them once. Local.
template <class S>
[[nodiscard]] Work operation_counts(const ProcessGroups& groups, const PlaneWaveBands<S>& bands,
                                    bool first_of_basis = true) {
  if (groups.kpoint_group().rank() != 0) return {};
  return {bands.h.applications(), bands.h.nonlocal_applications(), first_of_basis ? bands.basis->fft.transforms() : 0};
}

/// Of all bands of this rank's k-point group. Local.
template <class S>
[[nodiscard]] Work operation_counts(const ProcessGroups& groups, const MyBands<S>& bands) {
  Work sum;
  for (std::size_t i = 0; i < bands.size(); ++i)
    sum += operation_counts(groups, *bands[i], i == 0 || bands[i]->basis != bands[i - 1]->basis);
  return sum;
}

}  // namespace wavegrid
