// haar in the sampled form: each user draws one coefficient, publicly, and reports it through a numeric
// randomizer at the full ε. Let c be drawn with probability π_c, and let its range have width 2·r_c. The
// variance of c is r_c²/π_c times that of the randomizer. The sum of need_c²·Var is smallest for π_c ∝
// r_c·need_c. For the leaves, need_c² is the number of leaves below c, and on a full tree π_level ∝
// 2^{level/2}·r_level.
//
// In two layers, an output is memoized for the position of the drawn coefficient and passes a symmetric
// response each time it is sent. The chain of both is the randomizer of one report.
//
// public randomness:  the coefficient · permanent response: an output of the numeric randomizer's channel
// payload:    the coefficient, and an output of the numeric randomizer's channel
// state:      per coefficient: reports (8), the channel's counters

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/exact.hpp"
#include "core/base/square.hpp"
#include "core/base/unknown.hpp"
#include "core/math/channel_law.hpp"
#include "core/math/spread.hpp"
#include "core/mechanism/frequency/second_layer.hpp"
#include "core/mechanism/role/error_law.hpp"
#include "core/mechanism/vector/haar.hpp"

namespace ldp {

namespace {

constexpr std::size_t count_size = sizeof(std::uint64_t);

/// Returns integer weights for the draw of a coefficient, with a sum below 2^57.
std::vector<std::uint64_t> draw_weights(const HaarTree& tree, const HaarPlan& plan) {
    const auto weights_for = [&](Aim aim) {
        std::vector<double> weights = squared_needs(tree, aim);
        for (std::size_t c = 0; c < weights.size(); ++c)
            weights[c] = plan.coefficients[c].half() * std::sqrt(weights[c]);
        return weights;
    };
    std::vector<double> weights = weights_for(plan.aim);
    int scale = 32;
    if (plan.aim == Aim::mean) {
        // Coefficients with weight 0 for the mean must be drawn, too: an eighth of all reports is for the
        // leaves.
        const std::vector<double> leaves = weights_for(Aim::leaves);
        const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
        const double all_leaves = std::accumulate(leaves.begin(), leaves.end(), 0.0);
        for (std::size_t c = 0; c < weights.size(); ++c)
            weights[c] = 7.0 / 8 * weights[c] / all + 1.0 / 8 * leaves[c] / all_leaves;
        scale = 56;
    }
    std::vector<std::uint64_t> whole(weights.size());
    std::ranges::transform(weights, whole.begin(), [scale](double weight) {
        return static_cast<std::uint64_t>(std::ldexp(weight, scale));
    });
    return whole;
}

class SampledHaar final : public Haar, public KnownErrors {
  public:
    SampledHaar(const Header& header, Bytes block, ChainedChannel layers, HaarPlan given)
        : Haar(header, block, std::move(layers.chain), std::move(given)),
          kept_(layers.kept == nullptr ? &channel() : layers.kept),
          sent_(layers.sent),
          draw_below_(draw_weights(tree(), plan())),
          index_width_(cell_width(tree().size())),
          slot_size_(count_size + channel().tally_size()) {
        std::partial_sum(draw_below_.begin(), draw_below_.end(), draw_below_.begin());
    }

    std::size_t public_size() const noexcept override { return index_width_; }
    std::size_t permanent_size() const noexcept override { return width_of_cell(); }
    std::size_t payload_size() const noexcept override { return index_width_ + width_of_cell(); }
    std::size_t state_size() const noexcept override { return tree().size() * slot_size_; }

