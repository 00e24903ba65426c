// Length: the file contains a whole mechanism, and the errors at every true value are next to the estimates.
// The Haar tree over an ordered domain (Cormode, Kulkarni, Srivastava 2019). A user is one leaf, and has one
// non-zero coefficient in each level of the tree: a sign at the node above the leaf. The user publicly draws
// a level and reports node and sign at the full ε. The coefficients determine the shares of all points. A
// range of points has little more noise than two nodes per level.
//
// Levels are 0 to L−1, the root's first. A node of level ℓ has up to w = 2^{L−ℓ} points, halved into left (+)
// and right (−). A node without a point in its right half has no coefficient: its share is its left child's.
//
// If a cut divides a node with t points on the left, the node's coefficient has the weight min(t, w−t)/w. For
// a range between two uniformly distributed cuts, the mean sum of squared weights in level ℓ is 1/6 + 1/(3w²)
// − 2^-ℓ/8. The probability of a level is proportional to the root of that times the variance of a
// coefficient, which minimizes the mean variance of all ranges.
//
// Parameters: points (4 bytes), buckets as a power of two (1), whether they are numbers (1), then min, max.
// Payload:    level (1 byte), an output of the level's channel · state: reports per output, level by level

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "core/base/exact.hpp"
#include "core/base/interrupt.hpp"
#include "core/channel/numeric.hpp"
#include "core/channel/signed_index.hpp"
#include "core/math/channel_law.hpp"
#include "core/math/haar_tree.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/mean/numeric_randomizer.hpp"
#include "core/mechanism/ordered/drawn_levels.hpp"
#include "core/mechanism/ordered/optional_levels.hpp"
#include "core/mechanism/ordered/split_people.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::haar_ordered {

namespace {

constexpr std::uint64_t max_points = std::uint64_t{1} << 20;
/// Steps, not points; integers need max − min of them.
constexpr Option points_option{
    .name = "grid", .fallback = 1023, .least = 1, .most = max_points - 1, .of_numbers = true};

class HaarOrdered : public CountedReports<HaarOrdered, DrawnLevels> {
  public:
    HaarOrdered(const Header& header, Bytes block, std::uint64_t points, unsigned buckets,
                const std::optional<Range>& range, bool missing = false)
        : CountedReports(header, block, points, range, missing) {
        const auto levels = static_cast<unsigned>(std::bit_width(points - 1));
        for (unsigned level = 0; level < levels; ++level) {
            const SignedIndex& channel =
                channels_.emplace_back(level, std::min(level, buckets), header.epsilon);
            const double nodes = std::ldexp(1.0, static_cast<int>(level));
            const double width = std::ldexp(1.0, static_cast<int>(levels - level));
            const double squares = 1.0 / 6 + 1 / (3 * width * width) - 1 / (8 * nodes);
            const double noise = channel.mean_square(1, 1 / static_cast<double>(channel.buckets()));
            add_level(static_cast<std::uint64_t>(std::ldexp(std::sqrt(squares * noise), 32)));
        }
        output_width_ = cell_width(channels_.back().outputs());
    }

    std::size_t payload_size() const noexcept override { return 1 + output_width_; }
    std::size_t state_size() const noexcept override { return first_counter(levels()) * counter_size; }
    std::vector<std::pair<std::string, double>> parameters() const override {
        return parameters_and(
            {{"levels", levels()}, {"hash_buckets", static_cast<double>(channels_.back().buckets())}});
    }

    void permanent_response(Input input, Bytes, BitSource& bits, MutableBytes permanent) const override {
        const std::size_t level = draw(bits);
        permanent[0] = static_cast<std::byte>(level);
        store_cell(permanent.data() + 1, output_width_,
                   channels_[level].sample(node(level, input[0]), right(level, input[0]), bits));
    }

    [[nodiscard]] std::size_t counter_at(Bytes payload) const noexcept {
        return (first_counter(level_of(payload)) + output_of(payload)) * counter_size;
    }
    bool valid_payload(Bytes payload) const noexcept override {
        const std::size_t level = level_of(payload);
        return level < levels() && output_of(payload) < channels_[level].outputs();
    }

