// What takes batches to where they are counted, and how long it keeps trying.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "client/store.hpp"
#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/delivery/next_step.hpp"

namespace ldp {

/// What a transport throws if it knows not only that it failed, but that the batch was not counted and cannot
/// be any more, by this attempt or an earlier one. Client::flush then sends its reports in other batches, so
/// whoever throws this must be certain; where nothing is certain, any other exception will do.
class Undelivered : public Error {
  public:
    /// The outcome (`refused`, `too_large` or `outdated`), and what the server or the transport said.
    Undelivered(BatchOutcome outcome, const Error& why) : Error(why), outcome_(outcome) {}
    /// One of the three outcomes of a batch that was not counted.
    [[nodiscard]] BatchOutcome outcome() const noexcept { return outcome_; }

  private:
    BatchOutcome outcome_;
};

/// Error (environment) of the server or the way to it.
class TransportFailure : public Error {
  public:
    /// What failed, and whether it passes.
    TransportFailure(const Error& error, bool passing) : Error(error), passing_(passing) {}
    /// Whether the same may succeed another time, without anybody's doing.
    [[nodiscard]] bool passing() const noexcept { return passing_; }

  private:
    bool passing_;
};

/// A way to the server: a database connection (Uploader), an endpoint (HttpUploader), or a program's own.
class BatchTransport {
  public:
    BatchTransport() = default;
    BatchTransport(const BatchTransport&) = delete;
    BatchTransport& operator=(const BatchTransport&) = delete;
    virtual ~BatchTransport() = default;

    /// Has the batch (see there; never empty) counted, whole and durably, before it returns. True if this
    /// call did it; false if the batch had been counted before. Throws if it is not known to be counted: the
    /// client then offers the same batch again, under the same id, as often as it takes; unless it is
    /// Undelivered that is thrown.
    virtual bool deliver(const Batch& batch) = 0;

    /// deliver() of a batch that is ready to be sent.
    using Delivery = std::function<bool()>;
    /// Does beforehand what needs no server, also while another thread is at a delivery of another batch. The
    /// batch may go; the transport must outlive what is returned.
    [[nodiscard]] virtual Delivery prepare(const Batch& batch) {
        return [this, batch] { return deliver(batch); };
    }
};

/// How long to keep trying what may succeed another time.
struct RetryPolicy {
    std::chrono::milliseconds limit{
        60000};  ///< in all, from the first failure to the last attempt; 0: not at all
    std::chrono::milliseconds first{100};  ///< pause after the first failure; each next one is twice as long
    std::chrono::milliseconds longest{10000};  ///< but no longer than this
};

/// The pauses between attempts: of random length, so that many clients that failed together do not come back
/// together.
class Backoff {
  public:
    /// Of one series of failures. `bits` must outlive it.
    Backoff(const RetryPolicy& retry_policy, BitSource& bits) : retry_policy_(retry_policy), bits_(bits) {}
    /// The next pause, if so long after the first failure there is to be another attempt.
    [[nodiscard]] std::optional<std::chrono::milliseconds> next(std::chrono::milliseconds elapsed);

  private:
    RetryPolicy retry_policy_;
    BitSource& bits_;
    std::chrono::milliseconds pause_{0};
};

}  // namespace ldp
