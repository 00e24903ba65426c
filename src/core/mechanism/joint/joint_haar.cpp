// Several ordered attributes together: users are divided among the Haar coefficients of single attributes and
// of pairs (after Cormode, Kulkarni, Srivastava 2019; Yang et al. 2020). In each level of its tree
// (haar_tree.hpp), an attribute's value is in one node, in the left half (+) or the right half (−) of the
// node. In a level of one attribute, or in a pair of levels of two attributes, a user has one position (the
// node or the pair of nodes) and one sign (the product). The user reports both at the full ε. The assignment
// to attributes and levels is random and independent of the values.
//
// The indicator of a range is a sum of few coefficients per level, and the indicator of a box is the product
// of those of its ranges. The estimate of a box therefore has the noise of a few positions per pair of
// levels, however many cells it has. In contrast, a table (joint.cpp) adds up the noise of all cells inside.
// Single attributes have their own reports, which all pairs share.
//
// The sampling probabilities minimize the mean variance of the target over all views: boxes between uniformly
// distributed cuts, or cells. The weight of a level follows haar_ordered.cpp, or is that of one cell. If the
// number of people is known, they minimize the error that remains after optimal shrinkage of each
// coefficient. Squared coefficients are assumed to be half the square of an even node's share, or a quarter
// for pairs. Levels of pairs that are too fine for few people are then omitted.
//
// Parameters: attributes and views, as joint_views.hpp writes them; buckets as a power of two (1 byte);
//             the sampling weight (1) of every different kind of level query, in ascending order.
//             A kind with weight 0 is not reported.
// Public randomness:  a level query · permanent response: an output of its channel.
// Payload:    both · state: reports per output, by level query

#include "core/mechanism/joint/joint_haar.hpp"
#include "core/math/channel_law.hpp"
#include "core/mechanism/frequency/counters.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/base/exact.hpp"
#include "core/base/interrupt.hpp"
#include "core/math/statistics.hpp"

namespace ldp {

namespace {

class JointHaar final : public CountedReports<JointHaar, Mechanism>, public JointViews, public Significance {
  public:
    JointHaar(const Header& header, Bytes block, std::vector<std::uint64_t> sizes, unsigned buckets,
              std::vector<HaarQuery> questions, const std::vector<std::uint64_t>& weights)
        : CountedReports(header, block),
          sizes_(std::move(sizes)),
          questions_(std::move(questions)),
          index_(cell_width(questions_.size())) {
        unsigned most = 0;
        for (const HaarQuery& question : questions_) most = std::max(most, question.places());
        for (unsigned places = 0; places <= most; ++places)
            channels_.emplace_back(places, std::min(places, buckets), header.epsilon);
        output_ = cell_width(channels_.back().outputs());
        for (std::size_t i = 0; i < questions_.size(); ++i) {
            if (views_.empty() || views_.back().attributes != questions_[i].attributes)
                views_.push_back({questions_[i].attributes, i, i});
            ++views_.back().end;
            begins_.push_back(state_size_);
            state_size_ += state_of(questions_[i]);
            assignment_.push_back((assignment_.empty() ? 0 : assignment_.back()) + weights[i]);
        }
    }

    std::vector<std::uint64_t> cells() const override { return sizes_; }
    std::size_t public_size() const noexcept override { return index_; }
    std::size_t permanent_size() const noexcept override { return output_; }
    std::size_t payload_size() const noexcept override { return index_ + output_; }
    std::size_t state_size() const noexcept override { return state_size_; }
    std::vector<std::pair<std::string, double>> parameters() const override {
        return {{"number_of_marginals", static_cast<double>(views_.size())},
                {"number_of_queries", static_cast<double>(questions_.size())},
                {"max_positions", static_cast<double>(channels_.back().places())},
                {"hash_buckets", static_cast<double>(channels_.back().buckets())}};
    }