    std::vector<Check> health(const Counts& counts) const override;
    double max_probability(Bytes payload) const override {
        const std::size_t level = level_of(payload);
        return chance(level) * channels_[level].max_probability();
    }
    double n_variance(double truth) const override;
    Cost cost() const noexcept override {
        return {2, 4.0 * static_cast<double>(levels()) * static_cast<double>(positions())};
    }
    Exact probability(Input input, Bytes, Bytes permanent) const override {
        const std::size_t level = level_of(permanent);
        return exact_chance(level) * channels_[level].probability(
                                         node(level, input[0]), right(level, input[0]), output_of(permanent));
    }
    // The level is drawn independently of the value, so that its probability cancels. In each level, the
    // first point and a point in the other half of its node have two signs at one position, whose symbols
    // differ in every column.
    Exact worst_ratio() const override {
        Exact worst = exact(1, 1);
        for (const SignedIndex& channel : channels_) {
            const Exact ratio = exact(channel.worst_ratio().high, channel.worst_ratio().low);
            worst = std::max(worst, ratio);
        }
        return worst;
    }
    ChannelLaw channel_law() const override {
        std::vector<ChannelLaw> laws;
        for (const SignedIndex& channel : channels_) laws.push_back(channel.channel_law());
        return choice_law(std::move(laws));
    }

    std::vector<double> cumulative(const Counts& counts) const override;
    std::unique_ptr<const OrderedNoise> noise(const Counts& counts,
                                              std::vector<double> shares) const override;
    std::unique_ptr<const OrderedNoise> expected_noise(std::vector<double> shares) const override;

  private:
    class HaarOrderedNoise;

    std::size_t levels() const noexcept { return channels_.size(); }
    /// Return the node above a point, the first point of its right half, and whether a point is in that half.
    std::uint64_t node(std::size_t level, std::uint64_t point) const noexcept {
        return point >> (levels() - level);
    }
    std::uint64_t middle(std::size_t level, std::uint64_t node) const noexcept {
        return (2 * node + 1) << (levels() - level - 1);
    }
    bool right(std::size_t level, std::uint64_t point) const noexcept {
        return node(level + 1, point) % 2 != 0;
    }

    std::uint64_t output_of(Bytes payload) const noexcept {
        return load_cell(payload.data() + 1, output_width_);
    }
    std::vector<Contribution> contributions_of(std::span<const double> function) const override;
    std::vector<Contribution> contributions_of_point(std::uint64_t point) const override;

    /// Returns the first counter of a level: the levels above have 2, 4, 8, … outputs.
    static std::size_t first_counter(std::size_t level) noexcept { return (std::size_t{2} << level) - 2; }
    Bytes counters_of(std::size_t level, Bytes state) const {
        return state.subspan(first_counter(level) * counter_size, channels_[level].outputs() * counter_size);
    }
    static std::uint64_t reports(Bytes counters) {
        const std::vector<std::uint64_t> counts = ldp::counters(counters);
        return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    }
    // A level's estimates are means over the reports that drew it. Given their number, they are unbiased, and
    // the noise of that number is removed. Without reports of a level, all its coefficients count as 0.
    static double divisor(std::uint64_t reports) {
        return static_cast<double>(std::max<std::uint64_t>(reports, 1));
    }

