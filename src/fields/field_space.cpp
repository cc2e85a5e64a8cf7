#include <wavegrid/fields/field_space.hpp>

namespace wavegrid {

const char* to_string(PreconditionerKind kind) {
  switch (kind) {
    case PreconditionerKind::none:
      return "none";
    case PreconditionerKind::kerker:
      return "kerker";
    case PreconditionerKind::dielectric:
      return "dielectric";
    case PreconditionerKind::ldos:
      return "ldos";
  }
  return "";
}

}  // namespace wavegrid
