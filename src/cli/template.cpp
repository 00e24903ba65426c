#include "cli/template.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ldp::cli {

namespace {

[[noreturn]] void fault(const std::string& what, std::string_view name) {
    throw std::logic_error("template: " + what + " {{" + std::string(name) + "}}");
}

class Filling {
  public:
    Filling(std::string_view text, const Fields& fields, Escape escape)
        : text_(text), escape_(escape), known_{&fields} {}

    std::string all() {
        until({}, true);
        return std::move(out_);
    }

  private:
    struct Tag {
        char kind = 0;  ///< '#', '^' or '/' of a section, '{' of a value as it is, ' ' of one, 0 at the end
        std::string_view name = {};
    };

    /// Writes what stands before the next tag, if it is shown, and goes behind the tag. That of a section
    /// takes its line with it if it is alone there.
    Tag next(bool shown) {
        const std::size_t begin = std::min(text_.find("{{", at_), text_.size());
        if (shown) out_ += text_.substr(at_, begin - at_);
        at_ = begin;
        if (begin == text_.size()) return {};
        const bool raw = text_.substr(begin + 2).starts_with('{');
        const std::string_view close = raw ? "}}}" : "}}";
        const std::size_t from = begin + close.size(), to = text_.find(close, from);
        if (to == std::string_view::npos) fault("nothing ends", text_.substr(from, 20));
        at_ = to + close.size();
        const std::string_view inside = text_.substr(from, to - from);
        if (raw) return {'{', inside};
        if (inside.empty() || (inside[0] != '#' && inside[0] != '^' && inside[0] != '/'))
            return {' ', inside};
        if ((begin == 0 || text_[begin - 1] == '\n') && text_.substr(at_).starts_with('\n')) ++at_;
        return {inside[0], inside.substr(1)};
    }

    /// Goes behind the end of a section, or of the whole text.
    void until(std::string_view section, bool shown) {
        for (;;) {
            const Tag tag = next(shown);
            switch (tag.kind) {
                case 0:
                    if (!section.empty()) fault("the section is not closed", section);
                    return;
                case '/':
                    if (tag.name != section) fault("no section is open at", tag.name);
                    return;
                case '{':
                case ' ':
                    if (shown) out_ += tag.kind == '{' ? value(tag.name) : escape_(value(tag.name));
                    break;
                default:
                    repeat(tag, shown);
            }
        }
    }

    void repeat(const Tag& tag, bool shown) {
        const std::size_t begin = at_;
        if (shown) {
            const std::vector<Fields>& elements = section(tag.name);
            if (tag.kind == '^' && elements.empty()) return until(tag.name, true);
            if (tag.kind == '#' && !elements.empty()) {
                for (const Fields& element : elements) {
                    at_ = begin;
                    known_.push_back(&element);
                    until(tag.name, true);
                    known_.pop_back();
                }
                return;
            }
        }
        until(tag.name, false);
    }

    [[nodiscard]] const std::string& value(std::string_view name) const {
        for (auto fields = known_.rbegin(); fields != known_.rend(); ++fields)
            if (const auto found = (*fields)->values.find(name); found != (*fields)->values.end())
                return found->second;
        fault("there is no value", name);
    }
    [[nodiscard]] const std::vector<Fields>& section(std::string_view name) const {
        for (auto fields = known_.rbegin(); fields != known_.rend(); ++fields)
            if (const auto found = (*fields)->sections.find(name); found != (*fields)->sections.end())
                return found->second;
        fault("there is no section", name);
    }

    std::string_view text_;
    Escape escape_;
    std::vector<const Fields*> known_;
    std::size_t at_ = 0;
    std::string out_;
};

}  // namespace

std::string_view template_text(std::string_view name) {
    for (const TemplateFile& file : template_files())
        if (file.name == name) return file.text;
    throw std::logic_error("there is no template " + std::string(name));
}

std::string filled(std::string_view text, const Fields& fields, Escape escape) {
    return Filling(text, fields, escape).all();
}

}  // namespace ldp::cli
