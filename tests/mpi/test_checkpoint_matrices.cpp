// The matrices rho_ij of PAW atoms in checkpoints, and what a calculation that restarts from one begins with.
#include <gtest/gtest.h>

#include <wavegrid/base/error.hpp>
#include <wavegrid/discretisation/checkpoint_matrices.hpp>
#include <wavegrid/discretisation/restart_file.hpp>

#include "checkpoint_case.hpp"

namespace wavegrid::test_checkpoint_matrices {
namespace {

using namespace test_data;
using Complex = std::complex<double>;

/// Symmetric matrices of these sizes that encode `label`, component, atom and indices.
SpinMatrices labelled(int spins, const std::vector<int>& sizes, double label) {
  SpinMatrices matrices(static_cast<std::size_t>(spins));
  for (int spin = 0; spin < spins; ++spin)
    for (std::size_t a = 0; a < sizes.size(); ++a) {
      auto& matrix = matrices[static_cast<std::size_t>(spin)].emplace_back(sizes[a], sizes[a]);
      for (Index i = 0; i < sizes[a]; ++i)
        for (Index j = 0; j < sizes[a]; ++j)
          matrix(i, j) = label + 1000.0 * spin + 100.0 * static_cast<double>(a) + static_cast<double>(10 * (i + j));
    }
  return matrices;
}

std::vector<double> numbers(const SpinMatrices& matrices) {
  std::vector<double> all;
  for (const AtomMatrices& component : matrices) {
    const std::vector<double> part = numbers_of(component);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

const std::vector<int> sizes{2, 0, 3}, datasets{7, 8, 7};

CheckpointHeader header_with_matrices(int spins) {
  CheckpointHeader header = header_of(Mode::complex, spins, 2);
  header.matrix_datasets = datasets;
  set_matrices(labelled(spins, sizes, 1), header);
  return header;
}

std::filesystem::path write(const SharedDirectory& directory, const CheckpointHeader& header) {
  Ranks<Complex> ranks(Comm::world(), {1, 1}, Scheme::balanced, header);
  ranks.fill();
  (void)ranks.write(directory / "a.h5");
  return directory / "a.h5";
}

/// What a restart begins with, and its report.
struct Begun {
  SpinMatrices matrices;
  std::string report;
};
Begun begin_from(const CheckpointHeader& header, const SpinMatrices& initial,
                 const std::vector<int>& wanted = datasets) {
  const SharedDirectory directory;
  const std::filesystem::path path = write(directory, header);
  const Comm world = Comm::world();
  const Crystal crystal = skewed_crystal();
  RestartFile file(world, path.string(), crystal);
  SpinMatrices matrices = file.matrices(initial, wanted);
  return {std::move(matrices), file.report({world, {1, 1}}).matrices};
}

TEST(CheckpointMatrices, AreRestoredBitForBit) {
  const SharedDirectory directory;
  for (const int spins : {1, 2}) {
    const CheckpointHeader header = header_with_matrices(spins);
    const std::filesystem::path path = write(directory, header);
    for (const Comm& comm : {Comm::world(), Comm::self()}) {
      const CheckpointHeader back = CheckpointReader(comm, path).header();
      EXPECT_EQ(back.matrix_sizes, sizes);
      EXPECT_EQ(back.matrix_datasets, datasets);
      EXPECT_EQ(back.matrices, header.matrices);
      EXPECT_FALSE(back.kinetic_density);
      EXPECT_EQ(numbers(matrices_from(back)), numbers(labelled(spins, sizes, 1)));
    }
    Comm::world().barrier();
  }
}

TEST(CheckpointMatrices, OfUltrasoftDatasetsHaveNoRows) {
  const SharedDirectory directory;
  CheckpointHeader header = header_of(Mode::complex, 2, 2);
  header.matrix_sizes = {0, 0, 0};
  header.matrix_datasets = datasets;
  set_matrices({}, header);
  const CheckpointHeader back = CheckpointReader(Comm::world(), write(directory, header)).header();
  EXPECT_TRUE(back.has_overlap());
  EXPECT_EQ(back.matrix_sizes, header.matrix_sizes);
  EXPECT_TRUE(back.matrices.empty());
}

TEST(CheckpointMatrices, AreNotInOtherFiles) {
  const SharedDirectory directory;
  const CheckpointHeader back =
      CheckpointReader(Comm::world(), write(directory, header_of(Mode::complex, 1, 2))).header();
  EXPECT_FALSE(back.has_overlap());
  EXPECT_TRUE(matrices_from(back).empty());
}

TEST(CheckpointMatrices, OfOtherSizesOrWithATauAreRefused) {
  CheckpointHeader header = header_with_matrices(2);
  EXPECT_NO_THROW(require_valid(header));
  header.kinetic_density = true;
  EXPECT_THROW(require_valid(header), Error);
  header.kinetic_density = false;
  header.matrices.pop_back();
  EXPECT_THROW(require_valid(header), Error);
  header = header_with_matrices(2);
  header.matrix_sizes.pop_back();
  EXPECT_THROW(require_valid(header), Error);
}

TEST(RestartFile, TakesMatricesOfTheSameDatasets) {
  for (const int spins : {1, 2}) {
    const Begun begun = begin_from(header_with_matrices(spins), labelled(spins, sizes, 5));
    EXPECT_EQ(numbers(begun.matrices), numbers(labelled(spins, sizes, 1)));
    EXPECT_EQ(begun.report, "taken");
  }
}

TEST(RestartFile, TakesTheTotalWhereTheFileHasAnotherNumberOfSpins) {
  const Begun to_two = begin_from(header_with_matrices(1), labelled(2, sizes, 5));
  ASSERT_EQ(to_two.matrices.size(), 2U);
  EXPECT_EQ(numbers_of(to_two.matrices[0]), numbers_of(labelled(1, sizes, 1)[0]));
  EXPECT_EQ(numbers_of(to_two.matrices[1]), numbers_of(labelled(2, sizes, 5)[1]));
  const Begun to_one = begin_from(header_with_matrices(2), labelled(1, sizes, 5));
  EXPECT_EQ(numbers(to_one.matrices), numbers(labelled(1, sizes, 1)));
  EXPECT_EQ(to_one.report, "taken");
}

TEST(RestartFile, KeepsMatricesOfFreeAtomsWithOtherDatasets) {
  CheckpointHeader ultrasoft = header_of(Mode::complex, 2, 2);
  ultrasoft.matrix_sizes = {0, 0, 0};
  ultrasoft.matrix_datasets = datasets;
  for (const CheckpointHeader& header : {header_with_matrices(2), header_of(Mode::complex, 2, 2), ultrasoft}) {
    const SpinMatrices initial = labelled(2, {3, 0, 4}, 5);  // of other sizes
    const Begun begun = begin_from(header, initial);
    EXPECT_EQ(numbers(begun.matrices), numbers(initial));
    EXPECT_EQ(begun.report, "atoms");
  }
  const SpinMatrices initial = labelled(2, sizes, 5);
  const Begun other = begin_from(header_with_matrices(2), initial, {5, 8, 6});
  EXPECT_EQ(numbers(other.matrices), numbers(initial));
  EXPECT_EQ(other.report, "atoms");
  const Begun one = begin_from(header_with_matrices(2), initial, {7, 8, 6});
  EXPECT_EQ(numbers_of({one.matrices[1][0]}), numbers_of({labelled(2, sizes, 1)[1][0]}));
  EXPECT_EQ(numbers_of({one.matrices[1][2]}), numbers_of({initial[1][2]}));
  EXPECT_EQ(one.report, "partly");
}

}  // namespace
}  // namespace wavegrid::test_checkpoint_matrices
