#include <algorithm>
#include <cmath>
#include <functional>

#include <wavegrid/base/printable.hpp>
#include <wavegrid/pseudo/paw_xml_mesh.hpp>
#include <wavegrid/pseudo/radial_function.hpp>

namespace wavegrid {
namespace {

constexpr std::size_t most_mesh_points = 100'000, fewest_points = 16, most_meshes = 32;

/// r(i) of an equation, written without blanks.
std::function<double(double)> radius_function(const XmlElement& mesh) {
  std::string equation = mesh.attribute("eq");
  std::erase(equation, ' ');
  const auto p = [&](const std::string& name) { return mesh.real(name); };
  if (equation == "r=d*i") return [d = p("d")](double i) { return d * i; };
  if (equation == "r=a*exp(d*i)") return [a = p("a"), d = p("d")](double i) { return a * std::exp(d * i); };
  if (equation == "r=a*(exp(d*i)-1)") return [a = p("a"), d = p("d")](double i) { return a * std::expm1(d * i); };
  if (equation == "r=a*i/(1-b*i)") return [a = p("a"), b = p("b")](double i) { return a * i / (1.0 - b * i); };
  if (equation == "r=a*i/(n-i)") return [a = p("a"), n = p("n")](double i) { return a * i / (n - i); };
  if (equation == "r=(i/n+a)^5/a-a^4")
    return [a = p("a"), n = p("n")](double i) { return std::pow(i / n + a, 5) / a - std::pow(a, 4); };
  mesh.fail("the equation of the radial grid is " + in_quotes(equation) +
            "; valid are r=d*i, r=a*exp(d*i), r=a*(exp(d*i)-1), r=a*i/(1-b*i), r=a*i/(n-i) and r=(i/n+a)^5/a-a^4");
}

std::vector<double> radii(const XmlElement& mesh) {
  const std::size_t first = mesh.count("istart", most_mesh_points), last = mesh.count("iend", most_mesh_points);
  if (last < first + fewest_points - 1)
    mesh.fail("the radial grid has points " + std::to_string(first) + " to " + std::to_string(last) + "; valid are " +
              std::to_string(fewest_points) + " or more");
  const auto radius = radius_function(mesh);
  std::vector<double> r;
  for (std::size_t i = first; i <= last; ++i) {
    const double next = radius(static_cast<double>(i));
    if (!(next >= 0.0 && next < 1e6) || (!r.empty() && next <= r.back()))
      mesh.fail("the radial grid does not rise: r is " + to_text(next) + " bohr at point " + std::to_string(i));
    r.push_back(next);
  }
  return r;
}

bool is_beginning(const std::vector<double>& part, const std::vector<double>& whole) {
  constexpr double tolerance = 1e-10;
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin(), [](double a, double b) {
           return std::abs(a - b) <= tolerance * (1.0 + b);
         });
}

}  // namespace

PawXmlMeshes::PawXmlMeshes(const XmlElement& dataset) {
  const std::size_t count = dataset.children("radial_grid");
  if (count > most_meshes)
    dataset.fail("there are " + std::to_string(count) + " radial grids; valid are up to " +
                 std::to_string(most_meshes));
  for (std::size_t i = 0; i < count; ++i) {
    const XmlElement mesh = dataset.require("radial_grid", i);
    const std::string id = mesh.attribute("id");
    const auto [found, added] = meshes_.emplace(id, radii(mesh));
    if (!added) mesh.fail("there are two radial grids " + in_quotes(id));
    if (main_.empty() || found->second.size() > r().size()) main_ = id;
  }
  if (meshes_.empty()) (void)dataset.require("radial_grid");
}

std::vector<double> PawXmlMeshes::function(const XmlElement& element, double unit, int power) const {
  const std::string id = element.attribute("grid");
  const auto mesh = meshes_.find(id);
  if (mesh == meshes_.end()) element.fail("there is no radial grid " + in_quotes(id));
  std::vector<double> y = element.numbers(mesh->second.size());
  for (double& value : y) value *= unit;
  if (is_beginning(mesh->second, r())) return y;
  const RadialFunction f(mesh->second, y, power);
  std::vector<double> on_main;
  for (const double radius : r())
    if (radius <= f.r_max()) on_main.push_back(f(radius));
  return on_main;
}

}  // namespace wavegrid
