// Text from files, and numbers, made fit for messages.
#pragma once

#include <string>
#include <string_view>

namespace wavegrid {

/// `text` as UTF-8 in one line: every byte that is not part of a valid character, and every control character, becomes
/// \xNN. Text that is already printable does not change.
[[nodiscard]] std::string printable(std::string_view text);

/// 'text' in quotation marks and printable; only the beginning of a long text.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// A number with the digits that it needs, 10 at most: 4, 0.35, 1e+300.
[[nodiscard]] std::string to_text(double x);

}  // namespace wavegrid