    void draw_public(BitSource& bits, MutableBytes public_randomness) const override {
        store_cell(public_randomness.data(), index_width_, bits.pick(draw_below_));
    }
    bool valid_public(Bytes public_randomness) const noexcept override {
        return index(public_randomness) < tree().size();
    }
    void permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                            MutableBytes permanent) const override {
        store_cell(permanent.data(), width_of_cell(),
                   kept_->sample(seen(input, public_randomness).draw(bits), bits));
    }
    void instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource& bits,
                                MutableBytes payload) const override {
        const auto own = std::ranges::copy(public_randomness, payload.begin()).out;
        if (sent_ == nullptr)
            std::ranges::copy(permanent, own);
        else
            store_cell(payload.data() + index_width_, width_of_cell(),
                       sent_->sample(load_cell(permanent.data(), width_of_cell()), bits));
    }
    // The key is the coefficient's position, to the fraction of a grid step. Changes of other coefficients
    // cost no ε.
    std::vector<Cell> response_key(Input input, Bytes public_randomness) const override {
        const GridPoint point = seen(input, public_randomness);
        return {point.lower, point.up};
    }
    std::vector<double> key_spans(Bytes) const override {
        const auto steps = static_cast<double>(channel().steps());
        return {steps, std::ldexp(steps, 64)};
    }

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override {
        if (!valid_payload(payload)) return false;
        std::byte* slot = state.data() + index(payload) * slot_size_;
        add<std::uint64_t>(slot, 1);
        channel().accumulate(slot + count_size, output(payload));
        return true;
    }
    bool accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept override {
        return payloads.for_each_group(index_width_, [&](const Payloads& group) {
            const std::size_t c = index(group[0]);
            if (c >= tree().size()) return false;
            std::byte* slot = state.data() + c * slot_size_;
            add<std::uint64_t>(slot, group.count());
            return channel().accumulate_all(slot + count_size, group.part(index_width_, width_of_cell()));
        });
    }
    void merge(MutableBytes state, Bytes other) const noexcept override {
        for (std::size_t at = 0; at < state.size(); at += slot_size_) {
            add(state.data() + at, load<std::uint64_t>(other.data() + at));
            channel().merge(state.data() + at + count_size, other.data() + at + count_size);
        }
    }
    bool valid_payload(Bytes payload) const noexcept override {
        return index(payload) < tree().size() && output(payload) < channel().outputs();
    }
    bool valid_state(const Counts& counts) const noexcept override {
        std::uint64_t sum = 0;
        for (std::size_t at = 0; at < counts.state.size(); at += slot_size_) {
            const auto reports = load<std::uint64_t>(counts.state.data() + at);
            if (reports > counts.n || !channel().valid(reports, counts.state.data() + at + count_size))
                return false;
            sum += reports;
        }
        return sum == counts.n;
    }

    // An attribute's mean is a sum of coefficients, one per level and the mean. The variance of each is
    // estimated from the reports that drew it. With equal variances, the degrees of freedom are the sum over
    // these coefficients (Satterthwaite 1946).
    ErrorLaw error_law(std::uint64_t n, Target) const noexcept override {
        const auto each = static_cast<double>(n) / static_cast<double>(tree().size());
        return {.degrees_of_freedom =
                    std::max(1.0, static_cast<double>(tree().levels().size()) * (each - 1))};
    }
    // The variances of the coefficients in the weighted sum, with the degrees of freedom of each.
    ErrorLaw group_law(const Counts& counts, std::size_t first, std::size_t last, Target) const override {
        std::vector<double> leaf_weights(tree().size()), weights(tree().size());
        const double unit = widest_half(std::span(plan().attributes).subspan(first, last - first + 1));
        for (std::size_t j = first; j <= last; ++j) leaf_weights[j] = plan().attributes[j].half() / unit;
        tree().transpose(leaf_weights, weights);
        const Spectrum all = together(counts, Target::population);
        double sum = 0, squares = 0;
        for (std::size_t c = 0; c < tree().size(); ++c) {
            const std::uint64_t reports = reports_of(counts, c);
            if (weights[c] == 0 || reports == 0) continue;
            const double variance = square(weights[c]) * all.second_moments[c];
            sum += variance;
            squares += square(variance) / std::max(1.0, static_cast<double>(reports) - 1);
        }
        return {.degrees_of_freedom = squares > 0 ? square(sum) / squares : 0};
    }
    std::vector<std::pair<std::string, double>> parameters() const override {
        auto all = Haar::parameters();
        if (sent_ == nullptr) return all;
        all.emplace_back("report_epsilon", plan().report_epsilon);
        all.emplace_back("second_epsilon", sent_->epsilon());
        return all;
    }
    std::vector<Check> health(const Counts& counts) const override {
        std::vector<std::uint64_t> drawn;
        std::vector<double> weights;
        std::vector<std::vector<Check>> checks;
        for (std::size_t c = 0; c < tree().size(); ++c) {
            drawn.push_back(reports_of(counts, c));
            weights.push_back(static_cast<double>(draw_weight(c)));
            if (drawn.back() != 0)
                checks.push_back(channel().health(drawn.back(), slot(counts, c) + count_size));
        }
        std::vector<Check> worst = worst_of(checks, tree().size());
        worst.insert(worst.begin(), goodness_of_fit("coefficients drawn", drawn, weights));
        return worst;
    }

