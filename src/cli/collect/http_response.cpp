#include "cli/collect/http_response.hpp"

#include <nlohmann/json.hpp>

namespace ldp::collect {

Answer problem(unsigned status, const Error& error) {
    nlohmann::ordered_json told{{"title", error.what()}};
    if (!error.detail().empty()) told["detail"] = error.detail();
    if (!error.hint().empty()) told["hint"] = error.hint();
    // What the client sent may be quoted in it, and need not be UTF-8.
    return {status,
            "application/problem+json",
            told.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
            {}};
}

Answer problem(unsigned status, const std::string& title, const std::string& hint) {
    return problem(status, Error(ErrorCode::environment, title, {}, hint));
}

namespace {

Answer repeatable(unsigned status, int seconds, const std::string& title, const std::string& hint) {
    Answer answer = problem(status, title, hint);
    answer.fields.emplace_back("Retry-After", std::to_string(seconds));
    return answer;
}

}  // namespace

Answer later(unsigned status, int seconds, const std::string& title) {
    return repeatable(status, seconds, title, "Nothing of it was stored. Send the same again later.");
}

Answer in_doubt(int seconds, const std::string& title) {
    return repeatable(
        503, seconds, title,
        "Whether it was stored is not known. Send the same again later, under the same id: it counts "
        "once.");
}

}  // namespace ldp::collect
