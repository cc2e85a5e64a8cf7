// Conversions between Python's dictionaries and the library's values.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <wavegrid/calculation/session.hpp>
#include <wavegrid/pseudo/gth_table.hpp>

/// The problem that a dictionary of the input's settings describes. All keys of wavegrid.job.prepare are required:
/// defaults are in Python's input model only.
[[nodiscard]] wavegrid::Problem problem_from(const nanobind::dict& settings);

/// The crystal of "cell", "species" and "atoms".
[[nodiscard]] wavegrid::Crystal crystal_from(const nanobind::dict& settings);

/// The mesh of "realspace"; none where that is None: plane waves.
[[nodiscard]] std::optional<wavegrid::MeshBasis> mesh_basis_from(const nanobind::dict& settings);

/// Valences of an element in a table; empty if there are none.
[[nodiscard]] std::vector<int> gth_entries(const std::string& file, const std::string& element);

/// Contents of a pseudopotential file for an element: element, valence, format, functional, core_density, projectors
/// and occupation per l, recommended cutoff, error of the atom's energy at `ecut` (Ha). Throws bad_input as
/// read_pseudopotential_file does.
[[nodiscard]] nanobind::dict pseudopotential_info(const std::string& file, const std::string& element,
                                                  std::optional<int> valence, const std::string& name,
                                                  std::optional<double> ecut);

/// The dictionaries for observers and for result.json.
[[nodiscard]] nanobind::dict as_dict(const wavegrid::ScfStep& step, std::chrono::steady_clock::time_point began);
[[nodiscard]] nanobind::dict as_dict(const wavegrid::Activity& activity, std::chrono::steady_clock::time_point began);
[[nodiscard]] nanobind::dict as_dict(const wavegrid::CalculationResult& result, const wavegrid::Problem& problem);
/// A field, as the activity "response".
[[nodiscard]] nanobind::dict as_dict(const wavegrid::FieldResponseStep& step,
                                     std::chrono::steady_clock::time_point began);
/// Adds a response to the result of its ground state.
void add(nanobind::dict& d, const wavegrid::FieldResponseResult& result);
/// A step of `steps`, as the activity "propagation".
[[nodiscard]] nanobind::dict as_dict(const wavegrid::PropagationStep& step, wavegrid::Index steps,
                                     std::chrono::steady_clock::time_point began);
/// Adds a propagation to the result of its ground state: what it saved, and whether a signal stopped it.
void add(nanobind::dict& d, const wavegrid::PropagationResult& result);
[[nodiscard]] nanobind::dict as_dict(const wavegrid::CheckpointReport& report);
/// Levels by spin, k-point and band.
[[nodiscard]] nanobind::dict as_dict(const wavegrid::BandStructure& path, const wavegrid::StateTable& table);
[[nodiscard]] nanobind::dict as_dict(const wavegrid::ProjectorChoice& choice);