    void draw_public(BitSource& bits, MutableBytes public_randomness) const override {
        store_cell(public_randomness.data(), index_, bits.pick(std::span(assignment_)));
    }
    bool valid_public(Bytes public_randomness) const noexcept override {
        return number_in(public_randomness) < questions_.size();
    }
    void permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                            MutableBytes permanent) const override {
        const HaarQuery& question = questions_[number_in(public_randomness)];
        const auto [place, negative] = at(question, input);
        store_cell(permanent.data(), output_, channel_of(question).sample(place, negative, bits));
    }
    void instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource&,
                                MutableBytes payload) const override {
        std::ranges::copy(public_randomness, payload.begin());
        std::ranges::copy(permanent, payload.begin() + static_cast<std::ptrdiff_t>(index_));
    }
    /// The key is the position and the sign. Changes that leave both unchanged cost no ε.
    std::vector<Cell> response_key(Input input, Bytes public_randomness) const override {
        const auto [place, negative] = at(questions_[number_in(public_randomness)], input);
        return {2 * place + (negative ? 1 : 0)};
    }
    std::vector<double> key_spans(Bytes) const override { return {0}; }
    std::uint64_t most_keys() const noexcept override { return channels_.back().outputs(); }

    [[nodiscard]] std::size_t counter_at(Bytes payload) const noexcept {
        return begins_[number_in(payload)] + output_in(payload) * counter_size;
    }
    bool valid_payload(Bytes payload) const noexcept override {
        const std::size_t number = number_in(payload);
        return number < questions_.size() && output_in(payload) < channel_of(questions_[number]).outputs();
    }

    std::span<const Quantity> answers() const noexcept override {
        static constexpr Quantity quantities[] = {Quantity::frequencies};
        return quantities;
    }
    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const override {
        check_attribute(question.attribute, sizes_.size());
        return shares_of_values(*shares(counts, {question.attribute}, Combination::consistent),
                                sizes_[question.attribute], counts.n, question.target);
    }
    std::vector<Check> health(const Counts& counts) const override;

    std::vector<std::vector<std::size_t>> views() const override {
        std::vector<std::vector<std::size_t>> all;
        for (const QueryRange& view : views_) {
            const auto numbers = view.attributes.all();
            all.emplace_back(numbers.begin(), numbers.end());
        }
        return all;
    }
    std::uint64_t reports_of_view(const Counts& counts, std::size_t view) const override {
        std::uint64_t all = 0;
        for (std::size_t i = views_[view].begin; i < views_[view].end; ++i) all += reports_on(counts, i);
        return all;
    }
    // The first views are the single attributes. Coefficients of pairs contribute to joint estimates only.
    std::uint64_t reports(const Counts& counts, std::size_t attribute) const override {
        return reports_of_view(counts, attribute);
    }
    double view_chance(std::size_t view) const override {
        double all = 0;
        for (std::size_t i = views_[view].begin; i < views_[view].end; ++i) all += chance(i);
        return all;
    }
    double attribute_chance(std::size_t attribute) const override { return view_chance(attribute); }
    /// Each coefficient is reported by one level query, so that both combinations are equal.
    std::unique_ptr<const JointShares> shares(const Counts& counts,
                                              const std::vector<std::size_t>& attributes,
                                              Combination) const override {
        return box_shares(attributes, [&](BoxShares::Part& part, std::size_t number) {
            const Bytes counters = counters_of(counts, number);
            const std::uint64_t n = reports_on(counts, number);
            part.people = static_cast<double>(n);
            if (n == 0) return;
            part.details = details_in(number, counters, n);
            part.crowding = part.channel->bucket_shares(n, counters);
        });
    }
    std::unique_ptr<const JointShares> expected_shares(const std::vector<std::size_t>& attributes,
                                                       const Spread& spread, double people) const override {
        std::vector<std::vector<double>> spreads;
        for (const std::size_t j : attributes) spreads.push_back(spread(j));
        return box_shares(attributes, [&](BoxShares::Part& part, std::size_t number) {
            part.people = people * chance(number);
            BoxShares::spread(part, spreads);
        });
    }
    ViewEstimate estimate_of_view(const Counts& counts, std::size_t view) const override {
        return details(counts, view);
    }
    Details details(const Counts& counts, std::size_t view) const;

