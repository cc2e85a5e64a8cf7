// UPF: sections <PP_X ...> numbers </PP_X> of functions on one radial mesh, in Rydberg units:
//
//   PP_LOCAL   V_loc, Ry          PP_BETA    r beta(r)                 PP_DIJ  D_ij; sum |beta_i> D_ij <beta_j| in Ry
//   PP_NLCC    rho_core, 1/bohr^3 PP_PSWFC   atomic orbitals with l and occupation
//
// Version 1 has the header as lines in a fixed order, version 2 as attributes.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>

#include "atoms/functional_names.hpp"
#include "atoms/readers.hpp"

namespace wavegrid {
namespace {

constexpr double rydberg = 0.5;  // Ha

/// A part of the text between an opening and a closing tag.
struct Section {
  std::string name;
  std::map<std::string, std::string> attributes{};
  std::size_t begin = 0, end = 0;  // of the content
  std::size_t line = 0;            // of the tag
};

struct Header {
  std::string element, functional;
  double charge = 0.0;
  bool core = false;
  std::size_t mesh = 0, num_projectors = 0, num_orbitals = 0;
  std::size_t line = 0;
};

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string trimmed(const std::string& text) {
  std::string out;
  for (const std::string_view word : split_words(text)) out += (out.empty() ? "" : " ") + std::string(word);
  return out;
}

bool is_true(const std::string& word) {
  const std::string w = lower(trimmed(word));
  return w == "t" || w == "true" || w == ".true." || w == ".t.";
}

class UpfReader {
 public:
  explicit UpfReader(const TextFile& file) : file_(file), text_(file.text()) {
    hide("<PP_INFO", "</PP_INFO>");
    hide("<!--", "-->");
    version_ = text_.find("<UPF") != std::string::npos ? 2 : 1;
  }

  RadialFile read() {
    const Section section = require("PP_HEADER", 0, text_.size());
    header_ = version_ == 2 ? header_of_attributes(section) : header_of_lines(section);
    RadialFile out{{}, "UPF " + std::to_string(version_), functional_of_upf(header_.functional), header_.line};
    out.data.element = header_.element;
    out.data.charge = whole_charge();
    read_mesh(out.data);
    out.data.local = function(require("PP_LOCAL", 0, text_.size()), rydberg);
    read_nonlocal(out.data);
    if (header_.core) out.data.core = function(require("PP_NLCC", 0, text_.size()), 1.0);
    read_occupation(out.data);
    return out;
  }

 private:
  /// Blanks out free text, in which anything may stand.
  void hide(const std::string& open, const std::string& close) {
    for (std::size_t at = text_.find(open); at != std::string::npos; at = text_.find(open, at)) {
      std::size_t end = text_.find(close, at);
      if (end == std::string::npos) file_.fail(file_.line_of(at), open + " is never closed: the file is cut short");
      end += close.size();
      for (; at < end; ++at)
        if (text_[at] != '\n') text_[at] = ' ';
    }
  }

  [[nodiscard]] std::optional<Section> find(const std::string& name, std::size_t begin, std::size_t end) const {
    const std::string open = "<" + name, close = "</" + name;
    for (std::size_t at = text_.find(open, begin); at < end; at = text_.find(open, at + 1)) {
      if (at + open.size() < text_.size() && in_name(text_[at + open.size()])) continue;
      Section section{.name = name, .line = file_.line_of(at)};
      const std::size_t stop = text_.find('>', at);
      if (stop == std::string::npos) cut_short(section);
      const bool empty = text_[stop - 1] == '/';
      section.attributes = attributes_of(at + open.size(), empty ? stop - 1 : stop);
      section.begin = section.end = stop + 1;
      if (empty) return section;
      do section.end = text_.find(close, section.end + 1);
      while (section.end != std::string::npos &&
             in_name(text_[std::min(section.end + close.size(), text_.size() - 1)]));
      if (section.end == std::string::npos) cut_short(section);
      return section;
    }
    return std::nullopt;
  }

  [[nodiscard]] Section require(const std::string& name, std::size_t begin, std::size_t end) const {
    if (const auto section = find(name, begin, end)) return *section;
    file_.fail(file_.line_of(std::min(end, text_.size() - 1)), "no <" + name + "> up to here: no complete UPF file");
  }

