// RAPPOR (Erlingsson, Pihur, Korolova 2014): a value sets h of the m bits of a Bloom filter, and every bit is
// flipped with the same probability f. Users are divided at random into c cohorts with different bits per
// value, so that two values which share bits in one cohort differ in the others. Two filters differ in at
// most 2h bits: ((1−f)/f)^2h ≤ exp(ε).
//
// This is the one-time form. With "report_epsilon", it is the memoized permanent response. Every bit is
// flipped again each time it is sent: the instantaneous response, here with p = 1 − q. The second flip is
// solved so that the total flip probability f satisfies ((1−f)/f)^2h ≤ exp(ε₁).
//
// Parameters: k (4 bytes), m (2), h (1), c (2), then, if there are two layers, ε₁ (8) · public randomness:
// the cohort (1 byte) · permanent response: m bits, lowest first · payload: cohort, permanent response.
// State: reports per cohort (8 bytes each), bit counters per cohort, then Σ (ones in a report)² (16 bytes).
//
// Length: the file contains a whole mechanism, which estimates by regression.

#include <algorithm>
#include <boost/container/static_vector.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/exact.hpp"
#include "core/base/interrupt.hpp"
#include "core/channel/coin.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/math/bit_counters.hpp"
#include "core/math/channel_law.hpp"
#include "core/math/lazy.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/frequency/second_layer.hpp"
#include "core/mechanism/literature/sparse_regression.hpp"
#include "core/mechanism/longitudinal/candidate_search.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::rappor {

namespace {

constexpr std::uint64_t max_domain = std::uint64_t{1} << 16;
constexpr std::uint64_t least_bits = 8, max_bits = 1024, max_hashes = 8, max_cohorts = 256;
/// Largest number of values in one regression, which is dense.
constexpr std::size_t max_regressors = 2048;

/// The bits of a filter that a value sets, one per hash function.
using Places = boost::container::static_vector<std::uint16_t, max_hashes>;

/// SplitMix64 (Steele, Lea, Flood 2014). It is part of the format: clients and servers must use the same.
class Mixer {
  public:
    explicit Mixer(std::uint64_t seed) noexcept : state_(seed) {}
    /// Returns a nearly uniform number below a small bound. The bias is at most bound/2^64; the number is
    /// public, so that the bias does not affect privacy.
    [[nodiscard]] std::uint64_t below(std::uint64_t bound) noexcept {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return static_cast<std::uint64_t>(Uint128{z ^ z >> 31} * bound >> 64);
    }

  private:
    std::uint64_t state_;
};

/// The flip probability is that of a coin at ε/2h. The quotient must not be rounded up, so that 2h flips have
/// at most ε.
std::uint64_t flip_heads(double epsilon, std::uint64_t hashes) {
    const double flips = 2 * static_cast<double>(hashes);
    double share = epsilon / flips;
    if (std::fma(share, flips, -epsilon) > 0) share = std::nextafter(share, 0.0);
    return rare_heads(share);
}

class Rappor final : public Mechanism, public Significance, public CandidateSearch {
  public:
    /// Two layers if report_epsilon is less than the header's epsilon.
    Rappor(const Header& header, Bytes block, std::uint64_t k, std::size_t m, std::size_t h, std::size_t c,
           double report_epsilon)
        : Mechanism(header, block),
          k_(k),
          m_(m),
          h_(h),
          c_(c),
          counters_(m),
          report_epsilon_(report_epsilon),
          flip_(flip_heads(header.epsilon, h)),
          again_(two_layers() ? second_flips(flip_.heads(), flip_heads(report_epsilon, h)) : 0) {}

    std::vector<std::uint64_t> cells() const override { return {k_}; }
    std::size_t payload_size() const noexcept override { return 1 + permanent_size(); }
    std::size_t state_size() const noexcept override { return squares_at() + sizeof(Uint128); }
    std::size_t public_size() const noexcept override { return 1; }
    std::size_t permanent_size() const noexcept override { return counters_.width(); }
    std::vector<std::pair<std::string, double>> parameters() const override {
        std::vector<std::pair<std::string, double>> all{{"domain", static_cast<double>(k_)},
                                                        {"filter_bits", static_cast<double>(m_)},
                                                        {"hashes", static_cast<double>(h_)},
                                                        {"cohorts", static_cast<double>(c_)},
                                                        {"flip", flip_.probability()}};
        if (two_layers()) {
            all.emplace_back("report_epsilon", report_epsilon_);
            all.emplace_back("second_flip", again_.probability());
            all.emplace_back("possible_responses", static_cast<double>(most_keys()));
        }
        return all;
    }

