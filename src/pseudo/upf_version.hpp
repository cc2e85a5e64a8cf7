// The parts of UPF that differ between its versions: version 1 has lines in a fixed order, version 2 has attributes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <wavegrid/pseudo/xml_element.hpp>

namespace wavegrid {

// More than any file has; a number beyond them means that the file is damaged.
inline constexpr std::size_t most_upf_points = 1'000'000, most_upf_projectors = 100, most_upf_orbitals = 100,
                             largest_upf_l = 3;

struct UpfHeader {
  std::string element{}, type{}, functional{}, generator{};
  double charge = 0.0;
  double wave_cutoff = 0.0, density_cutoff = 0.0;  // Ry; 0: none
  bool core = false, ultrasoft = false, paw = false, fully_relativistic = false;
  std::size_t mesh = 0, num_projectors = 0, num_orbitals = 0;
  std::size_t line = 0, type_line = 0;

  [[nodiscard]] bool augmented() const { return ultrasoft || paw; }
};

/// r beta(r) of one projector, up to its cutoff if it is norm-conserving: beyond, the values of old files have no
/// meaning. In ultrasoft and PAW datasets all projectors reach to the largest of the cutoffs, as in pw.x.
struct UpfProjector {
  int l = 0;
  std::vector<double> r_beta{};
  std::size_t num_points = 0;  // up to the cutoff
  std::string label{};
};

/// An atomic orbital; negative electrons mark an unbound one.
struct UpfOrbital {
  int l;
  double electrons;
  std::vector<double> times_r;
  std::string label{};  // as in the file, such as "3D"
  double j = 0;         // of a fully relativistic file
};

/// PP_AUGMENTATION, PP_QIJ in version 1; projectors count from 0.
struct UpfAugmentation {
  static constexpr int every_l = -1;
  /// r^2 Q_ij(r), i <= j, of one L or of all.
  struct Function {
    std::size_t i = 0, j = 0;
    int l = every_l;
    std::vector<double> r2_q{};
    std::vector<double> coefficients{};  // c_k of L = 0, then of L = 1, ...: Q_ij^L = r^L sum_k c_k r^(2k) inside
  };
  std::vector<Function> functions{};
  std::size_t num_coefficients = 0;    // of each L
  std::vector<double> inner_radius{};  // by L, bohr; empty without coefficients
  std::vector<double> integrals{};     // q_ij, row by row
  std::vector<double> multipoles{};    // int r^(L+2) Q_ij^L of PAW: row by row, L after L; or empty
  std::size_t cutoff_index = 0;        // mesh points up to which on-site functions reach; 0: not given
};

class UpfVersion {
 public:
  virtual ~UpfVersion() = default;
  [[nodiscard]] virtual UpfHeader header(const XmlElement& root) const = 0;
  [[nodiscard]] virtual UpfProjector projector(const XmlElement& nonlocal, std::size_t i,
                                               const UpfHeader& header) const = 0;
  /// D_ij, row by row, Ry.
  [[nodiscard]] virtual std::vector<double> couplings(const XmlElement& dij, const UpfHeader& header) const = 0;
  /// Those in PP_PSWFC of a file.
  [[nodiscard]] virtual std::vector<UpfOrbital> orbitals(const XmlElement& root, const XmlElement& pswfc,
                                                         const UpfHeader& header) const = 0;
  [[nodiscard]] virtual UpfAugmentation augmentation(const XmlElement& nonlocal, const UpfHeader& header) const = 0;
  /// j of each projector of a fully relativistic file.
  [[nodiscard]] virtual std::vector<double> total_momenta(const XmlElement& root, const UpfHeader& header) const = 0;
};

[[nodiscard]] const UpfVersion& upf_version1();
[[nodiscard]] const UpfVersion& upf_version2();

/// Refuse, with file and line, what no version of the program reads.
[[noreturn]] void refuse_upf(const TextFile& file, std::size_t line, const std::string& what);
void require_upf_type(const TextFile& file, UpfHeader& header);
void require_upf_functional(const TextFile& file, std::size_t line, const std::string& functional);

}  // namespace wavegrid
