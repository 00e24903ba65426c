// Length: one mechanism is one file, and this one stands for all mechanisms that it is made of.
// A record of numbers and categories, of which everybody reports a few attributes: s of the d, each through a
// mechanism of its own at ε/s (Nguyên et al. 2016; Wang, Xiao et al. 2019).
//
// Which ones is drawn without a look at the values, by systematic sampling (Madow 1949): every attribute
// takes a stretch of a line, its weight long and no longer than T, and the stretches make up s·T. The
// attributes that cover u, u+T, …, u+(s−1)T report, u uniform below T: s different ones, attribute j with
// probability weight_j/T exactly.
//
// parameters: s (4 bytes), number of runs (2), then runs of equal attributes: length, weight (4 each),
//             mechanism (1), size of its parameters (2), its parameters
// public randomness:  s times an attribute and its mechanism's public randomness
// permanent response:       s times the mechanism's permanent response
// payload:    s times an attribute and its mechanism's payload, in ascending order
// state:      per attribute: reports (8), its mechanism's state
//
// Parts that are shorter than others of their kind are filled up with zeros.

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/base/interrupt.hpp"
#include "core/math/spread.hpp"
#include "core/mechanism/error_law.hpp"
#include "core/mechanism/vector/sampled.hpp"

namespace ldp {

namespace {

class Sampled final : public Mechanism, public Record, public GroupMean {
  public:
    Sampled(const Header& header, Bytes block, std::uint64_t s, std::vector<Run> runs)
        : Mechanism(header, block), s_(s), runs_(std::move(runs)) {
        std::uint64_t line = 0;
        for (Run& run : runs_) {
            run.first = attributes_;
            run.begin = line;
            run.state = state_size_;
            attributes_ += run.length;
            line += run.length * run.weight;
            run.slot = run.slot_size();
            run.answer = run.inner->payload_size();
            state_size_ += run.length * run.slot;
            public_ = std::max(public_, run.inner->public_size());
            permanent_ = std::max(permanent_, run.inner->permanent_size());
            payload_ = std::max(payload_, run.answer);
        }
        turn_ = line / s_;
        index_ = cell_width(attributes_);
        public_ += index_;
        payload_ += index_;
    }

    std::vector<std::uint64_t> cells() const override {
        std::vector<std::uint64_t> all;
        for (const Run& run : runs_) all.insert(all.end(), run.length, run.inner->cells()[0]);
        return all;
    }
    std::size_t public_size() const noexcept override { return s_ * public_; }
    std::size_t permanent_size() const noexcept override { return s_ * permanent_; }
    std::size_t payload_size() const noexcept override { return s_ * payload_; }
    std::size_t state_size() const noexcept override { return state_size_; }
    std::vector<std::pair<std::string, double>> parameters() const override {
        const auto [least, most] = std::ranges::minmax_element(runs_, {}, &Run::weight);
        return {{"attributes", static_cast<double>(attributes_)},
                {"per_report", static_cast<double>(s_)},
                {"epsilon_of_each", runs_[0].inner->epsilon()},
                {"least_chance", chance(*least)},
                {"greatest_chance", chance(*most)}};
    }

    void draw_public(BitSource& bits, MutableBytes public_randomness) const override;
    bool valid_public(Bytes public_randomness) const noexcept override;
    void permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                            MutableBytes permanent) const override;
    void instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource& bits,
                                MutableBytes payload) const override;
    /// The keys of the attributes that were drawn: a change of another one costs nothing.
    std::vector<Cell> response_key(Input input, Bytes public_randomness) const override;
    std::vector<double> key_spans(Bytes public_randomness) const override;

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override;
    void merge(MutableBytes state, Bytes other) const noexcept override;
    bool valid_payload(Bytes payload) const noexcept override;
    bool valid_state(const Counts& counts) const noexcept override;

    std::span<const Quantity> answers() const noexcept override;
    const Mechanism& reporter(std::size_t attribute) const override { return *run_of(attribute).inner; }
    SummaryView part(const Counts& counts, std::size_t attribute) const override;
    std::uint64_t per_report() const noexcept override { return s_; }
    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const override;
    Estimate group_mean(const Counts& counts, std::size_t first, std::size_t last,
                        Target target) const override;
    ErrorLaw group_law(const Counts& counts, std::size_t first, std::size_t last,
                       Target target) const override;
    std::vector<Check> health(const Counts& counts) const override;

