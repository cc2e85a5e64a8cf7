#include <type_traits>

#include <wavegrid/fft/sphere_fft.hpp>

#include "application.hpp"

namespace wavegrid::bench {

namespace {

template <class Real>
class Wavegrid : public Application {
  using Value = std::complex<Real>;
  static constexpr bool is_single = std::is_same_v<Real, float>;

 public:
  Wavegrid(const Comm& comm, const Problem& problem, const Partition& partition)
      : comm_(comm),
        waves_(problem.sphere, partition, comm.rank()),
        fft_(ProcessGrid(comm, partition.shape.rows, partition.shape.columns), partition, problem.sphere,
             {.threads = problem.threads}),
        potential_(as<Real>(potential_on(fft_.layout()))),
        psi_(as<Value>(initial_bands(waves_, problem.bands))),
        out_(psi_.size()) {
    while (fft_.is_tuning()) apply(0, problem.bands);
  }

  const char* name() const override { return is_single ? "wavegrid single" : "wavegrid"; }
  double rounding() const override { return is_single ? 1e-5 : 1e-12; }

  Index apply(Index, Index bands) override {
    fft_.apply_local(psi_.data(), potential_.data(), out_.data(), bands);
    return bands;
  }

  Shadow result(Index band) const override {
    const auto first = out_.begin() + band * waves_.size();
    return shadow_of(comm_, waves_, std::vector<Complex>(first, first + waves_.size()).data());
  }

 private:
  template <class To, class From>
  static std::vector<To> as(const std::vector<From>& values) {
    return {values.begin(), values.end()};
  }

  Comm comm_;
  PlaneWaves waves_;
  SphereFft<Real> fft_;
  std::vector<Real> potential_;   // (my x, my y, nz)
  std::vector<Value> psi_, out_;  // (bands, my plane waves)
};

template <class Real>
std::unique_ptr<Application> make(const Comm& comm, const Problem& problem, Scheme scheme) {
  const Partition partition = make_partition(scheme, problem.sphere.counts(), problem.n(), comm.size());
  return std::make_unique<Wavegrid<Real>>(comm, problem, partition);
}

}  // namespace

std::unique_ptr<Application> make_wavegrid(const Comm& comm, const Problem& problem, Scheme scheme) {
  return make<double>(comm, problem, scheme);
}

std::unique_ptr<Application> make_wavegrid_single(const Comm& comm, const Problem& problem, Scheme scheme) {
  return make<float>(comm, problem, scheme);
}

}  // namespace wavegrid::bench
