#include "call.hpp"

#include <exception>
#include <limits>
#include <new>

#include <wavegrid/mpi/agreement.hpp>

#include "wavegrid.h"

namespace wavegrid::c {

namespace {

thread_local std::string last_error;

int keep(int status, const char* message) noexcept {
  try {
    last_error = message;
  } catch (...) {
    last_error.clear();  // no memory for the message
  }
  return status;
}

int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::bad_input:
      return WAVEGRID_BAD_INPUT;
    case ErrorKind::environment:
      return WAVEGRID_ENVIRONMENT;
    case ErrorKind::internal:
      break;
  }
  return WAVEGRID_INTERNAL;
}

}  // namespace

int exception_status() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return keep(status_of(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    return keep(WAVEGRID_ENVIRONMENT, "out of memory");
  } catch (const std::exception& error) {
    return keep(WAVEGRID_INTERNAL, error.what());
  } catch (...) {
    return keep(WAVEGRID_INTERNAL, "an exception of unknown type");
  }
}

Comm communicator(MPI_Comm comm) {
  // No MPI uses MPI_Comm{} as a communicator; invalid Fortran handles are converted to it.
  return Comm::private_copy(comm == MPI_Comm{} ? MPI_COMM_NULL : comm);
}

void require_length(const char* name, const void* data, Index length, Index bands, Index size) {
  if (bands < 0) throw bad_input("the number of bands is " + std::to_string(bands) + "; valid: 0 or more");
  const bool countable = size == 0 || bands <= std::numeric_limits<Index>::max() / size;
  if (!countable || length != bands * size)
    throw bad_input(std::string(name) + " has " + std::to_string(length) +
                    " elements; needed: " + std::to_string(bands) + " x " + std::to_string(size) +
                    (countable ? " = " + std::to_string(bands * size) : ""));
  if (length > 0) require_given(data, name);
}

void agree(const Comm& comm, const char* function, const char* what, const std::function<Fingerprint()>& check) {
  const auto checked = [&] {
    try {
      return check().value();
    } catch (const Error& error) {
      throw Error(error.kind(), "rank " + std::to_string(comm.rank()) + ": " + error.what());
    }
  };
  wavegrid::agree(
      comm, checked,
      "the ranks call " + std::string(function) + " with different " + what + "; all ranks must pass the same");
}

}  // namespace wavegrid::c

const char* wavegrid_last_error(void) { return wavegrid::c::last_error.c_str(); }

const char* wavegrid_status_name(int status) {
  switch (status) {
    case WAVEGRID_OK:
      return "ok";
    case WAVEGRID_BAD_INPUT:
      return "bad_input";
    case WAVEGRID_ENVIRONMENT:
      return "environment";
    case WAVEGRID_INTERNAL:
      return "internal";
    default:
      return nullptr;
  }
}

const char* wavegrid_version(void) { return WAVEGRID_VERSION; }
