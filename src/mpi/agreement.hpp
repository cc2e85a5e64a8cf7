// Checks of arguments on which all ranks agree: all throw the same error, or none does.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/index.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// An error that all ranks of a communicator throw together.
class AgreedError : public Error {
 public:
  AgreedError(ErrorKind kind, const std::string& message, const Comm& comm)
      : Error(kind, message), comm_(comm.handle()) {}
  /// True if all ranks of `comm` throw it.
  [[nodiscard]] bool is_of(const Comm& comm) const { return comm_ == comm.handle(); }

 private:
  MPI_Comm comm_;
};

/// As Comm::collectively(), where `check` returns a fingerprint of what must be the same on all ranks: if it is not,
/// every rank throws bad_input with the message `different`. Collective, one reduction.
void agree(const Comm& comm, const std::function<Index()>& check, const std::string& different);

}  // namespace wavegrid
