#include "core/mechanism/longitudinal/difference_tree.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/interrupt.hpp"
#include "core/math/channel_law.hpp"

namespace ldp {

// Parameters -----------------------------------------------------------------------------------------------

void DifferenceTree::settle(const SettingsDraft& draft) {
    const auto rounds = std::get<std::uint64_t>(draft.options.at("rounds"));
    const auto changes = std::get<std::uint64_t>(draft.options.at("changes"));
    if (changes >= rounds)
        raise(ErrorCode::invalid_spec, "\"changes\" must be less than \"rounds\"",
              "Found " + std::to_string(changes) + "; there are " + std::to_string(rounds) + " rounds.");
    if (epsilon_of_each(draft.epsilon, changes + 1) < min_epsilon)
        raise(ErrorCode::invalid_spec, "\"changes\" divides epsilon into too many parts",
              "A response requires an epsilon of 0.001; " + std::to_string(changes + 1) + " share " +
                  std::to_string(draft.epsilon) + ".");
}

void DifferenceTree::write(const Settings& settings, Writer& writer) {
    writer.put(static_cast<std::uint32_t>(settings.number("rounds")));
    writer.put(static_cast<std::uint32_t>(settings.number("changes")));
}

DifferenceTree::Size DifferenceTree::take(Reader& reader, double epsilon) {
    const auto rounds = static_cast<std::uint32_t>(take_number(reader, "number of rounds", 2, max_rounds));
    const auto changes = static_cast<std::uint32_t>(take_number(reader, "number of changes", 1, rounds - 1));
    if (epsilon_of_each(epsilon, changes + 1) < min_epsilon)
        refuse_block("epsilon is divided into too many parts");
    return {rounds, changes};
}

DifferenceTree::DifferenceTree(const Header& header, Bytes block, std::uint64_t splits, std::uint64_t cells,
                               Size size, const Snapshots& snapshots)
    : Mechanism(header, block),
      splits_(splits),
      cells_(cells),
      size_(size),
      snapshots_(snapshots),
      snapshot_channel_(snapshots.outcomes, header.epsilon) {
    for (unsigned height = 0; size.rounds >> height != 0; ++height) {
        const std::uint32_t nodes = size.rounds >> height;
        const BinaryChannel channel(2, epsilon_of_each(header.epsilon, truths(nodes)));
        const double tilt = static_cast<double>(channel.weight(2, 1) - channel.weight(0, 1)) /
                            static_cast<double>(channel.total());
        levels_.push_back({nodes, nodes_, channel, tilt, 0});
        nodes_ += nodes;
    }
    choose_weights();
    output_width_ = cell_width(outputs());
}

double DifferenceTree::least_epsilon() const {
    return epsilon_of_each(epsilon(), truths(size_.rounds));
}

// Device ---------------------------------------------------------------------------------------------------

void DifferenceTree::draw_public(BitSource& bits, MutableBytes public_randomness) const {
    std::uint64_t u = bits.below(weights_);
    std::size_t level = 0;
    while (level < levels_.size() && u >= levels_[level].weight) u -= levels_[level++].weight;
    public_randomness[0] = static_cast<std::byte>(1 + bits.below(splits_));
    public_randomness[1] = static_cast<std::byte>(level);
    const std::uint64_t round = snapshot(public_randomness) ? 1 + bits.below(size_.rounds) : 0;
    store(public_randomness.data() + 2, static_cast<std::uint16_t>(round));
}

std::uint64_t DifferenceTree::difference(SeriesState& series_state, Bytes public_randomness) const noexcept {
    const std::uint32_t now = sign(public_randomness, series_state.value);
    const bool first = series_state.round >> height(public_randomness) == 1;
    // The first node reports the sign itself. The code has no branches, so that the run time does not depend
    // on the value.
    const std::uint32_t differs =
        first ? 1 : (series_state.sign ^ now) & (series_state.changes != size_.changes ? 1u : 0u);
    series_state.changes += first ? 0 : differs;
    series_state.sign ^= (series_state.sign ^ now) & (0 - differs);
    return 1 - differs + 2 * std::uint64_t{now} * differs;
}

template <class Visit>
void DifferenceTree::for_each_node(Input input, Bytes public_randomness, Visit visit) const {
    SeriesState series_state;
    for (const Cell value : input) {
        series_state.value = static_cast<std::uint32_t>(value);
        if (ends(public_randomness, ++series_state.round))
            visit((series_state.round >> height(public_randomness)) - 1, level_of(public_randomness),
                  difference(series_state, public_randomness));
    }
}

void DifferenceTree::permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                                        MutableBytes permanent) const {
    std::ranges::fill(permanent, std::byte{0});
    if (snapshot(public_randomness)) {
        const std::uint64_t in = outcome(public_randomness, input[snapshot_round(public_randomness) - 1]);
        permanent[0] = static_cast<std::byte>(snapshot_channel_.sample(in, bits));
        return;
    }
    for_each_node(
        input, public_randomness, [&](std::uint32_t node, const NodeLevel& level, std::uint64_t in) {
            permanent[node / 8] |= static_cast<std::byte>(level.channel.sample(in, bits) << node % 8);
        });
}

