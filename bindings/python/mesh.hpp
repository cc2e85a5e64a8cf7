// Partitions of meshes, for the command `partition` and for benchmarks.
#pragma once

#include <nanobind/nanobind.h>

/// Adds the functions of this file to the module.
void add_mesh_functions(nanobind::module_& m);
