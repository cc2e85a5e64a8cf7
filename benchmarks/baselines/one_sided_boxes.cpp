#include "baselines/one_sided_boxes.hpp"

#include <algorithm>

namespace wavegrid::bench {

namespace {

/// Runs of equal length at the steps of a two-dimensional array: `rows` groups of `columns` runs.
struct RegularRuns {
  Index rows, columns, row_step, column_step, length;
};

/// Rising runs in that form, if they have it.
std::optional<RegularRuns> regular(const std::vector<Run>& runs) {
  RegularRuns form{1, 1, 1, 1, runs[0].length};
  const auto n = static_cast<Index>(runs.size());
  const auto start = [&](Index i) { return runs[static_cast<std::size_t>(i)].start; };
  if (n > 1) form.column_step = start(1) - start(0);
  while (form.columns < n && start(form.columns) - start(form.columns - 1) == form.column_step) ++form.columns;
  form.rows = n / form.columns;
  form.row_step = form.rows > 1 ? start(form.columns) - start(0) : form.columns * form.column_step;
  const bool fits = form.column_step >= form.length && form.row_step >= form.columns * form.column_step &&
                    form.row_step % form.column_step == 0 && form.rows * form.columns == n;
  if (!fits) return std::nullopt;
  for (Index i = 0; i < n; ++i)
    if (runs[static_cast<std::size_t>(i)].length != form.length ||
        start(i) != start(0) + i / form.columns * form.row_step + i % form.columns * form.column_step)
      return std::nullopt;
  return form;
}

/// Where runs lie, from the start of the first one on: a part of an array if they are regular, else a list.
Datatype spread_of(const std::vector<Run>& runs, MPI_Datatype element) {
  if (const auto form = regular(runs)) {
    const auto whole = [](Index i) { return static_cast<int>(i); };
    return Datatype::subarray({whole(form->rows), whole(form->row_step / form->column_step), whole(form->column_step)},
                              {whole(form->rows), whole(form->columns), whole(form->length)}, {0, 0, 0}, element);
  }
  std::vector<int> lengths, offsets;
  for (const Run& run : runs) {
    lengths.push_back(static_cast<int>(run.length));
    offsets.push_back(static_cast<int>(run.start - runs[0].start));
  }
  return Datatype::runs(lengths, offsets, element);
}

}  // namespace

OneSidedBoxes::OneSidedBoxes(const BoxSetup& setup, BoxMethod method, MpiCalls calls)
    : setup_(setup),
      method_(method),
      mpi_calls_(calls),
      owners_(setup.comm, setup.grid, setup.points),
      field_step_(setup.comm.max(setup.num_points)) {}

std::byte* OneSidedBoxes::open(Index bytes) {
  if (bytes > bytes_per_point_) {
    window_ = Window();
    const bool one_lock = method_ != BoxMethod::lock;
    window_ =
        Window::allocate(setup_.comm, field_step_ * bytes, one_lock ? WindowAccess::always : WindowAccess::locked);
    bytes_per_point_ = bytes;
  }
  return window_.data();
}

std::vector<OneSidedBoxes::Share> OneSidedBoxes::shares_of(const Box& box) const {
  std::vector<Share> shares;
  for_rows(box, setup_.grid, [&](Index point, Index value, Index length) {
    owners_.for_pieces(point, length, [&](int rank, Index local, Index before, Index n) {
      auto share = std::find_if(shares.begin(), shares.end(), [&](const Share& one) { return one.rank == rank; });
      if (share == shares.end()) share = shares.insert(share, Share{rank, 0, {}, {}});
      share->count += n;
      share->pieces.push_back({value + before, n});
      if (!share->runs.empty() && share->runs.back().start + share->runs.back().length == local)
        share->runs.back().length += n;
      else
        share->runs.push_back({local, n});
    });
  });
  return shares;
}

template <class Visit>
void OneSidedBoxes::for_own_pieces(const Share& share, Visit visit) {
  auto run = share.runs.begin();
  Index used = 0;
  for (const auto& [value, length] : share.pieces) {
    visit(run->start + used, value, length);
    used += length;
    if (used == run->length) ++run, used = 0;
  }
}

template <class Access>
void OneSidedBoxes::synchronised(int target, Access access) {
  std::unique_lock<std::mutex> one_at_a_time(calls_, std::defer_lock);
  if (mpi_calls_ != MpiCalls::at_once) one_at_a_time.lock();
  switch (method_) {
    case BoxMethod::lock:
      window_.lock(target);
      access();
      return window_.unlock(target);
    case BoxMethod::flush:
      access();
      return window_.flush(target);
    default:
      access();
      return window_.flush_local(target);
  }
}

template <class T, class Access>
void OneSidedBoxes::move(const Share& share, Index field, Access access) {
  const Index first = field * field_step_ + share.runs[0].start;
  synchronised(share.rank, [&] {
    const bool dense = share.runs.size() == 1;
    const Datatype spread = dense ? Datatype() : spread_of(share.runs, mpi_type<T>());
    access(first * static_cast<Index>(sizeof(T)), dense ? nullptr : &spread);
  });
  ++messages_;
  bytes_ += share.count * static_cast<Index>(sizeof(T));
}

template <class T>
void OneSidedBoxes::get(const Share& share, Index field, T* to) {
  AlignedVector<T> arrived(static_cast<std::size_t>(share.count));
  move<T>(share, field, [&](Index offset, const Datatype* spread) {
    window_.get<T>({arrived.data(), share.count, share.rank, offset, spread});
  });
  const T* from = arrived.data();
  for (const auto& [value, length] : share.pieces) {
    std::copy_n(from, length, to + value);
    from += length;
  }
}

template <class T>
void OneSidedBoxes::accumulate(const Share& share, Index field, const T* from) {
  AlignedVector<T> sent(static_cast<std::size_t>(share.count));
  T* to = sent.data();
  for (const auto& [value, length] : share.pieces) to = std::copy_n(from + value, length, to);
  move<T>(share, field, [&](Index offset, const Datatype* spread) {
    window_.accumulate<T>({sent.data(), share.count, share.rank, offset, spread});
  });
}

template <class T, class Fill>
T* OneSidedBoxes::begin(Index fields, Fill fill) {
  T* const memory = reinterpret_cast<T*>(open(fields * static_cast<Index>(sizeof(T))));
  with_own_memory([&] {
    for (Index f = 0; f < fields; ++f) fill(memory + f * field_step_, f);
  });
  setup_.comm.barrier();
  return memory;
}

template <class Access>
void OneSidedBoxes::with_own_memory(Access access) {
  const bool locked = method_ == BoxMethod::lock;
  if (locked)
    window_.lock(setup_.comm.rank(), true);
  else
    window_.sync();
  access();
  if (locked)
    window_.unlock(setup_.comm.rank());
  else
    window_.sync();
}

template <class T>
void OneSidedBoxes::extract(const T* grid, const BoxSink<T>& sink, Index fields) {
  const int threads = setup_.options.threads, me = setup_.comm.rank();
  begin<T>(fields, [&](T* memory, Index f) { std::copy_n(grid + f * setup_.num_points, setup_.num_points, memory); });
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    AlignedVector<T> buffer(static_cast<std::size_t>(sink.is_array() ? 0 : setup_.largest * fields));
#pragma omp for schedule(dynamic)
    for (Index b = 0; b < setup_.num_boxes(); ++b) {
      const auto box = static_cast<std::size_t>(b);
      const Index points = setup_.boxes[box].points();
      T* const to = sink.place(setup_.offsets[box] * fields, buffer);
      for (const Share& share : shares_of(setup_.boxes[box]))
        for (Index f = 0; f < fields; ++f) {
          if (share.rank != me) {
            get(share, f, to + f * points);
            continue;
          }
          for_own_pieces(share, [&](Index local, Index value, Index length) {
            std::copy_n(grid + f * setup_.num_points + local, length, to + f * points + value);
          });
        }
      sink.done(b, {to, static_cast<std::size_t>(points * fields)});
    }
  }
  setup_.comm.barrier();  // the grid of this rank may change only when all have read it
}

