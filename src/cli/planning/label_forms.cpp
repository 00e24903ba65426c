#include "cli/planning/label_forms.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "core/base/text.hpp"

namespace ldp::cli {

namespace {

/// Returns whether a character of UTF-8 is a combining mark that canonical compositions contain: U+0300 to U+036F,
/// U+0653 to U+0655, U+3099 or U+309A, or a vowel or final consonant of Hangul (U+1161 to U+11C2).
bool combines(std::string_view character) noexcept {
    return (character >= "\u0300" && character <= "\u036f") ||
           (character >= "\u0653" && character <= "\u0655") || character == "\u3099" ||
           character == "\u309a" || (character >= "\u1161" && character <= "\u11c2");
}

/// A letter with its combining marks.
struct Cluster {
    std::string_view text;
    bool marked;  ///< whether it has combining marks

    [[nodiscard]] bool ascii() const noexcept { return text.size() == 1; }
};

std::vector<Cluster> clusters_of(std::string_view label) {
    std::vector<Cluster> all;
    for (std::size_t at = 0; at < label.size();) {
        const std::size_t size = std::max<std::size_t>(character_size(label.substr(at)), 1);
        if (!all.empty() && combines(label.substr(at, size))) {
            Cluster& last = all.back();
            last = {{last.text.data(), last.text.size() + size}, true};
        } else {
            all.push_back({label.substr(at, size), false});
        }
        at += size;
    }
    return all;
}

/// Returns whether a cluster with marks could be the decomposed form of the other.
bool may_equal(const Cluster& a, const Cluster& b) noexcept {
    return a.text == b.text || (a.marked != b.marked && !(a.marked ? b : a).ascii());
}

}  // namespace

std::optional<std::pair<std::string, std::string>> two_forms(const std::vector<std::string>& labels) {
    // Labels of one text agree in the number of clusters, and in their ASCII characters.
    std::map<std::string, std::vector<const std::string*>> groups;
    for (const std::string& label : labels) {
        std::string outline;
        bool plain = true;
        for (const Cluster& one : clusters_of(label)) {
            outline += one.ascii() ? one.text : std::string_view("\x01");
            plain = plain && one.ascii();
        }
        if (!plain) groups[outline].push_back(&label);
    }
    for (const auto& [outline, group] : groups)
        for (const std::string* decomposed : group) {
            const std::vector<Cluster> marked = clusters_of(*decomposed);
            if (std::ranges::none_of(marked, &Cluster::marked)) continue;
            for (const std::string* other : group)
                if (*other != *decomposed && std::ranges::equal(marked, clusters_of(*other), may_equal))
                    return std::pair(*decomposed, *other);
        }
    return std::nullopt;
}

}  // namespace ldp::cli
