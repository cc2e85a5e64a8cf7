#include "application.hpp"

namespace wavegrid::bench {

std::unique_ptr<Application> make_spfft(const Comm&, const Problem&) { return nullptr; }
const char* spfft_version() { return ""; }

}  // namespace wavegrid::bench
