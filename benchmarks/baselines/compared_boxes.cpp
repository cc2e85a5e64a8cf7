#include "baselines/compared_boxes.hpp"

#include <array>

namespace wavegrid::bench {

namespace {

constexpr std::array methods{BoxMethod::planned_union, BoxMethod::two_sided, BoxMethod::lock, BoxMethod::flush,
                             BoxMethod::flush_local};

void require_calls(const ComparedBoxOptions& options) {
  if (options.method == BoxMethod::lock && options.calls == MpiCalls::at_once)
    throw bad_input("the method lock from several threads at once: MPI allows a rank one lock of a target at a time; " +
                    std::string("valid: flush, flush_local, or calls in turn"));
  require_thread_level(options.threads, options.calls);
}

}  // namespace

std::span<const BoxMethod> box_methods() { return methods; }

const char* to_string(BoxMethod method) {
  constexpr std::array names{"planned_union", "two_sided", "lock", "flush", "flush_local"};
  return names[static_cast<std::size_t>(method)];
}

ComparedBoxes::ComparedBoxes(const Comm& comm, const Int3& grid, const IndexList& my_points,
                             const std::vector<Box>& my_boxes, const ComparedBoxOptions& options)
    : setup_(Comm::private_copy(comm.handle()), grid, my_points, my_boxes,
             {.deterministic = options.deterministic, .threads = options.threads, .transport = options.transport}) {
  setup_.require_valid();
  switch (options.method) {
    case BoxMethod::planned_union:
      method_.emplace<UnionBoxes>(setup_);
      break;
    case BoxMethod::two_sided:
      setup_.comm.collectively([&] { require_calls(options); });
      method_.emplace<TwoSidedBoxes>(setup_);
      break;
    default:
      setup_.comm.collectively([&] { require_calls(options); });
      method_.emplace<OneSidedBoxes>(setup_, options.method, options.calls);
  }
}

template <class Action>
void ComparedBoxes::with_method(Action action) {
  std::visit(
      [&](auto& one) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(one)>, std::monostate>) action(one);
      },
      method_);
}

template <class T>
void ComparedBoxes::extract_to(const T* grid, const BoxSink<T>& sink, Index fields) {
  with_method([&](auto& one) { one.template extract<T>(grid, sink, fields); });
}

template <class T>
void ComparedBoxes::deposit_from(const BoxSource<T>& source, T* grid, Index fields) {
  NanSearch nans;
  with_method([&](auto& one) { one.template deposit<T>(source, grid, fields, nans); });
  nans.agree(setup_);
}

BoxTraffic ComparedBoxes::traffic() {
  BoxTraffic traffic;
  with_method([&](const auto& one) { traffic = one.traffic(); });
  return traffic;
}

#define WAVEGRID_INSTANTIATE(T)                                                   \
  template void ComparedBoxes::extract_to<T>(const T*, const BoxSink<T>&, Index); \
  template void ComparedBoxes::deposit_from<T>(const BoxSource<T>&, T*, Index);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid::bench
