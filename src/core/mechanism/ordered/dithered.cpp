// Dithered buckets of an ordered domain. Each user draws a public partition of the points into a few runs of
// neighbours (public_cuts.hpp) and keeps it. They report the bucket of their point by symmetric response, or
// by two symmetric responses, of which the first one is memoized. All points of a bucket share a permanent
// response. A user has at most as many of them as there are buckets, and a small movement rarely leaves the
// bucket. In signal processing, a known offset of a quantizer is subtractive dither.
//
// The boundaries of all partitions together are all cuts between points. The share before a cut is estimated
// without bias from the users whose partition has it.
//
// Parameters: points (4 bytes); 0 for categories, 1 for numbers, 2 for categories on a circle (1); buckets
//             (4); of numbers min, max; ε₁ (8) if there is a second layer.
// Public randomness: a partition · permanent response: a bucket · payload: partition, bucket
// State: reports per partition and bucket

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/base/exact.hpp"
#include "core/base/interrupt.hpp"
#include "core/channel/symmetric.hpp"
#include "core/math/channel_law.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/frequency/second_layer.hpp"
#include "core/mechanism/ordered/cut_noise.hpp"
#include "core/mechanism/ordered/drawn_levels.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::dithered {

namespace {

constexpr std::uint64_t max_points = std::uint64_t{1} << 14, max_buckets = 1024;
enum PointsKind : std::uint8_t { categories, numbers, categories_on_circle };

constexpr const char* orders[] = {"line", "circle"};
constexpr Option options[] = {
    {.name = "grid", .fallback = 0, .least = 1, .most = max_points - 1, .of_numbers = true},
    {.name = "buckets", .fallback = 0, .least = 2, .most = max_buckets},
    {.name = "order", .choices = orders, .optional = true},
    second_layer_option};

class Dithered final : public CountedReports<Dithered, DrawnLevels> {
  public:
    Dithered(const Header& header, Bytes block, const PublicCuts& cuts, const std::optional<Range>& range,
             double report_epsilon)
        : CountedReports(header, block, cuts.points(), range),
          cuts_(cuts),
          report_epsilon_(report_epsilon),
          kept_(cuts.buckets(), header.epsilon),
          partition_width_(cell_width(cuts.partitions())),
          bucket_width_(cell_width(cuts.buckets())) {
        if (report_epsilon < header.epsilon)
            sent_.emplace(cuts.buckets(), second_odds(kept_.worst_ratio(), cuts.buckets(), report_epsilon));
        set_even_levels(cuts.partitions());
    }

    std::size_t payload_size() const noexcept override { return partition_width_ + bucket_width_; }
    std::size_t public_size() const noexcept override { return partition_width_; }
    std::size_t permanent_size() const noexcept override { return bucket_width_; }
    std::size_t state_size() const noexcept override {
        return cuts_.partitions() * cuts_.buckets() * counter_size;
    }
    std::vector<std::pair<std::string, double>> parameters() const override {
        auto all = parameters_and({{"buckets", static_cast<double>(cuts_.buckets())},
                                   {"partitions", static_cast<double>(cuts_.partitions())},
                                   {"p", protocol().p},
                                   {"q", protocol().q}});
        if (sent_) {
            all.emplace_back("report_epsilon", report_epsilon_);
            all.emplace_back("second_epsilon", sent_->epsilon());
        }
        all.emplace_back("possible_responses", static_cast<double>(most_keys()));
        return all;
    }

