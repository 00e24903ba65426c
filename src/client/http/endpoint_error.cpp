#include "client/http/endpoint_error.hpp"

#include <nlohmann/json.hpp>

#include "client/in_quotes.hpp"
#include "core/delivery/next_step.hpp"

namespace ldp {

Error endpoint_error(std::string_view doing, unsigned status, std::string_view body, bool receipt) {
    const std::string doing_so = std::string(doing) + ": ", with = " (status " + std::to_string(status) + ")";
    const std::string_view foreign = foreign_response(status, receipt);
    if (!foreign.empty())
        return {ErrorCode::environment, doing_so + std::string(foreign) + with,
                body.empty() ? "" : in_quotes(body, 200), std::string(foreign_hint())};
    const auto document = nlohmann::json::parse(body, nullptr, false);
    const auto field = [&](const char* name) {
        const auto found = document.is_object() ? document.find(name) : document.end();
        return found != document.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    const std::string title = field("title");
    return {ErrorCode::environment, doing_so + (title.empty() ? "the endpoint refuses it" : title) + with,
            title.empty() && !body.empty() ? in_quotes(body, 200) : field("detail"), field("hint")};
}

}  // namespace ldp
