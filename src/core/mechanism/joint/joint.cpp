// Several categories together (LoPub, Ren et al. 2018; CALM, Zhang et al. 2018). Users are divided among
// views, each a set of up to three attributes. Each user reports the cell of one view's cross table by subset
// selection at the full ε. The assignment to a view is random and independent of the values.
//
// With "report_epsilon", a cell is reported in two layers: by l_grr, or in views of many cells by l_osue.
//
// Parameters: number of attributes (2 bytes); their sizes in runs, as fields.hpp writes them, each a length
//             (2) and a number of values (4); the views (1): 2 or 3 for all sets of 2 or 3
//             attributes, plus 16 if single attributes are also views, or 0 for a list.
//             A list has a number of views (2) and, for each view, a number of attributes (1) and the
//             attributes (1 each), in ascending order.
//             For every different pair of cells and attributes of a view, in ascending order: the size of the
//             reported sets, and the sampling weight of the view (2 each). In two layers, the size is 1 for
//             l_grr and 0 for l_osue, and ε₁ (8) follows at the end.
// Public randomness:  a view · permanent response: its subset, or the permanent response of its inner mechanism.
// Payload:    a view and the payload of its inner mechanism, padded with zeros.
// State:      per view: reports (8), the state of its inner mechanism
//
// Length: one class has all roles of the mechanism, which share its views.

#include "core/mechanism/joint/joint.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/exact.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/unknown.hpp"
#include "core/math/channel_law.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"

namespace ldp {

namespace {

class JointMechanism final : public Mechanism, public JointViews, public Significance {
  public:
    JointMechanism(const Header& header, Bytes block, std::vector<std::uint64_t> sizes,
                   std::vector<ViewClass> classes, std::vector<View> views)
        : Mechanism(header, block),
          sizes_(std::move(sizes)),
          classes_(std::move(classes)),
          views_(std::move(views)),
          index_(cell_width(views_.size())) {
        for (View& view : views_) {
            view.inner = class_of(view).inner.get();
            view.payload = view.inner->payload_size();
            view.state = state_size_;
            view.slot = counter_size + view.inner->state_size();
            state_size_ += view.slot;
            assignment_.push_back((assignment_.empty() ? 0 : assignment_.back()) + class_of(view).weight);
        }
        for (const ViewClass& each : classes_) {
            permanent_ = std::max(permanent_, each.inner->permanent_size());
            payload_ = std::max(payload_, each.inner->payload_size());
        }
    }

    std::vector<std::uint64_t> cells() const override { return sizes_; }
    std::size_t public_size() const noexcept override { return index_; }
    std::size_t permanent_size() const noexcept override { return permanent_; }
    std::size_t payload_size() const noexcept override { return index_ + payload_; }
    std::size_t state_size() const noexcept override { return state_size_; }
    std::vector<std::pair<std::string, double>> parameters() const override;

    void draw_public(BitSource& bits, MutableBytes public_randomness) const override {
        store_cell(public_randomness.data(), index_, bits.pick(std::span(assignment_)));
    }
    bool valid_public(Bytes public_randomness) const noexcept override {
        return number_in(public_randomness) < views_.size();
    }
    void permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                            MutableBytes permanent) const override;
    void instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource& bits,
                                MutableBytes payload) const override;
    /// The key is the cell of the view. Changes within the cell cost no ε.
    std::vector<Cell> response_key(Input input, Bytes public_randomness) const override {
        return {cell(drawn(public_randomness), input)};
    }
    std::vector<double> key_spans(Bytes) const override { return {0}; }
    std::uint64_t most_keys() const override {
        std::uint64_t most = 0;
        for (const ViewClass& each : classes_) most = std::max(most, each.inner->most_keys());
        return most;
    }

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override;
    bool accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept override;
    void merge(MutableBytes state, Bytes other) const noexcept override;
    void append_own_sums(std::size_t at, std::vector<OwnSum>& parts) const override {
        for (const View& view : views_) view.inner->append_own_sums(at + view.state + counter_size, parts);
    }
    bool valid_payload(Bytes payload) const noexcept override;
    bool valid_state(const Counts& counts) const noexcept override;

    std::span<const Quantity> answers() const noexcept override {
        static constexpr Quantity quantities[] = {Quantity::frequencies};
        return quantities;
    }
    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const override;
    std::vector<Check> health(const Counts& counts) const override;

