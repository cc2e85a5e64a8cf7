// The bands of one k-point and spin without their Hamiltonian: on the way from one geometry to the next.
#pragma once

#include <wavegrid/discretisation/extrapolation.hpp>

namespace wavegrid {

/// `Rows`: what a discretisation has to know of the rows of X once the Hamiltonian is freed.
template <class S, class Rows>
struct DetachedBands {
  Rows rows;
  Bands<S> x{};  ///< no bands if there was no equivalent k-point
  BandHistory<S> history{};
  bool complete = true;  ///< linearly independent
};

}  // namespace wavegrid
