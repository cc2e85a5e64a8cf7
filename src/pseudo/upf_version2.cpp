#include <algorithm>

#include <wavegrid/base/printable.hpp>
#include <wavegrid/pseudo/upf_version.hpp>

namespace wavegrid {
namespace {

/// The points of the mesh. In files of atompaw the header has another number than <PP_MESH> and all arrays.
std::size_t num_mesh_points(const XmlElement& root, const XmlElement& header, bool augmented) {
  const XmlElement mesh = root.require("PP_MESH");
  if (augmented && mesh.has("mesh")) return mesh.count("mesh", most_upf_points);
  return header.count("mesh_size", most_upf_points);
}

/// Text of an attribute; empty without it.
std::string optional_attribute(const XmlElement& element, const std::string& key) {
  return element.has(key) ? element.attribute(key) : std::string();
}

double optional_cutoff(const XmlElement& header, const std::string& key) {
  return header.has(key) ? header.real(key) : 0.0;
}

class Version2 : public UpfVersion {
 public:
  [[nodiscard]] UpfHeader header(const XmlElement& root) const override {
    const XmlElement s = root.require("PP_HEADER");
    if (s.flag("is_coulomb")) refuse_upf(s.file(), s.line(), "a bare Coulomb potential");
    UpfHeader h{.element = s.attribute("element"),
                .type = s.attribute("pseudo_type"),
                .generator = optional_attribute(s, "generated"),
                .ultrasoft = s.flag("is_ultrasoft"),
                .paw = s.flag("is_paw"),
                .fully_relativistic = s.flag("has_so"),
                .line = s.line(),
                .type_line = s.line()};
    h.num_projectors = s.count("number_of_proj", most_upf_projectors);
    require_upf_type(s.file(), h);
    h.functional = s.attribute("functional");
    require_upf_functional(s.file(), s.line(), h.functional);
    h.charge = s.real("z_valence");
    h.core = s.flag("core_correction");
    h.mesh = num_mesh_points(root, s, h.augmented());
    h.num_orbitals = s.count("number_of_wfc", most_upf_orbitals);
    if (h.augmented()) {
      h.wave_cutoff = optional_cutoff(s, "wfc_cutoff");
      h.density_cutoff = optional_cutoff(s, "rho_cutoff");
    }
    return h;
  }

  [[nodiscard]] UpfProjector projector(const XmlElement& nonlocal, std::size_t i,
                                       const UpfHeader& header) const override {
    const XmlElement s = nonlocal.require("PP_BETA." + std::to_string(i + 1));
    UpfProjector p{static_cast<int>(s.count("angular_momentum", largest_upf_l)), s.numbers(header.mesh), header.mesh,
                   optional_attribute(s, "label")};
    const std::size_t last = s.has("cutoff_radius_index") ? s.count("cutoff_radius_index", most_upf_points) : 0;
    if (last > 1) p.num_points = std::min(last, header.mesh);
    if (!header.augmented()) p.r_beta.resize(p.num_points);
    return p;
  }

  [[nodiscard]] std::vector<double> couplings(const XmlElement& dij, const UpfHeader& header) const override {
    return dij.numbers(header.num_projectors * header.num_projectors);
  }

  [[nodiscard]] std::vector<UpfOrbital> orbitals(const XmlElement& root, const XmlElement& pswfc,
                                                 const UpfHeader& header) const override {
    std::vector<UpfOrbital> found;
    for (std::size_t i = 1; i <= header.num_orbitals; ++i)
      if (const auto chi = pswfc.find("PP_CHI." + std::to_string(i)))
        found.push_back({static_cast<int>(chi->count("l", largest_upf_l)), chi->real("occupation"),
                         chi->numbers(header.mesh), optional_attribute(*chi, "label"),
                         header.fully_relativistic ? total_momentum(*chi, root, i) : 0.0});
    return found;
  }

  [[nodiscard]] UpfAugmentation augmentation(const XmlElement& nonlocal, const UpfHeader& header) const override {
    const XmlElement s = nonlocal.require("PP_AUGMENTATION");
    const std::size_t n = header.num_projectors;
    UpfAugmentation out;
    out.integrals = s.require("PP_Q").numbers(n * n);
    out.num_coefficients = s.has("nqf") ? s.count("nqf", most_upf_points) : 0;
    const std::size_t num_l = s.count("nqlc", 2 * largest_upf_l + 1);
    std::vector<double> coefficients;
    if (out.num_coefficients > 0) {
      out.inner_radius = s.require("PP_RINNER").numbers(num_l);
      coefficients = s.require("PP_QFCOEF").numbers(out.num_coefficients * num_l * n * n);
    }
    if (header.paw) read_multipoles(s, n, out);
    if (s.has("cutoff_r_index")) out.cutoff_index = s.count("cutoff_r_index", most_upf_points);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i; j < n; ++j)
        if (header.paw || s.flag("q_with_l"))
          for (std::size_t l = 0; l < num_l; ++l) add(s, i, j, static_cast<int>(l), {}, header, out);
        else
          add(s, i, j, UpfAugmentation::every_l,
              part(coefficients, (i + n * j) * num_l * out.num_coefficients, num_l * out.num_coefficients), header,
              out);
    return out;
  }

  [[nodiscard]] std::vector<double> total_momenta(const XmlElement& root, const UpfHeader& header) const override {
    const XmlElement s = root.require("PP_SPIN_ORB");
    std::vector<double> j;
    for (std::size_t i = 1; i <= header.num_projectors; ++i)
      j.push_back(s.require("PP_RELBETA." + std::to_string(i)).real("jjj"));
    return j;
  }

 private:
  static void read_multipoles(const XmlElement& s, std::size_t n, UpfAugmentation& out) {
    const std::string key = s.has("l_max_aug") ? "l_max_aug" : "lmax_aug";  // atompaw writes the second
    out.multipoles = s.require("PP_MULTIPOLES").numbers(n * n * (s.count(key, 2 * largest_upf_l) + 1));
  }

  /// j of an orbital: in its element, as ld1.x writes it, or in that of spin-orbit terms; 0: in neither.
  static double total_momentum(const XmlElement& chi, const XmlElement& root, std::size_t i) {
    if (chi.has("jchi")) return chi.real("jchi");
    const auto terms = root.find("PP_SPIN_ORB");
    const auto wave = terms ? terms->find("PP_RELWFC." + std::to_string(i)) : std::nullopt;
    return wave && wave->has("jchi") ? wave->real("jchi") : 0.0;
  }

  static std::vector<double> part(const std::vector<double>& values, std::size_t first, std::size_t count) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
    return {begin, begin + static_cast<std::ptrdiff_t>(count)};
  }

  /// Adds a function of a pair, which of one L may be missing: it is 0 then.
  static void add(const XmlElement& s, std::size_t i, std::size_t j, int l, std::vector<double> coefficients,
                  const UpfHeader& header, UpfAugmentation& out) {
    const bool all = l == UpfAugmentation::every_l;
    std::string name = (all ? "PP_QIJ." : "PP_QIJL.") + std::to_string(i + 1) + "." + std::to_string(j + 1);
    if (!all) name += "." + std::to_string(l);
    if (!all && !s.find(name)) return;
    const XmlElement q = s.require(name);
    if (!q.flag("is_null")) out.functions.push_back({i, j, l, q.numbers(header.mesh), std::move(coefficients)});
  }
};

}  // namespace

const UpfVersion& upf_version2() {
  static const Version2 version;
  return version;
}

}  // namespace wavegrid