    void draw_public(BitSource& bits, MutableBytes public_randomness) const override {
        store_cell(public_randomness.data(), partition_width_, bits.below(cuts_.partitions()));
    }
    bool valid_public(Bytes public_randomness) const noexcept override {
        return partition_of(public_randomness) < cuts_.partitions();
    }
    void permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                            MutableBytes permanent) const override {
        store_cell(permanent.data(), bucket_width_, kept_.sample(bucket(input, public_randomness), bits));
    }
    void instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource& bits,
                                MutableBytes payload) const override {
        std::ranges::copy(public_randomness, payload.begin());
        const std::uint64_t kept = memoized_bucket(permanent);
        store_cell(payload.data() + partition_width_, bucket_width_,
                   sent_ ? sent_->sample(kept, bits) : kept);
    }
    std::vector<Cell> response_key(Input input, Bytes public_randomness) const override {
        return {bucket(input, public_randomness)};
    }
    std::vector<double> key_spans(Bytes) const override { return {static_cast<double>(cuts_.buckets() - 1)}; }
    std::uint64_t most_keys() const noexcept override { return cuts_.buckets(); }
    double report_epsilon() const noexcept override { return report_epsilon_; }

    [[nodiscard]] std::size_t counter_at(Bytes payload) const noexcept {
        return (partition_of(payload) * cuts_.buckets() + reported(payload)) * counter_size;
    }
    bool valid_payload(Bytes payload) const noexcept override {
        return valid_public(payload) && reported(payload) < cuts_.buckets();
    }

    std::vector<Check> health(const Counts& counts) const override;
    double max_probability(Bytes) const override {
        return protocol().p / static_cast<double>(cuts_.partitions());
    }
    double n_covariance(double truth) const override;
    Cost cost() const noexcept override { return {3, 100 * static_cast<double>(points())}; }

    Exact probability(Input input, Bytes public_randomness, Bytes permanent) const override {
        return exact(kept_.weight(bucket(input, public_randomness), memoized_bucket(permanent)),
                     kept_.total());
    }
    // The partition is drawn independently of the value. Every partition has a cut, and the points next to it
    // attain the ratio.
    Exact worst_ratio() const override { return exact(kept_.worst_ratio().high, kept_.worst_ratio().low); }
    Exact instantaneous_probability(Bytes public_randomness, Bytes permanent, Bytes payload) const override {
        if (!std::ranges::equal(public_randomness, payload.first(partition_width_))) return exact(0, 1);
        const std::uint64_t kept = memoized_bucket(permanent), sent = reported(payload);
        return sent_ ? exact(sent_->weight(kept, sent), sent_->total()) : exact(kept == sent ? 1 : 0, 1);
    }
    // Both layers are symmetric, hence the chain is symmetric.
    Exact first_report_ratio() const override {
        if (!sent_) return worst_ratio();
        const SymmetricChain chain(kept_, *sent_);
        return exact(chain.right, chain.wrong);
    }
    ChannelLaw channel_law() const override {
        ChannelLaw law = levels_law(kept_.worst_ratio(), 1, kept_.outputs() - 1);
        return sent_ ? with_second(std::move(law), sent_->worst_ratio(), sent_->outputs()) : law;
    }

    std::vector<double> cumulative(const Counts& counts) const override;
    std::unique_ptr<const OrderedNoise> noise(const Counts& counts,
                                              std::vector<double> shares) const override {
        return noise_of(reports(counts.state), protocol(), std::move(shares));
    }
    std::unique_ptr<const OrderedNoise> repeated_noise(const Counts& counts, std::vector<double> shares,
                                                       double each) const override {
        return std::make_unique<CutNoise>(ReportedCuts(cuts_, reports(counts.state)), protocol(),
                                          PureProtocol{kept_.p(), kept_.q()}, each, std::move(shares));
    }
    std::unique_ptr<const OrderedNoise> expected_noise(std::vector<double> shares) const override {
        return noise_of(expected(), protocol(), std::move(shares));
    }

  private:
    std::uint64_t partition_of(Bytes public_randomness) const noexcept {
        return load_cell(public_randomness.data(), partition_width_);
    }
    std::uint64_t memoized_bucket(Bytes permanent) const noexcept {
        return load_cell(permanent.data(), bucket_width_);
    }
    std::uint64_t reported(Bytes payload) const noexcept {
        return memoized_bucket(payload.subspan(partition_width_));
    }
    std::uint64_t bucket(Input input, Bytes public_randomness) const noexcept {
        return cuts_.bucket(partition_of(public_randomness), input[0]);
    }
    /// Returns the probabilities of the reported bucket: of the person's, and of another one.
    PureProtocol protocol() const noexcept {
        if (!sent_) return {kept_.p(), kept_.q()};
        const SymmetricChain chain(kept_, *sent_);
        return {chain.p(), chain.q()};
    }
    /// Returns the number of reports of each partition.
    std::vector<double> reports(Bytes state) const;
    std::unique_ptr<const CutNoise> noise_of(std::vector<double> reports, const PureProtocol& protocol,
                                             std::vector<double> shares) const {
        return std::make_unique<CutNoise>(ReportedCuts(cuts_, std::move(reports)), protocol,
                                          std::move(shares));
    }
    std::vector<Contribution> contributions_of(std::span<const double> function) const override;
    std::vector<Contribution> contributions_of_point(std::uint64_t point) const override {
        std::vector<double> one(points());
        one[point] = 1;
        return contributions_of(one);
    }
    std::vector<std::uint64_t> distinct_points() const override;
    std::vector<std::vector<double>> uncertain_people() const override;

    PublicCuts cuts_;
    double report_epsilon_;
    SymmetricChannel kept_;
    std::optional<SymmetricChannel> sent_;
    std::size_t partition_width_, bucket_width_;
};

