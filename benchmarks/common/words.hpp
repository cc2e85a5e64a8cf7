// The command line of a benchmark program: options and values in turn, each mistake reported with the option's name.
#pragma once

#include <charconv>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/layout/partition.hpp>

namespace wavegrid::bench {

/// A word of the command line and the option that it belongs to, for messages.
struct Word {
  std::string option;
  std::string text;

  [[nodiscard]] Error wrong(const std::string& valid) const {
    return bad_input(option + " " + text + ": not understood; valid: " + valid);
  }
};

/// A number above zero.
template <class Number>
[[nodiscard]] Number number(const Word& word, const std::string& valid) {
  Number value{};
  const char* const end = word.text.data() + word.text.size();
  const auto [stop, fault] = std::from_chars(word.text.data(), end, value);
  if (fault != std::errc{} || stop != end || !(value > 0)) throw word.wrong(valid);
  return value;
}

[[nodiscard]] inline int count(const Word& word) { return number<int>(word, "1, 2, 3, ..."); }

template <class Value>
[[nodiscard]] Value choice(const Word& word, const std::map<std::string, Value>& values) {
  const auto found = values.find(word.text);
  if (found != values.end()) return found->second;
  std::string valid;
  for (const auto& [name, value] : values) valid += (valid.empty() ? "" : ", ") + name;
  throw word.wrong(valid);
}

template <class Read>
[[nodiscard]] auto list(const Word& word, Read read) {
  std::vector<decltype(read(word))> values;
  std::istringstream stream(word.text);
  for (std::string part; std::getline(stream, part, ',');) values.push_back(read({word.option, part}));
  if (values.empty()) throw word.wrong("a list with commas between");
  return values;
}

/// Calls read(option and its value) for each pair of words.
inline void for_options(const std::vector<std::string>& words, const std::function<void(const Word&)>& read) {
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (i + 1 == words.size()) throw bad_input(words[i] + ": its value is missing");
    read({words[i], words[i + 1]});
  }
}

inline const std::map<std::string, Scheme> schemes{{"greedy", Scheme::greedy},
                                                   {"cyclic", Scheme::cyclic},
                                                   {"balanced", Scheme::balanced},
                                                   {"optimized", Scheme::optimized}};

inline const std::map<std::string, Mode> modes{{"gamma", Mode::gamma}, {"complex", Mode::complex}};

/// N:RADIUS.
struct CubicCase {
  int n = 48;
  double radius = 15.37;
};
[[nodiscard]] inline CubicCase cubic_case(const Word& word) {
  const std::string valid = "N:RADIUS, for example 48:15.37";
  const std::size_t colon = word.text.find(':');
  if (colon == std::string::npos) throw word.wrong(valid);
  return {number<int>({word.option, word.text.substr(0, colon)}, valid),
          number<double>({word.option, word.text.substr(colon + 1)}, valid)};
}

}  // namespace wavegrid::bench