    std::vector<SignedIndex> channels_;  // of the levels
    std::size_t output_width_;
};

/// For the target sample, the users who drew a level are a random sample without replacement, and no user
/// draws two levels. The errors of the levels' means are therefore correlated; the exact reduction is the
/// function's variance over the people.
///
/// Few reports of a level may all agree, which would give a variance of 0. Therefore, each level's users are
/// assumed to be distributed as the estimated shares plus one user who is spread evenly. Without reports of a
/// level, the largest possible contribution of its coefficients counts as an error.
class HaarOrdered::HaarOrderedNoise final : public OrderedNoise {
  public:
    /// `reports` are the numbers of reports of each level.
    HaarOrderedNoise(const HaarOrdered& tree, std::vector<double> reports, std::vector<double> shares)
        : tree_(tree),
          haar_(tree.positions()),
          reports_(std::move(reports)),
          n_(std::accumulate(reports_.begin(), reports_.end(), 0.0)),
          shares_(std::move(shares)),
          below_(shares_.size() + 1) {
        std::partial_sum(shares_.begin(), shares_.end(), below_.begin() + 1);
        for (std::size_t level = 0; level < tree_.levels(); ++level) {
            auto& crowd = crowds_.emplace_back(tree_.channels_[level].buckets());
            auto& cumulative = crowds_up_to_.emplace_back();
            for_each_index(tree_.node(level, tree_.positions() - 1) + 1, [&](std::uint64_t node) {
                double& people = crowd[tree_.channels_[level].bucket(node)];
                people += left(level, node) + right(level, node);
                cumulative.push_back(people);
            });
        }
    }

    double of(std::span<const double> function) const override {
        std::vector<double> coefficients(function.size());
        haar_.forward(function, coefficients);
        double sum = 0, first = 0, second = 0;
        Work work;
        for (std::size_t level = 0, c = 1; level < tree_.levels(); ++level) {
            LevelTerms terms;
            for (std::uint64_t node = 0; tree_.middle(level, node) < function.size(); ++node, work.done())
                add(terms, level, node, coefficients[c++]);
            sum += variance(level, terms);
        }
        for (std::size_t s = 0; s < function.size(); ++s) {
            first += shares_[s] * function[s];
            second += shares_[s] * function[s] * function[s];
        }
        return std::max(sum - (second - first * first), 0.0);
    }

    double between(std::size_t first, std::size_t end) const override {
        Cut from{first}, to{end};
        double sum = 0;
        for (std::size_t level = tree_.levels(); level-- > 0;) {
            LevelTerms terms;
            const double leave = first == 0 ? 0 : climb(from, level), enter = climb(to, level);
            const std::uint64_t start = tree_.node(level, first), stop = tree_.node(level, end);
            if (start == stop) {
                add(terms, level, start, enter - leave);
            } else {
                add(terms, level, start, -leave);
                add(terms, level, stop, enter);
            }
            sum += variance(level, terms);
        }
        const double share = below_[end] - below_[first];
        return std::max(sum - share * (1 - share), 0.0);
    }

    // Level by level, from the last one: all ends in a node have its people.
    std::vector<double> before_each(std::size_t count) const override {
        std::vector<double> inside(count + 1), sums(count + 1);  // of Cut and of between(), by end
        Work work;
        for (std::size_t level = tree_.levels(); level-- > 0;) {
            const std::size_t width = std::size_t{1} << (tree_.levels() - level);
            for (std::size_t first = 0, node = 0; first <= count; first += width, ++node, work.done(width)) {
                const std::size_t middle = tree_.middle(level, node),
                                  last = std::min(first + width - 1, count);
                if (middle >= tree_.positions()) {
                    for (std::size_t end = middle; end <= last; ++end) inside[end] = 1;
                    for (std::size_t end = first; end <= last; ++end) sums[end] += variance(level, {});
                    continue;
                }
                const double crowd = crowds_[level][tree_.channels_[level].bucket(node)],
                             apart = left(level, node) - right(level, node);
                for (std::size_t end = first; end <= last; ++end) {
                    const double in_left = end < middle ? inside[end] : 1,
                                 in_right = end < middle ? 0 : inside[end], v = (in_left - in_right) / 2;
                    inside[end] = (in_left + in_right) / 2;
                    sums[end] += variance(level, {v * v, v * v * crowd, v * apart, v * v});
                }
            }
        }
        for (std::size_t end = 1; end <= count; ++end)
            sums[end] = std::max(sums[end] - below_[end] * (1 - below_[end]), 0.0);
        return {sums.begin() + 1, sums.end()};
    }