    void draw_public(BitSource& bits, MutableBytes public_randomness) const override {
        public_randomness[0] = static_cast<std::byte>(bits.below(c_));
    }
    bool valid_public(Bytes public_randomness) const noexcept override {
        return cohort_of(public_randomness) < c_;
    }
    // The flips are drawn independently of the value.
    void permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                            MutableBytes permanent) const override {
        flip_.fill(bits, m_, permanent);
        flip_filter(cohort_of(public_randomness), input[0], permanent);
    }
    void instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource& bits,
                                MutableBytes payload) const override {
        payload[0] = public_randomness[0];
        const MutableBytes flips = payload.subspan(1);
        if (two_layers())
            again_.fill(bits, m_, flips);
        else
            std::ranges::fill(flips, std::byte{0});
        for (std::size_t i = 0; i < permanent.size(); ++i) flips[i] ^= permanent[i];
    }

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override {
        if (!valid_payload(payload)) return false;
        const std::size_t cohort = cohort_of(payload);
        add<std::uint64_t>(state.data() + cohort * counter_size, 1);
        counters_.add(state.data() + bits_at(cohort), payload.data() + 1);
        const std::uint64_t ones = BitCounters::ones(payload.subspan(1));
        add<Uint128>(state.data() + squares_at(), ones * ones);
        return true;
    }
    bool accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept override {
        return payloads.for_each_group(1, [&](const Payloads& group) {
            const std::size_t cohort = cohort_of(group[0]);
            const Payloads strings = group.part(1, counters_.width());
            if (cohort >= c_) return false;
            add<std::uint64_t>(state.data() + cohort * counter_size, group.count());
            const BitCounters::Ones ones = counters_.count_all(state.data() + bits_at(cohort), strings);
            add(state.data() + squares_at(), ones.squares);
            return counters_.tidy(ones);
        });
    }
    void merge(MutableBytes state, Bytes other) const noexcept override {
        merge_counters(state.first(bits_at(0)), other.first(bits_at(0)));
        for (std::size_t j = 0; j < c_; ++j)
            counters_.merge(state.data() + bits_at(j), other.data() + bits_at(j));
        add<Uint128>(state.data() + squares_at(), load<Uint128>(other.data() + squares_at()));
    }
    bool valid_payload(Bytes payload) const noexcept override {
        return cohort_of(payload) < c_ && counters_.tidy(payload.data() + 1);
    }
    bool valid_state(const Counts& counts) const noexcept override {
        if (!counters_sum_to(counts.state.first(bits_at(0)), counts.n)) return false;
        for (std::size_t j = 0; j < c_; ++j)
            if (!counters_.at_most(counts.state.data() + bits_at(j), counter(counts.state, j))) return false;
        return load<Uint128>(counts.state.data() + squares_at()) <= Uint128{counts.n} * m_ * m_;
    }

    std::span<const Quantity> answers() const noexcept override {
        static constexpr Quantity quantities[] = {Quantity::frequencies};
        return quantities;
    }
    /// Error (unsupported) if the bits do not determine the shares of all values: more than 2048 values, or a
    /// design whose columns are linearly dependent.
    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const override;
    std::vector<Picked> pick(const Counts& counts, CandidateMethod method) const override;
    std::vector<Check> health(const Counts& counts) const override;
    std::vector<Contribution> contributions(const Question&) const override {
        return {{1, terms_.get([this] { return terms(); }), {0, 1}}};
    }
    double max_probability(Bytes payload) const override;

    /// Returns the largest variance over the values and over the distribution of the others; infinite without
    /// estimates.
    double n_variance(double truth) const override { return n_variance(truth, bit_noise(sent_flips())); }
    /// The noise of the permanent response, and of the draw of the cohort.
    double n_variance_of(std::size_t, std::size_t item, std::span<const double> shares) const override {
        const std::optional<LeastSquares>& fit = fit_of_all();
        if (!fit) return std::numeric_limits<double>::infinity();
        return n_variances(*fit, shares, bit_noise(sent_flips()))[item];
    }
    double n_covariance(double truth) const override {
        return n_variance(truth, bit_noise(flip_.probability()));
    }
    // Decoding the state, then the regression: either an inverse and the products with it, or some dozens of
    // passes over the candidates' bits.
    Cost cost() const noexcept override {
        const auto k = static_cast<double>(k_), ones = static_cast<double>(h_ * c_);
        const double fit = k_ <= max_regressors ? k * k * (k / 6 + 2 * ones) : 100 * k * ones;
        return {5 + 10 * static_cast<double>(m_) / 256, 41 * static_cast<double>(m_ * c_) + fit};
    }
    Exact probability(Input input, Bytes public_randomness, Bytes permanent) const override {
        std::vector<std::byte> flips(permanent.begin(), permanent.end());
        flip_filter(cohort_of(public_randomness), input[0], flips);
        const auto flipped = static_cast<unsigned>(BitCounters::ones(flips));
        return power(flip(), flipped) * power(flip().complement(), static_cast<unsigned>(m_) - flipped);
    }
    // In the worst permanent response, all bits in which two filters differ agree with one of the filters.
    // Two filters differ in at most 2·min(h, m−h) bits. The search ends with the first pair that does. It
    // compares all pairs of all cohorts only if a few values have no such pair.
    Exact worst_ratio() const override {
        return power(flip().complement() / flip(), static_cast<unsigned>(greatest_difference()));
    }

    double report_epsilon() const noexcept override { return report_epsilon_; }
    Exact instantaneous_probability(Bytes public_randomness, Bytes permanent, Bytes payload) const override {
        if (payload[0] != public_randomness[0]) return exact(0, 1);
        std::vector<std::byte> flips(permanent.begin(), permanent.end());
        for (std::size_t i = 0; i < flips.size(); ++i) flips[i] ^= payload[1 + i];
        const auto flipped = static_cast<unsigned>(BitCounters::ones(flips));
        return power(again(), flipped) * power(again().complement(), static_cast<unsigned>(m_) - flipped);
    }
    // As for a permanent response, with the probability that exactly one of the layers flips a bit.
    Exact first_report_ratio() const override {
        const Exact sent = flip() * again().complement() + flip().complement() * again();
        return power(sent.complement() / sent, static_cast<unsigned>(greatest_difference()));
    }
    ChannelLaw channel_law() const override {
        const std::size_t half = greatest_difference() / 2;
        ChannelLaw law{BitsLaw{{{flip(), flip().complement()}, {flip().complement(), flip()}},
                               {{{0, 1, half}, {1, 0, half}}}}};
        if (two_layers()) law.second = SecondLayer{again().complement(), again()};
        return law;
    }

  private:
    bool two_layers() const noexcept { return report_epsilon_ < epsilon(); }
    static std::size_t cohort_of(Bytes bytes) noexcept { return std::to_integer<std::size_t>(bytes[0]); }
    std::size_t bits_at(std::size_t cohort) const noexcept {
        return c_ * counter_size + cohort * counters_.size();
    }
    std::size_t squares_at() const noexcept { return bits_at(c_); }

    Exact flip() const { return exact_dyadic(flip_.heads(), flip_.bits()); }
    Exact again() const { return exact_dyadic(again_.heads(), again_.bits()); }
    /// Returns the probability that a bit of a report differs from the filter's.
    double sent_flips() const noexcept {
        const double f = flip_.probability();
        return f + again_.probability() * (1 - 2 * f);
    }

    /// Returns the bits of a value, all different. All sets of size h are equally probable (Bentley, Floyd
    /// 1987).
    Places places(std::size_t cohort, Cell value) const noexcept {
        Mixer mixer(std::uint64_t{cohort} << 32 | value);
        Places chosen;
        for (std::size_t last = m_ - h_; last < m_; ++last) {
            const auto place = static_cast<std::uint16_t>(mixer.below(last + 1));
            chosen.push_back(holds(chosen, place) ? static_cast<std::uint16_t>(last) : place);
        }
        return chosen;
    }
    static bool holds(const Places& places, std::uint16_t place) noexcept {
        return std::ranges::find(places, place) != places.end();
    }
    void flip_filter(std::size_t cohort, Cell value, MutableBytes string) const noexcept {
        for (const std::uint16_t place : places(cohort, value))
            string[place / 8] ^= static_cast<std::byte>(1u << place % 8);
    }
    std::size_t greatest_difference() const;

    /// Returns the bounds of a report's term in any share.
    Interval terms() const;
    /// Returns the design matrix of these values: one column per value, one block of rows per cohort.
    BlockDesign design(std::span<const std::size_t> values, bool centred) const;
    BlockDesign design_of_all(bool centred) const {
        std::vector<std::size_t> values(k_);
        std::iota(values.begin(), values.end(), std::size_t{0});
        return design(values, centred);
    }
    /// Returns the fit of all values; empty if their shares are not identifiable.
    const std::optional<LeastSquares>& fit_of_all() const {
        return fit_of_all_.get([this]() -> std::optional<LeastSquares> {
            // All columns of a cohort have the same sum. Its m rows therefore have rank m − 1, plus one row for
            // the sum over all cohorts.
            if (k_ > max_regressors || k_ > c_ * (m_ - 1) + 1) return std::nullopt;
            return LeastSquares::of(design_of_all(false));
        });
    }
    /// Returns an unbiased estimate of each row of the design times the shares: c/n times the sum of a
    /// cohort's bits after removal of the flips' bias.
    std::vector<double> debiased(const Counts& counts) const;
    /// Returns n·Var of the shares of a fit for a given variance of a debiased bit.
    std::vector<double> n_variances(const LeastSquares& fit, std::span<const double> shares,
                                    double noise) const;
    std::vector<Term> select(std::uint64_t n, const std::vector<double>& y, double threshold,
                             CandidateMethod method) const;
    std::vector<Picked> refit(std::uint64_t n, const std::vector<double>& y,
                              std::span<const std::size_t> values) const;

    double n_variance(double truth, double noise) const;
    /// Returns the variance of a debiased bit with flip probability f.
    static double bit_noise(double f) noexcept { return f * (1 - f) / ((1 - 2 * f) * (1 - 2 * f)); }
    /// Returns the variance of a value's bit over all filters.
    double bit_spread() const noexcept {
        const auto m = static_cast<double>(m_), h = static_cast<double>(h_);
        return h * (m - h) / (m * (m - 1));
    }

    std::uint64_t k_;
    std::size_t m_, h_, c_;
    BitCounters counters_;
    double report_epsilon_;
    Coin flip_;   ///< of the permanent response
    Coin again_;  ///< of the second layer
    Lazy<std::optional<LeastSquares>> fit_of_all_;
    Lazy<Interval> terms_;
};

