// The engine's pieces on communicators of mpi4py and arrays of numpy, which are used where they are: a layer over the C
// interface, which checks arguments on all ranks together and keeps alive what a handle needs.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "c_interface.hpp"

namespace wavegrid::python {

class Sphere {
 public:
  Sphere(const std::array<std::array<double, 3>, 3>& cell, double ecut, const std::optional<std::array<int, 3>>& grid,
         bool gamma, const std::array<double, 3>& k)
      : gamma_(gamma) {
    if (grid)
      grid_ = *grid;
    else
      check(wavegrid_default_grid(cell[0].data(), ecut, grid_.data()));
    check(wavegrid_sphere_create(cell[0].data(), ecut, grid_.data(),
                                 gamma ? WAVEGRID_MODE_GAMMA : WAVEGRID_MODE_COMPLEX, k.data(), handle_.out()));
  }
  [[nodiscard]] std::int64_t size() const {
    std::int64_t size = 0;
    check(wavegrid_sphere_size(handle_.get(), &size));
    return size;
  }
  [[nodiscard]] const std::array<int, 3>& grid() const { return grid_; }
  [[nodiscard]] bool gamma() const { return gamma_; }
  [[nodiscard]] wavegrid_sphere* handle() const { return handle_.get(); }

 private:
  std::array<int, 3> grid_{};
  bool gamma_;
  Owned<wavegrid_sphere, wavegrid_sphere_destroy> handle_;
};

class SpherePartition {
 public:
  SpherePartition(const Sphere& sphere, int parts, const std::string& scheme) : parts_(parts), gamma_(sphere.gamma()) {
    check(wavegrid_partition_create(sphere.handle(), scheme.c_str(), parts, handle_.out()));
  }
  SpherePartition(const Sphere& sphere, int parts, const int* owners, std::int64_t length)
      : parts_(parts), gamma_(sphere.gamma()) {
    check(wavegrid_partition_from_sticks(sphere.handle(), owners, length, parts, handle_.out()));
  }
  [[nodiscard]] std::string scheme() const { return wavegrid_partition_scheme(handle_.get()); }
  [[nodiscard]] std::string reason() const { return wavegrid_partition_reason(handle_.get()); }
  [[nodiscard]] int parts() const { return parts_; }
  [[nodiscard]] bool gamma() const { return gamma_; }
  [[nodiscard]] wavegrid_statistics statistics() const {
    wavegrid_statistics found;
    check(wavegrid_partition_statistics(handle_.get(), &found));
    return found;
  }
  [[nodiscard]] std::int64_t size(int part) const {
    std::int64_t size = 0;
    check(wavegrid_partition_size(handle_.get(), part, &size));
    return size;
  }
  [[nodiscard]] nanobind::object g(int part) const {
    const auto n = static_cast<std::size_t>(size(part));
    std::vector<int> waves(3 * n);
    check(wavegrid_partition_g(handle_.get(), part, waves.data(), static_cast<std::int64_t>(waves.size())));
    return numpy_array(std::move(waves), {n, 3});
  }
  [[nodiscard]] nanobind::object kinetic(int part) const {
    const auto n = static_cast<std::size_t>(size(part));
    std::vector<double> energies(n);
    check(wavegrid_partition_kinetic(handle_.get(), part, energies.data(), static_cast<std::int64_t>(n)));
    return numpy_array(std::move(energies), {n});
  }
  [[nodiscard]] wavegrid_partition* handle() const { return handle_.get(); }

 private:
  int parts_;
  bool gamma_;
  Owned<wavegrid_partition, wavegrid_partition_destroy> handle_;
};

}  // namespace wavegrid::python

/// Add the classes of each file to the module.
void add_layouts(nanobind::module_& m);
void add_plans(nanobind::module_& m);
void add_transforms(nanobind::module_& m);
void add_halos_and_boxes(nanobind::module_& m);
void add_eigenpairs(nanobind::module_& m);
