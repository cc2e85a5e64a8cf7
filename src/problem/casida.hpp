// Excitation energies by Casida's equation, as an input asks for them.
#pragma once

namespace wavegrid {

/// Of the changes of the spins of a closed shell: both alike, or opposite. With two spins there is one kind.
enum class ExcitationSpin { singlet, triplet };

struct Casida {
  ExcitationSpin spin = ExcitationSpin::singlet;
  double tolerance = 1e-6;  ///< of the eigenvalues of the bands, empty ones included, Ha
};

}  // namespace wavegrid