std::vector<double> Dithered::reports(Bytes state) const {
    std::vector<double> all(cuts_.partitions());
    for_each_index(cuts_.partitions() * cuts_.buckets(), [&](std::size_t i) {
        all[i / cuts_.buckets()] += static_cast<double>(counter(state, i));
    });
    return all;
}

// On a circle, the people who begin at either point estimate all shares; both estimates have the same weight.
std::vector<double> Dithered::cumulative(const Counts& counts) const {
    const auto [p, q] = protocol();
    const std::uint64_t k = points(), buckets = cuts_.buckets();
    const ReportedCuts reported(cuts_, reports(counts.state));
    std::vector<double> below(cuts_.partitions() * buckets);  // share of reports up to a bucket
    for (std::uint64_t partition = 0; partition < cuts_.partitions(); ++partition) {
        double sum = 0;
        for (std::uint64_t b = 0; b < buckets; ++b) {
            sum += static_cast<double>(counter(counts.state, partition * buckets + b));
            const double share = sum / reported.reports()[partition];
            below[partition * buckets + b] = (share - q * static_cast<double>(b + 1)) / (p - q);
        }
    }
    std::vector<double> shares(k);
    for (std::uint64_t start = 0; start < cuts_.starts(); ++start) {
        if (reported.weight(start) == 0) continue;
        const auto before = reported.shares_before(start, [&](std::uint64_t partition, std::uint64_t bucket) {
            return below[partition * buckets + bucket];
        });
        for (std::uint64_t point = 0; point < k; ++point) {
            const std::uint64_t place = cuts_.place(start, point);
            shares[point] += reported.weight(start) * (before[place + 1] - before[place]);
        }
    }
    std::partial_sum(shares.begin(), shares.end(), shares.begin());
    shares.back() = 1;  // removes the rounding error
    return shares;
}

// A bucket without people has the smallest expected number of honest reports, a bucket with all people the
// largest.
std::vector<Check> Dithered::health(const Counts& counts) const {
    const double p = protocol().p, q = protocol().q;
    const std::uint64_t buckets = cuts_.buckets();
    std::vector<std::uint64_t> drew(cuts_.partitions());
    for (std::size_t i = 0; i < drew.size() * buckets; ++i) drew[i / buckets] += counter(counts.state, i);
    Check least{"least share of a bucket", 0, 0, 1}, greatest{"greatest share of a bucket", 0, 1, 1};
    const auto share = [&](std::uint64_t found, std::uint64_t n) {
        return (static_cast<double>(found) / static_cast<double>(n) - q) / (p - q);
    };
    Work work;
    double tests = 0;
    for (std::size_t partition = 0; partition < drew.size(); ++partition) {
        const std::uint64_t n = drew[partition];
        if (n == 0) continue;
        ++tests;
        std::uint64_t fewest = n, most = 0;
        for (std::uint64_t b = 0; b < buckets; ++b, work.done()) {
            const std::uint64_t found = counter(counts.state, partition * buckets + b);
            fewest = std::min(fewest, found);
            most = std::max(most, found);
        }
        work.done(1000);
        const double low = binomial_at_most(n, q, fewest), high = binomial_at_least(n, p, most);
        if (tests == 1 || low < least.p_value) least = {least.name, share(fewest, n), 0, low};
        if (tests == 1 || high < greatest.p_value) greatest = {greatest.name, share(most, n), 1, high};
    }
    for (Check* worst : {&least, &greatest})
        worst->p_value = std::min(1.0, worst->p_value * tests * static_cast<double>(buckets));
    return {goodness_of_fit("partitions drawn", drew), least, greatest};
}

// Of a number, the same for the permanent response alone. The noise that a second layer adds to a category is
// the same in every distribution up to the bucket of its cuts; the largest is subtracted.
double Dithered::n_covariance(double truth) const {
    if (!sent_) return n_variance(truth);
    const PureProtocol kept{kept_.p(), kept_.q()};
    if (range()) return noise_of(expected(), kept, all_at(truth))->of(values(-1, 1));
    double most = 0;
    for (const std::uint64_t point : distinct_points())
        for (const std::uint64_t people : {std::uint64_t{0}, point, cuts_.points() - 1}) {
            std::vector<double> shares(points());
            shares[people] = 1;
            const double sent = expected_noise(shares)->between(point, point + 1);
            most = std::max(most, sent - noise_of(expected(), kept, shares)->between(point, point + 1));
        }
    return std::max(0.0, n_variance(truth) - most);
}

