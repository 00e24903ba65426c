// dBitFlip (Ding, Kulkarni, Yekhanin 2017): the k values are divided into b ordered buckets of equal size.
// Each user publicly draws d of the buckets once and reports one bit for each: whether the value is in it,
// flipped with probability 1/(√e+1), e = exp(ε). Two values differ in at most two bits. The bits are memoized
// and sent unchanged. A user therefore has at most d+1 different reports: one for each drawn bucket and one
// for the others.
//
// With d = 1, two values differ in one bit only, which is flipped with probability 1/(e+1).
//
// Parameters: k, b, d (4 bytes each) · public randomness: d buckets, ascending · permanent response: d bits,
// lowest first · payload: buckets, bits.
// State: for each bucket, by how many it was drawn (8 bytes each), then how many of their bits are 1 (8
// bytes each), then Σ (ones in a report)² (16 bytes)

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/exact.hpp"
#include "core/base/interrupt.hpp"
#include "core/channel/coin.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/math/bit_counters.hpp"
#include "core/math/channel_law.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::dbitflip {

namespace {

constexpr std::uint64_t max_domain = std::uint64_t{1} << 24;
constexpr std::uint64_t max_buckets = std::uint64_t{1} << 16, max_bits = 1024;

class DBitFlip final : public Mechanism, public Significance, public KnownErrors {
  public:
    DBitFlip(const Header& header, Bytes block, std::uint64_t k, std::uint64_t b, std::uint64_t d)
        : Mechanism(header, block),
          k_(k),
          b_(b),
          d_(d),
          width_(cell_width(b)),
          string_(d),
          flip_(rare_heads(header.epsilon / static_cast<double>(differing()))) {}

    std::vector<std::uint64_t> cells() const override { return {k_}; }
    std::size_t public_size() const noexcept override { return d_ * width_; }
    std::size_t permanent_size() const noexcept override { return string_.width(); }
    std::size_t payload_size() const noexcept override { return public_size() + permanent_size(); }
    std::size_t state_size() const noexcept override { return squares_at() + sizeof(Uint128); }
    std::vector<std::pair<std::string, double>> parameters() const override {
        return {{"domain", static_cast<double>(k_)},
                {"buckets", static_cast<double>(b_)},
                {"bits_per_report", static_cast<double>(d_)},
                {"flip", flip_.probability()},
                {"possible_responses", static_cast<double>(most_keys())}};
    }

