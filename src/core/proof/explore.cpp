#include "core/proof/explore.hpp"

#include <bit>
#include <tuple>

namespace ldp {

namespace {

struct TooMany {};

/// A source of bits that returns one of the possible outcomes of each draw. The function next() advances to
/// the next sequence of outcomes: the last draw with a further outcome takes it, and later draws start again.
class Explorer final : public BitSource {
  public:
    explicit Explorer(std::uint64_t most) : most_(most) {}

    std::uint64_t word() override { throw TooMany{}; }
    std::uint64_t below(std::uint64_t bound) override {
        return choose(bound, [&](std::uint64_t) { return exact(1, bound); });
    }
    std::uint64_t fair(unsigned count) override { return throws(1, 1, count); }
    bool chance(std::uint64_t heads, std::uint64_t total) override {
        return heads == total || (heads > 0 && toss(exact(heads, total)));
    }
    bool lands(Uint128 heads, unsigned sides) override {
        return heads > 0 && toss(exact_dyadic(heads, sides));
    }
    std::uint64_t throws(std::uint64_t heads, unsigned sides, unsigned count) override {
        if (heads == 0) return 0;
        if (count >= 64) throw TooMany{};
        std::vector<Exact>& by_ones = lanes_[{heads, sides, count}];
        if (by_ones.empty()) {
            const Exact one = exact_dyadic(heads, sides);
            for (unsigned ones = 0; ones <= count; ++ones)
                by_ones.push_back(power(one, ones) * power(one.complement(), count - ones));
        }
        return choose(std::uint64_t{1} << count, [&](std::uint64_t owner_queues) {
            return by_ones[static_cast<unsigned>(std::popcount(owner_queues))];
        });
    }
    std::uint64_t pick(const Weights& weights) override {
        return choose(weights.highs + weights.lows, [&](std::uint64_t i) {
            return exact(i < weights.highs ? weights.high : weights.low, weights.total());
        });
    }
    /// Outcomes without weight are left out: no source draws them.
    std::uint64_t pick(std::span<const std::uint64_t> sums) override {
        const auto weight = [&](std::size_t i) { return sums[i] - (i == 0 ? 0 : sums[i - 1]); };
        std::vector<std::uint64_t> drawn;
        for (std::size_t i = 0; i < sums.size(); ++i)
            if (weight(i) > 0) drawn.push_back(i);
        return drawn[choose(drawn.size(),
                            [&](std::uint64_t i) { return exact(weight(drawn[i]), sums.back()); })];
    }

    /// The probability of all outcomes since the last next().
    [[nodiscard]] Exact probability() const { return draws_.empty() ? exact(1, 1) : draws_.back().so_far; }
    /// Returns false if no further sequence exists.
    [[nodiscard]] bool next() {
        at_ = 0;
        while (!draws_.empty() && ++draws_.back().outcome == draws_.back().outcomes) {
            alternatives_ -= draws_.back().outcomes - 1;
            draws_.pop_back();
        }
        if (draws_.empty()) return false;
        draws_.back().weighed = false;
        return true;
    }

  private:
    struct Draw {
        std::uint64_t outcome, outcomes;
        Exact so_far;  ///< the probability of this outcome and of all before it
        bool weighed;
    };

    template <class Weigh>
    std::uint64_t choose(std::uint64_t outcomes, Weigh&& weigh) {
        if (outcomes > most_) throw TooMany{};
        if (at_ == draws_.size()) {
            // Each alternative begins at least one more sequence.
            if ((alternatives_ += outcomes - 1) >= most_) throw TooMany{};
            draws_.push_back({0, outcomes, {}, false});
        }
        Draw& draw = draws_[at_];
        if (!draw.weighed) {
            const Exact here = weigh(draw.outcome);
            draw.so_far = at_ == 0 ? here : draws_[at_ - 1].so_far * here;
            draw.weighed = true;
        }
        ++at_;
        return draw.outcome;
    }
    bool toss(const Exact& heads) {
        return choose(2, [&](std::uint64_t side) { return side == 1 ? heads : heads.complement(); }) == 1;
    }

    std::uint64_t most_, alternatives_ = 0;
    std::vector<Draw> draws_;
    /// The probabilities of each number of ones among lanes, by the parameters of the draw.
    std::map<std::tuple<std::uint64_t, unsigned, unsigned>, std::vector<Exact>> lanes_;
    std::size_t at_ = 0;
};

}  // namespace

std::optional<Outcomes> law_of(std::size_t size, const std::function<void(BitSource&, MutableBytes)>& draw,
                               std::uint64_t& steps) {
    Outcomes law;
    Explorer bits(steps);
    std::vector<std::byte> drawn(size);
    std::uint64_t left = steps;
    try {
        do {
            if (left-- == 0) return std::nullopt;
            draw(bits, drawn);
            const Exact probability = bits.probability();
            if (probability.is_zero()) continue;  // an outcome of no weight
            const auto [known, fresh] = law.try_emplace(drawn, probability);
            if (!fresh) known->second = known->second + probability;
        } while (bits.next());
    } catch (const TooMany&) {
        return std::nullopt;
    }
    steps = left;
    return law;
}

}  // namespace ldp
