// What BoxExchange does and the methods of published codes with one interface, to be compared.
#pragma once

#include <variant>

#include <wavegrid/boxes/union_boxes.hpp>
#include <wavegrid/mpi/environment.hpp>

#include "baselines/box_methods.hpp"
#include "baselines/one_sided_boxes.hpp"
#include "baselines/two_sided_boxes.hpp"

namespace wavegrid::bench {

struct ComparedBoxOptions {
  BoxMethod method = BoxMethod::planned_union;
  bool deterministic = false;  ///< of planned_union
  int threads = 1;
  /// Which threads call MPI; planned_union always calls it from one, and `lock` never from several at once.
  MpiCalls calls = MpiCalls::in_turn;
  Transport transport = BoxOptions{}.transport;  ///< of planned_union
};

/// Members as in BoxExchange; all are collective.
class ComparedBoxes {
 public:
  /// Throws bad_input on all ranks as BoxExchange() does, and for threads that may not call MPI so.
  ComparedBoxes(const Comm& comm, const Int3& grid, const IndexList& my_points, const std::vector<Box>& my_boxes,
                const ComparedBoxOptions& options = {});
  ComparedBoxes(const ComparedBoxes&) = delete;
  ComparedBoxes& operator=(const ComparedBoxes&) = delete;

  template <class T>
  void extract(const T* grid, T* boxes, Index fields = 1) {
    extract_to<T>(grid, {boxes, nullptr}, fields);
  }
  template <class T>
  void extract(const T* grid, const ReadBox<T>& read, Index fields = 1) {
    extract_to<T>(grid, {nullptr, &read}, fields);
  }
  template <class T>
  void deposit(const T* boxes, T* grid, Index fields = 1) {
    deposit_from<T>({boxes, nullptr}, grid, fields);
  }
  template <class T>
  void deposit(const FillBox<T>& fill, T* grid, Index fields = 1) {
    deposit_from<T>({nullptr, &fill}, grid, fields);
  }

  [[nodiscard]] Index offset(std::size_t b) const { return setup_.offsets[b]; }
  /// What this rank has sent to others, or one-sided, moved from and to them, since the construction. Local.
  [[nodiscard]] BoxTraffic traffic();

 private:
  template <class Action>
  void with_method(Action action);
  template <class T>
  void extract_to(const T* grid, const BoxSink<T>& sink, Index fields);
  template <class T>
  void deposit_from(const BoxSource<T>& source, T* grid, Index fields);

  BoxSetup setup_;
  std::variant<std::monostate, UnionBoxes, TwoSidedBoxes, OneSidedBoxes> method_;
};

}  // namespace wavegrid::bench
