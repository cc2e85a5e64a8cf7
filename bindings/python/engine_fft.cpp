// The FFT of wave functions on arrays of numpy.
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <array>
#include <tuple>

#include <wavegrid/base/error.hpp>

#include "engine.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace wavegrid;
using namespace wavegrid::python;

namespace {

class ArrayFft {
 public:
  ArrayFft(const nb::object& comm, const SpherePartition& partition, const std::string& precision,
           const std::string& transport, int threads)
      : single_(is_single(precision)), gamma_(partition.gamma()) {
    const MPI_Fint ranks = handle_of(comm);
    check_released([&] {
      return wavegrid_fft_create_f(ranks, partition.handle(), real_type(), transport.c_str(), threads, handle_.out());
    });
  }

  /// On G-vectors of the caller.
  ArrayFft(const nb::object& comm, const std::array<int, 3>& grid, const Read& g, bool gamma,
           const std::string& precision, const std::string& transport, int threads)
      : single_(is_single(precision)), gamma_(gamma) {
    const auto int32 = nb::dtype<std::int32_t>();
    if (g.dtype() != int32 || g.ndim() != 2 || g.shape(1) != 3 || !ArrayView("g", g).contiguous)
      throw nb::type_error("g has another type or shape; valid: C-contiguous int32 (plane waves, 3)");
    const MPI_Fint ranks = handle_of(comm);
    check_released([&] {
      return wavegrid_fft_create_from_g_f(ranks, grid.data(), gamma ? WAVEGRID_MODE_GAMMA : WAVEGRID_MODE_COMPLEX,
                                          static_cast<const int*>(g.data()), static_cast<std::int64_t>(g.shape(0)),
                                          real_type(), transport.c_str(), threads, handle_.out());
    });
  }

  [[nodiscard]] std::int64_t size() const {
    std::int64_t waves = 0;
    check(wavegrid_fft_size(handle_.get(), &waves, nullptr));
    return waves;
  }
  [[nodiscard]] wavegrid_grid_block block() const {
    wavegrid_grid_block found;
    check(wavegrid_fft_grid_block(handle_.get(), &found));
    return found;
  }
  [[nodiscard]] std::tuple<std::int64_t, std::int64_t, std::int64_t> grid_shape() const {
    const wavegrid_grid_block b = block();
    return {b.x_end - b.x_begin, b.y_end - b.y_begin, b.nz};
  }
  [[nodiscard]] std::string transport() { return wavegrid_fft_transport(handle_.get()); }
  [[nodiscard]] std::string transport_reason() { return wavegrid_fft_transport_reason(handle_.get()); }

  void to_real(const Read& psi, const Write& values) {
    require({"psi", psi}, complex_type());
    require({"values", values}, value_type());
    check_released([&] {
      return wavegrid_fft_to_real(handle_.get(), value_type(), psi.data(), length(psi), values.data(), length(values),
                                  bands(psi));
    });
  }
  void to_recip(const Read& values, const Write& psi) {
    require({"values", values}, value_type());
    require({"psi", psi}, complex_type());
    check_released([&] {
      return wavegrid_fft_to_recip(handle_.get(), value_type(), values.data(), length(values), psi.data(), length(psi),
                                   bands(psi));
    });
  }
  void apply_local(const Read& psi, const Read& potential, const Write& out) {
    require({"psi", psi}, complex_type());
    require({"potential", potential}, real_type());
    require({"out", out}, complex_type());
    check_released([&] {
      return wavegrid_fft_apply_local(handle_.get(), complex_type(), psi.data(), length(psi), potential.data(),
                                      length(potential), out.data(), length(out), bands(psi));
    });
  }
  void accumulate_density(const Read& psi, const Read& weights, const Write& density) {
    require({"psi", psi}, complex_type());
    require({"weights", weights}, WAVEGRID_DOUBLE);
    require({"density", density}, WAVEGRID_DOUBLE);
    check_released([&] {
      return wavegrid_fft_accumulate_density(handle_.get(), complex_type(), psi.data(), length(psi),
                                             static_cast<const double*>(weights.data()), length(weights),
                                             static_cast<double*>(density.data()), length(density), bands(psi));
    });
  }

