// The studies of bench_simulated: each runs one part of the library on the ranks of a simulated cluster.
//
// All are collective, read the words of the command line and print one JSON object with print_result(). Computing takes
// no simulated time, so that what a rank computes is a sleep().
#pragma once

#include <string>
#include <vector>

#include <wavegrid/mpi/comm.hpp>

namespace wavegrid::bench {

using Words = std::vector<std::string>;

void study_transforms(const Comm& comm, const Words& words);  ///< both transposes of the compact FFT
void study_messages(const Comm& comm, const Words& words);    ///< all-to-alls of nearly equal messages, padded or not
void study_padding(const Comm& comm, const Words& words);     ///< the same inside an FFT and a loop with skew
void study_files(const Comm& comm, const Words& words);       ///< wave functions to a file and back
void study_halo(const Comm& comm, const Words& words);        ///< ghost points of a mesh
void study_boxes(const Comm& comm, const Words& words);       ///< values between boxes and grid
void study_setup(const Comm& comm, const Words& words);       ///< layouts, plans and directories
void study_loop(const Comm& comm, const Words& words);        ///< a whole self-consistent calculation

/// Prints the result on rank 0, and the line without which a run does not count: a simulated program that has stopped
/// for any other reason ends with 0, too.
void print_result(const Comm& comm, const std::string& json);

/// The text of a printf format.
[[nodiscard]] std::string text(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// Seconds of simulated time.
[[nodiscard]] double now();
/// This rank computes for that many simulated seconds.
void compute(double seconds);
/// Bytes that this rank has written to files and read from them so far.
[[nodiscard]] double disk_bytes();

}  // namespace wavegrid::bench
