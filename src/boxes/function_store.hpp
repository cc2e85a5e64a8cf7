// Functions that are owned by one rank and wanted by others: ONETEP's localised orbitals, or rows of blocks of a
// matrix.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <wavegrid/boxes/function_table.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// How functions of other ranks arrive.
enum class FunctionAccess {
  window,    ///< Get from a window that lives as long as the store; owners take no part
  messages,  ///< a request to the owner and its answer; owners answer while they visit functions themselves
  measured   ///< both in turn, in the first visits after set(); then the one that takes less time
};

struct FunctionOptions {
  FunctionAccess access = FunctionAccess::window;
  Index cache_bytes = Index{64} << 20;  ///< of functions of other ranks, those on their way included
};

/// What this rank has received.
struct FunctionTraffic {
  Index fetched = 0;  ///< functions
  Index bytes = 0;
  Index from_cache = 0;
  Index most_bytes = 0;                            ///< of other ranks' functions in memory at a time
  double seconds = 0;                              ///< waiting for them
  FunctionAccess access = FunctionAccess::window;  ///< of the last visits
  /// Measured: the least time of the first visits after set(), the same on all ranks, s; 0: not measured.
  double window_seconds = 0, message_seconds = 0;
};

/// All calls are collective. T is float, double or a complex of these.
template <class T>
class FunctionStore {
 public:
  using Visit = std::function<void(Index function, std::span<const T> values)>;
  using Fill = std::function<void(Index function, std::span<T> values)>;

  /// `my_sizes`: values of each function of this rank; functions are numbered rank by rank. All values are 0 at first.
  /// Throws bad_input or environment_error on all ranks for a negative size, or if MPI gives no window.
  FunctionStore(const Comm& comm, std::span<const Index> my_sizes, const FunctionOptions& options = {});
  FunctionStore(FunctionStore&&) noexcept;
  ~FunctionStore();

  [[nodiscard]] const FunctionTable& table() const;
  [[nodiscard]] Range mine() const;  ///< the functions of this rank
  /// The values of a function of this rank.
  [[nodiscard]] std::span<const T> own(Index function) const;

  /// Calls `fill` for each function of this rank, with its present values, and forgets what was fetched before.
  void set(const Fill& fill);
  /// Calls `visit` for each wanted function, in this order; functions of other ranks are fetched while earlier ones are
  /// visited, and stay in the cache until set(), as far as it can hold them. At least one is fetched at a time, however
  /// small the cache. Throws bad_input on all ranks, before any visit, if there is no such function.
  void for_each(std::span<const Index> wanted, const Visit& visit);

  [[nodiscard]] FunctionTraffic traffic() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace wavegrid
