// Files of other programs: known contents, integrals by other rules, one potential in three formats. The files are
// described in tests/reference/pseudopotentials/README.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iomanip>
#include <numbers>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <wavegrid/atom/pseudo_atom.hpp>
#include <wavegrid/base/error.hpp>
#include <wavegrid/crystal/elements.hpp>
#include <wavegrid/pseudo/functional_names.hpp>
#include <wavegrid/pseudo/gth_potential.hpp>
#include <wavegrid/pseudo/gth_table.hpp>
#include <wavegrid/pseudo/pseudopotential_file.hpp>
#include <wavegrid/pseudo/radial_function.hpp>
#include <wavegrid/pseudo/text_file.hpp>

#include "local_xc.hpp"
#include "pseudopotential_texts.hpp"

namespace wavegrid::test_pseudopotential_files {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

constexpr double pi = std::numbers::pi;

using wavegrid::test_data::data;

double simpson(const std::function<double(double)>& f, double end, int steps) {
  double sum = 0.0;
  for (int i = 0; i <= steps; ++i) sum += (i == 0 || i == steps ? 1.0 : i % 2 == 1 ? 4.0 : 2.0) * f(end * i / steps);
  return sum * end / steps / 3.0;
}

double bessel(int l, double x) { return std::sph_bessel(static_cast<unsigned>(l), x); }

TEST(Elements, SymbolsAndOccupations) {
  EXPECT_EQ(element_symbol(26), "Fe");
  EXPECT_EQ(element_symbol(0), "");
  EXPECT_EQ(element_symbol(104), "");
  EXPECT_EQ(atomic_number("Lr"), 103);
  EXPECT_EQ(atomic_number("fe"), 0);
  EXPECT_THAT(ground_state_occupation(1, 1), ElementsAre(1));
  EXPECT_THAT(ground_state_occupation(3, 3), ElementsAre(3));
  EXPECT_THAT(ground_state_occupation(11, 9), ElementsAre(3, 6));
  EXPECT_THAT(ground_state_occupation(26, 16), ElementsAre(4, 6, 6));
  EXPECT_THAT(ground_state_occupation(30, 12), ElementsAre(2, 0, 10));
  EXPECT_THAT(ground_state_occupation(31, 3), ElementsAre(2, 1));
  EXPECT_THAT(ground_state_occupation(79, 19), ElementsAre(4, 6, 9));
  EXPECT_THAT(ground_state_occupation(82, 14), ElementsAre(2, 2, 10));
  EXPECT_THAT(ground_state_occupation(60, 11), ElementsAre(4, 6, 1));  // Nd with 4f3 frozen
  EXPECT_THROW((void)ground_state_occupation(1, 2), Error);
}

TEST(PseudopotentialFile, OrbitalsHaveNormOne) {
  const std::vector<std::tuple<std::string, std::string, std::vector<int>>> files{
      {"Al.pz-vbc.UPF", "Al", {0, 1}}, {"14-Si.nlcc.UPF", "Si", {0, 1, 2, 3}}, {"H.psp8", "H", {}}};
  for (const auto& [name, element, l] : files) {
    const auto potential = read_pseudopotential(data(name), element);
    ASSERT_EQ(potential->num_orbitals(), static_cast<int>(l.size())) << name;
    for (int i = 0; i < potential->num_orbitals(); ++i) {
      EXPECT_EQ(potential->orbital_l(i), l[static_cast<std::size_t>(i)]);
      const auto square = [&](double g) { return std::pow(g * potential->orbital(i, g), 2); };
      EXPECT_NEAR(simpson(square, 12, 1200) / (8 * pi * pi * pi), 1, 3e-3) << name << " l = " << i;
    }
  }
}

TEST(RadialFunction, PolynomialsOnAnyMesh) {
  std::vector<double> linear, logarithmic, odd;
  for (int i = 0; i < 40; ++i) {
    linear.push_back(0.1 * i);
    logarithmic.push_back(0.02 * std::exp(0.14 * i));
    odd.push_back(0.05 * i + 0.002 * i * i);
  }
  for (const auto& mesh : {linear, logarithmic, odd}) {
    std::vector<double> y;
    for (const double r : mesh) y.push_back(std::exp(-r) * r * r);
    const RadialFunction f(mesh, y, 2);
    for (double r = 0.0; r < mesh.back(); r += 0.013) ASSERT_NEAR(f(r), std::exp(-r) * r * r, 2e-6) << r;
    EXPECT_EQ(f(mesh.back() + 0.01), 0.0);
    EXPECT_EQ(f.breaks().front(), 0.0);
    EXPECT_EQ(f.breaks().back(), mesh.back());
  }
}

// Computed by the trapezoidal rule in ln r over the mesh points of the file, spectrally accurate here, plus beta(0)
// r_0^3/3 for the part below the first point.
TEST(Upf, IntegralsOfACoarseLogarithmicMesh) {
  const auto file = read_pseudopotential_file(data("Al.pz-vbc.UPF"), {.element = "Al", .valence = 3});
  const Pseudopotential& al = *file.potential;
  EXPECT_EQ(file.format, "UPF 2");
  EXPECT_EQ(file.functional, "LDA_X+LDA_C_PZ");
  EXPECT_EQ(al.valence_charge(), 3.0);
  EXPECT_THAT(al.valence_occupation(), ElementsAre(2, 1));
  EXPECT_FALSE(al.has_core_density());
  ASSERT_EQ(al.num_channels(), 2);
  EXPECT_NEAR(al.coupling(0, 0, 0), 0.5 * 2.74281031275, 1e-12);
  EXPECT_NEAR(al.coupling(1, 0, 0), 0.5 * 6.93544664074, 1e-12);
  const double inner = 4.0 * pi / 3.0 * std::pow(0.00140889529913, 3) * 1.6395;
  const std::vector<std::array<double, 4>> expected{{0.5, -149.3693119495, 15.0844247582, 1.6942796053},
                                                    {1.0, -35.2678895259, 12.7860609115, 2.8601824218},
                                                    {2.0, -4.9224038104, 6.4157744847, 2.8811603724}};
  for (const auto& [g, local, s, p] : expected) {
    EXPECT_NEAR(al.local(g), local, 2e-8) << g;
    EXPECT_NEAR(al.projector(0, 0, g), s + inner, 2e-9) << g;
    EXPECT_NEAR(al.projector(1, 0, g), p, 5e-9) << g;
  }
}

TEST(Upf, VersionOneWithACoreDensity) {
  const auto file = read_pseudopotential_file(data("14-Si.nlcc.UPF"), {.element = "Si"});
  const Pseudopotential& si = *file.potential;
  EXPECT_EQ(file.format, "UPF 1");
  EXPECT_EQ(file.functional, "LDA_X+LDA_C_PW");
  EXPECT_EQ(si.valence_charge(), 4.0);
  EXPECT_THAT(si.valence_occupation(), ElementsAre(2, 2));
  ASSERT_EQ(si.num_channels(), 3);
  EXPECT_EQ(si.channel_l(2), 3);
  EXPECT_NEAR(si.coupling(2, 0, 0), -0.5 * 0.743472818011, 1e-12);
  EXPECT_TRUE(si.has_core_density());
  EXPECT_GT(si.core_density(0.0), 0.1);
  EXPECT_LT(std::abs(si.core_density(30.0)), 1e-2 * si.core_density(0.0));
}

TEST(Psp8, ContentsOfAluminium) {
  const auto file = read_pseudopotential_file(data("Al.psp8"), {.element = "Al"});
  const Pseudopotential& al = *file.potential;
  EXPECT_EQ(file.format, "psp8");
  EXPECT_EQ(file.functional, "LDA_X+LDA_C_PW");
  EXPECT_THAT(al.valence_occupation(), ElementsAre(2, 1));
  ASSERT_EQ(al.num_channels(), 3);
  EXPECT_EQ(num_projectors_per_atom(al), 18);
  EXPECT_EQ(al.coupling(0, 0, 0), 5.7258696825527);
  EXPECT_EQ(al.coupling(0, 0, 1), 0.0);
  EXPECT_NEAR(al.local_radial(0.0), -5.9166538853044, 1e-9);
  EXPECT_NEAR(al.local_radial(5.99), -5.0083483384158e-01, 1e-9);
  EXPECT_NEAR(al.local_radial(20.0), -3.0 / 20.0, 1e-12);
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 2; ++i) {
      const auto square = [&](double r) { return std::pow(r * al.projector_radial(c, i, r), 2); };
      EXPECT_NEAR(simpson(square, 2.5, 2500), 1.0, 1e-4);
    }
  // 4 pi int r^2 rho: the column of the file is 4 pi rho, 1.87 at the nucleus
  EXPECT_TRUE(al.has_core_density());
  EXPECT_NEAR(al.core_density(0.0), 0.7715186, 1e-6);
}

