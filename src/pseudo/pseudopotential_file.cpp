#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/pseudo/gth_table.hpp>
#include <wavegrid/pseudo/pseudopotential_file.hpp>
#include <wavegrid/pseudo/readers.hpp>

namespace wavegrid {
namespace {

/// The first line that is neither blank nor a comment reads "functional lda" or "Al q3".
bool looks_like_own_table(const TextFile& file) {
  for (std::size_t n = 1; n <= file.num_lines(); ++n) {
    const std::string_view line = file.line(n);
    const auto words = split_words(line.substr(0, line.find('#')));
    if (words.empty()) continue;
    return words.size() == 2 &&
           (words[0] == "functional" || (words[1].front() == 'q' && parse_int(words[1].substr(1))));
  }
  return false;
}

std::string abinit_format_name(int format) {
  switch (format) {
    case 1:
    case 4:
    case 5:
    case 6:
      return "a semilocal pseudopotential";
    case 2:
      return "a Goedecker-Teter-Hutter potential in the layout of 1996";
    case 7:
      return "a PAW dataset in ABINIT's own format, which lacks the functional's name and energies of the core; take "
             "it as "
             "PAW XML";
    case 17:
      return "the header of a PAW dataset in XML; give the XML file itself";
    default:
      return "a format that is not read here";
  }
}

[[noreturn]] void refuse(const TextFile& file) {
  const std::string_view text = file.text().substr(0, 4096);
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  std::string what = "no pseudopotential of a known format";
  if (file.text().empty()) what = "an empty file";
  if (has("<psml")) what = "a PSML file, which is not read here";
  const std::string suffix = file.file().extension().string();
  if (suffix == ".van" || suffix == ".RRKJ3")
    what = "a file of pw.x from before UPF; upfconv.x of Quantum ESPRESSO converts it";
  file.fail(1, "this is " + what + "; valid are UPF, psp8, GTH of CP2K or ABINIT, PAW XML, and our own tables");
}

void require_choice(const TextFile& file, std::size_t line, const PseudopotentialChoice& choice,
                    const Pseudopotential& potential) {
  if (potential.element() != choice.element)
    file.fail(line, "this is a pseudopotential of " + potential.element() + "; valid is one of " + choice.element);
  if (choice.valence && std::abs(potential.valence_charge() - *choice.valence) > 1e-9)
    file.fail(line, "the potential has " + std::to_string(std::lround(potential.valence_charge())) +
                        " valence electrons; wanted are " + std::to_string(*choice.valence));
}

template <class Potential, class Data>
std::shared_ptr<const Pseudopotential> make(const TextFile& file, std::size_t line, Data data) {
  try {
    return std::make_shared<Potential>(std::move(data));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_input) throw;
    file.fail(line, error.what());
  }
}

bool has_spin_orbit(const RadialData& data) {
  return std::any_of(data.channels.begin(), data.channels.end(),
                     [](const auto& channel) { return !channel.k.empty(); });
}

/// Leaves the couplings h_ij, and the projectors that they couple.
void drop_spin_orbit(RadialData& data) {
  for (RadialData::Channel& channel : data.channels) {
    const std::size_t n = channel.r_projectors.size();
    const auto is_coupled = [&](std::size_t i) {
      return std::any_of(channel.h.begin() + static_cast<std::ptrdiff_t>(i * n),
                         channel.h.begin() + static_cast<std::ptrdiff_t>((i + 1) * n), [](double h) { return h != 0; });
    };
    RadialData::Channel scalar{.l = channel.l, .outer_end = channel.outer_end};
    for (std::size_t i = 0; i < n; ++i) {
      if (!is_coupled(i)) continue;
      scalar.r_projectors.push_back(std::move(channel.r_projectors[i]));
      for (std::size_t j = 0; j < n; ++j)
        if (is_coupled(j)) scalar.h.push_back(channel.h[i * n + j]);
    }
    channel = std::move(scalar);
  }
  std::erase_if(data.channels, [](const auto& channel) { return channel.r_projectors.empty(); });
}

PseudopotentialFile finish(const TextFile& file, RadialFile read, const PseudopotentialChoice& choice) {
  const bool fully_relativistic = has_spin_orbit(read.data);
  if (fully_relativistic && !choice.spin_orbit && !read.data.augmented) drop_spin_orbit(read.data);
  auto potential = make<RadialPotential>(file, read.line, std::move(read.data));
  require_choice(file, read.line, choice, *potential);
  return {std::move(potential), read.format, printable(read.functional), read.line, fully_relativistic};
}

/// Takes the last projector off an upper triangle of couplings, row by row, if it has none: whether it did.
bool drop_last_uncoupled(std::vector<double>& h) {
  std::vector<double> rest;
  std::size_t at = 0;
  for (std::size_t row = h.size() == 6 ? 3 : h.size() == 3 ? 2 : h.size(); row > 0; --row) {  // its length
    rest.insert(rest.end(), h.begin() + static_cast<std::ptrdiff_t>(at),
                h.begin() + static_cast<std::ptrdiff_t>(at + row - 1));
    at += row;
    if (h[at - 1] != 0.0) return false;
  }
  if (h.empty()) return false;
  h = std::move(rest);
  return true;
}

PseudopotentialFile finish(const TextFile& file, GthFile read, const PseudopotentialChoice& choice) {
  std::vector<GthChannel>& channels = read.parameters.channels;
  const bool fully_relativistic =
      std::any_of(channels.begin(), channels.end(), [](const GthChannel& channel) { return !channel.k.empty(); });
  if (fully_relativistic && !choice.spin_orbit) {
    for (GthChannel& channel : channels) {
      channel.k.clear();
      while (drop_last_uncoupled(channel.h)) continue;
    }
    std::erase_if(channels, [](const GthChannel& channel) { return channel.h.empty(); });
  }
  auto potential = make<GthPotential>(file, read.line, std::move(read.parameters));
  require_choice(file, read.line, choice, *potential);
  return {std::move(potential), read.format, printable(read.functional), read.line, fully_relativistic};
}

PseudopotentialFile from_own_table(const TextFile& file, const PseudopotentialChoice& choice) {
  const GthTable table(file);
  const std::string functional = table.functional();
  return {std::make_shared<GthPotential>(table.find(choice.element, choice.valence)), "GTH",
          functional == "lda"   ? "LDA_XC_TETER93"
          : functional == "pbe" ? "GGA_X_PBE+GGA_C_PBE"
                                : printable(functional)};
}

/// What a file that was read is known by. Input, estimates and the calculation itself ask for the same files.
struct FileState {
  std::filesystem::path path;
  std::array<std::int64_t, 7>
      file_identity;  ///< device, inode, size, times of the last change of content and of all else
  std::string element, name;
  std::optional<int> valence;
  bool spin_orbit;

