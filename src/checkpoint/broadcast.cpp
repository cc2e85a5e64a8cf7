#include <algorithm>
#include <cstring>

#include <wavegrid/checkpoint/broadcast.hpp>

namespace wavegrid {

namespace {

template <class Bytes>
void broadcast_bytes(const Comm& comm, Bytes& bytes) {
  Index size = static_cast<Index>(bytes.size());
  comm.broadcast(std::span(&size, 1));
  bytes.resize(static_cast<std::size_t>(size));
  for (Index begin = 0; begin < size; begin += max_message)
    MPI_Bcast(bytes.data() + begin, static_cast<int>(std::min(max_message, size - begin)), MPI_BYTE, 0, comm.handle());
}

/// Values packed one after the other into a string of bytes, and unpacked in the same order.
class Message {
 public:
  Message() = default;
  void put(Index value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void put(const void* data, std::size_t size) {
    put(static_cast<Index>(size));
    if (size > 0) bytes_.append(static_cast<const char*>(data), size);
  }
  void put(const std::string& text) { put(text.data(), text.size()); }

  Index number() {
    Index value = 0;
    std::memcpy(&value, bytes_.data() + place_, sizeof value);
    place_ += sizeof value;
    return value;
  }
  std::string text() {
    const auto size = static_cast<std::size_t>(number());
    std::string result = bytes_.substr(place_, size);
    place_ += size;
    return result;
  }
  void send(const Comm& comm) { broadcast_bytes(comm, bytes_); }

 private:
  std::string bytes_;
  std::size_t place_ = 0;
};

}  // namespace

void broadcast(const Comm& comm, std::string& text) { broadcast_bytes(comm, text); }

void broadcast(const Comm& comm, Offsets& offsets) {
  Message message;
  message.put(static_cast<Index>(offsets.size()));
  for (const auto& [name, offset] : offsets) {
    message.put(name);
    message.put(offset);
  }
  message.send(comm);
  offsets.clear();
  for (Index n = message.number(); n > 0; --n) {
    const std::string name = message.text();
    offsets[name] = message.number();
  }
}

void broadcast(const Comm& comm, std::vector<Table>& tables) {
  Message message;
  message.put(static_cast<Index>(tables.size()));
  for (const Table& table : tables) {
    message.put(table.array.name);
    message.put(static_cast<Index>(table.array.type));
    message.put(table.array.text_length);
    message.put(table.array.shape.data(), table.array.shape.size() * sizeof(Index));
    message.put(table.bytes.data(), table.bytes.size());
  }
  message.send(comm);
  tables.clear();
  for (Index n = message.number(); n > 0; --n) {
    Table table;
    table.array.name = message.text();
    table.array.type = static_cast<ElementType>(message.number());
    table.array.text_length = message.number();
    const std::string shape = message.text(), bytes = message.text();
    table.array.shape.resize(shape.size() / sizeof(Index));
    if (!shape.empty()) std::memcpy(table.array.shape.data(), shape.data(), shape.size());
    table.bytes.resize(bytes.size());
    if (!bytes.empty()) std::memcpy(table.bytes.data(), bytes.data(), bytes.size());
    tables.push_back(std::move(table));
  }
}

}  // namespace wavegrid
