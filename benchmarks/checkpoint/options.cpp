#include "options.hpp"

namespace wavegrid::bench {

namespace {

// al2x2: CASTEP's benchmark, a slab of alumina, 5 k-points of some 40000 plane waves; the others are for tests.
const std::map<std::string, CheckpointCase> cases{
    {"al2x2", {5, 21.22, 288}}, {"small", {2, 10, 144}}, {"tiny", {2, 5, 16}}};

int count_or_zero(const Word& word) { return word.text == "0" ? 0 : count(word); }

void read_option(const Word& word, Options& options) {
  if (word.option == "--case")
    options.calculation = choice(word, cases);
  else if (word.option == "--directory")
    options.directory = word.text;
  else if (word.option == "--aggregators")
    options.aggregators = list(word, count_or_zero);
  else if (word.option == "--buffer")
    options.buffers = list(word, count_or_zero);
  else if (word.option == "--kpoint-groups")
    options.kpoint_groups = count(word);
  else if (word.option == "--repeats")
    options.repeats = count(word);
  else if (word.option == "--endless")
    options.endless = true, options.first = count(word);
  else
    throw bad_input(word.option +
                    ": unknown; valid: --case, --directory, --aggregators, --buffer, --kpoint-groups, --repeats");
}

}  // namespace

Options parse_options(const std::vector<std::string>& words) {
  Options options;
  for_options(words, [&](const Word& word) { read_option(word, options); });
  return options;
}

}  // namespace wavegrid::bench
