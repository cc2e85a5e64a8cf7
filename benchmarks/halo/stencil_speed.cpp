#include "stencil_speed.hpp"

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/base/huge_pages.hpp>
#include <wavegrid/base/random.hpp>

namespace wavegrid::bench {

StencilSpeed measure_stencil(const Mesh& mesh, Index width, int repeats) {
  const auto points = static_cast<std::size_t>(mesh.num_points() * width);
  AlignedVector<double> in(static_cast<std::size_t>((mesh.num_points() + mesh.num_ghosts()) * width));
  AlignedVector<double> out(points), a(points), b(points), c(points);
  for (AlignedVector<double>* array : {&in, &out, &a, &b, &c})
    prefer_huge_pages(array->data(), array->size() * sizeof(double));  // as MeshOperator does
  std::vector<double> potential(static_cast<std::size_t>(mesh.num_points()));
  for (std::size_t n = 0; n < in.size(); ++n) in[n] = random_at({static_cast<Index>(n)});
  for (std::size_t n = 0; n < points; ++n) b[n] = c[n] = in[n], a[n] = out[n] = 0;
  for (std::size_t n = 0; n < potential.size(); ++n) potential[n] = in[n];
  Halo(mesh, Transport::pairwise).fill(in.data(), width);
  const Stencil stencil(mesh);
  const auto apply = [&] { stencil.laplacian(in.data(), out.data(), width, {.scale = -0.5, .potential = potential}); };
  const auto triad = [&] {
    for (std::size_t n = 0; n < points; ++n) a[n] = b[n] + 1.5 * c[n];
    asm volatile("" : : "r"(a.data()) : "memory");
  };
  std::vector<double> times, triads;
  const auto sample = [&](const auto& work, std::vector<double>& seconds, Index calls) {
    mesh.comm().barrier();
    const auto start = Clock::now();
    for (Index call = 0; call < calls; ++call) work();
    seconds.push_back(mesh.comm().max(seconds_since(start)) / static_cast<double>(calls));
  };
  const auto start = Clock::now();
  apply();
  triad();
  const Index calls = calls_for(mesh.comm(), seconds_since(start), 100);
  for (int repeat = 0; repeat < repeats; ++repeat) {
    sample(apply, times, calls);
    sample(triad, triads, calls);
  }
  return {median(times), median(triads), mesh.num_all_points() * width};
}

}  // namespace wavegrid::bench
