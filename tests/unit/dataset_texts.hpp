// Made-up ultrasoft and PAW datasets of lithium, with known integrals: texts of PAW XML and UPF.
#pragma once

#include <cmath>
#include <functional>
#include <iomanip>
#include <numbers>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace wavegrid::test_data {

/// Two s waves and one p wave with r phi~ = r^(l+1) exp(-r) or r^(l+1) exp(-2r), phi = phi~ + r^l bump(r), a core of
/// 2 electrons, and projectors that are dual by construction.
struct MadeUpDataset {
  static constexpr double sphere = 1.5;  // bohr
  static constexpr double core_decay = 4.0;

  /// Smooth, and 0 beyond the sphere.
  static double bump(double r) { return r < sphere ? std::pow(1.0 - r * r / (sphere * sphere), 8) : 0.0; }
  static int l_of(std::size_t wave) { return wave < 2 ? 0 : 1; }
  static double pseudo(std::size_t wave, double r) {
    return std::pow(r, l_of(wave)) * std::exp(-(wave == 1 ? 2.0 : 1.0) * r);
  }
  static double all_electron(std::size_t wave, double r) {
    return pseudo(wave, r) + (wave == 1 ? -0.4 : 0.7) * std::pow(r, l_of(wave)) * bump(r);
  }
  static double core(double r) {
    return 2.0 * std::pow(core_decay, 3) / (8.0 * std::numbers::pi) * std::exp(-core_decay * r);
  }
  static double pseudo_core(double r) { return 0.3 * bump(r); }
  static double zero_potential(double r) { return -0.8 * bump(r); }

  static double integral(const std::function<double(double)>& f, double end, int steps = 4000) {
    double sum = 0.0;
    for (int i = 0; i <= steps; ++i) sum += (i == 0 || i == steps ? 1.0 : i % 2 == 1 ? 4.0 : 2.0) * f(end * i / steps);
    return sum * end / steps / 3.0;
  }
  /// int r^(L+2) (phi_i phi_j - phi~_i phi~_j) dr.
  static double moment(std::size_t i, std::size_t j, int l) {
    return integral(
        [&](double r) {
          return std::pow(r, l + 2) * (all_electron(i, r) * all_electron(j, r) - pseudo(i, r) * pseudo(j, r));
        },
        sphere);
  }
  /// sum_j inverse(B)_ij phi~_j bump with B_ij = <phi~_i bump|phi~_j>.
  static double projector(std::size_t wave, double r) {
    const auto b = [](std::size_t i, std::size_t j) {
      return integral([&](double x) { return x * x * bump(x) * pseudo(i, x) * pseudo(j, x); }, sphere, 800);
    };
    if (wave == 2) {
      static const double norm = b(2, 2);
      return bump(r) * pseudo(2, r) / norm;
    }
    static const double b00 = b(0, 0), b01 = b(0, 1), b11 = b(1, 1);
    const double determinant = b00 * b11 - b01 * b01, own = wave == 0 ? b11 : b00;
    return bump(r) * (own * pseudo(wave, r) - b01 * pseudo(1 - wave, r)) / determinant;
  }

  /// In a file the p wave comes between the two s waves.
  static constexpr std::size_t file_order[] = {0, 2, 1};
};

