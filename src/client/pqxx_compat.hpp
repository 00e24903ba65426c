// The only code that depends on differences between versions 6, 7 and 8 of libpqxx.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "client/batch_transport.hpp"
#include "client/database/libpq_session.hpp"
#include "client/in_quotes.hpp"
#include "core/base/bytes.hpp"
#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/delivery/next_step.hpp"
#include "core/delivery/public_values.hpp"

namespace ldp::pq {

#define LDP_PQXX_AT_LEAST(major, minor) \
    (PQXX_VERSION_MAJOR > (major) || (PQXX_VERSION_MAJOR == (major) && PQXX_VERSION_MINOR >= (minor)))

/// A row of a result: pqxx::row, and from version 8 on pqxx::row_ref.
using Row = pqxx::result::reference;

/// Runs one statement with the parameters $1, $2 and so on.
template <class... Parameters>
pqxx::result run(pqxx::transaction_base& transaction, const std::string& sql,
                 const Parameters&... parameters) {
#if LDP_PQXX_AT_LEAST(7, 10)
    return transaction.exec(sql, pqxx::params{parameters...});
#else
    return transaction.exec_params(sql, parameters...);
#endif
}

/// Bytes as a binary parameter. They must outlive the statement.
[[nodiscard]] inline auto binary(Bytes bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
#if LDP_PQXX_AT_LEAST(7, 3)
    return pqxx::binary_cast(text);
#else
    return pqxx::binarystring(text.data(), text.size());
#endif
}

/// Returns the address of the database of an open connection. libpqxx 6 has the host to which it is connected, later
/// versions all hosts among which libpq chose.
[[nodiscard]] inline std::string address_of(const pqxx::connection& connection) {
#if LDP_PQXX_AT_LEAST(7, 0)
    return database_address(connection.connection_string());
#else
    auto& open = const_cast<pqxx::connection&>(connection);
    const auto text = [](const char* found) { return found == nullptr ? std::string() : std::string(found); };
    return ldp::database_address(text(open.hostname()), text(open.port()), text(open.dbname()));
#endif
}

#undef LDP_PQXX_AT_LEAST

/// Returns public columns as a parameter of the type jsonb; NULL if no column has a value.
[[nodiscard]] inline std::optional<std::string> json(const PublicValues& columns) {
    return columns.empty() ? std::nullopt : std::optional(columns.json());
}

/// Inserts the reports of a batch into a collection's table: one row per report, or one row per batch if the
/// table stores batches. Each row gets these public columns. Returns the number of inserted reports. The SQL
/// has the quoted schema of the extension and the quoted table name with its schema, so that it does not
/// depend on the search path.
[[nodiscard]] inline std::int64_t insert(pqxx::transaction_base& transaction, const std::string& schema,
                                         const std::string& table, Bytes batch, std::int32_t round,
                                         const PublicValues& columns = {}) {
    return run(transaction,
               "SELECT " + schema + ".ldp_insert($1::pg_catalog.regclass, $2::" + schema +
                   ".ldp_report_batch, $3::pg_catalog.int4, $4::pg_catalog.jsonb)",
               table, binary(batch), std::to_string(round), json(columns))[0][0]
        .as<std::int64_t>();
}

/// Returns the first bytes of a text, at most 1 kB, without a part of a character in UTF-8.
[[nodiscard]] inline std::string_view first_kilobyte(std::string_view text) {
    constexpr std::size_t most = 1024;
    if (text.size() <= most) return text;
    std::size_t size = most;
    while (size > most - 4 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
    return text.substr(0, size);
}

/// The parts of a server's error. A trigger may raise any text.
struct ServerWords {
    std::string message, detail, hint;
};

/// Returns the parts of the server's text: "ERROR:  message", then lines such as "DETAIL:  …" and "HINT: …".
/// Each may have several lines, and is cut to 1 kB.
[[nodiscard]] inline ServerWords server_words(std::string_view answer) {
    ServerWords words;
    auto& [message, detail, hint] = words;
    std::string rest;
    // Labels are in the language of the server. A text without known labels is the message, without its own
    // label.
    const std::size_t label_end = answer.substr(0, answer.find('\n')).find(":  ");
    if (label_end != std::string_view::npos &&
        answer.substr(0, label_end).find(' ') == std::string_view::npos)
        answer.remove_prefix(label_end + 3);
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
        if (part->size() > 1024) continue;
        *part += (part->empty() ? "" : " ");
        *part += first_kilobyte(line);
    }
    for (std::string* one : {&message, &detail, &hint}) one->resize(first_kilobyte(*one).size());
    return words;
}

/// Returns the Error for the server's words. The detail quotes them; `advice` is the hint of this library.
[[nodiscard]] inline Error server_error(std::string_view doing, const ServerWords& words,
                                        const char* advice = nullptr) {
    return {ErrorCode::environment, std::string(doing) + ": the server rejected the statement",
            server_says(words.message, words.detail, words.hint), advice == nullptr ? "" : advice};
}

/// The failure of a request to a database, or of the connection.
class Failure : public TransportFailure {
  public:
    /// `reply` is the meaning of the failure for the submission of a batch; see sql_reply().
    /// `message` is the primary message of the server, and `sqlstate` its code.
    Failure(DeliveryReply reply, const Error& error, bool lost = false, std::string message = {},
            std::string sqlstate = {})
        : TransportFailure(error, reply.passing),
          reply_(reply),
          lost_(lost),
          message_(std::move(message)),
          sqlstate_(std::move(sqlstate)) {}
    /// Returns the meaning of the failure for the submission of a batch.
    [[nodiscard]] DeliveryReply reply() const noexcept { return reply_; }
    /// Whether the connection failed or broke, so that the result of the request is unknown.
    [[nodiscard]] bool lost() const noexcept { return lost_; }
    /// Returns the primary message of the server, as it was received; empty if the server sent none. The detail is not
    /// included, because it may quote a row.
    [[nodiscard]] const std::string& message() const noexcept { return message_; }
    /// Returns the SQLSTATE of a rejected statement; empty for another failure.
    [[nodiscard]] const std::string& sqlstate() const noexcept { return sqlstate_; }
    /// Whether the outcome of a batch is certain: refused, too_large or outdated.
    [[nodiscard]] bool is(BatchOutcome outcome) const noexcept { return reply_.outcome == outcome; }

