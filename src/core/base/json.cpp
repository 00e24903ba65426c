#include "core/base/json.hpp"

namespace ldp {

Json json_of(std::string_view text, Unsound unsound, const Json::parser_callback_t& watch) {
    return Json::parse(text, watch, unsound == Unsound::refused);
}

std::string json_text(const Json& value, Unsound unsound) {
    using Handler = Json::error_handler_t;
    return value.dump(-1, ' ', false, unsound == Unsound::refused ? Handler::strict : Handler::replace);
}

}  // namespace ldp
