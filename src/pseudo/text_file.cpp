#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/pseudo/gunzip.hpp>
#include <wavegrid/pseudo/text_file.hpp>

namespace wavegrid {
namespace {

constexpr std::size_t longest_number = 64;                        // characters
constexpr std::uintmax_t largest_file = std::uintmax_t{1} << 28;  // bytes; real ones have up to a few million

bool is_sign(char c) { return c == '+' || c == '-'; }
bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string contents_of(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (std::filesystem::is_directory(status))
    throw bad_input("the pseudopotential " + file.string() + " is a directory; give one file in it for each element");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw bad_input("the pseudopotential " + file.string() + " is no regular file; give a file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw bad_input("cannot read the pseudopotential file " + file.string());
  if (const auto size = std::filesystem::file_size(file, error); error || size > largest_file)
    throw bad_input("the pseudopotential file " + file.string() + " has " + std::to_string(size) +
                    " bytes; valid are up to " + std::to_string(largest_file));
  std::string contents{std::istreambuf_iterator<char>(stream), {}};
  if (!is_gzip(contents)) return contents;
  std::optional<std::string> text = gunzip(contents, largest_file);
  if (!text)
    throw bad_input("the pseudopotential file " + file.string() +
                    " cannot be decompressed; valid are whole files of gzip, of up to " + std::to_string(largest_file) +
                    " bytes when decompressed");
  return std::move(*text);
}

}  // namespace

std::optional<double> parse_real(std::string_view word) {
  if (word.size() > longest_number) return std::nullopt;
  if (word.size() > 1 && word[0] == '+' && !is_sign(word[1])) word.remove_prefix(1);
  if (word.empty() || word[0] == '+') return std::nullopt;
  // C has the letter e where Fortran has d, or none before three digits
  const std::size_t at = word.find_first_of("eEdD+-", 1);
  std::string number(word.substr(0, at));
  if (at != std::string_view::npos) number.append("e").append(word.substr(is_sign(word[at]) ? at : at + 1));
  double value = 0.0;
  const char* const end = number.data() + number.size();
  const auto [stop, status] = std::from_chars(number.data(), end, value);
  if (stop != end) return std::nullopt;
  if (status == std::errc::result_out_of_range)  // too small, such as 1e-322, is 0; too large is no number
    return number.find("e-") != std::string::npos ? std::optional(0.0) : std::nullopt;
  return status == std::errc{} && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<int> parse_int(std::string_view word) {
  if (word.starts_with('+') && word.size() > 1 && !is_sign(word[1])) word.remove_prefix(1);
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

TextFile::TextFile(const std::filesystem::path& file) : TextFile(file, contents_of(file)) {}

TextFile::TextFile(std::filesystem::path file, std::string text) : file_(std::move(file)), text_(std::move(text)) {
  starts_.push_back(0);
  for (std::size_t i = 0; i + 1 < text_.size(); ++i)
    if (text_[i] == '\n') starts_.push_back(i + 1);
}

std::string_view TextFile::line(std::size_t number) const {
  if (number < 1 || number > starts_.size()) return {};
  const std::size_t begin = starts_[number - 1], end = text_.find('\n', begin);
  return text().substr(begin, end == std::string::npos ? end : end - begin);
}

std::size_t TextFile::line_number(std::size_t offset) const {
  return static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin());
}

std::vector<double> TextFile::numbers(std::size_t begin, std::size_t end) const {
  std::vector<double> values;
  for (const std::string_view word : split_words(text().substr(begin, end - begin))) {
    const auto value = parse_real(word);
    if (!value)
      fail(line_number(static_cast<std::size_t>(word.data() - text_.data())),
           "found " + in_quotes(word) + " where a number is needed");
    values.push_back(*value);
  }
  return values;
}

void TextFile::fail(std::size_t line, const std::string& what) const {
  throw bad_input(file_.string() + ":" + std::to_string(line) + ": " + what);
}

void TextFile::fail_cut_short(const std::string& where) const {
  throw CutShort(ErrorKind::bad_input,
                 file_.string() + ":" + std::to_string(num_lines()) + ": the file ends " + where + "; it is cut short");
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
  if (!fill()) file_->fail_cut_short("where " + what + " is needed");
  last_line_ = line_;
  return {words_[next_++], line_};
}

double WordReader::real(const std::string& what) {
  const Word found = word(what);
  if (const auto value = parse_real(found.text)) return *value;
  file_->fail(found.line, "found " + in_quotes(found.text) + " where " + what + " is needed");
}

int WordReader::integer(const std::string& what) {
  const Word found = word(what);
  if (const auto value = parse_int(found.text)) return *value;
  file_->fail(found.line, "found " + in_quotes(found.text) + " where " + what + " is needed");
}

int WordReader::integer(const std::string& what, int first, int last) {
  const Word found = word(what);
  const auto value = parse_int(found.text);
  if (value && *value >= first && *value <= last) return *value;
  file_->fail(found.line, "found " + in_quotes(found.text) + " for " + what + "; valid are " + std::to_string(first) +
                              " to " + std::to_string(last));
}

void WordReader::require_complete() const {
  if (last_line_ == file_->num_lines() && !file_->text().ends_with('\n'))
    file_->fail_cut_short("without a line break (add one if its last number is complete)");
}

void WordReader::next_line() {
  if (line_ <= file_->num_lines()) ++line_;
  loaded_ = false;
}

}  // namespace wavegrid
