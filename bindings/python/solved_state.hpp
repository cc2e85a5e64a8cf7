// Fields and bands of a session as numpy arrays.
#pragma once

#include <nanobind/nanobind.h>

#include <wavegrid/calculation/session.hpp>

/// "counts", and of this rank's points "points" (points, 3) int32, "density", "kinetic_density" and "potential"
/// (components, points). Collective.
[[nodiscard]] nanobind::dict session_fields(wavegrid::Session& session);

/// For each k-point and spin of this rank's group "k", "spin", "kpoint", "eigenvalues", "occupations", and of this
/// rank's rows "rows" (rows, 3) int32, their "weights" and "coefficients" (bands, rows) complex. Collective.
[[nodiscard]] nanobind::list session_bands(wavegrid::Session& session);
