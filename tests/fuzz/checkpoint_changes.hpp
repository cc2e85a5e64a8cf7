// Changes in the header of a small valid checkpoint.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/checkpoint/header_file.hpp>

#include "unit/small_checkpoint.hpp"

namespace fuzz {

using namespace wavegrid;
using wavegrid::test_data::small_header;
using wavegrid::test_data::small_tables;
using wavegrid::test_data::small_waves;

inline double odd_double(FuzzedDataProvider& data) {
  using Limits = std::numeric_limits<double>;
  const double odd[] = {Limits::quiet_NaN(),
                        Limits::infinity(),
                        -Limits::infinity(),
                        0.0,
                        -0.0,
                        -1.0,
                        1.0,
                        1e-7,
                        1e-12,
                        Limits::denorm_min(),
                        1e100,
                        -1e100,
                        1e200,
                        Limits::max(),
                        1e9,
                        2147483648.0,
                        0.5,
                        1e-320};
  return data.ConsumeBool() ? data.PickValueInArray(odd) : data.ConsumeFloatingPoint<double>();
}

inline int odd_int(FuzzedDataProvider& data) {
  const int odd[] = {0,
                     1,
                     2,
                     3,
                     -1,
                     4,
                     100,
                     46341,
                     65536,
                     100000,
                     1 << 20,
                     1 << 24,
                     std::numeric_limits<int>::max(),
                     std::numeric_limits<int>::min()};
  return data.ConsumeBool() ? data.PickValueInArray(odd) : data.ConsumeIntegral<int>();
}

/// Another value of one element.
inline void change_value(FuzzedDataProvider& data, Table& table) {
  const auto size = static_cast<std::size_t>(table.array.element_size());
  if (table.bytes.size() < size) return;
  const std::size_t at = size * data.ConsumeIntegralInRange<std::size_t>(0, table.bytes.size() / size - 1);
  if (table.array.type == ElementType::int32) {
    const int value = odd_int(data);
    std::memcpy(table.bytes.data() + at, &value, sizeof value);
  } else if (table.array.type == ElementType::float64) {
    const double value = odd_double(data);
    std::memcpy(table.bytes.data() + at, &value, sizeof value);
  } else {
    data.ConsumeData(table.bytes.data() + at, size);
  }
}

/// Another shape, of at most some thousand elements: the reader of the file ensures that the values exist.
inline void change_shape(FuzzedDataProvider& data, Table& table) {
  const auto rank = data.ConsumeIntegralInRange<std::size_t>(0, 4);
  table.array.shape.resize(rank, 1);
  if (rank > 0)
    table.array.shape[data.ConsumeIntegralInRange<std::size_t>(0, rank - 1)] =
        data.ConsumeIntegralInRange<Index>(0, 12);
  table.bytes.resize(static_cast<std::size_t>(table.array.bytes()));
}

inline void change_type(FuzzedDataProvider& data, Table& table) {
  const ElementType types[] = {ElementType::int32, ElementType::uint64, ElementType::float64, ElementType::text};
  table.array.type = data.PickValueInArray(types);
  table.array.text_length = data.ConsumeIntegralInRange<Index>(1, 40);
  table.bytes.resize(static_cast<std::size_t>(table.array.bytes()));
}

inline void require(bool valid, const std::string& what) {
  if (valid) return;
  std::cerr << "not valid: " << what << '\n';
  std::abort();
}

/// `read` returns, or throws one printable sentence about `file`.
template <class Read>
void expect_clear_end(const std::string& file, Read read) {
  try {
    read();
  } catch (const Error& error) {
    const std::string message = error.what();
    require(error.kind() == ErrorKind::bad_input, "the kind of the error " + message);
    require(message.find(file) != std::string::npos, "an error that does not name the file: " + message);
    require(message == printable(message), message);
  }
}

}  // namespace fuzz
