// ABINIT's pspcod 8. Hartree and bohr; after six header lines come blocks on a uniform mesh, each row starting with its
// number and radius:
//
//   l, ekb(1..n)    i r  r p_1(r) ... r p_n(r)     for each l with projectors: V = sum_n |p_n> ekb_n <p_n|
//   l, ekb(1..n)    i r  r q_1(r) ... r q_n(r)     with spin-orbit terms again, from l = 1: sum_n |q_n> ekb_n L.S <q_n|
//   lloc            i r  V_loc(r)                  in its place among the l, or last where lloc > lmax
//                   i r  4 pi rho_core(r) ...      where fchrg > 0; derivatives follow, not used
//                   i r  4 pi rho_valence(r) ...   where the line of switches begins with 1 1
#include <algorithm>
#include <cmath>
#include <iterator>

#include <wavegrid/base/printable.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/crystal/elements.hpp>
#include <wavegrid/pseudo/functional_names.hpp>
#include <wavegrid/pseudo/readers.hpp>

namespace wavegrid {
namespace {

constexpr int most_projectors = 32;      // of one l; files have 1 to 5
constexpr double largest_core = 1000.0;  // of fchrg; files have up to 10

class Psp8Reader {
 public:
  explicit Psp8Reader(const TextFile& file) : file_(file), words_(file, 2) {}

  RadialFile read() {
    read_header();
    for (int l = 0; l <= lmax_; ++l) {
      if (l == lloc_)
        read_local();
      else if (counts_[static_cast<std::size_t>(l)] > 0)
        read_channel(l);
      else
        skip_empty_block(l);
    }
    if (lloc_ > lmax_) read_local();
    for (int l = 1; l <= static_cast<int>(spin_orbit_counts_.size()); ++l)
      if (spin_orbit_counts_[static_cast<std::size_t>(l - 1)] > 0) read_spin_orbit(l);
    if (core_) out_.data.core = columns(1, 1.0 / (4.0 * units::pi), "the core density")[0];
    if (valence_) (void)columns(1, 1.0, "the valence density");  // not used, but read to detect a truncated file
    words_.require_complete();
    require_whole_input();
    return std::move(out_);
  }

 private:
  void read_header() {
    const double zatom = words_.real("zatom"), zion = words_.real("zion");
    const std::size_t line = words_.line();
    out_.data.element = element_with_charge(zatom);
    if (out_.data.element.empty())
      file_.fail(line, "zatom is " + to_text(zatom) + "; valid are the atomic numbers 1 to 103");
    if (!(zion > 0.5 && zion < zatom + 0.5) || std::abs(zion - std::round(zion)) > 1e-6)
      file_.fail(line, "zion is " + to_text(zion) + "; valid are whole numbers of electrons, 1 to " +
                           std::to_string(std::lround(zatom)));
    out_.data.charge = static_cast<int>(std::lround(zion));
    out_.format = "psp8";
    out_.line = line;
    words_.next_line();
    (void)words_.integer("pspcod");
    out_.functional = ixc_functional(words_.integer("pspxc"));
    lmax_ = words_.integer("lmax", 0, 4);
    lloc_ = words_.integer("lloc", 0, 99);
    mesh_ = words_.integer("mmax");
    if (mesh_ < 1 || static_cast<std::size_t>(mesh_) > file_.num_lines())
      file_.fail(words_.line(), "mmax is " + std::to_string(mesh_) + ", and the file has " +
                                    std::to_string(file_.num_lines()) + " lines; valid are 1 to that number");
    words_.next_line();
    (void)words_.real("rchrg");
    const double core = words_.real("fchrg");
    if (std::abs(core) > largest_core)
      file_.fail(words_.line(), "fchrg is " + to_text(core) + "; valid are numbers up to " + to_text(largest_core));
    core_ = core > 0.0;
    words_.next_line();
    for (int l = 0; l <= lmax_; ++l)
      counts_.push_back(words_.integer("nproj of l = " + std::to_string(l), 0, most_projectors));
    words_.next_line();
    const int extension = words_.integer("extension_switch");
    const auto switches = split_words(file_.line(words_.line()));
    valence_ = switches.size() > 1 && switches[1] == "1";
    if (extension < 0 || extension > 3)
      file_.fail(words_.line(), "extension_switch is " + std::to_string(extension) + "; valid are 0 to 3");
    words_.next_line();
    if (extension < 2) return;
    for (int l = 1; l <= lmax_; ++l)
      spin_orbit_counts_.push_back(words_.integer("nprojso of l = " + std::to_string(l), 0, most_projectors));
    words_.next_line();
  }

  void require_l(int l) {
    const int found = words_.integer("l of a block");
    if (found != l)
      file_.fail(words_.line(),
                 "found a block of l = " + std::to_string(found) + " where l = " + std::to_string(l) + " is needed");
  }

