// The sphere of plane waves and its partitions; needs no MPI.
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <array>
#include <tuple>

#include "engine.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace wavegrid;
using namespace wavegrid::python;

void add_layouts(nb::module_& m) {
  nb::class_<Sphere>(
      m, "Sphere",
      "All integer G with |k+G|^2/2 <= ecut; with gamma one half of them, for wave functions that are real in space.")
      .def(nb::init<const std::array<std::array<double, 3>, 3>&, double, const std::optional<std::array<int, 3>>&, bool,
                    const std::array<double, 3>&>(),
           "cell"_a, "ecut"_a, "grid"_a.none() = nb::none(), "gamma"_a = false, "k"_a = std::array<double, 3>{0, 0, 0},
           "cell rows in bohr, ecut in Ha, FFT grid (none: the default one), k in units of the reciprocal vectors.")
      .def_prop_ro("size", &Sphere::size, "Plane waves of all parts.")
      .def_prop_ro("grid", &Sphere::grid, "The FFT grid.")
      .def_prop_ro("gamma", &Sphere::gamma, "Whether it is one half.");
  nb::class_<SpherePartition>(
      m, "Partition", "The sticks of a sphere divided over parts, such as the ranks of a communicator. Needs no MPI.")
      .def(nb::init<const Sphere&, int, const std::string&>(), "sphere"_a, "parts"_a, "scheme"_a = "auto",
           "scheme: greedy, cyclic, balanced, optimized, or auto, the one with the lowest estimated cost.")
      .def_static(
          "from_sticks",
          [](const Sphere& sphere, int parts,
             const nb::ndarray<const int, nb::ndim<2>, nb::c_contig, nb::device::cpu>& owners) {
            return new SpherePartition(sphere, parts, owners.data(), static_cast<std::int64_t>(owners.size()));
          },
          nb::rv_policy::take_ownership, "sphere"_a, "parts"_a, "owners"_a,
          "With a stick map of one's own: owners (nz, ny) int32, in FFT order, the part of each line of plane waves "
          "along "
          "x, -1 where the sphere has none.")
      .def_prop_ro("scheme", &SpherePartition::scheme, "The name of the scheme, also of auto's choice.")
      .def_prop_ro("reason", &SpherePartition::reason, "Why this scheme.")
      .def_prop_ro("parts", &SpherePartition::parts, "The number of parts.")
      .def_prop_ro(
          "shape",
          [](const SpherePartition& p) {
            const wavegrid_statistics found = p.statistics();
            return std::tuple{found.rows, found.columns};
          },
          "Rows and columns of the process grid: part = row * columns + column.")
      .def("size", &SpherePartition::size, "part"_a, "Plane waves of a part.")
      .def("g", &SpherePartition::g, "part"_a, "(size, 3) integers: G of a part's plane waves in their order.")
      .def("kinetic", &SpherePartition::kinetic, "part"_a, "(size): |k+G|^2/2 of a part's plane waves, Ha.");
}
