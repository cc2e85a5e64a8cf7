// Values between localised boxes and the grid of the whole cell.
//
// A box is on one rank, and the grid is distributed over all ranks in any layout. The union of the points of a rank's
// boxes is exchanged with their owners, one message per partner. ONETEP calls the operations
// deposition and extraction (C.-K. Skylaris et al., J. Chem. Phys. 122, 084119 (2005), 10.1063/1.1839852).
#pragma once

#include <memory>
#include <vector>

#include <wavegrid/boxes/box.hpp>
#include <wavegrid/boxes/box_values.hpp>
#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/exchange/transport.hpp>

namespace wavegrid {

struct BoxOptions {
  /// Deposits give the same bits for any number of ranks, threads and any layout: each value is sent and added by
  /// rising number of its box; the numbers of all boxes must differ.
  bool deterministic = false;
  int threads = 1;  ///< one of them calls MPI
  Transport transport = Transport::shared;
};

/// What this rank has sent to others.
struct BoxTraffic {
  Index messages = 0;  ///< those of collectives included
  Index bytes = 0;
};

/// Moves values between the boxes of each rank and the grid. All calls are collective over the communicator, with the
/// same type and number of fields on all ranks.
///
/// A field on the grid is an array of this rank's points; several fields are one after the other. The values of the
/// boxes are box after box, each (fields, points of the box). T is float, double or a complex of these.
class BoxExchange {
 public:
  /// `my_points`: global indices (x * ny + y) * nz + z of this rank's points, in local order. Collective over `comm`.
  /// Throws bad_input on all ranks if a box has a negative size or is larger than the cell, if a point that is needed
  /// has no owner, if grid or options differ between ranks, or if the thread level of MPI is too low.
  BoxExchange(const Comm& comm, const Int3& grid, const IndexList& my_points, std::vector<Box> my_boxes,
              const BoxOptions& options = {});
  BoxExchange(BoxExchange&&) noexcept;
  ~BoxExchange();

  /// Copies the values of the grid into the boxes.
  template <class T>
  void extract(const T* grid, T* boxes, Index fields = 1);
  /// The same; `read` is called for each box, by many threads, and only the boxes at work are in memory.
  template <class T>
  void extract(const T* grid, const ReadBox<T>& read, Index fields = 1);

  /// Adds the values of the boxes to the grid. Throws bad_input on all ranks if a value is not a number; the grid is
  /// then undefined.
  template <class T>
  void deposit(const T* boxes, T* grid, Index fields = 1);
  /// The same; `fill` is called for each box, by many threads, and only the boxes at work are in memory.
  template <class T>
  void deposit(const FillBox<T>& fill, T* grid, Index fields = 1);

  /// integrals[b] = the sum over the points r of box b of conj(boxes_b(r)) grid(r), in the order of the points. Throws
  /// bad_input on all ranks if a result is not a number.
  template <class T>
  void integrate(const T* grid, const T* boxes, T* integrals);

  [[nodiscard]] const std::vector<Box>& boxes() const;  ///< of this rank
  /// The values of this rank's boxes before box b, for one field; that of all boxes if b is their number.
  [[nodiscard]] Index offset(std::size_t b) const;
  /// The different points of this rank's boxes.
  [[nodiscard]] Index union_size() const;
  /// Since the construction, on this rank; values, not the plan.
  [[nodiscard]] BoxTraffic traffic() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace wavegrid