    void draw_public(BitSource& bits, MutableBytes public_randomness) const override;
    bool valid_public(Bytes public_randomness) const noexcept override;
    // The flips are drawn and all buckets are scanned for any value, so that the run time does not depend on
    // it.
    void permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                            MutableBytes permanent) const override {
        flip_.fill(bits, d_, permanent);
        set_true_bit(input[0], public_randomness, permanent);
    }
    void instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource&,
                                MutableBytes payload) const override {
        std::ranges::copy(permanent, std::ranges::copy(public_randomness, payload.begin()).out);
    }
    /// Returns the bucket if it was drawn, otherwise b.
    std::vector<Cell> response_key(Input input, Bytes public_randomness) const override {
        const std::uint64_t own = bucket(input[0]);
        for (std::size_t i = 0; i < d_; ++i)
            if (drawn(public_randomness, i) == own) return {own};
        return {b_};
    }

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override;
    bool accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept override {
        return width_ == sizeof(std::uint8_t) ? accumulate_of<std::uint8_t>(state, payloads)
                                              : accumulate_of<std::uint16_t>(state, payloads);
    }
    void merge(MutableBytes state, Bytes other) const noexcept override {
        merge_counters(state.first(squares_at()), other.first(squares_at()));
        add<Uint128>(state.data() + squares_at(), load<Uint128>(other.data() + squares_at()));
    }
    bool valid_payload(Bytes payload) const noexcept override;
    bool valid_state(const Counts& counts) const noexcept override;

    std::span<const Quantity> answers() const noexcept override {
        static constexpr Quantity quantities[] = {Quantity::frequencies};
        return quantities;
    }
    /// One estimate per bucket: bucket j holds the values v with ⌊v·b/k⌋ = j.
    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const override;
    /// Uses the normal law, since the number of reports about the bucket does not follow from the estimate.
    double p_value(std::uint64_t n, const Estimate& estimate) const override {
        return one_sided(estimate.value / std::sqrt(n_variance(0) / static_cast<double>(n)));
    }
    /// If each user reports every bucket, a bucket's share is linear in the number of ones. Otherwise it is
    /// the mean of terms with a known law, since a report contains a bucket with probability d/b.
    ErrorLaw error_law(std::uint64_t n, Target target) const noexcept override {
        const double q = flip_.probability(), p = 1 - q;
        if (d_ == b_)
            return {
                .n = n, .p = p, .q = q, .counts_people = target == Target::sample, .truths = possible_shares};
        const double scale = each() / (p - q), squares = scale * scale / each(), cubes = squares * scale;
        const TruthCurve::TermMoments holders{squares * (p * p * p + q * q * q),
                                              cubes * (p * p * p * p - q * q * q * q)},
            others{squares * p * q, cubes * p * q * (p * p - q * q)};
        return {.truths = possible_shares,
                .curve = TruthCurve::of_terms(static_cast<double>(n), holders, others, target)};
    }
    std::vector<Check> health(const Counts& counts) const override;

    /// A bucket is not drawn, or its bit is 0 or 1.
    std::vector<Contribution> contributions(const Question&) const override {
        const double q = flip_.probability(), scale = each() / (1 - 2 * q);
        return {{1, {-q * scale, (1 - q) * scale}, {0, 1}}};
    }
    double max_probability(Bytes payload) const override;

    // A report estimates b/d·(bit − q)/(1 − 2q) for a drawn bucket and 0 for another.
    double n_variance(double truth) const override {
        const double q = flip_.probability();
        return each() * q * (1 - q) / ((1 - 2 * q) * (1 - 2 * q)) + truth * (each() - 1);
    }
    double expected_variance(std::size_t) const override { return n_variance(1 / static_cast<double>(b_)); }
    Cost cost() const noexcept override {
        return {5 + 4 * static_cast<double>(d_), 2 * static_cast<double>(b_)};
    }
    Exact probability(Input input, Bytes public_randomness, Bytes permanent) const override {
        std::vector<std::byte> flips(permanent.begin(), permanent.end());
        set_true_bit(input[0], public_randomness, flips);
        const auto flipped = static_cast<unsigned>(BitCounters::ones(flips));
        return power(flip(), flipped) * power(flip().complement(), static_cast<unsigned>(d_) - flipped);
    }
    // Attained by two buckets that were both drawn; if d is 1, by one that was drawn and one that was not.
    Exact worst_ratio() const override { return power(flip().complement() / flip(), differing()); }
    ChannelLaw channel_law() const override {
        BitsLaw law{{{flip(), flip().complement()}, {flip().complement(), flip()}}, {{{0, 1, 1}, {1, 0, 1}}}};
        if (differing() == 1) law.differences = {{{0, 1, 1}}, {{1, 0, 1}}};
        return {std::move(law)};
    }
    std::uint64_t most_keys() const noexcept override { return std::min(d_ + 1, b_); }
    std::uint64_t value_buckets() const noexcept override { return b_; }

  private:
    /// As accumulate_all(), if buckets have this type in payloads.
    template <class Bucket>
    [[nodiscard]] bool accumulate_of(MutableBytes state, const Payloads& payloads) const noexcept;
    /// Counts the buckets and bits of at most 2^31 payloads with buckets of one byte and at most 64 bits. Returns false and
    /// changes nothing if a list of buckets is impossible.
    [[nodiscard]] bool accumulate_short(MutableBytes state, const Payloads& payloads) const noexcept;
    /// The number of reports from which on this is faster.
    static constexpr std::size_t few = 64;
    [[nodiscard]] unsigned differing() const noexcept { return d_ == 1 ? 1 : 2; }
    [[nodiscard]] Exact flip() const { return exact_dyadic(flip_.heads(), flip_.bits()); }
    /// Returns the number of buckets per drawn bucket.
    [[nodiscard]] double each() const noexcept { return static_cast<double>(b_) / static_cast<double>(d_); }

    [[nodiscard]] std::uint64_t bucket(Cell value) const noexcept { return value * b_ / k_; }
    [[nodiscard]] std::uint64_t drawn(Bytes public_randomness, std::size_t i) const noexcept {
        return load_cell(public_randomness.data() + i * width_, width_);
    }
    static unsigned bit(Bytes string, std::size_t i) noexcept {
        return std::to_integer<unsigned>(string[i / 8]) >> i % 8 & 1;
    }
    void set_true_bit(Cell value, Bytes public_randomness, MutableBytes flips) const noexcept {
        const std::uint64_t own = bucket(value);
        for (std::size_t i = 0; i < d_; ++i)
            flips[i / 8] ^= static_cast<std::byte>((drawn(public_randomness, i) == own ? 1u : 0u) << i % 8);
    }

    [[nodiscard]] std::size_t ones_at() const noexcept { return b_ * counter_size; }
    [[nodiscard]] std::size_t squares_at() const noexcept { return 2 * ones_at(); }

    std::uint64_t k_, b_, d_;
    std::size_t width_;
    BitCounters string_;  // used for the size of the bit string only
    Coin flip_;
};

