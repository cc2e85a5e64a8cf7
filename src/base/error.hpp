// The one exception type of the library.
#pragma once

#include <stdexcept>
#include <string>

#include <wavegrid/base/printable.hpp>

namespace wavegrid {

/// Who can correct the error: the user (bad_input), the administrator of the machine (environment) or the developers
/// (internal). The program maps the kinds to exit codes 2, 3 and 4.
enum class ErrorKind { bad_input, environment, internal };

/// An error with one sentence that names the offending value and what would be valid. The sentence may quote any bytes
/// of a file: it is made printable, so that every interface can pass it on as UTF-8.
/// The library throws and never exits; collective entry points agree first, so that all ranks throw or none.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(printable(message)), kind_(kind) {}
  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

[[nodiscard]] inline Error bad_input(const std::string& message) { return {ErrorKind::bad_input, message}; }
[[nodiscard]] inline Error environment_error(const std::string& message) { return {ErrorKind::environment, message}; }
[[nodiscard]] inline Error internal_error(const std::string& message) { return {ErrorKind::internal, message}; }

}  // namespace wavegrid