    std::vector<Contribution> contributions(const Question& question) const override;
    double max_probability(Bytes payload) const override {
        const std::size_t number = number_in(payload);
        return chance(number) * channel_of(questions_[number]).max_probability();
    }

    double n_variance(double truth) const override;
    double n_variance_of(std::size_t attribute, std::size_t item,
                         std::span<const double> shares) const override {
        const std::vector<double> spread(shares.begin(), shares.end());
        JointShares::Box box{std::vector<bool>(spread.size())};
        box[0][item] = true;
        constexpr double very_many = 0x1p50;
        const auto all = expected_shares(
            {attribute}, [&](std::size_t) -> const std::vector<double>& { return spread; }, very_many);
        const double error =
            estimate_of(*all, all->share(box), std::uint64_t{1} << 50, Target::sample).standard_error;
        return very_many * error * error;
    }
    double expected_variance(std::size_t attribute) const override {
        const std::uint64_t size = sizes_[attribute];
        const std::vector<double> even(size, 1 / static_cast<double>(size));
        double all = 0;
        for_each_subtree(size, [&](std::uint64_t first, std::uint64_t values) {
            all += static_cast<double>(values) / static_cast<double>(size) *
                   n_variance_of(attribute, first, even);
        });
        return all;
    }
    Cost cost() const noexcept override { return {2, 4.0 * static_cast<double>(state_size_) / counter_size}; }

    Exact probability(Input input, Bytes public_randomness, Bytes permanent) const override {
        const HaarQuery& question = questions_[number_in(public_randomness)];
        const auto [place, negative] = at(question, input);
        const std::uint64_t output = load_cell(permanent.data(), output_);
        if (output >= channel_of(question).outputs()) return exact(0, 1);
        return channel_of(question).probability(place, negative, output);
    }
    // The assignment does not depend on the values, so that its probability cancels.
    Exact worst_ratio() const override {
        Exact worst = exact(1, 1);
        for (const SignedIndex& channel : channels_)
            worst = std::max(worst, exact(channel.worst_ratio().high, channel.worst_ratio().low));
        return worst;
    }
    ChannelLaw channel_law() const override {
        std::vector<ChannelLaw> laws;
        for (const SignedIndex& channel : channels_) laws.push_back(channel.channel_law());
        return choice_law(std::move(laws));
    }

  private:
    /// The level queries of a view, from `begin` to before `end`.
    struct QueryRange {
        ViewAttributes attributes;
        std::size_t begin, end;
    };

    [[nodiscard]] const SignedIndex& channel_of(const HaarQuery& question) const noexcept {
        return channels_[question.places()];
    }
    [[nodiscard]] double chance(std::size_t number) const noexcept {
        return static_cast<double>(assignment_[number] - (number == 0 ? 0 : assignment_[number - 1])) /
               static_cast<double>(assignment_.back());
    }
    [[nodiscard]] std::size_t number_in(Bytes bytes) const noexcept {
        return load_cell(bytes.data(), index_);
    }
    [[nodiscard]] std::uint64_t output_in(Bytes payload) const noexcept {
        return load_cell(payload.data() + index_, output_);
    }
    /// Returns the position and the sign of a user.
    [[nodiscard]] std::pair<std::uint64_t, bool> at(const HaarQuery& question, Input input) const noexcept {
        std::uint64_t place = 0;
        bool negative = false;
        for (std::size_t i = 0; i < question.attributes.count; ++i) {
            const std::size_t j = question.attributes.numbers[i];
            const std::uint64_t half = input[j] >> (levels_of(sizes_[j]) - question.levels[i] - 1);
            place = place << question.levels[i] | half >> 1;
            negative ^= half % 2 != 0;
        }
        return {place, negative};
    }
    [[nodiscard]] Bytes counters_of(const Counts& counts, std::size_t number) const noexcept {
        return counts.state.subspan(begins_[number], state_of(questions_[number]));
    }
    [[nodiscard]] std::uint64_t reports_on(const Counts& counts, std::size_t number) const {
        std::uint64_t all = 0;
        const Bytes counters = counters_of(counts, number);
        for_each_index(counters.size() / counter_size, [&](std::size_t i) { all += counter(counters, i); });
        return all;
    }
    [[nodiscard]] std::vector<double> details_in(std::size_t number, Bytes counters, std::uint64_t n) const {
        const SignedIndex& channel = channel_of(questions_[number]);
        const double scale = 1 / (channel.tilt() * static_cast<double>(n));
        std::vector<double> details;
        for (const std::int64_t balance : channel.balances(counters))
            details.push_back(scale * static_cast<double>(balance));
        return details;
    }
    /// Returns estimates of boxes; fill(part, number) sets the coefficients of a level query.
    template <class Fill>
    [[nodiscard]] std::unique_ptr<const JointShares> box_shares(const std::vector<std::size_t>& attributes,
                                                                Fill fill) const;
    /// Calls visit(first, number) for the segments of an attribute's values that form a whole subtree. All
    /// values of a segment have the same variance.
    template <class Visit>
    static void for_each_subtree(std::uint64_t size, Visit visit) {
        for (std::uint64_t first = 0; first < size;) {
            const std::uint64_t values = std::bit_floor(size - first);
            visit(first, values);
            first += values;
        }
    }

