// Small named arrays of a file: the form in which a header is written and read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// Types of numbers in a checkpoint; text has a fixed length, UTF-8, padded with zeros.
enum class ElementType { int32, uint64, float64, text };

/// "int32", "uint64", "float64", "text".
[[nodiscard]] const char* to_string(ElementType type);

/// An array of a file without its values.
struct ArrayShape {
  std::string name;  ///< full path in the file; of an attribute "/group@attribute"
  ElementType type = ElementType::float64;
  std::vector<Index> shape{};  ///< slowest index first; empty: a scalar
  Index text_length = 1;       ///< bytes of one text

  [[nodiscard]] Index element_size() const;
  [[nodiscard]] Index size() const;  ///< elements
  [[nodiscard]] Index bytes() const { return size() * element_size(); }
  [[nodiscard]] bool is_attribute() const { return name.find('@') != std::string::npos; }
};

/// "/group@attribute" as ("/group", "attribute"); without an attribute the second is empty.
[[nodiscard]] std::pair<std::string, std::string> split_attribute(const std::string& name);

/// An array with its values.
struct Table {
  ArrayShape array;
  std::vector<std::byte> bytes;

  [[nodiscard]] std::span<const int> ints() const;
  [[nodiscard]] std::span<const double> doubles() const;
  [[nodiscard]] std::vector<std::string> texts() const;
};

/// A table that the file must contain: its name, type and shape, -1 for any size.
struct TableRequest {
  std::string name;
  ElementType type;
  std::vector<Index> shape{};
};
/// Throws bad_input, naming `file`, unless type and shape are those that are wanted.
void require_shape(const ArrayShape& found, const TableRequest& wanted, const std::string& file);

[[nodiscard]] Table int_table(const std::string& name, std::vector<Index> shape, std::span<const int> values);
[[nodiscard]] Table double_table(const std::string& name, std::vector<Index> shape, std::span<const double> values);
/// `values` may have any lengths, also 0. An empty `shape` has one value.
[[nodiscard]] Table text_table(const std::string& name, std::vector<Index> shape, std::span<const std::string> values);
[[nodiscard]] inline Table int_scalar(const std::string& name, int value) { return int_table(name, {}, {&value, 1}); }
[[nodiscard]] inline Table double_scalar(const std::string& name, double value) {
  return double_table(name, {}, {&value, 1});
}
[[nodiscard]] inline Table text_scalar(const std::string& name, const std::string& value) {
  return text_table(name, {}, {&value, 1});
}

/// XXH3-64 of some bytes.
[[nodiscard]] std::uint64_t checksum(const void* data, Index bytes);

}  // namespace wavegrid