    std::vector<std::vector<std::size_t>> views() const override;
    ViewEstimate estimate_of_view(const Counts& counts, std::size_t view) const override {
        return table(counts, view);
    }
    CrossTable table(const Counts& counts, std::size_t view) const;
    ErrorLaw error_law(const Counts& counts, std::size_t view, std::uint64_t cells,
                       Target target) const override;
    std::uint64_t reports_of_view(const Counts& counts, std::size_t view) const override {
        return part(counts, views_[view]).n;
    }
    std::uint64_t reports(const Counts& counts, std::size_t attribute) const override {
        std::uint64_t all = 0;
        for (const View& view : views_)
            if (has(view, attribute)) all += part(counts, view).n;
        return all;
    }
    double view_chance(std::size_t view) const override { return chance(views_[view]); }
    double attribute_chance(std::size_t attribute) const override {
        double all = 0;
        for (const View& view : views_)
            if (has(view, attribute)) all += chance(view);
        return all;
    }
    std::unique_ptr<const JointShares> shares(const Counts& counts,
                                              const std::vector<std::size_t>& attributes,
                                              Combination how) const override;
    std::unique_ptr<const JointShares> expected_shares(const std::vector<std::size_t>& attributes,
                                                       const Spread& spread, double people) const override;

    std::vector<Contribution> contributions(const Question& question) const override;
    double max_probability(Bytes payload) const override {
        const View& view = drawn(payload);
        return chance(view) * view.inner->max_probability(payload_in(payload, view));
    }

    double n_variance(double truth) const override { return largest_variance(truth, false); }
    double n_covariance(double truth) const override { return largest_variance(truth, true); }
    std::optional<Interval> memoized_share() const override;
    double expected_variance(std::size_t attribute) const override {
        return variance(attribute, 1 / static_cast<double>(sizes_[attribute]), false);
    }
    Cost cost() const noexcept override;
    Exact probability(Input input, Bytes public_randomness, Bytes permanent) const override {
        const View& view = drawn(public_randomness);
        const Mechanism& inner = *view.inner;
        const Cell own = cell(view, input);
        return inner.probability({&own, 1}, {}, permanent.first(inner.permanent_size()));
    }
    // The assignment does not depend on the values, so that its probability cancels.
    Exact worst_ratio() const override {
        Exact worst = exact(0, 1);
        for (const ViewClass& each : classes_) worst = std::max(worst, each.inner->worst_ratio());
        return worst;
    }
    double report_epsilon() const noexcept override { return classes_[0].inner->report_epsilon(); }
    Exact instantaneous_probability(Bytes public_randomness, Bytes permanent, Bytes payload) const override {
        if (number_in(payload) != number_in(public_randomness) || !fits(payload)) return exact(0, 1);
        const View& view = drawn(public_randomness);
        return view.inner->instantaneous_probability({}, permanent.first(view.inner->permanent_size()),
                                                     payload_in(payload, view));
    }
    Exact first_report_ratio() const override {
        Exact worst = exact(0, 1);
        for (const ViewClass& each : classes_) worst = std::max(worst, each.inner->first_report_ratio());
        return worst;
    }
    ChannelLaw channel_law() const override {
        std::vector<ChannelLaw> laws;
        for (const ViewClass& each : classes_) laws.push_back(each.inner->channel_law());
        return choice_law(std::move(laws));
    }

  private:
    [[nodiscard]] const ViewClass& class_of(const View& view) const noexcept { return classes_[view.kind]; }
    [[nodiscard]] const FrequencyOracle& oracle_of(const View& view) const noexcept {
        return *find_capability<FrequencyOracle>(*view.inner);
    }
    /// Returns the number of cells in a report of a set of cells.
    [[nodiscard]] double set_size(const View& view) const {
        const auto [p, q] = oracle_of(view).protocol();
        return std::round(p + static_cast<double>(oracle_of(view).cells()[0] - 1) * q);
    }
    [[nodiscard]] static bool has(const View& view, std::size_t attribute) noexcept {
        return std::ranges::find(view.attributes.all(), attribute) != view.attributes.all().end();
    }
    [[nodiscard]] double chance(const View& view) const noexcept {
        return static_cast<double>(class_of(view).weight) / static_cast<double>(assignment_.back());
    }
    [[nodiscard]] std::size_t number_in(Bytes bytes) const noexcept {
        return load_cell(bytes.data(), index_);
    }
    [[nodiscard]] const View& drawn(Bytes bytes) const noexcept { return views_[number_in(bytes)]; }
    [[nodiscard]] Bytes payload_in(Bytes payload, const View& view) const noexcept {
        return payload.subspan(index_, view.payload);
    }
    /// Returns whether the view exists and the padding is zero.
    [[nodiscard]] bool fits(Bytes payload) const noexcept;
    [[nodiscard]] Cell cell(const View& view, Input input) const noexcept {
        Cell all = 0;
        for (const std::size_t j : view.attributes.all()) all = all * sizes_[j] + input[j];
        return all;
    }
    /// Returns the reports about a view.
    [[nodiscard]] SummaryView part(const Counts& counts, const View& view) const noexcept {
        const Mechanism& inner = *view.inner;
        return {{load<std::uint64_t>(counts.state.data() + view.state),
                 counts.state.subspan(view.state + counter_size, inner.state_size())},
                &inner};
    }
    /// Returns the table of a view without shares, with the expected number of reports.
    [[nodiscard]] CrossTable expected(const View& view) const;
    /// Calls visit(number) for each view that contains any of the attributes.
    template <class Visit>
    void for_each_about(const std::vector<std::size_t>& attributes, Visit visit) const {
        for (std::size_t v = 0; v < views_.size(); ++v)
            if (std::ranges::any_of(attributes, [&](std::size_t j) { return has(views_[v], j); })) {
                check_interrupt();
                visit(v);
            }
    }

