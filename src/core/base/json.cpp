#include "core/base/json.hpp"

#include <algorithm>
#include <vector>

#include "core/base/text.hpp"

namespace ldp {

namespace {

/// The rank of a byte of UTF-8 for an order by UTF-16 code units: surrogates, which are four bytes of UTF-8, precede U+E000 to
/// U+FFFF.
unsigned rank(char byte) {
    const unsigned value = static_cast<unsigned char>(byte);
    return value >= 0xF0 ? value - 2 : value >= 0xEE ? value + 0x10 : value;
}

void write(std::string& text, const Json& value, Unsound unsound) {
    auto separate = [&, first = true]() mutable {
        if (!first) text += ',';
        first = false;
    };
    if (value.is_object()) {
        std::vector<Json::const_iterator> members;
        for (auto each = value.begin(); each != value.end(); ++each) members.push_back(each);
        std::ranges::sort(members, [](const auto& one, const auto& other) {
            return std::ranges::lexicographical_compare(one.key(), other.key(), {}, rank, rank);
        });
        text += '{';
        for (const auto& member : members) {
            separate();
            text += json_text(Json(member.key()), unsound) + ':';
            write(text, member.value(), unsound);
        }
        text += '}';
    } else if (value.is_array()) {
        text += '[';
        for (const Json& each : value) {
            separate();
            write(text, each, unsound);
        }
        text += ']';
    } else {
        text += value.is_number() ? ecmascript_text(value.get<double>()) : json_text(value, unsound);
    }
}

}  // namespace

Json json_of(std::string_view text, Unsound unsound, const Json::parser_callback_t& watch) {
    return Json::parse(text, watch, unsound == Unsound::refused);
}

std::string json_text(const Json& value, Unsound unsound) {
    using Handler = Json::error_handler_t;
    return value.dump(-1, ' ', false, unsound == Unsound::refused ? Handler::strict : Handler::replace);
}

std::string canonical_text(const Json& value, Unsound unsound) {
    std::string text;
    write(text, value, unsound);
    return text;
}

}  // namespace ldp
