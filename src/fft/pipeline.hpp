// The compact FFT of blocks of bands, step by step: sticks, planes, lines, the operation on the grid, and back.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <vector>

#include <wavegrid/base/profile.hpp>
#include <wavegrid/fft/fft_layout.hpp>
#include <wavegrid/fft/line_stage.hpp>
#include <wavegrid/fft/plane_stage.hpp>
#include <wavegrid/fft/stick_stage.hpp>
#include <wavegrid/fft/workspace.hpp>
#include <wavegrid/mpi/process_grid.hpp>

namespace wavegrid {

/// How the pipeline is built.
struct PipelineOptions {
  Transport transport = Transport::alltoallv;  ///< of the first exchanges
  int threads = 1;
  Index block = 0;      ///< bands that are exchanged together; 0: chosen by the size of messages and buffers
  bool overlap = true;  ///< while one block is exchanged, others are transformed
  PlanEffort effort = PlanEffort::measure;
  bool pairs = false;                                 ///< whether runs may have Route::pairs
  Profile* profile = nullptr;                         ///< to which time is added, optional
  std::shared_ptr<FftWorkspace> workspace = nullptr;  ///< null: its own
};

/// Transforms bands to the grid and back. Several blocks are in the pipeline at once, each at a different step, so that
/// one block is exchanged while the others are transformed; a single rank processes one band after the other instead,
/// so that each stays in cache.
template <class Real>
class Pipeline {
 public:
  using Complex = std::complex<Real>;

  /// The operation on a tile of lines (tile.count, line_row) on the grid; `band` is the first band in the lines.
  /// With Route::pairs it is the first of a pair: in Mode::gamma both are in the lines, a + i b, else the lines of b
  /// are lines_size() behind those of a.
  using OnTile = std::function<void(Complex* lines, const Tile& tile, Index band)>;
  /// Which halves of the transform are done. These are flags, because a rank without plane waves may pass null pointers
  /// but still calls run().
  struct Route {
    bool to_grid = false;
    bool to_sphere = false;
    bool accumulates = false;         ///< bands are summed on the grid: no two threads may work on the same point
    bool pairs = false;               ///< on_tile gets two consecutive bands at a time
    const Complex* from = nullptr;    ///< coefficients to transform to the grid
    Complex* to = nullptr;            ///< coefficients transformed back
    const Real* potential = nullptr;  ///< on the local grid, if on_tile only multiplies by it
  };

  /// Collective over the process grid.
  Pipeline(const ProcessGrid& ranks, const Partition& partition, const GSphere& sphere, const PipelineOptions& options);

  /// Collective.
  void run(const Route& route, Index bands, const OnTile& on_tile);
  [[nodiscard]] Transport transport() const { return to_planes_.transport(); }
  /// The transport from the next run on, on which the ranks have agreed. Local.
  void use_agreed(Transport transport);
  /// Frees the resources of all transports but the current one. Collective.
  void release_other_transports();

  [[nodiscard]] const FftLayout& layout() const { return layout_; }
  [[nodiscard]] Index size() const { return size_; }  ///< plane waves of this rank
  /// Bands in the pipeline when every slot has a block.
  [[nodiscard]] Index capacity() const { return block_ * static_cast<Index>(slots_.size()); }
  [[nodiscard]] bool single_rank() const { return single_rank_; }
  [[nodiscard]] Index lines_size() const { return lines_.lines_size(); }
  [[nodiscard]] FftWorkspace& workspace() { return *workspace_; }
  [[nodiscard]] const std::shared_ptr<FftWorkspace>& shared_workspace() const { return workspace_; }
  /// What a part sends to others for one band, both transposes together. Pure.
  struct Traffic {
    bool single_rank = true;  ///< there is no other part
    bool sticks_stay = true;  ///< the first transpose moves nothing on this part
    Index elements = 0;       ///< of the larger transpose
    Index messages = 0;       ///< of the one with more
  };
  /// Bands that are exchanged together, and bytes of the work arrays on the part of `layout`. Pure.
  struct Size {
    Index block = 1;
    double bytes = 0;
  };
  [[nodiscard]] static Size size_of(const FftLayout& layout, const Partition& partition,
                                    const PipelineOptions& options);