std::size_t Rappor::greatest_difference() const {
    const std::size_t bound = 2 * std::min(h_, m_ - h_);
    std::size_t greatest = 0;
    for (std::size_t j = 0; j < c_; ++j)
        for (Cell u = 0; u < k_; ++u) {
            const Places ours = places(j, u);
            for (Cell v = u + 1; v < k_; ++v) {
                std::size_t difference = 0;
                for (const std::uint16_t place : places(j, v)) difference += holds(ours, place) ? 0 : 2;
                greatest = std::max(greatest, difference);
                if (greatest == bound) return bound;
            }
        }
    return greatest;
}

BlockDesign Rappor::design(std::span<const std::size_t> values, bool centred) const {
    BlockDesign design(c_, m_, h_, centred);
    design.reserve(values.size());
    Work work;
    for (const std::size_t value : values)
        for (std::size_t j = 0; j < c_; ++j) {
            const Places ones = places(j, value);
            design.append({ones.data(), ones.size()});
            work.done(h_);
        }
    return design;
}

std::vector<double> Rappor::debiased(const Counts& counts) const {
    const double f = sent_flips();
    const double scale = static_cast<double>(c_) / static_cast<double>(counts.n) / (1 - 2 * f);
    std::vector<double> y;
    y.reserve(c_ * m_);
    for (std::size_t j = 0; j < c_; ++j) {
        const auto reports = static_cast<double>(counter(counts.state, j));
        for (const std::uint64_t count : counters_.counts(counts.state.data() + bits_at(j)))
            y.push_back(scale * (static_cast<double>(count) - f * reports));
    }
    return y;
}

