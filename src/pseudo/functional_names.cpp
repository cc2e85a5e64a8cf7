#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <utility>

#include <wavegrid/pseudo/functional_names.hpp>
#include <wavegrid/pseudo/text_file.hpp>

namespace wavegrid {
namespace {

const std::string pade = "LDA_XC_TETER93", pz = "LDA_X+LDA_C_PZ", pw = "LDA_X+LDA_C_PW", pbe = "GGA_X_PBE+GGA_C_PBE",
                  pbesol = "GGA_X_PBE_SOL+GGA_C_PBE_SOL", blyp = "GGA_X_B88+GGA_C_LYP", bp = "GGA_X_B88+GGA_C_P86",
                  revpbe = "GGA_X_PBE_R+GGA_C_PBE", rpbe = "GGA_X_RPBE+GGA_C_PBE", tpss = "MGGA_X_TPSS+MGGA_C_TPSS",
                  scan = "MGGA_X_SCAN+MGGA_C_SCAN", r2scan = "MGGA_X_R2SCAN+MGGA_C_R2SCAN";

using Names = std::map<std::string, std::string>;

std::string look_up(const Names& names, const std::string& name, const std::string& otherwise) {
  const auto found = names.find(name);
  return found == names.end() ? otherwise : found->second;
}

/// The words in capitals, with single blanks between them.
std::string in_capitals(const std::string& text) {
  std::string joined;
  for (const std::string_view word : split_words(text)) joined += (joined.empty() ? "" : " ") + std::string(word);
  std::transform(joined.begin(), joined.end(), joined.begin(), [](unsigned char c) { return std::toupper(c); });
  return joined;
}

}  // namespace

// PBX and PBC are pw.x's older names of PBE's parts, PSX and PSC those of PBEsol's. Its files have blanks, dashes or
// plus signs between the parts.
std::string upf_functional(const std::string& name) {
  static const Names names{{"LDA", pz},
                           {"PZ", pz},
                           {"SLA PZ NOGX NOGC", pz},
                           {"PW", pw},
                           {"SLA PW NOGX NOGC", pw},
                           {"PBE", pbe},
                           {"SLA PW PBE PBE", pbe},
                           {"SLA PW PBX PBC", pbe},
                           {"REVPBE", revpbe},
                           {"SLA PW REVX PBC", revpbe},
                           {"SLA PW RPB PBC", revpbe},
                           {"PBESOL", pbesol},
                           {"SLA PW PSX PSC", pbesol},
                           {"BLYP", blyp},
                           {"SLA LYP B88 BLYP", blyp},
                           {"BP", bp},
                           {"SLA PZ B88 P86", bp},
                           {"TPSS", tpss},
                           {"SLA PW TPSS TPSS", tpss},
                           {"SCAN", scan},
                           {"R2SCAN", r2scan}};
  std::string parts(name);
  std::replace_if(
      parts.begin(), parts.end(), [](char c) { return c == '-' || c == '+'; }, ' ');
  return look_up(names, in_capitals(parts), in_capitals(name));
}

std::string ixc_functional(int ixc) {
  static const std::map<int, std::string> own{{1, pade}, {2, pz}, {7, pw}, {11, pbe}, {14, revpbe}};
  static const std::map<int, std::string> libxc{
      {1, "LDA_X"},         {7, "LDA_C_VWN"},       {9, "LDA_C_PZ"},        {12, "LDA_C_PW"},
      {13, "LDA_C_PW_MOD"}, {20, "LDA_XC_TETER93"}, {101, "GGA_X_PBE"},     {102, "GGA_X_PBE_R"},
      {106, "GGA_X_B88"},   {116, "GGA_X_PBE_SOL"}, {130, "GGA_C_PBE"},     {131, "GGA_C_LYP"},
      {132, "GGA_C_P86"},   {133, "GGA_C_PBE_SOL"}, {202, "MGGA_X_TPSS"},   {231, "MGGA_C_TPSS"},
      {263, "MGGA_X_SCAN"}, {267, "MGGA_C_SCAN"},   {497, "MGGA_X_R2SCAN"}, {498, "MGGA_C_R2SCAN"}};
  const std::string raw = "ixc " + std::to_string(ixc);
  if (ixc >= 0) {
    const auto found = own.find(ixc);
    return found == own.end() ? (ixc == 0 ? "" : raw) : found->second;
  }
  const auto first = libxc.find(-ixc / 1000), second = libxc.find(-ixc % 1000);
  if (second == libxc.end() || (-ixc >= 1000 && first == libxc.end())) return raw;
  if (-ixc < 1000) return second->second;
  const bool in_order = first->second.find("_C_") == std::string::npos;
  return in_order ? first->second + "+" + second->second : second->second + "+" + first->second;
}

std::string paw_xml_functional(const std::string& name) {
  static const Names names{{"LDA", pw},        {"PW", pw},     {"PZ", pz},         {"PBE", pbe},
                           {"REVPBE", revpbe}, {"RPBE", rpbe}, {"PBESOL", pbesol}, {"BLYP", blyp}};
  return look_up(names, in_capitals(name), name);
}

std::string gth_functional(const std::string& name) {
  static const std::array<std::pair<const char*, std::string>, 9> names{{{"PADE", pade},
                                                                         {"LDA", pade},
                                                                         {"PBESOL", pbesol},
                                                                         {"PBESol", pbesol},
                                                                         {"PBE", pbe},
                                                                         {"BLYP", blyp},
                                                                         {"BP", bp},
                                                                         {"REVPBE", revpbe},
                                                                         {"SCAN", scan}}};
  for (const auto& [part, functional] : names)
    if (("-" + name + "-").find("-" + std::string(part) + "-") != std::string::npos) return functional;
  return "";
}

}  // namespace wavegrid
