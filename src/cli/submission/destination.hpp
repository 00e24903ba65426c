// The destination of a submission: a database or an endpoint.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "client/http/http_uploader.hpp"
#include "client/uploader.hpp"

namespace ldp::cli::submit {

/// The SQL functions that --method selects.
extern const Choice<Uploader::Method> method_choice;

/// The collection's database or endpoint.
class Destination {
  public:
    /// Reads --dsn, --to, --method and --collection. Throws UsageError if they exclude each other.
    Destination(const Arguments& arguments, const RetryPolicy& retry_policy);
    // The handler `waiting` holds `this`.
    Destination(const Destination&) = delete;
    Destination& operator=(const Destination&) = delete;
    ~Destination() = default;

    using Notify = std::function<void(const std::string&)>;
    /// Replaces the handler of messages about retries during its own lifetime. The handler is called in the
    /// thread that waits.
    class NotifyScope {
      public:
        NotifyScope(Destination& destination, Notify handler)
            : current_(destination.notify_), before_(std::exchange(current_, std::move(handler))) {}
        NotifyScope(const NotifyScope&) = delete;
        NotifyScope& operator=(const NotifyScope&) = delete;
        ~NotifyScope() { current_.swap(before_); }

      private:
        Notify& current_;
        Notify before_;
    };

    [[nodiscard]] Spec spec();
    [[nodiscard]] std::vector<PublicColumn> public_columns();
    /// Returns those of the values that a public column cannot have.
    [[nodiscard]] std::vector<InvalidValue> invalid_values(const ColumnValues& asked);
    /// Returns the address of the endpoint or of the database, as the user named it. It does not depend on any response of a
    /// server.
    [[nodiscard]] std::string address() const { return transport_->destination().endpoint; }
    [[nodiscard]] BatchTransport& transport() { return *transport_; }
    /// Returns how batches are delivered: by an endpoint, or by which role of the database.
    [[nodiscard]] std::string route();
    /// Returns the time for which delivered reports are kept (--keep).
    [[nodiscard]] std::chrono::seconds keep() const noexcept { return keep_; }

  private:
    Connection database_;
    std::optional<HttpConnection> endpoint_;
    std::string name_;
    std::chrono::seconds keep_;
    std::unique_ptr<BatchTransport> transport_;
    Notify notify_;
};

}  // namespace ldp::cli::submit
