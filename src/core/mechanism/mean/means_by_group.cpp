// A category and a number in one report, for the mean of the number in each group of people with the same category.
//
// The channel is that of group_channel.hpp. The problem is that of Raab et al. (2025), who send one group and one bit of
// the number. Juarez and Korolova (2023) proposed this for group differences.
//
// Parameters: number of groups (4 bytes), grid steps (4), flags (1). Flag 1: people may leave the number out. Flag 2: the
//             number is the first attribute. Two fields follow for "ends" and two for "halves": the number of named
//             groups (1) and the weight (1). The range follows, and, if there are two layers, ε₁ (8 bytes).
// Payload:    the kind of output (1). The codes of its named groups follow in ascending order, padded with zeros.
// State:      reports of each kind of output (8 each). Reports that name each code follow for "ends" and "halves" (8 each).

#include "core/mechanism/mean/means_by_group.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/base/square.hpp"
#include "core/math/channel_law.hpp"
#include "core/math/fixed_steps.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/frequency/second_layer.hpp"
#include "core/mechanism/mean/group_channel.hpp"
#include "core/mechanism/mean/numeric_randomizer.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::means_by_group {

namespace {

constexpr std::size_t kinds = 4;
constexpr std::uint8_t missing_flag = 1, number_first_flag = 2;

class GroupAndNumber final : public Mechanism, public MeansByGroup, public Significance {
  public:
    GroupAndNumber(const Header& header, Bytes block, GroupChannel channel, const Range& range,
                   bool number_first, double report_epsilon)
        : Mechanism(header, block),
          channel_(std::move(channel)),
          range_(range),
          report_epsilon_(report_epsilon),
          group_(number_first ? 1 : 0),
          width_(cell_width(codes())) {}

    std::vector<std::uint64_t> cells() const override {
        std::vector<std::uint64_t> all{channel_.design().groups, channel_.numbers()};
        if (group_ == 1) std::swap(all[0], all[1]);
        return all;
    }
    std::size_t payload_size() const noexcept override { return 1 + channel_.most_named() * width_; }
    std::size_t state_size() const noexcept override { return (kinds + 2 * codes()) * counter_size; }
    std::vector<std::pair<std::string, double>> parameters() const override;

    void permanent_response(Input input, Bytes, BitSource& bits, MutableBytes permanent) const override {
        write(channel_.sample(input[group_], input[number_attribute()], bits), permanent);
    }
    /// Both outputs are read, so that the time does not depend on the choice.
    void instantaneous_response(Bytes, Bytes permanent, BitSource& bits,
                                MutableBytes payload) const override {
        if (!channel_.two_layers()) {
            std::ranges::copy(permanent, payload.begin());
            return;
        }
        const bool stays = channel_.stays(bits);
        write(channel_.sample_even(bits), payload);
        for (std::size_t i = 0; i < payload.size(); ++i)
            payload[i] = static_cast<std::byte>(chosen(stays, std::to_integer<std::uint64_t>(permanent[i]),
                                                       std::to_integer<std::uint64_t>(payload[i])));
    }
    /// People without a number have one key, because their group has no effect.
    std::vector<Cell> response_key(Input input, Bytes) const override {
        const Cell group = input[group_], number = input[number_attribute()];
        if (!channel_.design().missing) return {group, number};
        if (number > channel_.steps()) return {0, 0, 1};
        return {group, number, 0};
    }
    std::vector<double> key_spans(Bytes) const override {
        std::vector<double> spans{0, static_cast<double>(channel_.steps())};
        if (channel_.design().missing) spans.push_back(0);
        return spans;
    }

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override;
    void merge(MutableBytes state, Bytes other) const noexcept override { merge_counters(state, other); }
    bool valid_payload(Bytes payload) const noexcept override;
    bool valid_state(const Counts& counts) const noexcept override;

    std::span<const Quantity> answers() const noexcept override {
        static constexpr Quantity quantities[] = {Quantity::frequencies};
        return quantities;
    }
    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const override;
    std::vector<Check> health(const Counts& counts) const override;
    std::vector<Contribution> contributions(const Question& question) const override;
    double max_probability(Bytes payload) const override {
        return channel_.max_probability(output_of(payload));
    }

    std::size_t group_attribute() const noexcept override { return group_; }
    const Range& range() const noexcept override { return range_; }
    std::vector<GroupSums> group_sums(const Counts& counts) const override;
    TermProduct product(const Counts& counts, std::size_t one, double mean_of_one, std::size_t other,
                        double mean_of_other) const override;