TEST(RadialPotential, TransformsAreTheIntegralsOfTheRadialFunctions) {
  for (const auto& [name, element] : {std::pair("Al.psp8", "Al"), {"Mg.psp8", "Mg"}, {"14-Si.nlcc.UPF", "Si"}}) {
    const auto potential = read_pseudopotential(data(name), element);
    for (const double g : {0.0, 0.3, 2.0, 7.5, 19.0})
      for (int c = 0; c < potential->num_channels(); ++c)
        for (int i = 0; i < potential->num_projectors(c); ++i) {
          const int l = potential->channel_l(c);
          const auto f = [&](double r) { return r * r * bessel(l, g * r) * potential->projector_radial(c, i, r); };
          // ONCVPSP's projectors have a kink at their end, where two rules differ by a few 1e-6 of the whole
          EXPECT_NEAR(potential->projector(c, i, g), 4.0 * pi * simpson(f, 6.0, 6000), 3e-5) << name << g << c << i;
        }
    const double z = potential->valence_charge();
    for (const double g : {0.5, 3.0, 12.0}) {
      const auto rest = [&](double r) {
        const double soft = r > 0.0 ? std::erf(r) / r : 2.0 / std::sqrt(pi);
        return r * r * bessel(0, g * r) * (potential->local_radial(r) + z * soft);
      };
      const double expected = 4.0 * pi * simpson(rest, 12.0, 12000) - 4.0 * pi * z * std::exp(-g * g / 4.0) / (g * g);
      EXPECT_NEAR(potential->local(g), expected, 2e-7 * z) << name << g;
    }
  }
}

