// Connection strings for libpq, and the reason why a connection failed. A header only, because libldp does
// not depend on libpq.
#pragma once

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/delivery/address.hpp"
#include "core/delivery/next_step.hpp"

namespace ldp::pq {

// Code that runs with a role's privileges, such as the trigger of a table, can change the settings of that role (ALTER ROLE …
// SET). These settings apply from the next session on. Settings that a client requests when it connects override them, and
// RESET restores the settings of the client.

/// The setting that shows whether the server took the requested options. Its value is random.
inline constexpr const char* session_mark = "ldp_client.session";

/// The options of a session, in the form of the parameter `options` of libpq, which separates words by
/// spaces. `version` is the server's, or 0 if it is unknown: an unknown setting would end the connection.
[[nodiscard]] inline std::string session_options(int version) {
    std::string options;
    for (const char* setting :
         {"role=none", "default_transaction_read_only=off", "default_transaction_isolation=read\\ committed",
          "default_transaction_deferrable=off", "standard_conforming_strings=on", "statement_timeout=0",
          "lock_timeout=0", "DateStyle=ISO", "TimeZone=UTC", "idle_in_transaction_session_timeout=0",
          "exit_on_error=off", "plpgsql.extra_errors=none", "client_min_messages=notice",
          "local_preload_libraries="})
        options += (options.empty() ? "-c " : " -c ") + std::string(setting);
    if (version >= 140000) options += " -c idle_session_timeout=0";
    if (version >= 170000) options += " -c transaction_timeout=0";
    return options;
}

struct FreeParameters {
    void operator()(PQconninfoOption* all) const noexcept { PQconninfoFree(all); }
};
/// The parameters of a connection string, which may be a URI; null if libpq cannot parse it.
using Parameters = std::unique_ptr<PQconninfoOption, FreeParameters>;
[[nodiscard]] inline Parameters parsed_parameters(const std::string& text) {
    return Parameters(PQconninfoParse(text.c_str(), nullptr));
}
/// Returns the address of the database of a connection string (normal_address()) without connecting. libpq's environment
/// variables and defaults supply missing parameters.
[[nodiscard]] inline std::string database_address(const std::string& text) {
    std::string host, port, name, user;
    const auto take = [&](const Parameters& all) {
        for (const PQconninfoOption* one = all.get(); one != nullptr && one->keyword != nullptr; ++one) {
            const std::string_view keyword = one->keyword;
            if (one->val == nullptr || *one->val == '\0') continue;
            if (keyword == "host" || keyword == "service" || (keyword == "hostaddr" && host.empty()))
                host = one->val;
            if (keyword == "port") port = one->val;
            if (keyword == "dbname") name = one->val;
            if (keyword == "user") user = one->val;
        }
    };
    take(Parameters(PQconndefaults()));
    take(parsed_parameters(text));
    return ldp::database_address(host, port, name.empty() ? user : name);
}
/// Appends a parameter to a connection string.
inline void add_parameter(std::string& text, std::string_view name, std::string_view value) {
    text += (text.empty() ? "" : " ") + std::string(name) + "='";
    for (const char c : value) {
        if (c == '\'' || c == '\\') text += '\\';
        text += c;
    }
    text += "'";
}

/// Returns a connection string with the parameters of `parameters`, and the parameters of `others` that
/// `parameters` lacks. Text that libpq cannot parse is returned unchanged: libpq reports the reason when it
/// connects.
[[nodiscard]] inline std::string with_parameters(
    const std::string& parameters,
    std::initializer_list<std::pair<std::string_view, std::string_view>> others) {
    const Parameters parsed = parsed_parameters(parameters);
    if (!parsed) return parameters;
    std::string text;
    for (const PQconninfoOption* one = parsed.get(); one->keyword != nullptr; ++one)
        if (one->val != nullptr) add_parameter(text, one->keyword, one->val);
    for (const auto& [name, value] : others) {
        const PQconninfoOption* own = parsed.get();
        while (own->keyword != nullptr && own->keyword != name) ++own;
        if (own->keyword != nullptr && own->val == nullptr) add_parameter(text, name, value);
    }
    return text;
}

/// Returns a connection string with the parameters of `parameters`, which may be a URI, in UTF-8, and with
/// these options before its own options, which take precedence. Text that libpq cannot parse is returned
/// unchanged.
[[nodiscard]] inline std::string session_parameters(const std::string& parameters,
                                                    const std::string& options) {
    const Parameters parsed = parsed_parameters(parameters);
    if (!parsed) return parameters;
    std::string text;
    const auto add = [&](std::string_view name, std::string_view value) { add_parameter(text, name, value); };
    const char* const environment = std::getenv("PGOPTIONS");
    std::string own = environment == nullptr ? "" : environment;
    for (const PQconninfoOption* one = parsed.get(); one->keyword != nullptr; ++one) {
        const std::string_view name = one->keyword;
        if (one->val == nullptr || name == "client_encoding") continue;
        if (name == "options")
            own = one->val;
        else
            add(name, one->val);
    }
    add("client_encoding", "UTF8");
    if (!options.empty()) add("options", options + (own.empty() ? "" : " ") + own);
    return text;
}

/// The parameters of `parameters` for a session that writes: of several hosts, libpq chooses the primary. A choice of the
/// caller, or of PGTARGETSESSIONATTRS, has priority.
[[nodiscard]] inline std::string for_writing(const std::string& parameters) {
    if (std::getenv("PGTARGETSESSIONATTRS") != nullptr) return parameters;
    // libpq 13 knows this value only. It refuses a server whose transactions are read-only by default.
    const std::string which = PQlibVersion() >= 140000 ? "primary" : "read-write";
    return with_parameters(parameters, {{"target_session_attrs", which}});
}

/// Whether a message of a server or pooler refuses the options of session_options(). Names of parameters and
/// settings are the same in every language. Poolers translate nothing.
[[nodiscard]] inline bool refuses_options(std::string_view message) {
    for (const std::string_view name : {"options", "command-line", "local_preload_libraries", "exit_on_error",
                                        "idle_session_timeout", "transaction_timeout", "ldp_client"})
        if (message.find(name) != std::string_view::npos) return true;
    return false;
}

/// Returns the SQLSTATE at the end of a libpq message of the verbosity PQERRORS_SQLSTATE; empty without one.
[[nodiscard]] inline std::string sqlstate_of(std::string_view message) {
    while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) message.remove_suffix(1);
    constexpr std::size_t length = 5;
    if (message.size() <= length) return {};
    const std::string_view state = message.substr(message.size() - length);
    const char before = message[message.size() - length - 1];
    const bool plain =
        std::ranges::all_of(state, [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); });
    return plain && (before == ' ' || before == '\n') ? std::string(state) : std::string();
}