    std::vector<Contribution> contributions(const Question& question) const override;
    double max_probability(Bytes payload) const override;

    double n_variance(double truth) const override;
    double n_variance_of(std::size_t attribute, std::size_t item,
                         std::span<const double> shares) const override;
    double promised_variance(std::size_t attribute) const override;
    Cost cost() const noexcept override;
    Exact probability(Input input, Bytes public_randomness, Bytes permanent) const override;
    Exact worst_ratio() const override;

  private:
    [[nodiscard]] const Run& run_of(std::size_t attribute) const noexcept {
        return std::ranges::upper_bound(runs_, attribute, {}, &Run::first)[-1];
    }
    [[nodiscard]] double chance(const Run& run) const noexcept {
        return static_cast<double>(run.weight) / static_cast<double>(turn_);
    }
    /// Calls visit(run, attribute, where the attribute's part of a state begins) for all of them.
    template <class Visit>
    void for_each(Visit visit) const {
        for (const Run& run : runs_)
            for (std::size_t i = 0; i < run.length; ++i) visit(run, run.first + i, run.state + i * run.slot);
    }

    /// The i-th of a record's parts, of this width, and in it what follows the attribute.
    [[nodiscard]] static Bytes nth(Bytes all, std::size_t i, std::size_t width) noexcept {
        return all.subspan(i * width, width);
    }
    [[nodiscard]] static MutableBytes nth(MutableBytes all, std::size_t i, std::size_t width) noexcept {
        return all.subspan(i * width, width);
    }
    [[nodiscard]] std::size_t attribute_in(Bytes slot) const noexcept {
        return load_cell(slot.data(), index_);
    }
    [[nodiscard]] Bytes payload_in(Bytes slot, const Run& run) const noexcept {
        return slot.subspan(index_, run.answer);
    }

    /// Whether a draw leads to the attributes at the beginning of these parts, what follows in each,
    /// `size(its run)` long, is sound(its mechanism, that), and the rest is filled up.
    template <class Size, class Sound>
    [[nodiscard]] bool drawn_together(Bytes all, std::size_t width, Size size, Sound sound) const noexcept;

    /// The estimates of one attribute. Dividing by the number of reports that drew it rather than by its
    /// expectation is unbiased too, given that there are any, and never less accurate: the noise of how many
    /// happened to draw it is gone.
    [[nodiscard]] std::vector<Estimate> estimate_part(std::uint64_t n, const SummaryView& part,
                                                      const Question& question) const;
    /// n·Var of an attribute whose true value is `truth` for all, or for this share of all.
    [[nodiscard]] double variance(const Run& run, double truth) const;

    std::uint64_t s_;
    std::vector<Run> runs_;
    std::uint64_t turn_ = 0;  // T
    std::size_t attributes_ = 0;
    std::size_t index_ = 0;                                 // bytes of an attribute's number
    std::size_t public_ = 0, permanent_ = 0, payload_ = 0;  // bytes of each, for one attribute
    std::size_t state_size_ = 0;
};

// Client ---------------------------------------------------------------------------------------------------

void Sampled::draw_public(BitSource& bits, MutableBytes public_randomness) const {
    std::ranges::fill(public_randomness, std::byte{0});
    std::uint64_t point = bits.below(turn_);
    for (std::size_t i = 0; i < s_; ++i, point += turn_) {
        const Run& run = std::ranges::upper_bound(runs_, point, {}, &Run::begin)[-1];
        const MutableBytes slot = nth(public_randomness, i, public_);
        store_cell(slot.data(), index_, run.first + (point - run.begin) / run.weight);
        run.inner->draw_public(bits, slot.subspan(index_, run.inner->public_size()));
    }
}

void Sampled::permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                                 MutableBytes permanent) const {
    std::ranges::fill(permanent, std::byte{0});
    for (std::size_t i = 0; i < s_; ++i) {
        const Bytes slot = nth(public_randomness, i, public_);
        const std::size_t j = attribute_in(slot);
        const Run& run = run_of(j);
        run.inner->permanent_response(input.subspan(j, 1), slot.subspan(index_, run.inner->public_size()),
                                      bits, nth(permanent, i, permanent_).first(run.inner->permanent_size()));
    }
}

