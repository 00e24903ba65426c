// Length: the file contains a whole mechanism, and the errors at every true value are next to the estimates.
// A hierarchy over an ordered domain with the best oracle on every level (Cormode, Kulkarni, Srivastava 2019;
// Hay et al. 2010). A user publicly draws a level of a binary tree over the points and reports the node above
// the value's point by subset selection at the full ε. Least squares then makes the shares of all levels
// consistent. It is linear: estimates of ranges, means and single points are unbiased, and their errors are
// exact.
//
// The probabilities of the levels minimize the mean variance of all ranges. At a large ε, levels at the top
// have probability 0: the levels below estimate them nearly as well, and the tree has wider nodes there. The
// weights of the least squares follow from these probabilities and not from the numbers of reports, so that
// forged reports cannot change them. Levels without reports have weight 0.
//
// Parameters: points (4 bytes), whether they are numbers (1), levels that are drawn (1), then of each: its
//             depth (1), its weight (2), the size of its sets (4); then min, max.
// Payload:    level (1 byte, of those that are drawn), a set of its nodes, zeros.
// State:      of each level: reports (8), bit counters

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

#include "core/base/exact.hpp"
#include "core/channel/numeric.hpp"
#include "core/channel/subset_channel.hpp"
#include "core/math/bit_counters.hpp"
#include "core/math/channel_law.hpp"
#include "core/mechanism/ordered/drawn_levels.hpp"
#include "core/mechanism/ordered/level_tree.hpp"
#include "core/mechanism/ordered/optional_levels.hpp"
#include "core/mechanism/ordered/split_people.hpp"
#include "core/mechanism/role/entries.hpp"
#include "core/mechanism/role/fields.hpp"

namespace ldp::tree {

namespace {

constexpr std::uint64_t max_points = std::uint64_t{1} << 14;
/// Steps, not points; integers need max − min of them.
constexpr Option points_option{
    .name = "grid", .fallback = 1023, .least = 1, .most = max_points - 1, .of_numbers = true};
constexpr std::size_t count_size = sizeof(std::uint64_t);

/// The parameters of a drawn level in a block.
struct LevelPlan {
    std::uint8_t depth;
    std::uint16_t weight;
    std::uint32_t set_size;
};

/// Functions of the points in the form that LevelTree requires.
struct Inside {
    std::uint64_t from, to;
    [[nodiscard]] bool flat(std::uint64_t first, std::uint64_t end) const noexcept {
        return end <= from || first >= to || (first >= from && end <= to);
    }
    [[nodiscard]] double value(std::uint64_t point) const noexcept { return point >= from && point < to; }
};
/// Any function. `ends` has the end of the points from each one on with the same value.
struct Runs {
    std::span<const double> values;
    std::vector<std::uint32_t> ends;

    explicit Runs(std::span<const double> function) : values(function), ends(function.size()) {
        for (std::size_t s = values.size(); s-- > 0;)
            ends[s] = s + 1 < values.size() && values[s] == values[s + 1] ? ends[s + 1]
                                                                          : static_cast<std::uint32_t>(s + 1);
    }
    [[nodiscard]] bool flat(std::uint64_t first, std::uint64_t end) const noexcept {
        return end <= ends[first];
    }
    [[nodiscard]] double value(std::uint64_t point) const noexcept { return values[point]; }
};
/// 1 before the given values, 0 after them.
struct Falling {
    std::uint64_t from;
    std::span<const double> values;
    [[nodiscard]] bool flat(std::uint64_t first, std::uint64_t end) const noexcept {
        return end <= from || first >= from + values.size() || end - first == 1;
    }
    [[nodiscard]] double value(std::uint64_t point) const noexcept {
        return point < from ? 1 : point < from + values.size() ? values[point - from] : 0;
    }
};

class Tree : public DrawnLevels {
  public:
    Tree(const Header& header, Bytes block, std::uint64_t points, const std::vector<LevelPlan>& plans,
         const std::optional<Range>& range, bool missing = false)
        : DrawnLevels(header, block, points, range, missing) {
        for (const auto& [depth, weight, set_size] : plans) {
            const std::uint64_t nodes = LevelTree::nodes_of(points, depth);
            levels_.push_back({depth, SubsetChannel(nodes, set_size, header.epsilon),
                               SetCode(nodes, set_size), BitCounters(nodes), state_size_});
            state_size_ += count_size + levels_.back().counters.size();
            payload_size_ = std::max(payload_size_, 1 + levels_.back().code.width());
            add_level(weight);
        }
    }

