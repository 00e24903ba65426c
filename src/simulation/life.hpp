// Simulated people whose values change, for predictions and the evaluation.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/random.hpp"

namespace ldp::simulation {

enum class Stream {
    syn,     ///< whole minutes, 0 to 359, uniform; in each round a new one with probability 1/4
    jitter,  ///< a base, which jumps with probability 1/100, and around it noise of up to 10 minutes
};

/// One person's values over the rounds: minutes in six hours.
class ValueProcess {
  public:
    static constexpr double most = 360;

    ValueProcess(Stream stream, BitSource& bits) : stream_(stream), base_(fresh(bits)) {}

    /// The value of the first round, and then of each next one. Of jitter it has hundredths and lies within 0
    /// to `most`, both included.
    [[nodiscard]] double next(BitSource& bits) {
        if (!first_ && bits.below(stream_ == Stream::syn ? 4 : 100) == 0) base_ = fresh(bits);
        first_ = false;
        if (stream_ == Stream::syn) return static_cast<double>(base_);
        const auto clamped = static_cast<std::int64_t>(base_ + bits.below(2 * noise + 1)) - noise;
        return static_cast<double>(std::clamp<std::int64_t>(clamped, 0, range)) / 100;
    }

  private:
    static constexpr std::int64_t range = 36000, noise = 1000;  // hundredths

    [[nodiscard]] std::uint64_t fresh(BitSource& bits) const {
        return bits.below(stream_ == Stream::syn ? 360 : range + 1);
    }

    Stream stream_;
    std::uint64_t base_;  ///< minutes, of jitter in hundredths
    bool first_ = true;
};

}  // namespace ldp::simulation
