#include <xc.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <new>

#include <wavegrid/base/error.hpp>
#include <wavegrid/xc/closed_shell_pbe.hpp>
#include <wavegrid/xc/xc.hpp>
#include <wavegrid/xc/xc_names.hpp>

namespace wavegrid {
namespace {

constexpr const char* examples = "take for example PBE, R2SCAN, LDA_XC_TETER93 or LDA_X+LDA_C_PZ";
constexpr const char* supported = "LDA, GGA and meta-GGA, and hybrids of them";
constexpr const char* hartree_fock = "HF";  ///< exact exchange alone

int functional_id(const std::string& name) {
  if (name.empty())
    throw bad_input("an exchange-correlation name is missing; write for example PBE, LDA_XC_TETER93 or LDA_X+LDA_C_PZ");
  const int id = xc_functional_get_number(name.c_str());
  if (id <= 0 || std::isdigit(static_cast<unsigned char>(name[0])))
    throw bad_input("libxc " + Xc::libxc_version() + " has no functional '" + name + "'; the nearest names are " +
                    nearest_xc_names(name) + " (supported: " + supported + ")");
  return id;
}

bool is_hybrid(const std::string& name, const xc_func_type& functional) {
  if (name.starts_with("HYB_")) return true;  // later versions of libxc have no family of their own for them
  const int family = functional.info->family;
  return family == XC_FAMILY_HYB_LDA || family == XC_FAMILY_HYB_GGA || family == XC_FAMILY_HYB_MGGA;
}

bool is_supported_family(int family) {
  switch (family) {
    case XC_FAMILY_LDA:
    case XC_FAMILY_GGA:
    case XC_FAMILY_MGGA:
    case XC_FAMILY_HYB_LDA:
    case XC_FAMILY_HYB_GGA:
    case XC_FAMILY_HYB_MGGA:
      return true;
    default:
      return false;
  }
}

bool is_meta_gga(const xc_func_type& functional) {
  return functional.info->family == XC_FAMILY_MGGA || functional.info->family == XC_FAMILY_HYB_MGGA;
}
bool is_lda(const xc_func_type& functional) {
  return functional.info->family == XC_FAMILY_LDA || functional.info->family == XC_FAMILY_HYB_LDA;
}

/// Whether it belongs to one range of the interaction, to be combined with exact exchange. libxc marks all such
/// functionals but LYPR by a screening parameter; M11-L has one, too, but is complete.
bool is_one_range(const std::string& name, const xc_func_type& functional) {
  if (is_hybrid(name, functional)) return false;
  return (functional.cam_omega != 0.0 && name != "MGGA_X_M11_L") || name == "GGA_C_LYPR";
}

void check_usable(const std::string& name, const xc_func_type& functional, int dimensions) {
  const auto& info = *functional.info;
  if (!is_supported_family(info.family))
    throw bad_input(name + " is of another family; supported: " + supported + "; " + examples);
  const int needed = (dimensions == 1 ? XC_FLAGS_1D : XC_FLAGS_3D) | XC_FLAGS_HAVE_EXC | XC_FLAGS_HAVE_VXC;
  if ((info.flags & needed) != needed || info.kind == XC_KINETIC)
    throw bad_input(name + " is not an exchange-correlation energy with a potential in " +
                    (dimensions == 1 ? "one dimension; " : "three dimensions; ") + examples);
  if ((info.flags & XC_FLAGS_NEEDS_LAPLACIAN) != 0)
    throw bad_input(name + " needs the Laplacian of the density, which is not supported; " + examples);
  if ((info.flags & XC_FLAGS_VV10) != 0)
    throw bad_input(name + " needs the nonlocal correlation VV10, which is not supported; " + examples);
  if ((info.flags & (XC_FLAGS_HYB_CAMY | XC_FLAGS_HYB_LCY)) != 0)
    throw bad_input(name +
                    " is a hybrid with a Yukawa potential; valid: hybrids whose ranges are separated by erfc, such as "
                    "HSE06 or HYB_GGA_XC_CAM_B3LYP");
  if (is_one_range(name, functional))
    throw bad_input(name + " is the " + (info.kind == XC_CORRELATION ? "correlation" : "exchange") +
                    " of a screened interaction, to be combined with exact exchange; valid: a hybrid that contains "
                    "both, such as HSE06");
}

/// Marks exchange and correlation as `kind` contains them; throws if one was marked before.
void count_once(const std::string& names, int kind, bool& exchange, bool& correlation) {
  const bool x = kind != XC_CORRELATION, c = kind != XC_EXCHANGE;
  if ((x && exchange) || (c && correlation))
    throw bad_input(names + " counts " + (x && exchange ? "exchange" : "correlation") +
                    " twice; give one exchange and one correlation functional, or one that contains both");
  exchange = exchange || x;
  correlation = correlation || c;
}

constexpr std::size_t chunk = 256;  // points; all arrays of a chunk stay in the first-level cache
using PerPoint = std::array<double, chunk>;
using PerSpin = std::array<double, 2 * chunk>;

/// The densities of `points` points, negative ones set to 0, and their sums over spin.
void clip(std::span<const double> rho, std::size_t points, int spins, PerSpin& clipped, PerPoint& n) {
  for (std::size_t i = 0; i < rho.size(); ++i) clipped[i] = std::max(rho[i], 0.0);
  for (std::size_t i = 0; i < points; ++i) n[i] = spins == 1 ? clipped[i] : clipped[2 * i] + clipped[2 * i + 1];
}

void add(std::span<double> sum, const double* values) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
}

/// Densities at the points of a chunk, and the energy per electron and the derivatives of one entry of libxc.
struct Chunk {
  std::size_t count;
  const double *sigma, *tau;
  PerSpin rho, vrho, vtau;
  PerPoint energy;
  std::array<double, 3 * chunk> vsigma;