    std::size_t payload_size() const noexcept override { return payload_size_; }
    std::size_t state_size() const noexcept override { return state_size_; }
    std::vector<std::pair<std::string, double>> parameters() const override {
        return parameters_and({{"levels", static_cast<double>(levels_.size())},
                               {"subset_size", static_cast<double>(levels_.back().channel.size())}});
    }

    void permanent_response(Input input, Bytes, BitSource& bits, MutableBytes permanent) const override {
        const std::size_t drawn = draw(bits);
        const TreeLevel& level = levels_[drawn];
        std::ranges::fill(permanent, std::byte{0});
        permanent[0] = static_cast<std::byte>(drawn);
        level.code.write(level.channel.sample(node(level, input[0]), bits), permanent.subspan(1));
    }

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override {
        if (!valid_payload(payload)) return false;
        const TreeLevel& level = levels_[level_of(payload)];
        const Bytes set = payload.subspan(1);
        add<std::uint64_t>(state.data() + level.state, 1);
        std::array<std::byte, max_points / 8> bits;
        if (level.code.lists()) {
            std::fill_n(bits.begin(), level.counters.width(), std::byte{0});
            for (std::size_t i = 0; i < level.channel.size(); ++i) {
                const Cell listed = level.code.listed(set, i);
                bits[listed / 8] |= static_cast<std::byte>(1U << listed % 8);
            }
        }
        level.counters.add(state.data() + level.state + count_size,
                           level.code.lists() ? bits.data() : set.data());
        return true;
    }
    bool accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept override {
        return payloads.for_each_group(1, [&](const Payloads& group) {
            if (level_of(group[0]) >= levels_.size()) return false;
            const TreeLevel& level = levels_[level_of(group[0])];
            if (level.code.lists()) return Mechanism::accumulate_all(state, group);
            for (std::size_t i = 0; i < group.count(); ++i)
                if (!valid_payload(group[i])) return false;
            add<std::uint64_t>(state.data() + level.state, group.count());
            level.counters.add_all(state.data() + level.state + count_size, 0,
                                   group.part(1, level.counters.width()));
            return true;
        });
    }
    void merge(MutableBytes state, Bytes other) const noexcept override {
        for (const TreeLevel& level : levels_) {
            add(state.data() + level.state, reports(level, other));
            level.counters.merge(state.data() + level.state + count_size, counters(level, other));
        }
    }
    bool valid_payload(Bytes payload) const noexcept override {
        if (level_of(payload) >= levels_.size()) return false;
        const SetCode& code = levels_[level_of(payload)].code;
        return code.valid(payload.subspan(1)) && BitCounters::ones(payload.subspan(1 + code.width())) == 0;
    }
    bool valid_state(const Counts& counts) const noexcept override {
        std::uint64_t left = counts.n;
        for (const TreeLevel& level : levels_) {
            const std::uint64_t drew = reports(level, counts.state);
            if (drew > left || !level.counters.at_most(counters(level, counts.state), drew) ||
                level.counters.total(counters(level, counts.state)) != drew * level.channel.size())
                return false;
            left -= drew;
        }
        return left == 0;
    }