  [[noreturn]] void cut_short(const Section& section) const {
    file_.fail(file_.num_lines(), "the file ends inside <" + section.name + ">, which starts in line " +
                                      std::to_string(section.line) + "; it is cut short");
  }

  [[nodiscard]] std::map<std::string, std::string> attributes_of(std::size_t begin, std::size_t end) const {
    std::map<std::string, std::string> found;
    for (std::size_t at = begin; at < end;) {
      const std::size_t equals = text_.find('=', at);
      if (equals >= end) break;
      const std::size_t open = text_.find_first_of("\"'", equals);
      const std::size_t close = open >= end ? open : text_.find(text_[open], open + 1);
      if (open >= end || close >= end)
        file_.fail(file_.line_of(equals), "an attribute without quotes around its value");
      found[trimmed(text_.substr(at, equals - at))] = text_.substr(open + 1, close - open - 1);
      at = close + 1;
    }
    return found;
  }

  [[nodiscard]] std::string attribute(const Section& section, const std::string& key) const {
    const auto found = section.attributes.find(key);
    if (found == section.attributes.end())
      file_.fail(section.line, "<" + section.name + "> has no attribute '" + key + "'");
    return trimmed(found->second);
  }

  [[nodiscard]] double real(const Section& section, const std::string& key) const {
    const std::string text = attribute(section, key);
    if (const auto value = parse_real(text)) return *value;
    file_.fail(section.line, "attribute " + key + " is '" + text + "'; a number is needed");
  }

  [[nodiscard]] std::size_t count(const Section& section, const std::string& key) const {
    return to_count(section.line, key, real(section, key));
  }

  [[nodiscard]] std::size_t to_count(std::size_t line, const std::string& what, double value) const {
    if (!(value >= 0.0 && value < 1e6) || value != std::floor(value))
      file_.fail(line, what + " is " + std::to_string(value) + "; valid are whole numbers from 0 on");
    return static_cast<std::size_t>(value);
  }

  [[nodiscard]] bool flag(const Section& section, const std::string& key) const {
    const auto found = section.attributes.find(key);
    return found != section.attributes.end() && is_true(found->second);
  }

  // What this program has no operators for.
  void refuse(std::size_t line, const std::string& what) const {
    file_.fail(line, "this is " + what + "; valid are norm-conserving, separable potentials without spin-orbit terms");
  }

  void refuse_type(std::size_t line, const std::string& given) const {
    const std::string type = lower(given);
    if (type == "nc") return;
    if (type == "us" || type == "uspp") refuse(line, "an ultrasoft pseudopotential");
    if (type == "paw") refuse(line, "a PAW data set");
    if (type == "sl") refuse(line, "a semilocal pseudopotential");
    if (type == "1/r") refuse(line, "a bare Coulomb potential");
    refuse(line, "a pseudopotential of type '" + given + "'");
  }

  void refuse_functional(std::size_t line, const std::string& functional) const {
    const std::string names = lower(functional);
    for (const char* meta : {"tpss", "scan", "sca0", "m06l", "tb09", "m6l", "mgga", "meta"})
      if (names.find(meta) != std::string::npos)
        refuse(line, "a potential for a meta-GGA (" + trimmed(functional) + ")");
  }

  [[nodiscard]] Header header_of_attributes(const Section& s) const {
    if (flag(s, "is_paw")) refuse(s.line, "a PAW data set");
    if (flag(s, "is_ultrasoft")) refuse(s.line, "an ultrasoft pseudopotential");
    if (flag(s, "is_coulomb")) refuse(s.line, "a bare Coulomb potential");
    refuse_type(s.line, attribute(s, "pseudo_type"));
    if (flag(s, "has_so")) refuse(s.line, "a fully relativistic potential with spin-orbit terms");
    Header h{.element = attribute(s, "element"), .functional = attribute(s, "functional"), .line = s.line};
    refuse_functional(s.line, h.functional);
    h.charge = real(s, "z_valence");
    h.core = flag(s, "core_correction");
    h.mesh = count(s, "mesh_size");
    h.num_projectors = count(s, "number_of_proj");
    h.num_orbitals = count(s, "number_of_wfc");
    return h;
  }