TEST(RadialPotential, SmallGOfTheLocalPart) {
  for (const auto& [name, element] : {std::pair("Al.psp8", "Al"), {"H.psp8", "H"}, {"Al.pz-vbc.UPF", "Al"}}) {
    const auto potential = read_pseudopotential(data(name), element);
    const auto rest = [&](double g) { return potential->local(g) + 4.0 * pi * potential->valence_charge() / (g * g); };
    const double extrapolated = (4.0 * rest(0.01) - rest(0.02)) / 3.0;
    EXPECT_NEAR(extrapolated, potential->local_core(), 1e-7) << name;
  }
}

/// The text with the numbers behind the start tag `from` set to 0, from number `first` on.
std::string with_zeros(const std::string& text, const std::string& from, std::size_t first) {
  const auto begin = text.find('>', text.find(from)) + 1, end = text.find('<', begin);
  std::string numbers;
  std::size_t i = 0;
  for (const std::string_view word : split_words(std::string_view(text).substr(begin, end - begin)))
    numbers += (i++ < first ? std::string(word) : "0.0") + "\n";
  return text.substr(0, begin) + "\n" + numbers + text.substr(end);
}

TEST(Upf, DataThatAreNeverUsedNeedNotBeGood) {
  const std::string text = test_data::to_text("Al.pz-vbc.UPF");
  const auto read = [](const std::string& changed) {
    return read_pseudopotential_file(TextFile("some/file", changed), {.element = "Al"});
  };
  const auto original = read(text);
  for (const std::string& changed :
       {with_zeros(with_zeros(text, "<PP_CHI.1", 0), "<PP_CHI.2", 0), with_zeros(text, "<PP_LOCAL", 165),
        test_data::replaced(text, "pseudo_type=\"NC\"", "pseudo_type=\"SL\""),
        test_data::replaced(text, "functional=\" SLA  PZ   NOGX NOGC\"", "functional=\"SLA-PZ-NOGX-NOGC\"")}) {
    const auto file = read(changed);
    EXPECT_EQ(file.functional, "LDA_X+LDA_C_PZ");
    EXPECT_EQ(file.potential->local_core(), original.potential->local_core());
    EXPECT_EQ(file.potential->local(0.7), original.potential->local(0.7));
    EXPECT_EQ(file.potential->projector(1, 0, 0.7), original.potential->projector(1, 0, 0.7));
    EXPECT_THAT(file.potential->valence_occupation(), ElementsAre(2, 1));
  }
  EXPECT_EQ(read(with_zeros(text, "<PP_CHI.1", 0)).potential->num_orbitals(), 1);
}