    double n_variance(double truth) const override {
        return variance_of_share(truth, channel_.squares_of_counts());
    }
    double n_covariance(double truth) const override {
        return variance_of_share(truth, channel_.squares_of_counts(true));
    }
    std::optional<Interval> memoized_share() const override;
    double n_variance_of(std::size_t attribute, std::size_t item,
                         std::span<const double> shares) const override {
        return attribute == group_ ? n_variance(shares[item]) : variance_of_mean();
    }
    double expected_variance(std::size_t attribute) const override {
        return attribute == group_ ? n_variance(1 / static_cast<double>(channel_.design().groups))
                                   : variance_of_mean();
    }
    double expected_variance_of_part(std::size_t attribute, double part) const override {
        if (attribute != group_) return variance_of_mean() + (1 - part);
        return Mechanism::expected_variance_of_part(attribute, part);
    }
    Cost cost() const noexcept override {
        return {4 + 2 * static_cast<double>(channel_.most_named()), 4 * static_cast<double>(codes())};
    }

    Exact probability(Input input, Bytes, Bytes permanent) const override {
        return channel_.probability(input[group_], input[number_attribute()], read(permanent));
    }
    Exact worst_ratio() const override { return channel_.worst_ratio(); }
    double report_epsilon() const noexcept override { return report_epsilon_; }
    Exact instantaneous_probability(Bytes, Bytes permanent, Bytes payload) const override;
    Exact first_report_ratio() const override { return channel_.report_ratio(); }
    ChannelLaw channel_law() const override { return channel_.channel_law(); }

  private:
    [[nodiscard]] std::uint64_t codes() const noexcept { return 2 * channel_.design().groups; }
    [[nodiscard]] static GroupOutput output_of(Bytes payload) noexcept {
        return static_cast<GroupOutput>(payload[0]);
    }
    [[nodiscard]] Cell code(Bytes payload, std::size_t i) const noexcept {
        return load_cell(payload.data() + 1 + i * width_, width_);
    }
    void write(const GroupReport& report, MutableBytes payload) const noexcept;
    [[nodiscard]] GroupReport read(Bytes payload) const;
    [[nodiscard]] static double variance_of_share(double truth,
                                                  const GroupChannel::CountSquares& squares) noexcept {
        return truth * (squares.own - 1) + (1 - truth) * squares.other;
    }
    /// Returns the number of the counter of a code. Counters of kinds are before them.
    [[nodiscard]] std::size_t place(GroupOutput output, std::uint64_t code) const noexcept {
        return kinds + (output == GroupOutput::halves ? codes() : 0) + code;
    }
    /// Returns the share of reports with this counter.
    [[nodiscard]] static double rate(const Counts& counts, std::size_t place) noexcept {
        return static_cast<double>(counter(counts.state, place)) / static_cast<double>(counts.n);
    }
    /// Returns the share of reports that name a group, with either end.
    [[nodiscard]] double naming(const Counts& counts, GroupOutput output, std::size_t group) const noexcept {
        const std::size_t at = place(output, 2 * group);
        return rate(counts, at) + rate(counts, at + 1);
    }
    /// Returns the excess of the upper end among them.
    [[nodiscard]] double excess(const Counts& counts, GroupOutput output, std::size_t group) const noexcept {
        const std::size_t at = place(output, 2 * group);
        return rate(counts, at + 1) - rate(counts, at);
    }
    /// Returns the observed rates of reports that name a group. Few reports may show less than the noise that the channel has
    /// for any input.
    [[nodiscard]] GroupRates rates_of(const Counts& counts, std::size_t group) const noexcept {
        return {
            std::max(naming(counts, GroupOutput::ends, group), channel_.least_naming(GroupOutput::ends)),
            excess(counts, GroupOutput::ends, group),
            std::max(naming(counts, GroupOutput::halves, group), channel_.least_naming(GroupOutput::halves)),
            excess(counts, GroupOutput::halves, group),
            rate(counts, static_cast<std::size_t>(GroupOutput::halves)),
            rate(counts, static_cast<std::size_t>(GroupOutput::no_number))};
    }
    /// Returns n·Var of the mean over all groups if all people are at the end with the larger variance.
    [[nodiscard]] double variance_of_mean() const noexcept {
        return std::max(channel_.square_of_sums(0, true), channel_.square_of_sums(1, true));
    }