void Sampled::instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource& bits,
                                     MutableBytes payload) const {
    std::ranges::fill(payload, std::byte{0});
    for (std::size_t i = 0; i < s_; ++i) {
        const Bytes slot = nth(public_randomness, i, public_);
        const MutableBytes answer = nth(payload, i, payload_);
        const Run& run = run_of(attribute_in(slot));
        std::ranges::copy(slot.first(index_), answer.begin());
        run.inner->instantaneous_response(slot.subspan(index_, run.inner->public_size()),
                                          nth(permanent, i, permanent_).first(run.inner->permanent_size()),
                                          bits, answer.subspan(index_, run.inner->payload_size()));
    }
}

std::vector<Cell> Sampled::response_key(Input input, Bytes public_randomness) const {
    std::vector<Cell> key;
    for (std::size_t i = 0; i < s_; ++i) {
        const Bytes slot = nth(public_randomness, i, public_);
        const std::size_t j = attribute_in(slot);
        const Mechanism& inner = *run_of(j).inner;
        const auto own = inner.response_key(input.subspan(j, 1), slot.subspan(index_, inner.public_size()));
        key.insert(key.end(), own.begin(), own.end());
    }
    return key;
}

std::vector<double> Sampled::key_spans(Bytes public_randomness) const {
    std::vector<double> spans;
    for (std::size_t i = 0; i < s_; ++i) {
        const Bytes slot = nth(public_randomness, i, public_);
        const Mechanism& inner = *run_of(attribute_in(slot)).inner;
        const auto own = inner.key_spans(slot.subspan(index_, inner.public_size()));
        spans.insert(spans.end(), own.begin(), own.end());
    }
    return spans;
}

// Server ---------------------------------------------------------------------------------------------------

bool Sampled::accumulate(MutableBytes state, Bytes payload) const noexcept {
    const auto count = [&](std::size_t i) __attribute__((always_inline)) {
        const Bytes slot = nth(payload, i, payload_);
        const std::size_t j = attribute_in(slot);
        const Run& run = run_of(j);
        const MutableBytes counted = state.subspan(run.state + (j - run.first) * run.slot);
        if (!run.inner->accumulate(counted.subspan(counter_size, run.slot - counter_size),
                                   payload_in(slot, run)))
            return false;
        add<std::uint64_t>(counted.data(), 1);
        return true;
    };
    if (s_ == 1) {
        const std::size_t j = attribute_in(payload);
        return j < attributes_ && all_zero(payload.subspan(index_ + run_of(j).answer)) && count(0);
    }
    // All parts are checked before any is counted, but for the last, which is counted first: its mechanism
    // checks what it counts.
    std::size_t checked = 0;
    if (!drawn_together(
            payload, payload_, [](const Run& run) { return run.answer; },
            [&](const Mechanism& inner, Bytes own) { return ++checked == s_ || inner.valid_payload(own); }) ||
        !count(s_ - 1))
        return false;
    for (std::size_t i = 0; i + 1 < s_; ++i) static_cast<void>(count(i));
    return true;
}

void Sampled::merge(MutableBytes state, Bytes other) const noexcept {
    for_each([&](const Run& run, std::size_t, std::size_t at) {
        add(state.data() + at, load<std::uint64_t>(other.data() + at));
        const std::size_t size = run.inner->state_size();
        run.inner->merge(state.subspan(at + counter_size, size), other.subspan(at + counter_size, size));
    });
}

// A u that leads to these attributes lies in all their stretches, the i-th moved back by i turns. There is
// none if they are not in ascending order, or the same, or never drawn together.
template <class Size, class Sound>
bool Sampled::drawn_together(Bytes all, std::size_t width, Size size, Sound sound) const noexcept {
    std::int64_t low = 0, high = static_cast<std::int64_t>(turn_);
    for (std::size_t i = 0; i < s_; ++i) {
        const Bytes slot = nth(all, i, width);
        const std::size_t j = attribute_in(slot);
        if (j >= attributes_) return false;
        const Run& run = run_of(j);
        const auto begin = static_cast<std::int64_t>(run.begin + (j - run.first) * run.weight) -
                           static_cast<std::int64_t>(i * turn_);
        low = std::max(low, begin);
        high = std::min(high, begin + static_cast<std::int64_t>(run.weight));
        const std::size_t end = index_ + size(run);
        if (!sound(*run.inner, slot.subspan(index_, end - index_))) return false;
        if (!all_zero(slot.subspan(end))) return false;
    }
    return low < high;
}

