#include "options.hpp"

#include "common/words.hpp"

namespace wavegrid::bench {

Options parse_options(const std::vector<std::string>& words) {
  Options options;
  const std::map<std::string, std::string> contexts{
      {"neighbours", "neighbours"}, {"stencil", "stencil"}, {"overlap", "overlap"}};
  for_options(words, [&](const Word& word) {
    if (word.option == "--context")
      options.contexts = list(word, [&](const Word& one) { return choice(one, contexts); });
    else if (word.option == "--transport")
      options.transports = list(word, [](const Word& one) { return transport_named(one.text); });
    else if (word.option == "--order")
      options.orders = list(word, count);
    else if (word.option == "--width")
      options.width = count(word);
    else if (word.option == "--edge")
      options.edge = count(word);
    else if (word.option == "--repeats")
      options.repeats = count(word);
    else
      throw bad_input(word.option + ": unknown option; valid: --context, --transport, --order, --width, --edge, " +
                      "--repeats");
  });
  if (options.transports.empty()) {
    const auto every = library_transports();
    options.transports.assign(every.begin(), every.end());
  }
  return options;
}

}  // namespace wavegrid::bench
