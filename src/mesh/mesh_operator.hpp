// Potential and Laplacian on a distributed mesh: the halo exchange while inner points are computed.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/base/huge_pages.hpp>
#include <wavegrid/base/trace.hpp>
#include <wavegrid/mesh/halo.hpp>
#include <wavegrid/mesh/stencil.hpp>

namespace wavegrid {

/// What is computed while the messages of a halo exchange are under way. Results have the same bits.
enum class HaloOverlap {
  off,        ///< nothing: exchange, then all points
  polling,    ///< inner points; between tiles of them MPI is called to make progress
  thread,     ///< inner points, by other threads, while the thread that may call MPI does nothing but that
  automatic,  ///< off or polling, whichever is faster: measured in the first applications, after the transport
};
/// "off", "polling", "thread", "auto".
[[nodiscard]] const char* to_string(HaloOverlap overlap);
/// The overlap of that name; throws bad_input that lists the valid ones.
[[nodiscard]] HaloOverlap halo_overlap_named(const std::string& name);

/// How ghost points are fetched.
struct HaloOptions {
  std::optional<Transport> transport = {};  ///< none: the fastest one in the first applications
  HaloOverlap overlap = HaloOverlap::automatic;
};

/// Laplacian and potential (LaplacianTerms) on all own points of a mesh, halo exchange included.
///
/// The five steps of Hoefler, Lorenzen and Lumsdaine (2008): the exchange is started; potential and Laplacian of the
/// inner points; the messages are waited for; Laplacian and potential of the boundary points.
class MeshOperator {
 public:
  /// Collective over mesh.comm(). `threads`: that compute. HaloOverlap::thread uses one more, and throws bad_input if
  /// MPI was initialised for one thread.
  explicit MeshOperator(const Mesh& mesh, const HaloOptions& options = {}, int threads = 1);

  /// Fills the ghost points of `in`, an array (points and ghost points, width), and sets `out`, (points, width). As
  /// long as transport or overlap are measured, applications to blocks of at least half of the largest width so far are
  /// timed. Collective.
  template <class S>
  void apply(S* in, S* out, Index width, const LaplacianTerms<RealOf<S>>& terms, const BlochPhases* phases = nullptr);

  /// Array number `which` < num_work_arrays for blocks of `width` states in all, with ghost points. It is valid until
  /// the next call for a larger one and kept: memory that is given back and fetched for each application costs a
  /// quarter of a calculation. Local.
  template <class S>
  [[nodiscard]] S* work_array(std::size_t which, Index width) {
    AlignedVector<std::byte>& bytes = work_[which];
    const std::size_t needed = static_cast<std::size_t>((num_points_ + num_ghosts_) * width) * sizeof(S);
    if (bytes.size() < needed) {
      bytes = AlignedVector<std::byte>(needed);
      prefer_huge_pages(bytes.data(), needed);
    }
    return reinterpret_cast<S*>(bytes.data());
  }
  static constexpr std::size_t num_work_arrays = 6;

  [[nodiscard]] Halo& halo() { return halo_; }
  [[nodiscard]] const Halo& halo() const { return halo_; }
  [[nodiscard]] const Stencil& stencil() const { return stencil_; }
  /// What is used from the next application on; HaloOverlap::automatic as long as it is being measured.
  [[nodiscard]] HaloOverlap overlap() const { return overlap_; }
  void use(HaloOverlap overlap);
  /// How HaloOverlap::automatic was decided, one sentence; empty before.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  /// Whether the transport is still being measured.
  [[nodiscard]] bool is_tuning() const { return halo_.plan().is_tuning(); }
  /// The part of the time between the start of an exchange and its end in which this rank computed, of all
  /// applications with overlap since the last use(); 0 if there was none.
  [[nodiscard]] double hidden_share() const { return under_way_ > 0 ? hidden_ / under_way_ : 0; }

 private:
  template <class S>
  void apply_overlapped(HaloOverlap overlap, S* in, S* out, Index width, const LaplacianTerms<RealOf<S>>& terms,
                        const BlochPhases* phases);
  /// Whether an application to a block of so many bytes per point is timed. Collective.
  [[nodiscard]] bool is_timed(Index bytes);
  /// What such an application uses.
  [[nodiscard]] HaloOverlap timed_overlap() const;
  void choose_overlap();
  Index num_points_, num_ghosts_;
  int threads_;
  Halo halo_;
  Stencil stencil_;
  HaloOverlap overlap_;
  Index timed_bytes_ = 0;  ///< per point, of the widest block that was timed
  std::array<AlignedVector<std::byte>, num_work_arrays> work_;
  Trace* trace_ = nullptr;
  double under_way_ = 0, hidden_ = 0;            // seconds
  std::array<std::vector<double>, 2> measured_;  // seconds of applications without and with overlap
  std::string reason_;
};

}  // namespace wavegrid
