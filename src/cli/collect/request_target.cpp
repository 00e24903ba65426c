#include "cli/collect/request_target.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include "core/base/bytes.hpp"

namespace ldp::collect {

namespace {

constexpr std::size_t dashes[] = {8, 13, 18, 23};

std::optional<std::string> decoded(std::string_view text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            plain += text[at];
            continue;
        }
        std::byte byte;
        if (text.size() - at < 3 || !from_hex(text.substr(at + 1, 2), &byte)) return {};
        plain += static_cast<char>(byte);
        at += 2;
    }
    return plain;
}

std::vector<std::string_view> segments(std::string_view path) {
    std::vector<std::string_view> all;
    for (;;) {
        const std::size_t slash = path.find('/');
        all.push_back(path.substr(0, slash));
        if (slash == std::string_view::npos) return all;
        path.remove_prefix(slash + 1);
    }
}

std::optional<std::int32_t> parse_round(std::string_view query) {
    constexpr std::string_view key = "round=";
    if (!query.starts_with(key)) return {};
    query.remove_prefix(key.size());
    std::int32_t round = 0;
    const auto [end, error] = std::from_chars(query.data(), query.data() + query.size(), round);
    if (error != std::errc{} || end != query.data() + query.size()) return {};
    return round;
}

}  // namespace

std::optional<Uuid> parse_uuid(std::string_view text) {
    Uuid uuid;
    std::string digits;
    if (text.size() != 2 * uuid.size() + std::size(dashes)) return {};
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool dash = std::ranges::find(dashes, at) != std::end(dashes);
        if (dash != (text[at] == '-')) return {};
        if (!dash) digits += text[at];
    }
    if (!from_hex(digits, uuid.data())) return {};
    return uuid;
}

std::string uuid_text(const Uuid& uuid) {
    std::string text = to_hex(uuid);
    for (const std::size_t at : dashes) text.insert(at, 1, '-');
    return text;
}

std::optional<Target> parse_target(std::string_view target) {
    if (target == "/metrics") return Target{Target::Of::metrics};
    if (target == "/healthz") return Target{Target::Of::health};
    constexpr std::string_view collections = "/collections/";
    if (!target.starts_with(collections)) return {};
    std::string_view path = target.substr(collections.size());
    const std::size_t mark = path.find('?');
    const bool asked = mark != std::string_view::npos;
    const std::string_view query = asked ? path.substr(mark + 1) : std::string_view();
    path = path.substr(0, mark);

    const std::vector<std::string_view> parts = segments(path);
    const auto name = decoded(parts[0]);
    if (!name || name->empty() || parts.size() < 2) return {};
    if (parts.size() == 2 && parts[1] == "spec" && !asked) return Target{Target::Of::spec, *name};
    if (parts.size() == 2 && parts[1] == "columns" && !asked) return Target{Target::Of::columns, *name};
    const auto batch = parse_uuid(parts.back());
    const auto round = asked ? parse_round(query) : 0;
    if (parts.size() != 3 || parts[1] != "batches" || !batch || !round) return {};
    return Target{Target::Of::batch, *name, *batch, *round};
}

}  // namespace ldp::collect