  void evaluate(const xc_func_type* f, bool derivatives) {
    static constexpr PerSpin no_laplacian{};
    PerSpin unused;
    const double *const n = rho.data(), *const l = no_laplacian.data();
    double *const e = energy.data(), *const vn = vrho.data(), *const vs = vsigma.data(), *const vt = vtau.data();
    switch (f->info->family) {
      case XC_FAMILY_MGGA:
      case XC_FAMILY_HYB_MGGA:
        return derivatives ? xc_mgga_exc_vxc(f, count, n, sigma, l, tau, e, vn, vs, unused.data(), vt)
                           : xc_mgga_exc(f, count, n, sigma, l, tau, e);
      case XC_FAMILY_GGA:
      case XC_FAMILY_HYB_GGA:
        return derivatives ? xc_gga_exc_vxc(f, count, n, sigma, e, vn, vs) : xc_gga_exc(f, count, n, sigma, e);
      default:
        return derivatives ? xc_lda_exc_vxc(f, count, n, e, vn) : xc_lda_exc(f, count, n, e);
    }
  }
};

using Block = std::array<double, pbe_points>;
static_assert(pbe_points == meta_points);

/// Writes what fits; the derivatives may be empty.
void put(const Block& from, std::size_t begin, std::span<double> to) {
  if (!to.empty()) std::copy_n(from.begin(), std::min(pbe_points, to.size() - begin), to.begin() + begin);
}

void evaluate_pbe(double exchange, const Xc::Points& points, const Xc::Values& values) {
  for (std::size_t begin = 0; begin < values.exc.size(); begin += pbe_points) {
    const std::size_t count = std::min(pbe_points, values.exc.size() - begin);
    Block n{}, sigma{}, energy, vrho, vsigma;
    std::copy_n(points.rho.begin() + begin, count, n.begin());
    std::copy_n(points.sigma.begin() + begin, count, sigma.begin());
    closed_shell_pbe(exchange, n.data(), sigma.data(), energy.data(), vrho.data(), vsigma.data());
    put(energy, begin, values.exc);
    put(vrho, begin, values.vrho);
    put(vsigma, begin, values.vsigma);
  }
}

}  // namespace

void Xc::Free::operator()(xc_func_type* functional) const noexcept {
  xc_func_end(functional);
  xc_func_free(functional);
}

std::string Xc::libxc_version() { return xc_version_string(); }

/// Electrons/bohr^3: the least density of a spin channel in a meta-GGA, as in PBE's correlation. Its potential grows as
/// (1 - zeta)^(-1/3) where a channel is empty, and with libxc's own threshold reaches 1e6 Ha where mixing has left a
/// channel negative: the loop does not recover.
constexpr double least_channel = 1e-12;

