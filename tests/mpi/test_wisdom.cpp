// FFTW's wisdom on disk: written by one run, read by the next; other files are ignored.
#include <fftw3.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/fft/fftw_plan.hpp>
#include <wavegrid/fft/wisdom.hpp>
#include <wavegrid/fft/wisdom_check.hpp>

namespace wavegrid::test_wisdom {
namespace {

namespace fs = std::filesystem;

/// A folder for each rank, removed at the end of its lifetime; FFTW has no wisdom at the beginning and the end.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("wavegrid-wisdom-" + std::to_string(getpid()));
  Folder() { fftw_forget_wisdom(); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    fftw_forget_wisdom();
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

/// Sets an environment variable during its lifetime.
class Variable {
 public:
  Variable(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* const old = std::getenv(name)) old_ = old;
    set(value);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { set(old_); }

 private:
  void set(const std::optional<std::string>& value) const {
    if (value)
      setenv(name_, value->c_str(), 1);
    else
      unsetenv(name_);
  }
  const char* name_;
  std::optional<std::string> old_;
};

std::string content(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

void learn() { (void)FftwPlan<double>({60, 4, 1, 60, 1, 60}, FftDirection::backward, false, PlanEffort::measure); }

/// Whether FFTW can plan learn()'s transform without measuring.
bool has_wisdom() {
  const int n = 60;
  auto* const data = fftw_alloc_complex(8 * 60);
  const fftw_plan plan = fftw_plan_many_dft(1, &n, 4, data, nullptr, 1, 60, data + 240, nullptr, 1, 60, FFTW_BACKWARD,
                                            FFTW_MEASURE | FFTW_WISDOM_ONLY);
  fftw_destroy_plan(plan);
  fftw_free(data);
  return plan != nullptr;
}

TEST(Wisdom, WisdomIsWrittenAndRead) {
  Folder folder;
  {
    Wisdom wisdom(folder.path);
    learn();
    ASSERT_TRUE(has_wisdom());
    wisdom.save(Comm::self());
    EXPECT_TRUE(fs::exists(wisdom.file(0)));
    EXPECT_FALSE(fs::exists(wisdom.file(1))) << "nothing was planned in single precision";
  }
  fftw_forget_wisdom();
  EXPECT_FALSE(has_wisdom());
  Wisdom again(folder.path);
  EXPECT_TRUE(has_wisdom());
  const auto written = fs::last_write_time(again.file(0));
  learn();
  again.save(Comm::self());
  EXPECT_EQ(fs::last_write_time(again.file(0)), written) << "nothing new, nothing written";
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()), 1) << "parts are left";
}

TEST(Wisdom, RanksWriteOneFileTogether) {
  Folder folder;
  Wisdom wisdom(folder.path);
  if (Comm::world().rank() == Comm::world().size() - 1) learn();
  wisdom.save(Comm::world());
  EXPECT_EQ(fs::exists(wisdom.file(0)), Comm::world().rank() == 0);
  fftw_forget_wisdom();
  const Wisdom again(folder.path);
  EXPECT_EQ(has_wisdom(), Comm::world().rank() == 0);
}

TEST(Wisdom, BrokenAndForeignFilesAreIgnored) {
  Folder folder;
  const fs::path file = Wisdom(folder.path).file(0);
  const std::string foreign = "(fftw-9.9.9 fftwf_wisdom #x0 #x0 #x0 #x0\n)\n";
  for (const std::string& text : {std::string(), std::string("not wisdom\n"), std::string(100, '('), foreign}) {
    write(file, text);
    Wisdom wisdom(folder.path);
    EXPECT_FALSE(has_wisdom());
    EXPECT_EQ(content(file), text) << "reading writes nothing";
    learn();
    wisdom.save(Comm::self());
    fftw_forget_wisdom();
    const Wisdom again(folder.path);
    EXPECT_TRUE(has_wisdom()) << "a valid file replaces: " << text;
    fftw_forget_wisdom();
  }
}

TEST(Wisdom, AFolderThatCannotBeWrittenIsNoError) {
  Folder folder;
  write(folder.path, "a file where the folder should be");
  Wisdom wisdom(folder.path / "below");
  learn();
  EXPECT_NO_THROW(wisdom.save(Comm::self()));
  EXPECT_FALSE(fs::exists(wisdom.file(0)));
}

TEST(Wisdom, IsForgottenWhereItIsContradicted) {
  Folder folder;
  learn();
  (void)FftwPlan<double>({45, 4, 1, 45, 1, 45}, FftDirection::forward, false, PlanEffort::measure);
  learn();                 // recalled
  const auto lines = [] {  // in whatever order
    char* const exported = fftw_export_wisdom_to_string();
    std::istringstream text(exported);
    std::multiset<std::string> all;
    for (std::string line; std::getline(text, line);) all.insert(line);
    std::free(exported);
    return all;
  };
  const std::multiset<std::string> before = lines();
  EXPECT_FALSE(wisdom_is_contradicted<double>(10, 1e9)) << "the kept plan is good enough";
  const std::multiset<std::string> after = lines();  // and what earlier tests had recalled and forgotten
  EXPECT_TRUE(std::includes(after.begin(), after.end(), before.begin(), before.end()));
  EXPECT_FALSE(wisdom_is_contradicted<double>(-1, 0)) << "no time for a comparison";
  EXPECT_TRUE(wisdom_is_contradicted<double>(10, 0)) << "any new plan is better";
  EXPECT_LT(lines().size(), before.size());
}

TEST(Wisdom, ShortRunsDoNotCheckIt) {
  Folder folder;
  Wisdom wisdom(folder.path);
  learn();
  wisdom.save(Comm::self());
  const std::string written = content(wisdom.file(0));
  wisdom.check(1);
  EXPECT_EQ(content(wisdom.file(0)), written);
}

TEST(Wisdom, FolderFollowsTheEnvironment) {
  const Variable cache("WAVEGRID_CACHE", "/a"), xdg("XDG_CACHE_HOME", "/b"), home("HOME", "/c");
  EXPECT_EQ(wisdom_folder(), "/a");
  const Variable no_cache("WAVEGRID_CACHE", std::nullopt);
  EXPECT_EQ(wisdom_folder(), "/b/wavegrid");
  const Variable no_xdg("XDG_CACHE_HOME", "");
  EXPECT_EQ(wisdom_folder(), "/c/.cache/wavegrid");
}

TEST(Wisdom, WithoutAHomeThereIsNoFile) {
  Folder folder;
  const Variable cache("WAVEGRID_CACHE", std::nullopt), xdg("XDG_CACHE_HOME", std::nullopt), home("HOME", std::nullopt);
  EXPECT_EQ(wisdom_folder(), fs::path());
  fs::create_directories(folder.path);
  const fs::path before = fs::current_path();
  fs::current_path(folder.path);
  Wisdom wisdom;
  learn();
  wisdom.save(Comm::self());
  fs::current_path(before);
  EXPECT_TRUE(fs::is_empty(folder.path));
}

}  // namespace
}  // namespace wavegrid::test_wisdom
