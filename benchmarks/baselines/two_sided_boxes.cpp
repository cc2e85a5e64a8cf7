#include "baselines/two_sided_boxes.hpp"

#include <wavegrid/mpi/request.hpp>

namespace wavegrid::bench {

namespace {

constexpr int box_tag = 97;

}  // namespace

TwoSidedBoxes::TwoSidedBoxes(const BoxSetup& setup)
    : setup_(setup),
      owners_(setup.comm, setup.grid, setup.points),
      steps_(setup.comm.max(setup.num_boxes())),
      mine_(static_cast<std::size_t>(setup.comm.size())),
      theirs_(mine_.size()) {}

void TwoSidedBoxes::exchange_overlaps(const Box& box) {
  for (Overlap& one : mine_) one = {0, box.begin, box.size};
  for_rows(box, setup_.grid, [&](Index point, Index, Index length) {
    owners_.for_pieces(point, length, [&](int rank, Index, Index, Index n) {
      mine_[static_cast<std::size_t>(rank)].points += static_cast<int>(n);
    });
  });
  constexpr int ints = sizeof(Overlap) / sizeof(int);
  MPI_Alltoall(mine_.data(), ints, MPI_INT, theirs_.data(), ints, MPI_INT, setup_.comm.handle());
  traffic_.messages += setup_.comm.size() - 1;
  traffic_.bytes += (setup_.comm.size() - 1) * static_cast<Index>(sizeof(Overlap));
}

template <class Visit, class VisitTheirs>
void TwoSidedBoxes::for_partners(Visit visit, VisitTheirs visit_theirs) const {
  for (int rank = 0; rank < setup_.comm.size(); ++rank) {
    if (rank == setup_.comm.rank()) continue;
    if (theirs_[static_cast<std::size_t>(rank)].points > 0) visit_theirs(rank);
    if (mine_[static_cast<std::size_t>(rank)].points > 0) visit(rank);
  }
}

template <class Visit>
void TwoSidedBoxes::for_points_in(const Box& box, Index fields, Visit visit) const {
  for (Index f = 0; f < fields; ++f)
    for_rows(box, setup_.grid, [&](Index point, Index, Index length) {
      owners_.for_my_pieces(point, length, [&](int, Index local, Index, Index n) { visit(f, local, n); });
    });
}

template <class T>
void TwoSidedBoxes::extract_step(const Box& box, const T* grid, T* values, Index fields) {
  exchange_overlaps(box);
  RequestList requests;
  std::vector<const T*> next(mine_.size(), nullptr);
  const auto receive = [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    const Index count = mine_[r].points * fields;
    T* const buffer = arrived_[rank].get<T>(count);
    next[r] = buffer;
    MPI_Irecv(buffer, static_cast<int>(count), mpi_type<T>(), rank, box_tag, setup_.comm.handle(), requests.add());
  };
  const auto send = [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    const Index count = theirs_[r].points * fields;
    T* const buffer = packed_[rank].get<T>(count);
    T* to = buffer;
    for_points_in(theirs_[r].box(), fields, [&](Index f, Index local, Index n) {
      to = std::copy_n(grid + f * setup_.num_points + local, n, to);
    });
    MPI_Isend(buffer, static_cast<int>(count), mpi_type<T>(), rank, box_tag, setup_.comm.handle(), requests.add());
    ++traffic_.messages;
    traffic_.bytes += count * static_cast<Index>(sizeof(T));
  };
  for_partners(receive, [](int) {});
  for_partners([](int) {}, send);
  requests.wait();
  for (Index f = 0; f < fields; ++f)
    for_rows(box, setup_.grid, [&](Index point, Index value, Index length) {
      owners_.for_pieces(point, length, [&](int rank, Index local, Index before, Index n) {
        T* const to = values + f * box.points() + value + before;
        const auto r = static_cast<std::size_t>(rank);
        const T* const from = rank == setup_.comm.rank() ? grid + f * setup_.num_points + local : next[r];
        std::copy_n(from, n, to);
        if (rank != setup_.comm.rank()) next[r] += n;
      });
    });
}

template <class T>
void TwoSidedBoxes::deposit_step(const Box& box, const T* values, T* grid, Index fields) {
  exchange_overlaps(box);
  RequestList requests;
  std::vector<T*> next(mine_.size(), nullptr);
  const auto prepare = [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    next[r] = packed_[rank].get<T>(mine_[r].points * fields);
  };
  const auto receive = [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    const Index count = theirs_[r].points * fields;
    MPI_Irecv(arrived_[rank].get<T>(count), static_cast<int>(count), mpi_type<T>(), rank, box_tag, setup_.comm.handle(),
              requests.add());
  };
  for_partners(prepare, receive);
  for (Index f = 0; f < fields; ++f)
    for_rows(box, setup_.grid, [&](Index point, Index value, Index length) {
      owners_.for_pieces(point, length, [&](int rank, Index local, Index before, Index n) {
        const T* const from = values + f * box.points() + value + before;
        if (rank != setup_.comm.rank()) {
          T*& to = next[static_cast<std::size_t>(rank)];
          to = std::copy_n(from, n, to);
          return;
        }
        T* const to = grid + f * setup_.num_points + local;
        for (Index i = 0; i < n; ++i) to[i] += from[i];
      });
    });
  const auto send = [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    const Index count = mine_[r].points * fields;
    MPI_Isend(packed_[rank].get<T>(count), static_cast<int>(count), mpi_type<T>(), rank, box_tag, setup_.comm.handle(),
              requests.add());
    ++traffic_.messages;
    traffic_.bytes += count * static_cast<Index>(sizeof(T));
  };
  for_partners(send, [](int) {});
  requests.wait();
  const auto add = [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    const T* from = arrived_[rank].get<T>(theirs_[r].points * fields);
    for_points_in(theirs_[r].box(), fields, [&](Index f, Index local, Index n) {
      T* const to = grid + f * setup_.num_points + local;
      for (Index i = 0; i < n; ++i) to[i] += *from++;
    });
  };
  for_partners([](int) {}, add);
}

template <class T>
void TwoSidedBoxes::extract(const T* grid, const BoxSink<T>& sink, Index fields) {
  const int threads = setup_.options.threads;
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    AlignedVector<T> buffer(static_cast<std::size_t>(sink.is_array() ? 0 : setup_.largest * fields));
#pragma omp for schedule(dynamic)
    for (Index step = 0; step < steps_; ++step) {
      const bool has_box = step < setup_.num_boxes();
      const Box box = has_box ? setup_.boxes[static_cast<std::size_t>(step)] : Box{};
      T* const to = has_box ? sink.place(setup_.offsets[static_cast<std::size_t>(step)] * fields, buffer) : nullptr;
#pragma omp critical(wavegrid_boxes_mpi)
      extract_step(box, grid, to, fields);
      if (has_box) sink.done(step, {to, static_cast<std::size_t>(box.points() * fields)});
    }
  }
}

