// UPF: elements <PP_X ...> numbers </PP_X> of functions on one radial mesh, in Rydberg units:
//
//   PP_LOCAL   V_loc, Ry          PP_BETA    r beta(r)                 PP_DIJ  D_ij; sum |beta_i> D_ij <beta_j| in Ry
//   PP_NLCC    rho_core, 1/bohr^3 PP_PSWFC   atomic orbitals r R(r) with l and occupation
//
// Version 1 has the header as lines in a fixed order, version 2 as attributes.
#include <algorithm>
#include <cmath>
#include <set>

#include <wavegrid/base/printable.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/pseudo/functional_names.hpp>
#include <wavegrid/pseudo/readers.hpp>
#include <wavegrid/pseudo/upf_element.hpp>

namespace wavegrid {
namespace {

// More than any file has; a number beyond them means that the file is damaged.
constexpr std::size_t most_points = 1'000'000, most_upf_projectors = 100, most_orbitals = 100, largest_l = 3;

struct Header {
  std::string element, type, functional;
  double charge = 0.0;
  bool core = false;
  std::size_t mesh = 0, num_projectors = 0, num_orbitals = 0;
  std::size_t line = 0, type_line = 0;
};

/// r beta(r) of one projector, up to its cutoff.
struct Projector {
  int l;
  std::vector<double> r_beta;
};

/// An atomic orbital; negative electrons mark an unbound one.
struct Orbital {
  int l;
  double electrons;
  std::vector<double> times_r;
};

/// Rejects potentials that this program does not support.
[[noreturn]] void refuse(const TextFile& file, std::size_t line, const std::string& what) {
  file.fail(line, "this is " + what + "; valid are norm-conserving, separable potentials without spin-orbit terms");
}

/// Files converted from semilocal potentials keep their type and have projectors, too.
void refuse_type(const TextFile& file, const Header& header) {
  const std::string type = lower(header.type);
  const std::size_t line = header.type_line;
  if (type == "nc" || (type == "sl" && header.num_projectors > 0)) return;
  if (type == "us" || type == "uspp") refuse(file, line, "an ultrasoft pseudopotential");
  if (type == "paw") refuse(file, line, "a PAW data set");
  if (type == "sl") refuse(file, line, "a semilocal pseudopotential without projectors");
  if (type == "1/r") refuse(file, line, "a bare Coulomb potential");
  refuse(file, line, "a pseudopotential of type " + in_quotes(header.type));
}

void refuse_functional(const TextFile& file, std::size_t line, const std::string& functional) {
  const std::string names = lower(functional);
  for (const char* meta : {"tpss", "scan", "sca0", "m06l", "tb09", "m6l", "mgga", "meta"})
    if (names.find(meta) != std::string::npos)
      refuse(file, line, "a potential for a meta-GGA, " + in_quotes(trimmed(functional)));
}

constexpr const char* spin_orbit = "a fully relativistic potential with spin-orbit terms";

/// The parts of the format that differ between versions: the header, the projectors, D_ij and the orbitals.
class Version {
 public:
  virtual ~Version() = default;
  [[nodiscard]] virtual Header header(const UpfElement& root) const = 0;
  [[nodiscard]] virtual Projector projector(const UpfElement& nonlocal, std::size_t i, const Header& header) const = 0;
  /// D_ij, row by row, Ry.
  [[nodiscard]] virtual std::vector<double> couplings(const UpfElement& dij, const Header& header) const = 0;
  [[nodiscard]] virtual std::vector<Orbital> orbitals(const UpfElement& pswfc, const Header& header) const = 0;
};

class Version2 : public Version {
 public:
  [[nodiscard]] Header header(const UpfElement& root) const override {
    const UpfElement s = root.require("PP_HEADER");
    if (s.flag("is_paw")) refuse(s.file(), s.line(), "a PAW data set");
    if (s.flag("is_ultrasoft")) refuse(s.file(), s.line(), "an ultrasoft pseudopotential");
    if (s.flag("is_coulomb")) refuse(s.file(), s.line(), "a bare Coulomb potential");
    Header h{.element = s.attribute("element"),
             .type = s.attribute("pseudo_type"),
             .functional = {},
             .line = s.line(),
             .type_line = s.line()};
    h.num_projectors = s.count("number_of_proj", most_upf_projectors);
    refuse_type(s.file(), h);
    if (s.flag("has_so")) refuse(s.file(), s.line(), spin_orbit);
    h.functional = s.attribute("functional");
    refuse_functional(s.file(), s.line(), h.functional);
    h.charge = s.real("z_valence");
    h.core = s.flag("core_correction");
    h.mesh = s.count("mesh_size", most_points);
    h.num_orbitals = s.count("number_of_wfc", most_orbitals);
    return h;
  }