// The least-squares estimate is a mean over the reports of c·(XᵀX)⁻¹XⱼᵀỸ, where Ỹ are the debiased bits of a
// report and j is its cohort. Over the flips and the draw of the cohort, its mean is the user's value,
// whatever the other users hold. The estimate is therefore unbiased, and its variance is exactly a sum over
// users. The first part is the variance of the flips, which is the same for all. The second part is, for a
// user with value v, the variance of c·(XᵀX)⁻¹XⱼᵀXⱼ over the cohorts.
//
// (With means per cohort, the latter would be slightly smaller, but a ratio has no exact mean.) Only the
// variance needs estimated shares; they are clipped, and scaled to a sum of at most 1.
std::vector<double> Rappor::n_variances(const LeastSquares& fit, std::span<const double> shares,
                                        double noise) const {
    std::vector<double> inside(shares.size());
    std::ranges::transform(shares, inside.begin(), [](double f) { return std::clamp(f, 0.0, 1.0); });
    const double total = std::max(1.0, std::accumulate(inside.begin(), inside.end(), 0.0));
    std::vector<double> variances(shares.size());
    for (std::size_t u = 0; u < shares.size(); ++u) {
        const std::vector<double> square = fit.mean_square(u);
        const double drawn = std::inner_product(square.begin(), square.end(), inside.begin(), -inside[u]);
        variances[u] = static_cast<double>(c_) * noise * fit.leverage(u) + std::max(0.0, drawn / total);
    }
    return variances;
}

