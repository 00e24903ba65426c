// Simulated people whose values change, for predictions and the evaluation.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/random.hpp"

namespace ldp::simulation {

enum class Stream {
    syn,     ///< a whole number, uniform on 0 to 359, drawn again in each round with probability 1/4
    jitter,  ///< a base, which is drawn again with probability 1/100, plus noise of up to 10 minutes
};

/// The values of one person in all rounds: minutes, from 0 to six hours.
class ValueProcess {
  public:
    static constexpr double most = 360;

    ValueProcess(Stream stream, BitSource& bits) : stream_(stream), base_(fresh(bits)) {}

    /// Returns the value of the first round at the first call, and of the next round at each further call.
    /// The values of jitter are multiples of 1/100 from 0 to `most`, inclusive.
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
    std::uint64_t base_;  ///< in minutes; for jitter, in hundredths of a minute
    bool first_ = true;
};

}  // namespace ldp::simulation
