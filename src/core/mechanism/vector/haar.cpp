// A vector through its Haar transform (Zhang et al. 2023 and Saatchi 2025 for the transform), reported in one
// of two ways. Both are ε in all; the published parity masks are not, their likelihood ratio is far above
// e^ε.
//
// sampled: each user draws one coefficient, publicly, and reports it through a numeric card at the full ε. If
//     c is drawn with probability π_c and its range is 2·r_c wide, Var is r_c²·(the card's)/π_c, so that
//     Σ need_c²·Var is least for π_c ∝ r_c·need_c. For the leaves need_c² is the number of leaves that c
//     enters, on a full tree π_level ∝ 2^{level/2}·r_level.
// global: the mean through the card at ε₁, and all details at once as a corner of their cube at ε₂, ε₁ + ε₂ ≤
// ε.
//
// A coefficient's range is [−1,1] or what the spec gives: values outside are moved to its ends, and all noise
// is proportional to it.
//
// parameters: d, grid steps, window width (4 bytes each), form (1), response (1), ranges of the attributes in
//             runs. That is all of form 0: sampled, for the leaves, all coefficients on [−1,1], the only form
//             of versions before 0.3. Forms 1 (sampled) and 2 (global) go on: aim (1), ranges of the
//             coefficients in runs with a length of 2 bytes: lo, hi (1 byte each, in 1/127). Form 2 ends in
//             ε₁ (8), which is what the window is for.
// enrolment:  sampled: the coefficient
// memo:       sampled: an output of the card's channel · global: the payload
// payload:    sampled: the coefficient, and an output of the card's channel
//             global:  an output of the card's channel, and a corner
// state:      sampled: per coefficient: reports (8), the channel's tally
//             global:  the channel's tally, and the corner's

#include "core/math/haar_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/channel/corner.hpp"
#include "core/channel/odds.hpp"
#include "core/mechanism/all.hpp"
#include "core/mechanism/mean/numeric_card.hpp"
#include "core/mechanism/vector/runs.hpp"
#include "core/spec/spec.hpp"
#include "core/summary/shrink.hpp"

namespace ldp {

namespace {

constexpr std::uint64_t max_attributes = 4096;
constexpr std::size_t count_size = sizeof(std::uint64_t);
enum class Form : std::uint8_t { plain = 0, sampled = 1, global = 2 };

double square(double number) noexcept {
    return number * number;
}

/// What the block says, whichever the form.
struct Plan {
    Form form;
    Aim aim = Aim::leaves;
    std::vector<Range> attributes;
    std::vector<UnitRange> coefficients;
    double mean_epsilon;  ///< what the card has: ε, or ε₁
};

class Haar : public Mechanism, public HaarMechanism {
  public:
    std::vector<std::uint64_t> cells() const final {
        return std::vector<std::uint64_t>(tree_.size(), channel_->inputs());
    }
    std::vector<std::pair<std::string, double>> parameters() const override {
        std::vector<std::pair<std::string, double>> all{{"attributes", static_cast<double>(tree_.size())},
                                                        {"grid", static_cast<double>(channel_->steps())}};
        for (const auto& parameter : channel_->parameters()) all.push_back(parameter);
        return all;
    }
    const HaarTree& tree() const noexcept final { return tree_; }
    Interval ends(std::size_t attribute) const noexcept final {
        return {plan_.attributes[attribute].min, plan_.attributes[attribute].max};
    }

    std::size_t clamped(Input input) const final {
        if (std::ranges::all_of(plan_.coefficients, [](UnitRange range) { return range == UnitRange{}; }))
            return 0;
        const std::vector<double> values = transform(input);
        std::size_t count = 0;
        for (std::size_t c = 0; c < values.size(); ++c)
            count += values[c] < range(c).low() || values[c] > range(c).high() ? 1 : 0;
        return count;
    }