std::vector<Estimate> Rappor::estimate(const Counts& counts, const Question& question) const {
    const std::optional<LeastSquares>& fit = fit_of_all();
    if (!fit)
        raise(ErrorCode::unsupported, "the shares of all values cannot be estimated from these reports",
              "There are " + std::to_string(k_) + " values and " + std::to_string(c_) + " cohorts of " +
                  std::to_string(m_) + " bits; at most " + std::to_string(max_regressors) +
                  " values can be estimated, and fewer than the number of bits.",
              "Search for candidates, or start a collection with more cohorts or bits.");
    const std::vector<double> shares = fit->solve(debiased(counts));
    const std::vector<double> variances = n_variances(*fit, shares, bit_noise(sent_flips()));
    std::vector<Estimate> estimates(k_);
    for (std::size_t u = 0; u < k_; ++u) {
        const double inside = std::clamp(shares[u], 0.0, 1.0);
        const double sampling = question.target == Target::population ? inside * (1 - inside) : 0;
        estimates[u] = {shares[u], std::sqrt((variances[u] + sampling) / static_cast<double>(counts.n))};
    }
    return estimates;
}

double Rappor::n_variance(double truth, double noise) const {
    const std::optional<LeastSquares>& fit = fit_of_all();
    if (!fit) return std::numeric_limits<double>::infinity();
    double largest = 0;
    for (std::size_t u = 0; u < k_; ++u) {
        std::vector<double> square = fit->mean_square(u);
        const double own = std::exchange(square[u], 0) - 1;
        const double drawn = truth * own + (1 - truth) * std::ranges::max(square);
        largest = std::max(largest, static_cast<double>(c_) * noise * fit->leverage(u) + drawn);
    }
    return largest;
}

