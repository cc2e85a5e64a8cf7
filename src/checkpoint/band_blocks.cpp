#include <algorithm>

#include <wavegrid/base/error.hpp>
#include <wavegrid/checkpoint/band_blocks.hpp>
#include <wavegrid/checkpoint/g_order.hpp>
#include <wavegrid/wavefunctions/wave_transfer.hpp>

namespace wavegrid {

namespace {

using Complex = std::complex<double>;
constexpr Index wave_bytes = sizeof(Complex);
/// Only aggregators have partners: in a collective exchange all other ranks would take part without need.
constexpr Transport to_aggregators = Transport::pairwise;

/// Bands first, first + 1, ... in `sets` sets of `width`: band of set s and aggregator a is first + s width + a.
struct BandSets {
  Index first, width, sets;
  [[nodiscard]] Index band(Index set, int aggregator) const { return first + set * width + aggregator; }
};

/// Whole sets of one band for each aggregator, then a set of the remaining bands.
std::vector<BandSets> sets_of(Index bands, int aggregators) {
  const Index whole = bands / aggregators, rest = bands % aggregators;
  std::vector<BandSets> all;
  if (whole > 0) all.push_back({0, aggregators, whole});
  if (rest > 0) all.push_back({whole * aggregators, rest, 1});
  return all;
}

/// The number of sets in one exchange: send buffer, receive buffer and target together stay below the buffer size, or
/// it is one set. Collective.
Index sets_at_once(const BandExchange& traffic, const BandSets& sets, Index my_waves, Index block) {
  const Index largest = traffic.comm.max(std::max(block, std::min(my_waves, block) * sets.width));
  return std::clamp<Index>(traffic.buffer_bytes / (2 * wave_bytes * std::max<Index>(largest, 1)), 1, sets.sets);
}

/// The part of a set on this aggregator: one band, at the G-vectors of the block.
WaveList file_side(const Aggregators& aggregators, const BandSets& sets, std::span<const Int3> g, Mode mode) {
  const bool part = aggregators.active() && aggregators.mine < sets.width;
  if (!part) return {.mode = mode};
  return {g, {aggregators.mine, aggregators.mine + 1}, mode};
}

std::string name_of_block(const std::string& dataset, int k, int spin, Index band) {
  return dataset + " of k-point " + std::to_string(k + 1) + ", spin " + std::to_string(spin + 1) + ", band " +
         std::to_string(band + 1);
}

/// Writes and reads the coefficients of one block, which are in double precision in the file.
class Rows {
 public:
  explicit Rows(Index length) : length_(length) {}

  template <class T>
  void write(CheckpointFile& file, const FileLayout::BlockOffsets& place, const T* row) {
    if constexpr (std::is_same_v<T, Complex>) {
      file.write_block(place, row, length_ * wave_bytes);
    } else {
      file.errors.run([&] { double_.assign(row, row + length_); });
      file.write_block(place, double_.data(), length_ * wave_bytes);
    }
  }
  template <class T>
  void read(CheckpointFile& file, const FileLayout::BlockOffsets& place, T* row, const std::string& what) {
    if constexpr (std::is_same_v<T, Complex>) {
      file.read_numbers(place, numbers(row), what);
    } else {
      file.errors.run([&] { double_.resize(static_cast<std::size_t>(length_)); });
      file.read_numbers(place, numbers(double_.data()), what);
      std::copy(double_.begin(), double_.end(), row);
    }
  }

 private:
  /// Real and imaginary parts, one after the other.
  [[nodiscard]] std::span<double> numbers(Complex* row) const {
    return {reinterpret_cast<double*>(row), 2 * static_cast<std::size_t>(length_)};
  }

