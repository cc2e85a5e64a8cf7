#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <string_view>

#include <wavegrid/base/printable.hpp>
#include <wavegrid/pseudo/xml_element.hpp>

namespace wavegrid {
namespace {

constexpr std::size_t longest_name = 40;  // characters, in messages

/// Replaces <PP_INFO> and its content, free text with any characters in it, by blanks; offsets and lines stay.
std::string without_info(const TextFile& file) {
  const std::string open = "<PP_INFO", close = "</PP_INFO>";
  std::string text(file.text());
  for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
    std::size_t end = text.find(close, at);
    if (end == std::string::npos) file.fail(file.line_number(at), "<PP_INFO> has no </PP_INFO>: the file is cut short");
    end += close.size();
    std::replace_if(
        text.begin() + static_cast<std::ptrdiff_t>(at), text.begin() + static_cast<std::ptrdiff_t>(end),
        [](char c) { return c != '\n'; }, ' ');
  }
  return text;
}

pugi::xml_node last_child_element(pugi::xml_node node) {
  pugi::xml_node child = node.last_child();
  while (child && child.type() != pugi::node_element) child = child.previous_sibling();
  return child;
}

/// The innermost last element of a document of which only the beginning was parsed.
pugi::xml_node last_element(pugi::xml_node node) {
  while (const pugi::xml_node child = last_child_element(node)) node = child;
  return node;
}

[[noreturn]] void refuse(const TextFile& file, const pugi::xml_document& document,
                         const pugi::xml_parse_result& result) {
  const std::size_t stop = std::min(static_cast<std::size_t>(result.offset), file.text().size() - 1);
  const pugi::xml_node last = last_element(document);
  if (file.text().find('<', stop + 1) != std::string_view::npos || !last.parent())
    file.fail(file.line_number(stop), std::string("this is not well-formed XML: ") + result.description());
  file.fail_cut_short("after the start of <" + std::string(last.name()).substr(0, longest_name) + "> in line " +
                      std::to_string(XmlElement(file, last).line()));
}

}  // namespace

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string trimmed(const std::string& text) {
  std::string out;
  for (const std::string_view word : split_words(text)) {
    if (!out.empty()) out += ' ';
    out += word;
  }
  return out;
}

bool is_true(const std::string& word) {
  const std::string w = lower(trimmed(word));
  return w == "t" || w == "true" || w == ".true." || w == ".t.";
}

std::size_t to_count(const TextFile& file, std::size_t line, const std::string& what, double value, std::size_t most) {
  if (!(value >= 0.0 && value <= static_cast<double>(most)) || value != std::floor(value))
    file.fail(line, what + " is " + to_text(value) + "; valid are whole numbers from 0 to " + std::to_string(most));
  return static_cast<std::size_t>(value);
}

std::string XmlElement::name() const { return std::string(node_.name()).substr(0, longest_name); }

std::size_t XmlElement::line() const { return file_->line_number(static_cast<std::size_t>(node_.offset_debug())); }

std::size_t XmlElement::first_line() const {
  const pugi::xml_node child = node_.first_child();
  return child ? file_->line_number(static_cast<std::size_t>(child.offset_debug())) : line();
}

std::size_t XmlElement::last_line() const {
  const pugi::xml_node child = node_.last_child();
  if (child.type() == pugi::node_element) return XmlElement(*file_, child).last_line();
  if (child.type() != pugi::node_pcdata) return first_line();
  return file_->line_number(static_cast<std::size_t>(child.offset_debug()) + std::strlen(child.value()));
}

std::optional<XmlElement> XmlElement::find(const std::string& name) const {
  const pugi::xml_node child = node_.child(name.c_str());
  return child ? std::optional(XmlElement(*file_, child)) : std::nullopt;
}

XmlElement XmlElement::require(const std::string& name) const { return require(name, 0); }

XmlElement XmlElement::require(const std::string& name, std::size_t index) const {
  std::size_t count = 0;
  for (const pugi::xml_node child : node_.children(name.c_str()))
    if (count++ == index) return {*file_, child};
  const bool whole_file = node_.parent().empty() || !node_.parent().parent();
  if (whole_file && count == 0) file_->fail_cut_short("without <" + name + ">");
  if (count == 0) fail("<" + this->name() + "> has no <" + name + ">");
  fail("<" + this->name() + "> has " + std::to_string(count) + " <" + name + ">; " + std::to_string(index + 1) +
       " are needed");
}

std::size_t XmlElement::children(const std::string& prefix) const {
  const auto named = [&](const pugi::xml_node& child) { return std::string_view(child.name()).starts_with(prefix); };
  return static_cast<std::size_t>(std::count_if(node_.begin(), node_.end(), named));
}

std::string XmlElement::attribute(const std::string& key) const {
  if (!has(key)) fail("<" + name() + "> has no attribute '" + key + "'");
  return trimmed(node_.attribute(key.c_str()).value());
}

double XmlElement::real(const std::string& key) const {
  const std::string text = attribute(key);
  if (const auto value = parse_real(text)) return *value;
  fail("attribute " + key + " is " + in_quotes(text) + "; a number is needed");
}

std::size_t XmlElement::count(const std::string& key, std::size_t most) const {
  return to_count(*file_, line(), key, real(key), most);
}

bool XmlElement::flag(const std::string& key) const { return is_true(node_.attribute(key.c_str()).value()); }

std::vector<double> XmlElement::numbers() const {
  std::vector<double> found;
  for (const pugi::xml_node child : node_.children()) {
    if (child.type() != pugi::node_pcdata) continue;
    const auto begin = static_cast<std::size_t>(child.offset_debug());
    for (const double value : file_->numbers(begin, begin + std::strlen(child.value()))) found.push_back(value);
  }
  return found;
}

std::vector<double> XmlElement::numbers(std::size_t expected) const {
  std::vector<double> found = numbers();
  const auto require = [&](std::size_t needed, const std::string& by) {
    if (found.size() == needed) return;
    file_->fail(last_line(), "<" + name() + "> of line " + std::to_string(line()) + " has " +
                                 std::to_string(found.size()) + " numbers; " + std::to_string(needed) + " are needed" +
                                 by);
  };
  require(expected, "");
  if (has("size")) require(count("size", expected), " by its attribute size");
  return found;
}

XmlDocument::XmlDocument(const TextFile& file) : file_(&file), document_(std::make_unique<pugi::xml_document>()) {
  const std::string text = without_info(file);
  // No conversions: the parsed text keeps the offsets of the file. A fragment: version 1 has no root element.
  const pugi::xml_parse_result result =
      document_->load_buffer(text.data(), text.size(), pugi::parse_fragment, pugi::encoding_utf8);
  if (!result) refuse(file, *document_, result);
  version_ = document_->child("UPF") ? 2 : 1;
}

XmlElement XmlDocument::root() const {
  return {*file_, version_ == 2 ? document_->child("UPF") : pugi::xml_node(*document_)};
}

}  // namespace wavegrid
