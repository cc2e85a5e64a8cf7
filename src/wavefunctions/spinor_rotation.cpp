#include <algorithm>
#include <cmath>

#include <wavegrid/linalg/scalar.hpp>
#include <wavegrid/wavefunctions/spinor_rotation.hpp>

namespace wavegrid {

namespace {

using Complex = std::complex<double>;

/// The unit quaternion (w, x, y, z) of a proper rotation, by its largest element.
std::array<double, 4> quaternion(const Mat3& r) {
  const double trace = r[0][0] + r[1][1] + r[2][2];
  const std::array<double, 4> squares{trace, r[0][0], r[1][1], r[2][2]};  // 4 q_i^2 = 1 - trace + 2 of these
  const auto largest = static_cast<std::size_t>(std::max_element(squares.begin(), squares.end()) - squares.begin());
  std::array<double, 4> q{};
  q[largest] = 0.5 * std::sqrt(1.0 - trace + 2.0 * squares[largest]);
  const double scale = 0.25 / q[largest];
  const auto antisymmetric = [&](std::size_t a) { return r[(a + 2) % 3][(a + 1) % 3] - r[(a + 1) % 3][(a + 2) % 3]; };
  if (largest == 0) {
    for (std::size_t a = 0; a < 3; ++a) q[a + 1] = scale * antisymmetric(a);
    return q;
  }
  const std::size_t axis = largest - 1;
  q[0] = scale * antisymmetric(axis);
  for (std::size_t a = 0; a < 3; ++a)
    if (a != axis) q[a + 1] = scale * (r[a][axis] + r[axis][a]);
  return q;
}

}  // namespace

SpinorMatrix spinor_rotation(const Mat3& rotation) {
  Mat3 proper = rotation;
  if (determinant(rotation) < 0)
    for (Vec3& row : proper) row = -1.0 * row;
  const auto [w, x, y, z] = quaternion(proper);
  return {Complex(w, -z), Complex(-y, -x), Complex(y, -x), Complex(w, z)};
}

SpinorMatrix spinor_rotation(const WaveMap& map, const Mat3& vectors) {
  // psi_k(r) = psi_k'(W r + w): the operation on the function is the inverse of {W|w}.
  const SpinorMatrix u = spinor_rotation(cartesian_rotation(inverse(map.operation).rotation, vectors));
  if (!map.time_reversed) return u;
  return {-u[1], u[0], -u[3], u[2]};  // U i sigma_y
}

SpinorMatrix rotation_from_z(const Vec3& axis) {
  if (norm2(axis) == 0) return {1.0, 0.0, 0.0, 1.0};
  const double across = std::hypot(axis[0], axis[1]);
  const Complex phase = across > 0 ? Complex(axis[0] / across, axis[1] / across) : Complex(1.0);
  const double cosine = std::sqrt(std::max(0.0, 0.5 * (1.0 + axis[2]))),
               sine = std::sqrt(std::max(0.0, 0.5 * (1.0 - axis[2])));
  return {cosine, -sine * std::conj(phase), sine * phase, cosine};
}

template <class S>
void rotate_components(const SpinorMatrix& u, BandView<S> bands) {
  if constexpr (!ScalarTraits<S>::is_real) {
    const BandView<S> parts = bands.split(2);
    const S uu(u[0]), ud(u[1]), du(u[2]), dd(u[3]);
#pragma omp parallel for schedule(static)
    for (Index b = 0; b < bands.count; ++b) {
      S *const up = parts.band(2 * b), *const down = parts.band(2 * b + 1);
      for (Index g = 0; g < parts.rows; ++g) {
        const S a = up[g], c = down[g];
        up[g] = uu * a + ud * c;
        down[g] = du * a + dd * c;
      }
    }
  }
}

#define WAVEGRID_INSTANTIATE(S) template void rotate_components<S>(const SpinorMatrix&, BandView<S>);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