/// The text of PAW XML. `grid`: attributes of <radial_grid> but for its range; `radius`: the radii that it describes;
/// `shape`: an element.
inline std::string paw_xml(const std::string& grid, const std::function<double(int)>& radius, int points,
                           const std::string& shape) {
  using Data = MadeUpDataset;
  const double root = std::sqrt(4.0 * std::numbers::pi);
  std::ostringstream out;
  out << std::setprecision(17);
  const auto function = [&](const std::string& head, const std::string& name, const std::function<double(double)>& f) {
    out << "<" << head << " grid=\"g\">\n";
    for (int i = 0; i < points; ++i) out << " " << f(radius(i)) << "\n";
    out << "</" << name << ">\n";
  };
  out << "<?xml version=\"1.0\"?>\n<paw_dataset version=\"0.7\">\n<atom symbol=\"Li\" Z=\"3\" core=\"2\" "
         "valence=\"1\"/>\n"
      << "<pw_ecut low=\"8\" medium=\"10\" high=\"12\"/>\n<xc_functional type=\"GGA\" name=\"PBE\"/>\n"
      << "<generator type=\"scalar-relativistic\" name=\"made up\"/>\n<core_energy kinetic=\"7.0\"/>\n"
      << "<paw_radius rc=\"1.5\"/>\n<valence_states>\n"
      << "<state n=\"2\" l=\"0\" f=\"1\" rc=\"1.5\" e=\"-0.1\" id=\"Li-2s\"/>\n"
      << "<state n=\"2\" l=\"1\" rc=\"1.5\" e=\"-0.04\" id=\"Li-2p\"/>\n<state l=\"0\" rc=\"1.5\" e=\"0.9\" "
         "id=\"Li-s1\"/>\n"
      << "</valence_states>\n<radial_grid " << grid << " istart=\"0\" iend=\"" << points - 1 << "\" id=\"g\"/>\n"
      << shape << "\n";
  function("ae_core_density", "ae_core_density", [&](double r) { return root * Data::core(r); });
  function("pseudo_core_density", "pseudo_core_density", [&](double r) { return root * Data::pseudo_core(r); });
  function("zero_potential", "zero_potential", [&](double r) { return root * Data::zero_potential(r); });
  const std::vector<std::string> names{"Li-2s", "Li-s1", "Li-2p"};
  for (const std::size_t wave : Data::file_order) {
    const std::string state = " state=\"" + names[wave] + "\"";
    function("ae_partial_wave" + state, "ae_partial_wave", [=](double r) { return Data::all_electron(wave, r); });
    function("pseudo_partial_wave" + state, "pseudo_partial_wave", [=](double r) { return Data::pseudo(wave, r); });
    function("projector_function" + state, "projector_function", [=](double r) { return Data::projector(wave, r); });
  }
  out << "<kinetic_energy_differences>\n 0.5 0 0.2\n 0 0.7 0\n 0.2 0 "
         "0.9\n</kinetic_energy_differences>\n</paw_dataset>\n";
  return out.str();
}

/// That on the mesh 0.002 (exp(0.012 i) - 1), to 8 bohr.
inline std::string paw_xml(const std::string& shape = "<shape_function type=\"sinc\" rc=\"1.3\"/>") {
  return paw_xml(
      "eq=\"r=a*(exp(d*i)-1)\" a=\"0.002\" d=\"0.012\"", [](int i) { return 0.002 * std::expm1(0.012 * i); }, 700,
      shape);
}

