// Names of exchange-correlation functionals: libxc's own, and short ones for the usual pairs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wavegrid {

/// Cuts names joined with + into libxc's names in upper case, without spaces and without XC_ in front. A short name
/// stands for its pair and may be written in any case, with - or _:
///   LDA-PZ = LDA_X+LDA_C_PZ, LDA-PW = LDA_X+LDA_C_PW, LDA-VWN = LDA_X+LDA_C_VWN,
///   TETER = LDA-TETER = LDA_XC_TETER93, PBE = GGA_X_PBE+GGA_C_PBE, PBESOL = GGA_X_PBE_SOL+GGA_C_PBE_SOL,
///   REVPBE = GGA_X_PBE_R+GGA_C_PBE (Zhang and Yang), RPBE = GGA_X_RPBE+GGA_C_PBE (Hammer, Hansen, Norskov),
///   WC = GGA_X_WC+GGA_C_PBE, PW91 = GGA_X_PW91+GGA_C_PW91, AM05 = GGA_X_AM05+GGA_C_AM05, BLYP = GGA_X_B88+GGA_C_LYP,
///   BP86 = GGA_X_B88+GGA_C_P86
/// "LDA" alone is none: the correlation would be a guess. Names are not checked here; an empty one is kept.
[[nodiscard]] std::vector<std::string> split_xc_names(std::string_view names);

/// The three names nearest to `name`, short ones among them, of the families LDA and GGA: those that contain it, then
/// by edit distance, short names before LDA before GGA; joined with commas.
[[nodiscard]] std::string nearest_xc_names(const std::string& name);

}  // namespace wavegrid
