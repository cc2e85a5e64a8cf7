// Ultrasoft and PAW datasets: one meaning for all formats, known integrals, files that contradict themselves. Made-up
// files are those of dataset_texts.hpp; test_debian_datasets.cpp reads those of Debian.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include <wavegrid/pseudo/augmented_dataset.hpp>
#include <wavegrid/pseudo/bare_couplings.hpp>
#include <wavegrid/pseudo/pseudopotential_file.hpp>
#include <wavegrid/pseudo/radial_quadrature.hpp>
#include <wavegrid/pseudo/shape_function.hpp>
#include <wavegrid/pseudo/text_file.hpp>

#include "dataset_texts.hpp"
#include "pseudopotential_texts.hpp"

namespace wavegrid::test_augmented_datasets {
namespace {

using test_data::complaint;
using test_data::paw_xml;
using test_data::replaced;
using test_data::ultrasoft_upf;
using ::testing::HasSubstr;
using Made = test_data::MadeUpDataset;

PseudopotentialFile read(const std::string& text) {
  return read_any_pseudopotential_file(TextFile("some/file", text), {.element = "Li"});
}

std::vector<double> values(const std::vector<double>& r, const std::function<double(double)>& f) {
  std::vector<double> found;
  for (const double radius : r) found.push_back(f(radius));
  return found;
}

TEST(RadialQuadrature, IntegralsOnEveryMesh) {
  std::vector<double> logarithmic, shifted, fraction;
  for (int i = 0; i < 1200; ++i) {
    logarithmic.push_back(1e-4 * std::exp(0.0125 * i));
    shifted.push_back(5e-4 * std::expm1(0.01 * i));
    fraction.push_back(0.4 * i / (1200 - i));
  }
  for (const auto& r : {logarithmic, shifted, fraction}) {
    const RadialQuadrature mesh(r);
    EXPECT_NEAR(mesh.integrate(values(r, [](double x) { return x * x * std::exp(-2 * x); })), 0.25, 1e-10);
    const auto cumulative = mesh.cumulative(values(r, [](double x) { return x * x; }));
    for (const std::size_t i : {40U, 400U, 900U}) EXPECT_NEAR(cumulative[i], std::pow(r[i], 3) / 3, 1e-9 + 1e-9 * r[i]);
  }
}

TEST(RadialQuadrature, PotentialsOfGaussianMultipoles) {
  std::vector<double> r;
  for (int i = 0; i < 900; ++i) r.push_back(5e-4 * std::expm1(0.011 * i));
  const RadialQuadrature mesh(r);
  for (int l = 0; l <= 4; ++l) {
    // r^l exp(-r^2) has the potential 4 pi/(2l+1) q/r^(l+1) outside, q = Gamma(l + 3/2) / 2
    const auto r_v = r_times_multipole_potential(
        mesh, values(r, [&](double x) { return std::pow(x, l + 2) * std::exp(-x * x); }), l);
    const double q = 0.5 * std::tgamma(l + 1.5);
    for (std::size_t i = 1; i < r.size(); ++i) {
      if (r[i] > 7.0) {
        ASSERT_NEAR(r_v[i], 4 * std::numbers::pi / (2 * l + 1) * q / std::pow(r[i], l), 1e-9) << l;
      }
      if (l == 0) {
        ASSERT_NEAR(r_v[i], std::pow(std::numbers::pi, 1.5) * std::erf(r[i]), 1e-8);
      }
    }
  }
}

TEST(RadialQuadrature, InteractionOfGaussians) {
  std::vector<double> r;
  for (int i = 0; i < 900; ++i) r.push_back(5e-4 * std::expm1(0.011 * i));
  const auto r2_n = values(r, [](double x) { return x * x * std::exp(-x * x) * std::pow(std::numbers::pi, -1.5); });
  // of the Gaussian density with itself sqrt(2/pi); n(r) is n_00 Y_00
  const double root = 4.0 * std::numbers::pi;
  EXPECT_NEAR(root * multipole_interaction(RadialQuadrature(r), r2_n, r2_n, 0), std::sqrt(2.0 / std::numbers::pi),
              1e-8);
}

TEST(ShapeFunction, MomentsAreOne) {
  std::vector<double> r;
  for (int i = 0; i < 3000; ++i) r.push_back(4e-4 * std::expm1(0.004 * i));
  const RadialQuadrature mesh(r);
  for (const std::string type : {"gauss", "sinc", "bessel", "exp"})
    for (int l = 0; l <= 6; ++l) {
      const ShapeFormula shape{type, type == "gauss" ? 0.4 : 1.2, 6.0};
      std::vector<double> f = shape.r2_g(r, l);
      for (std::size_t i = 0; i < f.size(); ++i) f[i] *= std::pow(r[i], l);
      EXPECT_NEAR(mesh.integrate(f, 2 * l + 2), 1.0, 2e-6) << type << l;
    }
}

TEST(PawXml, ContentsOfAMadeUpDataset) {
  const PseudopotentialFile file = read(paw_xml());
  EXPECT_EQ(file.format, "PAW XML");
  EXPECT_EQ(file.functional, "GGA_X_PBE+GGA_C_PBE");
  const AugmentedDataset& data = *file.potential->augmented();
  ASSERT_EQ(data.size(), 3U);
  EXPECT_EQ(data.waves[1].label, "Li-s1");  // by l, and as in the file
  EXPECT_EQ(data.waves[2].l, 1);
  EXPECT_EQ(data.waves[0].occupation, 1.0);
  EXPECT_EQ(data.waves[1].energy, 0.9);
  EXPECT_EQ(data.compensation_in_xc, CompensationInXc::excluded);
  EXPECT_EQ(data.wave_cutoff, 10.0);
  EXPECT_EQ(data.paw->core_kinetic_energy, 7.0);
  EXPECT_EQ(data.paw->kinetic_differences, (std::vector<double>{0.5, 0.2, 0, 0.2, 0.9, 0, 0, 0, 0.7}));
  EXPECT_THAT(data.remarks, ::testing::IsEmpty());
  EXPECT_EQ(data.find(2, 0, 1), data.find(0, 2, 1));
  EXPECT_EQ(data.find(0, 2, 0), nullptr);
  for (const auto& [i, j, l] : std::vector<std::tuple<std::size_t, std::size_t, int>>{
           {0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 2, 0}, {2, 2, 2}, {0, 2, 1}, {1, 2, 1}})
    EXPECT_NEAR(data.find(i, j, l)->moment, Made::moment(i, j, l), 1e-9) << i << j << l;
  EXPECT_NEAR(data.overlap(1, 0), Made::moment(0, 1, 0), 1e-9);
  EXPECT_EQ(data.overlap(0, 2), 0.0);
  EXPECT_EQ(file.potential->num_channels(), 2);
  EXPECT_EQ(file.potential->num_projectors(0), 2);
  EXPECT_EQ(file.potential->coupling(0, 0, 1), data.coupling(0, 1));
  EXPECT_NEAR(file.potential->projector_radial(0, 1, 0.7), Made::projector(1, 0.7), 1e-8);
}

/// V_loc + Z_valence/r beyond the sphere, D0 by quadrature of formulas.
TEST(PawXml, LocalPotentialAndBareCouplings) {
  const PseudopotentialFile file = read(paw_xml("<shape_function type=\"bessel\" rc=\"1.3\"/>"));
  const AugmentedDataset& data = *file.potential->augmented();
  for (const double r : {1.6, 2.5, 5.0}) EXPECT_NEAR(file.potential->local_radial(r), -1.0 / r, 3e-3 * std::exp(-r));
  EXPECT_LT(data.paw->r_ion_potential[0] + 3.0, 1e-12);
  const double c = Made::core_decay;
  const auto v_ion = [&](double r) { return (-1.0 - 2.0 * std::exp(-c * r) * (1.0 + 0.5 * c * r)) / r; };
  const auto* shape = data.find(1, 1, 0);
  const double with_waves = Made::integral(
      [&](double r) {
        if (r == 0.0) return 0.0;
        const double phi = Made::all_electron(1, r), smooth = Made::pseudo(1, r);
        return r * r * (v_ion(r) * phi * phi - file.potential->local_radial(r) * smooth * smooth);
      },
      Made::sphere);
  std::vector<double> f(shape->r2_q);
  for (std::size_t i = 0; i < f.size(); ++i) f[i] *= file.potential->local_radial(data.r[i]);
  EXPECT_NEAR(data.coupling(1, 1), 0.9 + with_waves - RadialQuadrature(data.r).integrate(f), 1e-6);
}

TEST(PawXml, EveryEquationOfTheMesh) {
  struct Mesh {
    std::string attributes;
    std::function<double(int)> radius;
    int points;
  };
  const std::vector<Mesh> meshes{
      {"eq=\"r=d*i\" d=\"0.01\"", [](int i) { return 0.01 * i; }, 900},
      {"eq=\"r=a*exp(d*i)\" a=\"1e-4\" d=\"0.015\"", [](int i) { return 1e-4 * std::exp(0.015 * i); }, 780},
      {"eq=\"r=a*i/(1-b*i)\" a=\"0.002\" b=\"0.0015\"", [](int i) { return 0.002 * i / (1 - 0.0015 * i); }, 600},
      {"eq=\"r=a*i/(n-i)\" a=\"0.4\" n=\"450\"", [](int i) { return 0.4 * i / (450 - i); }, 430},
      {"eq=\"r=(i/n+a)^5/a-a^4\" a=\"0.2\" n=\"500\"",
       [](int i) { return std::pow(i / 500.0 + 0.2, 5) / 0.2 - std::pow(0.2, 4); }, 600}};
  for (const Mesh& mesh : meshes) {
    const PseudopotentialFile file =
        read(paw_xml(mesh.attributes, mesh.radius, mesh.points, "<shape_function type=\"gauss\" rc=\"0.3\"/>"));
    const AugmentedDataset& data = *file.potential->augmented();
    EXPECT_NEAR(data.r[50], mesh.radius(50), 1e-12) << mesh.attributes;
    EXPECT_NEAR(data.overlap(0, 0), Made::moment(0, 0, 0), 1e-7) << mesh.attributes;
    EXPECT_NEAR(file.potential->local_radial(3.0), -1.0 / 3.0, 1e-3) << mesh.attributes;
  }
}

TEST(PawXml, NumericalShapes) {
  std::string shapes;
  const auto radius = [](int i) { return 0.002 * std::expm1(0.012 * i); };
  for (int l = 0; l <= 2; ++l) {
    shapes += "<shape_function type=\"numeric\" l=\"" + std::to_string(l) + "\" grid=\"g\">\n";
    for (int i = 0; i < 700; ++i) shapes += std::to_string(std::pow(radius(i), l) * Made::bump(radius(i))) + "\n";
    shapes += "</shape_function>\n";
  }
  const PseudopotentialFile file = read(paw_xml(shapes));
  const AugmentedDataset& data = *file.potential->augmented();
  EXPECT_EQ(data.paw->shape->type(), "numeric");
  std::vector<double> f(data.find(2, 2, 2)->r2_q);
  for (std::size_t i = 0; i < f.size(); ++i) f[i] *= data.r[i] * data.r[i];
  EXPECT_NEAR(RadialQuadrature(data.r).integrate(f), Made::moment(2, 2, 2), 1e-9);
}

TEST(PawXml, RefusesByName) {
  const std::string text = paw_xml();
  const auto changed = [&](const std::string& from, const std::string& to) {
    try {
      (void)read(replaced(text, from, to));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(read(text).potential->augmented()->described(),
            "a PAW dataset (projectors 2s 1p, compensation charges of shape sinc that do not enter xc)");
  EXPECT_THAT(changed("eq=\"r=a*(exp(d*i)-1)\"", "eq=\"r=i\""), HasSubstr("the equation of the radial grid is 'r=i'"));
  EXPECT_THAT(changed("iend=\"699\"", "iend=\"698\""), HasSubstr("has 700 numbers; 699 are needed"));
  EXPECT_THAT(changed("type=\"sinc\"", "type=\"square\""), HasSubstr("the type of the shape function is 'square'"));
  EXPECT_THAT(changed("core=\"2\"", "core=\"1\""), HasSubstr("whole numbers whose sum is Z"));
  EXPECT_THAT(changed("Z=\"3\" core=\"2\"", "Z=\"4\" core=\"3\""), HasSubstr("Z of Li is 4; valid is 3"));
  EXPECT_THAT(changed("state=\"Li-s1\"", "state=\"Li-s2\""), HasSubstr("of the state 'Li-s1'"));
  EXPECT_THAT(changed("<kinetic_energy_differences>\n 0.5 0", "<kinetic_energy_differences>\n 0.5 0.3"),
              HasSubstr("the dataset contradicts itself: the kinetic energy differences"));
  EXPECT_THAT(changed("<zero_potential grid=\"g\">", "<other grid=\"g\">"), HasSubstr("not well-formed"));
  EXPECT_THAT(changed("l=\"1\" rc", "l=\"5\" rc"), HasSubstr("l is 5; valid are whole numbers from 0 to 3"));
}

TEST(PawXml, ContradictionsOfIntegrals) {
  std::string text = paw_xml();
  auto at = text.find("<ae_core_density");
  for (int line = 0; line < 400; ++line) at = text.find('\n', at) + 1;
  text.insert(at + 1, "999");  // a number of the core density becomes larger
  EXPECT_THAT([&] { (void)read(text); }, ::testing::ThrowsMessage<Error>(HasSubstr("contradicts itself")));
}

TEST(Upf, PolynomialsOfUltrasoftFunctions) {
  for (const int version : {1, 2}) {
    const PseudopotentialFile file = read(ultrasoft_upf(version));
    EXPECT_EQ(file.format, "UPF " + std::to_string(version));
    const AugmentedDataset& data = *file.potential->augmented();
    EXPECT_FALSE(data.paw);
    EXPECT_EQ(data.compensation_in_xc, CompensationInXc::included);
    EXPECT_NEAR(data.overlap(0, 0), data.find(0, 0, 0)->moment, 1e-15);  // the functions jump at 0.5 bohr
    EXPECT_EQ(data.wave_cutoff, 15.0);
    EXPECT_EQ(data.density_cutoff, 100.0);
    EXPECT_EQ(data.coupling(1, 1), -0.4);
    ASSERT_EQ(data.augmentation.size(), 4U);  // ss0, sp1, pp0, pp2
    for (const auto& [i, j, l] :
         std::vector<std::tuple<std::size_t, std::size_t, int>>{{0, 0, 0}, {0, 1, 1}, {1, 1, 0}, {1, 1, 2}}) {
      const auto& r2_q = data.find(i, j, l)->r2_q;
      for (const std::size_t k : {100U, 250U, 283U, 284U, 300U}) {
        const double r = data.r[k], sum = static_cast<double>(i + j);
        const double expected =
            r < 0.5 ? std::pow(r, l + 2) * (l + 1 + 10 * sum * r * r) : r * r * std::pow(r, sum) * std::exp(-4 * r);
        EXPECT_NEAR(r2_q[k], expected, 1e-14) << version << i << j << l;
      }
    }
  }
  EXPECT_EQ(complaint(ultrasoft_upf(2), {.element = "Li"}), "");
}

TEST(Upf, UltrasoftFilesThatLackASection) {
  const std::string text = ultrasoft_upf(2);
  EXPECT_THAT(complaint(replaced(text, "<PP_QFCOEF", "<PP_QFCOEFF"), {.element = "Li"}), HasSubstr("not well-formed"));
  EXPECT_THAT(complaint(replaced(text, "nqf=\"2\"", "nqf=\"3\""), {.element = "Li"}),
              HasSubstr("<PP_QFCOEF> of line 1624 has 24 numbers; 36 are needed"));
  EXPECT_THAT(complaint(replaced(text, "0.6 0 0", "0.6 0 0.5"), {.element = "Li"}), HasSubstr("D0_ij"));
  EXPECT_THAT(complaint(replaced(text, "is_paw=\"F\"", "is_paw=\"T\""), {.element = "Li"}),
              HasSubstr("<PP_AUGMENTATION> has no <PP_MULTIPOLES>"));
}

}  // namespace
}  // namespace wavegrid::test_augmented_datasets
