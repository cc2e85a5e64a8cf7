#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include <wavegrid/base/error.hpp>
#include <wavegrid/checkpoint/table.hpp>

namespace wavegrid {

namespace {

static_assert(std::endian::native == std::endian::little, "a checkpoint's bytes are written as they are in memory");

Table table_of(ArrayShape array, const void* data, std::size_t bytes) {
  Table table{std::move(array), std::vector<std::byte>(bytes)};
  if (static_cast<Index>(bytes) != table.array.bytes())
    throw internal_error(table.array.name + ": the values of a table do not fill its shape");
  if (bytes > 0) std::memcpy(table.bytes.data(), data, bytes);
  return table;
}

void require_type(const Table& table, ElementType type) {
  if (table.array.type != type)
    throw internal_error(table.array.name + " is read as " + to_string(type) + ", but is " +
                         to_string(table.array.type));
}

std::string to_text(const std::vector<Index>& shape) {
  std::string text;
  for (const Index n : shape) text += (text.empty() ? "" : ", ") + (n < 0 ? "any" : std::to_string(n));
  return "(" + text + ")";
}

}  // namespace

const char* to_string(ElementType type) {
  switch (type) {
    case ElementType::int32:
      return "int32";
    case ElementType::uint64:
      return "uint64";
    case ElementType::float64:
      return "float64";
    case ElementType::text:
      return "text";
  }
  return "";
}

Index ArrayShape::element_size() const {
  switch (type) {
    case ElementType::int32:
      return 4;
    case ElementType::uint64:
    case ElementType::float64:
      return 8;
    case ElementType::text:
      return text_length;
  }
  return 0;
}

Index ArrayShape::size() const {
  Index product = 1;
  for (const Index n : shape) product *= n;
  return product;
}

std::pair<std::string, std::string> split_attribute(const std::string& name) {
  const auto at = name.find('@');
  if (at == std::string::npos) return {name, ""};
  return {name.substr(0, at), name.substr(at + 1)};
}

std::span<const int> Table::ints() const {
  require_type(*this, ElementType::int32);
  return {reinterpret_cast<const int*>(bytes.data()), bytes.size() / sizeof(int)};
}

std::span<const double> Table::doubles() const {
  require_type(*this, ElementType::float64);
  return {reinterpret_cast<const double*>(bytes.data()), bytes.size() / sizeof(double)};
}

std::vector<std::string> Table::texts() const {
  require_type(*this, ElementType::text);
  std::vector<std::string> result;
  const auto length = static_cast<std::size_t>(array.text_length);
  for (std::size_t i = 0; i < bytes.size(); i += length) {
    const char* text = reinterpret_cast<const char*>(bytes.data()) + i;
    result.emplace_back(text, strnlen(text, length));
  }
  return result;
}

void require_shape(const ArrayShape& found, const TableRequest& wanted, const std::string& file) {
  const std::vector<Index>& shape = wanted.shape;
  bool fits = found.type == wanted.type && found.shape.size() == shape.size();
  for (std::size_t i = 0; fits && i < shape.size(); ++i) fits = shape[i] < 0 || shape[i] == found.shape[i];
  if (!fits)
    throw bad_input("checkpoint " + file + ": " + found.name + " is " + to_string(found.type) + " " +
                    to_text(found.shape) + ", and has to be " + to_string(wanted.type) + " " + to_text(shape));
}

Table int_table(const std::string& name, std::vector<Index> shape, std::span<const int> values) {
  return table_of({name, ElementType::int32, std::move(shape)}, values.data(), values.size_bytes());
}

Table double_table(const std::string& name, std::vector<Index> shape, std::span<const double> values) {
  return table_of({name, ElementType::float64, std::move(shape)}, values.data(), values.size_bytes());
}

Table text_table(const std::string& name, std::vector<Index> shape, std::span<const std::string> values) {
  std::size_t length = 1;  // HDF5 has no texts of length 0
  for (const std::string& text : values) length = std::max(length, text.size());
  std::string padded;
  for (const std::string& text : values) padded += text + std::string(length - text.size(), '\0');
  return table_of({name, ElementType::text, std::move(shape), static_cast<Index>(length)}, padded.data(),
                  padded.size());
}

std::uint64_t checksum(const void* data, Index bytes) { return XXH3_64bits(data, static_cast<std::size_t>(bytes)); }

}  // namespace wavegrid
