// Any bytes as a pseudopotential file: they are read, or refused by one printable sentence of kind bad_input that names
// the file. One program for each format, with its own corpus; the reader recognises the format by itself.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/pseudo/pseudopotential_file.hpp>

namespace {

using namespace wavegrid;

void require(bool valid, const std::string& what) {
  if (valid) return;
  std::cerr << "not valid: " << what << '\n';
  std::abort();
}

/// The values that `check` and a start of a run use, at one point each.
void use(const Pseudopotential& potential) {
  double sum = potential.local_radial(0.5) + potential.valence_charge();
  for (int c = 0; c < potential.num_channels(); ++c)
    for (int i = 0; i < potential.num_projectors(c); ++i)
      sum += potential.projector_radial(c, i, 0.5) + potential.coupling(c, i, 0);
  require(std::isfinite(sum), "a value of the potential, " + std::to_string(sum));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const TextFile file("input", std::string(data, data + size));
    const PseudopotentialFile found = read_any_pseudopotential_file(file, {.element = "Al"});
    use(*found.potential);
    require(found.functional == printable(found.functional), "the functional " + found.functional);
  } catch (const Error& error) {
    const std::string message = error.what();
    require(error.kind() == ErrorKind::bad_input, "the kind of the error " + message);
    require(message.find("input") != std::string::npos, "an error that does not name the file: " + message);
    require(message == printable(message) && message.size() < 2000, message);
  }
  return 0;
}