  Index length_;
  std::vector<Complex> double_;
};

/// Calls exchange(first set, sets) for one piece after the other.
template <class Exchange>
void in_pieces(const BandSets& sets, Index at_once, Exchange exchange) {
  for (Index set = 0; set < sets.sets; set += at_once) exchange(set, std::min(at_once, sets.sets - set));
}

template <class S>
void write_block_of_bands(const BandExchange& traffic, CheckpointFile& file, const RankBands<const S>& mine, Index b,
                          const std::vector<Int3>& g) {
  const Aggregators& aggregators = traffic.aggregators;
  const Index waves = static_cast<Index>(mine.g.size()), length = static_cast<Index>(g.size());
  Rows rows(length);
  for (const BandSets& sets : sets_of(file.layout.bands(), aggregators.count)) {
    const WaveList target = file_side(aggregators, sets, g, mine.mode);
    WaveTransfer transfer(traffic.comm, {mine.g, {0, sets.width}, mine.mode}, target, {}, to_aggregators);
    file.errors.run([&] {
      if (transfer.missing() > 0)
        throw internal_error("checkpoint: " + std::to_string(transfer.missing()) + " plane waves of k-point " +
                             std::to_string(mine.k + 1) + " are on no rank");
    });
    const Index at_once = sets_at_once(traffic, sets, waves, file.layout.block(file.layout.waves(mine.k), b).size());
    std::vector<ComplexOf<S>> buffer(static_cast<std::size_t>(at_once * target.size()));
    for (const SpinBands<const S>& one : mine.spins)
      in_pieces(sets, at_once, [&](Index set, Index count) {
        transfer.forward(coefficients(one.bands) + sets.band(set, 0) * waves, buffer.data(), count,
                         WaitPolicy::sleeping);
        if (target.size() == 0) return;
        for (Index i = 0; i < count; ++i)
          rows.write(file, file.layout.coefficients(sets.band(set + i, aggregators.mine), one.spin, mine.k, b),
                     buffer.data() + i * length);
      });
  }
}

template <class S>
void clear(const BandView<S>& bands) {
  std::fill_n(bands.data, bands.rows * bands.count, S(0));
}

template <class S>
void read_block_of_bands(const BandExchange& traffic, CheckpointFile& file, Mode mode, const WaveMap& map,
                         const RankBands<S>& mine, Index bands, Index b, const std::vector<Int3>& g) {
  const Aggregators& aggregators = traffic.aggregators;
  const Index waves = static_cast<Index>(mine.g.size()), length = static_cast<Index>(g.size());
  Rows rows(length);
  for (const BandSets& sets : sets_of(bands, aggregators.count)) {
    const WaveList source = file_side(aggregators, sets, g, mode);
    WaveTransfer transfer(traffic.comm, source, {mine.g, {0, sets.width}, mine.mode}, map, to_aggregators);
    if (b == 0 && transfer.missing() > 0)  // coefficients that are in no block stay 0
      for (const SpinBands<S>& one : mine.spins) clear(one.bands.slice(sets.first, sets.sets * sets.width));
    const Index at_once = sets_at_once(traffic, sets, waves, file.layout.block(file.layout.waves(mine.k), b).size());
    std::vector<ComplexOf<S>> buffer(static_cast<std::size_t>(at_once * source.size()));
    for (const SpinBands<S>& one : mine.spins)
      in_pieces(sets, at_once, [&](Index set, Index count) {
        const Index soon = set == 0 ? 0 : set + count;  // the disk reads the next piece while this one is exchanged
        for (Index i = soon; i < std::min(set + 2 * count, sets.sets) && source.size() > 0; ++i)
          file.prefetch(file.layout.coefficients(sets.band(i, aggregators.mine), one.spin, mine.k, b),
                        length * wave_bytes);
        for (Index i = 0; i < count && source.size() > 0; ++i) {
          const Index band = sets.band(set + i, aggregators.mine);
          rows.read(file, file.layout.coefficients(band, one.spin, mine.k, b), buffer.data() + i * length,
                    name_of_block("/wfns/coeffs", mine.k, one.spin, band));
        }
        transfer.forward(buffer.data(), coefficients(one.bands) + sets.band(set, 0) * waves, count,
                         WaitPolicy::sleeping);
      });
  }
}

/// The G-vectors of a block in the order of the file, on aggregators.
std::vector<Int3> read_gvecs(const BandExchange& traffic, CheckpointFile& file, int k, Index b) {
  if (!traffic.aggregators.active()) return {};
  std::vector<Int3> g(static_cast<std::size_t>(file.layout.block(file.layout.waves(k), b).size()));
  file.read_gvecs(file.layout.gvecs(k, b), g, "/wfns/gvecs of k-point " + std::to_string(k + 1));
  if (file.errors.failed()) g.clear();
  return g;
}

}  // namespace

template <class S>
void write_bands(const BandExchange& traffic, CheckpointFile& file, const GSphere& sphere,
                 const RankBands<const S>& mine) {
  const GOrder order(sphere);
  const bool with_gvecs = std::any_of(mine.spins.begin(), mine.spins.end(), [](const auto& s) { return s.spin == 0; });
  file.open(traffic.aggregators.active(), true);
  for (Index b = 0; b < file.layout.num_blocks(order.size()); ++b) {
    std::vector<Int3> g;
    if (traffic.aggregators.active()) g = order.range(file.layout.block(order.size(), b));
    if (with_gvecs && traffic.aggregators.has(b))
      file.write_block(file.layout.gvecs(mine.k, b), g.data(), static_cast<Index>(g.size() * sizeof(Int3)));
    write_block_of_bands(traffic, file, mine, b, g);
  }
}

template <class S>
void read_bands(const BandExchange& traffic, CheckpointFile& file, Mode mode, const WaveMap& map,
                const RankBands<S>& mine) {
  Index bands = file.layout.bands();
  for (const SpinBands<S>& one : mine.spins) bands = std::min(bands, one.bands.count);
  for (const SpinBands<S>& one : mine.spins) clear(one.bands.slice(bands, one.bands.count - bands));
  file.open(traffic.aggregators.active(), false);
  for (Index b = 0; b < file.layout.num_blocks(file.layout.waves(mine.k)); ++b) {
    const std::vector<Int3> g = read_gvecs(traffic, file, mine.k, b);
    read_block_of_bands(traffic, file, mode, map, mine, bands, b, g);
  }
}

#define WAVEGRID_INSTANTIATE(S)                                                                               \
  template void write_bands(const BandExchange&, CheckpointFile&, const GSphere&, const RankBands<const S>&); \
  template void read_bands(const BandExchange&, CheckpointFile&, Mode, const WaveMap&, const RankBands<S>&);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