    std::vector<Check> health(const Counts& counts) const override;
    double max_probability(Bytes payload) const override {
        return chance(level_of(payload)) * levels_[level_of(payload)].channel.max_probability();
    }
    // About ten bit planes, 32 bytes per step.
    Cost cost() const noexcept override {
        double counted = 5;
        for (std::size_t i = 0; i < levels_.size(); ++i)
            counted += chance(i) * 10 * static_cast<double>(levels_[i].channel.domain()) / 256;
        return {counted, 100 * static_cast<double>(positions())};
    }
    Exact probability(Input input, Bytes, Bytes permanent) const override {
        const std::size_t drawn = level_of(permanent);
        const TreeLevel& level = levels_[drawn];
        return exact_chance(drawn) *
               level.channel.probability(level.code.holds(permanent.subspan(1), node(level, input[0])));
    }
    // The level is drawn independently of the value, so that its probability cancels. In each level, the
    // first and the last node differ, and each is in sets without the other.
    Exact worst_ratio() const override {
        Exact worst = exact(1, 1);
        for (const TreeLevel& level : levels_) {
            const auto [high, low] = level.channel.worst_ratio();
            worst = std::max(worst, exact(high, low));
        }
        return worst;
    }
    ChannelLaw channel_law() const override {
        std::vector<ChannelLaw> laws;
        for (const TreeLevel& level : levels_) laws.push_back(level.channel.channel_law());
        return choice_law(std::move(laws));
    }

    std::vector<double> cumulative(const Counts& counts) const override;
    std::unique_ptr<const OrderedNoise> noise(const Counts& counts,
                                              std::vector<double> shares) const override;
    std::unique_ptr<const OrderedNoise> expected_noise(std::vector<double> shares) const override;

  private:
    class TreeNoise;
    struct TreeLevel {
        unsigned depth;
        SubsetChannel channel;
        SetCode code;
        BitCounters counters;
        std::size_t state;  ///< offset of its part of a state
    };

    std::uint64_t node(const TreeLevel& level, std::uint64_t point) const noexcept {
        return point >> (LevelTree::depth_of(positions()) - level.depth);
    }
    static std::uint64_t reports(const TreeLevel& level, Bytes state) noexcept {
        return load<std::uint64_t>(state.data() + level.state);
    }
    static const std::byte* counters(const TreeLevel& level, Bytes state) noexcept {
        return state.data() + level.state + count_size;
    }
    std::vector<double> drawn(Bytes state) const {
        std::vector<double> all;
        for (const TreeLevel& level : levels_) all.push_back(static_cast<double>(reports(level, state)));
        return all;
    }
    /// Returns the combination of the levels for these numbers of reports.
    LevelTree tree(std::span<const double> reports) const {
        std::vector<double> precisions(LevelTree::depth_of(positions()));
        for (std::size_t i = 0; i < levels_.size(); ++i)
            if (reports[i] != 0) precisions[levels_[i].depth - 1] = chance(i) / levels_[i].channel.contrast();
        return {positions(), precisions};
    }
    /// Returns the components of the mean of a function that LevelTree supports.
    template <class Function>
    std::vector<Contribution> contributions_in(const Function& function) const;
    std::vector<Contribution> contributions_of(std::span<const double> function) const override {
        return contributions_in(Falling{0, function});
    }
    std::vector<Contribution> contributions_of_point(std::uint64_t point) const override {
        return contributions_in(Inside{point, point + 1});
    }

    std::vector<TreeLevel> levels_;  // drawn levels, by depth
    std::size_t state_size_ = 0, payload_size_ = 0;
};

/// For the target sample, the users who drew a level are a random sample without replacement, and no user
/// draws two levels. The errors of the levels' means are therefore correlated; the exact reduction is the
/// function's variance over the people.
///
/// Few reports may all agree, which would give a variance of 0. Therefore, one user is added to the estimated
/// shares. Half of this user is at the point of largest and half at the point of smallest weight, as in the
/// prior of Jeffreys (1946) for a share. Below the deepest level with reports, the distribution is unknown;
/// its largest possible contribution counts as an error.
class Tree::TreeNoise final : public OrderedNoise {
  public:
    /// `reports` are the numbers of reports of each level.
    TreeNoise(const Tree& mechanism, std::vector<double> reports, std::vector<double> shares)
        : mechanism_(mechanism),
          tree_(mechanism.tree(reports)),
          reports_(std::move(reports)),
          n_(std::accumulate(reports_.begin(), reports_.end(), 0.0)),
          shares_(std::move(shares)),
          below_(shares_.size() + 1) {
        std::partial_sum(shares_.begin(), shares_.end(), below_.begin() + 1);
        for (const double drew : reports_) scale_.push_back(n_ / drew);
        for (std::size_t i = 0; i < reports_.size(); ++i) {
            if (reports_[i] == 0) continue;
            const TreeLevel& level = mechanism_.levels_[i];
            const auto square = [&](const SubsetChannel::FunctionSums& sums) {
                return level.channel.mean_square(sums);
            };
            const double all = square({.all = 1}), own = tree_.own(level.depth);
            terms_[level.depth] = {scale_[i] * own * own, square({.all_squares = 1}),
                                   square({.own_squares = 1}), all, square({.all = 1, .own = 1}) - all};
        }
    }

