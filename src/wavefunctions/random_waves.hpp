// Random wave functions that do not depend on the layout.
#pragma once

#include <wavegrid/basis/wave_rows.hpp>

namespace wavegrid {

/// Fills bands with random coefficients that fall off with the kinetic energy; band b is seeded by first_key + b, G and
/// the component (spinors have two, one after the other). Not normalised. Local.
template <class S>
void fill_random(const PlaneWaves& waves, Index first_key, BandView<S> bands, int components = 1);

/// Scales the coefficients of such bands so that all have similar magnitudes. Local.
template <class S>
void flatten_random(const PlaneWaves& waves, BandView<S> bands);

}  // namespace wavegrid
