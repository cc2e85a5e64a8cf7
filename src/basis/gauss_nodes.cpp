#include <map>
#include <mutex>

#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/gauss_nodes.hpp>

namespace wavegrid {

namespace {

/// A zero of the Legendre polynomial, and the polynomial's derivative there.
struct LegendreZero {
  double at, slope;
};

/// All of degree `count`, falling.
std::vector<LegendreZero> find_zeros(int count) {
  std::vector<LegendreZero> zeros;
  for (int i = 0; i < count; ++i) {
    double at = std::cos(units::pi * (i + 0.75) / (count + 0.5)), before = 2, slope = 0;
    for (int step = 0; step < 8 && at != before; ++step) {  // Newton's method; it converges in five
      double last = 1, value = at;
      for (int n = 2; n <= count; ++n) {
        const double next = ((2 * n - 1) * at * value - (n - 1) * last) / n;
        last = value;
        value = next;
      }
      slope = count * (at * value - last) / (at * at - 1);
      before = at;
      at -= value / slope;
    }
    zeros.push_back({at, slope});
  }
  return zeros;
}

const std::vector<LegendreZero>& legendre_zeros(int count) {
  static std::mutex guard;
  static std::map<int, std::vector<LegendreZero>> known;
  const std::lock_guard lock(guard);
  const auto found = known.find(count);
  return found != known.end() ? found->second : known.emplace(count, find_zeros(count)).first->second;
}

}  // namespace

void GaussNodes::add(double a, double b, int count) {
  for (const auto& [at, slope] : legendre_zeros(count)) {
    x.push_back(0.5 * (a + b) - 0.5 * (b - a) * at);
    weight.push_back((b - a) / ((1 - at * at) * slope * slope));
  }
}

}  // namespace wavegrid
