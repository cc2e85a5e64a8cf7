#include <algorithm>

#include <wavegrid/base/printable.hpp>
#include <wavegrid/pseudo/upf_version.hpp>

namespace wavegrid {
namespace {

class Version1 : public UpfVersion {
 public:
  [[nodiscard]] UpfHeader header(const XmlElement& root) const override {
    const XmlElement s = root.require("PP_HEADER");
    const TextFile& file = s.file();
    WordReader words(file, s.first_line());
    const auto line_of = [&](const std::string& what) {
      words.next_line();
      return words.word(what);
    };
    const auto count = [&](const std::string& what, std::size_t most) {
      const double found = words.real(what);
      return to_count(file, words.line(), what, found, most);
    };
    (void)line_of("the version number");
    UpfHeader h{.element = std::string(line_of("the element").text), .line = s.line()};
    const Word type = line_of("the type of the pseudopotential");
    h.type = std::string(type.text);
    h.type_line = type.line;
    h.core = is_true(std::string(line_of("T or F for the core correction").text));
    words.next_line();
    h.functional = functional_in(file.line(words.line()));
    require_upf_functional(file, words.line(), h.functional);
    words.next_line();
    h.charge = words.real("the valence charge");
    words.next_line();  // the energy
    words.next_line();
    const auto cutoffs = split_words(file.line(words.line()));
    words.next_line();  // the largest l
    words.next_line();
    h.mesh = count("the number of mesh points", most_upf_points);
    words.next_line();
    h.num_orbitals = count("the number of wave functions", most_upf_orbitals);
    h.num_projectors = count("the number of projectors", most_upf_projectors);
    require_upf_type(file, h);
    h.fully_relativistic = root.find("PP_ADDINFO").has_value();
    if (h.augmented() && cutoffs.size() >= 2) {
      h.wave_cutoff = parse_real(cutoffs[0]).value_or(0.0);
      h.density_cutoff = parse_real(cutoffs[1]).value_or(0.0);
    }
    return h;
  }

  /// Projectors are not numbered; each starts with its number, l and how many values follow.
  [[nodiscard]] UpfProjector projector(const XmlElement& nonlocal, std::size_t i,
                                       const UpfHeader& header) const override {
    const XmlElement s = nonlocal.require("PP_BETA", i);
    const TextFile& file = s.file();
    WordReader words(file, s.first_line() + 1);
    (void)words.integer("the number of the projector");
    UpfProjector p{words.integer("l of the projector", 0, static_cast<int>(largest_upf_l))};
    words.next_line();
    const auto size = static_cast<std::size_t>(
        words.integer("the number of points of the projector", 0, static_cast<int>(header.mesh)));
    for (std::size_t k = 0; k < size; ++k) p.r_beta.push_back(words.real("a value of the projector"));
    p.num_points = size;
    if (words.line() > s.last_line())
      file.fail(s.last_line(), "<PP_BETA> of line " + std::to_string(s.line()) + " has fewer than its " +
                                   std::to_string(size) + " numbers");
    return p;
  }

  /// The number of couplings that are not 0, then a line "i j D_ij" for each with i <= j.
  [[nodiscard]] std::vector<double> couplings(const XmlElement& dij, const UpfHeader& header) const override {
    const std::size_t n = header.num_projectors;
    const TextFile& file = dij.file();
    WordReader words(file, dij.first_line() + 1);
    const int last = static_cast<int>(n), size = words.integer("the number of D_ij", 0, last * last);
    std::vector<double> d(n * n, 0.0);
    for (int k = 0; k < size; ++k) {
      words.next_line();
      const int i = words.integer("the first index of a D_ij", 1, last),
                j = words.integer("the second index of a D_ij", 1, last);
      const double value = words.real("a D_ij");
      const auto row = static_cast<std::size_t>(i - 1), column = static_cast<std::size_t>(j - 1);
      d[row * n + column] = d[column * n + row] = value;
    }
    if (words.line() > dij.last_line())
      file.fail(dij.last_line(), "<PP_DIJ> of line " + std::to_string(dij.line()) + " has fewer than its " +
                                     std::to_string(size) + " couplings");
    return d;
  }

  /// A line "3S 0 2.00 Wavefunction", then the values; l above 3 are left out.
  [[nodiscard]] std::vector<UpfOrbital> orbitals(const XmlElement& root, const XmlElement& pswfc,
                                                 const UpfHeader& header) const override {
    std::vector<UpfOrbital> found;
    std::size_t info = header.fully_relativistic ? root.require("PP_ADDINFO").first_line() : 0;
    for (std::size_t n = pswfc.first_line(); n < pswfc.last_line(); ++n) {
      const auto words = split_words(pswfc.file().line(n));
      if (words.size() != 4 || lower(std::string(words[3])) != "wavefunction") continue;
      ++info;  // a line "3D 2 2 1.5 4.0", one after the other
      const auto l = parse_int(words[1]);
      const auto electrons = parse_real(words[2]);
      if (!l || !electrons || *l < 0 || *l > static_cast<int>(largest_upf_l)) continue;
      found.push_back({*l, *electrons, values(pswfc, n, header.mesh), std::string(words[0])});
      if (!header.fully_relativistic) continue;
      const auto about = split_words(pswfc.file().line(info));
      found.back().j = about.size() > 3 ? parse_real(about[3]).value_or(0.0) : 0.0;
    }
    return found;
  }