    std::vector<std::uint64_t> sizes_;
    std::vector<HaarQuery> questions_;
    std::vector<SignedIndex> channels_;      // by the number of positions, as a power of two
    std::vector<QueryRange> views_;          // single attributes first
    std::vector<std::size_t> begins_;        // offsets of the counters of each level query
    std::vector<std::uint64_t> assignment_;  // cumulative sums of the sampling weights
    std::size_t index_, output_ = 0, state_size_ = 0;
};

template <class Fill>
std::unique_ptr<const JointShares> JointHaar::box_shares(const std::vector<std::size_t>& attributes,
                                                         Fill fill) const {
    std::vector<std::uint64_t> sizes;
    for (const std::size_t j : attributes) sizes.push_back(sizes_[j]);
    std::vector<BoxShares::Part> parts;
    for (const QueryRange& view : views_) {
        std::vector<std::size_t> places;
        for (const std::size_t j : view.attributes.all()) {
            const auto found = std::ranges::lower_bound(attributes, j);
            if (found != attributes.end() && *found == j)
                places.push_back(static_cast<std::size_t>(found - attributes.begin()));
        }
        if (places.size() < view.attributes.count) continue;
        // Level queries with weight 0 have no number.
        std::size_t number = view.begin;
        const unsigned second = view.attributes.count == 2 ? levels_of(sizes[places[1]]) : 1;
        for (unsigned a = 0; a < levels_of(sizes[places[0]]); ++a)
            for (unsigned b = 0; b < second; ++b) {
                check_interrupt();
                const std::array levels{static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b)};
                BoxShares::Part& part =
                    parts.emplace_back(BoxShares::Part{&channels_.front(), places, levels, 0, {}, {}});
                if (number == view.end || questions_[number].levels != levels) continue;
                part.channel = &channel_of(questions_[number]);
                fill(part, number++);
            }
    }
    return std::make_unique<BoxShares>(std::move(sizes), std::move(parts));
}