// All sets of size d are equally probable (Bentley, Floyd 1987).
void DBitFlip::draw_public(BitSource& bits, MutableBytes public_randomness) const {
    std::vector<std::uint64_t> chosen;
    for (std::uint64_t last = b_ - d_; last < b_; ++last) {
        const std::uint64_t candidate = bits.below(last + 1);
        const auto place = std::ranges::lower_bound(chosen, candidate);
        if (place != chosen.end() && *place == candidate)
            chosen.push_back(last);  // larger than all previous ones
        else
            chosen.insert(place, candidate);
    }
    for (std::size_t i = 0; i < d_; ++i) store_cell(public_randomness.data() + i * width_, width_, chosen[i]);
}

bool DBitFlip::valid_public(Bytes public_randomness) const noexcept {
    for (std::size_t i = 1; i < d_; ++i)
        if (drawn(public_randomness, i - 1) >= drawn(public_randomness, i)) return false;
    return drawn(public_randomness, d_ - 1) < b_;
}

bool DBitFlip::valid_payload(Bytes payload) const noexcept {
    return string_.tidy(payload.data() + public_size()) && valid_public(payload);
}

bool DBitFlip::accumulate(MutableBytes state, Bytes payload) const noexcept {
    const Bytes string = payload.subspan(public_size());
    if (!string_.tidy(string.data())) return false;
    const auto count = [&](std::uint64_t bucket, std::size_t i, std::uint64_t by) {
        std::byte* const asked = state.data() + bucket * counter_size;
        add(asked, by);
        add(asked + ones_at(), by * bit(string, i));
    };
    // Validates and counts in one pass, which is undone at the first invalid bucket.
    std::uint64_t least = 0;
    for (std::size_t i = 0; i < d_; ++i) {
        const std::uint64_t bucket = drawn(payload, i);
        if (bucket < least || bucket >= b_) {
            while (i-- > 0) count(drawn(payload, i), i, ~std::uint64_t{0});
            return false;
        }
        count(bucket, i, 1);
        least = bucket + 1;
    }
    const std::uint64_t ones = BitCounters::ones(string);
    add<Uint128>(state.data() + squares_at(), ones * ones);
    return true;
}

template <class Bucket>
bool DBitFlip::accumulate_of(MutableBytes state, const Payloads& payloads) const noexcept {
    const Payloads strings = payloads.part(public_size(), string_.width());
    const BitCounters::Ones ones = BitCounters::ones(strings);
    if (!string_.tidy(ones)) return false;
    if constexpr (sizeof(Bucket) == 1)
        if (payloads.count() >= few && d_ <= 64) {
            if (!accumulate_short(state, payloads)) return false;
            add(state.data() + squares_at(), ones.squares);
            return true;
        }
    for (std::size_t report = 0; report < payloads.count(); ++report) {
        const std::byte* buckets = payloads.at(report);
        const Bytes string = strings[report];
        std::uint64_t least = 0;
        for (std::size_t i = 0; i < d_; ++i) {
            const std::uint64_t bucket = load<Bucket>(buckets + i * sizeof(Bucket));
            if (bucket < least || bucket >= b_) return false;
            std::byte* const asked = state.data() + bucket * counter_size;
            add<std::uint64_t>(asked, 1);
            add<std::uint64_t>(asked + ones_at(), bit(string, i));
            least = bucket + 1;
        }
    }
    add(state.data() + squares_at(), ones.squares);
    return true;
}

