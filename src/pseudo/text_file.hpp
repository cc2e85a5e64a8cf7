// A text file in memory, decompressed where it is one of gzip; its readers report errors with the line number.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <wavegrid/base/error.hpp>

namespace wavegrid {

/// A word and its line, counted from 1.
struct Word {
  std::string_view text;
  std::size_t line;
};

/// A finite number as C or Fortran writes it: 1.5, 1.5E-3, 1.5D-3, +1.5, 1.5-103 (an exponent of three digits); none
/// for any other word, of more than 64 characters too.
[[nodiscard]] std::optional<double> parse_real(std::string_view word);
[[nodiscard]] std::optional<int> parse_int(std::string_view word);

/// The error of a file that ends too early.
class CutShort : public Error {
 public:
  using Error::Error;
};

/// Words between blanks, in order.
[[nodiscard]] std::vector<std::string_view> split_words(std::string_view line);

/// Immutable; its words and lines are views that are valid as long as it exists.
class TextFile {
 public:
  /// Throws bad_input for a file that cannot be read, is no regular file, is far larger than any
  /// pseudopotential, or cannot be decompressed.
  explicit TextFile(const std::filesystem::path& file);
  /// A text that is in memory; `file` is its name in messages.
  TextFile(std::filesystem::path file, std::string text);
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  ~TextFile() = default;

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::size_t num_lines() const { return starts_.size(); }
  [[nodiscard]] std::string_view line(std::size_t number) const;  ///< counted from 1; empty beyond the end
  [[nodiscard]] std::size_t line_number(std::size_t offset) const;

  /// The numbers in a part of the text. Throws bad_input at the first word that is no number.
  [[nodiscard]] std::vector<double> numbers(std::size_t begin, std::size_t end) const;

  /// Throws bad_input "file:line: what".
  [[noreturn]] void fail(std::size_t line, const std::string& what) const;
  /// Throws CutShort: the file ends `where`.
  [[noreturn]] void fail_cut_short(const std::string& where) const;

 private:
  std::filesystem::path file_;
  std::string text_;
  std::vector<std::size_t> starts_;  // offsets of lines
};

/// Reads words one after another from a given line on; `comment` starts a comment, '\0': there are none.
class WordReader {
 public:
  WordReader(const TextFile& file, std::size_t first_line, char comment = '\0')
      : file_(&file), line_(first_line), comment_(comment) {}

  /// The next word on this or a later line; fails at the end of the file, naming what is missing.
  Word word(const std::string& what);
  double real(const std::string& what);
  int integer(const std::string& what);
  /// The same; fails unless it is in first..last.
  int integer(const std::string& what, int first, int last);
  /// Fails where the text ends in the line of the last word without a line break: that word may have lost digits.
  void require_complete() const;
  /// Skips the rest of the current line.
  void next_line();
  [[nodiscard]] std::size_t line() const { return line_; }

 private:
  bool fill();

  const TextFile* file_;
  std::size_t line_;
  std::size_t last_line_ = 0;  // of the last word
  char comment_;
  bool loaded_ = false;
  std::size_t next_ = 0;
  std::vector<std::string_view> words_;
};

}  // namespace wavegrid
