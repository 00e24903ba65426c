#include "cli/collection_spec.hpp"

#include "client/uploader.hpp"

namespace ldp::cli {

std::string collection_spec(const std::string& name) {
    pqxx::connection server = connect();
    return fetch_spec(server, name).to_json();
}

}  // namespace ldp::cli
