// Products of bands with functions at the points of an operator; a kick: exp(i X) of a potential X. Where bands are
// projected onto a basis, X is too, and the operation stays unitary.
#pragma once

#include <complex>
#include <span>

#include <wavegrid/eigen/band_operator.hpp>

namespace wavegrid {

/// psi = exp(i X) psi by its power series, to rounding; `potential`: X as BandOperator::apply_change takes it, without
/// unit, of the order of 1. Collective over the ranks of the operator.
void kick_bands(BandOperator<std::complex<double>>& op, std::span<const double> potential,
                BandView<std::complex<double>> psi);

/// psi += F psi of a function F as apply_change takes a potential. Collective over the ranks of the operator.
void add_product(BandOperator<std::complex<double>>& op, std::span<const double> function,
                 BandView<std::complex<double>> psi);

}  // namespace wavegrid
