// Products of bands with functions at the points of an operator; a kick: exp(i X) of a potential X. Where bands are
// projected onto a basis, X is too, and the operation stays unitary. With an overlap X acts as a potential does, with
// its integrals over the augmentation charges in the couplings, and the kick is exp(i S^-1 X).
#pragma once

#include <complex>
#include <span>

#include <wavegrid/eigen/band_operator.hpp>

namespace wavegrid {

/// psi = exp(i S^-1 X) psi by its power series, to rounding; `potential`: X as BandOperator::apply_change takes it,
/// without unit, of the order of 1. Collective over the ranks of the operator.
void kick_bands(BandOperator<std::complex<double>>& op, std::span<const double> potential,
                BandView<std::complex<double>> psi);

/// psi += F psi of a function F as apply_change takes a potential. Collective over the ranks of the operator.
void add_product(BandOperator<std::complex<double>>& op, std::span<const double> function,
                 BandView<std::complex<double>> psi);

}  // namespace wavegrid