// Any byte has a counter, so that the order of all buckets is checked at the end.
bool DBitFlip::accumulate_short(MutableBytes state, const Payloads& payloads) const noexcept {
    constexpr unsigned one = 32;
    std::uint64_t counts[256]{};  // how often a bucket was drawn; from bit 32 on, how often its bit was 1
    bool wrong = false;
    for (std::size_t report = 0; report < payloads.count(); ++report) {
        const std::byte* buckets = payloads.at(report);
        std::uint64_t string = load_cell(buckets + d_, string_.width());
        std::uint64_t least = 0;
        for (std::size_t i = 0; i < d_; ++i, string >>= 1) {
            const auto bucket = std::to_integer<std::uint64_t>(buckets[i]);
            wrong |= bucket < least;
            counts[bucket] += 1 + ((string & 1) << one);
            least = bucket + 1;
        }
        wrong |= least > b_;
    }
    if (wrong) return false;
    for (std::size_t bucket = 0; bucket < b_; ++bucket) {
        std::byte* const asked = state.data() + bucket * counter_size;
        add<std::uint64_t>(asked, static_cast<std::uint32_t>(counts[bucket]));
        add(asked + ones_at(), counts[bucket] >> one);
    }
    return true;
}

bool DBitFlip::valid_state(const Counts& counts) const noexcept {
    for (std::size_t j = 0; j < b_; ++j)
        if (counter(counts.state, j) > counts.n || counter(counts.state, b_ + j) > counter(counts.state, j))
            return false;
    return counters_sum_to(counts.state.first(ones_at()), counts.n * d_) &&
           load<Uint128>(counts.state.data() + squares_at()) <= Uint128{counts.n} * d_ * d_;
}

std::vector<Estimate> DBitFlip::estimate(const Counts& counts, const Question& question) const {
    const double q = flip_.probability();
    const auto reports = static_cast<double>(counts.n);
    std::vector<Estimate> estimates(b_);
    for_each_index(b_, [&](std::size_t j) {
        const auto asked = static_cast<double>(counter(counts.state, j));
        const auto ones = static_cast<double>(counter(counts.state, b_ + j));
        const double f = each() / reports * (ones - q * asked) / (1 - 2 * q);
        const double inside = std::clamp(f, 0.0, 1.0);
        const double sampling = question.target == Target::population ? inside * (1 - inside) : 0;
        estimates[j] = {f, std::sqrt((n_variance(inside) + sampling) / reports)};
    });
    return estimates;
}

// The most probable value is in a bucket whose bit is 1, otherwise in one that was not drawn.
double DBitFlip::max_probability(Bytes payload) const {
    const auto b = static_cast<double>(b_), d = static_cast<double>(d_), q = flip_.probability();
    const auto ones = static_cast<double>(BitCounters::ones(payload.subspan(public_size())));
    const double flips = ones > 0 ? ones - 1 : d_ == b_ ? 1 : 0;
    const double sets = std::lgamma(b + 1) - std::lgamma(d + 1) - std::lgamma(b - d + 1);
    return std::exp(flips * std::log(q) + (d - flips) * std::log1p(-q) - sets);
}

