// Contiguous blocks: n indices divided over parts; the first n mod parts blocks have one index more.
#pragma once

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// Which part owns which of n consecutive indices. If there are more parts than indices, the last parts are empty.
class BlockLayout {
 public:
  BlockLayout() = default;
  BlockLayout(Index n, int parts) : short_(n / parts), num_long_(n % parts) {}

  [[nodiscard]] Range range(int part) const { return {begin(part), begin(part + 1)}; }

 private:
  [[nodiscard]] Index begin(Index part) const { return part * short_ + (part < num_long_ ? part : num_long_); }

  Index short_ = 0;
  Index num_long_ = 0;
};

}  // namespace wavegrid
