// An error of one k-point group while bands are made is an error of all ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/calculation/calculation_bands.hpp>
#include <wavegrid/calculation/choose_discretisation.hpp>

namespace wavegrid::test_calculation_bands {
namespace {

/// Its bands hold nothing. The last k-point group cannot make them at first; then only the first one has any.
struct Failing {
  struct Space {
    using Field = std::vector<double>;
  };
  struct Rows {};
  struct Grid {};
  static constexpr bool has_single_precision = false;
  template <class T>
  struct KPointBands {};

  template <class T>
  BandSets<Failing, T> make_bands(const Problem& /*problem*/, const std::function<void(KPointBands<T>&)>& /*prepare*/) {
    if (fails && groups.my_kpoint_group() == groups.counts().kpoint_groups - 1) throw bad_input("no such k-point");
    BandSets<Failing, T> made;
    if (groups.my_kpoint_group() == 0) made.push_back(std::make_unique<KPointBands<T>>());
    return made;
  }
  template <class T>
  void remember(const BandSets<Failing, T>& /*bands*/) {}

  const ProcessGroups& groups;
  bool fails = true;
};

TEST(CalculationBands, FailTogether) {
  const int ranks = Comm::world().size();
  Problem problem{.crystal = {Lattice({{{6, 0, 0}, {0, 6, 0}, {0, 0, 6}}}), {}, {}}, .pseudopotentials = {}, .scf = {}};
  problem.ecut = 3;
  problem.grid = {12, 12, 12};
  problem.mode = Mode::complex;
  problem.bands = 1;
  problem.kpoints = {{{0, 0, 0}, 0.5}, {{0.5, 0, 0}, 0.5}};
  problem.groups = {.kpoint_groups = std::min(ranks, 2), .band_groups = 1};
  Setting setting(Comm::world(), problem, rules_for(problem), nullptr);
  Failing discretisation{setting.groups};
  CalculationBands<Failing, std::complex<double>> bands(setting, discretisation, true);
  const auto message = [&](const std::function<void()>& work) -> std::string {
    try {
      work();
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(message([&] { (void)bands.in_double(problem); }), "no such k-point");
  discretisation.fails = false;
  for (int repeat = 0; repeat < 2; ++repeat)  // the second time nothing is made
    EXPECT_EQ(bands.in_double(problem).size(), setting.groups.my_kpoint_group() == 0 ? 1u : 0u);
}

}  // namespace
}  // namespace wavegrid::test_calculation_bands
