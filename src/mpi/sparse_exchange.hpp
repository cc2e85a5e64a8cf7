// Messages to a few partners: no rank knows in advance which ranks will send to it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// What one rank sends to, or has received from, one partner.
template <class T>
struct PartnerItems {
  int partner = 0;
  std::vector<T> items;
  friend bool operator==(const PartnerItems&, const PartnerItems&) = default;
};

/// Sorts items by partner; memory is proportional to the items, not to the ranks.
template <class T>
class ItemsByPartner {
 public:
  /// The growing list of items of one partner; valid until the next call with another partner.
  [[nodiscard]] std::vector<T>& of(int partner) {
    const auto [place, is_new] = place_.try_emplace(partner, lists_.size());
    if (is_new) lists_.push_back({partner, {}});
    return lists_[place->second].items;
  }
  /// The items of each partner, by rising partner; this object is empty afterwards.
  [[nodiscard]] std::vector<PartnerItems<T>> take() {
    std::sort(lists_.begin(), lists_.end(), [](const auto& a, const auto& b) { return a.partner < b.partner; });
    place_.clear();
    return std::exchange(lists_, {});
  }

 private:
  std::unordered_map<int, std::size_t> place_;
  std::vector<PartnerItems<T>> lists_;
};

/// Bytes that go to one partner.
struct OutgoingBytes {
  int partner = 0;
  const std::byte* data = nullptr;
  Index size = 0;  ///< bytes
};

/// The untyped core of sparse_exchange(). `allocate(partner, bytes)` is called for each message that arrives and
/// returns its buffer; messages of one partner arrive in the order in which they were sent, cut into tiles of at most
/// `tile` bytes (tile < 2^31, the same on all ranks). Collective.
void sparse_exchange_bytes(const Comm& comm, const std::vector<OutgoingBytes>& out,
                           const std::function<std::byte*(int partner, Index bytes)>& allocate, Index tile);

/// Sends each list to its partner (this rank included) and returns what has arrived, by rising sender; all that one
/// sender addressed to a rank arrives there as one list, in order. Empty lists are not sent. Collective over `comm`:
/// ranks with nothing to send take part. Throws bad_input on all ranks if a partner is not a rank of `comm`. Cost: the
/// messages themselves and two synchronisations; no array with an entry for each rank.
template <class T>
[[nodiscard]] std::vector<PartnerItems<T>> sparse_exchange(const Comm& comm, const std::vector<PartnerItems<T>>& out) {
  static_assert(std::is_trivially_copyable_v<T>);
  constexpr auto item = static_cast<Index>(sizeof(T));
  std::vector<OutgoingBytes> bytes;
  for (const PartnerItems<T>& message : out)
    bytes.push_back({message.partner, reinterpret_cast<const std::byte*>(message.items.data()),
                     item * static_cast<Index>(message.items.size())});
  ItemsByPartner<T> arrived;
  const auto allocate = [&arrived](int partner, Index size) {
    std::vector<T>& items = arrived.of(partner);
    const std::size_t before = items.size();
    items.resize(before + static_cast<std::size_t>(size / item));
    return reinterpret_cast<std::byte*>(items.data() + before);
  };
  sparse_exchange_bytes(comm, bytes, allocate, std::max<Index>(1, max_message / item) * item);
  return arrived.take();
}

}  // namespace wavegrid
