// Delivery of batches to the server, and the retry policy.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "client/store.hpp"
#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/delivery/next_step.hpp"

namespace ldp {

/// Reports that a batch was not counted and never will be, neither by this attempt nor by an earlier one.
/// After this exception Client::flush sends the reports in other batches. Therefore a transport may throw it
/// only if the outcome is certain, and must throw another exception if it is not.
class Undelivered : public Error {
  public:
    /// Takes the outcome (`refused`, `too_large` or `outdated`) and the error of the server or transport.
    Undelivered(BatchOutcome outcome, const Error& why) : Error(why), outcome_(outcome) {}
    /// Returns the outcome: `refused`, `too_large` or `outdated`.
    [[nodiscard]] BatchOutcome outcome() const noexcept { return outcome_; }

  private:
    BatchOutcome outcome_;
};

/// An Error (environment) of the server or of the connection to it.
class TransportFailure : public Error {
  public:
    /// Takes the error and whether it is temporary.
    TransportFailure(const Error& error, bool passing) : Error(error), passing_(passing) {}
    /// Returns whether the failure is temporary: the same request may succeed later.
    [[nodiscard]] bool passing() const noexcept { return passing_; }

  private:
    bool passing_;
};

/// Delivers batches: over a database connection (Uploader), through an endpoint (HttpUploader), or by an
/// implementation of the application.
class BatchTransport {
  public:
    BatchTransport() = default;
    BatchTransport(const BatchTransport&) = delete;
    BatchTransport& operator=(const BatchTransport&) = delete;
    virtual ~BatchTransport() = default;

    /// Delivers a batch, which is never empty, and returns when the server has counted it as a whole and
    /// durably. Returns true if this call caused the count, and false if the batch was counted before. Throws
    /// Undelivered if the batch was certainly not counted. After any other exception, the client delivers the
    /// same batch again under the same id until the outcome is known.
    virtual bool deliver(const Batch& batch) = 0;

    /// Returns where batches are delivered. Reports that were made for another destination are not sent there. Empty
    /// texts are unknown and not compared.
    [[nodiscard]] virtual Destination destination() const { return {}; }

    /// Returns the id of the history of the server that answered the last delivery, 16 hexadecimal digits;
    /// empty if it is unknown. It changes if the server may have lost committed reports.
    [[nodiscard]] virtual std::string history() const { return {}; }

    /// A call of deliver() for a prepared batch.
    using Delivery = std::function<bool()>;
    /// Returns a delivery after the preparation that does not need the server. May run while another thread
    /// delivers another batch. The batch need not outlive the call. The transport must outlive the result.
    [[nodiscard]] virtual Delivery prepare(const Batch& batch) {
        return [this, batch] { return deliver(batch); };
    }
};

/// The limits of retries after temporary failures.
struct RetryPolicy {
    /// Time from the first failure to the last attempt; 0: no retries.
    std::chrono::milliseconds limit{60000};
    /// Pause after the first failure; each further pause is twice as long.
    std::chrono::milliseconds first{100};
    /// Maximum pause.
    std::chrono::milliseconds longest{10000};
};

/// Pauses between attempts (exponential backoff). Their length is random, so that clients that failed
/// together do not retry together.
class Backoff {
  public:
    /// Starts a series of failures. `bits` must outlive the object.
    Backoff(const RetryPolicy& retry_policy, BitSource& bits) : retry_policy_(retry_policy), bits_(bits) {}
    /// Returns the next pause; nothing if the policy allows no attempt after the time `elapsed` since the
    /// first failure.
    [[nodiscard]] std::optional<std::chrono::milliseconds> next(std::chrono::milliseconds elapsed);

  private:
    RetryPolicy retry_policy_;
    BitSource& bits_;
    std::chrono::milliseconds pause_{0};
};

}  // namespace ldp
