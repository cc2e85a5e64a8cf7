// The parts of UPF that ultrasoft and PAW datasets have besides, in Rydberg units:
//
//   PP_AUGMENTATION  r^2 Q_ij, of each L in PP_QIJL (PAW, q_with_l) or of all in PP_QIJ; then, below PP_RINNER of L,
//                    Q_ij^L = r^L sum_k c_k r^(2k) with PP_QFCOEF (K. Laasonen et al., 10.1103/PhysRevB.47.10142, eq.
//                    24)
//   PP_FULL_WFC      PP_AEWFC r phi_i(r), PP_PSWFC r phi~_i(r)
//   PP_PAW           PP_OCCUPATIONS, PP_AE_NLCC n_c(r), PP_AE_VLOC V_ion(r)
//
// PP_DIJ is D0_ij and the compensation charge is part of the density in xc, as in pw.x.
#pragma once

#include <wavegrid/pseudo/radial_potential.hpp>
#include <wavegrid/pseudo/upf_version.hpp>

namespace wavegrid {

/// Adds channels and dataset to `data`, which has mesh, charge and core density already. Throws bad_input for a file
/// that lacks a section or contradicts itself.
void read_upf_dataset(const XmlElement& root, const UpfVersion& version, const UpfHeader& header, RadialData& data);

}  // namespace wavegrid