JointHaar::Details JointHaar::details(const Counts& counts, std::size_t view) const {
    const QueryRange& asked = views_[view];
    Details all{{asked.attributes.all().begin(), asked.attributes.all().end()}, {}, {}, {}, {}, {}, 0};
    std::vector<HaarTree> trees;
    for (const std::size_t j : all.attributes) {
        all.sizes.push_back(sizes_[j]);
        trees.emplace_back(sizes_[j]);
    }
    const bool two = trees.size() == 2;
    const std::size_t columns = two ? all.sizes[1] : 1;
    all.values.assign(all.sizes[0] * columns, 0);
    all.variances.assign(all.values.size(), std::numeric_limits<double>::infinity());
    all.squares = all.reports = all.values;
    Work work;
    for (std::size_t q = asked.begin; q < asked.end; ++q) {
        const HaarQuery& question = questions_[q];
        work.done(state_of(question));
        const std::uint64_t n = reports_on(counts, q);
        if (n == 0) continue;
        const std::vector<double> coefficients = details_in(q, counters_of(counts, q), n);
        const std::vector<double> crowding = channel_of(question).bucket_shares(n, counters_of(counts, q));
        const SignedIndex& channel = channel_of(question);
        const double variance =
            channel.mean_square(1, 1 / static_cast<double>(channel.buckets())) / static_cast<double>(n);
        all.people += static_cast<double>(n);
        // Nodes without a right half, the last of a level, have no coefficient.
        const auto [first, second] = question.levels;
        const std::size_t row = trees[0].levels()[first], rows = trees[0].levels()[first + 1] - row;
        const std::size_t column = two ? trees[1].levels()[second] : 0,
                          width = two ? trees[1].levels()[second + 1] - column : 1;
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t c = 0; c < width; ++c) {
                const std::size_t cell = (row + r) * columns + column + c;
                const std::size_t place = (r << second) + c;
                all.values[cell] = coefficients[place];
                all.variances[cell] = variance;
                all.squares[cell] = channel.mean_square(1, crowding[channel.bucket(place)]);
                all.reports[cell] = static_cast<double>(n);
            }
    }
    return all;
}

std::vector<Check> JointHaar::health(const Counts& counts) const {
    std::vector<std::uint64_t> reports;
    std::vector<double> chances;
    std::vector<std::vector<Check>> checks;
    for (std::size_t i = 0; i < questions_.size(); ++i) {
        check_interrupt();
        reports.push_back(reports_on(counts, i));
        chances.push_back(chance(i));
        if (reports.back() > 0)
            checks.push_back(channel_of(questions_[i]).health(reports.back(), counters_of(counts, i)));
    }
    std::vector<Check> all{goodness_of_fit("questions drawn", reports, chances)};
    for (Check& worst : worst_of(checks, checks.size())) all.push_back(std::move(worst));
    return all;
}

// All values in a whole subtree have the same variance; the result is the largest one.
double JointHaar::n_variance(double truth) const {
    double largest = 0;
    for (std::size_t j = 0; j < sizes_.size(); ++j) {
        const auto others = static_cast<double>(sizes_[j] - 1);
        for_each_subtree(sizes_[j], [&](std::uint64_t first, std::uint64_t) {
            std::vector<double> shares(sizes_[j], (1 - truth) / others);
            shares[first] = truth;
            largest = std::max(largest, n_variance_of(j, first, shares));
        });
    }
    return largest;
}

// The share of a value is the mean plus the terms of the coefficients on its path.
std::vector<Contribution> JointHaar::contributions(const Question& question) const {
    const std::size_t attribute = question.attribute == only_attribute ? 0 : question.attribute;
    const HaarTree tree(sizes_[attribute]);
    std::vector<Contribution> worst;
    for_each_subtree(sizes_[attribute], [&](std::uint64_t first, std::uint64_t) {
        std::vector<double> value(sizes_[attribute]), coefficients(value.size());
        value[first] = 1;
        tree.forward(value, coefficients);
        std::vector<Contribution> contributions;
        double around = coefficients[0];
        for (std::size_t level = 0; level + 1 < tree.levels().size(); ++level) {
            double most = 0;
            for (std::size_t c = tree.levels()[level]; c < tree.levels()[level + 1]; ++c)
                most = std::max(most, std::abs(coefficients[c]));
            if (most == 0) continue;
            const std::size_t number = views_[attribute].begin + level;
            const double reach = most / channel_of(questions_[number]).tilt();
            contributions.push_back(
                {chance(number), {around - reach, around + reach}, {around - most, around + most}});
            around = 0;
        }
        if (worst.empty() || influence(contributions) > influence(worst)) worst = std::move(contributions);
    });
    return worst;
}

}  // namespace

std::unique_ptr<const Mechanism> make_joint_haar(const Header& header, Bytes block,
                                                 std::vector<std::uint64_t> sizes, unsigned buckets,
                                                 std::vector<HaarQuery> questions,
                                                 const std::vector<std::uint64_t>& weights) {
    return std::make_unique<JointHaar>(header, block, std::move(sizes), buckets, std::move(questions),
                                       weights);
}

}  // namespace ldp
