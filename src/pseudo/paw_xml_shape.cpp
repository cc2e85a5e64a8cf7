#include <wavegrid/base/printable.hpp>
#include <wavegrid/pseudo/paw_xml_shape.hpp>

namespace wavegrid {
namespace {

constexpr std::size_t largest_shape = 6;  // L

ShapeFormula shape_formula(const XmlElement& element, double r_max) {
  const std::string type = element.attribute("type");
  const ShapeFormula formula{type, element.real("rc"), type == "exp" ? element.real("lamb") : 0.0};
  if (!(formula.radius > 0.0 && formula.radius < r_max) || (type == "exp" && !(formula.lambda > 0.1)))
    element.fail("rc of the shape function is " + to_text(formula.radius) +
                 " bohr; valid are radii within the radial grid, and lamb above 0.1");
  return formula;
}

/// r^2 g_L, normalised.
std::vector<double> numerical_shape(const XmlElement& dataset, const PawXmlMeshes& meshes,
                                    const RadialQuadrature& quadrature, int l) {
  for (std::size_t i = 0; i < dataset.children("shape_function"); ++i) {
    const XmlElement element = dataset.require("shape_function", i);
    if (element.has("state1")) element.fail("shape functions of pairs of states are not read; valid is one for each l");
    if (element.count("l", largest_shape) != static_cast<std::size_t>(l)) continue;
    std::vector<double> r2_g = meshes.function(element, 1.0, l);
    for (std::size_t k = 0; k < r2_g.size(); ++k) r2_g[k] *= meshes.r()[k] * meshes.r()[k];
    const double norm = quadrature.moment(r2_g, l);
    if (!(norm > 0.0)) element.fail("the shape function of l = " + std::to_string(l) + " has no moment");
    for (double& value : r2_g) value /= norm;
    return r2_g;
  }
  dataset.fail("there is no shape function of l = " + std::to_string(l));
}

}  // namespace

ShapeFunctions read_paw_xml_shapes(const XmlElement& dataset, const PawXmlMeshes& meshes,
                                   const RadialQuadrature& quadrature, int largest) {
  const XmlElement first = dataset.require("shape_function");
  const std::string type = first.attribute("type");
  ShapeFunctions shape;
  if (ShapeFormula::is_known(type))
    shape.formula = shape_formula(first, meshes.r().back());
  else if (type != "numeric" && type != "num")
    first.fail("the type of the shape function is " + in_quotes(type) +
               "; valid are gauss, sinc, exp, bessel and numeric");
  for (int l = 0; l <= largest; ++l)
    shape.r2_g.push_back(shape.formula ? shape.formula->r2_g(meshes.r(), l)
                                       : numerical_shape(dataset, meshes, quadrature, l));
  return shape;
}

}  // namespace wavegrid
