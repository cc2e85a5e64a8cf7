// Whether an ultrasoft or PAW dataset contradicts itself: quantities that a file gives twice, and known integrals.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <wavegrid/pseudo/augmented_dataset.hpp>
#include <wavegrid/pseudo/radial_potential.hpp>
#include <wavegrid/pseudo/radial_quadrature.hpp>
#include <wavegrid/pseudo/text_file.hpp>

namespace wavegrid {

/// A difference that is 0 in exact arithmetic. Above `noted` it is a remark, above `refused` the file is damaged.
struct DatasetCheck {
  std::string what;  ///< "... differ by", to be followed by the value
  double value = 0.0, noted = 0.0, refused = 0.0;
  std::string unit{};
};
using DatasetChecks = std::vector<DatasetCheck>;

/// By radial quadrature, for `data` of the same file:
///   - D0, q and kinetic differences are symmetric, and 0 between waves of different l
///   - q_ij and the moments of PP_MULTIPOLES: int r^(L+2) Q_ij^L dr; in PAW, also those of phi_i phi_j - phi~_i phi~_j
///   - PAW: <p_i|phi~_j> = delta; phi = phi~ beyond the sphere; 4 pi int r^2 n_c dr = Z_nucleus - valence
///   - 4 pi int r^2 n dr = valence for the density of the free atom
[[nodiscard]] DatasetChecks check_dataset(const AugmentedDataset& dataset, const RadialData& data);

/// Adds what is above `noted` to the remarks; throws bad_input at a line for the first that is above `refused`.
void require_consistent(const TextFile& file, std::size_t line, const DatasetChecks& checks, AugmentedDataset& dataset);

/// int r^L (phi_i phi_j - phi~_i phi~_j) r^2 dr up to the integration radius, bohr^L.
[[nodiscard]] double wave_moment(const RadialQuadrature& mesh, const AugmentedDataset& dataset, std::size_t i,
                                 std::size_t j, int l);

/// Ends the partial waves somewhat beyond the sphere: farther out those that are not bound grow exponentially.
void cut_partial_waves(AugmentedDataset& dataset);

/// Projectors and D0_ij of each l, for the channels of RadialData.
[[nodiscard]] std::vector<RadialData::Channel> channels_of(const AugmentedDataset& dataset);

}  // namespace wavegrid
