// SpFFT. Its sticks run along z and its real transform halves x, ours run along x and halve z: its (x, y, z) are
// our (z, y, x). Then the half spheres are the same, and so is the order of points inside a rank's planes.
#include <spfft/spfft.hpp>

#include "application.hpp"

namespace wavegrid::bench {

namespace {

/// `n` planes distributed evenly.
Range my_planes(Index n, const Comm& comm) {
  return {n * comm.rank() / comm.size(), n * (comm.rank() + 1) / comm.size()};
}

std::vector<int> triplets(const PlaneWaves& waves) {
  std::vector<int> result;
  for (const Int3& g : waves.g()) result.insert(result.end(), {g[2], g[1], g[0]});
  return result;
}

spfft::Transform make_transform(const Comm& comm, const Problem& problem, const PlaneWaves& waves) {
  const auto type = problem.sphere.mode() == Mode::gamma ? SPFFT_TRANS_R2C : SPFFT_TRANS_C2C;
  const std::vector<int> indices = triplets(waves);
  const int n = problem.n(), size = static_cast<int>(waves.size());
  if (comm.size() == 1)
    return {problem.threads, SPFFT_PU_HOST, type, n, n, n, size, SPFFT_INDEX_TRIPLETS, indices.data()};
  const int planes = static_cast<int>(my_planes(n, comm).size());
  return {problem.threads, comm.handle(), SPFFT_EXCH_DEFAULT,   SPFFT_PU_HOST, type, n, n, n,
          planes,          size,          SPFFT_INDEX_TRIPLETS, indices.data()};
}

class Spfft : public Application {
 public:
  Spfft(const Comm& comm, const Problem& problem, const Partition& partition)
      : comm_(comm),
        threads_(problem.threads),
        real_(problem.sphere.mode() == Mode::gamma),
        waves_(problem.sphere, partition, comm.rank()),
        transform_(make_transform(comm, problem, waves_)),
        potential_(make_potential(problem.n())),
        psi_(initial_bands(waves_, problem.bands)),
        out_(psi_.size()) {}

  const char* name() const override { return "spfft"; }

  Index apply(Index band, Index) override {
    transform_.backward(reinterpret_cast<const double*>(psi_.data() + band * waves_.size()), SPFFT_PU_HOST);
    multiply();
    transform_.forward(SPFFT_PU_HOST, reinterpret_cast<double*>(out_.data() + band * waves_.size()),
                       SPFFT_FULL_SCALING);
    return 1;
  }

  Shadow result(Index band) const override { return shadow_of(comm_, waves_, out_.data() + band * waves_.size()); }

 private:
  std::vector<double> make_potential(int n) const {
    const Range planes = my_planes(n, comm_);
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(planes.size() * n * n));
    for (Index x = planes.begin; x < planes.end; ++x)
      for (Index y = 0; y < n; ++y)
        for (Index z = 0; z < n; ++z) values.push_back(potential_at(x, y, z));
    return values;
  }

  template <class Value>
  void multiply_as(Value* values) const {
    const Index points = static_cast<Index>(potential_.size());
    const double* const potential = potential_.data();
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (Index i = 0; i < points; ++i) values[i] *= potential[i];
  }

  void multiply() {
    double* const space = transform_.space_domain_data(SPFFT_PU_HOST);
    if (real_)
      multiply_as(space);
    else
      multiply_as(reinterpret_cast<Complex*>(space));
  }

  Comm comm_;
  int threads_;
  bool real_;
  PlaneWaves waves_;
  spfft::Transform transform_;
  std::vector<double> potential_;   // (my x, y, z)
  std::vector<Complex> psi_, out_;  // (bands, my plane waves)
};

}  // namespace

std::unique_ptr<Application> make_spfft(const Comm& comm, const Problem& problem) {
  const Partition partition = make_partition(Scheme::greedy, problem.sphere.counts(), problem.n(), comm.size());
  return std::make_unique<Spfft>(comm, problem, partition);
}

const char* spfft_version() { return WAVEGRID_SPFFT_VERSION; }

}  // namespace wavegrid::bench
