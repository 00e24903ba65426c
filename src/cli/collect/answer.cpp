#include "cli/collect/answer.hpp"

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

Answer later(unsigned status, int seconds, const std::string& title) {
    Answer answer = problem(status, title, "Nothing of it was stored. Send the same again later.");
    answer.fields.emplace_back("Retry-After", std::to_string(seconds));
    return answer;
}

}  // namespace ldp::collect