  [[nodiscard]] Projector projector(const UpfElement& nonlocal, std::size_t i, const Header& header) const override {
    const UpfElement s = nonlocal.require("PP_BETA." + std::to_string(i + 1));
    Projector p{static_cast<int>(s.count("angular_momentum", largest_l)), s.numbers(header.mesh)};
    // Beyond cutoff_radius_index the values have no meaning, though old files give them.
    const std::size_t last = s.has("cutoff_radius_index") ? s.count("cutoff_radius_index", most_points) : 0;
    if (last > 1 && last < p.r_beta.size()) p.r_beta.resize(last);
    return p;
  }

  [[nodiscard]] std::vector<double> couplings(const UpfElement& dij, const Header& header) const override {
    return dij.numbers(header.num_projectors * header.num_projectors);
  }

  [[nodiscard]] std::vector<Orbital> orbitals(const UpfElement& pswfc, const Header& header) const override {
    std::vector<Orbital> found;
    for (std::size_t i = 1; i <= header.num_orbitals; ++i)
      if (const auto chi = pswfc.find("PP_CHI." + std::to_string(i)))
        found.push_back(
            {static_cast<int>(chi->count("l", largest_l)), chi->real("occupation"), chi->numbers(header.mesh)});
    return found;
  }
};

class Version1 : public Version {
 public:
  [[nodiscard]] Header header(const UpfElement& root) const override {
    const UpfElement s = root.require("PP_HEADER");
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
    Header h{.element = std::string(line_of("the element").text), .type = {}, .functional = {}, .line = s.line()};
    const Word type = line_of("the type of the pseudopotential");
    h.type = std::string(type.text);
    h.type_line = type.line;
    h.core = is_true(std::string(line_of("T or F for the core correction").text));
    words.next_line();
    h.functional = functional_in(file.line(words.line()));
    refuse_functional(file, words.line(), h.functional);
    words.next_line();
    h.charge = words.real("the valence charge");
    for (int skipped = 0; skipped < 4; ++skipped) words.next_line();  // energy, cutoffs, largest l
    h.mesh = count("the number of mesh points", most_points);
    words.next_line();
    h.num_orbitals = count("the number of wave functions", most_orbitals);
    h.num_projectors = count("the number of projectors", most_upf_projectors);
    refuse_type(file, h);
    if (root.find("PP_ADDINFO")) refuse(file, s.line(), spin_orbit);
    return h;
  }

  /// Projectors are not numbered; each starts with its number, l and how many values follow.
  [[nodiscard]] Projector projector(const UpfElement& nonlocal, std::size_t i, const Header& header) const override {
    const UpfElement s = nonlocal.require("PP_BETA", i);
    const TextFile& file = s.file();
    WordReader words(file, s.first_line() + 1);
    (void)words.integer("the number of the projector");
    Projector p{words.integer("l of the projector", 0, static_cast<int>(largest_l)), {}};
    words.next_line();
    const auto size = static_cast<std::size_t>(
        words.integer("the number of points of the projector", 0, static_cast<int>(header.mesh)));
    for (std::size_t k = 0; k < size; ++k) p.r_beta.push_back(words.real("a value of the projector"));
    if (words.line() > s.last_line())
      file.fail(s.last_line(), "<PP_BETA> of line " + std::to_string(s.line()) + " has fewer than its " +
                                   std::to_string(size) + " numbers");
    return p;
  }

