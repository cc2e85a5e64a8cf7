// Texts of other programs with Goedecker-Teter-Hutter parameters: CP2K's databases, ABINIT's pspcod 3 and 10.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <numeric>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/crystal/elements.hpp>
#include <wavegrid/pseudo/functional_names.hpp>
#include <wavegrid/pseudo/pseudopotential.hpp>
#include <wavegrid/pseudo/readers.hpp>

namespace wavegrid {
namespace {

constexpr int most_electrons = 103;             // per l
constexpr std::size_t longest_entry_name = 40;  // characters, in messages

// ---- CP2K

/// The line that starts an entry: an element and one or more names.
struct Entry {
  std::size_t line;
  std::string element;
  std::vector<std::string> names;
  std::vector<double> electrons;  // per l

  [[nodiscard]] int valence() const {
    return static_cast<int>(std::lround(std::accumulate(electrons.begin(), electrons.end(), 0.0)));
  }
};

std::vector<std::string_view> line_words(const TextFile& file, std::size_t line) {
  const std::string_view text = file.line(line);
  return split_words(text.substr(0, text.find('#')));
}

bool starts_entry(const TextFile& file, std::size_t line) {
  const auto words = line_words(file, line);
  return words.size() > 1 && atomic_number(std::string(words[0])) > 0 && !parse_real(words[1]);
}

Entry entry_at(const TextFile& file, std::size_t line) {
  const auto words = line_words(file, line);
  Entry entry{line, std::string(words[0]), {words.begin() + 1, words.end()}, {}};
  for (std::size_t next = line + 1; next <= file.num_lines(); ++next) {
    const auto counts = line_words(file, next);
    if (counts.empty()) continue;
    for (const std::string_view count : counts) {
      const auto value = parse_int(count);
      if (!value || *value < 0 || *value > most_electrons)
        file.fail(next, "found " + in_quotes(count) + " where the electrons per l of " + entry.element +
                            " are needed; valid are 0 to " + std::to_string(most_electrons));
      entry.electrons.push_back(*value);
    }
    break;
  }
  return entry;
}

std::string listed(const TextFile& file, const std::vector<Entry>& entries) {
  std::string text;
  for (std::size_t i = 0; i < entries.size() && i < 12; ++i)
    text += (i > 0 ? ", " : "") + file.file().string() + ":" + entries[i].names.front().substr(0, longest_entry_name);
  return text + (entries.size() > 12 ? ", ..." : "");
}

Entry choose(const TextFile& file, const PseudopotentialChoice& choice) {
  std::vector<Entry> element_entries, found;
  for (std::size_t line = 1; line <= file.num_lines(); ++line)
    if (starts_entry(file, line) && line_words(file, line)[0] == choice.element)
      element_entries.push_back(entry_at(file, line));
  if (element_entries.empty())
    file.fail(1, "no entry for " + choice.element + " in this file; valid: a file that has one");
  for (const Entry& entry : element_entries) {
    const bool named =
        choice.name.empty() || std::find(entry.names.begin(), entry.names.end(), choice.name) != entry.names.end();
    if (named && (!choice.valence || *choice.valence == entry.valence())) found.push_back(entry);
  }
  const std::string wanted = choice.element + (choice.name.empty() ? "" : " " + choice.name) +
                             (choice.valence ? " with " + std::to_string(*choice.valence) + " valence electrons" : "");
  if (found.empty())
    file.fail(element_entries.front().line, "no " + wanted + " here; valid: " + listed(file, element_entries));
  if (found.size() > 1)
    file.fail(found.front().line, std::to_string(found.size()) + " entries match " + wanted +
                                      "; name one after the file: " + listed(file, found));
  return found.front();
}

// ---- ABINIT

/// The off-diagonal couplings of Hartwigsen, Goedecker and Hutter, multiples of h_22 or h_33 (their Eqs. 20 to 28):
/// h_12 = a h_22, h_13 = b h_33, h_23 = c h_33, and the same of k_ij. The upper triangle of n projectors row by row.
std::vector<double> hgh_couplings(int l, std::size_t n, double h11, double h22, double h33) {
  double a = 0.0, b = 0.0, c = 0.0;
  if (l == 0) {
    a = -0.5 * std::sqrt(3.0 / 5.0);
    b = 0.5 * std::sqrt(5.0 / 21.0);
    c = -0.5 * std::sqrt(100.0 / 63.0);
  } else if (l == 1) {
    a = -0.5 * std::sqrt(5.0 / 7.0);
    b = std::sqrt(35.0 / 11.0) / 6.0;
    c = -14.0 / 6.0 / std::sqrt(11.0);
  } else if (l == 2) {
    a = -0.5 * std::sqrt(7.0 / 9.0);
    b = 0.5 * std::sqrt(63.0 / 143.0);
    c = -9.0 / std::sqrt(143.0);
  }
  if (n == 3) return {h11, a * h22, b * h33, h22, c * h33, h33};
  if (n == 2) return {h11, a * h22, h22};
  return {h11};
}

std::size_t numbers_in(const std::vector<std::string_view>& words) {
  const auto end = std::find_if(words.begin(), words.end(), [](std::string_view word) { return !parse_real(word); });
  return static_cast<std::size_t>(end - words.begin());
}

/// A row has its numbers alone before its comment; one that is repeated or lost is found so.
void require_numbers(const TextFile& file, std::size_t line, int count) {
  if (const std::size_t found = numbers_in(split_words(file.line(line))); found != static_cast<std::size_t>(count))
    file.fail(line, "found " + std::to_string(found) + " numbers in a row; valid are " + std::to_string(count));
}

std::vector<double> read_row(const TextFile& file, WordReader& words, const std::vector<std::string>& names) {
  std::vector<double> values;
  for (const std::string& name : names) values.push_back(words.real(name));
  require_numbers(file, words.line(), static_cast<int>(names.size()));
  words.next_line();
  return values;
}

/// One row per l = 0 to lmax (r_l, h11, h22, h33); from l = 1 on each is followed by a row of k_ij.
void read_hgh(const TextFile& file, WordReader& words, int lmax, GthParameters& p) {
  p.local_coefficients = read_row(file, words, {"r_loc", "C1", "C2", "C3", "C4"});
  p.local_radius = p.local_coefficients.front();
  p.local_coefficients.erase(p.local_coefficients.begin());
  for (int l = 0; l <= lmax; ++l) {
    const std::string of = " of l = " + std::to_string(l);
    const auto row = read_row(file, words, {"the radius" + of, "h11" + of, "h22" + of, "h33" + of});
    std::vector<double> k(3, 0.0);
    if (l > 0) k = read_row(file, words, {"k11" + of, "k22" + of, "k33" + of});
    std::size_t n = 3, with_k = 3;  // up to the last one that is not 0
    while (n > 0 && row[n] == 0.0) --n;
    while (with_k > 0 && k[with_k - 1] == 0.0) --with_k;
    if (n = std::max(n, with_k); n == 0) continue;
    p.channels.push_back({l, row[0], hgh_couplings(l, n, row[1], row[2], row[3])});
    if (with_k > 0) p.channels.back().k = hgh_couplings(l, n, k[0], k[1], k[2]);
  }
}

/// Rows of zeros may follow, for each l up to 3, and three radii of the atom, without a comment or as "rcutoff, rloc".
void require_end(const TextFile& file, std::size_t line) {
  bool radii = false;
  for (; line <= file.num_lines(); ++line) {
    const auto words = split_words(file.line(line));
    const auto end = words.begin() + static_cast<std::ptrdiff_t>(numbers_in(words));
    if (std::all_of(words.begin(), end, [](std::string_view word) { return parse_real(word) == 0.0; })) continue;
    const bool is_radii = end - words.begin() == 3 && (end == words.end() || end->starts_with("rcut"));
    if (radii || !is_radii)
      file.fail(line, "there are more rows of numbers than the header needs; valid are one row for each l");
    radii = true;
  }
}

/// r_l, n, h_11 ... h_1n over n lines; rows of k_ij from l = 1 on. CP2K's text is the same without k_ij.
void read_channels(const TextFile& file, WordReader& words, bool spin_orbit, GthParameters& p) {
  const int channels = words.integer("the number of channels (s, p, d, f)", 0, highest_l + 1);
  for (int l = 0; l < channels; ++l) {
    if (spin_orbit) words.next_line();
    const std::string of = " of l = " + std::to_string(l);
    const double radius = words.real("the radius" + of);
    const int n = words.integer("the number of projectors" + of, 0, 3);
    const auto read = [&](const std::string& what, int before) {  // numbers before those of the first row
      std::vector<double> values;
      for (int row = 0; row < n; ++row) {
        for (int column = row; column < n; ++column) values.push_back(words.real(what + of));
        if (spin_orbit) require_numbers(file, words.line(), n - row + (row == 0 ? before : 0));
        if (spin_orbit && row + 1 < n) words.next_line();  // a comment may follow the numbers
      }
      return values;
    };
    std::vector<double> h = read("h", 2);
    std::vector<double> k;
    if (spin_orbit && l > 0 && n > 0) {
      words.next_line();
      k = read("k", 0);
      if (std::all_of(k.begin(), k.end(), [](double value) { return value == 0.0; })) k.clear();
    }
    if (n > 0) p.channels.push_back({l, radius, std::move(h), std::move(k)});
  }
}

void read_local(WordReader& words, GthParameters& p) {
  p.local_radius = words.real("r_loc");
  const int n = words.integer("the number of local coefficients", 0, 4);
  for (int i = 1; i <= n; ++i) p.local_coefficients.push_back(words.real("C" + std::to_string(i)));
}

/// The numbers below the line that starts an entry.
void read_entry(const TextFile& file, const Entry& entry, GthParameters& p) {
  WordReader words(file, entry.line, '#');
  words.next_line();
  (void)words.word("the electrons");
  words.next_line();
  read_local(words, p);
  words.next_line();
  WordReader ahead = words;
  if (const Word next = ahead.word("the number of channels"); next.text == "NLCC" || next.text == "NLCC_POT")
    file.fail(next.line, entry.element + " " + entry.names.front().substr(0, longest_entry_name) +
                             " has a Gaussian core density (NLCC), which is not supported; valid: an entry without");
  read_channels(file, words, false, p);
  words.require_complete();
  words.next_line();
  for (std::size_t line = words.line(); line <= file.num_lines(); ++line) {
    if (line_words(file, line).empty()) continue;
    if (!starts_entry(file, line))
      file.fail(line, "found " + in_quotes(line_words(file, line)[0]) + " behind the last number of " + entry.element +
                          " " + entry.names.front().substr(0, longest_entry_name) + "; valid is the next entry");
    return;
  }
}

/// Fails where the file ends within its last entry, which need not be the chosen one. A file that is cut between two
/// entries looks like a complete one.
void require_whole_database(const TextFile& file) {
  std::size_t line = file.num_lines();
  if (!file.text().ends_with('\n') && !line_words(file, line).empty())
    file.fail_cut_short("without a line break (add one if its last line is complete)");
  while (line > 1 && !starts_entry(file, line)) --line;
  try {
    GthParameters ignored;
    read_entry(file, entry_at(file, line), ignored);
  } catch (const CutShort&) {
    throw;
  } catch (const Error&) {  // an entry of a kind that is not read here
  }
}

}  // namespace

bool looks_like_cp2k(const TextFile& file) {
  for (std::size_t line = 1; line <= file.num_lines(); ++line)
    if (!line_words(file, line).empty()) return starts_entry(file, line);
  return false;
}

GthFile read_cp2k(const TextFile& file, const PseudopotentialChoice& choice) {
  const Entry entry = choose(file, choice);
  GthFile out{{entry.element, entry.electrons, 0.0, {}, {}}, "GTH (CP2K)", "", entry.line};
  for (const std::string& name : entry.names)
    if (out.functional.empty()) out.functional = gth_functional(name);
  read_entry(file, entry, out.parameters);
  require_whole_database(file);
  return out;
}

GthFile read_abinit_gth(const TextFile& file, int format) {
  WordReader words(file, 2);
  const double zatom = words.real("zatom"), zion = words.real("zion");
  const std::string element = element_with_charge(zatom);
  if (element.empty() || zion != std::round(zion) || zion < 1.0 || zion > zatom)
    file.fail(2, "zatom and zion are " + to_text(zatom) + " and " + to_text(zion) +
                     "; valid are atomic numbers 1 to 103 and a whole number of valence electrons");
  const auto electrons = ground_state_occupation(static_cast<int>(zatom), static_cast<int>(zion));
  GthFile out{{element, electrons, 0.0, {}, {}}, format == 3 ? "HGH (ABINIT)" : "GTH (ABINIT)", "", 2};
  words.next_line();
  (void)words.integer("pspcod");
  out.functional = ixc_functional(words.integer("pspxc"));
  const int lmax = words.integer("lmax", format == 3 ? 0 : -1, highest_l);  // -1: no projectors
  words.next_line();
  if (format == 3) {
    read_hgh(file, words, lmax, out.parameters);
  } else {
    read_local(words, out.parameters);
    words.next_line();
    read_channels(file, words, true, out.parameters);
    words.next_line();
  }
  words.require_complete();
  require_end(file, words.line());
  return out;
}

}  // namespace wavegrid