    /// Enumerates the views that estimate an attribute's share, for many reports: calls visit(view, its
    /// weight, number of cells per value of the attribute).
    template <class Visit>
    void for_each_of(std::size_t attribute, Visit visit) const;
    /// Returns n·Var of the share of an attribute's value with this true share, or of it the part that
    /// permanent responses contribute.
    [[nodiscard]] double variance(std::size_t attribute, double truth, bool memoized) const;
    [[nodiscard]] double largest_variance(double truth, bool memoized) const;
    /// Returns the largest and the smallest term of one report in the share of `inside` cells of a view.
    [[nodiscard]] Interval terms(const View& view, double inside) const;

    std::vector<std::uint64_t> sizes_;
    std::vector<ViewClass> classes_;
    std::vector<View> views_;
    std::vector<std::uint64_t> assignment_;  // cumulative sums of the views' weights
    std::size_t index_;                      // size of a view's number in bytes
    std::size_t permanent_ = 0, payload_ = 0, state_size_ = 0;
};

std::vector<std::pair<std::string, double>> JointMechanism::parameters() const {
    const auto [rarest, commonest] = std::ranges::minmax_element(classes_, {}, &ViewClass::weight);
    const auto share = [&](const ViewClass& each) {
        return static_cast<double>(each.weight) / static_cast<double>(assignment_.back());
    };
    std::vector<std::pair<std::string, double>> all{
        {"number_of_marginals", static_cast<double>(views_.size())},
        {"max_cells", static_cast<double>(most_keys())},
        {"min_probability", share(*rarest)},
        {"max_probability", share(*commonest)}};
    if (report_epsilon() == epsilon()) return all;
    all.emplace_back("report_epsilon", report_epsilon());
    // The second layer of a bit for each cell has no ε of its own that is of use.
    double second = 0;
    for (const ViewClass& each : classes_)
        for (const auto& [name, value] : each.inner->parameters())
            if (name == "second_epsilon") second = std::max(second, value);
    if (std::ranges::none_of(classes_, &ViewClass::bits)) all.emplace_back("second_epsilon", second);
    return all;
}

// Client ---------------------------------------------------------------------------------------------------

void JointMechanism::permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                                        MutableBytes permanent) const {
    const View& view = drawn(public_randomness);
    const Mechanism& inner = *view.inner;
    const Cell own = cell(view, input);
    std::ranges::fill(permanent, std::byte{0});
    inner.permanent_response({&own, 1}, {}, bits, permanent.first(inner.permanent_size()));
}

void JointMechanism::instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource& bits,
                                            MutableBytes payload) const {
    const Mechanism& inner = *drawn(public_randomness).inner;
    std::ranges::fill(payload, std::byte{0});
    std::ranges::copy(public_randomness, payload.begin());
    inner.instantaneous_response({}, permanent.first(inner.permanent_size()), bits,
                                 payload.subspan(index_, inner.payload_size()));
}

// Server ---------------------------------------------------------------------------------------------------

// The inner mechanism validates the subset when it counts the report.
bool JointMechanism::accumulate(MutableBytes state, Bytes payload) const noexcept {
    if (!fits(payload)) return false;
    const View& view = drawn(payload);
    const MutableBytes counted = state.subspan(view.state, view.slot);
    if (!view.inner->accumulate(counted.subspan(counter_size), payload_in(payload, view))) return false;
    add<std::uint64_t>(counted.data(), 1);
    return true;
}