  private:
    DeliveryReply reply_;
    bool lost_;
    std::string message_, sqlstate_;
};

/// Runs `work`, which uses the server, and converts the exceptions of libpqxx into Failure. `doing` names the
/// purpose in errors. If `work` connects, `connecting` has the parameters.
template <class Work>
auto guarded(std::string_view doing, Work&& work, const std::string* connecting = nullptr) {
    constexpr DeliveryReply passing{BatchOutcome::later, true}, lasting{BatchOutcome::later, false};
    const auto failure = [&](bool lost, const char* what, const std::string& detail, const char* hint) {
        return Failure(lost ? passing : lasting,
                       Error(ErrorCode::environment, std::string(doing) + ": " + what, detail, hint), lost);
    };
    // libpqxx's text warns of an unknown result, which is harmless here because a batch counts once.
    const auto in_doubt = [&] {
        return failure(true, "the connection broke while the server was finishing", "The result is unknown.",
                       "Repeat the call: a batch counts once, however often it is sent.");
    };
    const auto server_says = [&](DeliveryReply reply, const std::exception& refused, const char* hint,
                                 bool lost = false, std::string sqlstate = {}) {
        const ServerWords words = server_words(refused.what());
        return Failure(reply, server_error(doing, words, hint), lost, words.message, std::move(sqlstate));
    };
    constexpr const char* nothing_done = "The call had no effect, and may succeed later: repeat it.";
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
        throw failure(connecting == nullptr || connects_later(*connecting),
                      "there is no connection to the server", said_by("libpq", lost.what()),
                      "Check the connection parameters and that the server runs, then repeat the call.");
    } catch (const pqxx::insufficient_privilege& denied) {
        throw server_says(
            lasting, denied,
            "Submissions require membership in the role ldp_submitter, and queries in ldp_analyst. Both "
            "require USAGE on the schemas of ldp and of the collection.");
    } catch (const pqxx::transaction_rollback& interrupted) {
        throw server_says(passing, interrupted,
                          "Another session interfered, and the call had no effect: repeat it.");
    } catch (const pqxx::usage_error& misused) {
        throw failure(false, "the connection cannot be used", said_by("libpqxx", misused.what()),
                      "Close the open transaction of the connection first.");
    } catch (const pqxx::sql_error& refused) {
        // An error without an SQLSTATE comes from libpq; libpqxx throws another type if the connection broke.
        const DeliveryReply reply = refused.sqlstate().empty()
                                        ? lasting
                                        : sql_reply(DeliveryRequest::submit, refused.sqlstate(), false);
        throw server_says(reply, refused, reply.passing ? nothing_done : nullptr, false, refused.sqlstate());
    } catch (const pqxx::failure& lost) {
        throw server_says(passing, lost, "Repeat the call: a batch counts once, however often it is sent.",
                          true);
    } catch (const std::exception& other) {
        throw failure(false, "the call failed", said_by("libpqxx", other.what()),
                      "The reports remain in the queue.");
    }
}

