#include "cli/attached_summaries.hpp"

#include "client/uploader.hpp"
#include "core/base/json.hpp"

namespace ldp::cli {

std::optional<AttachedCollection> attached_collection(pqxx::connection& connection, const std::string& name) {
    const auto found = pq::guarded("reading summaries", [&]() -> std::optional<pqxx::result> {
        pqxx::work transaction(connection);
        if (transaction.exec("SELECT FROM pg_catalog.pg_extension WHERE extname = 'ldp'").size() > 0 ||
            transaction.exec("SELECT WHERE pg_catalog.to_regclass('ldp_internal.ldp_refresh') IS NOT NULL")
                .empty())
            return {};
        return pq::run(
            transaction,
            "SELECT pg_catalog.to_jsonb(r.by)::pg_catalog.text, s.\"group\"::pg_catalog.text, "
            "pg_catalog.encode(s.summary, 'hex') FROM ldp_internal.ldp_refresh AS r LEFT JOIN ldp.ldp_summaries AS s "
            "ON s.collection = r.collection WHERE r.collection = $1::pg_catalog.text ORDER BY s.\"group\"",
            name);
    });
    if (!found) return {};
    AttachedCollection collection{fetch_spec(connection, name), {}};
    for (const auto& row : *found) {
        if (row[1].is_null())
            raise(ErrorCode::environment, "collection \"" + name + "\" has no summaries", {},
                  "ldp refresh counts the reports of the collection.");
        collection.summaries.columns = Json::parse(row[0].as<std::string>()).get<std::vector<std::string>>();
        const Json group = Json::parse(row[1].as<std::string>());
        GroupSummary& one = collection.summaries.groups.emplace_back();
        for (const std::string& column : collection.summaries.columns) {
            const Json& value = group.at(column);
            if (value.is_null())
                one.values.emplace_back();
            else
                one.values.emplace_back(value.is_string() ? value.get<std::string>() : value.dump());
        }
        const std::string digits = row[2].as<std::string>();
        one.summary.resize(digits.size() / 2);
        if (!from_hex(digits, one.summary.data()))
            raise(ErrorCode::malformed, "a stored summary is not in hexadecimal");
    }
    return collection;
}

}  // namespace ldp::cli