    TruthCurve curve(std::size_t first, std::size_t end, Target target) const override {
        const SplitPeople split(below_, first, end, n_);
        Cut from{first}, to{end};
        CumulantsAtTruths cumulants(n_);
        double of_inside = 0;  // mean weight of the coefficients if all people are inside
        for (std::size_t level = tree_.levels(); level-- > 0;) {
            const double leave = first == 0 ? 0 : climb(from, level), enter = climb(to, level);
            const std::uint64_t start = tree_.node(level, first), stop = tree_.node(level, end);
            SplitTerms terms;
            if (start == stop) {
                add(terms, split, {first, end}, level, start, enter - leave);
            } else {
                add(terms, split, {first, end}, level, start, -leave);
                add(terms, split, {first, end}, level, stop, enter);
            }
            of_inside += terms.mean.inside;
            if (reports_[level] == 0) {
                cumulants.add(n_ * terms.most);
                continue;
            }
            const SignedIndex& channel = tree_.channels_[level];
            terms.forget(split.inside_is_known() ? 1 : weight_of(level),
                         split.outside_is_known() ? 1 : weight_of(level),
                         static_cast<double>(channel.buckets()));
            cumulants.add(reports_[level], std::sqrt(terms.most) / channel.tilt() / reports_[level],
                          [&](double truth) -> CumulantsAtTruths::StepMoments {
                              return {
                                  SplitPeople::at(truth, terms.mean),
                                  channel.mean_square(terms.squares, SplitPeople::at(truth, terms.crowded)),
                                  SplitPeople::at(truth, terms.cubes) / (channel.tilt() * channel.tilt())};
                          });
        }
        return cumulants.curve(target, 1 - of_inside);
    }

    // In higher levels, only nodes above such points differ on their two sides.
    double falling(std::size_t first, std::span<const double> values) const override {
        double mean = below_[first], square = below_[first];
        for (std::size_t i = 0; i < values.size(); ++i) {
            mean += shares_[first + i] * values[i];
            square += shares_[first + i] * values[i] * values[i];
        }
        std::vector<double> means(values.begin(), values.end());  // of nodes from `begin` to before `end`
        means.push_back(0);                                       // space for one more parent than pairs
        std::uint64_t begin = first, end = first + values.size();
        const auto at = [&](std::uint64_t node) {
            return node < begin ? 1 : node < end ? means[node - begin] : 0;
        };
        double sum = 0;
        Work work;
        for (std::size_t level = tree_.levels(); level-- > 0;) {
            LevelTerms terms;
            const std::uint64_t above = begin / 2;
            for (std::uint64_t node = above; 2 * node < end; ++node, work.done()) {
                const double in_left = at(2 * node), in_right = at(2 * node + 1);
                const bool whole = tree_.middle(level, node) < tree_.positions();
                if (whole) add(terms, level, node, (in_left - in_right) / 2);
                means[node - above] = whole ? (in_left + in_right) / 2 : in_left;
            }
            begin = above;
            end = (end + 1) / 2;
            sum += variance(level, terms);
        }
        return std::max(sum - (square - mean * mean), 0.0);
    }

    /// Returns the noise of the share of one point that has the share `share`, if the others are distributed
    /// over the other points as the given shares.
    double alone(std::size_t point, double share) const {
        const double own = (share - shares_[point]) / (1 - shares_[point]), rest = 1 - own;
        double inside = 1, sum = 0;  // the function's mean in the nodes on the path upwards
        for (std::size_t level = tree_.levels(); level-- > 0;) {
            const std::uint64_t node = tree_.node(level, point);
            if (tree_.middle(level, node) >= tree_.positions()) continue;
            inside /= 2;
            LevelTerms even, all;
            add(even, level, node, tree_.right(level, point) ? -inside : inside);
            all.squares = even.squares;
            all.most = even.most;
            all.crowded = rest * even.crowded + own * even.squares;
            all.mean = rest * even.mean + own * inside;
            sum += variance(level, all);
        }
        return std::max(sum - share * (1 - share), 0.0);
    }

