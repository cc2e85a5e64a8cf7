// The choice of how the electrons of a system of bands are found.
#pragma once

#include <memory>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/scf/direct_minimiser.hpp>
#include <wavegrid/scf/kohn_sham_solver.hpp>

namespace wavegrid {

/// The solver of the options' method; `start` returns initial bands. `searches_missed` as KohnShamSolver has it. The
/// system must outlive the solver. Throws internal_error for direct minimisation in single precision. Not collective.
template <class S, FieldSpace Space>
[[nodiscard]] std::unique_ptr<ElectronSolver<Space>> make_electron_solver(ScfSystem<S, Space>& system,
                                                                          BandStart<S> start, const ScfOptions& options,
                                                                          bool searches_missed = true) {
  if (options.method == ScfMethod::mixing)
    return std::make_unique<KohnShamSolver<S, Space>>(system, std::move(start), options, searches_missed);
  if constexpr (is_single<S>)
    throw internal_error("direct minimisation in single precision");
  else
    return std::make_unique<DirectMinimiser<S, Space>>(system, std::move(start), options.energy_tolerance);
}

}  // namespace wavegrid