    std::span<const Quantity> answers() const noexcept final {
        static constexpr Quantity quantities[] = {Quantity::means, Quantity::coefficients};
        return quantities;
    }
    std::vector<Estimate> estimate(std::uint64_t n, Bytes state, const Question& question) const final {
        std::vector<Estimate> estimates(tree_.size());
        if (question.quantity == Quantity::coefficients) {
            const Spectrum spectrum = alone(n, state, question.target);
            for (std::size_t c = 0; c < tree_.size(); ++c)
                estimates[c] = {spectrum.values[c], std::sqrt(spectrum.own[c] - square(spectrum.pull[c]))};
            return estimates;
        }
        const Spectrum spectrum = together(n, state, question.target);
        std::vector<double> leaves(tree_.size());
        tree_.inverse(spectrum.values, leaves);
        const std::vector<double> variances = leaf_variances(spectrum);
        for (std::size_t j = 0; j < tree_.size(); ++j) {
            const Range& attribute = plan_.attributes[j];
            estimates[j] = {attribute.middle() + attribute.half() * leaves[j],
                            attribute.half() * std::sqrt(variances[j])};
        }
        return estimates;
    }
    Estimate group_mean(std::uint64_t n, Bytes state, std::size_t first, std::size_t last,
                        Target target) const final {
        const Spectrum spectrum = together(n, state, target);
        const auto size = static_cast<double>(last - first + 1);
        std::vector<double> leaf_weights(tree_.size()), weights(tree_.size());
        double value = 0;
        for (std::size_t j = first; j <= last; ++j) {
            leaf_weights[j] = plan_.attributes[j].half() / size;
            value += plan_.attributes[j].middle() / size;
        }
        tree_.transpose(leaf_weights, weights);
        double own = 0, pull = 0, room = 0;
        for (std::size_t c = 0; c < tree_.size(); ++c) {
            if (weights[c] == 0) continue;  // what does not matter may be unknown
            value += weights[c] * spectrum.values[c];
            own += square(weights[c]) * spectrum.own[c];
            pull += weights[c] * spectrum.pull[c];
            room += std::abs(weights[c]) * spectrum.room[c];
        }
        return {value, std::sqrt(spectrum.variance(own, pull, room, std::abs(weights[0])))};
    }

    double n_variance(double truth) const final {
        std::vector<double> truths(tree_.size());
        truths[0] = truth;
        return std::ranges::max(leaf_variances(at(truths)));
    }

  protected:
    Haar(const Header& header, Bytes block, std::unique_ptr<const NumericChannel> channel, Plan plan)
        : Mechanism(header, block),
          channel_(std::move(channel)),
          plan_(std::move(plan)),
          tree_(plan_.attributes.size()),
          cell_width_(cell_width(channel_->outputs())) {}

    /// Coefficients, and what the variance of a combination Σ g·coefficient is made of. Without the mean, it
    /// is Σ g²·own − (Σ g·pull)². The mean is reported without regard to the details, but of the same people:
    /// in a population they may vary together, by no more than the mean does (tie) times what the details'
    /// combination can: the root of (Σ |g|·room)² − (Σ g·pull)².
    struct Spectrum {
        explicit Spectrum(std::size_t d) : values(d), own(d), pull(d), room(d) {}
        std::vector<double> values, own;
        std::vector<double> pull, room;  ///< 0 for the mean, and for details that nobody reports together
        double tie = 0;

        [[nodiscard]] double variance(double sum_own, double sum_pull, double sum_room,
                                      double mean_weight) const noexcept {
            const double spread = std::sqrt(std::max(0.0, square(sum_room) - square(sum_pull)));
            return sum_own - square(sum_pull) + 2 * mean_weight * tie * spread;
        }
    };

    [[nodiscard]] const NumericChannel& channel() const noexcept { return *channel_; }
    [[nodiscard]] const Plan& plan() const noexcept { return plan_; }
    [[nodiscard]] const UnitRange& range(std::size_t c) const noexcept { return plan_.coefficients[c]; }
    [[nodiscard]] std::size_t width_of_cell() const noexcept { return cell_width_; }