bool JointMechanism::accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept {
    return payloads.for_each_group(index_, [&](const Payloads& group) {
        if (!fits(group[0])) return false;
        const View& view = drawn(group[0]);
        const std::size_t end = index_ + view.payload;
        for (std::size_t i = 0; i < group.count() && end < group.size(); ++i)
            if (!all_zero(group[i].subspan(end))) return false;
        const MutableBytes counted = state.subspan(view.state, view.slot);
        add<std::uint64_t>(counted.data(), group.count());
        return view.inner->accumulate_all(counted.subspan(counter_size), group.part(index_, view.payload));
    });
}

void JointMechanism::merge(MutableBytes state, Bytes other) const noexcept {
    for (const View& view : views_) {
        const MutableBytes ours = state.subspan(view.state, view.slot);
        const Bytes theirs = other.subspan(view.state, view.slot);
        add(ours.data(), load<std::uint64_t>(theirs.data()));
        view.inner->merge(ours.subspan(counter_size), theirs.subspan(counter_size));
    }
}

bool JointMechanism::fits(Bytes payload) const noexcept {
    return number_in(payload) < views_.size() && all_zero(payload.subspan(index_ + drawn(payload).payload));
}

bool JointMechanism::valid_payload(Bytes payload) const noexcept {
    return fits(payload) && drawn(payload).inner->valid_payload(payload_in(payload, drawn(payload)));
}

bool JointMechanism::valid_state(const Counts& counts) const noexcept {
    std::uint64_t left = counts.n;
    for (const View& view : views_) {
        const SummaryView one = part(counts, view);
        if (one.n > left || !one.mechanism->valid_state(one)) return false;
        left -= one.n;
    }
    return left == 0;
}

std::vector<std::vector<std::size_t>> JointMechanism::views() const {
    std::vector<std::vector<std::size_t>> all;
    for (const View& view : views_) {
        const auto numbers = view.attributes.all();
        all.emplace_back(numbers.begin(), numbers.end());
    }
    return all;
}

CrossTable JointMechanism::expected(const View& view) const {
    const auto [even, held] = *capability<FrequencyOracle>(*view.inner).contrasts();
    CrossTable table{static_cast<std::size_t>(&view - views_.data()), {}, {}, {}, chance(view), even, held};
    for (const std::size_t j : view.attributes.all()) {
        table.attributes.push_back(j);
        table.sizes.push_back(sizes_[j]);
    }
    return table;
}

CrossTable JointMechanism::table(const Counts& counts, std::size_t view) const {
    const SummaryView one = part(counts, views_[view]);
    CrossTable table = expected(views_[view]);
    table.people = static_cast<double>(one.n);
    if (one.n == 0) return table;
    double excess = -1;
    for (const Estimate& share : one.mechanism->estimate(one, {Quantity::frequencies}))
        excess += table.shares.emplace_back(share.value);
    // Independent bits add up to 1 on average only. With equal errors, the excess is divided equally.
    if (class_of(views_[view]).bits)
        for (double& share : table.shares) share -= excess / static_cast<double>(table.cells());
    return table;
}

std::unique_ptr<const JointShares> JointMechanism::shares(const Counts& counts,
                                                          const std::vector<std::size_t>& attributes,
                                                          Combination how) const {
    std::vector<CrossTable> tables;
    for_each_about(attributes, [&](std::size_t v) { tables.push_back(table(counts, v)); });
    return std::make_unique<Combined>(tables, attributes, how);
}

std::unique_ptr<const JointShares> JointMechanism::expected_shares(const std::vector<std::size_t>& attributes,
                                                                   const Spread& spread,
                                                                   double people) const {
    std::vector<CrossTable> tables;
    for_each_about(attributes, [&](std::size_t v) {
        CrossTable& table = tables.emplace_back(expected(views_[v]));
        table.people *= people;
        table.shares = {1};
        for (const std::size_t j : table.attributes) {
            std::vector<double> finer;
            for (const double before : table.shares)
                for (const double share : spread(j)) finer.push_back(before * share);
            table.shares = std::move(finer);
        }
    });
    return std::make_unique<Combined>(tables, attributes, Combination::consistent);
}

