#include <wavegrid/base/trace.hpp>

namespace wavegrid {

std::size_t Trace::partner_index(int partner) {
  for (std::size_t place = 0; place < traffic_.size(); ++place)
    if (traffic_[place].partner == partner) return place;
  traffic_.push_back({partner, 0, 0});
  return traffic_.size() - 1;
}

}  // namespace wavegrid