  /// A line with nqf; where that is not 0, <PP_RINNER> with lines "L r"; then for each pair a line "i j l_j", a line
  /// with the integral, the values of r^2 Q_ij, and <PP_QFCOEF> where nqf is not 0.
  [[nodiscard]] UpfAugmentation augmentation(const XmlElement& nonlocal, const UpfHeader& header) const override {
    const XmlElement s = nonlocal.require("PP_QIJ");
    WordReader words(s.file(), s.first_line() + 1);
    const std::size_t n = header.num_projectors;
    UpfAugmentation out;
    out.num_coefficients = static_cast<std::size_t>(words.integer("nqf", 0, 100));
    words.next_line();
    if (out.num_coefficients > 0) {
      out.inner_radius = every_second(s.require("PP_RINNER").numbers());
      words = WordReader(s.file(), s.require("PP_RINNER").last_line() + 1);
    }
    out.integrals.assign(n * n, 0.0);
    std::size_t pair = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i; j < n; ++j, ++pair) read_pair(s, words, pair, header, out);
    return out;
  }

  /// In <PP_ADDINFO>, after a line for each wave function, a line "l j" for each projector.
  [[nodiscard]] std::vector<double> total_momenta(const XmlElement& root, const UpfHeader& header) const override {
    const XmlElement s = root.require("PP_ADDINFO");
    WordReader words(s.file(), s.first_line() + 1);
    for (std::size_t i = 0; i < header.num_orbitals; ++i) words.next_line();
    std::vector<double> j;
    for (std::size_t i = 0; i < header.num_projectors; ++i) {
      (void)words.integer("l of a projector", 0, static_cast<int>(largest_upf_l));
      j.push_back(words.real("j of a projector"));
      words.next_line();
    }
    return j;
  }

 private:
  static void read_pair(const XmlElement& s, WordReader& words, std::size_t pair, const UpfHeader& header,
                        UpfAugmentation& out) {
    const int last = static_cast<int>(header.num_projectors);
    UpfAugmentation::Function f;
    f.i = static_cast<std::size_t>(words.integer("the first index of a Q_ij", 1, last) - 1);
    f.j = static_cast<std::size_t>(words.integer("the second index of a Q_ij", 1, last) - 1);
    words.next_line();
    const double integral = words.real("the integral of a Q_ij");
    words.next_line();
    for (std::size_t k = 0; k < header.mesh; ++k) f.r2_q.push_back(words.real("a value of a Q_ij"));
    words.next_line();
    if (words.line() > s.last_line())
      s.file().fail(s.last_line(), "<PP_QIJ> of line " + std::to_string(s.line()) + " ends within its functions");
    if (out.num_coefficients > 0) {
      const XmlElement coefficients = s.require("PP_QFCOEF", pair);
      f.coefficients = coefficients.numbers(out.num_coefficients * out.inner_radius.size());
      words = WordReader(s.file(), coefficients.last_line() + 1);
    }
    if (f.i > f.j) std::swap(f.i, f.j);
    const auto n = header.num_projectors;
    out.integrals[f.i * n + f.j] = out.integrals[f.j * n + f.i] = integral;
    out.functions.push_back(std::move(f));
  }

  static std::vector<double> every_second(const std::vector<double>& values) {
    std::vector<double> found;
    for (std::size_t i = 1; i < values.size(); i += 2) found.push_back(values[i]);
    return found;
  }

  /// "SLA PW PBX PBC" in a line "SLA PW PBX PBC PBE Exchange-Correlation functional".
  [[nodiscard]] static std::string functional_in(std::string_view line) {
    const auto words = split_words(line);
    const bool in_one_word = !words.empty() && words[0].find_first_of("-+") != std::string_view::npos;
    std::string names;
    for (std::size_t i = 0; i < std::min<std::size_t>(words.size(), in_one_word ? 1 : 4); ++i) {
      if (lower(std::string(words[i])).starts_with("exchange")) break;
      names += std::string(words[i]) + " ";
    }
    return names;
  }

  /// The `size` numbers after a line of an element.
  [[nodiscard]] static std::vector<double> values(const XmlElement& element, std::size_t line, std::size_t size) {
    WordReader words(element.file(), line + 1);
    std::vector<double> found;
    for (std::size_t k = 0; k < size; ++k) found.push_back(words.real("a value of the pseudo-orbital"));
    if (words.line() > element.last_line())
      element.file().fail(element.last_line(), "the pseudo-orbital of line " + std::to_string(line) +
                                                   " has fewer than its " + std::to_string(size) + " numbers");
    return found;
  }
};

}  // namespace

const UpfVersion& upf_version1() {
  static const Version1 version;
  return version;
}

}  // namespace wavegrid
