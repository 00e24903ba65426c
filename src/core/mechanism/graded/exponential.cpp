// The exponential mechanism as a local randomizer (McSherry, Talwar 2007): one of the values is reported,
// with a probability that increases with its utility for the true one. If utilities decrease with a distance,
// privacy is proportional to it (Andrés, Bordenabe, Chatzikokolakis, Palamidessi 2013; Chatzikokolakis,
// Andrés, Bordenabe, Palamidessi 2013). The likelihood ratio of values at distance d is at most exp(d times ε
// per unit), and the stated ε is that of the largest distance.
//
// parameters: k (4 bytes), utilities · payload: a value · state: reports per value

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/exact.hpp"
#include "core/base/text.hpp"
#include "core/math/channel_law.hpp"
#include "core/math/lazy.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/graded/graded_channel.hpp"
#include "core/mechanism/graded/inverse.hpp"
#include "core/mechanism/graded/utilities.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::exponential {

namespace {

constexpr std::uint64_t max_domain = 1024;

/// Above this condition number, rounding would affect the estimates; their errors are unusably large far
/// below it.
constexpr double worst_condition = 1e9;

GradedChannel channel_of(std::uint64_t k, double epsilon, const Utilities& utilities) {
    return {k, epsilon, [&](std::uint64_t in, std::uint64_t out) { return utilities.utility(in, out); }};
}

/// The linear estimator. The share of value v is the mean of term(v, y) over the reported outputs y. The
/// terms form row v of the inverse of the channel's table, with outputs as columns. Each row of terms has the
/// mean 1 under v and 0 under every other value.
class Decoder {
  public:
    /// Error (invalid_spec) if the table cannot be inverted.
    explicit Decoder(const GradedChannel& channel) : k_(channel.outputs()), table_(k_ * k_) {
        for (std::size_t x = 0; x < k_; ++x)
            for (std::size_t y = 0; y < k_; ++y) table_[y * k_ + x] = channel.probability(x, y);
        auto [inverse, condition] = inverse_of(table_, k_);
        if (!(condition <= worst_condition))
            raise(ErrorCode::invalid_spec, "the shares of the values cannot be estimated from the reports",
                  "The condition number of the table of probabilities is " + rounded(condition) +
                      "; the limit is 1e9.",
                  "Raise epsilon, reduce \"max_distance\", or combine values that are close or equal.");
        terms_ = std::move(inverse);
    }

    /// Returns the term of output y in the estimate of value v.
    [[nodiscard]] double term(std::size_t v, std::size_t y) const noexcept { return terms_[v * k_ + y]; }
    [[nodiscard]] const std::vector<double>& terms() const noexcept { return terms_; }

    /// Returns the mean of each value's term, or of its square, over a law of the outputs.
    [[nodiscard]] std::vector<double> mean(std::span<const double> law, bool squared) const {
        std::vector<double> means(k_);
        Work work;
        for (std::size_t v = 0; v < k_; ++v, work.done(k_))
            for (std::size_t y = 0; y < k_; ++y) means[v] += law[y] * term(v, y) * (squared ? term(v, y) : 1);
        return means;
    }
    /// Returns the law of the outputs for these shares of values.
    [[nodiscard]] std::vector<double> law(std::span<const double> shares) const {
        std::vector<double> law(k_);
        Work work;
        for (std::size_t y = 0; y < k_; ++y, work.done(k_))
            law[y] = std::inner_product(shares.begin(), shares.end(), &table_[y * k_], 0.0);
        return law;
    }
    /// Returns the law of the outputs for one value.
    [[nodiscard]] std::vector<double> law_of(std::size_t value) const {
        std::vector<double> law(k_);
        for (std::size_t y = 0; y < k_; ++y) law[y] = table_[y * k_ + value];
        return law;
    }

  private:
    [[nodiscard]] static std::string rounded(double number) {
        return std::isinf(number) ? "infinite" : shortest(static_cast<double>(static_cast<float>(number)));
    }

    std::size_t k_;
    std::vector<double> table_;  ///< probabilities, output by output
    std::vector<double> terms_;
};

class Exponential final : public Counting<Mechanism>, public Significance, public KnownErrors {
  public:
    Exponential(const Header& header, Bytes block, std::uint64_t k, Utilities utilities)
        : Counting(k, header, block), k_(k), utilities_(std::move(utilities)) {}

    std::vector<std::uint64_t> cells() const override { return {k_}; }
    void permanent_response(Input input, Bytes, BitSource& bits, MutableBytes permanent) const override {
        store_output(permanent, channel().sample(input[0], bits));
    }