// The extreme forged reports name the bucket of largest or smallest value of the function.
std::vector<Contribution> Dithered::contributions_of(std::span<const double> function) const {
    const auto [p, q] = protocol();
    const ReportedCuts planned(cuts_, expected());
    std::vector<ReportedCuts::Decrease> decreases;
    for (std::size_t s = 0; s < function.size(); ++s) {
        const double by = (s == 0 ? function.back() : function[s - 1]) - function[s];
        if (by != 0) decreases.push_back({s, by});
    }
    const CutSum sum = planned.sum(decreases, [&](std::uint64_t point) { return function[point]; });
    const double each = 1 / static_cast<double>(cuts_.partitions());
    std::vector<Contribution> contributions;
    double shift = sum.constant, left = 1;
    for (std::size_t from = 0, to = 0; from < sum.terms.size(); from = to) {
        const std::uint64_t partition = sum.terms[from].partition;
        double value = 0, none = 0;
        for (; to < sum.terms.size() && sum.terms[to].partition == partition; ++to) {
            value += sum.terms[to].weight;
            none += q * sum.terms[to].weight * static_cast<double>(sum.terms[to].bucket + 1);
        }
        Interval truths{std::min(value, 0.0), std::max(value, 0.0)};
        for (std::size_t i = from; i < to; ++i) {
            value -= sum.terms[i].weight;
            truths = {std::min(truths.lower, value), std::max(truths.upper, value)};
        }
        contributions.push_back(
            {each,
             {shift + (truths.lower - none) / (p - q), shift + (truths.upper - none) / (p - q)},
             {shift + truths.lower, shift + truths.upper}});
        shift = 0;
        left -= each;
    }
    if (contributions.size() < cuts_.partitions())
        contributions.push_back({left, {shift, shift}, {shift, shift}});
    return contributions;
}