    double of(std::span<const double> function) const override {
        double first = 0, second = 0;
        for (std::size_t s = 0; s < function.size(); ++s) {
            first += shares_[s] * function[s];
            second += shares_[s] * function[s] * function[s];
        }
        return variance(Runs(function), second - first * first);
    }
    double between(std::size_t first, std::size_t end) const override {
        const double share = below_[end] - below_[first];
        return variance(Inside{first, end}, share * (1 - share));
    }
    std::vector<double> before_each(std::size_t count) const override {
        std::vector<double> all(count + 1);
        Work work;
        for (std::size_t end = 0; end <= count; end += ends_each, work.done(ends_each * tree_.depth())) {
            std::array<double, ends_each> sums;
#ifdef LDP_WIDE
            if (wide_registers())
                sums_before_wide(end, sums);
            else
#endif
                sums_before(end, sums);
            for (std::size_t i = end; i < end + ends_each && i <= count; ++i)
                all[i] = std::max(sums[i - end] - below_[i] * (1 - below_[i]), 0.0);
        }
        if (count == tree_.points()) all[count] = between(0, count);
        all.erase(all.begin());
        return all;
    }
    double falling(std::size_t first, std::span<const double> values) const override {
        double mean = below_[first], square = below_[first];
        for (std::size_t i = 0; i < values.size(); ++i) {
            mean += shares_[first + i] * values[i];
            square += shares_[first + i] * values[i] * values[i];
        }
        return variance(Falling{first, values}, square - mean * mean);
    }
    // With one level and sets of one node, a report names a point, as in randomized response.
    std::optional<ErrorLaw> law_of_count(std::size_t first, std::size_t end, Target target) const override {
        const TreeLevel& level = mechanism_.levels_.front();
        if (mechanism_.levels_.size() > 1 || level.channel.size() > 1) return {};
        const double others = level.channel.q() * static_cast<double>(end - first);
        return ErrorLaw{.n = static_cast<std::uint64_t>(n_),
                        .p = level.channel.p() - level.channel.q() + others,
                        .q = others,
                        .counts_people = target == Target::sample,
                        .truths = possible_shares};
    }
    TruthCurve curve(std::size_t first, std::size_t end, Target target) const override {
        struct LevelCumulants {
            SubsetChannel::FunctionSums inside, outside;
            double most = 0;
        };
        std::array<LevelCumulants, 32> levels{};
        const SplitPeople split(below_, first, end, n_);
        const auto visit = [&](unsigned depth, std::uint64_t from, std::uint64_t to, double weight) {
            const auto nodes = static_cast<double>(to - from);
            const auto people = split.between(tree_.first_point(depth, from), tree_.first_point(depth, to));
            const auto add = [&](SubsetChannel::FunctionSums& sums, double own) {
                const double square = weight * weight, cube = square * weight;
                sums.all += nodes * weight;
                sums.all_squares += nodes * square;
                sums.all_cubes += nodes * cube;
                sums.own += own * weight;
                sums.own_squares += own * square;
                sums.own_cubes += own * cube;
            };
            levels[depth].most = std::max(levels[depth].most, std::abs(weight));
            add(levels[depth].inside, people.inside);
            add(levels[depth].outside, people.outside);
        };
        const LevelTree::Mean mean = tree_.mean_of(Inside{first, end}, visit);
        CumulantsAtTruths cumulants(n_);
        cumulants.add(n_ * mean.blind * mean.blind);
        for (std::size_t i = 0; i < reports_.size(); ++i) {
            if (reports_[i] == 0) continue;
            const auto& level = levels[mechanism_.levels_[i].depth];
            const auto &inside = level.inside, &outside = level.outside;
            const SubsetChannel& channel = mechanism_.levels_[i].channel;
            const double step = level.most / (channel.p() - channel.q()) / reports_[i];
            cumulants.add(reports_[i], step, [&](double truth) -> CumulantsAtTruths::StepMoments {
                const auto at = [&](double in, double out) { return SplitPeople::at(truth, {in, out}); };
                const SubsetChannel::FunctionSums sums{inside.all,
                                                       inside.all_squares,
                                                       at(inside.own, outside.own),
                                                       at(inside.own_squares, outside.own_squares),
                                                       inside.all_cubes,
                                                       at(inside.own_cubes, outside.own_cubes)};
                return {sums.own, channel.mean_square(sums), channel.mean_cube(sums)};
            });
        }
        return cumulants.curve(target, mean.constant);
    }