  private:
    /// Weights of a level's coefficients in a mean: Σ v², its mean over the buckets of the people, the mean
    /// of ±v over their nodes, and the largest v².
    struct LevelTerms {
        double squares = 0, crowded = 0, mean = 0, most = 0;
    };
    void add(LevelTerms& terms, std::size_t level, std::uint64_t node, double v) const {
        if (v == 0) return;  // the node may not exist
        terms.squares += v * v;
        terms.most = std::max(terms.most, v * v);
        terms.crowded += v * v * crowds_[level][tree_.channels_[level].bucket(node)];
        terms.mean += v * (left(level, node) - right(level, node));
    }
    /// The same for the people inside and outside a range, and the means of ±v³.
    struct SplitTerms {
        double squares = 0, most = 0;
        SplitPeople::SplitShares crowded{}, mean{}, cubes{};

        /// Mixes each part with an even spread: the parts' weights are `inside` and `outside`.
        void forget(double inside, double outside, double buckets) noexcept {
            crowded.inside = std::lerp(squares / buckets, crowded.inside, inside);
            crowded.outside = std::lerp(squares / buckets, crowded.outside, outside);
            mean.inside *= inside, mean.outside *= outside;
            cubes.inside *= inside, cubes.outside *= outside;
        }
    };
    /// Returns the weight of a level's reports relative to one additional person.
    [[nodiscard]] double weight_of(std::size_t level) const noexcept {
        return reports_[level] / (reports_[level] + 1);
    }
    struct PointRange {
        std::uint64_t first, end;
    };
    void add(SplitTerms& terms, const SplitPeople& split, const PointRange& range, std::size_t level,
             std::uint64_t node, double v) const {
        if (v == 0) return;
        const unsigned below = static_cast<unsigned>(tree_.levels() - level);
        const std::uint64_t middle = tree_.middle(level, node);
        const auto lower = split.between(node << below, middle),
                   upper = split.between(middle, (node + 1) << below);
        const double square = v * v;
        terms.squares += square;
        terms.most = std::max(terms.most, square);
        const auto add_to = [](SplitPeople::SplitShares& parts, double factor, double inside,
                               double outside) {
            parts.inside += factor * inside;
            parts.outside += factor * outside;
        };
        // All people of the bucket count, wherever their nodes are.
        const std::uint64_t bucket = tree_.channels_[level].bucket(node);
        const auto before_first = in_bucket(level, bucket, range.first),
                   before_end = in_bucket(level, bucket, range.end),
                   all = in_bucket(level, bucket, tree_.positions());
        const auto crowd = split.normalized(
            {before_end.people - before_first.people, before_end.points - before_first.points}, all);
        add_to(terms.crowded, square, crowd.inside, crowd.outside);
        add_to(terms.mean, v, lower.inside - upper.inside, lower.outside - upper.outside);
        add_to(terms.cubes, square * v, lower.inside - upper.inside, lower.outside - upper.outside);
    }
    /// Returns the people and points before a point whose node of a level is in this bucket. Each block of as many
    /// adjacent nodes as there are buckets, from a multiple of their number on, has one node of each bucket.
    SplitPeople::PeopleAtPoints in_bucket(std::size_t level, std::uint64_t bucket,
                                          std::uint64_t point) const {
        const SignedIndex& channel = tree_.channels_[level];
        const std::uint64_t buckets = channel.buckets(), node = tree_.node(level, point),
                            block = node / buckets, width = std::uint64_t{1} << (tree_.levels() - level);
        const auto member = [&](std::uint64_t of) {
            return of * buckets + (bucket ^ channel.bucket(of * buckets));
        };
        const bool here = member(block) < node;
        SplitPeople::PeopleAtPoints found{0, static_cast<double>((block + (here ? 1 : 0)) * width)};
        if (here || block > 0) found.people = crowds_up_to_[level][member(here ? block : block - 1)];
        if (member(block) == node) {
            found.people += below(point) - below(node * width);
            found.points += static_cast<double>(point - node * width);
        }
        return found;
    }
    double variance(std::size_t level, const LevelTerms& terms) const {
        const SignedIndex& channel = tree_.channels_[level];
        const double reports = reports_[level], weight = weight_of(level), mean = weight * terms.mean;
        if (reports == 0) return n_ * terms.most;
        const double crowded =
            std::lerp(terms.squares / static_cast<double>(channel.buckets()), terms.crowded, weight);
        return n_ / reports * (channel.mean_square(terms.squares, crowded) - mean * mean);
    }

