#include "options.hpp"

namespace wavegrid::bench {

namespace {

const std::map<std::string, Transport>& transports() {
  static const auto known = [] {
    std::map<std::string, Transport> names;
    for (const Transport transport : all_transports()) names[to_string(transport)] = transport;
    return names;
  }();
  return known;
}

enum class Context { isolated, scf };
const std::map<std::string, Context> contexts{{"isolated", Context::isolated}, {"scf", Context::scf}};
const std::map<std::string, bool> answers{{"yes", true}, {"no", false}};

void read_mode(const Word& word, Options& options) {
  options.box = word.text == "box";
  options.mode = options.box ? Mode::complex : choice(word, modes);
}

void read_contexts(const Word& word, Options& options) {
  options.isolated = options.scf = false;
  for (const Context context : list(word, [](const Word& part) { return choice(part, contexts); }))
    (context == Context::scf ? options.scf : options.isolated) = true;
}

void read_option(const Word& word, Options& options) {
  if (word.option == "--case")
    options.cube = cubic_case(word);
  else if (word.option == "--mode")
    read_mode(word, options);
  else if (word.option == "--transport")
    options.transports = list(word, [](const Word& part) { return choice(part, transports()); });
  else if (word.option == "--context")
    read_contexts(word, options);
  else if (word.option == "--partition")
    options.scheme = word.text == "auto" ? std::nullopt : std::optional(choice(word, schemes));
  else if (word.option == "--block")
    options.block = count(word);
  else if (word.option == "--repeats")
    options.repeats = count(word);
  else if (word.option == "--overlap")
    options.overlap = choice(word, answers);
  else
    throw bad_input(word.option +
                    ": unknown; valid: --case, --mode, --transport, --context, --partition, --block, --repeats, "
                    "--overlap");
}

}  // namespace

Options parse_options(const std::vector<std::string>& words) {
  Options options;
  for_options(words, [&](const Word& word) { read_option(word, options); });
  return options;
}

}  // namespace wavegrid::bench
