// Long texts, from the files of src/cli/templates, which the build makes a part of the program.
//
//   {{name}}                    a value, escaped for what the file is: HTML, Markdown, roff, a shell
//   {{{name}}}                  a value as it is, for text that is markup already
//   {{#name}} ... {{/name}}     a section: once for each of its elements, so not at all if there is none.
//                               Values of an element hide those around it
//   {{^name}} ... {{/name}}     shown if the section has no element
//
// A line that has only the beginning or the end of a section leaves no line behind. A text that is
// translated has the same names in any order.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ldp::cli {

struct TemplateFile {
    std::string_view name, text;
};
/// All of them; tools/embed writes this function.
[[nodiscard]] std::span<const TemplateFile> template_files() noexcept;
/// The text of one of them. Throws std::logic_error if there is none.
[[nodiscard]] std::string_view template_text(std::string_view name);

/// What the names stand for.
struct Fields {
    std::map<std::string, std::string, std::less<>> values = {};
    std::map<std::string, std::vector<Fields>, std::less<>> sections = {};

    /// A section that is shown once or not at all.
    void show(const std::string& section, bool shown) { sections[section].resize(shown ? 1 : 0); }
};

using Escape = std::string (*)(std::string_view);

/// The text with its names replaced. Throws std::logic_error if it has a name that is not known, or a section
/// or name that does not end.
[[nodiscard]] std::string filled(std::string_view text, const Fields& fields, Escape escape);

}  // namespace ldp::cli
