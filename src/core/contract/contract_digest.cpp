#include "core/contract/contract_digest.hpp"

#include <algorithm>
#include <span>

#include "core/base/error.hpp"
#include "core/base/json.hpp"
#include "core/base/sha256.hpp"
#include "core/contract/canonical.hpp"

namespace ldp {

namespace {

constexpr std::string_view meaning_keys[] = {"question", "title", "unit", "display", "description", "scale"};
constexpr std::string_view heading_keys[] = {"title", "description"};

/// Replaces runs of spaces in all texts below a value.
void collapse_spaces(Json& value) {
    if (value.is_string()) {
        auto& text = value.get_ref<std::string&>();
        const auto both = [](char one, char other) { return one == ' ' && other == ' '; };
        text.erase(std::unique(text.begin(), text.end(), both), text.end());
    } else if (value.is_object()) {
        for (auto& [key, one] : value.items()) collapse_spaces(one);
    }
}

}  // namespace

bool gives_meaning(std::string_view key) noexcept {
    return std::ranges::find(meaning_keys, key) != std::end(meaning_keys);
}

bool is_heading(std::string_view key) noexcept {
    return std::ranges::find(heading_keys, key) != std::end(heading_keys);
}

Json contract_document(const Spec& spec) {
    Json document = described_json(spec);
    document.erase("people_asked");
    return document;
}

Json with_single_spaces(Json document) {
    if (!document.is_object()) return document;
    for (const std::string_view key : heading_keys)
        if (const auto found = document.find(key); found != document.end()) collapse_spaces(*found);
    if (const auto attributes = document.find("attributes");
        attributes != document.end() && attributes->is_array())
        for (Json& attribute : *attributes)
            if (attribute.is_object())
                for (const std::string_view key : meaning_keys)
                    if (const auto found = attribute.find(key); found != attribute.end())
                        collapse_spaces(*found);
    return document;
}

std::string digest_of(const Json& value) {
    const std::string text = canonical_text(value, Unsound::allowed);
    return to_hex(sha256(std::as_bytes(std::span(text))));
}

std::string contract_digest(const Json& document, const std::set<std::string>& in_clear) {
    return digest_of(
        {{"version", contract_version}, {"spec", with_single_spaces(document)}, {"in_clear", in_clear}});
}

std::string contract_digest(const Spec& spec, std::string_view in_clear) {
    const Json names = json_of(in_clear, Unsound::allowed);
    if (!names.is_array() || !std::ranges::all_of(names, [](const Json& name) { return name.is_string(); }))
        raise(ErrorCode::invalid_value, "column names must be an array of strings");
    return contract_digest(contract_document(spec), names.get<std::set<std::string>>());
}

std::string short_digest(std::string_view digest) {
    std::string digits(digest.substr(0, digits_for_people));
    for (const std::size_t at : {12, 8, 4}) digits.insert(at, 1, ' ');
    return digits;
}

}  // namespace ldp
