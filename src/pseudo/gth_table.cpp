#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include <wavegrid/base/edit_distance.hpp>
#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/pseudo/gth_table.hpp>

namespace wavegrid {

namespace {

using Words = std::vector<std::string>;
using Potentials = std::map<std::string, std::map<int, GthPotential>>;

Words line_words(std::string_view line) {
  const auto words = split_words(line.substr(0, line.find('#')));
  return {words.begin(), words.end()};
}

std::string join(const Words& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

bool is_element_symbol(const std::string& word) {
  const auto lower = [](unsigned char c) { return std::islower(c) != 0; };
  return !word.empty() && word.size() <= 2 && std::isupper(static_cast<unsigned char>(word[0])) != 0 &&
         std::all_of(word.begin() + 1, word.end(), lower);
}

/// The valence of a word such as "q3".
std::optional<int> parse_valence(const std::string& word) {
  if (word.size() < 2 || word[0] != 'q') return std::nullopt;
  const auto value = parse_int(std::string_view(word).substr(1));
  return value && *value > 0 ? value : std::nullopt;
}

/// Reads a table line by line and collects finished entries.
class Parser {
 public:
  explicit Parser(const TextFile& file) : file_(file) {}

  void read() {
    for (line_ = 1; line_ <= file_.num_lines() && !ended_; ++line_)
      if (const Words words = line_words(file_.line(line_)); !words.empty()) take(words);
    finish_entry();
    if (potentials.empty())
      throw bad_input(file_.file().string() + " has no entry; an entry starts with a line like 'Al q3'");
    if (!ended_)
      fail(file_.num_lines(),
           "the table does not end with the line 'end': it is cut short; if it is complete, add that line");
  }

  std::string functional;
  Potentials potentials;

 private:
  [[noreturn]] void fail(std::size_t line, const std::string& what) const { file_.fail(line, what); }

  void take(const Words& words) {
    const std::string& key = words[0];
    if (is_element_symbol(key)) return start_entry(words);
    if (key == "functional") return take_functional(words);
    if (key == "end") return take_end(words);
    if (key != "electrons" && key != "local" && key != "nonlocal")
      fail(line_,
           "found " + in_quotes(key) +
               "; valid are functional, electrons, local, nonlocal, end, or the start of an entry such as 'Al q3'");
    if (entry_line_ == 0) fail(line_, "found '" + key + "' before any entry; start one with a line like 'Al q3'");
    if (key == "electrons") return take_electrons(words);
    if (key == "local") return take_local(words);
    take_nonlocal(words);
  }

  void take_functional(const Words& words) {
    if (words.size() != 2 || !functional.empty() || entry_line_ != 0)
      fail(line_, "'functional' must come once, before the first entry, with one word such as lda or pbe");
    functional = words[1];
  }

  void take_end(const Words& words) {
    if (words.size() != 1) fail(line_, "found " + in_quotes(words[1]) + " after 'end', which stands alone");
    for (std::size_t next = line_ + 1; next <= file_.num_lines(); ++next)
      if (!line_words(file_.line(next)).empty()) fail(next, "found text after the line 'end', which is the last");
    ended_ = true;
  }

  void start_entry(const Words& words) {
    finish_entry();
    const auto valence = words.size() == 2 ? parse_valence(words[1]) : std::nullopt;
    if (!valence)
      fail(line_, "found " + in_quotes(words[0] + (words.size() > 1 ? " " + words[1] : "")) +
                      "; an entry starts with the element and q with its valence alone, such as 'Al q3'");
    entry_line_ = line_;
    valence_ = *valence;
    entry_ = {};
    entry_.element = words[0];
  }

  void take_electrons(const Words& words) {
    if (!entry_.electrons.empty()) fail(line_, "a second 'electrons' line; give it once in " + entry_name());
    if (words.size() < 2 || words.size() > 5) fail(line_, "'electrons' needs 1 to 4 numbers (s, p, d, f)");
    entry_.electrons = numbers(words, 1);
  }

  void take_local(const Words& words) {
    if (entry_.local_radius != 0.0) fail(line_, "a second 'local' line; give it once in " + entry_name());
    if (words.size() < 2 || words.size() > 6) fail(line_, "'local' needs r_loc and up to 4 coefficients");
    auto values = numbers(words, 1);
    if (!(values[0] > 0.0)) fail(line_, "r_loc is " + words[1] + "; it must be above 0 bohr");
    entry_.local_radius = values[0];
    entry_.local_coefficients.assign(values.begin() + 1, values.end());
  }

  void take_nonlocal(const Words& words) {
    const std::string letters = "spdf";
    const auto l = words.size() > 1 && words[1].size() == 1 ? letters.find(words[1]) : std::string::npos;
    if (l == std::string::npos)
      fail(line_, "'nonlocal' is followed by " + (words.size() > 1 ? in_quotes(words[1]) : std::string("nothing")) +
                      "; valid are s, p, d, f");
    if (words.size() != 4 && words.size() != 6 && words.size() != 9)
      fail(line_, "'nonlocal " + words[1] + "' has " + std::to_string(words.size() - 2) +
                      " numbers; valid are 2, 4 or 7: r_l and the upper triangle of h for 1, 2 or 3 projectors");
    auto values = numbers(words, 2);
    if (!(values[0] > 0.0)) fail(line_, "r_l is " + words[2] + "; it must be above 0 bohr");
    for (const auto& channel : entry_.channels)
      if (channel.l == static_cast<int>(l)) fail(line_, "a second 'nonlocal " + words[1] + "' in " + entry_name());
    entry_.channels.push_back({static_cast<int>(l), values[0], {values.begin() + 1, values.end()}});
  }

  [[nodiscard]] std::vector<double> numbers(const Words& words, std::size_t first) const {
    std::vector<double> values;
    for (std::size_t i = first; i < words.size(); ++i) {
      const auto value = parse_real(words[i]);
      if (!value) fail(line_, "found " + in_quotes(words[i]) + " where a number is needed");
      values.push_back(*value);
    }
    return values;
  }

  [[nodiscard]] std::string entry_name() const { return entry_.element + " q" + std::to_string(valence_); }

  void finish_entry() {
    if (entry_line_ == 0) return;
    if (entry_.electrons.empty()) fail(entry_line_, "entry " + entry_name() + " has no 'electrons' line");
    if (entry_.local_radius == 0.0) fail(entry_line_, "entry " + entry_name() + " has no 'local' line");
    const double sum = std::accumulate(entry_.electrons.begin(), entry_.electrons.end(), 0.0);
    if (std::abs(sum - valence_) > 1e-9)
      fail(entry_line_, "the electrons of entry " + entry_name() + " sum to " + to_text(sum) + "; they must sum to " +
                            std::to_string(valence_));
    store();
  }

  void store() {
    auto& valences = potentials[entry_.element];
    if (valences.contains(valence_)) fail(entry_line_, "a second entry " + entry_name() + "; give each once");
    try {
      valences.emplace(valence_, GthPotential(entry_));
    } catch (const Error& error) {
      fail(entry_line_, error.what());
    }
  }

  const TextFile& file_;
  std::size_t line_ = 0;
  std::size_t entry_line_ = 0;  // where the current entry starts, 0 before the first
  bool ended_ = false;
  int valence_ = 0;
  GthParameters entry_{};
};

/// The candidates nearest to `word`; all of them if they are few.
Words nearest(const std::string& word, Words candidates) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const auto& a, const auto& b) { return edit_distance(word, a) < edit_distance(word, b); });
  if (candidates.size() <= 8) return candidates;
  if (edit_distance(word, candidates[0]) == 0) return {candidates[0]};
  candidates.resize(5);
  return candidates;
}

}  // namespace