TEST(Upf, SpellingsOfFunctionals) {
  const std::string pbe = "GGA_X_PBE+GGA_C_PBE";
  for (const std::string name : {"SLA-PW-PBX-PBC", "SLA+PW+PBX+PBC", " sla  pw pbe  pbe", "PBE", "SLA-PW-PBE-PBE"})
    EXPECT_EQ(upf_functional(name), pbe) << name;
  EXPECT_EQ(upf_functional("sla+pw+revx+pbc"), "GGA_X_PBE_R+GGA_C_PBE");
  EXPECT_EQ(upf_functional("vdw-df  x"), "VDW-DF X");
  const std::string text = test_data::to_text("14-Si.nlcc.UPF");
  for (const std::string line : {"SLA-PW-PBX-PBC   PBE  Exchange-Correlation functional", "PBE Exchange-Correlation",
                                 "SLA  PW   PBX  PBC    PBE  Exchange-Correlation functional"}) {
    const std::string changed = test_data::replaced(text, "SLA  PW  NOGX  NOGC Exchange-Correlation functional", line);
    EXPECT_EQ(read_pseudopotential_file(TextFile("some/file", changed), {.element = "Si"}).functional, pbe) << line;
  }
}

/// Text of a UPF 2 file with the contents of a psp8 file, in Rydberg.
std::string as_upf2(const Pseudopotential& p, const std::vector<double>& r, const std::string& extra = "") {
  std::ostringstream out;
  out << std::setprecision(17);
  const auto section = [&](const std::string& name, const std::string& attributes, const auto& f) {
    out << "<" << name << " " << attributes << ">\n";
    for (const double x : r) out << f(x) << "\n";
    out << "</" << name << ">\n";
  };
  int total = 0;
  for (int c = 0; c < p.num_channels(); ++c) total += p.num_projectors(c);
  out << "<UPF version=\"2.0.1\">\n<PP_INFO>\n free text with a < in it <PP_MESH>\n</PP_INFO>\n<PP_HEADER element=\""
      << p.element() << "\" pseudo_type=\"NC\" core_correction=\"" << (p.has_core_density() ? "T" : "F")
      << "\" functional=\"PW\" z_valence=\"" << p.valence_charge() << "\" mesh_size=\"" << r.size()
      << "\" number_of_wfc=\"0\" number_of_proj=\"" << total << "\" " << extra << "/>\n<PP_MESH>\n";
  section("PP_R", "", [](double x) { return x; });
  out << "</PP_MESH>\n";
  section("PP_LOCAL", "", [&](double x) { return 2.0 * p.local_radial(x); });
  out << "<PP_NONLOCAL>\n";
  std::vector<std::pair<int, int>> projectors;
  for (int c = 0; c < p.num_channels(); ++c)
    for (int i = 0; i < p.num_projectors(c); ++i) {
      projectors.emplace_back(c, i);
      section("PP_BETA." + std::to_string(projectors.size()),
              "angular_momentum=\"" + std::to_string(p.channel_l(c)) + "\"",
              [&, c, i](double x) { return x * p.projector_radial(c, i, x); });
    }
  out << "<PP_DIJ>\n";
  for (const auto& [c, i] : projectors)
    for (const auto& [d, j] : projectors) out << (c == d ? 2.0 * p.coupling(c, i, j) : 0.0) << "\n";
  out << "</PP_DIJ>\n</PP_NONLOCAL>\n</UPF>\n";
  return out.str();
}

TEST(Upf, GivesTheSamePotentialAsPsp8) {
  const auto original = read_pseudopotential(data("Mg.psp8"), "Mg");
  std::vector<double> r;
  for (int i = 0; i < 400; ++i) r.push_back(0.01 * i);
  const TextFile file("copy", as_upf2(*original, r));
  const auto copy = read_pseudopotential_file(file, {.element = "Mg"}).potential;
  EXPECT_THAT(copy->valence_occupation(), ElementsAre(4, 6));
  ASSERT_EQ(copy->num_channels(), original->num_channels());
  EXPECT_NEAR(copy->local_core(), original->local_core(), 1e-9);
  for (double g = 0.1; g < 25.0; g += 1.7) {
    EXPECT_NEAR(copy->local(g), original->local(g), 1e-9 * std::max(1.0, std::abs(original->local(g))));
    for (int c = 0; c < copy->num_channels(); ++c)
      for (int i = 0; i < copy->num_projectors(c); ++i) {
        EXPECT_NEAR(copy->projector(c, i, g), original->projector(c, i, g), 1e-9);
        for (int j = 0; j < copy->num_projectors(c); ++j)
          EXPECT_NEAR(copy->coupling(c, i, j), original->coupling(c, i, j), 1e-14);
      }
  }
}