  /// A block of projectors with their strengths.
  struct Block {
    std::vector<double> strengths{};
    std::vector<std::vector<double>> r_projectors{};
  };
  Block read_block(int l, int count) {
    require_l(l);
    Block block;
    for (int i = 1; i <= count; ++i)
      block.strengths.push_back(words_.real("the strength of projector " + std::to_string(i)));
    words_.next_line();
    block.r_projectors = columns(block.strengths.size(), 1.0, "the projectors of l = " + std::to_string(l));
    return block;
  }

  static std::vector<double> diagonal(const std::vector<double>& strengths) {
    const std::size_t n = strengths.size();
    std::vector<double> matrix(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) matrix[i * n + i] = strengths[i];
    return matrix;
  }

  void read_channel(int l) {
    Block block = read_block(l, counts_[static_cast<std::size_t>(l)]);
    out_.data.channels.push_back(
        {.l = l, .r_projectors = std::move(block.r_projectors), .h = diagonal(block.strengths)});
  }

  /// Adds the projectors of L.S to those of the channel; neither couples to the other.
  void read_spin_orbit(int l) {
    Block block = read_block(l, spin_orbit_counts_[static_cast<std::size_t>(l - 1)]);
    std::vector<RadialData::Channel>& channels = out_.data.channels;
    auto channel = std::find_if(channels.begin(), channels.end(), [&](const auto& one) { return one.l == l; });
    if (channel == channels.end()) channel = channels.insert(channel, RadialData::Channel{.l = l});
    const std::size_t before = channel->r_projectors.size();
    std::vector<double> scalar(before + block.strengths.size(), 0.0), spin_orbit(before, 0.0);
    for (std::size_t i = 0; i < before; ++i) scalar[i] = channel->h[i * before + i];
    spin_orbit.insert(spin_orbit.end(), block.strengths.begin(), block.strengths.end());
    channel->h = diagonal(scalar);
    channel->k = diagonal(spin_orbit);
    std::move(block.r_projectors.begin(), block.r_projectors.end(), std::back_inserter(channel->r_projectors));
  }

  void read_local() {
    require_l(lloc_);
    words_.next_line();
    out_.data.local = columns(1, 1.0, "the local potential")[0];
  }

  /// Some generators write the mesh of an l that has no projector.
  void skip_empty_block(int l) {
    const auto words = split_words(file_.line(words_.line())), below = split_words(file_.line(words_.line() + 1));
    if (words.size() != 1 || parse_int(words[0]) != l || below.size() != 2) return;
    words_.next_line();
    (void)columns(0, 1.0, "the empty block");
  }

  /// A block of mmax rows: its first columns after row number and radius.
  std::vector<std::vector<double>> columns(std::size_t count, double unit, const std::string& what) {
    std::vector<std::vector<double>> found(count);
    std::vector<double> r;
    for (int row = 1; row <= mesh_; ++row) {
      const int number = words_.integer("row " + std::to_string(row) + " of " + what);
      if (number != row)
        file_.fail(words_.line(), "found row " + std::to_string(number) + " where row " + std::to_string(row) + " of " +
                                      what + " is needed");
      r.push_back(words_.real("a radius"));
      const std::size_t line = words_.line();
      for (auto& column : found) {
        column.push_back(unit * words_.real("a value of " + what));
        if (words_.line() != line) file_.fail(line, "too few numbers in row " + std::to_string(row) + " of " + what);
      }
      words_.next_line();
    }
    if (out_.data.r.empty()) out_.data.r = std::move(r);
    return found;
  }

  /// Generators append their input; an end that is missing means that the file was cut there.
  void require_whole_input() {
    const std::size_t begin = file_.text().find("<INPUT>");
    if (begin != std::string_view::npos && file_.text().find("</INPUT>", begin) == std::string_view::npos)
      file_.fail(file_.line_number(begin), "<INPUT> has no </INPUT>: the file is cut short");
  }

  const TextFile& file_;
  WordReader words_;
  RadialFile out_;
  int lmax_ = 0, lloc_ = 0, mesh_ = 0;
  bool core_ = false, valence_ = false;
  std::vector<int> counts_;             // projectors per l
  std::vector<int> spin_orbit_counts_;  // those of L.S, from l = 1 on; empty: a scalar-relativistic file
};

}  // namespace

std::optional<int> abinit_format(const TextFile& file) {
  const auto second = split_words(file.line(2)), third = split_words(file.line(3));
  if (second.size() < 3 || third.size() < 6) return std::nullopt;
  const auto charge = parse_real(second[0]), ion = parse_real(second[1]);
  if (!charge || !ion || !parse_real(second[2])) return std::nullopt;
  for (std::size_t i = 0; i < 5; ++i)
    if (!parse_int(third[i])) return std::nullopt;
  return parse_int(third[0]);
}

RadialFile read_psp8(const TextFile& file) { return Psp8Reader(file).read(); }

}  // namespace wavegrid
