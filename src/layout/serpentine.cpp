#include <algorithm>

#include <wavegrid/layout/serpentine.hpp>

namespace wavegrid {

std::vector<int> by_decreasing_weight(const std::vector<int>& weight) {
  std::vector<int> order;
  for (std::size_t i = 0; i < weight.size(); ++i)
    if (weight[i] > 0) order.push_back(static_cast<int>(i));
  const auto weight_of = [&](int i) { return weight[static_cast<std::size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return weight_of(a) > weight_of(b); });
  return order;
}

std::vector<int> distribute_by_weight(const std::vector<int>& weight, int parts) {
  std::vector<int> part(weight.size(), -1);
  int assigned = 0;
  for (const int i : by_decreasing_weight(weight)) part[static_cast<std::size_t>(i)] = serpentine(assigned++, parts);
  return part;
}

}  // namespace wavegrid
