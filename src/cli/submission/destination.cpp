#include "cli/submission/destination.hpp"

#include <iostream>
#include <pqxx/pqxx>

#include "cli/submission/set_back.hpp"
#include "client/database/libpq_session.hpp"

namespace ldp::cli::submit {

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
        transport_ = std::make_unique<Uploader>(database_, name_, method);
        return;
    }
    if (!arguments["dsn"].defaulted() || !arguments["method"].defaulted())
        throw UsageError("--to (an endpoint) cannot be combined with --dsn or --method (a database)");
    endpoint_.emplace(arguments["to"].as<std::string>(), retry_policy);
    endpoint_->on_waiting(waiting);
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
