#include "cli/collect/http_response.hpp"

#include <nlohmann/json.hpp>

#include "core/delivery/next_step.hpp"

namespace ldp::collect {

namespace {

HttpResponse coded_problem(unsigned status, const Error& error, std::string_view code) {
    nlohmann::ordered_json body{{"title", error.what()}};
    if (!error.detail().empty()) body["detail"] = error.detail();
    if (!error.hint().empty()) body["hint"] = error.hint();
    if (!code.empty()) body["code"] = code;
    // The text may quote the client's input, which need not be UTF-8.
    return {status,
            "application/problem+json",
            body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
            {}};
}

}  // namespace

HttpResponse problem(unsigned status, const Error& error) {
    return coded_problem(status, error, {});
}

HttpResponse problem(unsigned status, const std::string& title, const std::string& hint) {
    return problem(status, Error(ErrorCode::environment, title, {}, hint));
}

HttpResponse no_token() {
    return coded_problem(
        422,
        Error(ErrorCode::environment, "the batch has no valid token",
              "A token admits one batch of one report. It is missing or unknown, or another batch has "
              "redeemed it.",
              "Send each report in a batch of its own, with its own token."),
        sqlstate_token);
}

namespace {

HttpResponse repeatable(unsigned status, int seconds, const std::string& title, const std::string& hint) {
    HttpResponse answer = problem(status, title, hint);
    answer.fields.emplace_back("Retry-After", std::to_string(seconds));
    return answer;
}

}  // namespace

HttpResponse later(unsigned status, int seconds, const std::string& title) {
    return repeatable(status, seconds, title, "Nothing was stored. Send the same request again later.");
}

HttpResponse in_doubt(int seconds, const std::string& title) {
    return repeatable(
        503, seconds, title,
        "It is not known whether the batch was stored. Send the same request again later: the batch counts "
        "once.");
}

}  // namespace ldp::collect
