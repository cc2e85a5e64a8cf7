// Functions of other ranks that are kept in case they are wanted again.
#pragma once

#include <algorithm>
#include <iterator>
#include <list>
#include <unordered_map>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// Functions of other ranks, at most as many as fit into a number of bytes; the one used longest ago is removed first.
template <class T>
class FunctionCache {
 public:
  explicit FunctionCache(Index bytes) : limit_(bytes) {}

  struct Entry {
    Index function;
    AlignedVector<T> values;
    bool arrived = false;
  };
  /// The entry of a function, which then counts as used last; null if there is none.
  Entry* find(Index function) {
    const auto found = places_.find(function);
    if (found == places_.end()) return nullptr;
    entries_.splice(entries_.end(), entries_, found->second);
    return &entries_.back();
  }
  /// Removes entries until `values` more fit. False if they do not, because of entries that are needed later.
  template <class IsNeeded>
  bool make_space(Index values, IsNeeded is_needed) {
    for (auto entry = entries_.begin(); entry != entries_.end() && bytes_ + bytes_of(values) > limit_;) {
      if (is_needed(entry->function)) {
        ++entry;
        continue;
      }
      bytes_ -= bytes_of(static_cast<Index>(entry->values.size()));
      places_.erase(entry->function);
      entry = entries_.erase(entry);
    }
    return bytes_ + bytes_of(values) <= limit_;
  }
  Entry& add(Index function, Index values) {
    entries_.push_back({function, AlignedVector<T>(static_cast<std::size_t>(values)), false});
    places_[function] = std::prev(entries_.end());
    bytes_ += bytes_of(values);
    most_bytes_ = std::max(most_bytes_, bytes_);
    return entries_.back();
  }
  void clear() {
    entries_.clear();
    places_.clear();
    bytes_ = 0;
  }
  [[nodiscard]] Index most_bytes() const { return most_bytes_; }

 private:
  static Index bytes_of(Index values) { return values * static_cast<Index>(sizeof(T)); }

  Index limit_, bytes_ = 0, most_bytes_ = 0;
  std::list<Entry> entries_;  ///< used longest ago first
  std::unordered_map<Index, typename std::list<Entry>::iterator> places_;
};

}  // namespace wavegrid