  private:
    // The same source is compiled twice, as in bit_counters.cpp. The results are equal.
#ifdef LDP_WIDE
    using Lanes [[gnu::vector_size(32)]] = double;
#else
    using Lanes = double;
#endif
    static constexpr std::size_t ends_each = sizeof(Lanes) / sizeof(double);

    /// Computes n·Var of the shares before points from `end` on, without the reduction by the variance over the people.
    [[gnu::always_inline]] void sums_before(std::size_t end,
                                            std::array<double, ends_each>& sums) const noexcept {
        LevelTree::WeightsBefore<Lanes> before(tree_, end, below_.data());
        const Lanes blind = before.blind();
        Lanes sum = n_ * blind * blind;
        const double weight = n_ / (n_ + 1), prior = (1 - weight) / 2;
        while (before.next()) {
            const SquareTerms& terms = terms_[before.depth()];
            if (terms.scale == 0) continue;
            const auto found = before.weights();
            const Lanes own = weight * found.own + prior * (found.least + found.most),
                        own_squares = weight * found.own_squares +
                                      prior * (found.least * found.least + found.most * found.most);
            sum += terms.scale * (terms.all_squares * found.all_squares + terms.own_squares * own_squares +
                                  found.all * (terms.all * found.all + terms.both * own) - own * own);
        }
        std::memcpy(sums.data(), &sum, sizeof(sum));
    }
#ifdef LDP_WIDE
    LDP_WIDE void sums_before_wide(std::size_t end, std::array<double, ends_each>& sums) const noexcept {
        sums_before(end, sums);
    }
#endif

    /// SubsetChannel::mean_square() of a level as a polynomial: the factors of Σv², of Σv² over the people's own nodes, of (Σv)²,
    /// and of the product of Σv and Σv over the own nodes.
    struct SquareTerms {
        double scale = 0;  ///< of n·Var; 0 without reports
        double all_squares = 0, own_squares = 0, all = 0, both = 0;
    };

    /// The weights of a function at the nodes of a level. The weights of other nodes are 0.
    struct LevelWeights : LevelTree::DepthWeights<double> {
        double nodes = 0;

        void add(double added, double people, double weight) noexcept {
            DepthWeights::add(added, people, weight);
            nodes += added;
        }
    };
    using WeightsOfLevels = std::array<LevelWeights, 32>;

    /// Returns n·Var of the mean of a function with this variance over the people.
    template <class Function>
    double variance(const Function& function, double among_people) const {
        WeightsOfLevels levels{};
        const auto visit = [&](unsigned depth, std::uint64_t first, std::uint64_t end, double weight) {
            const double people =
                below_[tree_.first_point(depth, end)] - below_[tree_.first_point(depth, first)];
            levels[depth].add(static_cast<double>(end - first), people, weight);
        };
        const LevelTree::Mean mean = tree_.mean_of(function, visit);
        return variance(levels, mean, among_people);
    }
    double variance(const WeightsOfLevels& levels, const LevelTree::Mean& mean, double among_people) const {
        double sum = n_ * mean.blind * mean.blind;
        const double weight = n_ / (n_ + 1);
        for (std::size_t i = 0; i < reports_.size(); ++i) {
            if (reports_[i] == 0) continue;
            const SubsetChannel& channel = mechanism_.levels_[i].channel;
            const LevelWeights& level = levels[mechanism_.levels_[i].depth];
            double least = level.least, most = level.most;
            if (level.nodes < static_cast<double>(channel.domain())) {  // the other nodes have weight 0
                least = std::min(least, 0.0);
                most = std::max(most, 0.0);
            }
            const SubsetChannel::FunctionSums sums{
                level.all, level.all_squares, std::lerp((least + most) / 2, level.own, weight),
                std::lerp((least * least + most * most) / 2, level.own_squares, weight)};
            sum += scale_[i] * (channel.mean_square(sums) - sums.own * sums.own);
        }
        return std::max(sum - among_people, 0.0);
    }

