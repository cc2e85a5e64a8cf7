// Pseudopotential files of other programs (tests/reference/pseudopotentials/README.md), changed in memory.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/pseudo/pseudopotential_file.hpp>

namespace wavegrid::test_data {

inline std::filesystem::path data(const std::string& name) {
  return std::filesystem::path(WAVEGRID_SOURCE_DIR) / "tests/reference/pseudopotentials" / name;
}

/// The text of one of these files, or of that at an absolute path.
inline std::string to_text(const std::string& name) {
  std::ifstream stream(data(name));
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// The message of the error on reading `text`; empty if there is none.
inline std::string complaint(const std::string& text, const PseudopotentialChoice& choice) {
  try {
    (void)read_pseudopotential_file(TextFile("some/file", text), choice);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input) << error.what();
    EXPECT_THAT(error.what(), ::testing::HasSubstr("some/file"));
    EXPECT_EQ(error.what(), printable(error.what()));
    return error.what();
  }
  return "";
}

}  // namespace wavegrid::test_data
