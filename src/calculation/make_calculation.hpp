// Calculations of all discretisations and scalars, each compiled in a file of its own scalar.
#pragma once

#include <complex>
#include <memory>

#include <wavegrid/calculation/session_implementation.hpp>

namespace wavegrid {

class MeshDiscretisation;
class PlaneWaveDiscretisation;

/// A calculation on D with bands of S. Collective over `comm`.
template <class D, class S>
[[nodiscard]] std::unique_ptr<Session::Implementation> make_calculation(const Comm& comm, const Problem& problem,
                                                                        Trace* trace, SessionOptions options);

}  // namespace wavegrid
