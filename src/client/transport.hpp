// The one place that knows libpqxx, whose interface moved between versions 6, 7 and 8.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <pqxx/pqxx>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/error.hpp"

namespace ldp::pq {

#define LDP_PQXX_AT_LEAST(major, minor) \
    (PQXX_VERSION_MAJOR > (major) || (PQXX_VERSION_MAJOR == (major) && PQXX_VERSION_MINOR >= (minor)))

/// Runs one statement with parameters, $1 and on.
template <class... Parameters>
pqxx::result run(pqxx::transaction_base& transaction, const std::string& sql,
                 const Parameters&... parameters) {
#if LDP_PQXX_AT_LEAST(7, 10)
    return transaction.exec(sql, pqxx::params{parameters...});
#else
    return transaction.exec_params(sql, parameters...);
#endif
}

/// COPY of two columns, a report in hexadecimal and its round; the table and the columns stand in SQL, quoted
/// where they need it.
class CopyStream {
  public:
    CopyStream(pqxx::transaction_base& transaction, const std::string& table,
               const std::array<std::string, 2>& columns)
#if LDP_PQXX_AT_LEAST(7, 4)
        : stream_(pqxx::stream_to::raw_table(transaction, table, columns[0] + "," + columns[1])){}
#else
        : stream_(transaction, table, columns) {
    }
#endif

          void row(const std::string& first, std::int32_t second) {
        stream_ << std::make_tuple(first, second);
    }
    /// Ends the COPY; the server's verdict on the rows arrives here at the latest.
    void complete() {
        stream_.complete();
    }

  private:
    pqxx::stream_to stream_;
};

#undef LDP_PQXX_AT_LEAST

/// The Error for what the server answered: "ERROR:  message", then lines such as "DETAIL:  …" and "HINT:  …",
/// each of which may run over several lines.
[[nodiscard]] inline Error server_error(std::string_view doing, std::string_view answer) {
    std::string message, detail, hint, rest;
    const std::pair<std::string_view, std::string*> labels[] = {
        {"ERROR:  ", &message}, {"FATAL:  ", &message}, {"DETAIL:  ", &detail},
        {"HINT:  ", &hint},     {"CONTEXT:  ", &rest},  {"LINE ", &rest},
    };
    std::string* part = &message;
    while (!answer.empty()) {
        std::string_view line = answer.substr(0, answer.find('\n'));
        answer.remove_prefix(std::min(line.size() + 1, answer.size()));
        for (const auto& [label, target] : labels)
            if (line.starts_with(label)) {
                part = target;
                line.remove_prefix(label.size());
                break;
            }
        *part += (part->empty() ? "" : " ") + std::string(line);
    }
    return {ErrorCode::environment, std::string(doing) + ": " + message, detail, hint};
}

/// Runs `work`, which talks to the server in order to do what `doing` says, and turns what libpqxx throws
/// into Error (environment).
template <class Work>
auto guarded(std::string_view doing, Work&& work) {
    const auto error = [&](const char* what, const std::string& detail, const char* hint) {
        return Error(ErrorCode::environment, std::string(doing) + ": " + what, detail, hint);
    };
    // libpqxx's own words for it alarm: it cannot know that a batch counts once.
    const auto in_doubt = [&] {
        return error("the connection broke while the server was finishing",
                     "Whether it finished is not known.",
                     "Repeat the call: a batch counts once, however often it is sent.");
    };
    const auto server_says = [&](const std::exception& refused, const char* hint) {
        const Error said = server_error(doing, refused.what());
        return Error(said.code(), said.what(), said.detail(), hint);
    };
    try {
        return work();
    } catch (const Error&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const pqxx::in_doubt_error&) {
        throw in_doubt();
    } catch (const pqxx::statement_completion_unknown&) {
        throw in_doubt();
    } catch (const pqxx::broken_connection& lost) {
        throw error("there is no connection to the server", lost.what(),
                    "Check the connection parameters and that the server runs, then repeat the call.");
    } catch (const pqxx::insufficient_privilege& denied) {
        throw server_says(denied,
                          "Submitting needs membership in the role ldp_submitter, and USAGE on the schemas "
                          "of ldp and of the collection.");
    } catch (const pqxx::transaction_rollback& interrupted) {
        throw server_says(interrupted,
                          "Another session was in the way, and nothing was done: repeat the call.");
    } catch (const pqxx::usage_error& misused) {
        throw error("the connection cannot be used now", misused.what(),
                    "It must have no transaction open meanwhile.");
    } catch (const pqxx::failure& refused) {
        throw server_error(doing, refused.what());
    } catch (const std::exception& other) {
        throw error("it failed", other.what(), "What was queued is queued still.");
    }
}

}  // namespace ldp::pq
