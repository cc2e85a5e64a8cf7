// The radial meshes of a PAW XML file, and its functions on one of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <wavegrid/pseudo/xml_element.hpp>

namespace wavegrid {

/// Elements <radial_grid id="..." eq="r=a*(exp(d*i)-1)" a="..." d="..." istart="0" iend="..."/>: all equations of the
/// format. Functions refer to a mesh by its id, and are returned on the one with the most points.
class PawXmlMeshes {
 public:
  /// Throws bad_input for an equation that is not of the format, a missing parameter or radii that do not rise.
  explicit PawXmlMeshes(const XmlElement& dataset);

  [[nodiscard]] const std::vector<double>& r() const { return meshes_.at(main_); }
  /// The values of an element on its mesh times `unit`; where that is no beginning of r(), interpolated. They grow as
  /// r^power at the nucleus.
  [[nodiscard]] std::vector<double> function(const XmlElement& element, double unit, int power) const;

 private:
  std::map<std::string, std::vector<double>> meshes_;
  std::string main_;
};

}  // namespace wavegrid
