// Broken pseudopotential files: each is refused by one sentence that names the file, the line, what was found and what
// is valid. tests/fuzz looks for the ones that nobody thought of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <wavegrid/atom/pseudo_atom.hpp>
#include <wavegrid/base/error.hpp>
#include <wavegrid/pseudo/gth_potential.hpp>
#include <wavegrid/pseudo/text_file.hpp>

#include "local_xc.hpp"
#include "pseudopotential_texts.hpp"

namespace wavegrid::test_broken_pseudopotentials {
namespace {

using test_data::complaint;
using test_data::data;
using test_data::replaced;
using test_data::to_text;
using ::testing::HasSubstr;

TEST(TextFile, NumbersOfFortran) {
  EXPECT_EQ(parse_real("1.5D-03"), 1.5e-3);
  EXPECT_EQ(parse_real("+1.5E+2"), 150.0);
  EXPECT_EQ(parse_real("-1.25-103"), -1.25e-103);
  EXPECT_NEAR(parse_real("6.936510458481e-320").value(), 0.0, 1e-300);
  EXPECT_EQ(parse_real("1.5e-999"), 0.0);
  EXPECT_FALSE(parse_real("1e999"));
  EXPECT_FALSE(parse_real("1.5x"));
  EXPECT_EQ(parse_real("-.5d0"), -0.5);
  for (const std::string word : {"",      "+",     "-",      "+-1",   "++1", "--1",  "1-",  "1e",        "1d",   "1e+",
                                 "1e--3", "1e3e4", "1.5-+3", "1.2.3", "nan", "-NaN", "inf", "+infinity", "0x10", "1,5"})
    EXPECT_FALSE(parse_real(word)) << word;
  EXPECT_EQ(parse_real("1." + std::string(60, '0')), 1.0);
  for (const char c : {'-', '+', 'e', 'd', '1', '\0'})
    for (const std::size_t size : {2, 60, 63, 64, 65, 66, 100, 100000})
      EXPECT_EQ(parse_real(std::string(size, c)).has_value(), c == '1' && size <= 64) << c << size;
}

TEST(PseudopotentialFile, RefusesByName) {
  const std::string upf = to_text("Al.pz-vbc.UPF"), psp8 = to_text("H.psp8"), cp2k = to_text("GTH_POTENTIALS");
  const auto changed = [&](const std::string& from, const std::string& to) {
    return complaint(replaced(upf, from, to), {.element = "Al"});
  };
  EXPECT_THAT(complaint(upf, {.element = "Si"}), HasSubstr(":22: this is a pseudopotential of Al; valid is one of Si"));
  EXPECT_THAT(complaint(upf, {.element = "Al", .valence = 11}), HasSubstr("3 valence electrons; wanted are 11"));
  EXPECT_THAT(changed("is_ultrasoft=\"false\"", "is_ultrasoft=\"true\""), HasSubstr("has no <PP_AUGMENTATION>"));
  EXPECT_THAT(changed("pseudo_type=\"NC\"", "pseudo_type=\"USPP\""), HasSubstr("has no <PP_AUGMENTATION>"));
  EXPECT_THAT(complaint(replaced(replaced(upf, "pseudo_type=\"NC\"", "pseudo_type=\"SL\""), "number_of_proj=\"2\"",
                                 "number_of_proj=\"0\""),
                        {.element = "Al"}),
              HasSubstr(":22: this is a semilocal pseudopotential without projectors"));
  EXPECT_THAT(changed("is_paw=\"false\"", "is_paw=\"T\""), HasSubstr("has no <PP_AUGMENTATION>"));
  EXPECT_THAT(changed("has_so=\"false\"", "has_so=\".true.\""), HasSubstr("PP_SPIN_ORB"));
  EXPECT_THAT(changed("functional=\" SLA  PZ   NOGX NOGC\"", "functional=\"SLA PW TPSS TPSS\""), HasSubstr("meta-GGA"));
  EXPECT_THAT(changed("z_valence=\"3.0", "z_valence=\"3.4"), HasSubstr("whole numbers of electrons"));
  EXPECT_THAT(changed("z_valence=\"3.0", "z_valence=\"4.0"), HasSubstr("must tend to minus the valence charge"));
  EXPECT_THAT(changed("2.742810312750000e0", "2.7428 1.0"), HasSubstr("<PP_DIJ> of line 278 has 5 numbers; 4 are"));
  EXPECT_THAT(changed("2.742810312750000e0", "2,7428"), HasSubstr(":279: found '2,7428'"));
  EXPECT_THAT(changed("mesh_size=\"171\"", "mesh_size=\"170\""), HasSubstr("<PP_R> of line 51 has 171 numbers; 170"));
  EXPECT_THAT(changed("number_of_proj=\"2\"", "number_of_proj=\"3\""),
              HasSubstr(":187: <PP_NONLOCAL> has no <PP_BETA.3>"));
  EXPECT_THAT(changed("number_of_wfc=\"2\"", "number_of_wfc=2"), HasSubstr(":41: this is not well-formed XML"));
  EXPECT_THAT(changed("<PP_LOCAL", "<PP_LOKAL"),
              HasSubstr(":186: this is not well-formed XML: Start-end tags mismatch"));
  const std::string upf1 = to_text("14-Si.nlcc.UPF");
  EXPECT_THAT(complaint(replaced(upf1, "4    3 ", "4    4 "), {.element = "Si"}),
              HasSubstr(":641: <PP_NONLOCAL> has 3 <PP_BETA>; 4 are needed"));
  EXPECT_THAT(complaint(upf1.substr(0, 12000), {.element = "Si"}),
              HasSubstr(":173: the file ends after the start of <PP_R> in line 32; it is cut short"));
  EXPECT_THAT(complaint(replaced(psp8, "1     1           extension", "4     1           extension"), {.element = "H"}),
              HasSubstr(":6: extension_switch is 4; valid are 0 to 3"));
  EXPECT_THAT(complaint(replaced(psp8, "8   -1012", "6   -1012"), {.element = "H"}), HasSubstr("semilocal"));
  EXPECT_THAT(complaint(replaced(psp8, "8   -1012", "17   -1012"), {.element = "H"}), HasSubstr("PAW"));
  EXPECT_THAT(complaint(cp2k, {.element = "Al"}), HasSubstr("entries match Al; name one after the file: "));
  EXPECT_THAT(complaint(cp2k, {.element = "C"}), HasSubstr("no entry for C"));
  EXPECT_THAT(complaint(cp2k, {.element = "Al", .valence = {}, .name = "GTH-PPE"}),
              HasSubstr("no Al GTH-PPE here; valid:"));
  EXPECT_THAT(complaint("Al GTH-NLCC-PBE-q3\n 2 1\n 0.35 1 -1.2\n NLCC 1\n 0.48 1 26.6\n 0\n", {.element = "Al"}),
              HasSubstr(":4: Al GTH-NLCC-PBE-q3 has a Gaussian core density"));
  EXPECT_THAT(complaint("", {.element = "Al"}), HasSubstr(":1: this is an empty file"));
  EXPECT_THAT(complaint("<?xml?>\n<paw_dataset>\n", {.element = "Al"}),
              HasSubstr("the file ends after the start of <paw_dataset>"));
  EXPECT_THAT(complaint("hello\nworld\n", {.element = "Al"}), HasSubstr("no pseudopotential of a known format"));
  EXPECT_THAT(complaint(upf, {.element = "Al", .valence = {}, .name = "GTH-PBE"}), HasSubstr("give the path alone"));
  try {
    (void)read_pseudopotential(data(""), "Al");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("is a directory; give one file"));
  }
  EXPECT_THROW((void)read_pseudopotential(data("none"), "Al"), Error);
}

TEST(BrokenPseudopotentials, CountsBeyondTheFile) {
  const std::string psp8 = to_text("H.psp8"), upf = to_text("Al.pz-vbc.UPF"), upf1 = to_text("14-Si.nlcc.UPF");
  for (const std::string number : {"-1", "33", "46341", "65536", "100000", "2000000000", "3000000000", "1e9"})
    EXPECT_THAT(complaint(replaced(psp8, "2     1     0     0     0    nproj", number + " 1 0 0 0"), {.element = "H"}),
                HasSubstr(":5: found '" + number + "' for nproj of l = 0; valid are 0 to 32"));
  for (const std::string number : {"-1", "0", "20000", "2147483647"})
    EXPECT_THAT(complaint(replaced(psp8, "4   300     0", "4   " + number + "     0"), {.element = "H"}),
                HasSubstr(":3: mmax is " + number + ", and the file has "));
  EXPECT_THAT(complaint(replaced(psp8, "8   -1012   1", "8   -1012   9"), {.element = "H"}),
              HasSubstr(":3: found '9' for lmax; valid are 0 to 4"));
  for (const std::string charge : {"1e300", "-1", "0", "2", "1.5"})
    EXPECT_THAT(complaint(replaced(psp8, "1.0000      1.0000", "1.0000      " + charge), {.element = "H"}),
                HasSubstr(":2: zion is "));
  const auto changed = [&](const std::string& from, const std::string& to) {
    return complaint(replaced(upf, from, to), {.element = "Al"});
  };
  EXPECT_THAT(changed("z_valence=\"3.0", "z_valence=\"3e200\" z=\""),
              HasSubstr("valid are whole numbers of electrons"));
  EXPECT_THAT(changed("mesh_size=\"171\"", "mesh_size=\"0\""), HasSubstr("<PP_R> of line 51 has 171 numbers; 0 are"));
  EXPECT_THAT(changed("mesh_size=\"171\"", "mesh_size=\"1e18\""), HasSubstr("from 0 to 1000000"));
  EXPECT_THAT(changed("mesh_size=\"171\"", "mesh_size=\"1e300\""), HasSubstr("is 1e+300; valid"));
  EXPECT_THAT(changed("<PP_R>", "<PP_R size=\"170\">"), HasSubstr("171 numbers; 170 are needed by its attribute size"));
  EXPECT_THAT(changed("number_of_proj=\"2\"", "number_of_proj=\"1000000\""), HasSubstr("from 0 to 100"));
  for (const std::string few : {"0", "1"})
    EXPECT_THAT(changed("number_of_proj=\"2\"", "number_of_proj=\"" + few + "\""),
                HasSubstr(":187: <PP_NONLOCAL> has 2 <PP_BETA>, and the header says " + few + " projectors"));
  for (const std::string l : {"4", "10", "-1", "1e9"})
    EXPECT_THAT(changed("angular_momentum=\"0\"", "angular_momentum=\"" + l + "\""),
                HasSubstr(":188: angular_momentum is "));
  EXPECT_THAT(complaint(replaced(upf1, "4    3 ", "4    2 "), {.element = "Si"}), HasSubstr("says 2 projectors"));
  EXPECT_THAT(
      complaint(replaced(upf1, "    1    0             Beta", "    1   10             Beta"), {.element = "Si"}),
      HasSubstr("found '10' for l of the projector; valid are 0 to 3"));
  const std::string hgh = to_text("14si.4.hgh");
  for (const std::string lmax : {"-1", "4"})
    EXPECT_THAT(complaint(replaced(hgh, " 3 1   1 0", " 3 1   " + lmax + " 0"), {.element = "Si"}),
                HasSubstr(":3: found '" + lmax + "' for lmax; valid are 0 to 3"));
}

/// The text with the numbers between the end of the start tag `from` and the next tag replaced by `change` of each.
std::string with_numbers(const std::string& text, const std::string& from,
                         const std::function<double(double)>& change) {
  const auto begin = text.find('>', text.find(from)) + 1, end = text.find('<', begin);
  std::ostringstream numbers;
  numbers.precision(16);
  for (const std::string_view word : split_words(std::string_view(text).substr(begin, end - begin)))
    numbers << change(parse_real(word).value()) << '\n';
  return text.substr(0, begin) + "\n" + numbers.str() + text.substr(end);
}

TEST(BrokenPseudopotentials, NumbersThatMakeNoSense) {
  const std::string upf = to_text("Al.pz-vbc.UPF"), psp8 = to_text("H.psp8");
  const auto scaled = [&](const std::string& section, double factor) {
    return complaint(with_numbers(upf, section, [=](double x) { return factor * x; }), {.element = "Al"});
  };
  EXPECT_EQ(scaled("<PP_RAB", 1.0), "");
  for (const double factor : {-100000.0, 1e100, 0.0, 3.0})
    EXPECT_THAT(scaled("<PP_RAB", factor), HasSubstr("valid are the differences of <PP_R>")) << factor;
  for (const std::string section : {"<PP_BETA.1", "<PP_DIJ"})
    for (const double factor : {1e10, -1e10}) EXPECT_NE(scaled(section, factor), "") << section;
  EXPECT_THAT(scaled("<PP_DIJ", 1e8), HasSubstr("projector 1 of l = 0 has a strength of 198265573"));
  for (const std::string l : {"1", "2", "3"})
    EXPECT_THAT(complaint(replaced(upf, "angular_momentum=\"0\"", "angular_momentum=\"" + l + "\""), {.element = "Al"}),
                HasSubstr("a projector of l = " + l + " grows as r^0 near the nucleus; valid is r^" + l));
  for (const std::string charge : {"1e300", "-1e300", "1001"})
    EXPECT_THAT(complaint(replaced(psp8, "0.00000000  0.00000000    rchrg", charge + " 0.0 rchrg"), {.element = "H"}),
                HasSubstr(":4: fchrg is "))
        << charge;
}

TEST(BrokenPseudopotentials, MoreElectronsThanTheAtomHas) {
  const std::string cp2k = "Al GTH-PADE-q3\n 2 1\n 0.45 1 -8.49\n 0\n";
  EXPECT_EQ(complaint(cp2k, {.element = "Al"}), "");
  EXPECT_THAT(complaint(replaced(cp2k, "-8.49", "1e10"), {.element = "Al"}),
              HasSubstr("the local part contains 1e+10"));
  EXPECT_THAT(complaint(replaced(cp2k, " 2 1\n", " 100 100\n"), {.element = "Al"}),
              HasSubstr("there are 200 valence electrons, and Al has 13"));
  EXPECT_THAT(complaint("Al q200\nelectrons 200\nlocal 0.45 -8.49\nend\n", {.element = "Al"}),
              HasSubstr("there are 200 valence electrons, and Al has 13"));
  EXPECT_THAT(complaint("Lr q60\nelectrons 60\nlocal 0.45 -8.49\nend\n", {.element = "Lr"}),
              HasSubstr("there are 60 electrons of l = 0; valid are up to 14"));
}

TEST(BrokenPseudopotentials, RepeatedLines) {
  for (const auto& [name, element, first, last] :
       {std::tuple("14si.4.hgh", "Si", 4, 7), {"14Si_pade-q4", "Si", 4, 8}, {"H.psp8", "H", 2, 400}}) {
    const TextFile file("some/file", to_text(name));
    for (int begin = first; begin <= last; ++begin)
      for (const int count : {1, 2}) {
        std::string text;
        for (int line = 1; line <= static_cast<int>(file.num_lines()); ++line) {
          text += std::string(file.line(static_cast<std::size_t>(line))) + "\n";
          if (line != begin + count - 1) continue;
          for (int again = begin; again < begin + count; ++again)
            text += std::string(file.line(static_cast<std::size_t>(again))) + "\n";
        }
        EXPECT_NE(complaint(text, {.element = element}), "") << name << ": " << count << " lines from " << begin;
      }
  }
  const std::string cp2k = "Al GTH-PADE-q3\n 2 1\n 0.45 1 -8.49\n 1\n 0.46 2 5.08 -1.03\n 2.67\n";
  EXPECT_THAT(complaint(cp2k + " 2.67\n", {.element = "Al"}),
              HasSubstr(":7: found '2.67' behind the last number of Al GTH-PADE-q3; valid is the next entry"));
}

TEST(PseudoAtom, DamagedPotentialsAreRefused) {
  const auto complaint_of = [](const GthParameters& parameters) -> std::string {
    try {
      (void)solve_pseudo_atom(GthPotential(parameters), lda());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(complaint_of({"H", {1}, 0.2, {-1e5}, {}}),
              HasSubstr("the pseudopotential of H has a ghost state of l = 0"));
  EXPECT_THAT(complaint_of({"Al", {2, 1}, 0.45, {-8.49}, {{1, 0.5, {-1e6}}}}), HasSubstr("a ghost state of l = 1"));
}

TEST(BrokenPseudopotentials, WordsOfManySigns) {
  for (const std::size_t size : {60, 70, 1000})
    EXPECT_NE(complaint("H " + std::string(size, '-') + "\n1\n", {.element = "H"}), "");
}

TEST(BrokenPseudopotentials, BytesThatAreNoText) {
  const std::string upf = to_text("Al.pz-vbc.UPF");
  EXPECT_THAT(complaint(replaced(upf, "2.742810312750000e0", "2.7\xff\x1b[2J"), {.element = "Al"}),
              HasSubstr(":279: found '2.7\\xff\\x1b[2J' where a number is needed"));
  EXPECT_THAT(complaint(replaced(upf, "functional=\" SLA", "functional=\"\xe9\x80 TPSS"), {.element = "Al"}),
              HasSubstr("meta-GGA, '\\xe9\\x80 TPSS PZ NOGX NOGC'"));
  EXPECT_THAT(complaint(replaced(upf, "2.742810312750000e0", std::string(100000, 'x')), {.element = "Al"}),
              HasSubstr("found '" + std::string(40, 'x') + "...' where"));
  const TextFile odd("some/file", replaced(upf, "functional=\" SLA", "functional=\"\xff SLA"));
  EXPECT_EQ(read_pseudopotential_file(odd, {.element = "Al"}).functional, "\\xff SLA PZ NOGX NOGC");
}

TEST(BrokenPseudopotentials, DeepXml) {
  std::string text = "<UPF version=\"2.0.1\">";
  for (int i = 0; i < 300000; ++i) text += "<a>";
  EXPECT_THAT(complaint(text, {.element = "Al"}), HasSubstr("cut short"));
}

TEST(BrokenPseudopotentials, EveryNumberIsChecked) {
  const std::string text = to_text("Al.pz-vbc.UPF");
  for (const std::string section : {"<PP_R>", "<PP_LOCAL", "<PP_BETA.1", "<PP_DIJ>"})
    for (const std::string bad : {"nan", "inf", "-inf", "1e999", "1e13", "?"}) {
      const auto number = text.find('\n', text.find(section)) + 1;
      const auto end = text.find_first_of(" \n", text.find_first_not_of(' ', number));
      EXPECT_NE(complaint(text.substr(0, number) + bad + text.substr(end), {.element = "Al"}), "") << section << bad;
    }
  const std::string cp2k = "Al GTH-PADE-q3\n 2 1\n 0.45 1 -8.49\n 1\n 0.46 2 5.08 -1.03\n 2.67\n";
  EXPECT_EQ(complaint(cp2k, {.element = "Al"}), "");
  for (const std::string number : {"0.45", "-8.49", "0.46", "5.08", "-1.03", "2.67"})
    for (const std::string bad : {"nan", "inf", "1e999", "1e13", "?"})
      EXPECT_NE(complaint(replaced(cp2k, number, bad), {.element = "Al"}), "") << number << bad;
}

/// Where text is refused although it is cut behind the last needed byte; every shorter text has to be.
void expect_cuts_refused(const std::string& text, const PseudopotentialChoice& choice, std::size_t last) {
  ASSERT_EQ(complaint(text, choice), "");
  ASSERT_EQ(complaint(text.substr(0, last + 1), choice), "");
  const std::size_t step = std::max<std::size_t>(last / 150, 1);
  for (std::size_t size = 0; size <= last; size += last - size > 60 ? step : 1)
    EXPECT_NE(complaint(text.substr(0, size), choice), "") << "cut at " << size << " of " << text.size();
}

// The last byte of all: '>' of an end tag, or the line break behind the last number.
TEST(BrokenPseudopotentials, EveryCutIsDetected) {
  for (const auto& [name, element, end] : {std::tuple("Al.pz-vbc.UPF", "Al", std::string("</UPF>")),
                                           {"14-Si.nlcc.UPF", "Si", "</PP_RHOATOM>"},
                                           {"H.psp8", "H", "</INPUT>"},
                                           {"14Si_pade-q4", "Si", "kp11\n"},
                                           {"14si.4.hgh", "Si", "k33p\n"}}) {
    const std::string text = to_text(name);
    const std::size_t last = text.rfind(end);
    ASSERT_NE(last, std::string::npos) << name;
    SCOPED_TRACE(name);
    expect_cuts_refused(text, {.element = element}, last + end.size() - 1);
  }
}

// A database is a sequence of entries: a cut between two of them leaves a valid database.
TEST(BrokenPseudopotentials, CutsOfADatabaseBehindTheChosenEntry) {
  const std::string text = to_text("GTH_POTENTIALS"), last_entry = "\nH GTH-OLYP-q1";
  const PseudopotentialChoice choice{.element = "Al", .valence = 3, .name = "GTH-PADE"};
  const std::size_t begin = text.find(last_entry) + 1;
  EXPECT_EQ(complaint(text, choice), "");
  EXPECT_EQ(complaint(text.substr(0, begin), choice), "");
  for (std::size_t size = begin + 1; size < text.size(); ++size)
    EXPECT_THAT(complaint(text.substr(0, size), choice), HasSubstr("cut short")) << size;
}

TEST(BrokenPseudopotentials, CutsOfOurTables) {
  const std::string text = to_text(WAVEGRID_SOURCE_DIR "/python/wavegrid/data/pseudopotentials/gth-pbe.gth");
  EXPECT_EQ(complaint(text, {.element = "H"}), "");
  for (std::size_t size = 0; size + 1 < text.size(); size += size + 100 < text.size() ? 997 : 1)
    EXPECT_NE(complaint(text.substr(0, size), {.element = "H"}), "") << size;
}

}  // namespace
}  // namespace wavegrid::test_broken_pseudopotentials