bool Sampled::valid_public(Bytes public_randomness) const noexcept {
    return drawn_together(
        public_randomness, public_, [](const Run& run) { return run.inner->public_size(); },
        [](const Mechanism& inner, Bytes own) { return inner.valid_public(own); });
}

bool Sampled::valid_payload(Bytes payload) const noexcept {
    return drawn_together(
        payload, payload_, [](const Run& run) { return run.answer; },
        [](const Mechanism& inner, Bytes own) { return inner.valid_payload(own); });
}

bool Sampled::valid_state(const Counts& counts) const noexcept {
    bool valid = true;
    std::uint64_t sum = 0;
    for_each([&](const Run& run, std::size_t, std::size_t at) {
        const auto reports = load<std::uint64_t>(counts.state.data() + at);
        const bool possible = run.weight == turn_ ? reports == counts.n : reports <= counts.n;
        valid = valid && possible &&
                run.inner->valid_state(
                    {reports, counts.state.subspan(at + counter_size, run.inner->state_size())});
        sum += reports;
    });
    return valid && sum == s_ * counts.n;
}

std::span<const Quantity> Sampled::answers() const noexcept {
    static constexpr Quantity quantities[] = {Quantity::means, Quantity::frequencies};
    const bool numbers = std::ranges::any_of(runs_, [](const Run& run) { return run.number != nullptr; });
    const bool categories = std::ranges::any_of(runs_, [](const Run& run) { return run.number == nullptr; });
    return std::span(quantities).subspan(numbers ? 0 : 1, numbers && categories ? 2 : 1);
}

SummaryView Sampled::part(const Counts& counts, std::size_t attribute) const {
    check_attribute(attribute, attributes_);
    const Run& run = run_of(attribute);
    const std::size_t at = run.state + (attribute - run.first) * run.slot;
    return {{load<std::uint64_t>(counts.state.data() + at),
             counts.state.subspan(at + counter_size, run.inner->state_size())},
            run.inner.get()};
}

std::vector<Estimate> Sampled::estimate_part(std::uint64_t n, const SummaryView& part,
                                             const Question& question) const {
    check_interrupt();
    if (part.n == 0) {
        const bool one = question.quantity == Quantity::means;
        return std::vector<Estimate>(one ? 1 : part.mechanism->cells()[0], {unknown, unknown});
    }
    auto estimates = part.mechanism->estimate(part, {question.quantity, Target::population});
    if (question.target == Target::population) return estimates;
    // The reports that drew the attribute are themselves a sample of all: against the people who reported,
    // the part of the sampling error that remains is the share who did not draw it.
    const double drawn = static_cast<double>(part.n) / static_cast<double>(n);
    const auto noise = part.mechanism->estimate(part, {question.quantity, Target::sample});
    for_each_index(estimates.size(), [&](std::size_t v) {
        estimates[v].standard_error = std::hypot(std::sqrt(drawn) * noise[v].standard_error,
                                                 std::sqrt(1 - drawn) * estimates[v].standard_error);
    });
    return estimates;
}

std::vector<Estimate> Sampled::estimate(const Counts& counts, const Question& question) const {
    if (question.quantity == Quantity::frequencies) {
        const SummaryView asked = part(counts, question.attribute);
        if (run_of(question.attribute).number != nullptr)
            raise(ErrorCode::unsupported, "attribute " + std::to_string(question.attribute) + " is a number",
                  {}, "Reports tell its mean; shares are told of categories.");
        return estimate_part(counts.n, asked, question);
    }
    std::vector<Estimate> means;
    for_each([&](const Run& run, std::size_t j, std::size_t) {
        if (run.number != nullptr)
            means.push_back(estimate_part(counts.n, part(counts, j), question)[0]);
        else
            means.push_back({unknown, unknown});
    });
    return means;
}

