// A file is replaced at once or not at all.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <wavegrid/base/replace_file.hpp>

namespace wavegrid::test_replace_file {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(ReplaceFile, WritesAllOrNothingAndLeavesNoOtherFile) {
  const fs::path folder = fs::temp_directory_path() / "wavegrid_replace_file";
  fs::remove_all(folder);
  fs::create_directories(folder / "taken" / "inner");
  const std::string text(100'000, 'x');
  EXPECT_TRUE(replace_file(folder / "a", "one"));
  EXPECT_TRUE(replace_file(folder / "a", text));
  EXPECT_EQ(content(folder / "a"), text);
  EXPECT_FALSE(replace_file(folder / "missing" / "a", "two"));
  EXPECT_FALSE(replace_file(folder / "taken", "two"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 2);

  fs::create_symlink(folder / "a", folder / "link");
  EXPECT_TRUE(replace_file(folder / "link", "three"));
  EXPECT_FALSE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(content(folder / "a"), text);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace wavegrid::test_replace_file
