// The exact exchange of a problem in plane waves.
#pragma once

#include <wavegrid/fock/fock_operator.hpp>
#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// Of a problem with a hybrid functional. Pure.
[[nodiscard]] FockSetting fock_setting(const Problem& problem);

}  // namespace wavegrid
