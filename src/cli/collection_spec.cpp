#include "cli/collection_spec.hpp"

#include <string_view>

#include "client/uploader.hpp"

namespace ldp::cli {

std::optional<std::string> collection_name(const std::string& given) {
    constexpr std::string_view of_collection = "collection:";
    if (!given.starts_with(of_collection)) return std::nullopt;
    return given.substr(of_collection.size());
}

std::string collection_spec(const std::string& name) {
    pqxx::connection server = connect();
    return fetch_spec(server, name).to_json();
}

std::vector<PublicColumn> collection_columns(const std::string& name) {
    pqxx::connection server = connect();
    Connection link(server);
    return fetch_public_columns(link, name);
}

}  // namespace ldp::cli