void DifferenceTree::instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource& bits,
                                            MutableBytes payload) const {
    if (snapshot(public_randomness)) {
        write_payload(public_randomness, 0, std::to_integer<std::uint64_t>(permanent[0]), payload);
        return;
    }
    const auto node = static_cast<std::uint32_t>(bits.below(level_of(public_randomness).nodes));
    write_payload(public_randomness, node, bit(permanent, node), payload);
}

bool DifferenceTree::advance(SeriesState& series_state, Cell value, Bytes public_randomness, BitSource& bits,
                             MutableBytes payload) const {
    series_state.value = static_cast<std::uint32_t>(value);
    ++series_state.round;
    if (!ends(public_randomness, series_state.round)) return false;
    if (snapshot(public_randomness)) {
        write_payload(public_randomness, 0, snapshot_channel_.sample(outcome(public_randomness, value), bits),
                      payload);
        return true;
    }
    const std::uint32_t node = (series_state.round >> height(public_randomness)) - 1;
    const std::uint64_t in = difference(series_state, public_randomness);
    write_payload(public_randomness, node, level_of(public_randomness).channel.sample(in, bits), payload);
    return true;
}

bool DifferenceTree::possible(const SeriesState& series_state, Bytes public_randomness) const noexcept {
    if (!valid_public(public_randomness) || series_state.round > size_.rounds || series_state.value >= cells_)
        return false;
    if (snapshot(public_randomness)) return series_state.sign == 0 && series_state.changes == 0;
    return series_state.sign <= 1 &&
           series_state.changes <= std::min(size_.changes, series_state.round >> height(public_randomness));
}

void DifferenceTree::write_payload(Bytes public_randomness, std::uint32_t node, std::uint64_t answer,
                                   MutableBytes payload) const noexcept {
    payload[0] = public_randomness[0];
    const std::uint64_t first =
        snapshot(public_randomness)
            ? 2 * std::uint64_t{nodes_} + (snapshot_round(public_randomness) - 1) * snapshots_.outcomes
            : 2 * (std::uint64_t{level_of(public_randomness).first} + node);
    store_cell(payload.data() + 1, output_width_, first + answer);
}

// Proof ----------------------------------------------------------------------------------------------------

