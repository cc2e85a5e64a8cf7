// All stable headers of wavegrid. What they declare, outside namespaces named detail, changes with the minor version
// only (0.1 to 0.2), and the changelog says how; other installed headers may change with every version.
//
// Thread safety. Functions whose comment says "pure" or "local", and const members, may be called by several threads at
// once, on different objects or for const members on the same one; FFTW's planner is guarded by lock_fftw_planner().
// Collective functions, and constructors and destructors of what has a communicator, are called by one thread of a rank
// at a time, because all ranks must call them in the same order; initialise_mpi() says which thread levels of MPI there
// are. add_transport() is called before other threads use transports.
#pragma once

#include <wavegrid_version.h>

// errors, indices, vectors, units
#include <wavegrid/base/error.hpp>
#include <wavegrid/base/index.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/base/vec3.hpp>

// ranks
#include <wavegrid/mpi/comm.hpp>
#include <wavegrid/mpi/environment.hpp>
#include <wavegrid/mpi/process_grid.hpp>

// exchanges between layouts
#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/exchange/index_list.hpp>
#include <wavegrid/exchange/runs.hpp>
#include <wavegrid/exchange/transport.hpp>

// boxes and halos
#include <wavegrid/boxes/box_exchange.hpp>
#include <wavegrid/mesh/halo.hpp>
#include <wavegrid/mesh/mesh.hpp>

// plane waves, their partition and their transforms
#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/basis/kpoints.hpp>
#include <wavegrid/basis/lattice.hpp>
#include <wavegrid/basis/plane_waves.hpp>
#include <wavegrid/costmodel/choose_partition.hpp>
#include <wavegrid/fft/fftw_plan.hpp>
#include <wavegrid/fft/sphere_fft.hpp>
#include <wavegrid/layout/block_layout.hpp>
#include <wavegrid/layout/partition.hpp>

// eigensolvers
#include <wavegrid/eigen/band_operator.hpp>
#include <wavegrid/eigen/band_solver.hpp>
#include <wavegrid/eigen/converge_bands.hpp>
#include <wavegrid/linalg/bands.hpp>

// exchange and correlation, crystals, whole calculations
#include <wavegrid/calculation/result.hpp>
#include <wavegrid/calculation/session.hpp>
#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/problem/problem.hpp>
#include <wavegrid/xc/xc.hpp>
