// The augmentation functions of a species on points around an atom, filtered for a grid.
//
//   n^(r) = sum_LM n_LM(|r|) Y_LM(r),   n_LM(r) = sum_k n_kM f_k(r)
//
// f_k has the transform u_k of augmentation_table.hpp up to the density's largest |G|, hardly anything where the grid
// aliases into these, and ends at a radius (pseudo/radial_filter.hpp). The filter keeps derivatives by a strain.
#pragma once

#include <span>
#include <vector>

#include <wavegrid/terms/augmentation_table.hpp>

namespace wavegrid {

/// An immutable value. Functions of r are arrays [node][LM] or, of moments, as those of the table.
class BoxShapes {
 public:
  /// Wave numbers (1/bohr): transforms are kept up to `largest`, and vanish from `beyond` on.
  BoxShapes(const AugmentationTable& table, double largest, double beyond);

  [[nodiscard]] double radius() const { return radius_; }  ///< bohr
  [[nodiscard]] std::size_t num_values() const { return nodes_.count * num_harmonics_; }

  /// n_LM at the nodes. Local.
  [[nodiscard]] std::vector<double> functions(std::span<const double> moments) const;
  /// The adjoint: adds to the moments what belongs to sums over the nodes. Local.
  void add_moments(std::span<const double> sums, std::span<double> moments) const;

  /// n_LM at a distance below the radius, and dn_LM/dr unless `slopes` is empty.
  void interpolate(const std::vector<double>& functions, double r, std::span<double> values,
                   std::span<double> slopes) const;
  /// The adjoint of the values: adds y_LM times the weights of the nodes.
  void add_to_nodes(double r, std::span<const double> y, std::vector<double>& sums) const;

 private:
  /// Sets the functions of shapes with this share or more for a radius; their largest relative error.
  double filter(const AugmentationTable& table, double radius, double largest, double beyond, double least_share);

  const std::vector<RadialShape> shapes_;
  std::size_t num_harmonics_;
  double radius_ = 0;
  RadialNodes nodes_;
  std::vector<double> values_;  ///< f_k at the nodes, [node][k]
};

}  // namespace wavegrid
