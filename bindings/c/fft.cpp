// SphereFft for C.
#include <complex>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <wavegrid/fft/sphere_fft.hpp>

#include "call.hpp"
#include "handles.hpp"

using namespace wavegrid;
using namespace wavegrid::c;

namespace {

using Transform = std::variant<SphereFft<double>, SphereFft<float>>;

const char* type_name(int type) {
  static constexpr const char* names[] = {"WAVEGRID_FLOAT", "WAVEGRID_DOUBLE", "WAVEGRID_COMPLEX_FLOAT",
                                          "WAVEGRID_COMPLEX_DOUBLE", "WAVEGRID_INT64"};
  return type >= WAVEGRID_FLOAT && type <= WAVEGRID_INT64 ? names[type] : "none";
}

void require_type(const char* name, int type, int expected) {
  if (type != expected)
    throw bad_input(std::string(name) + " has elements of type " + std::to_string(type) + " (" + type_name(type) +
                    "); this transform's are " + type_name(expected));
}

/// The transport of that name; none for "auto".
std::optional<Transport> transport_or_auto(const std::string& name) {
  if (name == "auto") return std::nullopt;
  return transport_named(name);
}

}  // namespace

struct wavegrid_fft {
  std::shared_ptr<const GSphere> sphere;
  ProcessGrid ranks;
  bool single;  ///< precision
  Transform transform;
  std::string transport, reason;  ///< as last returned

  wavegrid_fft(const Comm& comm, const wavegrid_partition& p, bool in_single, const FftOptions& options)
      : sphere(p.sphere),
        ranks(comm, p.partition().shape.rows, p.partition().shape.columns),
        single(in_single),
        transform(make(p, options)),
        transport(options.transport ? to_string(*options.transport) : "auto"),
        reason(options.transport ? "set by the caller" : "") {}

  [[nodiscard]] int complex_type() const { return single ? WAVEGRID_COMPLEX_FLOAT : WAVEGRID_COMPLEX_DOUBLE; }
  [[nodiscard]] int real_type() const { return single ? WAVEGRID_FLOAT : WAVEGRID_DOUBLE; }
  /// Of grid values.
  [[nodiscard]] int value_type() const { return sphere->mode() == Mode::gamma ? real_type() : complex_type(); }
  [[nodiscard]] const FftLayout& layout() const {
    return std::visit([](const auto& fft) -> const FftLayout& { return fft.layout(); }, transform);
  }
  [[nodiscard]] Index size() const {
    return std::visit([](const auto& fft) { return fft.size(); }, transform);
  }

  /// Checks whether the choice of "auto" has been made.
  void ask_tuner() {
    const bool searching = std::visit([](const auto& fft) { return fft.is_tuning(); }, transform);
    const auto report = std::visit([](const auto& fft) { return fft.tuning(); }, transform);
    if (report && !searching) transport = to_string(report->chosen), reason = report->reason;
  }

 private:
  [[nodiscard]] Transform make(const wavegrid_partition& p, const FftOptions& options) const {
    if (single) return Transform(std::in_place_type<SphereFft<float>>, ranks, p.partition(), *sphere, options);
    return Transform(std::in_place_type<SphereFft<double>>, ranks, p.partition(), *sphere, options);
  }
};

namespace {

/// Fingerprint of the sphere and the partition, which must be the same on all ranks.
Fingerprint fingerprint(const wavegrid_partition& p) {
  Fingerprint print;
  const GSphere& sphere = *p.sphere;
  for (const Vec3& vector : sphere.lattice().vectors()) print.add(std::span<const double>(vector));
  print.add(std::span<const double>(sphere.k())).add(std::span<const int>(sphere.grid())).add(sphere.mode());
  print.add(std::span<const int>(sphere.counts().count));
  for (int stick = 0; stick < sphere.counts().num_sticks(); ++stick) print.add(sphere.first_gx(stick));
  const Partition& partition = p.partition();
  print.add(partition.scheme).add(partition.shape.rows).add(partition.shape.columns);
  return print.add(std::span<const int>(partition.stick_owner)).add(std::span<const int>(partition.plane_row));
}

/// Agrees on the arguments of a transform's run; returns the transform. Collective.
template <class Check>
wavegrid_fft& agreed(const char* function, wavegrid_fft* fft, Index bands, Check check) {
  wavegrid_fft& f = given(fft, "fft");
  agree(f.ranks.all(), function, "numbers of bands", [&] {
    check(f);
    return Fingerprint().add(bands);
  });
  return f;
}

/// A text that the tuner may have changed; null for a null transform.
const char* returned(wavegrid_fft* fft, std::string wavegrid_fft::*text) {
  const char* answer = nullptr;
  (void)guarded([&] {
    given(fft, "fft").ask_tuner();
    answer = (fft->*text).c_str();
  });
  return answer;
}

template <class Real>
using Complex = std::complex<Real>;

}  // namespace

int wavegrid_fft_create(MPI_Comm comm, const wavegrid_partition* partition, int precision, const char* transport,
                        int threads, wavegrid_fft** fft) {
  return guarded([&] {
    clear(fft);
    const Comm ranks = communicator(comm);
    FftOptions options;
    agree(ranks, "wavegrid_fft_create", "spheres, partitions, precisions or transports", [&] {
      require_given(fft, "fft");
      const wavegrid_partition& p = given(partition, "partition");
      if (p.partition().parts != ranks.size())
        throw bad_input("the partition has " + std::to_string(p.partition().parts) + " parts; the communicator has " +
                        std::to_string(ranks.size()) + " ranks");
      if (precision != WAVEGRID_DOUBLE && precision != WAVEGRID_FLOAT)
        throw bad_input("precision is " + std::to_string(precision) + "; valid: WAVEGRID_DOUBLE, WAVEGRID_FLOAT");
      const std::string name = &given(transport, "transport");
      options.transport = transport_or_auto(name);
      if (threads < 1) throw bad_input("threads is " + std::to_string(threads) + "; valid: 1 or more");
      options.threads = threads;
      return fingerprint(p).add(precision).add(std::span<const char>(name));
    });
    *fft = new wavegrid_fft(ranks, *partition, precision == WAVEGRID_FLOAT, options);
  });
}