// The design is centred, since every filter has h bits. Values that are not selected are assumed to be spread
// evenly over all bits, as they are over all hashes. A column without a share has a slope with a known
// standard deviation, and the largest of k slopes hardly exceeds √(2 ln k) standard deviations (the universal
// threshold of Donoho and Johnstone 1994). The method ends if only such columns remain. The same slope is the
// penalty of the lasso.
//
// The selected values are estimated again without penalty and sign constraint. If the other values are not
// spread evenly, the selection is too large. The residuals then exceed the known noise, and the standard
// errors are inflated accordingly. Values below the threshold are removed until all remaining values exceed
// it.
std::vector<Picked> Rappor::pick(const Counts& counts, CandidateMethod method) const {
    const std::vector<double> y = debiased(counts);
    const double threshold = std::sqrt(2 * std::log(static_cast<double>(k_)));
    std::vector<std::size_t> values;
    for (const Term& term : select(counts.n, y, threshold, method)) values.push_back(term.column);
    std::ranges::sort(values);
    std::vector<Picked> picked;
    do {
        picked = refit(counts.n, y, values);
        values.clear();
        for (const Picked& one : picked)
            if (one.estimate.value > threshold * one.estimate.standard_error) values.push_back(one.value);
    } while (values.size() < picked.size());
    return picked;
}

std::vector<Term> Rappor::select(std::uint64_t n, const std::vector<double>& y, double threshold,
                                 CandidateMethod method) const {
    const BlockDesign candidates = design_of_all(true);
    const double variance =
        static_cast<double>(c_) / static_cast<double>(n) * (bit_noise(sent_flips()) + bit_spread());
    const double slope = threshold * std::sqrt(variance * candidates.norm());
    // At most half as many values as independent rows, so that residuals remain.
    return non_negative(candidates, y, slope, method == CandidateMethod::lasso ? slope : 0,
                        std::min(max_regressors, c_ * (m_ - 1) / 2));
}

std::vector<Picked> Rappor::refit(std::uint64_t n, const std::vector<double>& y,
                                  std::span<const std::size_t> values) const {
    if (values.empty()) return {};
    const std::optional<LeastSquares> fit = LeastSquares::of(design(values, true));
    if (!fit)
        raise(ErrorCode::unsupported, "the shares of the selected values cannot be estimated separately");
    const std::vector<double> shares = fit->solve(y);
    const double others = 1 - std::accumulate(shares.begin(), shares.end(), 0.0);
    const double known = bit_noise(sent_flips()) + std::clamp(others, 0.0, 1.0) * bit_spread();
    const double seen = fit->residual_variance(y, shares) * static_cast<double>(n) / static_cast<double>(c_);
    const std::vector<double> variances = n_variances(*fit, shares, std::max(known, seen));
    std::vector<Picked> picked;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Estimate estimate{shares[i], std::sqrt(variances[i] / static_cast<double>(n))};
        picked.push_back({values[i], estimate, p_value(n, estimate)});
    }
    return picked;
}

// A report contains the bits of one cohort, and the extreme reports set those with positive or with negative
// weight for the value.
Interval Rappor::terms() const {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const std::optional<LeastSquares>& fit = fit_of_all();
    if (!fit) return {-infinite, infinite};
    const double f = sent_flips(), scale = static_cast<double>(c_) / (1 - 2 * f);
    Interval terms{0, 0};
    for (std::size_t u = 0; u < k_; ++u) {
        const std::vector<double> weights = fit->weights(u);
        for (std::size_t j = 0; j < c_; ++j) {
            double least = 0, most = 0;
            for (const double weight : std::span(weights).subspan(j * m_, m_)) {
                const double zero = -f * weight, one = (1 - f) * weight;
                least += scale * std::min(zero, one), most += scale * std::max(zero, one);
            }
            terms = {std::min(terms.lower, least), std::max(terms.upper, most)};
        }
    }
    return terms;
}

// A filter has h ones; a different number implies a minimum number of flips.
double Rappor::max_probability(Bytes payload) const {
    const double f = sent_flips();
    const auto ones = static_cast<double>(BitCounters::ones(payload.subspan(1)));
    const double flips = std::abs(ones - static_cast<double>(h_));
    return std::exp(flips * std::log(f) + (static_cast<double>(m_) - flips) * std::log1p(-f)) /
           static_cast<double>(c_);
}

