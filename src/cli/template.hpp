// Templates of long texts. The build embeds the files of src/cli/templates into the program.
//
//   {{name}}                    a value, escaped for the file's format: HTML, Markdown, roff, a shell
//   {{{name}}}                  an unescaped value, which contains markup
//   {{#name}} ... {{/name}}     a section, repeated for each of its elements. Values of an element take
//                               precedence over values outside the section
//   {{^name}} ... {{/name}}     shown if the section has no element
//
// A line that has only the beginning or the end of a section is removed. A translated text may use the same
// names in any order.
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
/// Returns all templates; tools/embed generates this function.
[[nodiscard]] std::span<const TemplateFile> template_files() noexcept;
/// Returns the text of a template. Throws std::logic_error if it does not exist.
[[nodiscard]] std::string_view template_text(std::string_view name);

/// The values of the names.
struct Fields {
    std::map<std::string, std::string, std::less<>> values = {};
    std::map<std::string, std::vector<Fields>, std::less<>> sections = {};

    /// A section that is shown once or not at all.
    void show(const std::string& section, bool shown) { sections[section].resize(shown ? 1 : 0); }
};

using Escape = std::string (*)(std::string_view);

/// Returns the text with its names replaced. Throws std::logic_error if it has a name that is not known, or a
/// section or name that does not end.
[[nodiscard]] std::string filled(std::string_view text, const Fields& fields, Escape escape);

}  // namespace ldp::cli
