#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <wavegrid/base/printable.hpp>

namespace wavegrid {
namespace {

constexpr std::size_t longest_quotation = 40;  // bytes

/// The length of the character at the beginning of `text` (not empty) in bytes; 0 if it is not UTF-8 (Unicode, table
/// 3-7: no overlong forms, no surrogates) or is a control character.
std::size_t printable_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80U) return first >= 0x20U && first != 0x7fU ? 1 : 0;
  if (!follows(1)) return 0;
  if (first >= 0xc2U && first <= 0xdfU) return first == 0xc2U && second < 0xa0U ? 0 : 2;
  if ((first & 0xf0U) == 0xe0U) {
    const bool valid = first == 0xe0U ? second >= 0xa0U : first != 0xedU || second < 0xa0U;
    return valid && follows(2) ? 3 : 0;
  }
  if (first >= 0xf0U && first <= 0xf4U) {
    const bool valid = first == 0xf0U ? second >= 0x90U : first != 0xf4U || second < 0x90U;
    return valid && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

std::string escaped(char c) {
  constexpr const char* digits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  return {'\\', 'x', digits[byte >> 4U], digits[byte & 0xfU]};
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = printable_length(text);
    if (length == 0)
      result += escaped(text.front());
    else
      result += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  if (text.size() <= longest_quotation) return "'" + printable(text) + "'";
  std::size_t end = longest_quotation;
  while (end > longest_quotation - 4 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return "'" + printable(text.substr(0, end)) + "...'";
}

std::string to_text(double x) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.10g", x);
  return text.data();
}

}  // namespace wavegrid
