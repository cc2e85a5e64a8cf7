#include "program_end.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include <wavegrid/base/error.hpp>
#include <wavegrid/mpi/environment.hpp>

using namespace wavegrid;

namespace {

// Nothing here allocates: these functions run where memory has been refused.

enum ExitCode { exit_bad_input = 2, exit_environment = 3, exit_internal = 4 };

constexpr unsigned abort_seconds = 10;         ///< after which an MPI_Abort that hangs is killed
constexpr unsigned report_seconds = 10;        ///< after which a report that nobody acts on is followed by MPI_Abort
constexpr useconds_t before_others = 200'000;  ///< microseconds by which our message precedes those of MPI

std::atomic<bool> armed = false;
std::atomic_flag ending = ATOMIC_FLAG_INIT;
char report_file[PATH_MAX] = "";
int my_rank = 0;
struct sigaction abort_before, segmentation_before;

/// Writes the whole text if the file takes it.
bool write_text(int file, const char* text) noexcept {
  for (std::size_t left = std::strlen(text); left > 0;) {
    const ssize_t done = write(file, text, left);
    if (done <= 0) return false;
    text += done, left -= static_cast<std::size_t>(done);
  }
  return true;
}

bool write_report(int code, const char* message) noexcept {
  if (report_file[0] == '\0') return false;
  const int file = open(report_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return false;
  char text[1200];
  std::snprintf(text, sizeof text, "%d %s\n", code, message);
  const bool written = write_text(file, text);
  return close(file) == 0 && written;
}

[[noreturn]] void end_all(int code, const char* message) noexcept {
  if (ending.test_and_set())
    for (;;) pause();  // another thread is ending the process
  armed = false;
  char text[1100];
  std::snprintf(text, sizeof text, "%s (rank %d)", message, my_rank);
  if (write_report(code, text)) {
    sleep(report_seconds);
  } else {
    write_text(STDERR_FILENO, "error: ");
    write_text(STDERR_FILENO, text);
    write_text(STDERR_FILENO, "\n");
    usleep(before_others);
  }
  abort_all_ranks(code);
}

[[noreturn]] void at_refused_memory() {
  if (!armed) throw std::bad_alloc();
  rlimit limit{};
  char text[200] = "out of memory; use more ranks on more nodes, a smaller cutoff or fewer bands";
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    std::snprintf(text, sizeof text,
                  "out of memory: the limit of this process (ulimit -v) is %llu MB; raise it, or use more ranks",
                  static_cast<unsigned long long>(limit.rlim_cur / 1'000'000));
  end_all(exit_environment, text);
}

int code_of(const Error& error) {
  return error.kind() == ErrorKind::bad_input     ? exit_bad_input
         : error.kind() == ErrorKind::environment ? exit_environment
                                                  : exit_internal;
}

[[noreturn]] void at_termination() {
  if (!armed) std::abort();
  try {
    if (const std::exception_ptr fault = std::current_exception()) std::rethrow_exception(fault);
  } catch (const Error& error) {
    end_all(code_of(error), error.what());
  } catch (const std::bad_alloc&) {
    end_all(exit_environment, "out of memory");
  } catch (const std::exception& error) {
    end_all(exit_internal, error.what());
  } catch (...) {
  }
  end_all(exit_internal, "the program was terminated by an exception of unknown type");
}

/// Libraries call exit() where they get no memory or no threads: OpenBLAS, libgomp.
void at_exit() {
  if (armed) end_all(exit_environment, "a library ended the program: it got too little memory or too few threads");
}

/// Whether this function was called through code of a library whose file has this name.
bool called_by(const char* library) noexcept {
  void* frames[32];
  const int depth = backtrace(frames, sizeof frames / sizeof *frames);
  Dl_info found{};
  for (int i = 0; i < depth; ++i)
    if (dladdr(frames[i], &found) != 0 && found.dli_fname && std::strstr(found.dli_fname, library)) return true;
  return false;
}

/// FFTW calls abort() where it gets no memory.
void at_abort(int) {
  if (armed && called_by("libfftw3")) end_all(exit_environment, "FFTW ended the program: it got too little memory");
  sigaction(SIGABRT, &abort_before, nullptr);
  raise(SIGABRT);
}

/// OpenBLAS and other libraries use a null pointer where they get no memory.
void at_segmentation_fault(int, siginfo_t* fault, void*) {
  const bool null = reinterpret_cast<std::uintptr_t>(fault->si_addr) < 65536;
  for (const char* library : {"libopenblas", "libxc", "libhdf5", "libfftw3", "libscalapack", "libsymspg"})
    if (armed && null && called_by(library)) {
      char text[200];
      std::snprintf(text, sizeof text, "%s used a null pointer, as it does where it gets too little memory", library);
      end_all(exit_environment, text);
    }
  sigaction(SIGSEGV, &segmentation_before, nullptr);  // the instruction is repeated
}

void at_mpi_error(MPI_Comm*, int* code, ...) {
  char reason[MPI_MAX_ERROR_STRING] = "", text[MPI_MAX_ERROR_STRING + 100];
  int length = 0;
  MPI_Error_string(*code, reason, &length);
  std::snprintf(text, sizeof text, "MPI reports an error: %s", reason);
  end_all(exit_environment, text);
}

}  // namespace

void end_all_at_faults(const std::string& report, int rank) {
  if (report.size() < sizeof report_file) std::strcpy(report_file, report.c_str());
  my_rank = rank;
  static const int registered = std::atexit(at_exit);
  (void)registered;
  std::set_new_handler(at_refused_memory);
  std::set_terminate(at_termination);
  armed = true;
}

void end_all_at_library_faults() {
  if (!armed) return;
  void* frame = nullptr;
  backtrace(&frame, 1);        // loads what it needs
  struct sigaction action {};  // not before MPI's start, which sets handlers of its own
  action.sa_handler = at_abort;
  sigaction(SIGABRT, &action, &abort_before);
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = at_segmentation_fault;
  sigaction(SIGSEGV, &action, &segmentation_before);
  MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(at_mpi_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);  // communicators made from it inherit the handler
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Errhandler_free(&handler);
}

void allow_exit() { armed = false; }

void abort_all_ranks(int code) noexcept {
  armed = false;
  std::signal(SIGALRM, SIG_DFL);
  alarm(abort_seconds);
  if (mpi_is_running()) MPI_Abort(MPI_COMM_WORLD, code);
  _exit(code);
}
