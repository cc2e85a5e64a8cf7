// How the program ends on all ranks at once where no exception can report a fault: memory that is refused, an error
// inside MPI, std::terminate, a library that calls exit(). Only for a program that owns its process: the library itself
// never exits.
#pragma once

#include <string>

/// From now on each of these faults ends all ranks with one message. If `report` is not empty, exit code and message
/// are written to this file, for the process that started the ranks; else the message goes to stderr. `rank` is named
/// in the message until MPI runs. Memory that `operator new` does not get ends the program where it is asked for: an
/// exception would leave regions of threads and destructors that communicate.
void end_all_at_faults(const std::string& report, int rank);
/// The same for errors inside MPI and FFTW, once MPI runs; does nothing without end_all_at_faults(). Collective.
void end_all_at_library_faults();
/// From now on the process may end by itself, as at the end of a run.
void allow_exit();

/// Ends all ranks with this exit code; the message has been printed. Ends this rank where MPI cannot end the others.
[[noreturn]] void abort_all_ranks(int code) noexcept;
