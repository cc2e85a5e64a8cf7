// Names of exchange-correlation functionals: libxc's own, and short ones for the usual pairs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wavegrid {

/// Splits names joined with + into libxc's names in upper case, without spaces and without XC_ in front. A short name
/// means its pair of functionals and may be written in any case, with - or _:
///   LDA-PZ = LDA_X+LDA_C_PZ, LDA-PW = LDA_X+LDA_C_PW, LDA-VWN = LDA_X+LDA_C_VWN,
///   TETER = LDA-TETER = LDA_XC_TETER93, PBE = GGA_X_PBE+GGA_C_PBE, PBESOL = GGA_X_PBE_SOL+GGA_C_PBE_SOL,
///   REVPBE = GGA_X_PBE_R+GGA_C_PBE (Zhang and Yang), RPBE = GGA_X_RPBE+GGA_C_PBE (Hammer, Hansen, Norskov),
///   WC = GGA_X_WC+GGA_C_PBE, PW91 = GGA_X_PW91+GGA_C_PW91, AM05 = GGA_X_AM05+GGA_C_AM05, BLYP = GGA_X_B88+GGA_C_LYP,
///   BP86 = GGA_X_B88+GGA_C_P86, PBE0 = HYB_GGA_XC_PBEH, HSE03, HSE06 and B3LYP = HYB_GGA_XC_ and the name, R2SCAN =
///   MGGA_X_R2SCAN+MGGA_C_R2SCAN, and SCAN, RSCAN, TPSS, REVTPSS likewise
/// "LDA" is not a short name, as it does not determine the correlation. Names are not checked here; an empty one is
/// kept.
[[nodiscard]] std::vector<std::string> split_xc_names(std::string_view names);

/// The three names nearest to `name`, including short ones, of energies in three dimensions: those that contain it,
/// then by edit distance, short names before LDA before GGA before meta-GGA before hybrids; joined with commas.
[[nodiscard]] std::string nearest_xc_names(const std::string& name);

}  // namespace wavegrid
