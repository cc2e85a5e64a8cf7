#include <cmath>

#include <wavegrid/base/units.hpp>
#include <wavegrid/terms/isolated_coulomb.hpp>

namespace wavegrid {

namespace {

double long_range_part(double distance, double width) {
  return distance > 0 ? std::erf(distance / width) / distance : 2.0 / (std::sqrt(units::pi) * width);
}

/// The transform of the rest.
double short_range_part(double g2, double width) {
  return g2 > 0 ? -4.0 * units::pi * std::expm1(-0.25 * g2 * width * width) / g2 : units::pi * width * width;
}

/// The distance of a point of the box from the nearest image of the origin along an axis, as a part of the axis.
double nearest(Index point, int count) {
  return static_cast<double>(2 * point <= count ? point : point - count) / count;
}

}  // namespace

std::vector<double> isolated_coulomb(GridFft& box, double width) {
  const FftLayout& layout = box.layout();
  const Int3& counts = layout.grid;
  const Lattice& lattice = box.waves().lattice();
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(box.grid_size()));
  for (Index x = layout.x.begin; x < layout.x.end; ++x)
    for (Index y = layout.y.begin; y < layout.y.end; ++y)
      for (Index z = 0; z < counts[2]; ++z) {
        const Vec3 part{nearest(x, counts[0]), nearest(y, counts[1]), nearest(z, counts[2])};
        values.push_back(long_range_part(norm(part * lattice.vectors()), width));
      }
  const GridFft::Coefficients smooth = box.to_recip(values);
  std::vector<double> interaction(smooth.size());
  for (std::size_t i = 0; i < smooth.size(); ++i)
    interaction[i] = lattice.volume() * smooth[i].real() + short_range_part(2.0 * box.waves().kinetic()[i], width);
  return interaction;
}

}  // namespace wavegrid
