// BoxExchange for C.
#include <complex>
#include <string>
#include <utility>
#include <vector>

#include <wavegrid/boxes/box_exchange.hpp>

#include "call.hpp"
#include "wavegrid.h"

using namespace wavegrid;
using namespace wavegrid::c;

struct wavegrid_boxes {
  Comm comm;
  Index points;  ///< of the grid on this rank
  BoxExchange exchange;

  [[nodiscard]] Index values() const { return exchange.offset(exchange.boxes().size()); }
};

namespace {

/// Calls run(pointer) with a null pointer to numbers of the type.
template <class Run>
void with_type(int type, Run run) {
  switch (type) {
    case WAVEGRID_FLOAT:
      return run(static_cast<float*>(nullptr));
    case WAVEGRID_DOUBLE:
      return run(static_cast<double*>(nullptr));
    case WAVEGRID_COMPLEX_FLOAT:
      return run(static_cast<std::complex<float>*>(nullptr));
    default:
      return run(static_cast<std::complex<double>*>(nullptr));
  }
}

/// Agrees on the arguments of an operation; returns the boxes. Collective.
wavegrid_boxes& agreed(const char* function, wavegrid_boxes* boxes, int type, const void* grid, Index grid_length,
                       const void* values, Index values_length, Index fields) {
  wavegrid_boxes& b = given(boxes, "boxes");
  agree(b.comm, function, "types or numbers of fields", [&] {
    if (type < WAVEGRID_FLOAT || type > WAVEGRID_COMPLEX_DOUBLE)
      throw bad_input("unknown type " + std::to_string(type) +
                      "; valid: WAVEGRID_FLOAT, _DOUBLE, _COMPLEX_FLOAT, _COMPLEX_DOUBLE");
    require_length("grid", grid, grid_length, fields, b.points);
    require_length("values", values, values_length, fields, b.values());
    return Fingerprint().add(type).add(fields);
  });
  return b;
}

}  // namespace

int wavegrid_boxes_create(MPI_Comm comm, const int grid[3], const int64_t* points, int64_t num_points,
                          const wavegrid_box* list, int64_t num_boxes, int deterministic, const char* transport,
                          int threads, wavegrid_boxes** boxes) {
  return guarded([&] {
    clear(boxes);
    const Comm ranks = communicator(comm);
    BoxOptions options;
    std::vector<Box> mine;
    agree(ranks, "wavegrid_boxes_create", "grids, transports or modes", [&] {
      require_given(boxes, "boxes");
      require_given(grid, "grid");
      if (num_points < 0 || num_boxes < 0)
        throw bad_input("num_points is " + std::to_string(num_points) + " and num_boxes " + std::to_string(num_boxes) +
                        "; valid: 0 or more");
      if (num_points > 0) require_given(points, "points");
      if (num_boxes > 0) require_given(list, "list");
      if (threads < 1) throw bad_input("threads is " + std::to_string(threads) + "; valid: 1 or more");
      options = {deterministic != 0, threads, transport_named(&given(transport, "transport"))};
      for (Index i = 0; i < num_boxes; ++i) {
        const wavegrid_box& box = list[i];
        mine.push_back(
            {{box.begin[0], box.begin[1], box.begin[2]}, {box.size[0], box.size[1], box.size[2]}, box.number});
      }
      return Fingerprint().add(std::span<const int>(grid, 3)).add(options.transport).add(deterministic != 0 ? 1 : 0);
    });
    const IndexList own = IndexList::of({points, static_cast<std::size_t>(num_points)});
    *boxes = new wavegrid_boxes{ranks, num_points,
                                BoxExchange(ranks, {grid[0], grid[1], grid[2]}, own, std::move(mine), options)};
  });
}

int wavegrid_boxes_create_f(MPI_Fint comm, const int grid[3], const int64_t* points, int64_t num_points,
                            const wavegrid_box* list, int64_t num_boxes, int deterministic, const char* transport,
                            int threads, wavegrid_boxes** boxes) {
  return wavegrid_boxes_create(MPI_Comm_f2c(comm), grid, points, num_points, list, num_boxes, deterministic, transport,
                               threads, boxes);
}

void wavegrid_boxes_destroy(wavegrid_boxes** boxes) {
  if (!boxes) return;
  delete *boxes;
  *boxes = nullptr;
}

int wavegrid_boxes_size(const wavegrid_boxes* boxes, int64_t* values) {
  return guarded([&] { given(values, "values") = given(boxes, "boxes").values(); });
}

int wavegrid_boxes_extract(wavegrid_boxes* boxes, int type, const void* grid, int64_t grid_length, void* values,
                           int64_t values_length, int64_t fields) {
  return guarded([&] {
    wavegrid_boxes& b = agreed("wavegrid_boxes_extract", boxes, type, grid, grid_length, values, values_length, fields);
    with_type(type,
              [&]<class T>(T*) { b.exchange.extract(static_cast<const T*>(grid), static_cast<T*>(values), fields); });
  });
}

int wavegrid_boxes_deposit(wavegrid_boxes* boxes, int type, const void* values, int64_t values_length, void* grid,
                           int64_t grid_length, int64_t fields) {
  return guarded([&] {
    wavegrid_boxes& b = agreed("wavegrid_boxes_deposit", boxes, type, grid, grid_length, values, values_length, fields);
    with_type(type,
              [&]<class T>(T*) { b.exchange.deposit(static_cast<const T*>(values), static_cast<T*>(grid), fields); });
  });
}