int wavegrid_fft_create_f(MPI_Fint comm, const wavegrid_partition* partition, int precision, const char* transport,
                          int threads, wavegrid_fft** fft) {
  return wavegrid_fft_create(MPI_Comm_f2c(comm), partition, precision, transport, threads, fft);
}

void wavegrid_fft_destroy(wavegrid_fft** fft) {
  if (!fft) return;
  delete *fft;
  *fft = nullptr;
}

int wavegrid_fft_size(const wavegrid_fft* fft, int64_t* plane_waves, int64_t* grid_points) {
  return guarded([&] {
    const wavegrid_fft& f = given(fft, "fft");
    if (plane_waves) *plane_waves = f.size();
    if (grid_points) *grid_points = f.layout().grid_size();
  });
}

int wavegrid_fft_grid_block(const wavegrid_fft* fft, wavegrid_grid_block* block) {
  return guarded([&] {
    const FftLayout& layout = given(fft, "fft").layout();
    given(block, "block") = {layout.x.begin, layout.x.end, layout.y.begin, layout.y.end, layout.grid[2]};
  });
}

const char* wavegrid_fft_transport(wavegrid_fft* fft) { return returned(fft, &wavegrid_fft::transport); }
const char* wavegrid_fft_transport_reason(wavegrid_fft* fft) { return returned(fft, &wavegrid_fft::reason); }

int wavegrid_fft_to_real(wavegrid_fft* fft, int values_type, const void* psi, int64_t psi_length, void* values,
                         int64_t values_length, int64_t bands) {
  return guarded([&] {
    wavegrid_fft& f = agreed("wavegrid_fft_to_real", fft, bands, [&](const wavegrid_fft& checked) {
      require_type("values", values_type, checked.value_type());
      require_length("psi", psi, psi_length, bands, checked.size());
      require_length("values", values, values_length, bands, checked.layout().grid_size());
    });
    const auto run = [&]<class Real>(SphereFft<Real>& transform) {
      const auto* from = static_cast<const Complex<Real>*>(psi);
      if (transform.layout().mode == Mode::gamma)
        transform.to_real(from, static_cast<Real*>(values), bands);
      else
        transform.to_real(from, static_cast<Complex<Real>*>(values), bands);
    };
    std::visit(run, f.transform);
  });
}

int wavegrid_fft_to_recip(wavegrid_fft* fft, int values_type, const void* values, int64_t values_length, void* psi,
                          int64_t psi_length, int64_t bands) {
  return guarded([&] {
    wavegrid_fft& f = agreed("wavegrid_fft_to_recip", fft, bands, [&](const wavegrid_fft& checked) {
      require_type("values", values_type, checked.value_type());
      require_length("values", values, values_length, bands, checked.layout().grid_size());
      require_length("psi", psi, psi_length, bands, checked.size());
    });
    const auto run = [&]<class Real>(SphereFft<Real>& transform) {
      auto* const to = static_cast<Complex<Real>*>(psi);
      if (transform.layout().mode == Mode::gamma)
        transform.to_recip(static_cast<const Real*>(values), to, bands);
      else
        transform.to_recip(static_cast<const Complex<Real>*>(values), to, bands);
    };
    std::visit(run, f.transform);
  });
}

int wavegrid_fft_apply_local(wavegrid_fft* fft, int psi_type, const void* psi, int64_t psi_length,
                             const void* potential, int64_t potential_length, void* out, int64_t out_length,
                             int64_t bands) {
  return guarded([&] {
    wavegrid_fft& f = agreed("wavegrid_fft_apply_local", fft, bands, [&](const wavegrid_fft& checked) {
      require_type("psi", psi_type, checked.complex_type());
      require_length("psi", psi, psi_length, bands, checked.size());
      require_length("potential", potential, potential_length, 1, checked.layout().grid_size());
      require_length("out", out, out_length, bands, checked.size());
    });
    const auto run = [&]<class Real>(SphereFft<Real>& transform) {
      transform.apply_local(static_cast<const Complex<Real>*>(psi), static_cast<const Real*>(potential),
                            static_cast<Complex<Real>*>(out), bands);
    };
    std::visit(run, f.transform);
  });
}

int wavegrid_fft_accumulate_density(wavegrid_fft* fft, int psi_type, const void* psi, int64_t psi_length,
                                    const double* weights, int64_t weights_length, double* density,
                                    int64_t density_length, int64_t bands) {
  return guarded([&] {
    wavegrid_fft& f = agreed("wavegrid_fft_accumulate_density", fft, bands, [&](const wavegrid_fft& checked) {
      require_type("psi", psi_type, checked.complex_type());
      require_length("psi", psi, psi_length, bands, checked.size());
      require_length("weights", weights, weights_length, bands, 1);
      require_length("density", density, density_length, 1, checked.layout().grid_size());
    });
    const auto run = [&]<class Real>(SphereFft<Real>& transform) {
      const std::span<const double> band_weights(weights, static_cast<std::size_t>(bands));
      transform.accumulate_density(static_cast<const Complex<Real>*>(psi), band_weights, density, bands);
    };
    std::visit(run, f.transform);
  });
}
