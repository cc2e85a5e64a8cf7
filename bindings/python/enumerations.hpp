// The names of the input's enumerations. Each has one table, read in both directions: the library's to_string() where
// it has one, else the one in enumerations.cpp. A Python test compares them with the names that the input model lists.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include <wavegrid/calculation/session.hpp>
#include <wavegrid/pseudo/hubbard_potential.hpp>

/// The enumerator of a name in the input; throws bad_input with `what` and the valid names.
void parse(const std::string& name, const char* what, wavegrid::Eigensolver& value);
void parse(const std::string& name, const char* what, wavegrid::SmearingKind& value);
void parse(const std::string& name, const char* what, wavegrid::PreconditionerKind& value);
void parse(const std::string& name, const char* what, wavegrid::MixingMethod& value);
void parse(const std::string& name, const char* what, wavegrid::ScfMethod& value);
void parse(const std::string& name, const char* what, wavegrid::InitialWavefunctions& value);
void parse(const std::string& name, const char* what, wavegrid::Precision& value);
void parse(const std::string& name, const char* what, wavegrid::ProjectorSpace& value);
void parse(const std::string& name, const char* what, wavegrid::TetrahedronLevels& value);
void parse(const std::string& name, const char* what, wavegrid::WantedPotential& value);
void parse(const std::string& name, const char* what, wavegrid::Gauge& value);
void parse(const std::string& name, const char* what, wavegrid::AugmentationSpace& value);
void parse(const std::string& name, const char* what, wavegrid::ExcitationSpin& value);
void parse(const std::string& name, const char* what, wavegrid::TimeScheme& value);
void parse(const std::string& name, const char* what, wavegrid::Envelope& value);
void parse(const std::string& name, const char* what, wavegrid::Singularity& value);
void parse(const std::string& name, const char* what, wavegrid::HubbardOrbitals& value);

void parse(const std::string& name, const char* what, wavegrid::OrbitalSet& value);
void parse(const std::string& name, const char* what, wavegrid::DensityKernel& value);

template <class E>
[[nodiscard]] E parsed(const std::string& name, const char* what) {
  E value{};
  parse(name, what, value);
  return value;
}

/// The names that the core takes, by key of the input: "eigensolver", "smearing.kind", ...
[[nodiscard]] nanobind::dict enumerations();

/// The defaults of the C++ structures, by key of the input; those of the input model are the same.
[[nodiscard]] nanobind::dict defaults();