  /// The number of couplings that are not 0, then a line "i j D_ij" for each with i <= j.
  [[nodiscard]] std::vector<double> couplings(const UpfElement& dij, const Header& header) const override {
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
  [[nodiscard]] std::vector<Orbital> orbitals(const UpfElement& pswfc, const Header& header) const override {
    std::vector<Orbital> found;
    for (std::size_t n = pswfc.first_line(); n < pswfc.last_line(); ++n) {
      const auto words = split_words(pswfc.file().line(n));
      if (words.size() != 4 || lower(std::string(words[3])) != "wavefunction") continue;
      const auto l = parse_int(words[1]);
      const auto electrons = parse_real(words[2]);
      if (!l || !electrons || *l < 0 || *l > static_cast<int>(largest_l)) continue;
      found.push_back({*l, *electrons, values(pswfc, n, header.mesh)});
    }
    return found;
  }

 private:
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
  [[nodiscard]] static std::vector<double> values(const UpfElement& element, std::size_t line, std::size_t size) {
    WordReader words(element.file(), line + 1);
    std::vector<double> found;
    for (std::size_t k = 0; k < size; ++k) found.push_back(words.real("a value of the pseudo-orbital"));
    if (words.line() > element.last_line())
      element.file().fail(element.last_line(), "the pseudo-orbital of line " + std::to_string(line) +
                                                   " has fewer than its " + std::to_string(size) + " numbers");
    return found;
  }
};

const Version& reader_of(int version) {
  static const Version1 first;
  static const Version2 second;
  return version == 1 ? static_cast<const Version&>(first) : second;
}

int whole_charge(const TextFile& file, const Header& header) {
  const double nearest = std::round(header.charge);
  if (!(nearest >= 1.0 && nearest <= 103.0) || std::abs(header.charge - nearest) > 1e-6)
    file.fail(header.line,
              "the valence charge is " + to_text(header.charge) + "; valid are whole numbers of electrons, 1 to 103");
  return static_cast<int>(nearest);
}

/// The mesh; PP_RAB, which is not used, has to be its derivative with respect to the index of the point: a file in
/// which it is not is damaged.
std::vector<double> radial_mesh(const UpfElement& mesh, const Header& header) {
  std::vector<double> r = mesh.require("PP_R").numbers(header.mesh);
  const auto rab = mesh.find("PP_RAB");
  if (!rab) return r;
  const std::vector<double> slopes = rab->numbers(header.mesh);
  for (std::size_t i = 1; i + 1 < r.size(); ++i)
    if (const double slope = 0.5 * (r[i + 1] - r[i - 1]); !(slopes[i] >= 0.5 * slope && slopes[i] <= 2.0 * slope))
      rab->fail("<PP_RAB> is " + to_text(slopes[i]) + " at point " + std::to_string(i + 1) +
                ", where <PP_R> grows by " + to_text(slope) + " bohr; valid are the differences of <PP_R>");
  return r;
}

/// A file with more projectors than its header says would lose them.
void require_all_projectors(const UpfElement& root, const Header& header) {
  const auto nonlocal = root.find("PP_NONLOCAL");
  const std::size_t found = nonlocal ? nonlocal->children("PP_BETA") : 0;
  if (found > header.num_projectors)
    nonlocal->fail("<PP_NONLOCAL> has " + std::to_string(found) + " <PP_BETA>, and the header says " +
                   std::to_string(header.num_projectors) + " projectors");
}

std::vector<double> function(const UpfElement& element, const Header& header, double unit) {
  std::vector<double> y = element.numbers(header.mesh);
  for (double& v : y) v *= unit;
  return y;
}

/// The projectors and couplings of each l, in the order of the file.
std::vector<RadialData::Channel> channels(std::vector<Projector> projectors, const std::vector<double>& d) {
  std::vector<RadialData::Channel> found;
  std::set<int> all;
  for (const Projector& p : projectors) all.insert(p.l);
  for (const int l : all) {
    RadialData::Channel channel{.l = l};
    for (std::size_t i = 0; i < projectors.size(); ++i)
      for (std::size_t j = 0; j < projectors.size(); ++j)
        if (projectors[i].l == l && projectors[j].l == l)
          channel.h.push_back(units::rydberg * d[i * projectors.size() + j]);
    for (Projector& p : projectors)
      if (p.l == l) channel.r_projectors.push_back(std::move(p.r_beta));
    if (!channel.r_projectors.empty()) found.push_back(std::move(channel));
  }
  return found;
}

/// Electrons by l.
std::vector<double> occupation(const std::vector<Orbital>& orbitals) {
  std::vector<double> electrons;
  for (const Orbital& orbital : orbitals) {
    const auto l = static_cast<std::size_t>(orbital.l);
    electrons.resize(std::max(electrons.size(), l + 1), 0.0);
    electrons[l] += std::max(orbital.electrons, 0.0);
  }
  return electrons;
}

}  // namespace

bool looks_like_upf(const TextFile& file) {
  return file.text().find("<UPF") != std::string_view::npos ||
         file.text().find("<PP_HEADER") != std::string_view::npos ||
         file.text().find("<PP_INFO") != std::string_view::npos;
}

RadialFile read_upf(const TextFile& file) {
  const UpfDocument document(file);
  const UpfElement root = document.root();
  const Version& version = reader_of(document.version());
  const Header header = version.header(root);
  RadialFile out{{}, "UPF " + std::to_string(document.version()), upf_functional(header.functional), header.line};
  RadialData& data = out.data;
  data.element = header.element;
  data.charge = whole_charge(file, header);
  data.r = radial_mesh(root.require("PP_MESH"), header);
  data.local = function(root.require("PP_LOCAL"), header, units::rydberg);
  require_all_projectors(root, header);
  if (header.num_projectors > 0) {
    const UpfElement nonlocal = root.require("PP_NONLOCAL");
    std::vector<Projector> projectors;
    for (std::size_t i = 0; i < header.num_projectors; ++i)
      projectors.push_back(version.projector(nonlocal, i, header));
    data.channels = channels(std::move(projectors), version.couplings(nonlocal.require("PP_DIJ"), header));
  }
  if (header.core) data.core = function(root.require("PP_NLCC"), header, 1.0);
  if (const auto pswfc = header.num_orbitals > 0 ? root.find("PP_PSWFC") : std::nullopt) {
    std::vector<Orbital> orbitals = version.orbitals(*pswfc, header);
    data.occupation = occupation(orbitals);
    for (Orbital& orbital : orbitals)
      if (orbital.electrons >= 0) data.orbitals.push_back({orbital.l, std::move(orbital.times_r)});
  }
  // Not used; in version 1, which has no end tag of the whole file, only this last section shows that it is complete.
  if (document.version() == 1) (void)root.require("PP_RHOATOM").numbers(header.mesh);
  return out;
}

}  // namespace wavegrid