    double max_probability(Bytes payload) const override {
        return chance(index(payload)) * channel().max_probability(output(payload));
    }

    // Users with equal attributes have coefficients of 0, but the users who draw the mean are a sample of
    // all.
    double n_variance_of(std::size_t attribute, std::size_t item,
                         std::span<const double> shares) const override {
        return Haar::n_variance_of(attribute, item, shares) + moments_of(shares).second * (1 / chance(0) - 1);
    }
    // The users who draw a coefficient are a sample of all, and their values differ by at most its range. No
    // vector has every coefficient at an end of its range, so that this is a bound.
    double expected_variance(std::size_t) const override {
        Spectrum worst(tree().size());
        const double noise = channel().most_noise(0);  // scans the whole grid
        for (std::size_t c = 0; c < tree().size(); ++c)
            worst.second_moments[c] = square(step(c)) * noise / chance(c);
        return std::ranges::max(leaf_variances(worst));
    }
    Cost cost() const noexcept override { return {3, 10.0 * static_cast<double>(tree().size())}; }
    Exact probability(Input input, Bytes public_randomness, Bytes permanent) const override {
        return randomizer_probability(*kept_, seen(input, public_randomness),
                                      load_cell(permanent.data(), width_of_cell()));
    }
    // The draw of the coefficient does not depend on the values. Rounding to the grid mixes rows of the
    // channel, which does not increase their ratio. Every coefficient attains both ends of its range (values
    // at the ends of their ranges yield ±1), where the channel's ratio is largest.
    Exact worst_ratio() const override { return kept_->worst_ratio(); }

    double report_epsilon() const noexcept override {
        return sent_ == nullptr ? epsilon() : plan().report_epsilon;
    }
    Exact instantaneous_probability(Bytes public_randomness, Bytes permanent, Bytes payload) const override {
        if (index(payload) != index(public_randomness)) return exact(0, 1);
        const std::uint64_t kept = load_cell(permanent.data(), width_of_cell());
        if (sent_ == nullptr) return exact(kept == output(payload) ? 1 : 0, 1);
        return exact(sent_->weight(kept, output(payload)), sent_->total());
    }
    Exact first_report_ratio() const override { return channel().worst_ratio(); }
    ChannelLaw channel_law() const override { return channel().channel_law(); }

    // A response's mean given the memoized output is the memoized output's own estimate.
    double n_covariance(double truth) const override {
        std::vector<double> truths(tree().size());
        truths[0] = truth;
        return std::ranges::max(leaf_variances(noise(*kept_, truths)));
    }
    // The noise of an estimate is a sum over coefficients, each with the ratio of its own value. With the
    // variance between people, Σ(N(s) + s²) − n·(mean)² about the middle of the range takes the place of
    // ΣN(s), and the mean only makes the ratio smaller.
    std::optional<Interval> memoized_share() const override {
        constexpr int positions = 64;
        const auto top = static_cast<double>(channel().steps());
        Interval share{1, 0};
        for (int i = 0; i <= positions; ++i) {
            const double s = top * i / positions, spread = square(s - top / 2);
            const double kept = kept_->noise_at(s), sent = channel().noise_at(s);
            share.lower = std::min(share.lower, kept / sent);
            share.upper = std::max(share.upper, (kept + spread) / (sent + spread));
        }
        return share;
    }

  private:
    std::vector<Contribution> contributions_in(
        std::span<const std::pair<std::size_t, double>> weights) const override {
        std::vector<Contribution> contributions;
        for (const auto& [c, weight] : weights)
            contributions.push_back(contribution(c, weight, chance(c), outputs_of(c)));
        return contributions;
    }