  bool operator==(const FileState&) const = default;
};

constexpr std::size_t most_kept = 32;  // files of one crystal

/// Nothing if the system does not say.
std::optional<FileState> state_of(const std::filesystem::path& path, const PseudopotentialChoice& choice) {
  std::error_code failed;
  const std::filesystem::path whole = std::filesystem::absolute(path, failed);
  struct stat found = {};
  if (failed || stat(whole.c_str(), &found) != 0) return std::nullopt;
  const auto number = [](auto value) { return static_cast<std::int64_t>(value); };
  return FileState{whole,
                   {number(found.st_dev), number(found.st_ino), number(found.st_size), found.st_mtim.tv_sec,
                    found.st_mtim.tv_nsec, found.st_ctim.tv_sec, found.st_ctim.tv_nsec},
                   choice.element,
                   choice.name,
                   choice.valence,
                   choice.spin_orbit};
}

/// The average over j of charges that augment products of waves of two l is none that a spin has.
PseudopotentialFile for_calculations(const std::filesystem::path& path, PseudopotentialFile read, bool spin_orbit) {
  const AugmentedDataset* dataset = read.potential->augmented();
  if (!dataset || !dataset->fully_relativistic || spin_orbit) return read;
  throw bad_input(path.string() + ":" + std::to_string(read.line) + ": this is " + dataset->described() + " of " +
                  read.potential->element() +
                  ", in a calculation without spin-orbit coupling; valid: spin_orbit = true, or a scalar-relativistic "
                  "file");
}

}  // namespace

PseudopotentialFile read_any_pseudopotential_file(const std::filesystem::path& path,
                                                  const PseudopotentialChoice& choice) {
  static std::mutex guard;
  static std::vector<std::pair<FileState, PseudopotentialFile>> latest;
  const std::optional<FileState> state = state_of(path, choice);
  const std::lock_guard lock(guard);
  const auto known = std::find_if(latest.begin(), latest.end(), [&](const auto& one) { return one.first == state; });
  if (known != latest.end()) {
    std::rotate(known, known + 1, latest.end());  // the one asked for last is given up last
    return latest.back().second;
  }
  PseudopotentialFile read = read_any_pseudopotential_file(TextFile(path), choice);
  if (latest.size() == most_kept) latest.erase(latest.begin());
  if (state) latest.emplace_back(*state, read);
  return read;
}

PseudopotentialFile read_any_pseudopotential_file(const TextFile& file, const PseudopotentialChoice& choice) {
  const bool upf = looks_like_upf(file), table = !upf && looks_like_own_table(file);
  const std::optional<int> abinit = upf || table ? std::nullopt : abinit_format(file);
  const bool cp2k = !upf && !table && !abinit && looks_like_cp2k(file);
  if (!choice.name.empty() && !cp2k)
    file.fail(1, "an entry '" + choice.name +
                     "' is requested, but only databases of CP2K have named entries; give the path alone");
  if (upf) return finish(file, read_upf(file), choice);
  if (looks_like_paw_xml(file)) return finish(file, read_paw_xml(file), choice);
  if (table) return from_own_table(file, choice);
  if (cp2k) return finish(file, read_cp2k(file, choice), choice);
  if (!abinit) refuse(file);
  if (*abinit == 8) return finish(file, read_psp8(file), choice);
  if (*abinit == 3 || *abinit == 10) return finish(file, read_abinit_gth(file, *abinit), choice);
  file.fail(3, "pspcod is " + std::to_string(*abinit) + ": this is " + abinit_format_name(*abinit) +
                   "; valid are 8, and 3 or 10 (GTH)");
}

PseudopotentialFile read_pseudopotential_file(const std::filesystem::path& path, const PseudopotentialChoice& choice) {
  return for_calculations(path, read_any_pseudopotential_file(path, choice), choice.spin_orbit);
}

PseudopotentialFile read_pseudopotential_file(const TextFile& file, const PseudopotentialChoice& choice) {
  return for_calculations(file.file(), read_any_pseudopotential_file(file, choice), choice.spin_orbit);
}

std::shared_ptr<const Pseudopotential> read_pseudopotential(const std::filesystem::path& file,
                                                            const std::string& element, std::optional<int> valence,
                                                            const std::string& name, bool spin_orbit) {
  return read_pseudopotential_file(file, {element, valence, name, spin_orbit}).potential;
}

}  // namespace wavegrid
