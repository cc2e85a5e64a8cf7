// SphereFft for C.
#include <complex>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <wavegrid/fft/g_list.hpp>
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

/// Checks precision, transport ("auto": none) and threads.
FftOptions options_from(int precision, const char* transport, int threads) {
  if (precision != WAVEGRID_DOUBLE && precision != WAVEGRID_FLOAT)
    throw bad_input("precision is " + std::to_string(precision) + "; valid: WAVEGRID_DOUBLE, WAVEGRID_FLOAT");
  FftOptions options;
  const std::string name = &given(transport, "transport");
  if (name != "auto") options.transport = transport_named(name);
  if (threads < 1) throw bad_input("threads is " + std::to_string(threads) + "; valid: 1 or more");
  options.threads = threads;
  return options;
}

}  // namespace

struct wavegrid_fft {
  std::optional<GList> list;  ///< the caller's G-vectors; none: those of a partition
  Mode mode;
  ProcessGrid ranks;
  bool single;  ///< precision
  Transform transform;
  std::string transport, reason;  ///< as last returned

  wavegrid_fft(const Comm& comm, const GSphere& sphere, const Partition& partition, bool in_single,
               const FftOptions& options)
      : mode(sphere.mode()),
        ranks(comm, partition.shape.rows, partition.shape.columns),
        single(in_single),
        transform(make(sphere, partition, options)),
        transport(options.transport ? to_string(*options.transport) : "auto"),
        reason(options.transport ? "set by the caller" : "") {}

  [[nodiscard]] int complex_type() const { return single ? WAVEGRID_COMPLEX_FLOAT : WAVEGRID_COMPLEX_DOUBLE; }
  [[nodiscard]] int real_type() const { return single ? WAVEGRID_FLOAT : WAVEGRID_DOUBLE; }
  /// Of grid values.
  [[nodiscard]] int value_type() const { return mode == Mode::gamma ? real_type() : complex_type(); }
  [[nodiscard]] const FftLayout& layout() const {
    return std::visit([](const auto& fft) -> const FftLayout& { return fft.layout(); }, transform);
  }
  [[nodiscard]] Index size() const {
    return list ? list->size() : std::visit([](const auto& fft) { return fft.size(); }, transform);
  }

  /// Coefficients in the order of the transform, in `buffer` where the caller's is another one. Collective.
  template <class Complex>
  [[nodiscard]] const Complex* in_sticks(const void* psi, Index bands, std::vector<Complex>& buffer) {
    const auto* const given = static_cast<const Complex*>(psi);
    if (!list) return given;
    buffer.resize(static_cast<std::size_t>(bands * list->stick_size()));
    list->to_sticks(given, buffer.data(), bands);
    return buffer.data();
  }
  /// Calls write(coefficients), and brings what it has written into the caller's order. Collective.
  template <class Complex, class Write>
  void write_in_order(void* psi, Index bands, Write write) {
    auto* const wanted = static_cast<Complex*>(psi);
    if (!list) return write(wanted);
    std::vector<Complex> sticks(static_cast<std::size_t>(bands * list->stick_size()));
    write(sticks.data());
    list->to_list(std::as_const(sticks).data(), wanted, bands);
  }

  /// Checks whether the choice of "auto" has been made.
  void ask_tuner() {
    const bool searching = std::visit([](const auto& fft) { return fft.is_tuning(); }, transform);
    const auto report = std::visit([](const auto& fft) { return fft.tuning(); }, transform);
    if (report && !searching) transport = to_string(report->chosen), reason = report->reason;
  }

 private:
  [[nodiscard]] Transform make(const GSphere& sphere, const Partition& partition, const FftOptions& options) const {
    if (single) return Transform(std::in_place_type<SphereFft<float>>, ranks, partition, sphere, options);
    return Transform(std::in_place_type<SphereFft<double>>, ranks, partition, sphere, options);
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
      options = options_from(precision, transport, threads);
      return fingerprint(p).add(precision).add(std::span<const char>(transport, std::strlen(transport)));
    });
    *fft = new wavegrid_fft(ranks, *partition->sphere, partition->partition(), precision == WAVEGRID_FLOAT, options);
  });
}

int wavegrid_fft_create_f(MPI_Fint comm, const wavegrid_partition* partition, int precision, const char* transport,
                          int threads, wavegrid_fft** fft) {
  return wavegrid_fft_create(MPI_Comm_f2c(comm), partition, precision, transport, threads, fft);
}

int wavegrid_fft_create_from_g(MPI_Comm comm, const int grid[3], int mode, const int* g, int64_t num_g, int precision,
                               const char* transport, int threads, wavegrid_fft** fft) {
  return guarded([&] {
    clear(fft);
    const Comm ranks = communicator(comm);
    FftOptions options;
    std::vector<Int3> mine;
    agree(ranks, "wavegrid_fft_create_from_g", "grids, modes, precisions or transports", [&] {
      require_given(fft, "fft");
      require_given(grid, "grid");
      if (mode != WAVEGRID_MODE_COMPLEX && mode != WAVEGRID_MODE_GAMMA)
        throw bad_input("unknown mode " + std::to_string(mode) + "; valid: WAVEGRID_MODE_COMPLEX, WAVEGRID_MODE_GAMMA");
      if (num_g < 0) throw bad_input("num_g is " + std::to_string(num_g) + "; valid: 0 or more");
      if (num_g > 0) require_given(g, "g");
      for (Index i = 0; i < num_g; ++i) mine.push_back({g[3 * i], g[3 * i + 1], g[3 * i + 2]});
      options = options_from(precision, transport, threads);
      const Fingerprint print = Fingerprint().add(std::span<const int>(grid, 3)).add(mode).add(precision);
      return Fingerprint(print).add(std::span<const char>(transport, std::strlen(transport)));
    });
    GList list(ranks, {grid[0], grid[1], grid[2]}, mode == WAVEGRID_MODE_GAMMA ? Mode::gamma : Mode::complex, mine,
               threads);
    auto made =
        std::make_unique<wavegrid_fft>(ranks, list.sphere(), list.partition(), precision == WAVEGRID_FLOAT, options);
    made->list.emplace(std::move(list));
    *fft = made.release();
  });
}

int wavegrid_fft_create_from_g_f(MPI_Fint comm, const int grid[3], int mode, const int* g, int64_t num_g, int precision,
                                 const char* transport, int threads, wavegrid_fft** fft) {
  return wavegrid_fft_create_from_g(MPI_Comm_f2c(comm), grid, mode, g, num_g, precision, transport, threads, fft);
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
      std::vector<Complex<Real>> buffer;
      const Complex<Real>* const from = f.in_sticks(psi, bands, buffer);
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
      f.write_in_order<Complex<Real>>(psi, bands, [&](Complex<Real>* to) {
        if (transform.layout().mode == Mode::gamma)
          transform.to_recip(static_cast<const Real*>(values), to, bands);
        else
          transform.to_recip(static_cast<const Complex<Real>*>(values), to, bands);
      });
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
      std::vector<Complex<Real>> buffer;
      const Complex<Real>* const from = f.in_sticks(psi, bands, buffer);
      f.write_in_order<Complex<Real>>(out, bands, [&](Complex<Real>* to) {
        transform.apply_local(from, static_cast<const Real*>(potential), to, bands);
      });
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
      std::vector<Complex<Real>> buffer;
      const Complex<Real>* const from = f.in_sticks(psi, bands, buffer);
      transform.accumulate_density(from, band_weights, density, bands);
    };
    std::visit(run, f.transform);
  });
}
