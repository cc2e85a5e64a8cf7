// How the transposes of a calculation travel: recalled from earlier runs, remembered for later ones, named.
#pragma once

#include <optional>
#include <string>

#include "calculation/plane_wave_bands.hpp"

namespace wavegrid {

// `group` is the band group. Without a file, or without bands, nothing is done. All are collective over the group.

/// Takes what an earlier run on the same MPI, with as many messages of like size, has written into `file`.
template <class S>
void recall_transport(MyBands<S>& bands, const Comm& group, const std::string& file);
/// Writes down what the tuner has chosen, where it was asked.
template <class S>
void remember_transport(const MyBands<S>& bands, const Comm& group, const std::string& file);
/// The transport in use; on one rank what was `wished`, or "none".
template <class S>
[[nodiscard]] std::string transport_label(const MyBands<S>& bands, const Comm& group,
                                          const std::optional<Transport>& wished);

}  // namespace wavegrid
