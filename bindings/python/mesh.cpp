#include "mesh.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <wavegrid/base/error.hpp>
#include <wavegrid/costmodel/halo_cost.hpp>
#include <wavegrid/mesh/mesh_partition.hpp>
#include <wavegrid/realspace/basis_grid.hpp>
#include <wavegrid/realspace/region_error.hpp>

#include "problem.hpp"

namespace nb = nanobind;
using namespace wavegrid;

namespace {

/// The mesh of "realspace", of which there has to be one.
MeshBasis basis_from(const nb::dict& problem) {
  const auto basis = mesh_basis_from(problem);
  if (!basis) throw internal_error("the problem has no mesh");
  return *basis;
}

/// The points of "cell", "species", "atoms", "realspace" and "grid".
MeshGrid grid_from(const nb::dict& problem) {
  return make_mesh_grid(basis_from(problem), crystal_from(problem), nb::cast<Int3>(problem["grid"]));
}

std::optional<std::tuple<std::string, std::string>> fault_of(const nb::dict& problem) {
  const auto fault = find_mesh_error(basis_from(problem), crystal_from(problem), nb::cast<Int3>(problem["grid"]));
  if (!fault) return std::nullopt;
  return std::tuple{fault->key, fault->text};
}

nb::object int_array(std::vector<std::int32_t> values, std::size_t columns) {
  auto* const kept = new std::vector<std::int32_t>(std::move(values));
  const nb::capsule owner(kept, [](void* data) noexcept { delete static_cast<std::vector<std::int32_t>*>(data); });
  const std::size_t shape[] = {kept->size() / columns, columns};
  return nb::cast(nb::ndarray<nb::numpy, std::int32_t>(kept->data(), columns == 1 ? 1 : 2, shape, owner));
}

nb::list parts_of(const MeshPartitionStatistics& statistics) {
  nb::list parts;
  for (const MeshPartStatistics& part : statistics.parts) {
    nb::dict d;
    d["points"] = part.points;
    d["inner"] = part.inner;
    d["ghosts"] = part.ghosts;
    d["neighbours"] = part.neighbours();
    d["messages"] = nb::cast(part.messages);
    parts.append(d);
  }
  return parts;
}

/// A mesh and its stencil graph, from which many partitions can be made.
class MeshGraphOfPoints {
 public:
  explicit MeshGraphOfPoints(const nb::dict& problem)
      : grid_(grid_from(problem)),
        pattern_(grid_.steps(), basis_from(problem).order),
        lines_(grid_.lines()),
        graph_(stencil_graph(grid_, lines_, pattern_)) {}

  [[nodiscard]] Index num_points() const { return graph_.num_vertices(); }
  [[nodiscard]] std::vector<int> counts() const { return {grid_.counts().begin(), grid_.counts().end()}; }

  /// (points, 3): the positions in steps of the mesh.
  [[nodiscard]] nb::object points() const {
    std::vector<std::int32_t> points;
    for (const MeshLine& line : lines_)
      for (Index k = line.k.begin; k < line.k.end; ++k)
        points.insert(points.end(), {line.i, line.j, static_cast<std::int32_t>(k)});
    return int_array(std::move(points), 3);
  }

  [[nodiscard]] nb::dict partition(int parts, const std::string& method, int ranks_per_node, bool two_level,
                                   bool reorder) const {
    std::vector<int> nodes;
    for (int part = 0; part < parts; ++part) nodes.push_back(ranks_per_node > 0 ? part / ranks_per_node : 0);
    MeshPartitionOptions options;
    options.method = mesh_partition_method_named(method);
    options.two_level = two_level;
    options.reorder = reorder;
    std::vector<std::int32_t> owner;
    MeshPartitionStatistics statistics;
    {
      nb::gil_scoped_release release;
      owner = partition_mesh(grid_, lines_, graph_, nodes, options);
      statistics = partition_statistics(graph_, owner, nodes);
    }
    nb::dict d;
    d["parts"] = parts_of(statistics);
    d["edge_cut"] = statistics.edge_cut;
    d["between_nodes"] = statistics.between_nodes;
    d["owner"] = int_array(std::move(owner), 1);
    return d;
  }

 private:
  MeshGrid grid_;
  StencilPattern pattern_;
  std::vector<MeshLine> lines_;
  MeshGraph graph_;
};

std::array<double, 4> fit_halo(const std::vector<std::tuple<double, int, double>>& samples) {
  std::vector<HaloSample> given;
  for (const auto& [volume, reach, points] : samples) given.push_back({volume, reach, points});
  return fit_halo_size(given).coefficients;
}

}  // namespace

void add_mesh_functions(nb::module_& m) {
  m.def("fit_halo", fit_halo, nb::arg("samples"),
        "Fits p = alpha d^3 + beta d^2 V^(1/3) + gamma d V^(2/3) + delta V to samples (V, d, p): the coefficients.");
  m.def(
      "halo_points",
      [](const std::array<double, 4>& coefficients, double volume, int reach) {
        return HaloSizeModel{coefficients}.points(volume, reach);
      },
      nb::arg("coefficients"), nb::arg("volume"), nb::arg("reach"),
      "p of this formula for a part of V = volume points and differences of d = reach points on each side.");
  m.def(
      "halo_seconds_as_printed",
      [](double latency, double overhead, double gap, double gap_per_byte, double neighbours, double points) {
        return halo_seconds_as_printed({latency, overhead, gap, gap_per_byte}, neighbours, points);
      },
      nb::arg("latency"), nb::arg("overhead"), nb::arg("gap"), nb::arg("gap_per_byte"), nb::arg("neighbours"),
      nb::arg("points"), "The LogGP time of a halo exchange with each of the neighbours getting all points, seconds.");
  m.def(
      "halo_seconds",
      [](double latency, double overhead, double gap, double gap_per_byte, const std::vector<Index>& messages) {
        return halo_seconds({latency, overhead, gap, gap_per_byte}, messages);
      },
      nb::arg("latency"), nb::arg("overhead"), nb::arg("gap"), nb::arg("gap_per_byte"), nb::arg("messages"),
      "The LogGP time of a halo exchange with the points of each message, seconds.");
  m.def("mesh_fault", fault_of, nb::arg("problem"),
        "What is wrong with the mesh of a problem (cell, species, atoms, realspace, grid): the key of [basis] and a "
        "text; "
        "None where nothing is.");
  m.def(
      "connecting_radius",
      [](const nb::dict& problem) { return connecting_radius(basis_from(problem).periodic, crystal_from(problem)); },
      nb::arg("problem"), "The radius (bohr) from which on spheres around all atoms of a problem are one piece.");
  nb::class_<MeshGraphOfPoints>(m, "MeshGraph", "The points of a mesh in real space and its stencil graph.")
      .def(nb::init<const nb::dict&>(), nb::arg("problem"),
           "Of a problem the cell, species, atoms, realspace and grid (points per lattice vector).")
      .def_prop_ro("num_points", &MeshGraphOfPoints::num_points, "Points of the mesh.")
      .def_prop_ro("counts", &MeshGraphOfPoints::counts, "Points per lattice vector.")
      .def("points", &MeshGraphOfPoints::points, "(points, 3): i, j, k of all points, rising.")
      .def("partition", &MeshGraphOfPoints::partition, nb::arg("parts"), nb::arg("method"),
           nb::arg("ranks_per_node") = 0, nb::arg("two_level") = true, nb::arg("reorder") = true,
           "Points, inner points, ghosts, neighbours and ghosts from each neighbour (messages) of each part, edge_cut, "
           "ghosts from other nodes, and the owner of each point. ranks_per_node 0: one node. Needs no MPI.");
}