    std::span<const Quantity> answers() const noexcept override {
        static constexpr Quantity quantities[] = {Quantity::frequencies};
        return quantities;
    }
    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const override;
    ErrorLaw error_law(std::uint64_t n, Target target) const noexcept override {
        return {.truths = possible_shares,
                .people = target == Target::population ? static_cast<double>(n) : 0};
    }
    std::vector<Check> health(const Counts& counts) const override;

    std::vector<Contribution> contributions(const Question&) const override;
    double max_probability(Bytes payload) const override {
        return static_cast<double>(channel().extremes(load_output(payload)).high) /
               static_cast<double>(channel().total());
    }

    std::vector<std::pair<std::string, double>> parameters() const override;
    /// Throws Error (invalid_spec) if the utilities do not define a channel.
    void check_channel() const { static_cast<void>(channel()); }
    void check_estimates() const override { static_cast<void>(decoder()); }
    /// Returns the largest variance over the values and over the distribution of the other values.
    double n_variance(double truth) const override;
    double n_variance_of(std::size_t, std::size_t item, std::span<const double> shares) const override {
        return decoder().mean(decoder().law(shares), true)[item] - shares[item];
    }
    /// Returns the variance for equal shares of all values.
    double expected_variance(std::size_t attribute) const override;
    Cost cost() const noexcept override {
        const auto k = static_cast<double>(k_);
        return {1, k * k * (k + 300)};
    }

    Exact probability(Input input, Bytes, Bytes permanent) const override {
        return exact(channel().weight(input[0], load_output(permanent)), channel().total());
    }
    Exact worst_ratio() const override {
        const Odds worst = channel().worst_ratio();
        return exact(worst.high, worst.low);
    }
    ChannelLaw channel_law() const override {
        EnvelopeLaw law;
        for (std::uint64_t out = 0; out < k_; ++out) {
            const Odds& extremes = channel().extremes(out);
            law.outputs.emplace_back(exact(extremes.high, channel().total()),
                                     exact(extremes.low, channel().total()));
        }
        return {std::move(law)};
    }

  private:
    [[nodiscard]] const GradedChannel& channel() const {
        return channel_.get([this] { return channel_of(k_, epsilon(), utilities_); });
    }
    [[nodiscard]] const Decoder& decoder() const {
        return decoder_.get([this] { return Decoder(channel()); });
    }
    /// Returns the largest log-ratio of two values per unit of distance.
    [[nodiscard]] double epsilon_per_unit() const;