Xc Xc::parse(std::string_view names, int spins, int dimensions) {
  if (spins != 1 && spins != 2) throw bad_input("a density has 1 or 2 spin components, found " + std::to_string(spins));
  Xc xc(spins);
  bool exchange = false, correlation = false;
  for (const std::string& name : split_xc_names(names)) xc.add_entry(name, dimensions, exchange, correlation);
  xc.closed_shell_pbe_ = xc.is_closed_shell_pair(XC_GGA_X_PBE, XC_GGA_C_PBE) ||
                         (xc.spins_ == 1 && xc.functionals_.size() == 1 && xc.is_pbe0());
  xc.closed_shell_meta_ = xc.find_meta_kernel();
  return xc;
}

void Xc::add_entry(const std::string& name, int dimensions, bool& exchange, bool& correlation) {
  name_ += (name_.empty() ? "" : "+") + name;
  if (name == hartree_fock) {
    count_once(name_, XC_EXCHANGE, exchange, correlation);
    interaction_.full = 1;
    return;
  }
  const int id = functional_id(name);
  xc_func_type* raw = xc_func_alloc();
  if (!raw) throw std::bad_alloc();  // libxc would abort
  if (xc_func_init(raw, id, spins_ == 1 ? XC_UNPOLARIZED : XC_POLARIZED) != 0) {
    xc_func_free(raw);
    throw internal_error("libxc could not set up " + name);
  }
  functionals_.emplace_back(raw);
  if (spins_ == 2 && is_meta_gga(*raw)) xc_func_set_dens_threshold(raw, std::max(raw->dens_threshold, least_channel));
  check_usable(name, *raw, dimensions);
  if (is_hybrid(name, *raw)) interaction_ = {raw->cam_alpha, raw->cam_beta, raw->cam_omega};
  count_once(name_, raw->info->kind, exchange, correlation);
  needs_tau_ = needs_tau_ || is_meta_gga(*raw);
  needs_gradient_ = needs_gradient_ || !is_lda(*raw);
}

void Xc::set_hybrid(const HybridParameters& parameters) {
  if (!parameters.fraction && !parameters.screening) return;
  const auto refuse = [&](const char* what) {
    throw bad_input(std::string("the ") + what + " of exact exchange in " + name_ +
                    " cannot be set; valid: the fraction of PBE0, HSE03 and HSE06, the screening of HSE03 and HSE06");
  };
  if (functionals_.size() != 1 || interaction_.is_none()) refuse(parameters.fraction ? "fraction" : "screening");
  xc_func_type& f = *functionals_.front();
  const auto count = static_cast<std::size_t>(f.info->ext_params.n);
  std::vector<double> values(count, XC_EXT_PARAMS_DEFAULT);
  const auto set = [&](std::initializer_list<std::string_view> known, double value) {
    bool found = false;
    for (std::size_t i = 0; i < count; ++i)
      if (std::find(known.begin(), known.end(), f.info->ext_params.names[i]) != known.end()) {
        values[i] = value;
        found = true;
      }
    return found;
  };
  // What these hybrids call beta is the fraction; others have parameters of this name with another meaning.
  const bool is_hse = f.info->number == XC_HYB_GGA_XC_HSE03 || f.info->number == XC_HYB_GGA_XC_HSE06;
  if (parameters.fraction && !((is_pbe0() || is_hse) && set({"_beta"}, *parameters.fraction))) refuse("fraction");
  if (parameters.screening && !(is_hse && set({"_omega_HF", "_omega_PBE"}, *parameters.screening))) refuse("screening");
  xc_func_set_ext_params(&f, values.data());
  interaction_ = {f.cam_alpha, f.cam_beta, f.cam_omega};
}

void Xc::check_sizes(const Points& points, const Values& values) const {
  const std::size_t n = values.exc.size(), rho = n * static_cast<std::size_t>(spins_);
  const std::size_t sigma = n * static_cast<std::size_t>(num_sigmas()), tau = n * static_cast<std::size_t>(num_taus());
  const bool energy_alone = values.vrho.empty() && values.vsigma.empty() && values.vtau.empty();
  const bool results =
      energy_alone || (values.vrho.size() == rho && values.vsigma.size() == sigma && values.vtau.size() == tau);
  if (points.rho.size() == rho && points.sigma.size() == sigma && points.tau.size() == tau && results) return;
  const auto three = [](std::size_t a, std::size_t b, std::size_t c) {
    return std::to_string(a) + ", " + std::to_string(b) + " and " + std::to_string(c);
  };
  throw internal_error(name_ + " at " + std::to_string(n) + " points takes " + three(rho, sigma, tau) +
                       " densities, products of gradients and kinetic-energy densities; found " +
                       three(points.rho.size(), points.sigma.size(), points.tau.size()) + ", for results of " +
                       three(values.vrho.size(), values.vsigma.size(), values.vtau.size()));
}