/// An ultrasoft UPF 2 of lithium: projectors s and p, Q_ij = exp(-4 r) r^(l_i + l_j) outside 0.5 bohr, and inside for
/// each L r^L (c_0 + c_1 r^2) with c = (L + 1, 10 (i + j)), i and j from 0. `version`: 1 or 2.
inline std::string ultrasoft_upf(int version) {
  constexpr int points = 400;
  const auto radius = [](int i) { return 1e-4 * std::exp(0.03 * i); };
  const auto q = [](int i, int j, double r) { return r * r * std::pow(r, i + j) * std::exp(-4.0 * r); };
  std::ostringstream out;
  out << std::setprecision(17);
  const auto numbers = [&](const std::function<double(double)>& f) {
    for (int i = 0; i < points; ++i) out << " " << f(radius(i)) << "\n";
  };
  const auto function = [&](const std::string& name, const std::function<double(double)>& f) {
    out << "<" << name << ">\n";
    numbers(f);
    out << "</" << name.substr(0, name.find(' ')) << ">\n";
  };
  const auto coefficients = [&](int i, int j) {
    for (int l = 0; l < 3; ++l) out << " " << l + 1 << " " << 10 * (i + j) << "\n";
  };
  const auto beta = [](int l) { return [l](double r) { return std::pow(r, l + 1) * std::exp(-3.0 * r); }; };
  if (version == 2)
    out << "<UPF version=\"2.0.1\">\n<PP_HEADER element=\"Li\" pseudo_type=\"US\" is_ultrasoft=\"T\" is_paw=\"F\" "
           "core_correction=\"F\" functional=\"PBE\" z_valence=\"1.0\" wfc_cutoff=\"30\" rho_cutoff=\"200\" "
           "l_max=\"1\" "
           "mesh_size=\"400\" number_of_wfc=\"0\" number_of_proj=\"2\"/>\n";
  else
    out << "<PP_HEADER>\n 0 Version Number\n Li Element\n US Ultrasoft pseudopotential\n F Nonlinear Core Correction\n"
           " SLA PW PBE PBE PBE Exchange-Correlation functional\n 1.0 Z valence\n -1.0 Total energy\n"
           " 30 200 Suggested cutoff for wfc and rho\n 1 Max angular momentum component\n 400 Number of points in "
           "mesh\n"
           " 0 2 Number of Wavefunctions, Number of Projectors\n</PP_HEADER>\n";
  out << "<PP_MESH>\n";
  function("PP_R", [](double r) { return r; });
  out << "</PP_MESH>\n";
  function("PP_LOCAL", [](double r) { return -2.0 * std::erf(r) / r; });
  out << "<PP_NONLOCAL>\n";
  for (int i = 0; i < 2; ++i) {
    const std::string l = std::to_string(i), number = std::to_string(i + 1);
    if (version == 2) {
      function("PP_BETA." + number + " angular_momentum=\"" + l + "\" cutoff_radius_index=\"400\"", beta(i));
    } else {
      out << "<PP_BETA>\n " << number << " " << l << " Beta L\n 400\n";
      numbers(beta(i));
      out << "</PP_BETA>\n";
    }
  }
  if (version == 2) {
    out << "<PP_DIJ>\n 0.6 0 0 -0.8\n</PP_DIJ>\n<PP_AUGMENTATION q_with_l=\"F\" nqf=\"2\" nqlc=\"3\">\n"
           "<PP_Q>\n @00 0 0 @11\n</PP_Q>\n<PP_RINNER>\n 0.5 0.5 0.5\n</PP_RINNER>\n<PP_QFCOEF>\n";
    for (int j = 0; j < 2; ++j)
      for (int i = 0; i < 2; ++i) coefficients(i, j);
    out << "</PP_QFCOEF>\n";
  } else {
    out << "<PP_DIJ>\n 2 Number of nonzero Dij\n 1 1 0.6\n 2 2 -0.8\n</PP_DIJ>\n"
           "<PP_QIJ>\n 2 nqf\n<PP_RINNER>\n 1 0.5\n 2 0.5\n 3 0.5\n</PP_RINNER>\n";
  }
  for (int i = 0; i < 2; ++i)
    for (int j = i; j < 2; ++j) {
      const auto q_ij = [=](double r) { return q(i, j, r); };
      if (version == 2) {
        function("PP_QIJ." + std::to_string(i + 1) + "." + std::to_string(j + 1), q_ij);
      } else {
        out << " " << i + 1 << " " << j + 1 << " " << j << " i j (l(j))\n @" << i << j << " Q_int\n";
        numbers(q_ij);
        out << "<PP_QFCOEF>\n";
        coefficients(i, j);
        out << "</PP_QFCOEF>\n";
      }
    }
  out << (version == 2 ? "</PP_AUGMENTATION>\n" : "</PP_QIJ>\n") << "</PP_NONLOCAL>\n";
  function("PP_RHOATOM", [](double r) { return 4.0 * r * r * std::exp(-2.0 * r); });
  if (version == 2) out << "</UPF>\n";
  std::string text = out.str();
  for (int i = 0; i < 2; ++i)
    for (int j = i; j < 2; ++j) {
      std::ostringstream value;  // the part inside is a polynomial
      value << std::setprecision(12)
            << std::pow(0.5, 3) / 3 + 10 * (i + j) * std::pow(0.5, 5) / 5 +
                   MadeUpDataset::integral([&](double r) { return q(i, j, r + 0.5); }, 12.0);
      const std::string mark = "@" + std::to_string(i) + std::to_string(j);
      if (const auto at = text.find(mark); at != std::string::npos) text.replace(at, mark.size(), value.str());
    }
  return text;
}

}  // namespace wavegrid::test_data