    std::uint64_t k_;
    Utilities utilities_;
    // Computed on first use, since reading a block and counting reports do not need them.
    Lazy<GradedChannel> channel_;
    Lazy<Decoder> decoder_;
};

// A report adds term(v, y) for v, with mean 1 if the user holds v and 0 otherwise. Given the users, n·Var is
// the mean of the squared terms minus f_v. For users drawn from a population, it is larger by f_v(1 − f_v).
// The squared terms are weighted by the law of the outputs, which follows from the estimated shares, clipped
// to possible shares.
std::vector<Estimate> Exponential::estimate(const Counts& counts, const Question& question) const {
    const auto reports = static_cast<double>(counts.n);
    std::vector<double> observed(k_);
    for (std::size_t y = 0; y < k_; ++y)
        observed[y] = static_cast<double>(counter(counts.state, y)) / reports;
    const std::vector<double> found = decoder().mean(observed, false);
    std::vector<double> shares(k_);
    std::ranges::transform(found, shares.begin(), [](double share) { return std::max(share, 0.0); });
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= sum;

    const std::vector<double> squares = decoder().mean(decoder().law(shares), true);
    std::vector<Estimate> estimates(k_);
    for (std::size_t v = 0; v < k_; ++v) {
        const double f = shares[v];
        const double noise = squares[v] - f;
        const double sampling = question.target == Target::population ? f * (1 - f) : 0;
        estimates[v] = {found[v], std::sqrt(std::max(noise + sampling, 0.0) / reports)};
    }
    return estimates;
}

// For any values, the probability of an output is between its smallest and largest over the inputs, and
// shares are between 0 and 1.
std::vector<Check> Exponential::health(const Counts& counts) const {
    const auto reports = static_cast<double>(counts.n), whole = static_cast<double>(channel().total());
    const std::vector<Estimate> found = estimate(counts, {Quantity::frequencies});
    constexpr double unseen = std::numeric_limits<double>::infinity();
    Check rarest{"share of the rarest output", 0, 0, unseen},
        commonest{"share of the commonest output", 0, 0, unseen}, least{"least frequency", 0, 0, unseen},
        greatest{"greatest frequency", 0, 1, unseen};
    const auto keep = [](Check& worst, double observed, double expected, double p_value) {
        if (p_value < worst.p_value) worst = {std::move(worst.name), observed, expected, p_value};
    };
    Work work;
    for (std::size_t y = 0; y < k_; ++y, work.done(1000)) {
        const std::uint64_t count = counter(counts.state, y);
        const double share = static_cast<double>(count) / reports;
        const double low = static_cast<double>(channel().extremes(y).low) / whole,
                     high = static_cast<double>(channel().extremes(y).high) / whole;
        keep(rarest, share, low, binomial_at_most(counts.n, low, count, rarest.p_value));
        keep(commonest, share, high, binomial_at_least(counts.n, high, count, commonest.p_value));
        const auto [value, error] = found[y];
        keep(least, value, 0, one_sided(-value / error));
        keep(greatest, value, 1, one_sided((value - 1) / error));
    }
    std::vector<Check> checks{rarest, commonest, least, greatest};
    for (Check& check : checks) check.p_value = std::min(1.0, check.p_value * static_cast<double>(k_));
    return checks;
}

std::vector<Contribution> Exponential::contributions(const Question&) const {
    const auto [least, most] = std::ranges::minmax(decoder().terms());
    return {{1, {least, most}, {0, 1}}};
}

std::vector<std::pair<std::string, double>> Exponential::parameters() const {
    std::vector<std::pair<std::string, double>> all{{"domain", static_cast<double>(k_)}};
    if (utilities_.distances()) all.emplace_back("epsilon_per_unit", epsilon_per_unit());
    return all;
}

// The largest log-ratio of two values occurs at the output that is one of the two values, by the triangle
// inequality. The slack covers the rounding of weights to integers.
double Exponential::epsilon_per_unit() const {
    constexpr double slack = 1 + 1e-6;
    double most = 0;
    Work work;
    for (std::uint64_t a = 0; a < k_; ++a, work.done(20 * k_))
        for (std::uint64_t b = 0; b < k_; ++b) {
            if (a == b) continue;
            const double ratio =
                static_cast<double>(channel().weight(a, a)) / static_cast<double>(channel().weight(b, a));
            most = std::max(most, std::min(std::log(ratio) * slack, epsilon()) / utilities_.distance(a, b));
        }
    return most;
}

// A user with value x adds the mean squared term of v under x, minus 1 if x is v.
double Exponential::n_variance(double truth) const {
    std::vector<double> own(k_), others(k_);
    for (std::size_t x = 0; x < k_; ++x) {
        const std::vector<double> squares = decoder().mean(decoder().law_of(x), true);
        for (std::size_t v = 0; v < k_; ++v)
            if (v == x)
                own[v] = squares[v] - 1;
            else
                others[v] = std::max(others[v], squares[v]);
    }
    double most = 0;
    for (std::size_t v = 0; v < k_; ++v) most = std::max(most, truth * own[v] + (1 - truth) * others[v]);
    return most;
}

double Exponential::expected_variance(std::size_t) const {
    const auto k = static_cast<double>(k_);
    const std::vector<double> evenly(k_, 1 / k);
    const std::vector<double> squares = decoder().mean(decoder().law(evenly), true);
    return (std::accumulate(squares.begin(), squares.end(), 0.0) - 1) / k;
}

// Format ---------------------------------------------------------------------------------------------------

void write(const Settings& settings, Writer& writer) {
    write_domain(settings, writer);
    OptionValues given;
    for (const Option& option : Utilities::options) given[option.name] = settings.option(option.name);
    const std::uint64_t k = settings.attributes()[0].domain;
    Utilities(k, given).write(writer);
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t k = take_domain(reader, max_domain);
    Utilities utilities(k, reader);
    reader.finish();
    const bool distances = utilities.distances();
    auto mechanism = std::make_unique<Exponential>(header, block, k, std::move(utilities));
    if (!distances) mechanism->check_channel();  // a table that fits in a block is small
    return mechanism;
}

}  // namespace

const MechanismEntry entry(29, "exponential", "the exponential mechanism",
                           "one answer on the list, which chance picks, more often one near your own",
                           Shape::one_categorical, max_domain, write, load, {.options = Utilities::options});

}  // namespace ldp::exponential
