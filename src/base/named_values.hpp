// An ordered list of values with names: the parts of a sum as results show them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wavegrid/base/error.hpp>

namespace wavegrid {

template <class T>
class NamedValues {
 public:
  using Entry = std::pair<std::string, T>;

  /// The value of a name, made as `T{}` at the end of the list if it is new.
  [[nodiscard]] T& operator[](std::string_view name) {
    const auto found = position(*this, name);
    return found != entries_.end() ? found->second : entries_.emplace_back(std::string(name), T{}).second;
  }
  /// Throws internal_error for a name that is not in the list.
  [[nodiscard]] const T& at(std::string_view name) const {
    const auto found = position(*this, name);
    if (found == entries_.end()) throw internal_error("there is no value named " + std::string(name));
    return found->second;
  }
  [[nodiscard]] bool contains(std::string_view name) const { return position(*this, name) != entries_.end(); }
  /// Moves the names of `order` to the front, in that order.
  template <class Names>
  void sort(const Names& order) {
    const auto place = [&](const Entry& entry) { return std::ranges::find(order, std::string_view(entry.first)); };
    std::ranges::stable_sort(entries_, [&](const Entry& a, const Entry& b) { return place(a) < place(b); });
  }

  [[nodiscard]] auto begin() { return entries_.begin(); }
  [[nodiscard]] auto end() { return entries_.end(); }
  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }

 private:
  template <class Self>
  [[nodiscard]] static auto position(Self& self, std::string_view name) {
    return std::ranges::find(self.entries_, name, &Entry::first);
  }

  std::vector<Entry> entries_;
};

}  // namespace wavegrid
