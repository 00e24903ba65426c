// haar in the global form: the mean through the numeric randomizer at ε₁, and all other coefficients at once
// as a sign vector at ε₂, ε₁ + ε₂ ≤ ε.
//
// permanent response, payload: an output of the numeric randomizer's channel, and a sign vector
// state: the counters of the channel and of the sign vectors

#include <algorithm>
#include <cmath>

#include "core/base/exact.hpp"
#include "core/base/square.hpp"
#include "core/channel/sign_vector.hpp"
#include "core/math/channel_law.hpp"
#include "core/mechanism/vector/haar.hpp"

namespace ldp {

double coefficient_epsilon(double epsilon, double mean_epsilon) noexcept {
    return std::nextafter(epsilon - mean_epsilon, 0.0);
}

namespace {

class GlobalHaar final : public Haar {
  public:
    GlobalHaar(const Header& header, Bytes block, std::unique_ptr<const NumericChannel> randomizer,
               HaarPlan given)
        : Haar(header, block, std::move(randomizer), std::move(given)),
          sign_vectors_(tree().size() - 1, coefficient_epsilon(epsilon(), plan().mean_epsilon)) {}

    std::size_t payload_size() const noexcept override { return width_of_cell() + sign_vectors_.width(); }
    std::size_t state_size() const noexcept override {
        return channel().tally_size() + sign_vectors_.tally_size();
    }
    std::vector<std::pair<std::string, double>> parameters() const override {
        auto all = Haar::parameters();
        all.emplace_back("mean_epsilon", plan().mean_epsilon);
        all.emplace_back("magnitude", sign_vectors_.magnitude());
        return all;
    }

    void permanent_response(Input input, Bytes, BitSource& bits, MutableBytes permanent) const override {
        const std::vector<double> values = transform(input);
        std::vector<std::uint64_t> cells(values.size());
        for (std::size_t c = 0; c < values.size(); ++c) cells[c] = place(c, values[c]).draw(bits);
        store_cell(permanent.data(), width_of_cell(), channel().sample(cells[0], bits));
        sign_vectors_.sample(std::span(cells).subspan(1), channel().steps(), bits,
                             permanent.subspan(width_of_cell()));
    }

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override {
        if (!valid_payload(payload)) return false;
        channel().accumulate(state.data(), output(payload));
        sign_vectors_.accumulate(details(state), sign_vector(payload));
        return true;
    }
    bool accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept override {
        return channel().accumulate_all(state.data(), payloads.part(0, width_of_cell())) &&
               sign_vectors_.accumulate_all(details(state),
                                            payloads.part(width_of_cell(), sign_vectors_.width()));
    }
    void merge(MutableBytes state, Bytes other) const noexcept override {
        channel().merge(state.data(), other.data());
        sign_vectors_.merge(details(state), details(other));
    }
    bool valid_payload(Bytes payload) const noexcept override {
        return output(payload) < channel().outputs() && sign_vectors_.valid(sign_vector(payload));
    }
    bool valid_state(const Counts& counts) const noexcept override {
        return channel().valid(counts.n, counts.state.data()) &&
               sign_vectors_.valid(counts.n, details(counts.state));
    }

    std::vector<Check> health(const Counts& counts) const override {
        std::vector<Check> checks;
        for (const Check& check : channel().health(counts.n, counts.state.data()))
            checks.push_back({"mean: " + check.name, check.observed, check.expected, check.p_value});
        for (const Check& check : sign_vectors_.health(counts.n, details(counts.state)))
            checks.push_back({"details: " + check.name, check.observed, check.expected, check.p_value});
        return checks;
    }

    // About ten bit planes, 32 bytes per step.
    Cost cost() const noexcept override {
        const auto d = static_cast<double>(tree().size());
        return {7 + 10 * d / 256, 51 * d};
    }
    // Given the coefficients, the two parts of a report are independent.
    Exact probability(Input input, Bytes, Bytes permanent) const override {
        const std::vector<double> values = transform(input);
        std::vector<Exact> plus;
        for (std::size_t c = 1; c < values.size(); ++c) {
            const GridPoint point = place(c, values[c]);
            plus.push_back((exact(point.lower, 1) + exact_dyadic(point.up, 64)) /
                           exact(channel().steps(), 1));
        }
        return randomizer_probability(channel(), place(0, values[0]), output(permanent)) *
               sign_vectors_.probability(plus, sign_vector(permanent));
    }
    double max_probability(Bytes payload) const override {
        return channel().max_probability(output(payload)) * sign_vectors_.max_probability();
    }
    // The product of both ratios. It is attained if the mean and the other coefficients can reach the ends of
    // their ranges at once. On wider ranges (a mean of ±1 implies that the others are 0) it is a bound.
    Exact worst_ratio() const override { return channel().worst_ratio() * sign_vectors_.worst_ratio(); }
    ChannelLaw channel_law() const override {
        return {ProductLaw{{{channel().channel_law()}, {sign_vectors_.channel_law()}}}};
    }

