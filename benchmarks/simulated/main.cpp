// In the set because the papers' machines are not here: parts of the library on a simulated cluster. SimGrid runs this
// program, the library's own code, on as many ranks as are asked for, and counts the time of messages only. run.py
// starts it; directly:
//
//   smpirun -np 24 ... bench_simulated transforms --grid 48 --radius 15.346 --scheme cyclic --bands 1 --transport ring
//
// Prints one JSON object and then "finished".
#include <map>

#include "common/program.hpp"
#include "common/words.hpp"
#include "studies.hpp"

namespace {

using namespace wavegrid;
using namespace wavegrid::bench;

void run(const Comm& comm, const Words& words) {
  const std::map<std::string, void (*)(const Comm&, const Words&)> studies{
      {"transforms", study_transforms}, {"messages", study_messages}, {"padding", study_padding},
      {"files", study_files},           {"halo", study_halo},         {"boxes", study_boxes},
      {"setup", study_setup},           {"loop", study_loop}};
  if (words.empty()) throw bad_input("a study is missing, such as transforms");
  choice({"study", words[0]}, studies)(comm, {words.begin() + 1, words.end()});
}

}  // namespace

int main(int argc, char** argv) { return run_program(argc, argv, run); }
