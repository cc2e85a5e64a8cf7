// Message buffers and windows that the plans of a communicator use in turn.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// Resources of one kind for all users of a communicator: as many as are in use at the same time, each of the size that
/// the largest user on this rank needs. They are freed with the last user.
///
/// A Resource is made by its default constructor and `allocate(comm, bytes)`, which is collective and called once. All
/// ranks add users, take resources, give them back and remove users in the same order, so that all choose the same one.
template <class Resource>
class ResourcePool {
 public:
  /// The pool of `comm`, made if there is none. Local.
  [[nodiscard]] static std::shared_ptr<ResourcePool> of(const Comm& comm) {
    auto& kept = comm.attached<std::weak_ptr<ResourcePool>>();
    std::shared_ptr<ResourcePool> pool = kept.lock();
    if (!pool) kept = pool = std::make_shared<ResourcePool>();
    return pool;
  }

  /// Adds a user that needs `bytes` on this rank. True, on all ranks, if one of them needs more than before.
  /// Collective.
  [[nodiscard]] bool add_user(const Comm& comm, Index bytes) {
    needs_.insert(bytes);
    const bool grows = comm.max(bytes > bytes_ ? 1 : 0) == 1;
    if (grows) renew();
    return grows;
  }
  /// `grew` is the result of add_user(). Resources in use are not changed. Collective.
  void remove_user(Index bytes, bool grew) {
    needs_.erase(needs_.find(bytes));
    if (!grew || needs_.empty()) return;
    renew();
    for (auto& entry : entries_)
      if (!entry->in_use) entry->resource.reset();
  }

  struct Entry {
    std::optional<Resource> resource;
    int generation = -1;
    bool in_use = false;
  };
  /// Takes a free resource and returns its number: `preferred` if that is free. Collective.
  [[nodiscard]] std::size_t take(const Comm& comm, std::optional<std::size_t> preferred) {
    const std::size_t chosen = preferred && !entries_[*preferred]->in_use ? *preferred : first_free();
    Entry& entry = *entries_[chosen];
    if (entry.generation != generation_) {
      entry.resource.reset();  // first free, then allocate: nothing in it is kept
      entry.resource.emplace().allocate(comm, bytes_);
      entry.generation = generation_;
    }
    entry.in_use = true;
    return chosen;
  }
  [[nodiscard]] Entry& entry(std::size_t number) { return *entries_[number]; }

 private:
  std::size_t first_free() {
    const auto is_free = [](const auto& entry) { return !entry->in_use; };
    const auto found = std::find_if(entries_.begin(), entries_.end(), is_free);
    const auto number = static_cast<std::size_t>(found - entries_.begin());
    if (found == entries_.end()) entries_.push_back(std::make_unique<Entry>());
    return number;
  }
  void renew() {
    bytes_ = *needs_.rbegin();
    ++generation_;
  }

  std::multiset<Index> needs_;
  Index bytes_ = 0;
  int generation_ = 0;
  std::vector<std::unique_ptr<Entry>> entries_;
};

/// One user of a pool: from take() to give_back() it has exclusive use of a resource.
template <class Resource>
class PooledResource {
 public:
  /// `bytes` on this rank. Collective, as its destruction is.
  PooledResource(const Comm& comm, Index bytes)
      : comm_(comm), pool_(ResourcePool<Resource>::of(comm)), bytes_(bytes), grew_(pool_->add_user(comm, bytes)) {}
  PooledResource(const PooledResource&) = delete;
  PooledResource& operator=(const PooledResource&) = delete;
  ~PooledResource() { pool_->remove_user(bytes_, grew_); }

  /// True, on all ranks, if the resource is not that of the last take(). Collective.
  bool take() {
    const std::optional<std::size_t> last = number_;
    number_ = pool_->take(comm_, number_);
    entry_ = &pool_->entry(*number_);
    const bool changed = last != number_ || generation_ != entry_->generation;
    generation_ = entry_->generation;
    return changed;
  }
  void give_back() { entry_->in_use = false; }
  /// Valid after take().
  [[nodiscard]] Resource* operator->() const { return &*entry_->resource; }

 private:
  Comm comm_;
  std::shared_ptr<ResourcePool<Resource>> pool_;
  Index bytes_;
  bool grew_;
  std::optional<std::size_t> number_;
  typename ResourcePool<Resource>::Entry* entry_ = nullptr;
  int generation_ = -1;
};

/// Plain memory, aligned to cache lines. Its contents after take() are undefined.
struct PlainMemory {
  void allocate(const Comm&, Index bytes) { data.resize(static_cast<std::size_t>(bytes)); }
  AlignedVector<std::byte> data;
};

}  // namespace wavegrid