 private:
  [[nodiscard]] static bool is_single(const std::string& precision) {
    if (precision != "single" && precision != "double")
      throw bad_input("unknown precision '" + printable(precision) + "'; valid: double, single");
    return precision == "single";
  }
  [[nodiscard]] int real_type() const { return single_ ? WAVEGRID_FLOAT : WAVEGRID_DOUBLE; }
  [[nodiscard]] int complex_type() const { return single_ ? WAVEGRID_COMPLEX_FLOAT : WAVEGRID_COMPLEX_DOUBLE; }
  [[nodiscard]] int value_type() const { return gamma_ ? real_type() : complex_type(); }
  template <class Array>
  [[nodiscard]] static std::int64_t bands(const Array& array) {
    return ArrayView("", array).bands;
  }
  template <class Array>
  [[nodiscard]] static std::int64_t length(const Array& array) {
    return static_cast<std::int64_t>(array.size());
  }

  bool single_, gamma_;
  Owned<wavegrid_fft, wavegrid_fft_destroy> handle_;
};

}  // namespace

void add_transforms(nb::module_& m) {
  nb::class_<ArrayFft>(
      m, "SphereFft",
      "The FFT between a rank's plane waves and its block of the grid. Backward (to_real) has no factor, forward 1/N. "
      "Arrays are C-contiguous, of the transform's precision, and used where they are; all transforms are collective.")
      .def(nb::init<const nb::object&, const SpherePartition&, const std::string&, const std::string&, int>(), "comm"_a,
           "partition"_a, "precision"_a = "double", "transport"_a = "auto", "threads"_a = 1,
           "comm of mpi4py with as many ranks as parts; precision double or single. Collective. EnvironmentFault where "
           "mpi4py uses another MPI library.")
      .def_static(
          "from_g",
          [](const nb::object& comm, const std::array<int, 3>& grid, const Read& g, bool gamma,
             const std::string& precision, const std::string& transport,
             int threads) { return new ArrayFft(comm, grid, g, gamma, precision, transport, threads); },
          nb::rv_policy::take_ownership, "comm"_a, "grid"_a, "g"_a, "gamma"_a = false, "precision"_a = "double",
          "transport"_a = "auto", "threads"_a = 1,
          "On a list of G-vectors of one's own, g (size, 3) int32 on each rank, in any order, which is that of psi. "
          "With "
          "gamma either of G and -G. Collective. BadInput on all ranks for a G outside of the grid or given twice.")
      .def_prop_ro("size", &ArrayFft::size, "Plane waves of this rank.")
      .def_prop_ro("grid_shape", &ArrayFft::grid_shape, "This rank's block of the grid: points along x, y and z.")
      .def_prop_ro(
          "grid_start",
          [](const ArrayFft& fft) {
            const wavegrid_grid_block b = fft.block();
            return std::tuple<std::int64_t, std::int64_t, std::int64_t>{b.x_begin, b.y_begin, 0};
          },
          "Indices of its first point in the whole grid.")
      .def("to_real", &ArrayFft::to_real, "psi"_a, "values"_a,
           "psi (bands, size) complex to values (bands, *grid_shape): complex, with gamma real.")
      .def("to_recip", &ArrayFft::to_recip, "values"_a, "psi"_a, "The way back.")
      .def("apply_local", &ArrayFft::apply_local, "psi"_a, "potential"_a, "out"_a,
           "out = forward(potential * backward(psi)); potential (*grid_shape) real; out may be psi.")
      .def("accumulate_density", &ArrayFft::accumulate_density, "psi"_a, "weights"_a, "density"_a,
           "density += sum_n weights[n] |psi_n(r)|^2; weights (bands) and density (*grid_shape) float64.")
      .def_prop_ro("transport", &ArrayFft::transport, "The name of the transport; auto before it is chosen.")
      .def_prop_ro("transport_reason", &ArrayFft::transport_reason, "Why this one.");
}
