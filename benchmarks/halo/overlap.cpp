#include "overlap.hpp"

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/base/random.hpp>

#include "baselines/one_by_one.hpp"

namespace wavegrid::bench {

OverlapTimes measure_overlap(const Mesh& mesh, Transport transport, Index width, int repeats) {
  const Comm& comm = mesh.comm();
  AlignedVector<double> in(static_cast<std::size_t>((mesh.num_points() + mesh.num_ghosts()) * width));
  AlignedVector<double> out(static_cast<std::size_t>(mesh.num_points() * width));
  std::vector<double> values(static_cast<std::size_t>(mesh.num_points()), 0.5);
  for (std::size_t n = 0; n < in.size(); ++n) in[n] = random_at({static_cast<Index>(n)});
  const std::span<const double> potential(values);
  MeshOperator h(mesh, {transport, HaloOverlap::off});
  Index calls = 1;
  const auto sample = [&](const auto& work) {
    comm.barrier();
    const auto start = Clock::now();
    for (Index call = 0; call < calls; ++call) work();
    return comm.max(seconds_since(start)) / static_cast<double>(calls);
  };
  const auto apply = [&] { h.apply(in.data(), out.data(), width, {.scale = -0.5, .potential = potential}); };
  const auto with = [&](HaloOverlap overlap) {
    h.use(overlap);
    return sample(apply);
  };
  apply();
  calls = calls_for(comm, sample(apply), 50);
  std::vector<double> computing, halo, off, polling, thread, one_by_one, hidden;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    computing.push_back(
        sample([&] { h.stencil().laplacian(in.data(), out.data(), width, {.scale = -0.5, .potential = potential}); }));
    halo.push_back(sample([&] { h.halo().fill(in.data(), width); }));
    off.push_back(with(HaloOverlap::off));
    polling.push_back(with(HaloOverlap::polling));
    hidden.push_back(comm.sum(h.hidden_share()) / comm.size());
    thread.push_back(with(HaloOverlap::thread));
    one_by_one.push_back(sample([&] { apply_one_by_one<double>(h, in, out, width, -0.5, potential); }));
  }
  return {median(computing), median(halo),       median(off),   median(polling),
          median(thread),    median(one_by_one), median(hidden)};
}

}  // namespace wavegrid::bench