// A numeric randomizer that cannot tell P, the people's own part of the variance, from the noise has all of
// it in the noise, and P is no more than half the range squared.
Estimate Sampled::group_mean(const Counts& counts, std::size_t first, std::size_t last, Target target) const {
    double unit = 0;
    for (std::size_t j = first; j <= last; ++j) {
        const Number* number = run_of(j).number;
        if (number == nullptr)
            raise(ErrorCode::unsupported, "attribute " + std::to_string(j) + " is a category", {},
                  "Means are told of numbers.");
        unit = std::max(unit, number->range().half());
    }
    double sum = 0;
    std::vector<Addend> addends;
    for (std::size_t j = first; j <= last; ++j) {
        const SummaryView one = part(counts, j);
        const Question question{Quantity::means, Target::population};
        const Estimate mean = estimate_part(counts.n, one, question)[0];
        const double error = mean.standard_error / unit;
        const double apart =
            one.n == 0 ? error : one.mechanism->estimate(one, {Quantity::means})[0].standard_error / unit;
        const double told = error * error - apart * apart;
        const double half = run_of(j).number->range().half() / unit;
        const double left =
            target == Target::population ? 1 : 1 - static_cast<double>(one.n) / static_cast<double>(counts.n);
        sum += mean.value;
        addends.push_back(
            {error * error, apart * apart, told > 0 ? told : half * half / static_cast<double>(one.n), left});
    }
    const auto attributes = static_cast<double>(last - first + 1);
    return {sum / attributes, unit * std::sqrt(variance_of_sum(addends, s_)) / attributes};
}

// Each mean has a variance that is estimated from the reports that drew its attribute, and what so few may
// not show; that of their sum has as many degrees of freedom as the parts of it (Welch 1947; Satterthwaite
// 1946).
ErrorLaw Sampled::group_law(const Counts& counts, std::size_t first, std::size_t last, Target) const {
    double unit = 0, sum = 0, squares = 0, unseen = 0;
    for (std::size_t j = first; j <= last; ++j) {
        const Number* number = run_of(j).number;
        if (number == nullptr) return {};  // group_mean() refuses a category
        unit = std::max(unit, number->range().half());
    }
    for (std::size_t j = first; j <= last; ++j) {
        const SummaryView one = part(counts, j);
        const auto* known = find_capability<KnownErrors>(*one.mechanism);
        if (known == nullptr || one.n == 0) return {};
        const Question question{Quantity::means, Target::population};
        const double error = one.mechanism->estimate(one, question)[0].standard_error / unit;
        const ErrorLaw law = known->error_law(one.n, Target::population);
        sum += error * error;
        unseen += law.unseen / (unit * unit);
        if (law.n == 0) squares += error * error * error * error / std::max(law.degrees_of_freedom, 0.5);
    }
    const double size = static_cast<double>(last - first + 1) / unit;
    return {.degrees_of_freedom = squares > 0 ? sum * sum / squares : 0, .unseen = unseen / (size * size)};
}

// How many reports draw an attribute is binomial, so the least likely number is looked at; then the worst of
// each of the mechanisms' own statistics.
std::vector<Check> Sampled::health(const Counts& counts) const {
    const auto any_of = [](double tested, double p_value) { return std::min(1.0, tested * p_value); };
    struct Worst {
        Check check;
        double tested = 0;
    };
    Worst drawn{{"attributes drawn", 1, 1, 1}};
    std::vector<Worst> worst;
    const auto look = [](Worst& at, const Check& check) {
        if (check.p_value <= at.check.p_value) at.check = check;
        ++at.tested;
    };
    for_each([&](const Run& run, std::size_t j, std::size_t) {
        const SummaryView one = part(counts, j);
        const double share = chance(run);
        if (run.weight < turn_)
            look(drawn, {"attributes drawn", static_cast<double>(one.n) / static_cast<double>(counts.n),
                         share, binomial_between(counts.n, share, share, one.n)});
        check_interrupt();
        if (one.n == 0) return;
        for (const Check& check : one.mechanism->health(one)) {
            const auto found =
                std::ranges::find(worst, check.name, [](const Worst& at) { return at.check.name; });
            look(found == worst.end() ? worst.emplace_back(Worst{check}) : *found, check);
        }
    });
    std::vector<Check> checks{drawn.check};
    checks[0].p_value = any_of(drawn.tested, checks[0].p_value);
    for (const Worst& at : worst) {
        checks.push_back(at.check);
        checks.back().p_value = any_of(at.tested, at.check.p_value);
    }
    return checks;
}

// Forgers choose the attribute, too: those who drew it honestly are the fewer.
std::vector<Contribution> Sampled::contributions(const Question& question) const {
    const Run& run = run_of(question.attribute == only_attribute ? 0 : question.attribute);
    auto contributions = run.inner->contributions({run.inner->answers()[0]});
    for (Contribution& contribution : contributions) contribution.chance *= chance(run);
    return contributions;
}