// A filter has h ones. The number of ones in a report is therefore that of h bits with probability 1 − f and
// m − h bits with probability f. The share of ones of a bit is between the values for none and for all users
// of a cohort.
std::vector<Check> Rappor::health(const Counts& counts) const {
    const double f = sent_flips();
    const auto reports = static_cast<double>(counts.n), m = static_cast<double>(m_),
               h = static_cast<double>(h_);
    std::vector<Check> checks;
    const std::vector<std::uint64_t> sizes = counters(counts.state.first(bits_at(0)));
    if (c_ > 1) checks.push_back(goodness_of_fit("cohorts", sizes));

    double ones = 0;
    constexpr double unseen = std::numeric_limits<double>::infinity();
    Check least{"least share of a bit", 0, 0, unseen}, greatest{"greatest share of a bit", 0, 1, unseen};
    const auto keep_worse = [&](Check& worst, std::size_t cohort, std::uint64_t count, double p_value) {
        const double share = static_cast<double>(count) / static_cast<double>(sizes[cohort]);
        if (p_value < worst.p_value) worst = {worst.name, (share - f) / (1 - 2 * f), worst.expected, p_value};
    };
    for (std::size_t j = 0; j < c_; ++j) {
        const std::vector<std::uint64_t> set = counters_.counts(counts.state.data() + bits_at(j));
        ones = std::accumulate(set.begin(), set.end(), ones);
        if (sizes[j] == 0) continue;
        const auto [low, high] = std::ranges::minmax(set);
        keep_worse(least, j, low, binomial_at_most(sizes[j], f, low, least.p_value));
        keep_worse(greatest, j, high, binomial_at_least(sizes[j], 1 - f, high, greatest.p_value));
    }
    for (Check* worst : {&least, &greatest})
        worst->p_value = std::min(1.0, worst->p_value * m * static_cast<double>(c_));
    const double mean = h * (1 - f) + (m - h) * f;
    const double off = ones / reports - mean;
    checks.push_back(
        {"ones per report", mean + off, mean, two_sided(off / std::sqrt(m * f * (1 - f) / reports))});
    const BitGroup groups[] = {{h, 1 - f}, {m - h, f}};
    const auto squares = static_cast<double>(load<Uint128>(counts.state.data() + squares_at()));
    checks.push_back(variance_of_ones(counts.n, ones, squares, groups));
    checks.insert(checks.end(), {least, greatest});
    return checks;
}

// Format ---------------------------------------------------------------------------------------------------

constexpr Option options[] = {{"filter_bits", 128, least_bits, max_bits},
                              {"hashes", 2, 1, max_hashes},
                              {"cohorts", 8, 1, max_cohorts},
                              second_layer_option};

void write(const Settings& settings, Writer& writer) {
    if (settings.number("hashes") >= settings.number("filter_bits"))
        raise(ErrorCode::invalid_spec, "\"filter_bits\" must be more than \"hashes\"",
              "Found " + std::to_string(settings.number("filter_bits")) + " and " +
                  std::to_string(settings.number("hashes")) + ".",
              "A filter in which every value sets every bit contains no information.");
    write_domain(settings, writer);
    writer.put(static_cast<std::uint16_t>(settings.number("filter_bits")));
    writer.put(static_cast<std::uint8_t>(settings.number("hashes")));
    writer.put(static_cast<std::uint16_t>(settings.number("cohorts")));
    write_second_layer(settings, writer);
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t k = take_domain(reader, max_domain);
    const auto m = reader.take<std::uint16_t>();
    const auto h = reader.take<std::uint8_t>();
    const auto c = reader.take<std::uint16_t>();
    const double report_epsilon = take_second_layer(reader, header);
    if (m < least_bits || m > max_bits || h < 1 || h > max_hashes || h >= m || c < 1 || c > max_cohorts)
        refuse_block("the Bloom filter's parameters are out of range",
                     "Found " + std::to_string(m) + " bits, " + std::to_string(h) + " hash functions and " +
                         std::to_string(c) + " cohorts.");
    return std::make_unique<Rappor>(header, block, k, m, h, c, report_epsilon);
}

}  // namespace

const MechanismEntry entry(
    12, "rappor", "Bloom filters with cohorts (RAPPOR)",
    "a row of yes and no that stands for your answer and for others. Chance reverses some of them",
    Shape::one_categorical, max_domain, write, load,
    {.options = options, .settle = settle_second_layer, .literature = true});

}  // namespace ldp::rappor
