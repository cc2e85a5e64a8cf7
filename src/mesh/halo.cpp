#include <cmath>

#include <wavegrid/base/error.hpp>
#include <wavegrid/exchange/candidates.hpp>
#include <wavegrid/mesh/halo.hpp>

namespace wavegrid {

BlochPhases::BlochPhases(const Mesh& mesh, const Vec3& kpoint) {
  constexpr double pi = 3.141592653589793238;
  for (const LocalLine& line : mesh.ghost_lines()) {
    const Int3 shift = mesh.grid().shift_of(line.point(0));
    double turns = 0;
    for (std::size_t d = 0; d < 3; ++d) turns += kpoint[d] * shift[d];
    turns -= std::round(turns);
    if (turns == 0) continue;
    const bool half = std::abs(turns) == 0.5;
    const std::complex<double> factor = half ? -1.0 : std::polar(1.0, 2 * pi * turns);
    if (!runs_.empty() && runs_.back().factor == factor &&
        runs_.back().points.start + runs_.back().points.length == line.start)
      runs_.back().points.length += line.k.size();
    else
      runs_.push_back({{line.start, line.k.size()}, factor});
  }
}

template <class S>
void BlochPhases::multiply(S* values, Index width, bool conjugate) const {
  for (const PhasedRun& run : runs_) {
    S factor;
    if constexpr (ScalarTraits<S>::is_real) {
      if (run.factor.imag() != 0) throw bad_input("states at this k-point have to be complex");
      factor = static_cast<S>(run.factor.real());
    } else {
      factor = S(conjugate ? std::conj(run.factor) : run.factor);
    }
    S* const first = values + run.points.start * width;
    for (Index n = 0; n < run.points.length * width; ++n) first[n] *= factor;
  }
}

template <class S>
void BlochPhases::apply(S* values, Index width) const {
  multiply(values, width, false);
}

template <class S>
void BlochPhases::apply_conjugate(S* values, Index width) const {
  multiply(values, width, true);
}

Halo::Halo(const Mesh& mesh, Transport transport, int threads)
    : Halo(mesh.comm(), mesh.halo_runs(), transport, threads) {
  plan_.record(mesh.comm().profile(), TrafficKind::halo, mesh.comm());
}

Halo::Halo(const Comm& comm, const IndexList& own, const IndexList& ghosts, Transport transport, int threads)
    : Halo(comm, match_ghosts(comm, own, ghosts), transport, threads) {}

void Halo::search_transport(Index bytes) {
  plan_.search(plan_.comm(), transport_candidates(plan_.comm(), {&plan_}, bytes));
}

#define WAVEGRID_INSTANTIATE(S)                         \
  template void BlochPhases::apply<S>(S*, Index) const; \
  template void BlochPhases::apply_conjugate<S>(S*, Index) const;
WAVEGRID_INSTANTIATE(float)
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<float>)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