// Attributes are drawn together no more often than the first of them.
double Sampled::max_probability(Bytes payload) const {
    double all = chance(run_of(attribute_in(payload)));
    for (std::size_t i = 0; i < s_; ++i) {
        const Bytes slot = nth(payload, i, payload_);
        const Run& run = run_of(attribute_in(slot));
        all *= run.inner->max_probability(payload_in(slot, run));
    }
    return all;
}

// Planning and proof ---------------------------------------------------------------------------------------

// The noise is spread over fewer reports. To the people who did not draw a category, a share of those who did
// is a sample; if all have the same number, it is the same number whoever draws it.
double Sampled::variance(const Run& run, double truth) const {
    if (run.number != nullptr) return run.inner->n_variance(truth) / chance(run);
    const double f = std::clamp(truth, 0.0, 1.0);
    return (run.inner->n_variance(f) + f * (1 - f) * (1 - chance(run))) / chance(run);
}

double Sampled::n_variance(double truth) const {
    double largest = 0;
    for (const Run& run : runs_) largest = std::max(largest, variance(run, truth));
    return largest;
}

// Of numbers as well, where people do not all have the same.
double Sampled::n_variance_of(std::size_t attribute, std::size_t item, std::span<const double> shares) const {
    const Run& run = run_of(attribute);
    const double part = chance(run), noise = run.inner->n_variance_of(0, item, shares);
    const double spread =
        run.number != nullptr ? moments_of(shares).second : shares[item] * (1 - shares[item]);
    return (noise + spread * (1 - part)) / part;
}

double Sampled::promised_variance(std::size_t attribute) const {
    const double part = chance(run_of(attribute));
    return reporter(attribute).promised_variance_of_part(part) / part;
}

// An answer takes the errors of every attribute twice, against the sample and the population.
Cost Sampled::cost() const noexcept {
    Cost all{static_cast<double>(s_), 0};
    for (const Run& run : runs_) {
        const Cost each = run.inner->cost();
        all.per_report += static_cast<double>(run.length) * chance(run) * each.per_report;
        all.per_answer += static_cast<double>(run.length) * 2 * each.per_answer;
    }
    return all;
}

Exact Sampled::probability(Input input, Bytes public_randomness, Bytes permanent) const {
    Exact product = exact(1, 1);
    for (std::size_t i = 0; i < s_; ++i) {
        const Bytes slot = nth(public_randomness, i, public_);
        const std::size_t j = attribute_in(slot);
        const Run& run = run_of(j);
        product = product *
                  run.inner->probability(input.subspan(j, 1), slot.subspan(index_, run.inner->public_size()),
                                         nth(permanent, i, permanent_).first(run.inner->permanent_size()));
    }
    return product;
}

// The draw does not depend on the values, so its probability cancels. The attributes drawn are randomized
// independently and their values may differ in all of them at once, so their worst ratios multiply, and are
// attained together. How many of a run are drawn changes, as u grows, only where one of its ends lies in some
// turn: one u for each of these places is enough to see every combination.
Exact Sampled::worst_ratio() const {
    std::set<std::vector<unsigned>> combinations;
    for (const Run& start : runs_) {
        const std::uint64_t u = start.begin % turn_;
        const auto points_below = [&](std::uint64_t end) {
            return end <= u ? 0 : static_cast<unsigned>((end - u - 1) / turn_ + 1);
        };
        std::vector<unsigned> drawn;
        for (const Run& run : runs_)
            drawn.push_back(points_below(run.begin + run.length * run.weight) - points_below(run.begin));
        combinations.insert(std::move(drawn));
    }
    std::vector<Exact> ratios;
    for (const Run& run : runs_) ratios.push_back(run.inner->worst_ratio());
    Exact worst = exact(0, 1);
    for (const std::vector<unsigned>& drawn : combinations) {
        Exact product = exact(1, 1);
        for (std::size_t r = 0; r < drawn.size(); ++r) product = product * power(ratios[r], drawn[r]);
        worst = std::max(worst, product);
    }
    return worst;
}

}  // namespace

std::unique_ptr<const Mechanism> make_sampled(const Header& header, Bytes block, std::uint64_t s,
                                              std::vector<Run> runs) {
    return std::make_unique<Sampled>(header, block, s, std::move(runs));
}

}  // namespace ldp
