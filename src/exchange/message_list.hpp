// The messages of one side of a plan.
#pragma once

#include <cstddef>
#include <vector>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// The messages that this rank sends, or receives, partners rising, this rank not among them.
struct MessageList {
  std::vector<int> partners;
  std::vector<Index> elements;  ///< of one band
  std::vector<Index> offsets;   ///< elements of one band in all messages before
  Index total = 0;

  void append(int partner, Index length) {
    partners.push_back(partner);
    elements.push_back(length);
    offsets.push_back(total);
    total += length;
  }
  [[nodiscard]] std::size_t size() const { return partners.size(); }
};

}  // namespace wavegrid