    [[nodiscard]] std::vector<double> transform(Input input) const {
        std::vector<double> leaves(input.size()), coefficients(input.size());
        std::ranges::transform(input, leaves.begin(), [&](Cell cell) {
            return 2 * static_cast<double>(cell) / static_cast<double>(channel_->steps()) - 1;
        });
        tree_.forward(leaves, coefficients);
        return coefficients;
    }
    /// A coefficient's value on the grid over its range.
    [[nodiscard]] GridPoint place(std::size_t c, double value) const noexcept {
        return grid_point(
            (value - range(c).low()) / (2 * range(c).half()) * static_cast<double>(channel_->steps()),
            channel_->steps());
    }
    /// A grid step of a coefficient.
    [[nodiscard]] double step(std::size_t c) const noexcept {
        return 2 * range(c).half() / static_cast<double>(channel_->steps());
    }
    /// n·Var that the card alone leaves in a coefficient whose value it is, moved into its range.
    [[nodiscard]] double card_noise(std::size_t c, double value) const noexcept {
        const double inside = std::clamp(value, range(c).low(), range(c).high());
        return square(step(c)) * channel_->noise_at((inside - range(c).low()) / step(c));
    }
    /// The exact probability of the card's output for a coefficient's place.
    [[nodiscard]] Exact card_probability(const GridPoint& point, std::uint64_t output) const {
        const Exact up = exact_dyadic(point.up, 64);
        Exact response = up.complement() * channel_->probability(point.lower, output);
        if (point.up != 0) response = response + up * channel_->probability(point.lower + 1, output);
        return response;
    }

  private:
    /// The coefficients, to be combined: n ≥ 1 reports.
    [[nodiscard]] virtual Spectrum together(std::uint64_t n, Bytes state, Target target) const = 0;
    /// The same, each for itself.
    [[nodiscard]] virtual Spectrum alone(std::uint64_t n, Bytes state, Target target) const = 0;
    /// One report of people who all have these coefficients.
    [[nodiscard]] virtual Spectrum at(std::span<const double> truths) const = 0;

    [[nodiscard]] std::vector<double> leaf_variances(const Spectrum& spectrum) const {
        std::vector<double> own(tree_.size()), pull(tree_.size()), room(tree_.size()), all(tree_.size());
        tree_.accumulate_paths(spectrum.own, own);
        tree_.inverse(spectrum.pull, pull);
        tree_.accumulate_paths(spectrum.room, room);
        for (std::size_t j = 0; j < all.size(); ++j) all[j] = spectrum.variance(own[j], pull[j], room[j], 1);
        return all;
    }