// With a report of one cell, the cell is in the box or not. For larger sets, the same holds for each cell. If
// each cell has a bit of its own, the term of a report is a sum over independent bits. Its moments are known for
// users in the box and for users outside.
ErrorLaw JointMechanism::error_law(const Counts& counts, std::size_t view, std::uint64_t cells,
                                   Target target) const {
    const std::uint64_t n = reports_of_view(counts, view);
    const auto [p, q] = oracle_of(views_[view]).protocol();
    if (n == 0) return law_of_share();
    if (class_of(views_[view]).bits) {
        const double inside =
            static_cast<double>(cells) / static_cast<double>(views_[view].inner->cells()[0]);
        const double all = static_cast<double>(views_[view].inner->cells()[0]);
        const auto moments = [&, p = p, q = q](bool holder) {
            double second = 0, third = 0;
            const auto add = [&](double bits, double weight, double one) {
                const double g = weight / (p - q);
                second += bits * g * g * one * (1 - one);
                third += bits * g * g * g * one * (1 - one) * (1 - 2 * one);
            };
            const double within = 1 - inside, outside = -inside;
            add(static_cast<double>(cells) - (holder ? 1 : 0), within, q);
            add(all - static_cast<double>(cells) - (holder ? 0 : 1), outside, q);
            add(1, holder ? within : outside, p);
            return holder ? TruthCurve::TermMoments{second + 1, third + 3 * second + 1}
                          : TruthCurve::TermMoments{second, third};
        };
        const auto people = static_cast<double>(n);
        const TruthCurve::TermMoments holders = moments(true), others = moments(false);
        const TruthCurve population = TruthCurve::of_terms(people, holders, others, Target::population);
        if (target == Target::population) return {.truths = possible_shares, .curve = population};
        return {.truths = possible_shares,
                .curve = TruthCurve::mixed(TruthCurve::of_terms(people, holders, others, Target::sample),
                                           population, people / static_cast<double>(counts.n))};
    }
    if (cells > 1 && set_size(views_[view]) > 1) return law_of_share();
    const auto others = static_cast<double>(cells) - 1;
    return {.n = n,
            .p = p + others * q,
            .q = q + others * q,
            .counts_people = target == Target::sample && n == counts.n,
            .truths = possible_shares};
}

std::vector<Estimate> JointMechanism::estimate(const Counts& counts, const Question& question) const {
    check_attribute(question.attribute, sizes_.size());
    return shares_of_values(*shares(counts, {question.attribute}, Combination::consistent),
                            sizes_[question.attribute], counts.n, question.target);
}

// Checks the number of reports per view, which is binomial, and returns the worst of each check of the views.
std::vector<Check> JointMechanism::health(const Counts& counts) const {
    std::vector<std::vector<Check>> checks;
    std::vector<std::uint64_t> reports;
    std::vector<double> chances;
    for (const View& view : views_) {
        check_interrupt();
        const SummaryView one = part(counts, view);
        reports.push_back(one.n);
        chances.push_back(chance(view));
        if (one.n > 0) checks.push_back(one.mechanism->health(one));
    }
    std::vector<Check> all{goodness_of_fit("views drawn", reports, chances)};
    for (Check& worst : worst_of(checks, checks.size())) all.push_back(std::move(worst));
    return all;
}

// Planning -------------------------------------------------------------------------------------------------

template <class Visit>
void JointMechanism::for_each_of(std::size_t attribute, Visit visit) const {
    struct Of {
        const View* view;
        double precision, rest;
    };
    std::vector<Of> all;
    double precision = 0;
    for (const View& view : views_) {
        if (!has(view, attribute)) continue;
        const CrossTable table = expected(view);
        const double rest = static_cast<double>(table.cells()) / static_cast<double>(sizes_[attribute]);
        all.push_back({&view, table.people / (table.contrast() * rest), rest});
        precision += all.back().precision;
    }
    for (const Of& of : all) visit(*of.view, of.precision / precision, of.rest);
}

// The cells of the value have this share in total, the other cells the rest.
double JointMechanism::variance(std::size_t attribute, double truth, bool memoized) const {
    const double f = std::clamp(truth, 0.0, 1.0), even_share = 1 / static_cast<double>(sizes_[attribute]);
    double all = 0;
    for_each_of(attribute, [&](const View& view, double weight, double rest) {
        const auto& oracle = capability<FrequencyOracle>(*view.inner);
        const auto [even, held] = *(memoized ? oracle.memoized_contrasts() : oracle.contrasts());
        const double squares = rest * (1 - even_share);
        const double own = f * (1 - 2 * even_share) + even_share * even_share;
        const double mean = f - even_share;
        all += weight * weight * (even * squares + held * own - mean * mean) / chance(view);
    });
    return all - f * (1 - f);
}

