#include "problem.hpp"

namespace wavegrid::bench {

namespace {

GSphere basis_of(const Options& options) {
  const int n = options.cube.n;
  return options.box ? GSphere::box(cubic_lattice(), {n, n, n}) : sphere_of(n, options.cube.radius, options.mode);
}

/// The block that the transforms choose by themselves, or round to whole pairs.
Index block_of(const Problem& problem, Index wanted) {
  const PipelineOptions options{.block = wanted, .overlap = false, .effort = PlanEffort::estimate};
  return Pipeline<double>(problem.ranks, problem.choice.partition, problem.sphere, options).capacity();
}

}  // namespace

Problem::Problem(const Comm& comm, const Options& options)
    : sphere(basis_of(options)),
      choice(choose_partition(options.scheme, sphere.counts(), options.cube.n, comm.size())),
      ranks(comm, choice.partition.shape.rows, choice.partition.shape.columns),
      block(block_of(*this, options.block)) {}

}  // namespace wavegrid::bench