    const Tree& mechanism_;
    LevelTree tree_;
    std::vector<double> reports_;  // of each level
    double n_;
    std::vector<double> shares_;
    std::vector<double> below_;            // shares below each point
    std::vector<double> scale_;            // all reports per report of each level
    std::array<SquareTerms, 32> terms_{};  // by depth
};

std::unique_ptr<const OrderedNoise> Tree::noise(const Counts& counts, std::vector<double> shares) const {
    return std::make_unique<TreeNoise>(*this, drawn(counts.state), std::move(shares));
}

std::unique_ptr<const OrderedNoise> Tree::expected_noise(std::vector<double> shares) const {
    return std::make_unique<TreeNoise>(*this, expected(), std::move(shares));
}

std::vector<double> Tree::cumulative(const Counts& counts) const {
    std::vector<std::vector<double>> estimates(LevelTree::depth_of(positions()));
    for (const TreeLevel& level : levels_) {
        const std::uint64_t drew = reports(level, counts.state);
        if (drew == 0) continue;
        const double p = level.channel.p(), q = level.channel.q();
        estimates[level.depth - 1].reserve(level.channel.domain());
        for (const std::uint64_t supported : level.counters.counts(counters(level, counts.state)))
            estimates[level.depth - 1].push_back(
                (static_cast<double>(supported) / static_cast<double>(drew) - q) / (p - q));
    }
    std::vector<double> shares = tree(drawn(counts.state)).shares(estimates);
    std::partial_sum(shares.begin(), shares.end(), shares.begin());
    shares.back() = 1;  // removes the rounding error
    return shares;
}

// A node without people has the smallest expected support of honest reports, a node with all people the
// largest.
std::vector<Check> Tree::health(const Counts& counts) const {
    std::vector<std::uint64_t> drew;
    std::vector<std::vector<Check>> checks;
    for (const TreeLevel& level : levels_) {
        const std::uint64_t n = reports(level, counts.state);
        drew.push_back(n);
        if (n == 0) continue;
        const double p = level.channel.p(), q = level.channel.q();
        const auto supported = level.counters.counts(counters(level, counts.state));
        const auto [least, most] = std::ranges::minmax(supported);
        const auto share = [&, n](std::uint64_t support) {
            return (static_cast<double>(support) / static_cast<double>(n) - q) / (p - q);
        };
        const auto any = [&](double p_value) {
            return std::min(1.0, static_cast<double>(supported.size()) * p_value);
        };
        checks.push_back({{"least share of a node", share(least), 0, any(binomial_at_most(n, q, least))},
                          {"greatest share of a node", share(most), 1, any(binomial_at_least(n, p, most))}});
    }
    return health_of(drew, checks);
}

// Only users who drew a level report it. The extreme forged reports contain the set of largest or smallest
// weight; a user is at one node of a level.
template <class Function>
std::vector<Contribution> Tree::contributions_in(const Function& function) const {
    const LevelTree planned = tree(expected());
    std::vector<std::vector<double>> weights(planned.depth() + 1);
    for (const TreeLevel& level : levels_) weights[level.depth].resize(level.channel.domain());
    double shift = planned
                       .mean_of(function,
                                [&](unsigned depth, std::uint64_t first, std::uint64_t end, double weight) {
                                    std::fill_n(weights[depth].begin() + static_cast<std::ptrdiff_t>(first),
                                                end - first, weight);
                                })
                       .constant;
    std::vector<Contribution> contributions;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
        const SubsetChannel& channel = levels_[i].channel;
        std::vector<double>& sorted = weights[levels_[i].depth];
        std::ranges::sort(sorted);
        const auto set = static_cast<std::ptrdiff_t>(channel.size());
        const double none = channel.q() * std::accumulate(sorted.begin(), sorted.end(), 0.0);
        const auto term = [&](double sum) { return shift + (sum - none) / (channel.p() - channel.q()); };
        contributions.push_back({chance(i),
                                 {term(std::accumulate(sorted.begin(), sorted.begin() + set, 0.0)),
                                  term(std::accumulate(sorted.end() - set, sorted.end(), 0.0))},
                                 {shift + sorted.front(), shift + sorted.back()}});
        shift = 0;
    }
    return contributions;
}

void write(const Settings& settings, Writer& writer) {
    const Attribute& attribute = settings.attributes()[0];
    const std::uint64_t points = positions_of(settings, max_points);
    std::vector<std::uint64_t> sizes;
    std::vector<double> variances;
    for (unsigned depth = 1; depth <= LevelTree::depth_of(points); ++depth) {
        const std::uint64_t nodes = LevelTree::nodes_of(points, depth);
        sizes.push_back(SubsetChannel::best_size(settings.epsilon(), nodes));
        variances.push_back(SubsetChannel(nodes, sizes.back(), settings.epsilon()).contrast());
    }
    const std::vector<double> draws = LevelTree::best_draws(variances);
    const auto weight = [&](std::size_t i) {
        return static_cast<std::uint16_t>(std::lround(draws[i] * 65535));
    };
    writer.put(static_cast<std::uint32_t>(points));
    write_points(settings, writer);
    writer.put(static_cast<std::uint8_t>(std::ranges::count_if(draws, [](double draw) { return draw > 0; })));
    for (std::size_t i = 0; i < draws.size(); ++i) {
        if (draws[i] == 0) continue;
        writer.put(static_cast<std::uint8_t>(i + 1));
        writer.put(weight(i));
        writer.put(static_cast<std::uint32_t>(sizes[i]));
    }
    if (attribute.numeric()) write_range(writer, {attribute.min, attribute.max});
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t points = take_number(reader, "number of points", 2, max_points);
    const auto [numeric, missing] = read_points(reader, points);
    const auto count = reader.take<std::uint8_t>();
    const unsigned depth = LevelTree::depth_of(points);
    std::vector<LevelPlan> plans;
    const auto below = [&] { return plans.empty() ? 0U : plans.back().depth; };
    for (unsigned i = 0; i < count; ++i) {
        const LevelPlan plan{reader.take<std::uint8_t>(), reader.take<std::uint16_t>(),
                             reader.take<std::uint32_t>()};
        if (plan.depth <= below() || plan.depth > depth || plan.weight == 0 || plan.set_size == 0 ||
            plan.set_size >= LevelTree::nodes_of(points, plan.depth))
            refuse_block("a level of the tree is out of range",
                         "Found depth " + std::to_string(plan.depth) + ", weight " +
                             std::to_string(plan.weight) + ", sets of " + std::to_string(plan.set_size) +
                             ".");
        plans.push_back(plan);
    }
    if (below() != depth)
        refuse_block("the tree's parameters are out of range",
                     "Found " + std::to_string(count) + " levels for " + std::to_string(points) + " points.");
    std::optional<Range> range;
    if (numeric) range = read_range(reader);
    reader.finish();
    if (missing) return std::make_unique<OptionalLevels<Tree>>(header, block, points, plans, range, true);
    return std::make_unique<Tree>(header, block, points, plans, range);
}

}  // namespace

const MechanismEntry entry(
    30, "tree", "tree of sets, ordered domain",
    "some parts of the range, which chance picks. The part with your own answer is among them more often than "
    "any other",
    Shape::one_ordered, max_points, write, load,
    {.options = {&points_option, 1}, .purpose = Purpose::distribution});

}  // namespace ldp::tree