  [[nodiscard]] Header header_of_lines(const Section& s) const {
    WordReader words(file_, file_.line_of(s.begin));
    const auto line_of = [&](const std::string& what) {
      words.next_line();
      return words.word(what);
    };
    (void)line_of("the version number");
    Header h{.element = std::string(line_of("the element").text), .functional = {}, .line = s.line};
    const Word type = line_of("the type of the pseudopotential");
    refuse_type(type.line, std::string(type.text));
    h.core = is_true(std::string(line_of("T or F for the core correction").text));
    words.next_line();
    const auto names = split_words(file_.line(words.line()));
    for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 4); ++i)
      h.functional += std::string(names[i]) + " ";
    refuse_functional(words.line(), h.functional);
    words.next_line();
    h.charge = words.real("the valence charge");
    for (int skipped = 0; skipped < 4; ++skipped) words.next_line();  // energy, cutoffs, largest l
    h.mesh = to_count(words.line(), "the number of mesh points", words.real("the number of mesh points"));
    words.next_line();
    h.num_orbitals = to_count(words.line(), "the number of wave functions", words.real("the number of wave functions"));
    h.num_projectors = to_count(words.line(), "the number of projectors", words.real("the number of projectors"));
    if (find("PP_ADDINFO", 0, text_.size())) refuse(s.line, "a fully relativistic potential with spin-orbit terms");
    return h;
  }

  [[nodiscard]] int whole_charge() const {
    const double nearest = std::round(header_.charge);
    if (std::abs(header_.charge - nearest) > 1e-6)
      file_.fail(header_.line,
                 "the valence charge is " + std::to_string(header_.charge) + "; valid are whole numbers of electrons");
    return static_cast<int>(nearest);
  }

  /// Numbers of a section; `expected` of them where that is not 0.
  [[nodiscard]] std::vector<double> values(const Section& section, std::size_t expected) const {
    std::vector<double> found = file_.numbers(section.begin, section.end);
    if (expected != 0 && found.size() != expected)
      file_.fail(file_.line_of(section.end), "<" + section.name + "> of line " + std::to_string(section.line) +
                                                 " has " + std::to_string(found.size()) + " numbers; " +
                                                 std::to_string(expected) + " are needed");
    return found;
  }

  [[nodiscard]] std::vector<double> function(const Section& section, double unit) const {
    std::vector<double> y = values(section, header_.mesh);
    for (double& v : y) v *= unit;
    return y;
  }

  void read_mesh(RadialData& data) const {
    const Section mesh = require("PP_MESH", 0, text_.size());
    data.r = values(require("PP_R", mesh.begin, mesh.end), header_.mesh);
  }

  struct Beta {
    int l;
    std::vector<double> r_beta;
  };

  // The coupling of projectors i and j, counted over the file, goes into the channel of their l.
  void read_nonlocal(RadialData& data) const {
    if (header_.num_projectors == 0) return;
    const Section nonlocal = require("PP_NONLOCAL", 0, text_.size());
    std::vector<Beta> betas;
    std::size_t from = nonlocal.begin;
    for (std::size_t i = 0; i < header_.num_projectors; ++i) betas.push_back(beta(nonlocal, i, from));
    const std::vector<double> d = couplings(require("PP_DIJ", nonlocal.begin, nonlocal.end));
    for (int l = 0; l <= 9; ++l) {
      RadialData::Channel channel{.l = l};
      for (std::size_t i = 0; i < betas.size(); ++i) {
        if (betas[i].l != l) continue;
        for (std::size_t j = 0; j < betas.size(); ++j)
          if (betas[j].l == l) channel.h.push_back(rydberg * d[i * betas.size() + j]);
      }
      for (Beta& b : betas)
        if (b.l == l) channel.r_projectors.push_back(std::move(b.r_beta));
      if (!channel.r_projectors.empty()) data.channels.push_back(std::move(channel));
    }
  }

