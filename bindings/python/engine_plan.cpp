// Exchange plans on arrays of numpy.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>

#include <wavegrid/base/error.hpp>

#include "engine.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace wavegrid;
using namespace wavegrid::python;

namespace {

/// Waits where the program has not.
void end_exchange(wavegrid_exchange** exchange) { (void)wavegrid_exchange_wait(exchange); }

/// Keeps the arrays alive until the exchange has ended.
class ArrayExchange {
 public:
  using Handle = Owned<wavegrid_exchange, end_exchange>;
  ArrayExchange(Handle handle, Write source, Write target)
      : source_(std::move(source)), target_(std::move(target)), handle_(std::move(handle)) {}

  [[nodiscard]] bool test() const {
    if (!handle_.get()) return true;
    int arrived = 0;
    check_released([&] { return wavegrid_exchange_test(handle_.get(), &arrived); });
    return arrived != 0;
  }
  void wait() {
    if (!handle_.get()) return;
    check_released([&] { return wavegrid_exchange_wait(handle_.out()); });
    source_ = {};
    target_ = {};
  }

 private:
  Write source_, target_;
  Handle handle_;  // destroyed first
};

/// Of (bands, elements), or with tuples of (bands, elements, width); 1 where the bands are left out.
std::int64_t bands_in(const char* name, const Write& array, std::int64_t width) {
  if (width != 1 && (array.ndim() < 2 || static_cast<std::int64_t>(array.shape(array.ndim() - 1)) != width))
    throw nb::type_error((std::string(name) + " has another shape; valid: (bands, elements, " + std::to_string(width) +
                          ") or (elements, " + std::to_string(width) + ")")
                             .c_str());
  return array.ndim() > (width != 1 ? 2u : 1u) ? static_cast<std::int64_t>(array.shape(0)) : 1;
}

int direction_named(const std::string& name) {
  if (name == "forward") return WAVEGRID_FORWARD;
  if (name == "backward") return WAVEGRID_BACKWARD;
  if (name == "adjoint") return WAVEGRID_ADJOINT;
  throw bad_input("unknown direction '" + printable(name) + "'; valid: forward, backward, adjoint");
}

class ArrayPlan {
 public:
  using Indices = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

  ArrayPlan(const nb::object& comm, const Read& source, const Read& target, const std::string& transport, int threads) {
    require({"source", source}, WAVEGRID_INT64);
    require({"target", target}, WAVEGRID_INT64);
    const MPI_Fint ranks = handle_of(comm);
    check_released([&] {
      return wavegrid_plan_from_indices_f(
          ranks, static_cast<const std::int64_t*>(source.data()), static_cast<std::int64_t>(source.size()),
          static_cast<const std::int64_t*>(target.data()), static_cast<std::int64_t>(target.size()), transport.c_str(),
          threads, handle_.out());
    });
  }

  ArrayExchange start(const std::string& direction, const Write& source, const Write& target, std::int64_t width) {
    const int type = array_type({"source", source}).value_or(WAVEGRID_DOUBLE), way = direction_named(direction);
    require({"source", source}, type);
    require({"target", target}, type);
    const std::int64_t bands = bands_in("source", source, width), of_target = bands_in("target", target, width);
    if (of_target != bands)
      throw nb::type_error(("source has " + std::to_string(bands) + " bands, target " + std::to_string(of_target) +
                            "; valid: equal first dimensions")
                               .c_str());
    const auto length = [](const Write& array) { return static_cast<std::int64_t>(array.size()); };
    const auto stride = [&](const Write& array) {
      return std::max<std::int64_t>(1, bands > 0 && width > 0 ? length(array) / bands / width : 1);
    };
    ArrayExchange::Handle exchange;
    check_released([&] {
      return wavegrid_exchange_start_tuples(handle_.get(), way, type, width, source.data(), length(source),
                                            stride(source), target.data(), length(target), stride(target), bands,
                                            exchange.out());
    });
    return {std::move(exchange), source, target};
  }
  void run(const std::string& direction, const Write& source, const Write& target, std::int64_t width) {
    start(direction, source, target, width).wait();
  }
  void use(const std::string& transport) {
    check_released([&] { return wavegrid_plan_use(handle_.get(), transport.c_str()); });
  }
  [[nodiscard]] std::string transport() const { return wavegrid_plan_transport(handle_.get()); }
  [[nodiscard]] std::tuple<std::int64_t, std::int64_t> sent() const {
    std::int64_t elements = 0, messages = 0;
    check(wavegrid_plan_sent(handle_.get(), &elements, &messages));
    return {elements, messages};
  }

 private:
  Owned<wavegrid_plan, wavegrid_plan_destroy> handle_;
};

}  // namespace

void add_plans(nb::module_& m) {
  nb::class_<ArrayExchange>(m, "Exchange", "An exchange in progress; neither array may be touched before wait.")
      .def("test", &ArrayExchange::test, "Makes progress; whether all messages have arrived. Local.")
      .def("wait", &ArrayExchange::wait, "Waits for the messages and unpacks them. Collective.");
  nb::class_<ArrayPlan>(m, "ExchangePlan",
                        "Moves values from the layout that owns them to another one: planned once, run many times. All "
                        "members that move data are collective over the communicator.")
      .def(nb::init<const nb::object&, const Read&, const Read&, const std::string&, int>(), "comm"_a, "source"_a,
           "target"_a, "transport"_a = "alltoallv", "threads"_a = 1,
           "comm of mpi4py; source and target: int64, the global index of each of this rank's elements. Each index is "
           "owned by one source; targets may repeat it or leave it out. Collective. EnvironmentFault where mpi4py uses "
           "another MPI library.")
      .def("start", &ArrayPlan::start, "direction"_a, "source"_a, "target"_a, "width"_a = 1,
           "Starts to move (bands, elements) or (elements), with a width (..., width) numbers per element: forward "
           "from source to target, backward from target to "
           "source, adjoint adds target to source. C-contiguous arrays of float32, float64, complex64, complex128 or "
           "int64, used where they are. Collective.")
      .def(
          "forward",
          [](ArrayPlan& p, const Write& source, const Write& target, std::int64_t width) {
            p.run("forward", source, target, width);
          },
          "source"_a, "target"_a, "width"_a = 1, "Moves from source to target. Collective.")
      .def(
          "backward",
          [](ArrayPlan& p, const Write& target, const Write& source, std::int64_t width) {
            p.run("backward", source, target, width);
          },
          "target"_a, "source"_a, "width"_a = 1, "Moves from target to source. Collective.")
      .def(
          "adjoint",
          [](ArrayPlan& p, const Write& target, const Write& source, std::int64_t width) {
            p.run("adjoint", source, target, width);
          },
          "target"_a, "source"_a, "width"_a = 1, "Adds target to source, in ascending order of ranks. Collective.")
      .def("use", &ArrayPlan::use, "transport"_a, "The transport of all following exchanges. Collective.")
      .def_prop_ro("transport", &ArrayPlan::transport, "The name of the present one.")
      .def_prop_ro("sent", &ArrayPlan::sent, "Elements of one band that this rank sends to others, and messages.");
}