    /// A cut: points before it have the value 1, others 0. Also the mean of that function in the current node
    /// above it.
    struct Cut {
        std::size_t point;
        double inside = 0;
    };
    /// Moves a cut to the next level up; returns the weight of the node's coefficient there.
    double climb(Cut& cut, std::size_t level) const {
        const bool right = tree_.right(level, cut.point);
        const double in_left = right ? 1 : cut.inside, in_right = right ? cut.inside : 0;
        if (tree_.middle(level, tree_.node(level, cut.point)) >= tree_.positions()) {
            cut.inside = in_left;
            return 0;
        }
        cut.inside = (in_left + in_right) / 2;
        return (in_left - in_right) / 2;
    }

    /// Return the shares of a node's halves.
    double left(std::size_t level, std::uint64_t node) const {
        return below(tree_.middle(level, node)) - below(node << (tree_.levels() - level));
    }
    double right(std::size_t level, std::uint64_t node) const {
        return below((node + 1) << (tree_.levels() - level)) - below(tree_.middle(level, node));
    }
    double below(std::uint64_t point) const {
        return below_[std::min<std::uint64_t>(point, tree_.positions())];
    }

    const HaarOrdered& tree_;
    HaarTree haar_;
    std::vector<double> reports_;  // of each level
    double n_;
    std::vector<double> shares_;
    std::vector<double> below_;                      // shares below each point
    std::vector<std::vector<double>> crowds_;        // per level, shares of the channel's buckets
    std::vector<std::vector<double>> crowds_up_to_;  // per level and node, share of its bucket up to the node
};

std::unique_ptr<const OrderedNoise> HaarOrdered::noise(const Counts& counts,
                                                       std::vector<double> shares) const {
    std::vector<double> drawn;
    for (std::size_t level = 0; level < levels(); ++level)
        drawn.push_back(static_cast<double>(reports(counters_of(level, counts.state))));
    return std::make_unique<HaarOrderedNoise>(*this, std::move(drawn), std::move(shares));
}

std::unique_ptr<const OrderedNoise> HaarOrdered::expected_noise(std::vector<double> shares) const {
    return std::make_unique<HaarOrderedNoise>(*this, expected(), std::move(shares));
}

std::vector<double> HaarOrdered::cumulative(const Counts& counts) const {
    std::vector<double> shares{1}, halves;
    Work work;
    for (std::size_t level = 0; level < levels(); ++level) {
        const Bytes counters = counters_of(level, counts.state);
        const double scale = 1 / (channels_[level].tilt() * divisor(reports(counters)));
        const std::vector<std::int64_t> balances = channels_[level].balances(counters);
        halves.clear();
        for (std::uint64_t node = 0; node < shares.size(); ++node, work.done()) {
            const bool whole = middle(level, node) < positions();
            const double detail = whole ? scale * static_cast<double>(balances[node]) : shares[node];
            halves.push_back((shares[node] + detail) / 2);
            if (whole) halves.push_back((shares[node] - detail) / 2);
        }
        std::swap(shares, halves);
    }
    std::partial_sum(shares.begin(), shares.end(), shares.begin());
    shares.back() = 1;  // removes the rounding error
    return shares;
}

std::vector<Check> HaarOrdered::health(const Counts& counts) const {
    std::vector<std::uint64_t> drawn;
    std::vector<std::vector<Check>> checks;
    for (std::size_t level = 0; level < levels(); ++level) {
        const Bytes counters = counters_of(level, counts.state);
        drawn.push_back(reports(counters));
        if (drawn.back() != 0) checks.push_back(channels_[level].health(drawn.back(), counters));
    }
    return health_of(drawn, checks);
}

// Only users who drew a level report it. In a level, a user is at one node; in a mean, at several.
std::vector<Contribution> HaarOrdered::contributions_of(std::span<const double> function) const {
    std::vector<double> coefficients(positions());
    HaarTree(positions()).forward(function, coefficients);
    std::vector<Contribution> contributions;
    double around = coefficients[0];
    for (std::size_t level = 0, c = 1; level < levels(); ++level, around = 0) {
        std::vector<double> weights(channels_[level].places());
        double most = 0;
        for (std::uint64_t node = 0; middle(level, node) < positions(); ++node) {
            weights[node] = coefficients[c++];
            most = std::max(most, std::abs(weights[node]));
        }
        const double reach = channels_[level].reach(weights);
        contributions.push_back(
            {chance(level), {around - reach, around + reach}, {around - most, around + most}});
    }
    return contributions;
}

std::vector<Contribution> HaarOrdered::contributions_of_point(std::uint64_t point) const {
    std::vector<Contribution> contributions;
    double inside = 1;  // mean over the current node of the indicator of the point
    for (std::size_t level = levels(); level-- > 0;) {
        if (middle(level, node(level, point)) >= positions()) continue;
        inside /= 2;
        const double reach = inside / channels_[level].tilt();
        contributions.push_back({chance(level), {-reach, reach}, {-inside, inside}});
    }
    auto& [drawn, terms, truths] = contributions.back();
    for (Interval* ends : {&terms, &truths}) *ends = {ends->lower + inside, ends->upper + inside};
    return contributions;
}

// For a number: all people are at `truth`. For categories: the largest variance over the values, one of which
// has the share `truth` and the others equal shares.
double HaarOrdered::n_variance(double truth) const {
    if (range()) return noise_of_mean(all_at(truth));
    const HaarOrderedNoise noise(*this, expected(),
                                 std::vector<double>(positions(), 1 / static_cast<double>(positions())));
    double most = 0;
    Work work;
    for (std::size_t point = 0; point < positions(); ++point, work.done(levels()))
        most = std::max(most, noise.alone(point, truth));
    return most;
}

void write(const Settings& settings, Writer& writer) {
    const Attribute& attribute = settings.attributes()[0];
    const std::uint64_t points = positions_of(settings, max_points);
    const auto last = static_cast<unsigned>(std::bit_width(points - 1)) - 1;
    writer.put(static_cast<std::uint32_t>(points));
    writer.put(static_cast<std::uint8_t>(SignedIndex::best_buckets(settings.epsilon(), last)));
    write_points(settings, writer);
    if (attribute.numeric()) write_range(writer, {attribute.min, attribute.max});
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t points = take_number(reader, "number of points", 2, max_points);
    const auto buckets = reader.take<std::uint8_t>();
    const auto [numeric, missing] = read_points(reader, points);
    if (buckets >= std::bit_width(points - 1))
        refuse_block(
            "the tree's parameters are out of range",
            "Found 2^" + std::to_string(buckets) + " buckets for " + std::to_string(points) + " points.");
    std::optional<Range> range;
    if (numeric) range = read_range(reader);
    reader.finish();
    if (missing)
        return std::make_unique<OptionalLevels<HaarOrdered>>(header, block, points, buckets, range, true);
    return std::make_unique<HaarOrdered>(header, block, points, buckets, range);
}

}  // namespace

const MechanismEntry entry(
    20, "haar_ordered", "Haar tree, ordered domain",
    "a plus or a minus for one part of the range, which chance picks. It says in which half of the part your answer "
    "lies, and chance sometimes reverses it",
    Shape::one_ordered, max_points, write, load,
    {.options = {&points_option, 1}, .purpose = Purpose::distribution});

}  // namespace ldp::haar_ordered