Exact DifferenceTree::probability(Input input, Bytes public_randomness, Bytes permanent) const {
    if (snapshot(public_randomness)) {
        for (const std::byte each : permanent.subspan(1))
            if (each != std::byte{0}) return exact(0, 1);
        const auto out = std::to_integer<std::uint64_t>(permanent[0]);
        if (out >= snapshots_.outcomes) return exact(0, 1);
        const std::uint64_t in = outcome(public_randomness, input[snapshot_round(public_randomness) - 1]);
        return exact(snapshot_channel_.weight(in, out), snapshot_channel_.total());
    }
    Exact product = exact(1, 1);
    for_each_node(input, public_randomness,
                  [&](std::uint32_t node, const NodeLevel& level, std::uint64_t in) {
                      product = product * level.channel.probability(in, bit(permanent, node));
                  });
    for (std::size_t i = level_of(public_randomness).nodes; i < 8 * permanent.size(); ++i)
        if (bit(permanent, i) != 0) return exact(0, 1);
    return product;
}

Exact DifferenceTree::worst_ratio() const {
    Exact worst = exact(snapshot_channel_.worst_ratio().high, snapshot_channel_.worst_ratio().low);
    for (const NodeLevel& level : levels_)
        worst = std::max(worst, power(level.channel.worst_ratio(), truths(level.nodes)));
    return worst;
}

// Of m differences of each series, all are opposite, or all meet a difference of 0 in the other series.
ChannelLaw DifferenceTree::channel_law() const {
    std::vector<ChannelLaw> laws{levels_law(snapshot_channel_.worst_ratio(), 1, snapshots_.outcomes - 1)};
    for (const NodeLevel& level : levels_) {
        const std::uint64_t m = truths(level.nodes);
        BitsLaw bits;
        for (const std::uint64_t in : {0, 1, 2})
            bits.rows.push_back({level.channel.probability(in, 0), level.channel.probability(in, 1)});
        for (const std::size_t one : {0, 2}) {
            bits.differences.push_back({{one, 2 - one, m}});
            for (const std::size_t other : {0, 2}) bits.differences.push_back({{one, 1, m}, {1, other, m}});
        }
        laws.push_back({std::move(bits)});
    }
    return choice_law(std::move(laws));
}

Exact DifferenceTree::instantaneous_probability(Bytes public_randomness, Bytes permanent,
                                                Bytes payload) const {
    if (snapshot(public_randomness)) {
        std::vector<std::byte> made(payload_size());
        write_payload(public_randomness, 0, std::to_integer<std::uint64_t>(permanent[0]), made);
        return exact(std::ranges::equal(made, payload) ? 1 : 0, 1);
    }
    const NodeLevel& level = level_of(public_randomness);
    const std::uint64_t node = output_of(payload) / 2 - level.first;  // wraps around below the first node
    const bool made = split(payload) == split(public_randomness) && node < level.nodes &&
                      output_of(payload) % 2 == bit(permanent, node);
    return exact(made ? 1 : 0, level.nodes);
}

// Server ---------------------------------------------------------------------------------------------------

bool DifferenceTree::accumulate(MutableBytes state, Bytes payload) const noexcept {
    return count(state, payload, 1);
}

bool DifferenceTree::accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept {
    return payloads.for_each_run(
        [&](Bytes payload, std::uint64_t times) { return count(state, payload, times); });
}

bool DifferenceTree::count(MutableBytes state, Bytes payload, std::uint64_t times) const noexcept {
    if (!valid_payload(payload)) return false;
    const std::uint64_t output = output_of(payload);
    if (output >= 2 * std::uint64_t{nodes_}) {
        const std::uint64_t drawn = (split(payload) - 1) % snapshots_.classes;
        const std::size_t at = counters_each() + snapshot_index(drawn, 0, output - 2 * std::uint64_t{nodes_});
        add(state.data() + at * counter_size, times);
        return true;
    }
    const std::size_t at = index(split(payload), static_cast<std::uint32_t>(output / 2));
    add(state.data() + at * counter_size, times);
    add(state.data() + (ones_at() + at) * counter_size, times * (output % 2));
    return true;
}

bool DifferenceTree::valid_state(const Counts& counts) const noexcept {
    for (std::size_t i = 0; i < counters_each(); ++i)
        if (counter(counts.state, ones_at() + i) > counter(counts.state, i)) return false;
    return counters_sum_to(counts.state.first(ones_at() * counter_size), counts.n);
}

