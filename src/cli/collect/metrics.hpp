// Metrics of the endpoint in Prometheus' text format, without labels for clients or collections.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace ldp::collect {

/// Used from one thread.
class Metrics {
  public:
    /// Counts a response, with the time since the complete request in seconds.
    void answered(unsigned status, double seconds);
    /// Counts a committed transaction, with its duration in seconds.
    void stored(std::size_t batches, std::uint64_t reports, double seconds);

    std::uint64_t connections = 0;  ///< open connections
    std::uint64_t crowded_out = 0;  ///< connections closed to make room for others
    std::uint64_t refused = 0;      ///< connections closed at once because of the limit for their address
    bool database = false;          ///< whether the database responds

    /// Returns the metrics as text. `waiting` is the number of batches in the queue.
    [[nodiscard]] std::string text(std::size_t waiting) const;

  private:
    static constexpr std::array bounds{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                       0.25,  0.5,    1.0,   2.5,  5.0,   10.0};

    std::map<unsigned, std::uint64_t> requests_;
    std::array<std::uint64_t, bounds.size()>
        within_{};  ///< requests by duration: at most this bound and more than the previous bound
    std::uint64_t count_ = 0, batches_ = 0, reports_ = 0, transactions_ = 0;
    double seconds_ = 0, transaction_seconds_ = 0;
};

}  // namespace ldp::collect