/// Runs make(parameters), which connects, with the options of session_options() and those in `more`. If they
/// are refused, as by some poolers, runs it without options. Sets `direct` to whether the options were
/// accepted.
template <class Make>
auto connected(const std::string& parameters, int version, const std::string& more, bool& direct,
               Make&& make) {
    const std::string with_options = session_parameters(parameters, session_options(version) + more);
    return guarded(
        "connecting to the server",
        [&] {
            try {
                direct = true;
                return make(with_options);
            } catch (const pqxx::broken_connection& refused) {
                if (!refuses_options(refused.what())) throw;
            }
            direct = false;
            return make(session_parameters(parameters, {}));
        },
        &with_options);
}

}  // namespace ldp::pq

namespace ldp {

/// A connection to a database that is reopened after a failure. It retries temporary failures: a server that
/// restarts or is full, and conflicts between sessions. Its sessions are in UTF-8, and ignore the settings of
/// the role that could change which batches count (pq::session_options()).
///
/// A pooler may give each transaction another session. Behind a pooler and in a borrowed connection, settings
/// last for one transaction: call prepare() in each.
class Connection {
  public:
    /// Connects at the first use, to the server of this libpq connection string.
    explicit Connection(std::string parameters, const RetryPolicy& retry_policy = {})
        : parameters_(std::move(parameters)), retry_policy_(retry_policy) {}
    /// Borrows a connection, which must outlive this object. It is not reopened, but other temporary failures
    /// are retried.
    explicit Connection(pqxx::connection& connection, const RetryPolicy& retry_policy = {})
        : borrowed_(&connection), retry_policy_(retry_policy) {}

    /// Returns the address of the database (normal_address()) by the connection's parameters, without asking the server.
    /// Several hosts are a list, so that a failover does not change it. Returns an empty text for a borrowed connection
    /// that is closed.
    [[nodiscard]] std::string address() const {
        if (borrowed_ == nullptr) return pq::database_address(parameters_);
        return borrowed_->is_open() ? pq::address_of(*borrowed_) : std::string();
    }

    /// A listener that is called before each pause with its cause and length.
    using Waiting = std::function<void(const Error&, std::chrono::milliseconds)>;
    /// Sets the listener; by default there is no listener.
    void on_waiting(Waiting waiting) { waiting_ = std::move(waiting); }