std::vector<RoundEstimate> DifferenceTree::round_sum(const Counts& counts,
                                                     std::span<const RoundWeight> weights,
                                                     Target target) const {
    for (const RoundWeight& each : weights) check_round(each.round);
    return sum_of(counts, combination(counts), weights, target);
}

void DifferenceTree::check_round(std::size_t round) const {
    if (round < 1 || round > size_.rounds)
        raise(ErrorCode::invalid_value, "the series does not have round " + std::to_string(round),
              "Its rounds are 1 to " + std::to_string(size_.rounds) + ".");
}

std::vector<double> DifferenceTree::expected() const {
    std::vector<double> reports;
    for (const NodeLevel& level : levels_) reports.insert(reports.end(), level.nodes, chance(level));
    reports.insert(reports.end(), size_.rounds, snapshot_chance());
    return reports;
}

double DifferenceTree::reports_per_user() const {
    const std::vector<double> reports = expected();
    return std::accumulate(reports.begin(), reports.end(), 0.0);
}

DifferenceTree::NodeSum DifferenceTree::combination(const Counts& counts) const {
    std::vector<double> all(nodes_ + size_.rounds);
    Work work;
    for (std::uint64_t s = 1; s <= splits_; ++s, work.done(nodes_))
        for (std::uint32_t node = 0; node < nodes_; ++node)
            all[node] += static_cast<double>(reports(counts.state, s, node));
    for (std::uint64_t drawn = 0; drawn < snapshots_.classes; ++drawn)
        for (std::uint32_t round = 0; round < size_.rounds; ++round, work.done(snapshots_.outcomes))
            for (std::uint64_t out = 0; out < snapshots_.outcomes; ++out)
                all[nodes_ + round] += static_cast<double>(snapshots(counts.state, drawn, round, out));
    return {*this, std::move(all)};
}

DifferenceTree::NodeSum DifferenceTree::expected_combination() const {
    return {*this, expected()};
}

// Forgery and health ---------------------------------------------------------------------------------------

std::vector<Contribution> DifferenceTree::contributions(const Question& question) const {
    const std::vector<double> expected = this->expected();
    const double reports = reports_per_user();
    const NodeSum combination(*this, expected);
    const auto [middle, half, ends, snapshots] = sign_scale();
    const double unit = ends.upper - ends.lower;
    const auto of_round = [&, m = middle, h = half, low = ends.lower,
                           drawn = snapshots](std::uint32_t round) {
        std::vector<Contribution> contributions;
        double around = low + unit * m;  // of no sign
        for (const NodeTerm& term : combination.sum(round)) {
            const auto& [height, node, weight] = term;
            if (of_snapshots(term)) {
                const double each = unit * weight;
                contributions.push_back({snapshot_chance() / reports,
                                         {around + std::min(each * drawn.lower, each * drawn.upper),
                                          around + std::max(each * drawn.lower, each * drawn.upper)},
                                         {around + std::min(-each * m, each * (1 - m)),
                                          around + std::max(-each * m, each * (1 - m))}});
                around = 0;
                continue;
            }
            const double reach = unit * std::abs(weight) * h * scale(node) / levels_[height].tilt;
            const double below = node == 0 ? unit * weight * m : unit * weight,
                         above = node == 0 ? unit * weight * (1 - m) : unit * weight;
            const Interval truths{std::min(-below, above), std::max(-below, above)};
            contributions.push_back({chance(levels_[height]) / reports,
                                     {around - reach, around + reach},
                                     {around + truths.lower, around + truths.upper}});
            around = 0;
        }
        return contributions;
    };
    if (question.attribute != only_attribute)
        return of_round(static_cast<std::uint32_t>(question.attribute + 1));
    std::vector<Contribution> worst;
    Work work;
    for (const std::size_t attribute : exposed_rounds()) {
        std::vector<Contribution> contributions = of_round(static_cast<std::uint32_t>(attribute + 1));
        work.done(contributions.size());
        if (worst.empty() || influence(contributions) > influence(worst)) worst = std::move(contributions);
    }
    return worst;
}