TEST(Gth, Cp2kEntriesAreTheNumbersOfOurTables) {
  const fs::path tables = fs::path(WAVEGRID_SOURCE_DIR) / "python/wavegrid/data/pseudopotentials";
  for (const auto& [file, name] : {std::pair("gth-lda.gth", "GTH-PADE"), {"gth-pbe.gth", "GTH-PBE"}}) {
    const GthTable table(tables / file);
    int compared = 0;
    for (const std::string element : {"H", "Al", "Ti", "Sb"})
      for (const int valence : table.entries(element)) {
        const std::string entry = std::string(name) + "-q" + std::to_string(valence);
        const auto read = read_pseudopotential_file(data("GTH_POTENTIALS"), {element, valence, entry});
        const auto& ours = table.find(element, valence).parameters();
        const auto& theirs = dynamic_cast<const GthPotential&>(*read.potential).parameters();
        EXPECT_EQ(read.functional, std::string(name) == "GTH-PBE" ? "GGA_X_PBE+GGA_C_PBE" : "LDA_XC_TETER93");
        EXPECT_EQ(theirs.electrons, ours.electrons) << element;
        EXPECT_EQ(theirs.local_radius, ours.local_radius);
        EXPECT_EQ(theirs.local_coefficients, ours.local_coefficients);
        ASSERT_EQ(theirs.channels.size(), ours.channels.size()) << element << entry;
        for (std::size_t c = 0; c < ours.channels.size(); ++c) {
          EXPECT_EQ(theirs.channels[c].l, ours.channels[c].l);
          EXPECT_EQ(theirs.channels[c].radius, ours.channels[c].radius);
          EXPECT_EQ(theirs.channels[c].h, ours.channels[c].h) << element << entry;
        }
        ++compared;
      }
    EXPECT_GE(compared, 4);
  }
}

TEST(Gth, AbinitsTwoFormats) {
  const fs::path tables = fs::path(WAVEGRID_SOURCE_DIR) / "python/wavegrid/data/pseudopotentials";
  const GthTable table(tables / "gth-lda.gth");
  const auto& ours = table.find("Si", 4).parameters();
  for (const auto& [name, tolerance] : {std::pair("14Si_pade-q4", 0.0), {"14si.4.hgh", 1e-6}}) {
    const auto file = read_pseudopotential_file(data(name), {.element = "Si"});
    const auto& p = dynamic_cast<const GthPotential&>(*file.potential).parameters();
    EXPECT_EQ(file.functional, "LDA_XC_TETER93");
    EXPECT_EQ(p.electrons, ours.electrons);
    EXPECT_NEAR(p.local_coefficients[0], ours.local_coefficients[0], tolerance);
    ASSERT_EQ(p.channels.size(), 2U);
    for (std::size_t c = 0; c < 2; ++c) {
      EXPECT_NEAR(p.channels[c].radius, ours.channels[c].radius, tolerance);
      ASSERT_EQ(p.channels[c].h.size(), ours.channels[c].h.size());
      for (std::size_t k = 0; k < p.channels[c].h.size(); ++k)
        EXPECT_NEAR(p.channels[c].h[k], ours.channels[c].h[k], tolerance);
    }
  }
}

TEST(PseudopotentialFile, OwnTables) {
  const fs::path table = fs::path(WAVEGRID_SOURCE_DIR) / "python/wavegrid/data/pseudopotentials/gth-pbe.gth";
  const auto file = read_pseudopotential_file(table, {.element = "Al"});
  EXPECT_EQ(file.functional, "GGA_X_PBE+GGA_C_PBE");
  EXPECT_EQ(file.potential->valence_charge(), 3.0);
}

TEST(PseudopotentialFile, AtomsOfEveryFileConverge) {
  for (const auto& [name, element] : {std::pair("Al.psp8", "Al"),
                                      {"Mg.psp8", "Mg"},
                                      {"H.psp8", "H"},
                                      {"Al.pz-vbc.UPF", "Al"},
                                      {"14-Si.nlcc.UPF", "Si"}}) {
    const PseudoAtom atom = solve_pseudo_atom(*read_pseudopotential(data(name), element), lda());
    EXPECT_TRUE(atom.converged) << name;
    EXPECT_LT(atom.iterations, 40) << name;
    EXPECT_LT(atom.orbitals[0].energy, 0.0) << name;
  }
  // 2s, 3s and 2p of Mg; all-electron LDA: -2.903746, -0.175427, -1.718980 Ha (10.1103/PhysRevA.55.191)
  const PseudoAtom mg = solve_pseudo_atom(*read_pseudopotential(data("Mg.psp8"), "Mg"), lda());
  EXPECT_NEAR(mg.orbitals[0].energy, -2.903746, 2e-2);
  EXPECT_NEAR(mg.orbitals[1].energy, -0.175427, 1e-2);
  EXPECT_NEAR(mg.orbitals[2].energy, -1.718980, 2e-2);
}

}  // namespace
}  // namespace wavegrid::test_pseudopotential_files
