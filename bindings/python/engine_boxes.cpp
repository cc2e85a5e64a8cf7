// Halos and boxes on arrays of numpy.
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <string>
#include <vector>

#include "engine.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace wavegrid;
using namespace wavegrid::python;

namespace {

template <class Array>
std::int64_t length(const Array& array) {
  return static_cast<std::int64_t>(array.size());
}

class ArrayHalo {
 public:
  ArrayHalo(const nb::object& comm, const Read& own, const Read& ghosts, const std::string& transport, int threads)
      : points_(length(own) + length(ghosts)) {
    require({"own", own}, WAVEGRID_INT64);
    require({"ghosts", ghosts}, WAVEGRID_INT64);
    const MPI_Fint ranks = handle_of(comm);
    check_released([&] {
      return wavegrid_plan_from_ghosts_f(ranks, static_cast<const std::int64_t*>(own.data()), length(own),
                                         static_cast<const std::int64_t*>(ghosts.data()), length(ghosts),
                                         transport.c_str(), threads, handle_.out());
    });
  }
  [[nodiscard]] std::int64_t points() const { return points_; }

  void run(int direction, const Write& values) {
    const int type = array_type({"values", values}).value_or(WAVEGRID_DOUBLE);
    require({"values", values}, type);
    std::int64_t width = 1;
    for (std::size_t d = 1; d < values.ndim(); ++d) width *= static_cast<std::int64_t>(values.shape(d));
    if (values.ndim() < 1 || static_cast<std::int64_t>(values.shape(0)) != points_)
      throw nb::type_error(("values has " + std::to_string(values.ndim() < 1 ? 0 : values.shape(0)) +
                            " points; valid: " + std::to_string(points_) + ", own points and ghosts")
                               .c_str());
    check_released([&] {
      return wavegrid_exchange_run(handle_.get(), direction, type, width, values.data(), length(values), values.data(),
                                   length(values));
    });
  }

 private:
  std::int64_t points_;
  Owned<wavegrid_plan, wavegrid_plan_destroy> handle_;
};

class ArrayBoxes {
 public:
  using Int3 = std::array<int, 3>;

  ArrayBoxes(const nb::object& comm, const Int3& grid, const Read& points, const std::vector<Int3>& begins,
             const std::vector<Int3>& sizes, const std::vector<std::int64_t>& numbers, bool deterministic,
             const std::string& transport, int threads) {
    require({"points", points}, WAVEGRID_INT64);
    if (sizes.size() != begins.size() || (!numbers.empty() && numbers.size() != begins.size()))
      throw nb::type_error("begins, sizes and numbers are of different lengths; valid: one entry for each box");
    std::vector<wavegrid_box> list(begins.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      std::copy(begins[i].begin(), begins[i].end(), list[i].begin);
      std::copy(sizes[i].begin(), sizes[i].end(), list[i].size);
      list[i].number = numbers.empty() ? 0 : numbers[i];
    }
    const MPI_Fint ranks = handle_of(comm);
    check_released([&] {
      return wavegrid_boxes_create_f(ranks, grid.data(), static_cast<const std::int64_t*>(points.data()),
                                     length(points), list.data(), static_cast<std::int64_t>(list.size()),
                                     deterministic ? 1 : 0, transport.c_str(), threads, handle_.out());
    });
  }
  [[nodiscard]] std::int64_t size() const {
    std::int64_t values = 0;
    check(wavegrid_boxes_size(handle_.get(), &values));
    return values;
  }
  void extract(const Read& grid, const Write& values) {
    const int type = type_of("grid", grid);
    require({"grid", grid}, type);
    require({"values", values}, type);
    check_released([&] {
      return wavegrid_boxes_extract(handle_.get(), type, grid.data(), length(grid), values.data(), length(values),
                                    fields(grid));
    });
  }
  void deposit(const Read& values, const Write& grid) {
    const int type = type_of("values", values);
    require({"values", values}, type);
    require({"grid", grid}, type);
    check_released([&] {
      return wavegrid_boxes_deposit(handle_.get(), type, values.data(), length(values), grid.data(), length(grid),
                                    fields(grid));
    });
  }

 private:
  template <class Array>
  [[nodiscard]] static int type_of(const char* name, const Array& array) {
    const int type = array_type({name, array}).value_or(WAVEGRID_DOUBLE);
    return type == WAVEGRID_INT64 ? WAVEGRID_DOUBLE : type;
  }
  template <class Array>
  [[nodiscard]] static std::int64_t fields(const Array& array) {
    return ArrayView("grid", array).bands;
  }

  Owned<wavegrid_boxes, wavegrid_boxes_destroy> handle_;
};

}  // namespace

void add_halos_and_boxes(nb::module_& m) {
  nb::class_<ArrayHalo>(m, "Halo", "Ghost points of a mesh or of any graph: filled from, or added to, their owners.")
      .def(nb::init<const nb::object&, const Read&, const Read&, const std::string&, int>(), "comm"_a, "own"_a,
           "ghosts"_a, "transport"_a = "neighbor", "threads"_a = 1,
           "comm of mpi4py; own and ghosts: int64, global numbers of this rank's points and of its ghosts, in local "
           "order. Each number has one owner. Collective. BadInput on all ranks where one has none or two.")
      .def_prop_ro("points", &ArrayHalo::points, "Own points and ghosts.")
      .def(
          "fill", [](ArrayHalo& h, const Write& values) { h.run(WAVEGRID_FORWARD, values); }, "values"_a,
          "values (points, ...), in place: own points, then ghosts, which become their owners' values. Collective.")
      .def(
          "add", [](ArrayHalo& h, const Write& values) { h.run(WAVEGRID_ADJOINT, values); }, "values"_a,
          "values (points, ...), in place: the ghosts of all ranks are added to their owners' points. Collective.");
  nb::class_<ArrayBoxes>(m, "Boxes", "Boxes of points on each rank, anywhere on a periodic grid that is distributed.")
      .def(nb::init<const nb::object&, const ArrayBoxes::Int3&, const Read&, const std::vector<ArrayBoxes::Int3>&,
                    const std::vector<ArrayBoxes::Int3>&, const std::vector<std::int64_t>&, bool, const std::string&,
                    int>(),
           "comm"_a, "grid"_a, "points"_a, "begins"_a, "sizes"_a, "numbers"_a = std::vector<std::int64_t>{},
           "deterministic"_a = false, "transport"_a = "shared", "threads"_a = 1,
           "comm of mpi4py; grid (nx, ny, nz); points: int64, (x ny + y) nz + z of this rank's points in local order; "
           "begins, sizes: (x, y, z) of each of this rank's boxes; deterministic: values are added in the "
           "order of numbers, different ones for the boxes of all ranks, so that sums do not depend on the number of "
           "ranks. Collective.")
      .def_prop_ro("size", &ArrayBoxes::size, "The points of this rank's boxes together.")
      .def("extract", &ArrayBoxes::extract, "grid"_a, "values"_a,
           "Copies grid (points) or (fields, points) to values: box after box, each (fields, x, y, z). Collective.")
      .def("deposit", &ArrayBoxes::deposit, "values"_a, "grid"_a,
           "Adds the values to the grid. Collective. BadInput on all ranks where a value is not a number.");
}
