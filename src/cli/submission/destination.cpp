#include "cli/submission/destination.hpp"

#include <algorithm>
#include <cctype>
#include <iostream>
#include <pqxx/pqxx>

#include "cli/submission/set_back.hpp"
#include "client/database/libpq_session.hpp"

namespace ldp::cli::submit {

namespace {

/// Returns the address of the database of these parameters without asking it: "postgresql://HOST:PORT/NAME". Parameters
/// that are missing are those of libpq, from the environment or its defaults. Several hosts stay a list.
std::string database_address(const std::string& parameters) {
    struct Freeing {
        void operator()(PQconninfoOption* all) const noexcept { PQconninfoFree(all); }
    };
    std::string host, port, name, user;
    const auto take = [&](PQconninfoOption* options) {
        const std::unique_ptr<PQconninfoOption, Freeing> all(options);
        for (const PQconninfoOption* one = all.get(); one != nullptr && one->keyword != nullptr; ++one) {
            const std::string_view keyword = one->keyword;
            if (one->val == nullptr || *one->val == '\0') continue;
            if (keyword == "host" || (keyword == "hostaddr" && host.empty())) host = one->val;
            if (keyword == "port") port = one->val;
            if (keyword == "dbname") name = one->val;
            if (keyword == "user") user = one->val;
        }
    };
    take(PQconndefaults());
    take(PQconninfoParse(parameters.c_str(), nullptr));
    return "postgresql://" + host + ":" + port + "/" + (name.empty() ? user : name);
}

/// Returns the address of an endpoint in one form, so that a slash at its end or capitals make no other endpoint.
std::string normal_address(std::string address) {
    while (address.ends_with('/')) address.pop_back();
    const std::size_t scheme = address.find("://");
    const std::size_t host = scheme == std::string::npos ? 0 : scheme + 3;
    const std::size_t path = std::min(address.find('/', host), address.size());
    std::ranges::transform(address.begin(), address.begin() + static_cast<std::ptrdiff_t>(path),
                           address.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::string_view default_port = ":80";
    if (std::string_view(address).substr(0, path).ends_with(default_port))
        address.erase(path - default_port.size(), default_port.size());
    return address;
}

}  // namespace

const Choice<Uploader::Method> method_choice{
    "method", {{"insert", Uploader::Method::insert}, {"call", Uploader::Method::call}}};

Destination::Destination(const Arguments& arguments, const RetryPolicy& retry_policy)
    : database_(pq::for_writing(arguments["dsn"].as<std::string>()), retry_policy),
      name_(arguments["collection"].as<std::string>()),
      keep_(keep_option(arguments.count("keep") == 0 ? "0" : arguments["keep"].as<std::string>())),
      notify_([](const std::string& line) { std::cerr << line << "\n"; }) {
    const auto waiting = [this, notified = false](const Error& why, std::chrono::milliseconds) mutable {
        if (!std::exchange(notified, true)) notify_(std::string(why.what()) + "; retrying");
    };
    const Uploader::Method method = method_choice.chosen(arguments);
    if (arguments.count("to") == 0) {
        database_.on_waiting(waiting);
        address_ = database_address(arguments["dsn"].as<std::string>());
        transport_ = std::make_unique<Uploader>(database_, name_, method);
        return;
    }
    if (!arguments["dsn"].defaulted() || !arguments["method"].defaulted())
        throw UsageError("--to is for an endpoint, --dsn and --method are for a database");
    endpoint_.emplace(arguments["to"].as<std::string>(), retry_policy);
    endpoint_->on_waiting(waiting);
    address_ = normal_address(arguments["to"].as<std::string>());
    transport_ = std::make_unique<HttpUploader>(*endpoint_, name_);
}

Spec Destination::spec() {
    return endpoint_ ? fetch_spec(*endpoint_, name_) : fetch_spec(database_, name_);
}

std::vector<PublicColumn> Destination::public_columns() {
    return endpoint_ ? fetch_public_columns(*endpoint_, name_) : fetch_public_columns(database_, name_);
}

std::vector<InvalidValue> Destination::invalid_values(const ColumnValues& asked) {
    return endpoint_ ? find_invalid_values(*endpoint_, name_, asked)
                     : find_invalid_values(database_, name_, asked);
}

std::string Destination::route() {
    if (endpoint_) return "an endpoint";
    return database_.persist("looking up the role", [&](pqxx::connection& connection) {
        pqxx::work transaction(connection);
        database_.prepare(transaction);
        return "the role " + transaction.exec("SELECT session_user::pg_catalog.text")[0][0].as<std::string>();
    });
}

}  // namespace ldp::cli::submit