template <class T>
void TwoSidedBoxes::deposit(const BoxSource<T>& source, T* grid, Index fields, NanSearch& nans) {
  const int threads = setup_.options.threads;
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    AlignedVector<T> buffer(static_cast<std::size_t>(source.is_array() ? 0 : setup_.largest * fields));
#pragma omp for schedule(dynamic)
    for (Index step = 0; step < steps_; ++step) {
      const bool has_box = step < setup_.num_boxes();
      const Box box = has_box ? setup_.boxes[static_cast<std::size_t>(step)] : Box{};
      const auto size = static_cast<std::size_t>(box.points() * fields);
      const T* from = nullptr;
      if (has_box) {
        from = source.values(step, setup_.offsets[static_cast<std::size_t>(step)] * fields,
                             std::span<T>(buffer).first(source.is_array() ? 0 : size));
        nans.look_at<T>(step, {from, size});
      }
#pragma omp critical(wavegrid_boxes_mpi)
      deposit_step(box, from, grid, fields);
    }
  }
}

#define WAVEGRID_INSTANTIATE(T)                                                \
  template void TwoSidedBoxes::extract<T>(const T*, const BoxSink<T>&, Index); \
  template void TwoSidedBoxes::deposit<T>(const BoxSource<T>&, T*, Index, NanSearch&);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid::bench
