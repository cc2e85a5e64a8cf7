// The functional of the tests of the atomic solver.
#pragma once

#include <wavegrid/atom/screening.hpp>
#include <wavegrid/xc/xc.hpp>

namespace wavegrid {

inline const LocalXc& lda() {
  static const Xc xc = Xc::parse("LDA_XC_TETER93");
  static const LocalXc evaluate = [](auto rho, auto exc, auto vxc) { xc.evaluate(rho, exc, vxc); };
  return evaluate;
}

}  // namespace wavegrid
