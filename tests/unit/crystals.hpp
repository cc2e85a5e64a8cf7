// Crystals whose symmetry is known.
#pragma once

#include <cmath>

#include <wavegrid/crystal/crystal.hpp>

namespace wavegrid::test_data {

inline Crystal fcc_primitive(double a = 7.65) {
  const double h = a / 2;
  return {Lattice({{{0, h, h}, {h, 0, h}, {h, h, 0}}}), {"Al"}, {{0, {0, 0, 0}}}};
}

inline Lattice cube(double a) { return Lattice({{{a, 0, 0}, {0, a, 0}, {0, 0, a}}}); }

inline Crystal fcc_conventional(double a = 7.65) {
  return {cube(a), {"Al"}, {{0, {0, 0, 0}}, {0, {0, 0.5, 0.5}}, {0, {0.5, 0, 0.5}}, {0, {0.5, 0.5, 0}}}};
}

/// Two atoms with the centre of inversion between them.
inline Crystal diamond_primitive(double a = 10.26) {
  Crystal crystal = fcc_primitive(a);
  crystal.species = {"Si"};
  crystal.atoms.push_back({0, {0.25, 0.25, 0.25}});
  return crystal;
}

inline Crystal diamond_conventional(double a = 10.26) {
  Crystal crystal = fcc_conventional(a);
  crystal.species = {"Si"};
  for (std::size_t i = 0; i < 4; ++i) {
    const Vec3& p = crystal.atoms[i].position;
    crystal.atoms.push_back({0, {p[0] + 0.25, p[1] + 0.25, p[2] + 0.25}});
  }
  return crystal;
}

/// Rows with an angle of 120 degrees.
inline Lattice hexagonal(double a, double c) {
  return Lattice({{{a, 0, 0}, {-a / 2, a * std::sqrt(3.0) / 2, 0}, {0, 0, c}}});
}

inline Crystal graphene() {
  return {hexagonal(4.65, 20), {"C"}, {{0, {1. / 3, 2. / 3, 0.5}}, {0, {2. / 3, 1. / 3, 0.5}}}};
}

inline Crystal hcp() {
  return {hexagonal(6.06, 9.84), {"Mg"}, {{0, {1. / 3, 2. / 3, 0.25}}, {0, {2. / 3, 1. / 3, 0.75}}}};
}

inline Crystal triclinic() {
  return {Lattice({{{6, 0.5, 0}, {0.2, 5.5, 1}, {-0.5, 0, 6.5}}}),
          {"Al", "O"},
          {{0, {0.11, 0.23, 0.31}}, {1, {0.52, 0.61, 0.77}}, {1, {0.83, 0.14, 0.06}}}};
}

}  // namespace wavegrid::test_data