  [[nodiscard]] bool exchanges() const { return !to_planes_.is_identity() || !to_sections_.is_identity(); }
  [[nodiscard]] const ExchangePlan& to_planes() const { return to_planes_; }
  [[nodiscard]] const ExchangePlan& to_sections() const { return to_sections_; }

 private:
  enum class Step { sticks_out, planes_out, tiles, whole_planes, planes_back, sticks_back };
  /// The data, at one stage, of the bands that share one complex transform: two in Gamma mode, else one.
  struct Group {
    Complex* data;
    Index stride;  ///< elements from band to band
    Index bands;
    Index first;  ///< number of the first band
    [[nodiscard]] Complex* at(Index i) const { return data + i * stride; }
  };
  /// One block of bands in the pipeline.
  struct Slot {
    Index sticks = 0, arrived = 0, columns = 0, section = 0;  ///< offsets of its arrays in the workspace
    Index first = 0, count = 0;                               ///< its bands
    Exchange exchange;
  };

  [[nodiscard]] std::vector<Step> steps_of(const Route& route) const;
  [[nodiscard]] static Traffic traffic_of(const FftLayout& layout, const Partition& partition);
  [[nodiscard]] static std::size_t num_slots(const FftLayout& layout, bool single_rank, const PipelineOptions& options);
  [[nodiscard]] static Index block_for(const FftLayout& layout, const Traffic& traffic, const PipelineOptions& options);
  [[nodiscard]] Index place_arrays();
  void run_band_by_band(const Route& route, Index bands, const OnTile& on_tile);
  void perform(Step step, const Route& route, Slot& slot, const OnTile& on_tile);
  void sticks_out(const Route& route, Slot& slot);
  void planes_out(Slot& slot);
  void whole_planes(const Route& route, Slot& slot, const OnTile& on_tile);
  void tiles(const Route& route, Slot& slot, const OnTile& on_tile);
  void planes_back(Slot& slot);
  void sticks_back(const Route& route, Slot& slot);
  void start_exchange(ExchangePlan& plan, ExchangeDirection direction, Slot& slot);
  void progress();
  void plane(const Route& route, const Group& arrived, Index x, Complex* work, const OnTile& on_tile) const;
  void lines(const Route& route, const Group& section, Index section_x, Complex* work, Index x,
             const OnTile& on_tile) const;

  [[nodiscard]] Index bands_per_transform() const { return layout_.mode == Mode::gamma ? 2 : 1; }
  /// Bands that are on the grid together.
  [[nodiscard]] Index group_size(const Route& route) const { return route.pairs ? 2 : bands_per_transform(); }
  [[nodiscard]] static Index largest_group(const FftLayout& layout, const PipelineOptions& options) {
    return layout.mode == Mode::gamma || options.pairs ? 2 : 1;
  }
  [[nodiscard]] Complex* thread_work();
  [[nodiscard]] Real scale() const;
  /// The arrays of a block. If the first transpose moves nothing, arrived() is the same array as sticks().
  [[nodiscard]] Complex* sticks(const Slot& slot) const { return arrays_ + slot.sticks; }
  [[nodiscard]] Complex* arrived(const Slot& slot) const { return arrays_ + slot.arrived; }
  [[nodiscard]] Complex* columns(const Slot& slot) const { return arrays_ + slot.columns; }
  [[nodiscard]] Complex* section(const Slot& slot) const { return arrays_ + slot.section; }
  [[nodiscard]] Index arrived_size() const {
    return to_planes_.is_identity() ? layout_.stick_size() : layout_.arrived_size;
  }

  FftLayout layout_;
  int threads_;
  bool single_rank_;
  Index largest_group_;
  Index size_ = 0;
  StickStage<Real> sticks_;
  PlaneStage<Real> planes_;
  LineStage<Real> lines_;
  ExchangePlan to_planes_, to_sections_;
  Index block_ = 1;
  std::vector<Slot> slots_;
  Index work_ = 0, work_size_ = 0;  ///< offset of the work arrays of the threads, and the size of each
  std::shared_ptr<FftWorkspace> workspace_;
  Complex* arrays_ = nullptr;  ///< of the workspace, during a run
};

}  // namespace wavegrid
