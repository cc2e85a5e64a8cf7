// The estimated error of a cutoff against calculations of this program, and hints of files.
// The calculations: H2O, diamond, Si2 and NaCl at the cutoff and at one with 1e-3 of the error (decision 0011).
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include <wavegrid/atom/recommended_cutoff.hpp>
#include <wavegrid/pseudo/gth_table.hpp>
#include <wavegrid/pseudo/pseudopotential_file.hpp>

#include "local_xc.hpp"

namespace wavegrid::test_recommended_cutoff {
namespace {

const std::filesystem::path root = WAVEGRID_SOURCE_DIR;

CutoffError error_of(const Pseudopotential& potential) { return CutoffError(solve_pseudo_atom(potential, lda())); }

CutoffError gth_error(const std::string& element, int valence) {
  static const GthTable table(root / "python/wavegrid/data/pseudopotentials/gth-lda.gth");
  return error_of(table.find(element, valence));
}

TEST(RecommendedCutoff, ErrorIsThatOfCalculations) {
  struct Case {
    std::string element;
    int valence;
    double cutoff, error;  // Ha; error per atom of the total energy
  };
  const Case cases[] = {{"O", 6, 50, 0.088},  {"O", 6, 75, 0.018},   {"C", 4, 25, 0.030},  {"C", 4, 40, 4.4e-3},
                        {"Si", 4, 6, 0.0190}, {"Si", 4, 10, 3.1e-3}, {"Cl", 7, 10, 0.083}, {"Cl", 7, 20, 0.0113},
                        {"Al", 3, 5, 8.0e-3}, {"Al", 3, 7, 2.9e-3}};
  for (const Case& c : cases) {
    const CutoffError error = gth_error(c.element, c.valence);
    EXPECT_NEAR(error.cutoff_for(c.error), c.cutoff, 0.25 * c.cutoff) << c.element;
    EXPECT_LT(std::abs(std::log(error(c.cutoff) / c.error)), std::log(2.0)) << c.element << ' ' << c.cutoff;
  }
}

TEST(RecommendedCutoff, FallsWithTheCutoffAndInverts) {
  const CutoffError error = gth_error("Si", 4);
  for (double cutoff = 1.0; cutoff < 30.0; cutoff *= 1.3) {
    EXPECT_GT(error(cutoff), error(1.3 * cutoff));
    EXPECT_NEAR(error.cutoff_for(error(cutoff)), cutoff, 0.01 * cutoff);
  }
  EXPECT_EQ(error(CutoffError::largest_cutoff()), 0.0);
  EXPECT_LE(error.cutoff_for(1e-300), CutoffError::largest_cutoff());
}

/// The "low" hints of PseudoDojo (0.4, LDA, standard) are those of decision 0011.
TEST(RecommendedCutoff, EstimateOfPseudoDojoFilesIsNearTheirHints) {
  const auto folder = root / "tests/reference/pseudopotentials", crystals = root / "tests/reference/crystals";
  const auto estimate = [](const std::filesystem::path& file, const std::string& element) {
    return error_of(*read_pseudopotential(file, element)).cutoff_for(recommended_error);
  };
  EXPECT_NEAR(estimate(folder / "Mg.psp8", "Mg"), 38.0, 0.2 * 38.0);
  EXPECT_NEAR(estimate(crystals / "pseudopotentials/Fe-lda-dojo.psp8", "Fe"), 39.0, 0.2 * 39.0);
  EXPECT_NEAR(estimate(crystals / "pseudopotentials/Si-pbe-dojo.psp8", "Si"), 12.0, 0.3 * 12.0);
}

TEST(RecommendedCutoff, ThatOfTheDensityLosesLittleOfIt) {
  const auto folder = root / "tests/reference/ultrasoft";
  for (const std::string name : {"Si.UPF", "Si-paw.xml", "Al.UPF"}) {
    const auto potential = read_pseudopotential(folder / name, name.substr(0, 2));
    const PseudoAtom atom = solve_pseudo_atom(*potential, lda());
    const CutoffError lost = CutoffError::density(atom, *potential);
    const double cutoff = estimated_density_cutoff(atom, *potential);
    EXPECT_LT(lost(cutoff), 1e-6) << name;
    EXPECT_GT(lost(cutoff / 2), 1e-6) << name;
  }
}

TEST(RecommendedCutoff, HintsOfFiles) {
  EXPECT_FALSE(cutoff_hint(""));
  EXPECT_FALSE(cutoff_hint("<PP_HEADER wfc_cutoff=\"0.000E+00\" />"));
  EXPECT_DOUBLE_EQ(*cutoff_hint("<PP_HEADER wfc_cutoff=\" 6.4E+001\" rho_cutoff=\"2E2\"/>"), 32.0);
  EXPECT_DOUBLE_EQ(*cutoff_hint("  Suggested minimum cutoff for wavefunctions:  46. Ry\n"), 23.0);
  EXPECT_DOUBLE_EQ(
      *cutoff_hint("{\"hints\": {\n\"high\": {\"ecut\": 58.0}, \"low\": {\n\"ecut\": 34.0\n}, \"normal\": {\n "
                   "\"ecut\": 40.0\n}}"),
      40.0);
  EXPECT_FALSE(cutoff_hint("\"hints\" \"normal\" \"ecut\": none"));
  EXPECT_FALSE(cutoff_hint("\"ecut\": 40.0"));
}

}  // namespace
}  // namespace wavegrid::test_recommended_cutoff