    GroupChannel channel_;
    Range range_;
    double report_epsilon_;
    std::size_t group_;  // number of the category among the attributes
    std::size_t width_;  // of a code, in bytes
};

std::vector<std::pair<std::string, double>> GroupAndNumber::parameters() const {
    const GroupDesign& design = channel_.design();
    std::vector<std::pair<std::string, double>> all{
        {"min", range_.min},
        {"max", range_.max},
        {"grid", static_cast<double>(channel_.steps())},
        {"groups", static_cast<double>(design.groups)},
        {"groups_of_ends", static_cast<double>(design.ends.named)},
        {"weight_of_ends", static_cast<double>(design.ends.weight)},
        {"groups_of_halves", static_cast<double>(design.halves.named)},
        {"weight_of_halves", static_cast<double>(design.halves.weight)}};
    if (channel_.two_layers()) {
        all.emplace_back("report_epsilon", report_epsilon_);
        all.emplace_back("stay", channel_.stay());
    }
    return all;
}

Exact GroupAndNumber::instantaneous_probability(Bytes, Bytes permanent, Bytes payload) const {
    const Exact stay = channel_.exact_stay();
    const Exact memoized = std::ranges::equal(permanent, payload) ? stay : exact(0, 1);
    return memoized + stay.complement() * channel_.even_probability(read(payload));
}

// The noise of a report is the mean square of the count term minus its squared mean, which is 1 for people of the group
// and 0 for others. With the variance between people, it is at most the mean square. Averages over people have ratios in
// between.
std::optional<Interval> GroupAndNumber::memoized_share() const {
    if (!channel_.two_layers()) return {};
    const auto [own, other, missing] = channel_.squares_of_counts();
    const auto [own_repeated, other_repeated, missing_repeated] = channel_.squares_of_counts(true);
    const double rare = other_repeated / other,
                 without = channel_.design().missing ? missing_repeated / missing : rare;
    return Interval{std::min({(own_repeated - 1) / (own - 1), rare, without}),
                    std::max({own_repeated / own, rare, without})};
}

// Payloads and counts -------------------------------------------------------------------------------------

void GroupAndNumber::write(const GroupReport& report, MutableBytes payload) const noexcept {
    std::ranges::fill(payload, std::byte{0});
    payload[0] = static_cast<std::byte>(report.output);
    for (std::size_t i = 0; i < report.codes.size(); ++i)
        store_cell(payload.data() + 1 + i * width_, width_, report.codes[i]);
}

GroupReport GroupAndNumber::read(Bytes payload) const {
    GroupReport report{output_of(payload), {}};
    for (std::size_t i = 0; i < channel_.named(report.output); ++i) report.codes.push_back(code(payload, i));
    return report;
}

bool GroupAndNumber::valid_payload(Bytes payload) const noexcept {
    const std::size_t known = channel_.design().missing ? kinds : kinds - 1;
    if (std::to_integer<std::size_t>(payload[0]) >= known) return false;
    const std::size_t named = channel_.named(output_of(payload));
    Cell least = 0;
    for (std::size_t i = 0; i < named; ++i) {
        const Cell found = code(payload, i);
        if (found < least || found >= codes()) return false;
        least = found / 2 * 2 + 2;
    }
    return std::ranges::all_of(payload.subspan(1 + named * width_),
                               [](std::byte one) { return one == std::byte{0}; });
}

bool GroupAndNumber::accumulate(MutableBytes state, Bytes payload) const noexcept {
    if (!valid_payload(payload)) return false;
    const GroupOutput output = output_of(payload);
    add(state.data() + static_cast<std::size_t>(output) * counter_size, std::uint64_t{1});
    for (std::size_t i = 0; i < channel_.named(output); ++i)
        add(state.data() + place(output, code(payload, i)) * counter_size, std::uint64_t{1});
    return true;
}

bool GroupAndNumber::valid_state(const Counts& counts) const noexcept {
    if (!counters_sum_to(counts.state.first(kinds * counter_size), counts.n)) return false;
    if (!channel_.design().missing && counter(counts.state, kinds - 1) != 0) return false;
    for (const GroupOutput output : {GroupOutput::ends, GroupOutput::halves}) {
        const std::uint64_t reports = counter(counts.state, static_cast<std::size_t>(output));
        const Bytes named = counts.state.subspan(place(output, 0) * counter_size, codes() * counter_size);
        if (!counters_sum_to(named, reports * channel_.named(output))) return false;
        for (std::size_t group = 0; group < channel_.design().groups; ++group)
            if (counter(named, 2 * group) + counter(named, 2 * group + 1) > reports) return false;
    }
    return true;
}

// Estimates -----------------------------------------------------------------------------------------------

std::vector<GroupSums> GroupAndNumber::group_sums(const Counts& counts) const {
    const ReportTerms& terms = channel_.terms();
    const double without = rate(counts, static_cast<std::size_t>(GroupOutput::no_number)) * terms.no_number;
    std::vector<GroupSums> all;
    for (std::size_t group = 0; group < channel_.design().groups; ++group) {
        check_interrupt();
        const GroupRates rates = rates_of(counts, group);
        const double in_halves = naming(counts, GroupOutput::halves, group);
        GroupSums sums{terms.end * rates.ends_excess + terms.half * rates.halves_excess,
                       terms.named * in_halves + terms.rest * (rates.halves - in_halves) + without,
                       {}};
        const auto once = terms.squares(rates),
                   repeated = channel_.memoized_terms().squares(channel_.memoized_rates(rates));
        for (std::size_t i = 0; i < once.size(); ++i) sums.squares[i] = {once[i], repeated[i]};
        all.push_back(sums);
    }
    return all;
}

// The ends of two groups are independent of each other, except that at most one of the groups is the person's own.
// The product of two sum terms therefore has the mean 0. If an output names the own group, another group is one of the
// d − 1 others with equal probability, which gives the product of a sum term and a count term.
//
// Let J_g be the share of outputs "halves" that name the group g. All groups except the own one are named with equal
// probability. If M is the share of these outputs, the share that names both g and h is
// (d − 1)/(k − 1)·(dM/k + (J_g + J_h − 2dM/k)·(k − 1)/(k − 2)).
TermProduct GroupAndNumber::product(const Counts& counts, std::size_t one, double mean_of_one,
                                    std::size_t other, double mean_of_other) const {
    const auto k = static_cast<double>(channel_.design().groups),
               d = static_cast<double>(channel_.design().halves.named);
    const double beside = (d - 1) / (k - 1);
    const auto of = [&](const ReportTerms& terms, const GroupRates& a, const GroupRates& b) {
        const double count_beside = beside * terms.named + (1 - beside) * terms.rest;
        const auto sum_and_count = [&](const GroupRates& rates) {
            return terms.half * rates.halves_excess * count_beside +
                   terms.end * rates.ends_excess * terms.otherwise;
        };
        const double halves = a.halves, even = d * halves / k;
        const double both =
            beside * (even + (k > 2 ? (a.named + b.named - 2 * even) * (k - 1) / (k - 2) : 0));
        const double counted =
            square(terms.named) * both + terms.named * terms.rest * (a.named + b.named - 2 * both) +
            square(terms.rest) * (halves - a.named - b.named + both) + a.no_number * square(terms.no_number) +
            (1 - halves - a.no_number) * square(terms.otherwise);
        return mean_of_one * mean_of_other * counted - mean_of_other * sum_and_count(a) -
               mean_of_one * sum_and_count(b);
    };
    const auto rates = [&](std::size_t group) {
        GroupRates found = rates_of(counts, group);
        found.named = naming(counts, GroupOutput::halves, group);
        return found;
    };
    const GroupRates a = rates(one), b = rates(other);
    return {of(channel_.terms(), a, b),
            of(channel_.memoized_terms(), channel_.memoized_rates(a), channel_.memoized_rates(b))};
}

// The errors are those of a population. For the people who reported they are too large by at most the variance between
// people.
std::vector<Estimate> GroupAndNumber::estimate(const Counts& counts, const Question& question) const {
    check_attribute(question.attribute, 2);
    std::vector<Estimate> all;
    if (question.attribute != group_) return all;
    for (const GroupSums& sums : group_sums(counts)) {
        const double share = std::clamp(sums.share, 0.0, 1.0);
        const double known = question.target == Target::sample ? share : square(share);
        all.push_back({sums.share, std::sqrt(std::max(0.0, sums.squares[2].once - known) /
                                             static_cast<double>(counts.n))});
    }
    return all;
}

std::vector<Check> GroupAndNumber::health(const Counts& counts) const {
    std::vector<Check> checks;
    const auto add = [&](GroupOutput output, const char* name) {
        const auto [least, most] = channel_.share_of(output);
        const std::uint64_t found = counter(counts.state, static_cast<std::size_t>(output));
        checks.push_back({name, static_cast<double>(found) / static_cast<double>(counts.n), least,
                          binomial_between(counts.n, least, most, found)});
    };
    add(GroupOutput::ends, "share of reports about ends");
    add(GroupOutput::halves, "share of reports about halves");
    add(GroupOutput::between, "share of reports without a group");
    return checks;
}

// The terms of the share of a group, or of the mean over all groups, with the largest effect.
std::vector<Contribution> GroupAndNumber::contributions(const Question& question) const {
    const ReportTerms& terms = channel_.terms();
    if (question.attribute == number_attribute()) {
        const double most = std::max(terms.end * static_cast<double>(channel_.design().ends.named),
                                     terms.half * static_cast<double>(channel_.design().halves.named));
        return {{1,
                 {range_.middle() - most * range_.half(), range_.middle() + most * range_.half()},
                 {range_.min, range_.max}}};
    }
    const auto [least, most] = std::minmax({terms.rest, terms.named, terms.no_number, 0.0});
    return {{1, {least, most}, {0, 1}}};
}

// Settings ------------------------------------------------------------------------------------------------

void settle(SettingsDraft& draft) {
    const auto numbers = std::ranges::count_if(draft.attributes, &Attribute::numeric);
    const bool plain = std::ranges::none_of(draft.attributes, [](const Attribute& one) {
        return one.several() || one.strings || !one.vector.empty() || one.evolving;
    });
    if (draft.attributes.size() != 2 || numbers != 1 || !plain)
        raise(
            ErrorCode::invalid_spec, "means_by_group requires one category and one number",
            "The category is the group. Sets, texts, vectors, and numbers with \"evolving\" are not possible.",
            "Collect other attributes in other parts of a record.");
    for (const Attribute& attribute : draft.attributes)
        if (attribute.of_record() || attribute.derived())
            raise(ErrorCode::invalid_spec,
                  "\"mechanism\", \"weight\" and \"product\" of an attribute are for records only",
                  "means_by_group reports all attributes by one method.",
                  "Use the mechanism sampled for records.");
    for (const Attribute& attribute : draft.attributes)
        if (attribute.domain > GroupDesign::most_groups)
            raise(ErrorCode::invalid_spec,
                  "means_by_group supports at most " + std::to_string(GroupDesign::most_groups) + " groups",
                  "The domain of \"" + attribute.name + "\" has " + std::to_string(attribute.domain) + ".");
    settle_second_layer(draft);
}

void write(const Settings& settings, Writer& writer) {
    const std::vector<Attribute>& attributes = settings.attributes();
    const bool number_first = attributes[0].numeric();
    const Attribute& number = attributes[number_first ? 0 : 1];
    const bool missing = may_be_missing(number);
    const double first = settings.real(second_layer_option.name);
    const GroupDesign design = GroupDesign::best(first != 0 ? first : settings.epsilon(),
                                                 attributes[number_first ? 1 : 0].domain, missing);
    writer.put(static_cast<std::uint32_t>(design.groups));
    writer.put(static_cast<std::uint32_t>(settings.number(grid_option.name)));
    writer.put(
        static_cast<std::uint8_t>((missing ? missing_flag : 0) | (number_first ? number_first_flag : 0)));
    for (const GroupDesign::OutputKind& kind : {design.ends, design.halves}) {
        writer.put(static_cast<std::uint8_t>(kind.named));
        writer.put(static_cast<std::uint8_t>(kind.weight));
    }
    write_range(writer, {number.min, number.max});
    write_second_layer(settings, writer);
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    GroupDesign design{take_number(reader, "number of groups", 2, GroupDesign::most_groups), false, {}, {}};
    const std::uint64_t steps = take_number(reader, "grid", 2, max_grid);
    const auto flags = reader.take<std::uint8_t>();
    if (flags > (missing_flag | number_first_flag)) refuse_block("the flags are unknown");
    design.missing = (flags & missing_flag) != 0;
    for (GroupDesign::OutputKind* kind : {&design.ends, &design.halves}) {
        kind->named = reader.take<std::uint8_t>();
        kind->weight = reader.take<std::uint8_t>();
    }
    if (!design.valid()) refuse_block("the numbers of named groups are out of range");
    const Range range = read_range(reader);
    const double report_epsilon = take_second_layer(reader, header);
    return std::make_unique<GroupAndNumber>(header, block,
                                            GroupChannel(design, steps, header.epsilon, report_epsilon),
                                            range, (flags & number_first_flag) != 0, report_epsilon);
}

constexpr Option options[] = {grid_option, second_layer_option};

}  // namespace

const MechanismEntry entry(
    42, "means_by_group", "means of a number by a private group",
    "some of the groups on the list, each with a low or a high number. Your own group and number have an effect on "
    "the choice, which is otherwise random",
    Shape::record, 2, write, load,
    {.options = options, .settle = settle, .purpose = Purpose::means_by_group});

}  // namespace ldp::means_by_group
