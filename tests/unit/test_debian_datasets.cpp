// The ultrasoft and PAW datasets of Debian's quantum-espresso-data, abinit-data and gpaw-data: each is read, or refused
// by what it lacks. Skipped where a package is not installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <wavegrid/atom/pseudo_atom.hpp>
#include <wavegrid/base/error.hpp>
#include <wavegrid/crystal/elements.hpp>
#include <wavegrid/discretisation/initial_density.hpp>
#include <wavegrid/pseudo/augmented_dataset.hpp>
#include <wavegrid/pseudo/pseudopotential_file.hpp>

namespace wavegrid::test_debian_datasets {
namespace {

namespace fs = std::filesystem;

/// The element with which the name of a file begins.
std::string element_of(const fs::path& file) {
  const std::string name = file.filename().string();
  const std::string two = name.substr(0, 2), one = name.substr(0, 1);
  return name.size() > 1 && std::islower(static_cast<unsigned char>(name[1])) && atomic_number(two) > 0 ? two : one;
}

struct Outcome {
  int ultrasoft = 0, paw = 0;
  std::set<std::string> refused;  // names
};

template <class Wanted>
Outcome read_all(const fs::path& folder, Wanted wanted) {
  Outcome outcome;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || !wanted(entry.path().filename().string())) continue;
    try {
      const auto found = read_any_pseudopotential_file(entry.path(), {.element = element_of(entry.path())});
      if (const AugmentedDataset* data = found.potential->augmented()) ++(data->paw ? outcome.paw : outcome.ultrasoft);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      outcome.refused.insert(entry.path().filename().string());
    }
  }
  return outcome;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(DebianDatasets, QuantumEspresso) {
  const fs::path folder = "/usr/share/espresso/pseudo";
  if (!fs::exists(folder / "Cu.pbe-kjpaw.UPF")) GTEST_SKIP() << "quantum-espresso-data is not installed";
  const Outcome outcome = read_all(folder, [](const std::string& name) {
    return contains(name, "rrkjus") || contains(name, "van") || contains(name, "kjpaw") || contains(name, "RRKJ3");
  });
  EXPECT_GE(outcome.paw, 17);
  EXPECT_GE(outcome.ultrasoft, 29);
  EXPECT_THAT(outcome.refused, ::testing::UnorderedElementsAre("H_US.van", "O_US.van", "HUSPBE.RRKJ3"));  // no UPF
}

/// Hydrogen has a p shell in which this dataset has no projectors.
TEST(DebianDatasets, AnAtomWithAShellWithoutProjectors) {
  const fs::path file = "/usr/share/espresso/pseudo/H.pbe-kjpaw.UPF";
  if (!fs::exists(file)) GTEST_SKIP() << "quantum-espresso-data is not installed";
  const PseudoAtom atom = solve_pseudo_atoms({read_pseudopotential(file, "H")}).front();
  EXPECT_TRUE(atom.converged);
  EXPECT_EQ(atom.orbitals.back().l, 1);
}

/// Refused are files with the waves of the core alone.
TEST(DebianDatasets, Abinit) {
  const fs::path folder = "/usr/share/abinit/psp";
  if (!fs::exists(folder / "Fe.xml")) GTEST_SKIP() << "abinit-data is not installed";
  const Outcome outcome =
      read_all(folder, [](const std::string& name) { return name.ends_with(".xml") || name == "Al.LDA"; });
  EXPECT_GE(outcome.paw, 71);
  EXPECT_THAT(outcome.refused, ::testing::UnorderedElementsAre("Si.corewf.xml", "Si_paw_pw_12el.corewf.xml"));
}

TEST(DebianDatasets, Gpaw) {
  const fs::path folder = "/usr/share/gpaw-setups";
  if (!fs::exists(folder / "Al.PBE.gz")) GTEST_SKIP() << "gpaw-data is not installed";
  const Outcome outcome =
      read_all(folder, [](const std::string& name) { return name.ends_with("PBE.gz") && !contains(name, "basis"); });
  EXPECT_GE(outcome.paw, 100);
  EXPECT_THAT(outcome.refused, ::testing::IsEmpty());
}

/// The local ionic potential that a JTH file gives, and the one of its zero potential: GPAW's files have the latter
/// alone. Above 1e-4 Ha it would be a remark.
TEST(DebianDatasets, LocalPotentialOfTheZeroPotential) {
  const fs::path file = "/usr/share/abinit/psp/Pseudodojo_paw_pbe_standard/O.xml";
  if (!fs::exists(file)) GTEST_SKIP() << "abinit-data is not installed";
  const auto found = read_any_pseudopotential_file(file, {.element = "O"});
  EXPECT_THAT(found.potential->augmented()->remarks, ::testing::IsEmpty());
  EXPECT_EQ(found.potential->augmented()->compensation_in_xc, CompensationInXc::excluded);
}

}  // namespace
}  // namespace wavegrid::test_debian_datasets
