#include "options.hpp"

namespace wavegrid::bench {

namespace {

const std::map<std::string, BoxShape> shapes{{"uniform", BoxShape::uniform},
                                             {"fibril", BoxShape::fibril},
                                             {"silicon", BoxShape::silicon},
                                             {"chain", BoxShape::chain}};
const std::map<std::string, MpiCalls> kinds_of_calls{{"in_turn", MpiCalls::in_turn}, {"at_once", MpiCalls::at_once}};
const std::map<std::string, bool> answers{{"yes", true}, {"no", false}};

const std::map<std::string, BoxMethod>& methods() {
  static const auto known = [] {
    std::map<std::string, BoxMethod> names;
    for (const BoxMethod method : box_methods()) names[to_string(method)] = method;
    return names;
  }();
  return known;
}

void read_option(const Word& word, Options& options) {
  if (word.option == "--shape")
    options.shape = choice(word, shapes);
  else if (word.option == "--boxes")
    options.boxes = count(word);
  else if (word.option == "--size")
    options.size = count(word);
  else if (word.option == "--overlap")
    options.overlap = number<double>(word, "a number above zero");
  else if (word.option == "--method")
    options.methods = list(word, [](const Word& part) { return choice(part, methods()); });
  else if (word.option == "--calls")
    options.calls = choice(word, kinds_of_calls);
  else if (word.option == "--threads")
    options.threads = count(word);
  else if (word.option == "--deterministic")
    options.deterministic = choice(word, answers);
  else if (word.option == "--transport")
    options.transports = list(word, [](const Word& part) { return transport_named(part.text); });
  else if (word.option == "--repeats")
    options.repeats = count(word);
  else
    throw bad_input(word.option +
                    ": unknown; valid: --shape, --boxes, --size, --overlap, --method, --calls, --threads, "
                    "--deterministic, --transport, --repeats");
}

}  // namespace

Options parse_options(const std::vector<std::string>& words) {
  Options options;
  for_options(words, [&](const Word& word) { read_option(word, options); });
  return options;
}

}  // namespace wavegrid::bench