// Of the d bits of a report, one is the true value's with probability d/b for any value. The number of ones
// is therefore that of d−1 false bits and of one that may be either. Among reports of a bucket, the share of
// ones is between that of an empty bucket and that of a bucket with all users.
std::vector<Check> DBitFlip::health(const Counts& counts) const {
    const double q = flip_.probability();
    const auto reports = static_cast<double>(counts.n), d = static_cast<double>(d_);
    std::vector<std::uint64_t> asked = counters(counts.state.first(ones_at()));
    const std::vector<std::uint64_t> ones = counters(counts.state.subspan(ones_at(), ones_at()));
    double sum = 0;
    constexpr double unseen = std::numeric_limits<double>::infinity();
    Check least{"least frequency", 0, 0, unseen}, greatest{"greatest frequency", 0, 1, unseen};
    Work work;
    for (std::size_t j = 0; j < b_; ++j, work.done(1000)) {
        sum += static_cast<double>(ones[j]);
        if (asked[j] == 0) continue;
        const double share = static_cast<double>(ones[j]) / static_cast<double>(asked[j]);
        const double frequency = (share - q) / (1 - 2 * q);
        const double low = binomial_at_most(asked[j], q, ones[j], least.p_value);
        const double high = binomial_at_least(asked[j], 1 - q, ones[j], greatest.p_value);
        if (low < least.p_value) least = {least.name, frequency, 0, low};
        if (high < greatest.p_value) greatest = {greatest.name, frequency, 1, high};
    }
    for (Check* worst : {&least, &greatest})
        worst->p_value = std::min(1.0, worst->p_value * static_cast<double>(b_));

    const double either = q + (1 - 2 * q) / each();
    const BitGroup groups[] = {{1, either}, {d - 1, q}};
    const double frequencies = each() * (sum / reports - d * q) / (1 - 2 * q);
    std::vector<Check> checks{
        {"sum of frequencies", frequencies, 1, chance_of_ones(counts.n, sum, groups)},
        least,
        greatest,
        variance_of_ones(counts.n, sum,
                         static_cast<double>(load<Uint128>(counts.state.data() + squares_at())), groups)};
    // Buckets are drawn without replacement and vary less than the test assumes, so that the p-value is a
    // bound.
    checks.push_back(goodness_of_fit("buckets drawn", asked));
    return checks;
}

// Format ---------------------------------------------------------------------------------------------------

constexpr Option options[] = {{.name = "buckets", .fallback = 0, .least = 2, .most = max_buckets},
                              {.name = "bits_per_report", .fallback = 0, .least = 1, .most = max_bits}};

/// By default, one bucket per value, and 16 bits.
void settle(SettingsDraft& draft) {
    auto& b = std::get<std::uint64_t>(draft.options.at("buckets"));
    auto& d = std::get<std::uint64_t>(draft.options.at("bits_per_report"));
    const std::uint64_t k = draft.attributes[0].domain;
    if (b == 0) b = k;
    if (d == 0) d = std::min<std::uint64_t>(b, 16);
    if (b < 2 || b > std::min(k, max_buckets))
        raise(ErrorCode::invalid_spec, "\"buckets\" must be 2 to " + std::to_string(std::min(k, max_buckets)),
              "Found " + std::to_string(b) + "; there are " + std::to_string(k) + " values.");
    if (d > b)
        raise(ErrorCode::invalid_spec, "\"bits_per_report\" exceeds the number of buckets",
              "Found " + std::to_string(d) + "; there are " + std::to_string(b) + " buckets.");
}

void write(const Settings& settings, Writer& writer) {
    write_domain(settings, writer);
    writer.put(static_cast<std::uint32_t>(settings.number("buckets")));
    writer.put(static_cast<std::uint32_t>(settings.number("bits_per_report")));
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t k = take_domain(reader, max_domain);
    const std::uint64_t b = take_number(reader, "number of buckets", 2, std::min(k, max_buckets));
    const std::uint64_t d = take_number(reader, "number of bits", 1, std::min(b, max_bits));
    reader.finish();
    return std::make_unique<DBitFlip>(header, block, k, b, d);
}

}  // namespace

const MechanismEntry entry(26, "dbitflip", "flipped bits of a few buckets",
                           "a few times “yes” or “no” to whether your answer belongs to some group of "
                           "answers. Chance sometimes reverses it",
                           Shape::one_categorical, max_domain, write, load,
                           {.options = options, .settle = settle, .responses = {"bits_per_report", 1}});

}  // namespace ldp::dbitflip