    std::unique_ptr<const NumericChannel> channel_;
    Plan plan_;
    HaarTree tree_;
    std::size_t cell_width_;
};

// Sampled details ------------------------------------------------------------------------------------------

/// Integer weights for the draw of a coefficient, their sum below 2^57.
std::vector<std::uint64_t> draw_weights(const HaarTree& tree, const Plan& plan) {
    const auto weights_for = [&](Aim aim) {
        std::vector<double> weights = squared_needs(tree, aim);
        for (std::size_t c = 0; c < weights.size(); ++c)
            weights[c] = plan.coefficients[c].half() * std::sqrt(weights[c]);
        return weights;
    };
    std::vector<double> weights = weights_for(plan.aim);
    int scale = 32;
    if (plan.aim == Aim::mean) {
        // A coefficient that the mean does without must be drawn too: an eighth of all reports are for
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

class SampledHaar final : public Haar {
  public:
    SampledHaar(const Header& header, Bytes block, std::unique_ptr<const NumericChannel> card, Plan given)
        : Haar(header, block, std::move(card), std::move(given)),
          draw_below_(draw_weights(tree(), plan())),
          index_width_(cell_width(tree().size())),
          slot_size_(count_size + channel().tally_size()) {
        std::partial_sum(draw_below_.begin(), draw_below_.end(), draw_below_.begin());
    }

    std::size_t enrolment_size() const noexcept override { return index_width_; }
    std::size_t memo_size() const noexcept override { return width_of_cell(); }
    std::size_t payload_size() const noexcept override { return index_width_ + width_of_cell(); }
    std::size_t state_size() const noexcept override { return tree().size() * slot_size_; }

    void enrol(BitSource& bits, MutableBytes enrolment) const override {
        store_cell(enrolment.data(), index_width_, bits.pick(draw_below_));
    }
    void randomise(Input input, Bytes enrolment, BitSource& bits, MutableBytes memo) const override {
        store_cell(memo.data(), width_of_cell(), channel().sample(seen(input, enrolment).draw(bits), bits));
    }
    void respond(Bytes enrolment, Bytes memo, BitSource&, MutableBytes payload) const override {
        std::ranges::copy(memo, std::ranges::copy(enrolment, payload.begin()).out);
    }
    // The coefficient's place, to the fraction of a grid step: other coefficients may change at no cost.
    std::vector<Cell> memo_key(Input input, Bytes enrolment) const override {
        const GridPoint point = seen(input, enrolment);
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
    void merge(MutableBytes state, Bytes other) const noexcept override {
        for (std::size_t at = 0; at < state.size(); at += slot_size_) {
            add(state.data() + at, load<std::uint64_t>(other.data() + at));
            channel().merge(state.data() + at + count_size, other.data() + at + count_size);
        }
    }
    bool valid_payload(Bytes payload) const noexcept override {
        return index(payload) < tree().size() && output(payload) < channel().outputs();
    }
    bool valid_state(std::uint64_t n, Bytes state) const noexcept override {
        std::uint64_t sum = 0;
        for (std::size_t at = 0; at < state.size(); at += slot_size_) {
            const auto reports = load<std::uint64_t>(state.data() + at);
            if (reports > n || !channel().valid(reports, state.data() + at + count_size)) return false;
            sum += reports;
        }
        return sum == n;
    }

    std::vector<Check> health(std::uint64_t, Bytes state) const override {
        std::vector<std::uint64_t> drawn;
        std::vector<double> weights;
        std::vector<std::vector<Check>> checks;
        for (std::size_t c = 0; c < tree().size(); ++c) {
            const std::byte* slot = state.data() + c * slot_size_;
            drawn.push_back(load<std::uint64_t>(slot));
            weights.push_back(static_cast<double>(draw_weight(c)));
            if (drawn.back() != 0) checks.push_back(channel().health(drawn.back(), slot + count_size));
        }
        std::vector<Check> worst = worst_of(checks, tree().size());
        worst.insert(worst.begin(), goodness_of_fit("coefficients drawn", drawn, weights));
        return worst;
    }

    Cost cost() const noexcept override { return {3, 10.0 * static_cast<double>(tree().size())}; }
    Exact probability(Input input, Bytes enrolment, Bytes memo) const override {
        return card_probability(seen(input, enrolment), load_cell(memo.data(), width_of_cell()));
    }
    // The coefficient is drawn without a look at the values; rounding to the grid mixes rows of the channel,
    // and a mixture of rows keeps their ratio. Every coefficient takes both ends of its range (±1 is reached
    // by values at the ends of theirs), where the channel's worst is attained.
    Exact worst_ratio() const override { return channel().worst_ratio(); }

  private:
    // A coefficient's estimate is the mean over the reports that drew it. Dividing by their number rather
    // than by its expectation is unbiased too, given that there are any, and never less accurate: the noise
    // of how many happened to draw it is gone. Given those numbers, coefficients of a population are
    // uncorrelated. `sampling` tells how much of the sampling error counts for a share of the reports.
    template <class Sampling>
    [[nodiscard]] Spectrum spectrum(std::uint64_t n, Bytes state, Sampling sampling) const {
        Spectrum all(tree().size());
        for (std::size_t c = 0; c < tree().size(); ++c) {
            const std::byte* slot = state.data() + c * slot_size_;
            const auto reports = load<std::uint64_t>(slot);
            if (reports == 0) {
                all.values[c] = all.own[c] = std::numeric_limits<double>::quiet_NaN();
                continue;
            }
            const auto moments = channel().invert(reports, slot + count_size);
            const double share = static_cast<double>(reports) / static_cast<double>(n);
            all.values[c] = range(c).low() + step(c) * moments.mean;
            all.own[c] = square(step(c)) * (moments.noise + moments.sampling * sampling(share)) /
                         static_cast<double>(reports);
        }
        return all;
    }
    // Against a population. Against the people who reported this errs on the safe side, by at most the
    // combination's own variance over n: the correlations that would tell more were never collected.
    Spectrum together(std::uint64_t n, Bytes state, Target) const override {
        return spectrum(n, state, [](double) { return 1; });
    }
    // The reports that drew a coefficient are themselves a sample of all: against the people who reported,
    // the part of the sampling error that remains is the share who drew another one. A card that cannot tell
    // it from the noise has all of it there, which errs on the safe side.
    Spectrum alone(std::uint64_t n, Bytes state, Target target) const override {
        return spectrum(n, state, [&](double share) { return target == Target::sample ? 1 - share : 1; });
    }
    Spectrum at(std::span<const double> truths) const override {
        Spectrum all(tree().size());
        for (std::size_t c = 0; c < tree().size(); ++c)
            all.own[c] = card_noise(c, truths[c]) * static_cast<double>(draw_below_.back()) /
                         static_cast<double>(draw_weight(c));
        return all;
    }

    /// Where the coefficient that was drawn lies, which is all that is looked at.
    [[nodiscard]] GridPoint seen(Input input, Bytes enrolment) const {
        const std::size_t c = index(enrolment);
        return place(c, transform(input)[c]);
    }
    /// Of a payload; the coefficient is that of an enrolment as well.
    [[nodiscard]] std::size_t index(Bytes payload) const noexcept {
        return load_cell(payload.data(), index_width_);
    }
    [[nodiscard]] std::uint64_t output(Bytes payload) const noexcept {
        return load_cell(payload.data() + index_width_, width_of_cell());
    }
    [[nodiscard]] std::uint64_t draw_weight(std::size_t c) const noexcept {
        return draw_below_[c] - (c == 0 ? 0 : draw_below_[c - 1]);
    }

    std::vector<std::uint64_t> draw_below_;  // running sums of the draw weights
    std::size_t index_width_;
    std::size_t slot_size_;
};

// Global details -------------------------------------------------------------------------------------------

/// What ε₁ leaves of ε, rounded so that the two together are no more than ε.
double detail_epsilon(double epsilon, double mean_epsilon) noexcept {
    return std::nextafter(epsilon - mean_epsilon, 0.0);
}

class GlobalHaar final : public Haar {
  public:
    GlobalHaar(const Header& header, Bytes block, std::unique_ptr<const NumericChannel> card, Plan given)
        : Haar(header, block, std::move(card), std::move(given)),
          corners_(tree().size() - 1, detail_epsilon(epsilon(), plan().mean_epsilon)) {}

    std::size_t payload_size() const noexcept override { return width_of_cell() + corners_.width(); }
    std::size_t state_size() const noexcept override {
        return channel().tally_size() + corners_.tally_size();
    }
    std::vector<std::pair<std::string, double>> parameters() const override {
        auto all = Haar::parameters();
        all.emplace_back("mean_epsilon", plan().mean_epsilon);
        all.emplace_back("magnitude", corners_.magnitude());
        return all;
    }

    void randomise(Input input, Bytes, BitSource& bits, MutableBytes memo) const override {
        const std::vector<double> values = transform(input);
        std::vector<std::uint64_t> cells(values.size());
        for (std::size_t c = 0; c < values.size(); ++c) cells[c] = place(c, values[c]).draw(bits);
        store_cell(memo.data(), width_of_cell(), channel().sample(cells[0], bits));
        corners_.sample(std::span(cells).subspan(1), channel().steps(), bits, memo.subspan(width_of_cell()));
    }

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override {
        if (!valid_payload(payload)) return false;
        channel().accumulate(state.data(), output(payload));
        corners_.accumulate(details(state), corner(payload));
        return true;
    }
    void merge(MutableBytes state, Bytes other) const noexcept override {
        channel().merge(state.data(), other.data());
        corners_.merge(details(state), details(other));
    }
    bool valid_payload(Bytes payload) const noexcept override {
        return output(payload) < channel().outputs() && corners_.valid(corner(payload));
    }
    bool valid_state(std::uint64_t n, Bytes state) const noexcept override {
        return channel().valid(n, state.data()) && corners_.valid(n, details(state));
    }

    std::vector<Check> health(std::uint64_t n, Bytes state) const override {
        std::vector<Check> checks;
        for (const Check& check : channel().health(n, state.data()))
            checks.push_back({"mean: " + check.name, check.observed, check.expected, check.p_value});
        for (const Check& check : corners_.health(n, details(state)))
            checks.push_back({"details: " + check.name, check.observed, check.expected, check.p_value});
        return checks;
    }

    // About ten planes, 32 bytes of them a step.
    Cost cost() const noexcept override {
        const auto d = static_cast<double>(tree().size());
        return {7 + 10 * d / 256, 51 * d};
    }
    // Given the coefficients, the mean's report and the details' are independent.
    Exact probability(Input input, Bytes, Bytes memo) const override {
        const std::vector<double> values = transform(input);
        std::vector<Exact> plus;
        for (std::size_t c = 1; c < values.size(); ++c) {
            const GridPoint point = place(c, values[c]);
            plus.push_back((exact(point.lower, 1) + exact_dyadic(point.up, 64)) /
                           exact(channel().steps(), 1));
        }
        return card_probability(place(0, values[0]), output(memo)) * corners_.probability(plus, corner(memo));
    }
    // The product of both, which is attained if the mean and the details can be at the ends of their ranges
    // all at once. On ranges too wide for that (a mean of ±1 leaves no details) it is a bound, and the
    // reports keep more than they promise.
    Exact worst_ratio() const override { return channel().worst_ratio() * corners_.worst_ratio(); }

  private:
    // What corners tell of details is their mean square, which is known, whatever the details are: so their
    // variance is the population's, and errs on the safe side against the people who reported, by the
    // variance of the combination among them. The mean has what its card tells.
    Spectrum together(std::uint64_t n, Bytes state, Target target) const override {
        const auto reports = static_cast<double>(n);
        const auto moments = channel().invert(n, state.data());
        std::vector<double> values(tree().size());
        std::ranges::copy(corners_.means(n, details(state)), values.begin() + 1);
        Spectrum all = details_at(values, reports);
        const bool population = target == Target::population;
        all.values[0] = range(0).low() + step(0) * moments.mean;
        all.own[0] = square(step(0)) * (moments.noise + (population ? moments.sampling : 0)) / reports;
        // A card that tells no second moment has the mean's variance in the noise: at most this.
        const auto top = static_cast<double>(channel().steps());
        const double inside = std::clamp(moments.mean, 0.0, top);
        const double spread = std::isnan(moments.mean_square) ? inside * (top - inside) : moments.sampling;
        if (population) all.tie = step(0) * std::sqrt(spread / reports);
        return all;
    }
    Spectrum alone(std::uint64_t n, Bytes state, Target target) const override {
        return together(n, state, target);
    }
    Spectrum at(std::span<const double> truths) const override {
        std::vector<double> scaled(tree().size());
        for (std::size_t c = 1; c < tree().size(); ++c)
            scaled[c] = (truths[c] - range(c).middle()) / range(c).half();
        Spectrum all = details_at(scaled, 1);
        all.own[0] = card_noise(0, truths[0]);
        return all;
    }
    /// n reports of details with these means, each in half-widths from the middle of its range.
    [[nodiscard]] Spectrum details_at(std::span<const double> scaled, double n) const {
        Spectrum all(tree().size());
        for (std::size_t c = 1; c < tree().size(); ++c) {
            const double half = range(c).half();
            all.values[c] = range(c).middle() + half * scaled[c];
            all.own[c] = square(corners_.magnitude() * half) / n;
            all.pull[c] = half * std::clamp(scaled[c], -1.0, 1.0) / std::sqrt(n);
            all.room[c] = half / std::sqrt(n);
        }
        return all;
    }

    [[nodiscard]] std::uint64_t output(Bytes payload) const noexcept {
        return load_cell(payload.data(), width_of_cell());
    }
    [[nodiscard]] Bytes corner(Bytes payload) const noexcept { return payload.subspan(width_of_cell()); }
    [[nodiscard]] std::byte* details(MutableBytes state) const noexcept {
        return state.data() + channel().tally_size();
    }
    [[nodiscard]] const std::byte* details(Bytes state) const noexcept {
        return state.data() + channel().tally_size();
    }

    CornerChannel corners_;
};

// Parameters -----------------------------------------------------------------------------------------------

constexpr std::array cards{pdp_card, piecewise_card, hybrid_card, duchi_card, laplace_card};
constexpr auto card_names = [] {
    std::array<const char*, cards.size()> names{};
    std::ranges::transform(cards, names.begin(), &NumericCard::name);
    return names;
}();
constexpr const char* detail_names[] = {"sampled", "global"};
constexpr const char* aim_names[] = {"leaves", "mean", "ranges"};  // in the order of Aim

/// The ε₁ that makes Σ need²·Var least, with every coefficient in the middle of its range, of all multiples
/// of ε/256 that leave both parts an ε that a spec may ask for. Where the aim is the mean, an eighth of ε is
/// for the details, so that the vector can be asked for.
double split(double epsilon, const NumericCard& card, std::uint64_t steps, Aim aim,
             const std::vector<UnitRange>& ranges) {
    const std::vector<double> needs = squared_needs(HaarTree(ranges.size()), aim);
    double mean_need = needs[0] * square(ranges[0].half()), detail_need = 0;
    for (std::size_t c = 1; c < needs.size(); ++c) detail_need += needs[c] * square(ranges[c].half());
    double best = 0, least = std::numeric_limits<double>::infinity();
    for (int part = 1; part < 256; ++part) {
        const double mean_epsilon = epsilon * part / 256;
        const double rest = detail_epsilon(epsilon, mean_epsilon);
        if (mean_epsilon < min_epsilon || rest < min_epsilon || (aim == Aim::mean && part > 224)) continue;
        const auto width = static_cast<std::uint32_t>(card.width(mean_epsilon, steps));
        const auto channel =
            make_channel(card.response, {static_cast<std::uint32_t>(steps), width}, mean_epsilon);
        const auto top = static_cast<double>(steps);
        const double variance = mean_need * channel->noise_at(top / 2) * 4 / (top * top) +
                                detail_need * square(CornerChannel(ranges.size() - 1, rest).magnitude());
        if (variance >= least) continue;
        least = variance;
        best = mean_epsilon;
    }
    if (best == 0)
        throw Error(ErrorCode::invalid_spec,
                    "epsilon is too small to be split between the mean and the details",
                    "Found " + std::to_string(epsilon) + "; each part needs at least " +
                        std::to_string(min_epsilon) + ".",
                    "Raise epsilon, or use \"details\": \"sampled\".");
    return best;
}

void write_unit_range(Writer& writer, const UnitRange& range) {
    writer.put(range.lo);
    writer.put(range.hi);
}

void write(const Spec& spec, Writer& writer) {
    const NumericCard& card = *std::ranges::find(cards, spec.word("card"), &NumericCard::name);
    const auto aim =
        static_cast<Aim>(std::ranges::find(aim_names, spec.word("target")) - std::begin(aim_names));
    const std::vector<UnitRange>& ranges = spec.ranges("coefficients");
    const std::uint64_t steps = spec.number("grid");
    const bool global = spec.word("details") == detail_names[1];
    const bool plain = !global && aim == Aim::leaves && ranges == std::vector<UnitRange>(ranges.size());
    const double mean_epsilon = global ? split(spec.epsilon(), card, steps, aim, ranges) : spec.epsilon();
    writer.put(static_cast<std::uint32_t>(ranges.size()));
    write_channel(writer, card, mean_epsilon, steps);
    writer.put(global ? Form::global : plain ? Form::plain : Form::sampled);
    writer.put(card.response);
    write_ranges(writer, spec.attributes());
    if (plain) return;
    writer.put(aim);
    write_runs<std::uint16_t>(writer, ranges, write_unit_range);
    if (global) writer.put(mean_epsilon);
}

UnitRange read_unit_range(Reader& reader) {
    const auto lo = reader.take<std::int8_t>();
    const auto hi = reader.take<std::int8_t>();
    if (lo < -UnitRange::steps || lo >= hi)
        throw Error(ErrorCode::malformed, "a coefficient's range is empty or too wide", {},
                    "The bytes were damaged or forged.");
    return {lo, hi};
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    const auto refuse = [](const std::string& detail) {
        throw Error(ErrorCode::malformed, "the Haar parameters are out of range", detail,
                    "The bytes were damaged or forged.");
    };
    Reader reader(block.subspan(header_size));
    const auto d = reader.take<std::uint32_t>();
    const ChannelSize size = read_channel(reader);
    Plan plan{
        .form = reader.take<Form>(), .attributes = {}, .coefficients = {}, .mean_epsilon = header.epsilon};
    const auto response = reader.take<Response>();
    if (d < 2 || d > max_attributes)
        refuse("Found " + std::to_string(d) + " attributes; allowed are 2 to " +
               std::to_string(max_attributes) + ".");
    if (plan.form > Form::global || std::ranges::find(cards, response, &NumericCard::response) == cards.end())
        refuse("Neither the form nor the response may be one that is not known.");
    plan.attributes = read_ranges(reader, d);
    plan.coefficients.resize(d);
    if (plan.form != Form::plain) {
        plan.aim = reader.take<Aim>();
        plan.coefficients = read_runs<std::uint16_t>(reader, d, read_unit_range);
        if (plan.aim > Aim::ranges) refuse("The aim is not known.");
        if (plan.form == Form::sampled && plan.aim == Aim::leaves &&
            plan.coefficients == std::vector<UnitRange>(d))
            refuse("These defaults have a shorter form.");
    }
    if (plan.form == Form::global) {
        plan.mean_epsilon = reader.take<double>();
        if (!(plan.mean_epsilon >= min_epsilon &&
              detail_epsilon(header.epsilon, plan.mean_epsilon) >= min_epsilon))
            refuse("The mean's share of epsilon leaves too little for it or for the details.");
    }
    reader.finish();
    auto channel = make_channel(response, size, plan.mean_epsilon);
    if (plan.form == Form::global)
        return std::make_unique<GlobalHaar>(header, block, std::move(channel), std::move(plan));
    return std::make_unique<SampledHaar>(header, block, std::move(channel), std::move(plan));
}

constexpr Option options[] = {grid_option,
                              {.name = "card", .choices = card_names},
                              {.name = "details", .choices = detail_names},
                              {.name = "target", .choices = aim_names, .later = true},
                              {.name = "coefficients", .ranges = true, .later = true}};

}  // namespace

const MechanismEntry haar_entry{
    5, "haar", "Haar transform", Shape::numeric_vector, max_attributes, false, options, write, load};

}  // namespace ldp