// All nodes influence all rounds. The worst round depends on the share of forged reports: it is near the last
// one for small shares, and anywhere for large ones. Odd rounds are worse than even ones. Short series are
// searched exhaustively.
std::vector<std::size_t> DifferenceTree::exposed_rounds() const {
    constexpr std::uint32_t searched = 64, spread = 16, last = 4;
    std::vector<std::size_t> rounds;
    for (std::uint32_t round = 1; round <= size_.rounds; ++round)
        if (size_.rounds <= searched || round + last > size_.rounds) rounds.push_back(round - 1);
    if (size_.rounds > searched)
        for (std::uint32_t i = 1; i <= spread; ++i)
            rounds.push_back(std::min(size_.rounds, size_.rounds * i / spread | 1) - 1);
    std::ranges::sort(rounds);
    rounds.erase(std::unique(rounds.begin(), rounds.end()), rounds.end());
    return rounds;
}

std::vector<std::vector<Contribution>> DifferenceTree::promised_contributions(std::size_t) const {
    std::vector<std::vector<Contribution>> all;
    for (const std::size_t round : exposed_rounds()) {
        check_interrupt();
        all.push_back(contributions({answers()[0], Target::sample, round}));
    }
    return all;
}

// The reports at the end of a round are divided among the levels with a node there and the splits.
double DifferenceTree::max_probability(Bytes payload) const {
    const std::uint64_t output = output_of(payload);
    const bool drawn = output >= 2 * std::uint64_t{nodes_};
    std::size_t height = 0;
    while (!drawn && levels_[height].first + levels_[height].nodes <= output / 2) ++height;
    const std::uint64_t round = drawn ? (output - 2 * std::uint64_t{nodes_}) / snapshots_.outcomes + 1
                                      : (output / 2 - levels_[height].first + 1) << height;
    double due = snapshot_chance();
    for (std::size_t other = 0; other < levels_.size() && round % (std::uint64_t{1} << other) == 0; ++other)
        due += chance(levels_[other]);
    if (drawn) return snapshot_chance() / due * snapshot_channel_.p() / static_cast<double>(splits_);
    return chance(levels_[height]) / due * levels_[height].channel.max_probability(output % 2) /
           static_cast<double>(splits_);
}

