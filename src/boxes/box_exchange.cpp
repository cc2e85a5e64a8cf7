#include "boxes/box_exchange.hpp"

#include <array>
#include <variant>

#include "boxes/one_sided_boxes.hpp"
#include "boxes/two_sided_boxes.hpp"
#include "boxes/union_boxes.hpp"

namespace wavegrid {

namespace {

constexpr std::array methods{BoxMethod::planned_union, BoxMethod::two_sided, BoxMethod::lock, BoxMethod::flush,
                             BoxMethod::flush_local};

std::string text_of(const Int3& sizes) {
  return std::to_string(sizes[0]) + " x " + std::to_string(sizes[1]) + " x " + std::to_string(sizes[2]);
}

void require_valid(const BoxSetup& setup) {
  const auto refuse = [&](std::size_t b, const std::string& fault) {
    throw bad_input("box " + std::to_string(b) + " of rank " + std::to_string(setup.comm.rank()) + " has " +
                    text_of(setup.boxes[b].size) + " points, " + fault);
  };
  for (std::size_t b = 0; b < setup.boxes.size(); ++b)
    for (std::size_t d = 0; d < 3; ++d) {
      if (setup.boxes[b].size[d] < 0) refuse(b, "a negative size; valid: 0 or more");
      if (setup.boxes[b].size[d] > setup.grid[d])
        refuse(b, "but the cell has " + text_of(setup.grid) + "; valid: at most those of the cell");
    }
  const BoxOptions& options = setup.options;
  if (options.threads < 1)
    throw bad_input("a box exchange on " + std::to_string(options.threads) +
                    " threads is impossible; valid: 1 or more");
  if (options.deterministic && options.method != BoxMethod::planned_union)
    throw bad_input(std::string("the method ") + name_of(options.method) +
                    " is never deterministic; valid: planned_union");
  if (options.method == BoxMethod::lock && options.calls == MpiCalls::at_once)
    throw bad_input("the method lock from several threads at once: MPI allows a rank one lock of a target at a time; " +
                    std::string("valid: flush, flush_local, or calls in turn"));
  require_thread_level(options.threads,
                       options.method == BoxMethod::planned_union ? MpiCalls::by_one_thread : options.calls);
}

/// All ranks have the grid and the options of rank 0. Collective.
void require_equal(const BoxSetup& setup) {
  constexpr std::array names{"number of points along x",
                             "number of points along y",
                             "number of points along z",
                             "method",
                             "deterministic",
                             "transport"};
  const BoxOptions& options = setup.options;
  const std::array<Index, names.size()> mine{setup.grid[0],
                                             setup.grid[1],
                                             setup.grid[2],
                                             static_cast<Index>(options.method),
                                             options.deterministic ? 1 : 0,
                                             static_cast<Index>(options.transport)};
  std::array<Index, names.size()> first(mine);
  setup.comm.broadcast(std::span<Index>(first));
  setup.comm.collectively([&] {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (mine[i] != first[i])
        throw bad_input(std::string("box exchange: the ") + names[i] + " is " + std::to_string(mine[i]) + " on rank " +
                        std::to_string(setup.comm.rank()) + " and " + std::to_string(first[i]) +
                        " on rank 0; it must be the same on all ranks");
  });
}

}  // namespace

std::span<const BoxMethod> box_methods() { return methods; }

const char* name_of(BoxMethod method) {
  constexpr std::array names{"planned_union", "two_sided", "lock", "flush", "flush_local"};
  return names[static_cast<std::size_t>(method)];
}

class BoxExchange::Implementation {
 public:
  explicit Implementation(BoxSetup&& arguments) : setup(std::move(arguments)) {
    setup.comm.collectively([&] { require_valid(setup); });
    require_equal(setup);
    switch (setup.options.method) {
      case BoxMethod::planned_union:
        method.emplace<UnionBoxes>(setup);
        break;
      case BoxMethod::two_sided:
        method.emplace<TwoSidedBoxes>(setup);
        break;
      default:
        method.emplace<OneSidedBoxes>(setup);
    }
  }
  template <class Action>
  void with_method(Action action) {
    std::visit(
        [&](auto& one) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(one)>, std::monostate>) action(one);
        },
        method);
  }
  template <class T>
  void extract(const T* grid, const BoxSink<T>& sink, Index fields) {
    with_method([&](auto& one) { one.template extract<T>(grid, sink, fields); });
  }
  template <class T>
  void deposit(const BoxSource<T>& source, T* grid, Index fields) {
    NanSearch nans;
    with_method([&](auto& one) { one.template deposit<T>(source, grid, fields, nans); });
    nans.agree(setup);
  }

  BoxSetup setup;
  std::variant<std::monostate, UnionBoxes, TwoSidedBoxes, OneSidedBoxes> method;
};

BoxExchange::BoxExchange(const Comm& comm, const Int3& grid, const IndexList& my_points, std::vector<Box> my_boxes,
                         const BoxOptions& options)
    : implementation_(std::make_unique<Implementation>(
          BoxSetup(Comm::private_copy(comm.handle()), grid, my_points, std::move(my_boxes), options))) {}
BoxExchange::BoxExchange(BoxExchange&&) noexcept = default;
BoxExchange::~BoxExchange() = default;

template <class T>
void BoxExchange::extract(const T* grid, T* boxes, Index fields) {
  implementation_->extract<T>(grid, {boxes, nullptr}, fields);
}

template <class T>
void BoxExchange::extract(const T* grid, const ReadBox<T>& read, Index fields) {
  implementation_->extract<T>(grid, {nullptr, &read}, fields);
}

template <class T>
void BoxExchange::deposit(const T* boxes, T* grid, Index fields) {
  implementation_->deposit<T>({boxes, nullptr}, grid, fields);
}

template <class T>
void BoxExchange::deposit(const FillBox<T>& fill, T* grid, Index fields) {
  implementation_->deposit<T>({nullptr, &fill}, grid, fields);
}

template <class T>
void BoxExchange::integrate(const T* grid, const T* boxes, T* integrals) {
  const BoxSetup& setup = implementation_->setup;
  NanSearch nans;
  const ReadBox<T> read = [&](Index box, std::span<const T> values) {
    const std::span<const T> function = setup.part(boxes, box, 1);
    T sum(0);
    for (std::size_t i = 0; i < values.size(); ++i) sum += conjugate(function[i]) * values[i];
    integrals[box] = sum;
    nans.look_at<T>(box, {&sum, 1});
  };
  extract(grid, read);
  nans.agree(setup);
}

const std::vector<Box>& BoxExchange::boxes() const { return implementation_->setup.boxes; }
Index BoxExchange::offset(std::size_t b) const { return implementation_->setup.offsets[b]; }

Index BoxExchange::union_size() const {
  const auto* const planned = std::get_if<UnionBoxes>(&implementation_->method);
  return planned ? planned->points().size() : 0;
}

BoxTraffic BoxExchange::traffic() const {
  BoxTraffic traffic;
  implementation_->with_method([&](const auto& one) { traffic = one.traffic(); });
  return traffic;
}

#define WAVEGRID_INSTANTIATE(T)                                              \
  template void BoxExchange::extract<T>(const T*, T*, Index);                \
  template void BoxExchange::extract<T>(const T*, const ReadBox<T>&, Index); \
  template void BoxExchange::deposit<T>(const T*, T*, Index);                \
  template void BoxExchange::deposit<T>(const FillBox<T>&, T*, Index);       \
  template void BoxExchange::integrate<T>(const T*, const T*, T*);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
