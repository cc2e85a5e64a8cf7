#include "application.hpp"
#include "fft/sphere_fft.hpp"

namespace wavegrid::bench {

namespace {

class Wavegrid : public Application {
 public:
  Wavegrid(const Comm& comm, const Problem& problem, const Partition& partition)
      : comm_(comm),
        waves_(problem.sphere, partition, comm.rank()),
        fft_(ProcessGrid(comm, partition.shape.rows, partition.shape.columns), partition, problem.sphere,
             {.threads = problem.threads}),
        potential_(potential_on(fft_.layout())),
        psi_(initial_bands(waves_, problem.bands)),
        out_(psi_.size()) {
    while (fft_.is_tuning()) apply(0, problem.bands);
  }

  const char* name() const override { return "wavegrid"; }

  Index apply(Index, Index bands) override {
    fft_.apply_local(psi_.data(), potential_.data(), out_.data(), bands);
    return bands;
  }

  Shadow result(Index band) const override { return shadow_of(comm_, waves_, out_.data() + band * waves_.size()); }

 private:
  Comm comm_;
  PlaneWaves waves_;
  SphereFft<double> fft_;
  std::vector<double> potential_;   // (my x, my y, nz)
  std::vector<Complex> psi_, out_;  // (bands, my plane waves)
};

}  // namespace

std::unique_ptr<Application> make_wavegrid(const Comm& comm, const Problem& problem, Scheme scheme) {
  const Partition partition = make_partition(scheme, problem.sphere.counts(), problem.n(), comm.size());
  return std::make_unique<Wavegrid>(comm, problem, partition);
}

}  // namespace wavegrid::bench