/// Connects once more and returns the SQLSTATE with which the server refuses the connection: "00000" if it
/// accepts it, "28P01" if libpq needs a password, and empty without a response within ten seconds. Exceptions
/// of libpqxx have no SQLSTATE for a failed connection, and messages are in the language of the server.
[[nodiscard]] inline std::string connection_state(const std::string& parameters) {
    using std::chrono::steady_clock;
    struct Finishing {
        void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
    };
    const std::unique_ptr<PGconn, Finishing> attempt(PQconnectStart(parameters.c_str()));
    if (!attempt) return {};
    PQsetErrorVerbosity(attempt.get(), PQERRORS_SQLSTATE);
    const auto until = steady_clock::now() + std::chrono::seconds(10);
    auto next = PQstatus(attempt.get()) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
    while (next == PGRES_POLLING_READING || next == PGRES_POLLING_WRITING) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_clock::now()).count();
        pollfd socket{PQsocket(attempt.get()),
                      static_cast<short>(next == PGRES_POLLING_READING ? POLLIN : POLLOUT), 0};
        if (left <= 0 || ::poll(&socket, 1, static_cast<int>(left)) <= 0) return {};
        next = PQconnectPoll(attempt.get());
    }
    if (next == PGRES_POLLING_OK) return "00000";
    if (PQconnectionNeedsPassword(attempt.get()) != 0) return "28P01";
    return sqlstate_of(PQerrorMessage(attempt.get()));
}

/// Whether a server responds at the address of these parameters to a connection without encryption, of a role
/// and a database that do not exist, and without a password.
[[nodiscard]] inline bool responds_in_clear(const std::string& parameters) {
    const Parameters parsed = parsed_parameters(parameters);
    if (!parsed) return false;
    std::string address;
    for (const PQconninfoOption* one = parsed.get(); one->keyword != nullptr; ++one) {
        const std::string_view name = one->keyword;
        const bool kept = name == "host" || name == "hostaddr" || name == "port" || name == "service";
        if (kept && one->val != nullptr) add_parameter(address, name, one->val);
    }
    for (const auto& [name, value] :
         {std::pair{"user", "ldp_ping"}, std::pair{"dbname", "ldp_ping"}, std::pair{"password", ""},
          std::pair{"passfile", "/dev/null"}, std::pair{"sslmode", "disable"},
          std::pair{"gssencmode", "disable"}, std::pair{"connect_timeout", "10"}})
        add_parameter(address, name, value);
    const PGPing answer = PQping(address.c_str());
    return answer == PQPING_OK || answer == PQPING_REJECT;
}

/// Whether a later attempt to connect with these parameters may succeed, after an attempt has failed.
[[nodiscard]] inline bool connects_later(const std::string& parameters) {
    switch (PQping(parameters.c_str())) {
        case PQPING_NO_RESPONSE:
            // libpq reports the same if TLS fails, for example without a certificate that sslmode requires.
            // Then only a connection in clear gets a response. The second ping is for a server that has
            // started meanwhile.
            return !responds_in_clear(parameters) || PQping(parameters.c_str()) != PQPING_NO_RESPONSE;
        case PQPING_NO_ATTEMPT:  // invalid parameters
            return false;
        case PQPING_OK: {  // the server accepts connections, but may refuse this one
            const std::string state = connection_state(parameters);
            return state == "00000" || sql_reply(DeliveryRequest::submit, state, false).passing;
        }
        default:  // the server starts or stops
            return true;
    }
}

}  // namespace ldp::pq