double JointMechanism::largest_variance(double truth, bool memoized) const {
    double largest = 0;
    for (std::size_t j = 0; j < sizes_.size(); ++j) largest = std::max(largest, variance(j, truth, memoized));
    return largest;
}

// For Σ g·share over a table, the noise of a report has the variance even·Σ g² + (held − 1)·Σ f·g². With the
// variance between people, it is at most even·Σ g² + held·Σ f·g². Σ f·g² is between 0 and Σ g². The ratio of
// two linear functions is extreme at an end. Sums over several tables have ratios in between.
std::optional<Interval> JointMechanism::memoized_share() const {
    Interval share{1, 0};
    for (const ViewClass& each : classes_) {
        const auto& oracle = capability<FrequencyOracle>(*each.inner);
        const auto [even, held] = *oracle.contrasts();
        const auto [kept_even, kept_held] = *oracle.memoized_contrasts();
        const double rare = kept_even / even;
        share.lower = std::min({share.lower, rare, (kept_even + kept_held - 1) / (even + held - 1)});
        share.upper = std::max({share.upper, rare, (kept_even + kept_held) / (even + held)});
    }
    return share;
}

// The estimates of an attribute use every view that contains it.
Cost JointMechanism::cost() const noexcept {
    Cost all{1, 0};
    for (const View& view : views_) {
        const Cost each = view.inner->cost();
        all.per_report += chance(view) * each.per_report;
        all.per_answer += each.per_answer;
    }
    return all;
}

// The extreme reports have only cells of the value, or none of them. With a bit for each cell, the other bits
// are then 0, or 1, since the excess of a report is divided among all cells.
Interval JointMechanism::terms(const View& view, double inside) const {
    const auto [p, q] = oracle_of(view).protocol();
    const auto cells = static_cast<double>(oracle_of(view).cells()[0]);
    if (class_of(view).bits) {
        const double share = inside / cells, reach = inside * (1 - share) / (p - q);
        return {share - reach, share + reach};
    }
    const double size = set_size(view);
    const auto term = [&, p = p, q = q](double held) { return (held - q * inside) / (p - q); };
    return {term(std::max(0.0, size - (cells - inside))), term(std::min(size, inside))};
}

// In each view, a report changes the share by the view's weight.
std::vector<Contribution> JointMechanism::contributions(const Question& question) const {
    std::vector<Contribution> contributions;
    for_each_of(question.attribute == only_attribute ? 0 : question.attribute,
                [&](const View& view, double weight, double rest) {
                    const auto [least, most] = terms(view, rest);
                    contributions.push_back({chance(view), {weight * least, weight * most}, {0, weight}});
                });
    return contributions;
}

}  // namespace

// The reports of a table are a random sample of all reports, without replacement. Since the estimate is
// unbiased for every user, the weights of a user's cells in all tables add up to the user's estimand plus a
// constant. The error of the random assignment is therefore the sum of the sampling errors of the tables,
// minus the sampling error of all users together. For n − 1, see Combined::covariance.
Estimate estimate_of(const JointShares& shares, const JointShares::Share& share, std::uint64_t n,
                     Target target) {
    if (std::isnan(share.value)) return {unknown, unknown};
    const double inside = std::clamp(share.value, 0.0, 1.0);
    const double sampling =
        target == Target::sample ? inside * (1 - inside) / (static_cast<double>(n) - 1) : 0;
    return {share.value, std::sqrt(std::max(0.0, shares.covariance(share, share) - sampling))};
}

std::vector<Estimate> shares_of_values(const JointShares& shares, std::uint64_t values, std::uint64_t n,
                                       Target target) {
    std::vector<Estimate> estimates(values, Estimate{unknown, unknown});
    if (!shares.known()) return estimates;
    JointShares::Box box{std::vector<bool>(values)};
    for (std::size_t value = 0; value < values; ++value) {
        box[0][value] = true;
        estimates[value] = estimate_of(shares, shares.share(box), n, target);
        box[0][value] = false;
    }
    return estimates;
}

std::unique_ptr<const Mechanism> make_joint(const Header& header, Bytes block,
                                            std::vector<std::uint64_t> sizes, std::vector<ViewClass> classes,
                                            std::vector<View> views) {
    return std::make_unique<JointMechanism>(header, block, std::move(sizes), std::move(classes),
                                            std::move(views));
}

}  // namespace ldp
