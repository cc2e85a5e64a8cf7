// The elements of an XML file with their line numbers: UPF and PAW XML. XML is parsed by pugixml.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include <wavegrid/pseudo/text_file.hpp>

namespace wavegrid {

/// An element of a parsed file; the file and the document must outlive it. All its errors name file and line.
class XmlElement {
 public:
  XmlElement(const TextFile& file, pugi::xml_node node) : file_(&file), node_(node) {}

  [[nodiscard]] std::string name() const;        ///< for messages: the beginning of a long one
  [[nodiscard]] std::size_t line() const;        ///< of the opening tag
  [[nodiscard]] std::size_t first_line() const;  ///< where the content starts: the line of the opening tag's end
  [[nodiscard]] std::size_t last_line() const;   ///< where its text ends

  /// The first child of that name; require() fails where there is none.
  [[nodiscard]] std::optional<XmlElement> find(const std::string& name) const;
  [[nodiscard]] XmlElement require(const std::string& name) const;
  /// The child number `index` (from 0) of that name; fails where there are fewer.
  [[nodiscard]] XmlElement require(const std::string& name, std::size_t index) const;

  [[nodiscard]] bool has(const std::string& key) const { return !node_.attribute(key.c_str()).empty(); }
  /// How many children have a name that begins so.
  [[nodiscard]] std::size_t children(const std::string& prefix) const;
  /// An attribute without blanks at its ends, as a number, and as an integer from 0 to `most`; each fails if it has
  /// another form.
  [[nodiscard]] std::string attribute(const std::string& key) const;
  [[nodiscard]] double real(const std::string& key) const;
  [[nodiscard]] std::size_t count(const std::string& key, std::size_t most) const;
  /// Whether an attribute is T, true or .true.; false without it.
  [[nodiscard]] bool flag(const std::string& key) const;

  /// The numbers of the text; with `expected`, so many of them, and as many as the attribute `size` says where there is
  /// one.
  [[nodiscard]] std::vector<double> numbers() const;
  [[nodiscard]] std::vector<double> numbers(std::size_t expected) const;

  [[noreturn]] void fail(const std::string& what) const { file_->fail(line(), what); }
  [[nodiscard]] const TextFile& file() const { return *file_; }

 private:
  const TextFile* file_;
  pugi::xml_node node_;
};

/// A parsed file. UPF 1 has no root element, UPF 2 has <UPF>; of all but UPF 2 root() is the document itself.
class XmlDocument {
 public:
  /// Throws bad_input if the text is not well-formed XML, except for the free text of <PP_INFO>. `file` must outlive
  /// this object.
  explicit XmlDocument(const TextFile& file);

  [[nodiscard]] int version() const { return version_; }  ///< of UPF
  [[nodiscard]] XmlElement root() const;

 private:
  const TextFile* file_;
  std::unique_ptr<pugi::xml_document> document_;
  int version_ = 2;
};

/// Words joined by single blanks; lower case; T, true, .true. or .t. in any case.
[[nodiscard]] std::string trimmed(const std::string& text);
[[nodiscard]] std::string lower(std::string text);
[[nodiscard]] bool is_true(const std::string& word);

/// `value` as a count; fails at `line` unless it is a whole number from 0 to `most`.
[[nodiscard]] std::size_t to_count(const TextFile& file, std::size_t line, const std::string& what, double value,
                                   std::size_t most);

}  // namespace wavegrid