bool Xc::is_closed_shell_pair(int exchange, int correlation) const {
  const auto contains = [&](int id) {
    return std::any_of(functionals_.begin(), functionals_.end(), [&](const auto& f) { return f->info->number == id; });
  };
  return spins_ == 1 && functionals_.size() == 2 && contains(exchange) && contains(correlation);
}

bool Xc::is_pbe0() const { return functionals_.front()->info->number == XC_HYB_GGA_XC_PBEH; }

MetaKernel* Xc::find_meta_kernel() const {
  struct Entry {
    int exchange, correlation;
    MetaKernel* kernel;
  };
  static constexpr Entry entries[]{{XC_MGGA_X_R2SCAN, XC_MGGA_C_R2SCAN, closed_shell_r2scan},
                                   {XC_MGGA_X_SCAN, XC_MGGA_C_SCAN, closed_shell_scan},
                                   {XC_MGGA_X_RSCAN, XC_MGGA_C_RSCAN, closed_shell_rscan},
                                   {XC_MGGA_X_TPSS, XC_MGGA_C_TPSS, closed_shell_tpss},
                                   {XC_MGGA_X_REVTPSS, XC_MGGA_C_REVTPSS, closed_shell_revtpss}};
  for (const Entry& entry : entries)
    if (is_closed_shell_pair(entry.exchange, entry.correlation)) return entry.kernel;
  return nullptr;
}

void Xc::evaluate_meta(const Points& points, const Values& values) const {
  for (std::size_t begin = 0; begin < values.exc.size(); begin += meta_points) {
    const std::size_t count = std::min(meta_points, values.exc.size() - begin);
    Block n{}, sigma{}, tau{}, energy, vrho, vsigma, vtau;
    std::copy_n(points.rho.begin() + begin, count, n.begin());
    std::copy_n(points.sigma.begin() + begin, count, sigma.begin());
    std::copy_n(points.tau.begin() + begin, count, tau.begin());
    closed_shell_meta_({n.data(), sigma.data(), tau.data(), energy.data(), vrho.data(), vsigma.data(), vtau.data()});
    put(energy, begin, values.exc);
    put(vrho, begin, values.vrho);
    put(vsigma, begin, values.vsigma);
    put(vtau, begin, values.vtau);
  }
}

void Xc::evaluate(const Points& points, const Values& values) const {
  check_sizes(points, values);
  if (closed_shell_pbe_) return evaluate_pbe(1 - interaction_.full, points, values);
  if (closed_shell_meta_ != nullptr) return evaluate_meta(points, values);
  const auto spins = static_cast<std::size_t>(spins_), sigmas = static_cast<std::size_t>(num_sigmas()),
             taus = static_cast<std::size_t>(num_taus());
  const bool derivatives = !values.vrho.empty();
  Chunk c;
  PerPoint n;
  for (const std::span<double> sum : {values.exc, values.vrho, values.vsigma, values.vtau})
    std::fill(sum.begin(), sum.end(), 0.0);
  for (std::size_t begin = 0; begin < values.exc.size(); begin += chunk) {
    c.count = std::min(chunk, values.exc.size() - begin);
    c.sigma = points.sigma.data() + begin * sigmas;
    c.tau = points.tau.data() + begin * taus;
    clip(points.rho.subspan(begin * spins, c.count * spins), c.count, spins_, c.rho, n);
    for (const auto& functional : functionals_) {
      c.evaluate(functional.get(), derivatives);
      for (std::size_t i = 0; i < c.count; ++i) values.exc[begin + i] += n[i] * c.energy[i];
      if (!derivatives) continue;
      add(values.vrho.subspan(begin * spins, c.count * spins), c.vrho.data());
      if (!is_lda(*functional)) add(values.vsigma.subspan(begin * sigmas, c.count * sigmas), c.vsigma.data());
      if (is_meta_gga(*functional)) add(values.vtau.subspan(begin * taus, c.count * taus), c.vtau.data());
    }
  }
}

}  // namespace wavegrid
