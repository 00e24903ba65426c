#include "client/http/endpoint_error.hpp"

#include <nlohmann/json.hpp>

#include "client/in_quotes.hpp"

namespace ldp {

Error endpoint_error(std::string_view doing, unsigned status, std::string_view body) {
    const auto told = nlohmann::json::parse(body, nullptr, false);
    const auto field = [&](const char* name) {
        const auto found = told.is_object() ? told.find(name) : told.end();
        return found != told.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    const std::string title = field("title");
    return {ErrorCode::environment,
            std::string(doing) + ": " + (title.empty() ? "the endpoint refuses it" : title) + " (status " +
                std::to_string(status) + ")",
            title.empty() && !body.empty() ? in_quotes(body, 200) : field("detail"), field("hint")};
}

}  // namespace ldp