  private:
    // Every report covers all coefficients, and a forger can choose each of them independently.
    std::vector<Contribution> contributions_in(
        std::span<const std::pair<std::size_t, double>> weights) const override {
        Contribution all{1, {0, 0}, {0, 0}};
        for (const auto& [c, weight] : weights) {
            const double reach = sign_vectors_.magnitude() * range(c).half();
            const Contribution one = contribution(
                c, weight, 1,
                c == 0 ? outputs_of(0) : Interval{range(c).middle() - reach, range(c).middle() + reach});
            all.terms = {all.terms.lower + one.terms.lower, all.terms.upper + one.terms.upper};
            all.truths = {all.truths.lower + one.truths.lower, all.truths.upper + one.truths.upper};
        }
        return {all};
    }

    // The mean square of a sign vector's coordinate is known, whatever the coefficients are. Their variance
    // is therefore that of the population. For the sample, it is conservative by the variance of the
    // combination between users. The mean has the variance of its numeric randomizer.
    Spectrum together(const Counts& counts, Target target) const override {
        const auto reports = static_cast<double>(counts.n);
        const auto moments = channel().invert(counts.n, counts.state.data());
        std::vector<double> values(tree().size());
        std::ranges::copy(sign_vectors_.means(counts.n, details(counts.state)), values.begin() + 1);
        Spectrum all = details_at(values, reports);
        const bool population = target == Target::population;
        all.values[0] = range(0).low() + step(0) * moments.mean;
        all.second_moments[0] =
            square(step(0)) * (moments.noise + (population ? moments.sampling : 0)) / reports;
        // If the numeric randomizer has no estimate of the second moment, its noise includes the variance of
        // the mean: at most this value.
        const auto top = static_cast<double>(channel().steps());
        const double inside = std::clamp(moments.mean, 0.0, top);
        const double spread = std::isnan(moments.mean_square) ? inside * (top - inside) : moments.sampling;
        if (population) all.mean_deviation = step(0) * std::sqrt(spread / reports);
        return all;
    }
    Spectrum alone(const Counts& counts, Target target) const override { return together(counts, target); }
    Spectrum at(std::span<const double> truths) const override {
        std::vector<double> scaled(tree().size());
        for (std::size_t c = 1; c < tree().size(); ++c)
            scaled[c] = (truths[c] - range(c).middle()) / range(c).half();
        Spectrum all = details_at(scaled, 1);
        all.second_moments[0] = randomizer_noise(channel(), 0, truths[0]);
        return all;
    }
    /// Returns the spectrum of n reports of coefficients with these means, in half-widths from the middle of
    /// the range.
    [[nodiscard]] Spectrum details_at(std::span<const double> scaled, double n) const {
        Spectrum all(tree().size());
        for (std::size_t c = 1; c < tree().size(); ++c) {
            const double half = range(c).half();
            all.values[c] = range(c).middle() + half * scaled[c];
            all.second_moments[c] = square(sign_vectors_.magnitude() * half) / n;
            all.first_moments[c] = half * std::clamp(scaled[c], -1.0, 1.0) / std::sqrt(n);
            all.bounds[c] = half / std::sqrt(n);
        }
        return all;
    }

    [[nodiscard]] std::uint64_t output(Bytes payload) const noexcept {
        return load_cell(payload.data(), width_of_cell());
    }
    [[nodiscard]] Bytes sign_vector(Bytes payload) const noexcept { return payload.subspan(width_of_cell()); }
    [[nodiscard]] std::byte* details(MutableBytes state) const noexcept {
        return state.data() + channel().tally_size();
    }
    [[nodiscard]] const std::byte* details(Bytes state) const noexcept {
        return state.data() + channel().tally_size();
    }

    SignVectorChannel sign_vectors_;
};

}  // namespace

std::unique_ptr<const Mechanism> make_global_haar(const Header& header, Bytes block,
                                                  std::unique_ptr<const NumericChannel> channel,
                                                  HaarPlan plan) {
    return std::make_unique<GlobalHaar>(header, block, std::move(channel), std::move(plan));
}

}  // namespace ldp
