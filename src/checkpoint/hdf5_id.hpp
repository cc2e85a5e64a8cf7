// Helpers for calls of HDF5: identifiers that are closed automatically, no messages on stderr, the reason of an error.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

namespace wavegrid {

/// An HDF5 identifier, closed by the destructor. Negative: the call that created it has failed.
class Hdf5Id {
 public:
  Hdf5Id(hid_t id, herr_t (*closer)(hid_t)) : id_(id), closer_(closer) {}
  Hdf5Id(Hdf5Id&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}
  Hdf5Id& operator=(Hdf5Id&&) = delete;
  ~Hdf5Id() {
    if (id_ >= 0) closer_(id_);
  }
  [[nodiscard]] operator hid_t() const { return id_; }
  [[nodiscard]] bool valid() const { return id_ >= 0; }
  /// Closes it now; false if that fails.
  [[nodiscard]] bool close() { return closer_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_;
  herr_t (*closer_)(hid_t);
};

/// While an object of this class exists, HDF5 prints no error stacks on stderr.
class Hdf5NoMessages {
 public:
  Hdf5NoMessages() {
    // All identifiers are closed by their destructors; HDF5's own clean-up at the end of the program would print an
    // error after a damaged file (infinite loop in 1.10.8). Without effect if the program has used HDF5 before.
    H5dont_atexit();
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Hdf5NoMessages() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Hdf5NoMessages(const Hdf5NoMessages&) = delete;
  Hdf5NoMessages& operator=(const Hdf5NoMessages&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// The innermost reason of the last failure, such as "truncated file: eof = ...".
[[nodiscard]] inline std::string hdf5_reason() {
  std::string reason = "no reason given";
  const auto first = [](unsigned n, const H5E_error2_t* error, void* text) -> herr_t {
    if (n == 0 && error->desc) *static_cast<std::string*>(text) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first, &reason);
  return reason;
}

}  // namespace wavegrid
