// What the endpoint counts of itself, in Prometheus' text format. No client and no collection is told apart.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace ldp::collect {

/// Used from one thread.
class Metrics {
  public:
    /// A request was answered so many seconds after it had come in whole.
    void answered(unsigned status, double seconds);
    /// A transaction was committed.
    void stored(std::size_t batches, std::uint64_t reports, double seconds);

    std::uint64_t connections = 0;  ///< open now
    std::uint64_t crowded_out = 0;  ///< closed to make room for others
    std::uint64_t refused = 0;      ///< closed at once, because their address had enough
    bool database = false;          ///< whether it answers

    /// `waiting`: batches on their way to the database.
    [[nodiscard]] std::string text(std::size_t waiting) const;

  private:
    static constexpr std::array bounds{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                       0.25,  0.5,    1.0,   2.5,  5.0,   10.0};

    std::map<unsigned, std::uint64_t> requests_;
    std::array<std::uint64_t, bounds.size()>
        within_{};  ///< requests that took no longer, and longer than the bound before
    std::uint64_t count_ = 0, batches_ = 0, reports_ = 0, transactions_ = 0;
    double seconds_ = 0, transaction_seconds_ = 0;
};

}  // namespace ldp::collect
