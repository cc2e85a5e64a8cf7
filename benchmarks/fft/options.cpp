#include "options.hpp"

namespace wavegrid::bench {

namespace {

void read_option(const Word& word, Options& options) {
  if (word.option == "--case")
    options.cube = cubic_case(word);
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
  for_options(words, [&](const Word& word) { read_option(word, options); });
  return options;
}

const char* to_string(Mode mode) { return mode == Mode::gamma ? "gamma" : "complex"; }

}  // namespace wavegrid::bench