  /// Projector number i; `from` moves behind it (version 1 does not number them).
  [[nodiscard]] Beta beta(const Section& nonlocal, std::size_t i, std::size_t& from) const {
    if (version_ == 2) {
      const Section s = require("PP_BETA." + std::to_string(i + 1), nonlocal.begin, nonlocal.end);
      Beta b{static_cast<int>(count(s, "angular_momentum")), values(s, header_.mesh)};
      end_at_cutoff(s, b.r_beta);
      return b;
    }
    const Section s = require("PP_BETA", from, nonlocal.end);
    from = s.end;
    WordReader words(file_, file_.line_of(s.begin) + 1);
    (void)words.integer("the number of the projector");
    Beta b{words.integer("l of the projector"), {}};
    words.next_line();
    const std::size_t size = to_count(words.line(), "the number of points", words.real("the number of points"));
    if (size > header_.mesh)
      file_.fail(words.line(),
                 "the projector has " + std::to_string(size) + " points on a mesh of " + std::to_string(header_.mesh));
    for (std::size_t p = 0; p < size; ++p) b.r_beta.push_back(words.real("a value of the projector"));
    if (words.line() > file_.line_of(s.end))
      file_.fail(file_.line_of(s.end), "<PP_BETA> of line " + std::to_string(s.line) + " has fewer than its " +
                                           std::to_string(size) + " numbers");
    return b;
  }

  // Beyond cutoff_radius_index projectors mean nothing, though old files carry their tails on.
  void end_at_cutoff(const Section& s, std::vector<double>& r_beta) const {
    if (!s.attributes.contains("cutoff_radius_index")) return;
    const std::size_t last = count(s, "cutoff_radius_index");
    if (last > 1 && last < r_beta.size()) r_beta.resize(last);
  }

  [[nodiscard]] std::vector<double> couplings(const Section& section) const {
    const std::size_t n = header_.num_projectors;
    if (version_ == 2) return values(section, n * n);
    WordReader words(file_, file_.line_of(section.begin) + 1);
    const std::size_t size = to_count(words.line(), "the number of D_ij", words.real("the number of D_ij"));
    std::vector<double> d(n * n, 0.0);
    for (std::size_t k = 0; k < size; ++k) {
      words.next_line();
      const int i = words.integer("the first index of a D_ij"), j = words.integer("the second index of a D_ij");
      const double value = words.real("a D_ij");
      const auto valid = [&](int index) { return index >= 1 && index <= static_cast<int>(n); };
      if (!valid(i) || !valid(j))
        file_.fail(words.line(), "D_ij of " + std::to_string(i) + " and " + std::to_string(j) +
                                     "; projectors are 1 to " + std::to_string(n));
      const auto row = static_cast<std::size_t>(i - 1), column = static_cast<std::size_t>(j - 1);
      d[row * n + column] = d[column * n + row] = value;
    }
    return d;
  }

  // A negative occupation marks an unbound orbital.
  void read_occupation(RadialData& data) const {
    const auto add = [&](int l, double electrons) {
      if (l < 0 || l > 3) return;
      data.occupation.resize(std::max(data.occupation.size(), static_cast<std::size_t>(l) + 1), 0.0);
      data.occupation[static_cast<std::size_t>(l)] += std::max(electrons, 0.0);
    };
    const auto section = header_.num_orbitals == 0 ? std::nullopt : find("PP_PSWFC", 0, text_.size());
    if (!section) return;
    if (version_ == 2) {
      for (std::size_t i = 1; i <= header_.num_orbitals; ++i)
        if (const auto chi = find("PP_CHI." + std::to_string(i), section->begin, section->end))
          add(static_cast<int>(count(*chi, "l")), real(*chi, "occupation"));
      return;
    }
    for (std::size_t n = file_.line_of(section->begin); n < file_.line_of(section->end); ++n) {
      const auto words = split_words(file_.line(n));  // "3S 0 2.00 Wavefunction"
      if (words.size() != 4 || lower(std::string(words[3])) != "wavefunction") continue;
      const auto l = parse_int(words[1]);
      const auto electrons = parse_real(words[2]);
      if (l && electrons) add(*l, *electrons);
    }
  }

  const TextFile& file_;
  std::string text_;
  int version_ = 2;
  Header header_;
};

}  // namespace

bool looks_like_upf(const TextFile& file) {
  return file.text().find("<UPF") != std::string_view::npos ||
         file.text().find("<PP_HEADER") != std::string_view::npos ||
         file.text().find("<PP_INFO") != std::string_view::npos;
}

RadialFile read_upf(const TextFile& file) { return UpfReader(file).read(); }

}  // namespace wavegrid
