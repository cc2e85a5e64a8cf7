// UPF: elements <PP_X ...> numbers </PP_X> of functions on one radial mesh, in Rydberg units:
//
//   PP_LOCAL   V_loc, Ry          PP_BETA    r beta(r)                 PP_DIJ  D_ij; sum |beta_i> D_ij <beta_j| in Ry
//   PP_NLCC    rho_core, 1/bohr^3 PP_PSWFC   atomic orbitals r R(r) with l and occupation
//
// upf_version.hpp has what differs between the versions, upf_dataset.hpp the parts of ultrasoft and PAW datasets.
#include <algorithm>
#include <cmath>
#include <set>

#include <wavegrid/base/printable.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/pseudo/functional_names.hpp>
#include <wavegrid/pseudo/readers.hpp>
#include <wavegrid/pseudo/upf_dataset.hpp>
#include <wavegrid/pseudo/upf_version.hpp>

namespace wavegrid {

void refuse_upf(const TextFile& file, std::size_t line, const std::string& what) {
  file.fail(line, "this is " + what + "; valid are norm-conserving, separable potentials");
}

/// Files converted from semilocal potentials keep their type and have projectors, too.
void require_upf_type(const TextFile& file, UpfHeader& header) {
  const std::string type = lower(header.type);
  const std::size_t line = header.type_line;
  header.ultrasoft = header.ultrasoft || type == "us" || type == "uspp";
  header.paw = header.paw || type == "paw";
  if (header.augmented() || type == "nc" || (type == "sl" && header.num_projectors > 0)) return;
  if (type == "sl") refuse_upf(file, line, "a semilocal pseudopotential without projectors");
  if (type == "1/r") refuse_upf(file, line, "a bare Coulomb potential");
  refuse_upf(file, line, "a pseudopotential of type " + in_quotes(header.type));
}

void require_upf_functional(const TextFile& file, std::size_t line, const std::string& functional) {
  const std::string names = lower(functional);
  for (const char* meta : {"tpss", "scan", "sca0", "m06l", "tb09", "m6l", "mgga", "meta"})
    if (names.find(meta) != std::string::npos)
      refuse_upf(file, line, "a potential for a meta-GGA, " + in_quotes(trimmed(functional)));
}

namespace {

int whole_charge(const TextFile& file, const UpfHeader& header) {
  const double nearest = std::round(header.charge);
  if (!(nearest >= 1.0 && nearest <= 103.0) || std::abs(header.charge - nearest) > 1e-6)
    file.fail(header.line,
              "the valence charge is " + to_text(header.charge) + "; valid are whole numbers of electrons, 1 to 103");
  return static_cast<int>(nearest);
}

/// The mesh; PP_RAB, which is not used, has to be its derivative with respect to the index of the point: a file in
/// which it is not is damaged.
std::vector<double> radial_mesh(const XmlElement& mesh, const UpfHeader& header) {
  std::vector<double> r = mesh.require("PP_R").numbers(header.mesh);
  const auto rab = mesh.find("PP_RAB");
  if (!rab) return r;
  const std::vector<double> slopes = rab->numbers(header.mesh);
  for (std::size_t i = 1; i + 1 < r.size(); ++i)
    if (const double slope = 0.5 * (r[i + 1] - r[i - 1]); !(slopes[i] >= 0.5 * slope && slopes[i] <= 2.0 * slope))
      rab->fail("<PP_RAB> is " + to_text(slopes[i]) + " at point " + std::to_string(i + 1) +
                ", where <PP_R> grows by " + to_text(slope) + " bohr; valid are the differences of <PP_R>");
  return r;
}

/// A file with more projectors than its header says would lose them.
void require_all_projectors(const XmlElement& root, const UpfHeader& header) {
  const auto nonlocal = root.find("PP_NONLOCAL");
  const std::size_t found = nonlocal ? nonlocal->children("PP_BETA") : 0;
  if (found > header.num_projectors)
    nonlocal->fail("<PP_NONLOCAL> has " + std::to_string(found) + " <PP_BETA>, and the header says " +
                   std::to_string(header.num_projectors) + " projectors");
}

std::vector<double> function(const XmlElement& element, const UpfHeader& header, double unit) {
  std::vector<double> y = element.numbers(header.mesh);
  for (double& v : y) v *= unit;
  return y;
}

/// The shares of 1 and of L.S in the projection onto j = l +- 1/2: (l + 1 + 2 L.S) / (2l + 1), (l - 2 L.S) / (2l + 1).
struct MomentumShares {
  double scalar, spin_orbit;
};
MomentumShares momentum_shares(int l, double j) {
  return j > l ? MomentumShares{(l + 1.0) / (2 * l + 1), 2.0 / (2 * l + 1)}
               : MomentumShares{l / (2.0 * l + 1), -2.0 / (2 * l + 1)};
}

/// The projectors and couplings of each l, in the order of the file. `momenta`: j of each projector; empty: none. D_ij
/// couples those of the same l and j, and acts on states of that j.
std::vector<RadialData::Channel> channels(std::vector<UpfProjector> projectors, const std::vector<double>& d,
                                          const std::vector<double>& momenta) {
  std::vector<RadialData::Channel> found;
  std::set<int> all;
  for (const UpfProjector& p : projectors) all.insert(p.l);
  for (const int l : all) {
    RadialData::Channel channel{.l = l};
    for (std::size_t i = 0; i < projectors.size(); ++i)
      for (std::size_t j = 0; j < projectors.size(); ++j) {
        if (projectors[i].l != l || projectors[j].l != l) continue;
        const double coupling = units::rydberg * d[i * projectors.size() + j];
        if (momenta.empty()) {
          channel.h.push_back(coupling);
          continue;
        }
        const bool same = momenta[i] == momenta[j];
        const auto [scalar, spin_orbit] = momentum_shares(l, momenta[i]);
        channel.h.push_back(same ? scalar * coupling : 0.0);
        channel.k.push_back(same && l > 0 ? spin_orbit * coupling : 0.0);
      }
    for (UpfProjector& p : projectors)
      if (p.l == l) channel.r_projectors.push_back(std::move(p.r_beta));
    if (!channel.r_projectors.empty()) found.push_back(std::move(channel));
  }
  return found;
}

/// Throws where j of a projector is not l + 1/2 or l - 1/2.
std::vector<double> total_momenta(const XmlElement& root, const UpfVersion& version, const UpfHeader& header,
                                  const std::vector<UpfProjector>& projectors) {
  std::vector<double> momenta = version.total_momenta(root, header);
  for (std::size_t i = 0; i < momenta.size(); ++i)
    if (std::abs(std::abs(momenta[i] - projectors[i].l) - 0.5) > 1e-6 || momenta[i] < 0)
      root.fail("projector " + std::to_string(i + 1) + " has l = " + std::to_string(projectors[i].l) +
                " and j = " + to_text(momenta[i]) + "; valid is j = l + 1/2, or l - 1/2 above 0");
  for (double& j : momenta) j = 0.5 * std::round(2.0 * j);
  return momenta;
}

std::vector<RadialData::Channel> norm_conserving_channels(const XmlElement& root, const UpfVersion& version,
                                                          const UpfHeader& header) {
  const XmlElement nonlocal = root.require("PP_NONLOCAL");
  std::vector<UpfProjector> projectors;
  for (std::size_t i = 0; i < header.num_projectors; ++i) projectors.push_back(version.projector(nonlocal, i, header));
  std::vector<double> momenta;
  if (header.fully_relativistic) momenta = total_momenta(root, version, header, projectors);
  return channels(std::move(projectors), version.couplings(nonlocal.require("PP_DIJ"), header), momenta);
}

/// Electrons by l.
std::vector<double> occupation(const std::vector<UpfOrbital>& orbitals) {
  std::vector<double> electrons;
  for (const UpfOrbital& orbital : orbitals) {
    const auto l = static_cast<std::size_t>(orbital.l);
    electrons.resize(std::max(electrons.size(), l + 1), 0.0);
    electrons[l] += std::max(orbital.electrons, 0.0);
  }
  return electrons;
}

/// Orbitals of a shell with two j as one: their mean over all 4l + 2 states, as in pw.x.
std::vector<UpfOrbital> means_over_j(std::vector<UpfOrbital> orbitals) {
  std::vector<UpfOrbital> means;
  for (UpfOrbital& one : orbitals) {
    const auto same = std::find_if(means.begin(), means.end(), [&](const UpfOrbital& other) {
      return other.label == one.label && other.l == one.l && other.j > 0 && std::abs(other.j - one.j) == 1;
    });
    if (same == means.end() || one.j == 0) {
      means.push_back(std::move(one));
      continue;
    }
    // Negative electrons mark an unbound orbital.
    const double all = 4 * one.l + 2, share = (2 * one.j + 1) / all;
    for (std::size_t i = 0; i < one.times_r.size(); ++i)
      same->times_r[i] = (1 - share) * same->times_r[i] + share * one.times_r[i];
    if (one.electrons > 0) same->electrons = std::max(same->electrons, 0.0) + one.electrons;
    same->j = 0;
  }
  return means;
}

}  // namespace

bool looks_like_upf(const TextFile& file) {
  return file.text().find("<UPF") != std::string_view::npos ||
         file.text().find("<PP_HEADER") != std::string_view::npos ||
         file.text().find("<PP_INFO") != std::string_view::npos;
}

RadialFile read_upf(const TextFile& file) {
  const XmlDocument document(file);
  const XmlElement root = document.root();
  const UpfVersion& version = document.version() == 1 ? upf_version1() : upf_version2();
  const UpfHeader header = version.header(root);
  RadialFile out{{}, "UPF " + std::to_string(document.version()), upf_functional(header.functional), header.line};
  RadialData& data = out.data;
  data.element = header.element;
  data.charge = whole_charge(file, header);
  data.r = radial_mesh(root.require("PP_MESH"), header);
  data.local = function(root.require("PP_LOCAL"), header, units::rydberg);
  if (header.core) data.core = function(root.require("PP_NLCC"), header, 1.0);
  require_all_projectors(root, header);
  if (header.augmented())
    read_upf_dataset(root, version, header, data);
  else if (header.num_projectors > 0)
    data.channels = norm_conserving_channels(root, version, header);
  if (const auto pswfc = header.num_orbitals > 0 ? root.find("PP_PSWFC") : std::nullopt) {
    std::vector<UpfOrbital> orbitals = version.orbitals(root, *pswfc, header);
    data.occupation = occupation(orbitals);
    if (header.fully_relativistic) orbitals = means_over_j(std::move(orbitals));
    for (UpfOrbital& orbital : orbitals)
      if (orbital.electrons >= 0)
        data.orbitals.push_back(
            {orbital.l, std::move(orbital.times_r), lower(trimmed(orbital.label)), orbital.electrons});
  }
  // Not used; in version 1, which has no end tag of the whole file, only this last section shows that it is complete.
  if (document.version() == 1) (void)root.require("PP_RHOATOM").numbers(header.mesh);
  return out;
}

}  // namespace wavegrid
