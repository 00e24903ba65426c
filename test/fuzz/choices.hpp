// Bytes as a source of decisions: equal bytes decide equally, and whatever chooses bytes, a random generator
// or a fuzzer that follows coverage, chooses what is built of them.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "core/base/random.hpp"
#include "core/base/text.hpp"

namespace ldp::fuzz {

/// Words come of the bytes while there are any, then of a generator that they seed (splitmix64), so that
/// loops which wait for a draw come to their end.
class Choices final : public BitSource {
  public:
    explicit Choices(Bytes bytes) noexcept : rest_(bytes) {
        ContentHash hash;
        hash.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        beyond_ = hash.value();
    }

    [[nodiscard]] std::uint64_t word() override {
        std::uint64_t word = 0;
        for (int i = 0; i < 8; ++i) word = word << 8 | byte();
        return word;
    }
    /// Below `bound`, from one byte or a word; with a bias that decisions may have.
    [[nodiscard]] std::uint64_t up_to(std::uint64_t bound) {
        return (bound <= 256 ? byte() : word()) % bound;
    }
    /// True once in this number of calls.
    [[nodiscard]] bool rarely(std::uint64_t times) { return up_to(times) == times - 1; }
    template <class T>
    [[nodiscard]] T one_of(std::initializer_list<T> all) {
        return std::data(all)[up_to(all.size())];
    }
    [[nodiscard]] Bytes take(std::size_t size) noexcept {
        const Bytes taken = rest_.first(std::min(size, rest_.size()));
        rest_ = rest_.subspan(taken.size());
        return taken;
    }

    /// A parameter that may be least..most: small most of the time, at or beyond an end now and then. An empty range has
    /// `least` alone.
    [[nodiscard]] std::uint64_t number(std::uint64_t least, std::uint64_t most) {
        switch (up_to(16)) {
            case 0:
                return least;
            case 1:
                return most;
            case 2:
                return least - 1;
            case 3:
                return most + 1;
            case 4:
                return word();
            case 5:
                return least + up_to(std::max(most, least) - least + 1);
            default:
                return std::min(most, least + up_to(40));
        }
    }
    /// A number that often reveals faults.
    [[nodiscard]] double real() {
        const auto bits = word();
        return up_to(2) == 0
                   ? load<double>(reinterpret_cast<const std::byte*>(&bits))
                   : one_of({0.0, -0.0, 1.0, -1.0, 0.5, 1e-310, 1e300, -1e300, 1.7976931348623157e308,
                             __builtin_inf(), -__builtin_inf(), __builtin_nan("")});
    }

  private:
    [[nodiscard]] std::uint8_t byte() noexcept {
        if (!rest_.empty()) {
            const auto first = std::to_integer<std::uint8_t>(rest_.front());
            rest_ = rest_.subspan(1);
            return first;
        }
        std::uint64_t mixed = beyond_ += 0x9e3779b97f4a7c15;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
        return static_cast<std::uint8_t>(mixed >> 56);
    }

    Bytes rest_;
    std::uint64_t beyond_;
};

/// Whether every input is asked everything, as those of the corpus are. Otherwise an input draws what it is
/// asked: a few questions to each of many inputs find more than all questions to a few.
inline bool ask_everything = false;

/// What an input draws: equal bytes draw equally, each time that they are looked at.
class Drawn {
  public:
    explicit Drawn(Bytes input) : draws_(input) { static_cast<void>(draws_.take(input.size())); }
    /// True once in this number of calls, or always for complete inputs.
    [[nodiscard]] bool one_in(std::uint64_t times) { return ask_everything || draws_.rarely(times); }
    /// One of this number of choices; for complete inputs all of them: the first and the end.
    [[nodiscard]] std::pair<std::size_t, std::size_t> among(std::size_t count) {
        if (ask_everything) return {0, count};
        const std::size_t one = draws_.up_to(count);
        return {one, one + 1};
    }

  private:
    Choices draws_;
};

}  // namespace ldp::fuzz
