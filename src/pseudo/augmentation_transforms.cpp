#include <algorithm>
#include <cmath>

#include <wavegrid/pseudo/augmentation_transforms.hpp>
#include <wavegrid/pseudo/radial_function.hpp>

namespace wavegrid {
namespace {

constexpr double innermost = 1e-4;  // bohr, where f(r) is evaluated instead of at 0

/// From r^2 f(r) on the mesh, where f grows as r^l.
std::unique_ptr<RadialTransform> transform_on_mesh(const std::vector<double>& r, std::vector<double> r2_f, int l) {
  if (r.front() == 0.0) r2_f.front() = 0.0;
  const RadialFunction f(r, r2_f, l + 2);
  return std::make_unique<RadialTransform>(l, f.breaks(), [f](double radius) {
    const double x = std::max(radius, innermost);
    return f(x) / (x * x);
  });
}

std::unique_ptr<RadialTransform> transform_of_formula(const ShapeFormula& shape, int l) {
  constexpr int pieces = 120;
  std::vector<double> breaks;
  for (int i = 0; i <= pieces; ++i) breaks.push_back(shape.end() * i / pieces);
  return std::make_unique<RadialTransform>(l, std::move(breaks), shape.function(l));
}

}  // namespace

AugmentationTransforms::AugmentationTransforms(const AugmentedDataset& dataset) {
  if (const auto& shape = dataset.paw ? dataset.paw->shape : std::nullopt) {
    for (std::size_t l = 0; l < shape->r2_g.size(); ++l) {
      const int order = static_cast<int>(l);
      transforms_.push_back(shape->formula ? transform_of_formula(*shape->formula, order)
                                           : transform_on_mesh(dataset.r, shape->r2_g[l], order));
    }
    for (const AugmentationFunction& f : dataset.augmentation) {
      index_.push_back(static_cast<std::size_t>(f.l));
      factor_.push_back(f.moment);
    }
    return;
  }
  for (const AugmentationFunction& f : dataset.augmentation) {
    index_.push_back(transforms_.size());
    factor_.push_back(1.0);
    transforms_.push_back(transform_on_mesh(dataset.r, f.r2_q, f.l));
  }
}

}  // namespace wavegrid
