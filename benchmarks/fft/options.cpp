#include "options.hpp"

#include <charconv>
#include <map>
#include <sstream>

#include "base/error.hpp"

namespace wavegrid::bench {

namespace {

const std::map<std::string, Mode> modes{{"gamma", Mode::gamma}, {"complex", Mode::complex}};
const std::map<std::string, Scheme> schemes{{"greedy", Scheme::greedy},
                                            {"cyclic", Scheme::cyclic},
                                            {"balanced", Scheme::balanced},
                                            {"optimized", Scheme::optimized}};

/// A word of the command line and the option that it belongs to, for messages.
struct Word {
  std::string option;
  std::string text;

  [[nodiscard]] Error wrong(const std::string& valid) const {
    return bad_input(option + " " + text + ": not understood; valid: " + valid);
  }
};

template <class Number>
Number number(const Word& word, const std::string& valid) {
  Number value{};
  const char* const end = word.text.data() + word.text.size();
  const auto [stop, fault] = std::from_chars(word.text.data(), end, value);
  if (fault != std::errc{} || stop != end || !(value > 0)) throw word.wrong(valid);
  return value;
}

int count(const Word& word) { return number<int>(word, "1, 2, 3, ..."); }

template <class Value>
Value choice(const Word& word, const std::map<std::string, Value>& values) {
  const auto found = values.find(word.text);
  if (found != values.end()) return found->second;
  std::string valid;
  for (const auto& [name, value] : values) valid += (valid.empty() ? "" : ", ") + name;
  throw word.wrong(valid);
}

template <class Read>
auto list(const Word& word, Read read) {
  std::vector<decltype(read(word))> values;
  std::istringstream stream(word.text);
  for (std::string part; std::getline(stream, part, ',');) values.push_back(read({word.option, part}));
  if (values.empty()) throw word.wrong("a list with commas between");
  return values;
}

void read_case(const Word& word, Options& options) {
  const std::string valid = "N:RADIUS, for example 48:15.37";
  const std::size_t colon = word.text.find(':');
  if (colon == std::string::npos) throw word.wrong(valid);
  options.n = number<int>({word.option, word.text.substr(0, colon)}, valid);
  options.radius = number<double>({word.option, word.text.substr(colon + 1)}, valid);
}

void read_option(const Word& word, Options& options) {
  if (word.option == "--case")
    read_case(word, options);
  else if (word.option == "--mode")
    options.modes = list(word, [](const Word& part) { return choice(part, modes); });
  else if (word.option == "--bands")
    options.bands = list(word, count);
  else if (word.option == "--threads")
    options.threads = count(word);
  else if (word.option == "--repeats")
    options.repeats = count(word);
  else if (word.option == "--scheme")
    options.scheme = choice(word, schemes);
  else
    throw bad_input(word.option + ": unknown; valid: --case, --mode, --bands, --threads, --repeats, --scheme");
}

}  // namespace

Options parse_options(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (i + 1 == words.size()) throw bad_input(words[i] + ": its value is missing");
    read_option({words[i], words[i + 1]}, options);
  }
  return options;
}

const char* name_of(Mode mode) { return mode == Mode::gamma ? "gamma" : "complex"; }

}  // namespace wavegrid::bench
