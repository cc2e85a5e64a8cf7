#include <fftw3.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <vector>

#include <wavegrid/base/replace_file.hpp>
#include <wavegrid/fft/fftw_plan.hpp>
#include <wavegrid/fft/wisdom.hpp>
#include <wavegrid/fft/wisdom_check.hpp>

namespace wavegrid {

namespace {

constexpr int num_gathered_ranks = 16;  ///< ranks whose wisdom is gathered; the transforms of the others are similar

std::string taken(char* text) {  // FFTW's strings are malloc'd
  std::string copy = text ? text : "";
  std::free(text);
  return copy;
}

std::string exported(int precision) {
  const auto planner = lock_fftw_planner();
  return taken(precision == 0 ? fftw_export_wisdom_to_string() : fftwf_export_wisdom_to_string());
}

void import(int precision, const std::string& text) {
  const auto planner = lock_fftw_planner();
  if (precision == 0)
    fftw_import_wisdom_from_string(text.c_str());
  else
    fftwf_import_wisdom_from_string(text.c_str());
}

Index num_measured(int precision) {
  return precision == 0 ? num_measured_plans<double>() : num_measured_plans<float>();
}

/// An identifier of the processor model: wisdom of one model is of no use on another.
std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  std::string text;
  for (std::string line; std::getline(info, line) && !line.empty();)
    for (const char* key :
         {"vendor_id", "cpu family", "model\t", "model name", "stepping", "flags", "Features", "CPU "})
      if (line.rfind(key, 0) == 0) text += line;
  std::ostringstream name;
  name << std::hex << std::hash<std::string>{}(text);
  return name.str();
}

std::string content(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Rank 0 imports the wisdom of the other ranks of `comm`.
void gather(const Comm& comm, int precision) {
  const std::string mine = exported(precision);
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(comm.size())), starts(lengths.size());
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm.handle());
  for (std::size_t r = 1; r < starts.size(); ++r) starts[r] = starts[r - 1] + lengths[r - 1];
  std::string all(static_cast<std::size_t>(starts.back() + lengths.back()), ' ');
  MPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR, 0, comm.handle());
  for (std::size_t r = 1; comm.rank() == 0 && r < starts.size(); ++r)
    import(precision, all.substr(static_cast<std::size_t>(starts[r]), static_cast<std::size_t>(lengths[r])));
}

}  // namespace

std::filesystem::path wisdom_folder() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::filesystem::path(value ? value : "");
  };
  if (const auto folder = variable("WAVEGRID_CACHE"); !folder.empty()) return folder;
  if (const auto folder = variable("XDG_CACHE_HOME"); !folder.empty()) return folder / "wavegrid";
  if (const auto folder = variable("HOME"); !folder.empty()) return folder / ".cache" / "wavegrid";
  return {};
}

Wisdom::Wisdom(std::filesystem::path folder) : folder_(std::move(folder)) {
  for (int precision : {0, 1}) {
    if (!folder_.empty()) import(precision, content(file(precision)));
    measured_[static_cast<std::size_t>(precision)] = num_measured(precision);
  }
}

std::filesystem::path Wisdom::file(int precision) const {
  static const std::string machine = processor();
  const std::string version = precision == 0 ? fftw_version : fftwf_version;
  return folder_ / (version.substr(0, version.find_first_of(" -", 5)) + (precision == 0 ? "-double-" : "-single-") +
                    machine + ".wisdom");
}

void Wisdom::save(const Comm& comm) {
  const Comm group =
      comm.size() > num_gathered_ranks ? comm.split(comm.rank() < num_gathered_ranks ? 0 : 1, comm.rank()) : comm;
  if (comm.rank() >= num_gathered_ranks) return;
  for (int precision : {0, 1}) {
    Index& saved = measured_[static_cast<std::size_t>(precision)];
    if (group.max(num_measured(precision) == saved ? 0 : 1) == 0) continue;
    gather(group, precision);
    saved = num_measured(precision);
    if (group.rank() != 0 || folder_.empty()) continue;
    std::error_code ignored;  // a folder that cannot be written costs the next run some measurements
    std::filesystem::create_directories(folder_, ignored);
    (void)replace_file(file(precision), exported(precision));
  }
}

void Wisdom::check(double seconds) {
  constexpr double share = 0.01, least = 0.02;  // of the time; seconds, for one or two kinds of plans
  const double each = share * seconds / 2;
  if (checked_ || each < least || folder_.empty()) return;
  checked_ = true;
  const std::array contradicted{wisdom_is_contradicted<double>(each), wisdom_is_contradicted<float>(each)};
  for (int precision : {0, 1}) {
    const auto p = static_cast<std::size_t>(precision);
    measured_[p] = num_measured(precision);  // those of the comparison are no reason to write a file
    if (contradicted[p]) (void)replace_file(file(precision), exported(precision));
  }
}

}  // namespace wavegrid