template <class T>
void OneSidedBoxes::deposit(const BoxSource<T>& source, T* grid, Index fields, NanSearch& nans) {
  const int threads = setup_.options.threads, me = setup_.comm.rank();
  const T* const arrived = begin<T>(fields, [&](T* memory, Index) { std::fill_n(memory, setup_.num_points, T(0)); });
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    AlignedVector<T> buffer(static_cast<std::size_t>(source.is_array() ? 0 : setup_.largest * fields));
#pragma omp for schedule(dynamic)
    for (Index b = 0; b < setup_.num_boxes(); ++b) {
      const auto box = static_cast<std::size_t>(b);
      const Index points = setup_.boxes[box].points();
      const auto size = static_cast<std::size_t>(points * fields);
      const T* const from =
          source.values(b, setup_.offsets[box] * fields, std::span<T>(buffer).first(source.is_array() ? 0 : size));
      nans.look_at<T>(b, {from, size});
      for (const Share& share : shares_of(setup_.boxes[box]))
        for (Index f = 0; f < fields; ++f) {
          if (share.rank != me) {
            accumulate(share, f, from + f * points);
            continue;
          }
          const std::scoped_lock guard(own_part_);
          for_own_pieces(share, [&](Index local, Index value, Index length) {
            T* const to = grid + f * setup_.num_points + local;
            for (Index i = 0; i < length; ++i) to[i] += from[f * points + value + i];
          });
        }
    }
  }
  if (method_ != BoxMethod::lock) window_.flush();
  setup_.comm.barrier();
  with_own_memory([&] {
    for (Index f = 0; f < fields; ++f)
      for (Index i = 0; i < setup_.num_points; ++i) grid[f * setup_.num_points + i] += arrived[f * field_step_ + i];
  });
}

#define WAVEGRID_INSTANTIATE(T)                                                \
  template void OneSidedBoxes::extract<T>(const T*, const BoxSink<T>&, Index); \
  template void OneSidedBoxes::deposit<T>(const BoxSource<T>&, T*, Index, NanSearch&);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid::bench