// The components of a point's share depend on the buckets on either side of its cuts: they are the first, the
// same or neighbours, or the last.
std::vector<std::uint64_t> Dithered::distinct_points() const {
    const std::uint64_t last = points() - 1, offsets = cuts_.offsets(), middle = cuts_.first_point(1);
    std::vector<std::uint64_t> all;
    for (const std::uint64_t start : {std::uint64_t{0}, cuts_.circle() ? middle : std::uint64_t{0}})
        for (const std::uint64_t place : {std::uint64_t{0}, std::uint64_t{1}, offsets - 1, offsets,
                                          last / 2 / offsets * offsets, last - 1, last})
            all.push_back((start + std::min(place, last)) % points());
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

// With many buckets, the noise is largest if people are at both ends; with few, if they are between cuts.
std::vector<std::vector<double>> Dithered::uncertain_people() const {
    constexpr std::uint64_t places = 8;
    const std::uint64_t k = cuts_.points();
    std::vector<std::vector<double>> all;
    const auto point = [&](std::uint64_t place) { return (k - 1) * place / places; };
    for (std::uint64_t first = 0; first <= places; ++first)
        for (std::uint64_t second = first; second <= places; ++second)
            all.push_back(halves_at(point(first), point(second)));
    for (std::uint64_t bucket = 0; bucket < std::min(cuts_.buckets(), places); ++bucket) {
        const std::uint64_t inside = std::min(bucket * cuts_.offsets() + cuts_.offsets() / 2, k - 1);
        all.push_back(halves_at(inside, inside));
    }
    for (const std::uint64_t left_out : {k / 8, k / 16, std::uint64_t{0}}) {
        std::vector<double>& even = all.emplace_back(k);
        std::fill(even.begin() + static_cast<std::ptrdiff_t>(left_out),
                  even.end() - static_cast<std::ptrdiff_t>(left_out),
                  1 / static_cast<double>(k - 2 * left_out));
    }
    return all;
}

// Format
// ------------------------------------------------------------------------------------------------------

/// Returns the number of steps of 1, 2 or 5 times a power of 10 between the ends, the fewest from 50 on, if
/// both ends are multiples of the step; otherwise 64.
std::uint64_t round_steps(double min, double max) {
    constexpr double fewest = 50, touching = 1e-9;
    constexpr std::uint64_t usual = 64;
    const double width = max / 2 - min / 2;
    const double power = std::floor(std::log10(width / fewest * 2));
    for (const double digit : {5.0, 2.0, 1.0}) {
        const double step = digit * std::pow(10, power);
        const double steps = std::round(2 * (width / step));
        if (!(steps >= fewest)) continue;
        const auto whole = [&](double ratio) {
            return std::abs(ratio - std::round(ratio)) <= touching * steps;
        };
        if (steps < 2.5 * fewest && whole(2 * (width / step)) && whole(min / step))
            return static_cast<std::uint64_t>(steps);
        break;
    }
    return usual;
}

/// Returns the number of buckets that minimizes the product of two factors, for people spread evenly. One is
/// n·Var of a share before a cut, averaged over the cuts. The other is the square of the ε that a person
/// spends whose values move within a twentieth of the range.
std::uint64_t best_buckets(double epsilon, std::uint64_t points) {
    constexpr double movement = 0.05;
    constexpr std::uint64_t most = 64;
    const double e = std::exp(epsilon);
    std::uint64_t best = 2;
    float least = HUGE_VALF;
    for (std::uint64_t buckets = 2; buckets <= std::min(points, most); ++buckets) {
        const PublicCuts cuts(points, buckets, false);
        const double all = e + static_cast<double>(buckets - 1), p = e / all, q = 1 / all;
        double sum = 0;
        for (std::uint64_t place = 1; place < points; ++place) {
            const double share = static_cast<double>(place) / static_cast<double>(points);
            const double reported = q * static_cast<double>(cuts.cut(place).bucket + 1) + (p - q) * share;
            sum += reported * (1 - reported);
        }
        const double cuts_of_one = static_cast<double>(points - 1) / static_cast<double>(cuts.offsets());
        const double spent = 1 + movement * cuts_of_one;
        const auto cost = static_cast<float>(static_cast<double>(cuts.offsets()) * sum * spent * spent /
                                             ((p - q) * (p - q)));
        if (cost < least) {
            least = cost;
            best = buckets;
        }
    }
    return best;
}

void settle(SettingsDraft& draft) {
    settle_second_layer(draft);
    const Attribute& attribute = draft.attributes[0];
    std::uint64_t points = attribute.domain;
    if (attribute.numeric()) {
        auto& grid = std::get<std::uint64_t>(draft.options.at("grid"));
        if (grid == 0) grid = round_steps(attribute.min, attribute.max);
        points = grid + 1;
    }
    const bool circle = std::get<std::string>(draft.options.at("order")) == orders[1];
    if (circle && attribute.numeric())
        raise(ErrorCode::invalid_spec, "a circle requires categories", "The attribute is a number.",
              "Add \"bins\" or \"domain\".");
    if (circle && points < 3)
        raise(ErrorCode::invalid_spec, "a circle requires three or more values",
              "The domain has " + std::to_string(points) + ".");
    auto& buckets = std::get<std::uint64_t>(draft.options.at("buckets"));
    const double first = std::get<double>(draft.options.at(second_layer_option.name));
    if (buckets == 0) buckets = best_buckets(first == 0 ? draft.epsilon : first, points);
    if (buckets < 2 || buckets > points)
        raise(ErrorCode::invalid_spec,
              "\"buckets\" must be 2 to " + std::to_string(std::min(points, max_buckets)),
              "Found " + std::to_string(buckets) + "; there are " + std::to_string(points) + " " +
                  (attribute.numeric() ? "points of the grid." : "values."),
              "Leave it out for a number based on the variance of a share and the number of responses.");
}

void write(const Settings& settings, Writer& writer) {
    const Attribute& attribute = settings.attributes()[0];
    const bool numeric = attribute.numeric();
    writer.put(static_cast<std::uint32_t>(numeric ? settings.number("grid") + 1 : attribute.domain));
    writer.put(static_cast<std::uint8_t>(numeric                               ? numbers
                                         : settings.word("order") == orders[1] ? categories_on_circle
                                                                               : categories));
    writer.put(static_cast<std::uint32_t>(settings.number("buckets")));
    if (numeric) write_range(writer, {attribute.min, attribute.max});
    write_second_layer(settings, writer);
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t points = take_number(reader, "number of points", 2, max_points);
    const auto kind = reader.take<std::uint8_t>();
    const std::uint64_t buckets = take_number(reader, "number of buckets", 2, std::min(points, max_buckets));
    if (kind > categories_on_circle || (kind == categories_on_circle && points < 3))
        refuse_block("the kind of points is out of range",
                     "Found " + std::to_string(kind) + " for " + std::to_string(points) + " points.");
    std::optional<Range> range;
    if (kind == numbers) range = read_range(reader);
    const double report_epsilon = take_second_layer(reader, header);
    return std::make_unique<Dithered>(
        header, block, PublicCuts(points, buckets, kind == categories_on_circle), range, report_epsilon);
}

}  // namespace

const MechanismEntry entry(
    36, "dithered", "dithered buckets, ordered domain",
    "one of a few parts of the range, which chance makes. It is the part with your own "
    "answer or, by chance, another one",
    Shape::one_ordered, max_points, write, load,
    {.options = options, .settle = settle, .purpose = Purpose::distribution, .responses = {"buckets", 0}});

}  // namespace ldp::dithered