GthTable::GthTable(const TextFile& file) : file_(file.file()) {
  Parser parser(file);
  parser.read();
  functional_ = std::move(parser.functional);
  potentials_ = std::move(parser.potentials);
}

std::vector<std::string> GthTable::elements() const {
  std::vector<std::string> names;
  for (const auto& [name, valences] : potentials_) names.push_back(name);
  return names;
}

std::vector<int> GthTable::entries(const std::string& element) const {
  std::vector<int> valences;
  if (const auto found = potentials_.find(element); found != potentials_.end())
    for (const auto& [valence, potential] : found->second) valences.push_back(valence);
  return valences;
}

const GthPotential& GthTable::find(const std::string& element, std::optional<int> valence) const {
  const auto found = potentials_.find(element);
  if (found == potentials_.end())
    throw bad_input("no pseudopotential for element '" + element + "' in " + file_.string() +
                    "; nearest there: " + join(nearest(element, elements())));
  const auto& valences = found->second;
  if (!valence) return valences.begin()->second;
  if (const auto entry = valences.find(*valence); entry != valences.end()) return entry->second;
  Words there;
  for (const auto& [q, potential] : valences) there.push_back("q" + std::to_string(q));
  throw bad_input("no pseudopotential " + element + " q" + std::to_string(*valence) + " in " + file_.string() +
                  "; valid for " + element + ": " + join(there));
}

}  // namespace wavegrid
