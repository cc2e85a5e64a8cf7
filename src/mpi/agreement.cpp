#include <exception>
#include <new>
#include <optional>
#include <span>

#include <wavegrid/mpi/agreement.hpp>

namespace wavegrid {

namespace {

/// The error of rank `first`, which alone needs to know it, on all ranks. Collective.
AgreedError error_of(const Comm& comm, int first, const std::optional<Error>& mine) {
  const bool is_mine = comm.rank() == first;
  std::string message = is_mine ? mine->what() : "";
  Index header[2] = {static_cast<Index>(message.size()), is_mine ? static_cast<Index>(mine->kind()) : 0};
  comm.broadcast(std::span<Index>(header), first);
  message.resize(static_cast<std::size_t>(header[0]));
  comm.broadcast(std::span<char>(message), first);
  return {static_cast<ErrorKind>(header[1]), message, comm};
}

}  // namespace

// All agreements have the same reduction. A rank whose `check` throws before it takes part in an inner agreement of the
// same communicator therefore meets the others in that one: they get its error there, and pass it on as it is.
void agree(const Comm& comm, const std::function<Index()>& check, const std::string& different) {
  std::optional<Error> error;
  Index mine = 0;
  try {
    mine = check();
  } catch (const AgreedError& caught) {
    if (caught.is_of(comm)) throw;
    error = caught;
  } catch (const Error& caught) {
    error = caught;
  } catch (const std::bad_alloc&) {
    error = environment_error("out of memory; use more ranks on more nodes, a smaller cutoff or fewer bands");
  } catch (const std::exception& caught) {
    error = internal_error(caught.what());
  }
  Index lowest[3] = {error ? comm.rank() : comm.size(), mine, -mine};
  comm.min(std::span<Index>(lowest));
  if (lowest[0] < comm.size()) throw error_of(comm, static_cast<int>(lowest[0]), error);
  if (lowest[1] != -lowest[2]) throw AgreedError(ErrorKind::bad_input, different, comm);
}

}  // namespace wavegrid
