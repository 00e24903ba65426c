#include "client/http/endpoint_error.hpp"

#include <nlohmann/json.hpp>

#include "client/in_quotes.hpp"
#include "core/delivery/next_step.hpp"

namespace ldp {

Error endpoint_error(std::string_view doing, unsigned status, std::string_view body, bool receipt) {
    const std::string_view foreign = foreign_response(status, receipt);
    const auto document = nlohmann::json::parse(body, nullptr, false);
    const auto field = [&](const char* name) {
        const auto found = document.is_object() ? document.find(name) : document.end();
        return found != document.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    // The words of the body are quoted. An endpoint could otherwise give advice in the name of the program.
    std::string words = server_says(field("title"), field("detail"), field("hint"));
    if (words.empty()) words = server_says(body);
    return {ErrorCode::environment,
            std::string(doing) + ": " +
                (foreign.empty() ? std::string("the endpoint rejected the request") : std::string(foreign)) +
                " (status " + std::to_string(status) + ")",
            words, foreign.empty() ? "" : std::string(foreign_hint())};
}

}  // namespace ldp