    /// Runs work(connection), which must be safe to repeat, until it succeeds, fails permanently, or the
    /// retry policy ends. `doing` names the purpose in errors. Throws pq::Failure and other exceptions of
    /// `work`.
    template <class Work>
    auto persist(std::string_view doing, Work&& work) {
        using std::chrono::steady_clock;  // a monotonic clock, so that changes of the time have no effect
        SystemRandom bits;
        std::optional<Backoff> backoff;
        steady_clock::time_point first_failure;
        for (;;) {
            try {
                pqxx::connection& made = connection();
                return pq::guarded(doing, [&] { return work(made); });
            } catch (const pq::Failure& failure) {
                const bool broken = failure.lost() || !is_open();
                if (broken) own_.reset();
                if (!failure.passing() || (broken && borrowed_ != nullptr)) throw;
                if (!backoff) {
                    first_failure = steady_clock::now();
                    backoff.emplace(retry_policy_, bits);
                }
                const auto pause = backoff->next(std::chrono::duration_cast<std::chrono::milliseconds>(
                    steady_clock::now() - first_failure));
                if (!pause) throw;
                if (waiting_) waiting_(failure, *pause);
                std::this_thread::sleep_for(*pause);
            }
        }
    }

    /// Whether the connection is borrowed.
    [[nodiscard]] bool borrows() const noexcept { return borrowed_ != nullptr; }
    /// Whether the session is used by no other program: the connection is neither borrowed nor pooled.
    [[nodiscard]] bool direct() const noexcept { return borrowed_ == nullptr && direct_; }

    /// Sets, for a transaction that has run nothing yet, what the session may lack: UTF-8, and in a pooled
    /// session also the settings of pq::session_options(). Sets nothing in a direct session.
    void prepare(pqxx::transaction_base& transaction, bool writes = false) const {
        if (direct()) return;
        if (!borrows() && writes) {
            try {
                transaction.exec("SET TRANSACTION ISOLATION LEVEL READ COMMITTED READ WRITE");
            } catch (const pqxx::feature_not_supported& standby) {
                throw pq::Failure({BatchOutcome::later, true},
                                  pq::server_error("beginning to write", pq::server_words(standby.what())));
            }
        }
        transaction.exec(borrows()
                             ? "SET LOCAL client_encoding = 'UTF8'"
                             : "SET LOCAL client_encoding = 'UTF8'; SET LOCAL ROLE NONE; "
                               "SET LOCAL standard_conforming_strings = on; SET LOCAL statement_timeout = 0; "
                               "SET LOCAL lock_timeout = 0; SET LOCAL exit_on_error = off; "
                               "SET LOCAL idle_in_transaction_session_timeout = 0");
    }

  private:
    pqxx::connection& connection() {
        if (borrowed_ != nullptr) return *borrowed_;
        if (!own_) {
            const std::string mark = std::to_string(SystemRandom().word());
            std::string option = " -c ";
            option.append(pq::session_mark).append("=").append(mark);
            auto made = pq::connected(parameters_, version_, option, direct_, [](const std::string& all) {
                return std::make_unique<pqxx::connection>(all);
            });
            // The settings that this version has are requested from the next connection on.
            version_ = made->server_version();
            if (direct_)
                direct_ = pq::guarded("connecting to the server", [&] {
                    pqxx::nontransaction session(*made);
                    std::string query = "SELECT pg_catalog.current_setting('";
                    query.append(pq::session_mark).append("', true)");
                    const auto found = session.exec(query);
                    return !found[0][0].is_null() && found[0][0].as<std::string>() == mark;
                });
            own_ = std::move(made);
        }
        return *own_;
    }
    [[nodiscard]] bool is_open() const {
        const pqxx::connection* made = borrowed_ != nullptr ? borrowed_ : own_.get();
        return made != nullptr && made->is_open();
    }

    std::string parameters_;
    pqxx::connection* borrowed_ = nullptr;
    std::unique_ptr<pqxx::connection> own_;
    bool direct_ = true;  ///< whether the server took the options of the last connection
    int version_ = 0;     ///< of the server; 0 before the first connection
    RetryPolicy retry_policy_;
    Waiting waiting_;
};

}  // namespace ldp