// A report at the end of a round comes from one of the levels with a node end there, and from a split. The
// share of each response is within the range that the true values permit. For each group of splits, the mean
// of a node equals the sum of the means of its halves, up to the noise of all three. The changes up to a round
// add up to its snapshots, up to their noise.
std::vector<Check> DifferenceTree::health(const Counts& counts) const {
    std::vector<std::vector<Check>> draws, answers, sums;
    Work work;
    for (std::uint32_t round = 1; round <= size_.rounds; ++round) {
        std::vector<std::uint64_t> levels, drawn(splits_);
        std::vector<double> weights;
        for (std::size_t height = 0; height < levels_.size() && round % (1u << height) == 0; ++height) {
            const NodeLevel& level = levels_[height];
            const std::uint32_t node = level.first + (round >> height) - 1;
            std::uint64_t all = 0, said = 0;
            work.done(splits_ + 1);
            for (std::uint64_t s = 1; s <= splits_; ++s) {
                drawn[s - 1] += reports(counts.state, s, node);
                all += reports(counts.state, s, node);
                said += ones(counts.state, s, node);
            }
            levels.push_back(all);
            weights.push_back(static_cast<double>(level.weight));
            std::byte tally[counter_size];
            store(tally, said);
            if (all != 0) answers.push_back(level.channel.health(all, tally));
        }
        std::uint64_t all = 0;
        for (std::uint64_t drawn_class = 0; drawn_class < snapshots_.classes; ++drawn_class)
            for (std::uint64_t out = 0; out < snapshots_.outcomes; ++out, work.done())
                all += snapshots(counts.state, drawn_class, round - 1, out);
        levels.push_back(all);
        weights.push_back(snapshot_chance() * static_cast<double>(weights_));
        if (std::ranges::any_of(levels, [](std::uint64_t each) { return each != 0; }))
            draws.push_back(
                {goodness_of_fit("levels drawn", levels, weights), goodness_of_fit(drawn_splits(), drawn)});
    }
    // Number of reports from which on the normal law is used.
    constexpr std::uint64_t enough = 50;
    const std::uint64_t together = checked_together();
    for (std::size_t height = 1; height < levels_.size(); ++height)
        for (std::uint32_t node = 0; node < levels_[height].nodes; ++node)
            for (std::uint64_t first = 1; first <= splits_; first += together) {
                double variance = 0;
                work.done(16 * together);
                const auto mean = [&](std::size_t at, std::uint32_t i) {
                    const NodeLevel& level = levels_[at];
                    std::uint64_t all = 0;
                    double sum = 0;
                    for (std::uint64_t s = first; s < std::min(first + together, splits_ + 1); ++s) {
                        all += reports(counts.state, s, level.first + i);
                        sum += balance(counts.state, s, level.first + i);
                    }
                    const double each = scale(i) / level.tilt;
                    variance += all < enough ? unknown : square(each) / static_cast<double>(all);
                    return each * sum / static_cast<double>(all);
                };
                const double whole = mean(height, node);
                const double halves = mean(height - 1, 2 * node) + mean(height - 1, 2 * node + 1);
                if (!std::isnan(variance))
                    sums.push_back(
                        {{"levels agree", whole, halves, two_sided((whole - halves) / std::sqrt(variance))}});
            }
    for (std::vector<Check>& each : snapshot_checks(counts.state, enough)) sums.push_back(std::move(each));
    std::vector<Check> checks;
    for (const auto& each : {draws, answers, sums})
        for (Check& worst : worst_of(each, each.size())) checks.push_back(std::move(worst));
    return checks;
}

std::vector<std::vector<Check>> DifferenceTree::snapshot_checks(Bytes state, std::uint64_t enough) const {
    std::vector<std::vector<Check>> checks;
    const NodeLevel& level = levels_[0];
    const double slope = snapshot_channel_.p() - snapshot_channel_.q();
    const std::uint64_t together = checked_together();
    Work work;
    for (std::uint64_t first = 1; first <= splits_; first += together) {
        const std::uint64_t end = std::min(first + together, splits_ + 1);
        double changed = 0, variance = 0;
        for (std::uint32_t round = 0; round < size_.rounds; ++round) {
            work.done(together * (2 + snapshots_.outcomes));
            std::uint64_t all = 0, drawn = 0;
            double sum = 0, sign = 0;
            for (std::uint64_t s = first; s < end; ++s) {
                all += reports(state, s, round);
                sum += balance(state, s, round);
                sign += snapshot_sign(state, s, round) / static_cast<double>(end - first);
            }
            // Splits of one class share their snapshots.
            for (std::uint64_t c = 0; c < std::min(snapshots_.classes, end - first); ++c)
                for (std::uint64_t out = 0; out < snapshots_.outcomes; ++out)
                    drawn += snapshots(state, (first - 1 + c) % snapshots_.classes, round, out);
            const double each = scale(round) / level.tilt;
            changed += each * sum / static_cast<double>(all);
            variance += square(each) / static_cast<double>(all);
            if (all < enough) break;
            if (drawn < enough || std::isnan(sign)) continue;
            const double error = std::sqrt(variance + 1 / (square(slope) * static_cast<double>(drawn)));
            checks.push_back({{"levels agree", changed, sign, two_sided((changed - sign) / error)}});
        }
    }
    return checks;
}

}  // namespace ldp
