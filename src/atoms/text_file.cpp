#include "atoms/text_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <fstream>
#include <iterator>

#include "base/error.hpp"

namespace wavegrid {
namespace {

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

}  // namespace

std::optional<double> parse_real(std::string_view word) {
  std::array<char, 64> buffer{};
  if (word.empty() || word.size() + 1 >= buffer.size()) return std::nullopt;
  std::size_t size = 0;
  for (std::size_t i = word.front() == '+' ? 1 : 0; i < word.size(); ++i) {
    const bool exponent = word[i] == 'D' || word[i] == 'd' || word[i] == 'E' || word[i] == 'e';
    const bool sign = word[i] == '+' || word[i] == '-';
    if (sign && size > 0 && buffer[size - 1] != 'e') buffer[size++] = 'e';
    if (word[i] == '+' && size > 0) continue;
    buffer[size++] = exponent ? 'e' : word[i];
  }
  double value = 0.0;
  const auto [stop, status] = std::from_chars(buffer.data(), buffer.data() + size, value);
  if (stop != buffer.data() + size) return std::nullopt;
  if (status == std::errc::result_out_of_range) {  // too small, such as 1e-322, is 0; too large is no number
    const bool small = std::string_view(buffer.data(), size).find("e-") != std::string_view::npos;
    return small ? std::optional(0.0) : std::nullopt;
  }
  return status == std::errc{} ? std::optional(value) : std::nullopt;
}

std::optional<int> parse_int(std::string_view word) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  int value = 0;
  const auto [stop, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (status != std::errc{} || stop != word.data() + word.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  for (auto at = line.begin(); at != line.end();) {
    const auto begin = std::find_if_not(at, line.end(), is_blank);
    at = std::find_if(begin, line.end(), is_blank);
    if (begin != at) words.emplace_back(&*begin, static_cast<std::size_t>(at - begin));
  }
  return words;
}

TextFile::TextFile(const std::filesystem::path& file) : file_(file) {
  if (std::filesystem::is_directory(file))
    throw bad_input("the pseudopotential " + file.string() + " is a directory; give one file in it for each element");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw bad_input("cannot read the pseudopotential file " + file.string());
  text_.assign(std::istreambuf_iterator<char>(stream), {});
  starts_.push_back(0);
  for (std::size_t i = 0; i + 1 < text_.size(); ++i)
    if (text_[i] == '\n') starts_.push_back(i + 1);
}

std::string_view TextFile::line(std::size_t number) const {
  if (number < 1 || number > starts_.size()) return {};
  const std::size_t begin = starts_[number - 1], end = text_.find('\n', begin);
  return text().substr(begin, end == std::string::npos ? end : end - begin);
}

std::size_t TextFile::line_of(std::size_t offset) const {
  return static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin());
}

std::vector<double> TextFile::numbers(std::size_t begin, std::size_t end) const {
  std::vector<double> values;
  for (const std::string_view word : split_words(text().substr(begin, end - begin))) {
    const auto value = parse_real(word);
    if (!value)
      fail(line_of(static_cast<std::size_t>(word.data() - text_.data())),
           "found '" + std::string(word) + "' where a number is needed");
    values.push_back(*value);
  }
  return values;
}

void TextFile::fail(std::size_t line, const std::string& what) const {
  throw bad_input(file_.string() + ":" + std::to_string(line) + ": " + what);
}

bool WordReader::fill() {
  for (; line_ <= file_->num_lines(); ++line_, loaded_ = false) {
    if (!loaded_) {
      std::string_view line = file_->line(line_);
      if (comment_ != '\0') line = line.substr(0, line.find(comment_));
      words_ = split_words(line);
      next_ = 0;
      loaded_ = true;
    }
    if (next_ < words_.size()) return true;
  }
  return false;
}

Word WordReader::word(const std::string& what) {
  if (!fill()) file_->fail(file_->num_lines(), "the file ends where " + what + " is needed; it is cut short");
  return {words_[next_++], line_};
}

double WordReader::real(const std::string& what) {
  const Word found = word(what);
  if (const auto value = parse_real(found.text)) return *value;
  file_->fail(found.line, "found '" + std::string(found.text) + "' where " + what + " is needed");
}

int WordReader::integer(const std::string& what) {
  const Word found = word(what);
  if (const auto value = parse_int(found.text)) return *value;
  file_->fail(found.line, "found '" + std::string(found.text) + "' where " + what + " is needed");
}

void WordReader::next_line() {
  if (line_ <= file_->num_lines()) ++line_;
  loaded_ = false;
}

}  // namespace wavegrid