    // A coefficient's estimate is the mean over the reports that drew it. Dividing by their number instead of
    // its expectation is unbiased given at least one report, and never less accurate, since it removes the
    // noise of that number. Given these numbers, the coefficients of a population are uncorrelated.
    // `sampling` returns the weight of the sampling error for a share of the reports.
    //
    // The sample variance of m users is too small by Var(mean) on average, which is their noise and true
    // variance over m. With few users it may be 0. Therefore this amount is added. The true variance is
    // pooled over all coefficients, in grid steps of each: Σ(m·seen + noise)/Σ(m − 1).
    template <class Sampling>
    [[nodiscard]] Spectrum spectrum(const Counts& counts, Sampling sampling) const {
        Spectrum all(tree().size());
        std::vector<NumericChannel::Moments> moments(tree().size());
        double squares = 0, degrees_of_freedom = 0;
        for (std::size_t c = 0; c < tree().size(); ++c) {
            const auto reports = static_cast<double>(reports_of(counts, c));
            if (reports == 0) continue;
            moments[c] = channel().invert(reports_of(counts, c), slot(counts, c) + count_size);
            squares += reports * moments[c].sampling + moments[c].noise;
            degrees_of_freedom += reports - 1;
        }
        const auto steps = static_cast<double>(channel().steps());
        const double usual = degrees_of_freedom > 0 ? squares / degrees_of_freedom : steps * steps / 12;
        for (std::size_t c = 0; c < tree().size(); ++c) {
            const auto reports = static_cast<double>(reports_of(counts, c));
            if (reports == 0) {
                all.values[c] = all.second_moments[c] = unknown;
                continue;
            }
            const auto& [mean, mean_square, noise, seen] = moments[c];
            const double spread = seen + (std::isnan(mean_square) ? 0 : (noise + usual) / reports);
            const double share = reports / static_cast<double>(counts.n);
            all.values[c] = range(c).low() + step(c) * mean;
            all.second_moments[c] = square(step(c)) * (noise + spread * sampling(share)) / reports;
        }
        return all;
    }
    // The target is the population. For the sample, the result is conservative by at most the variance of the
    // combination over n. The correlations for a better bound are not collected.
    Spectrum together(const Counts& counts, Target) const override {
        return spectrum(counts, [](double) { return 1; });
    }
    // The reports that drew a coefficient are a sample of all. For the target sample, the remaining sampling
    // error is weighted by the share of users who drew another coefficient. If a numeric randomizer cannot
    // separate the variance between users from its noise, all of it is included, which is conservative.
    Spectrum alone(const Counts& counts, Target target) const override {
        return spectrum(counts, [&](double share) { return target == Target::sample ? 1 - share : 1; });
    }
    Spectrum at(std::span<const double> truths) const override { return noise(channel(), truths); }
    /// Returns the spectrum of one report, or of one memoized output.
    [[nodiscard]] Spectrum noise(const NumericChannel& channel, std::span<const double> truths) const {
        Spectrum all(tree().size());
        for (std::size_t c = 0; c < tree().size(); ++c)
            all.second_moments[c] = randomizer_noise(channel, c, truths[c]) *
                                    static_cast<double>(draw_below_.back()) /
                                    static_cast<double>(draw_weight(c));
        return all;
    }

    [[nodiscard]] const std::byte* slot(const Counts& counts, std::size_t c) const noexcept {
        return counts.state.data() + c * slot_size_;
    }
    [[nodiscard]] std::uint64_t reports_of(const Counts& counts, std::size_t c) const noexcept {
        return load<std::uint64_t>(slot(counts, c));
    }
    /// Returns the position of the drawn coefficient, the only part of the input that is used.
    [[nodiscard]] GridPoint seen(Input input, Bytes public_randomness) const {
        const std::size_t c = index(public_randomness);
        return place(c, transform(input)[c]);
    }
    /// Returns the index in a payload, or in public randomness, which both start with it.
    [[nodiscard]] std::size_t index(Bytes payload) const noexcept {
        return load_cell(payload.data(), index_width_);
    }
    [[nodiscard]] std::uint64_t output(Bytes payload) const noexcept {
        return load_cell(payload.data() + index_width_, width_of_cell());
    }
    [[nodiscard]] std::uint64_t draw_weight(std::size_t c) const noexcept {
        return draw_below_[c] - (c == 0 ? 0 : draw_below_[c - 1]);
    }
    [[nodiscard]] double chance(std::size_t c) const noexcept {
        return static_cast<double>(draw_weight(c)) / static_cast<double>(draw_below_.back());
    }

    const NumericChannel* kept_;    // of memoized outputs: part of the channel, or the channel itself
    const SymmetricChannel* sent_;  // part of the channel; null in one layer
    std::vector<std::uint64_t> draw_below_;  // cumulative sums of the draw weights
    std::size_t index_width_;
    std::size_t slot_size_;
};

}  // namespace

std::unique_ptr<const Mechanism> make_sampled_haar(const Header& header, Bytes block, ChainedChannel channel,
                                                   HaarPlan plan) {
    return std::make_unique<SampledHaar>(header, block, std::move(channel), std::move(plan));
}

}  // namespace ldp
