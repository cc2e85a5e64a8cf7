#include <optional>
#include <string>

#include <wavegrid/checkpoint/field_blocks.hpp>
#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/fft/field_exchange.hpp>

namespace wavegrid {

namespace {

/// Every aggregator has one block of the file at a time: the blocks of one round.
class Round {
 public:
  Round(const Comm& world, const Aggregators& aggregators, const FileLayout& file, const FftLayout& grid, Index first)
      : block_(first + aggregators.mine) {
    const bool part = aggregators.active() && block_ < file.num_blocks(file.points());
    if (part) range_ = file.block(file.points(), block_);
    const IndexList file_indices = part ? IndexList{range_} : IndexList{};
    MatchedRuns runs = match_layouts(world, grid_indices(grid), file_indices, Unowned::leave_out);
    plan_.emplace(world, std::move(runs.sends), std::move(runs.receives), Transport::alltoallv);
    values_.resize(static_cast<std::size_t>(range_.size()));
  }

  void write(CheckpointFile& file, GridField field, int component, const double* values, Index size) {
    plan_->forward(values, values_.data(), {1, size, range_.size()});
    if (!range_.empty()) file.write_block(file.layout.field(field, component, block_), values_.data(), bytes());
  }

  void read(CheckpointFile& file, GridField field, int component, double* values, Index size) {
    if (!range_.empty())
      file.read_numbers(file.layout.field(field, component, block_), values_,
                        std::string("/wavegrid/") + to_string(field));
    plan_->backward(values_.data(), values, {1, size, range_.size()});
  }

 private:
  [[nodiscard]] Index bytes() const { return range_.size() * static_cast<Index>(sizeof(double)); }

  Index block_;
  Range range_;
  std::optional<ExchangePlan> plan_;
  std::vector<double> values_;
};

}  // namespace

void write_fields(const Comm& world, const Aggregators& aggregators, CheckpointFile& file,
                  const CheckpointFields& fields) {
  file.open(aggregators.active(), true);
  const FileLayout& layout = file.layout;
  for (Index first = 0; first < layout.num_blocks(layout.points()); first += aggregators.count) {
    Round round(world, aggregators, layout, fields.layout, first);
    for (int spin = 0; spin < layout.num_fields(); ++spin) {
      const auto s = static_cast<std::size_t>(spin);
      for (const GridField field : layout.fields())
        round.write(file, field, spin, fields.of(field)[s].data(), fields.layout.grid_size());
    }
  }
}

std::vector<std::vector<double>> read_fields(const Comm& world, const Aggregators& aggregators, CheckpointFile& file,
                                             GridField field, const FftLayout& grid) {
  file.open(aggregators.active(), false);
  const FileLayout& layout = file.layout;
  std::vector<std::vector<double>> fields(static_cast<std::size_t>(layout.num_fields()),
                                          std::vector<double>(static_cast<std::size_t>(grid.grid_size())));
  for (Index first = 0; first < layout.num_blocks(layout.points()); first += aggregators.count) {
    Round round(world, aggregators, layout, grid, first);
    for (int spin = 0; spin < layout.num_fields(); ++spin)
      round.read(file, field, spin, fields[static_cast<std::size_t>(spin)].data(), grid.grid_size());
  }
  return fields;
}

}  // namespace wavegrid
