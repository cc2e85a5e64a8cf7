// The Coulomb interaction of isolated charges as a factor in Fourier space.
//
// Of 1/r = erf(r / w) / r + erfc(r / w) / r the first part is smooth: its values at the distances of the box, up to
// half of it, are transformed. The second part is shorter than the box, and its transform is known. In a box of at
// least twice the extent of the charges, every distance is within that half: their potential is that of isolated
// charges, G. J. Martyna, M. E. Tuckerman, J. Chem. Phys. 110, 2810 (1999), 10.1063/1.477923.
#pragma once

#include <vector>

#include <wavegrid/fft/grid_fft.hpp>

namespace wavegrid {

/// The interaction v(G), bohr^2, at this rank's G of a box, such that v(G) n(G) is the potential of the density n.
/// `width`: w, bohr. Relative errors of the potential are exp(-(pi w / h)^2 / 4) with the step h of the box, for
/// charges without waves beyond pi / h. Collective.
[[nodiscard]] std::vector<double> isolated_coulomb(GridFft& box, double width);

}  // namespace wavegrid
