// A record of numbers and categories, of which everybody reports a few attributes: s of the d, each through a
// mechanism of its own at ε/s (Nguyên et al. 2016; Wang, Xiao et al. 2019, whose s is the default).
//
// Which ones is drawn without a look at the values, by systematic sampling (Madow 1949): every attribute
// takes a stretch of a line, its weight long and no longer than T, and the stretches make up s·T. The
// attributes that cover u, u+T, …, u+(s−1)T report, u uniform below T: s different ones, attribute j with
// probability weight_j/T exactly.
//
// parameters: s (4 bytes), number of runs (2), then runs of equal attributes: length, weight (4 each),
//             mechanism (1), size of its parameters (2), its parameters
// enrolment:  s times an attribute and its mechanism's enrolment
// memo:       s times the mechanism's memo
// payload:    s times an attribute and its mechanism's payload, in ascending order
// state:      per attribute: reports (8), its mechanism's state
//
// Parts that are shorter than others of their kind are filled up with zeros.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/base/text.hpp"
#include "core/channel/odds.hpp"
#include "core/mechanism/all.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/mean/numeric_mean.hpp"
#include "core/mechanism/selection.hpp"
#include "core/spec/spec.hpp"

namespace ldp {

namespace {

constexpr std::uint64_t max_attributes = 4096;
constexpr std::uint64_t max_state = std::uint64_t{256} << 20;

/// A record has no place for options of its attributes' mechanisms, except for the usual grid; those that
/// were added later stay at their defaults.
bool suits(const MechanismEntry& entry, Shape shape) {
    const auto known = [](const Option& option) {
        return option.later ||
               (option.name == std::string_view(grid_option.name) && option.most == grid_option.most);
    };
    return entry.shape == shape && std::ranges::all_of(entry.options, known);
}

Shape shape_of(const Attribute& attribute) {
    return attribute.numeric() ? Shape::one_numeric : Shape::one_categorical;
}

/// Attributes next to each other that are alike.
struct Run {
    std::uint64_t length;
    std::uint64_t weight;  ///< of each
    std::unique_ptr<const Mechanism> inner;
    const NumericMean* number;  ///< the same; none of a category
    std::size_t first = 0;      ///< the first of the attributes
    std::uint64_t begin = 0;    ///< of its stretch of the line
    std::size_t state = 0;      ///< where its part of a state begins

    [[nodiscard]] std::size_t slot_size() const noexcept { return counter_size + inner->state_size(); }
};

class Sampled final : public Mechanism {
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
            state_size_ += run.length * run.slot_size();
            enrolment_ = std::max(enrolment_, run.inner->enrolment_size());
            memo_ = std::max(memo_, run.inner->memo_size());
            payload_ = std::max(payload_, run.inner->payload_size());
        }
        turn_ = line / s_;
        index_ = cell_width(attributes_);
        enrolment_ += index_;
        payload_ += index_;
    }

    std::vector<std::uint64_t> cells() const override {
        std::vector<std::uint64_t> all;
        for (const Run& run : runs_) all.insert(all.end(), run.length, run.inner->cells()[0]);
        return all;
    }
    std::size_t enrolment_size() const noexcept override { return s_ * enrolment_; }
    std::size_t memo_size() const noexcept override { return s_ * memo_; }
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

    void enrol(BitSource& bits, MutableBytes enrolment) const override;
    void randomise(Input input, Bytes enrolment, BitSource& bits, MutableBytes memo) const override;
    void respond(Bytes enrolment, Bytes memo, BitSource& bits, MutableBytes payload) const override;
    /// The keys of the attributes that were drawn: a change of another one costs nothing.
    std::vector<Cell> memo_key(Input input, Bytes enrolment) const override;
    std::vector<double> key_spans(Bytes enrolment) const override;

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override;
    void merge(MutableBytes state, Bytes other) const noexcept override;
    bool valid_payload(Bytes payload) const noexcept override;
    bool valid_state(std::uint64_t n, Bytes state) const noexcept override;

    std::span<const Quantity> answers() const noexcept override;
    Part part(std::uint64_t n, Bytes state, std::size_t attribute) const override;
    std::vector<Estimate> estimate(std::uint64_t n, Bytes state, const Question& question) const override;
    Estimate group_mean(std::uint64_t n, Bytes state, std::size_t first, std::size_t last,
                        Target target) const override;
    double p_value(std::uint64_t n, const Estimate& estimate) const override;
    std::vector<Check> health(std::uint64_t n, Bytes state) const override;

    double n_variance(double truth) const override;
    double promised_variance(std::size_t attribute) const override;
    Cost cost() const noexcept override;
    Exact probability(Input input, Bytes enrolment, Bytes memo) const override;
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
            for (std::size_t i = 0; i < run.length; ++i)
                visit(run, run.first + i, run.state + i * run.slot_size());
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
        return slot.subspan(index_, run.inner->payload_size());
    }

    /// The estimates of one attribute. Dividing by the number of reports that drew it rather than by its
    /// expectation is unbiased too, given that there are any, and never less accurate: the noise of how many
    /// happened to draw it is gone.
    [[nodiscard]] std::vector<Estimate> estimate_part(std::uint64_t n, const Part& part,
                                                      const Question& question) const;
    /// n·Var of an attribute whose true value is `truth` for all, or for this share of all.
    [[nodiscard]] double variance(const Run& run, double truth) const;

    std::uint64_t s_;
    std::vector<Run> runs_;
    std::uint64_t turn_ = 0;  // T
    std::size_t attributes_ = 0;
    std::size_t index_ = 0;                               // bytes of an attribute's number
    std::size_t enrolment_ = 0, memo_ = 0, payload_ = 0;  // bytes of each, for one attribute
    std::size_t state_size_ = 0;
};

// Client ---------------------------------------------------------------------------------------------------

void Sampled::enrol(BitSource& bits, MutableBytes enrolment) const {
    std::ranges::fill(enrolment, std::byte{0});
    std::uint64_t point = bits.below(turn_);
    for (std::size_t i = 0; i < s_; ++i, point += turn_) {
        const Run& run = std::ranges::upper_bound(runs_, point, {}, &Run::begin)[-1];
        const MutableBytes slot = nth(enrolment, i, enrolment_);
        store_cell(slot.data(), index_, run.first + (point - run.begin) / run.weight);
        run.inner->enrol(bits, slot.subspan(index_, run.inner->enrolment_size()));
    }
}

void Sampled::randomise(Input input, Bytes enrolment, BitSource& bits, MutableBytes memo) const {
    std::ranges::fill(memo, std::byte{0});
    for (std::size_t i = 0; i < s_; ++i) {
        const Bytes slot = nth(enrolment, i, enrolment_);
        const std::size_t j = attribute_in(slot);
        const Run& run = run_of(j);
        run.inner->randomise(input.subspan(j, 1), slot.subspan(index_, run.inner->enrolment_size()), bits,
                             nth(memo, i, memo_).first(run.inner->memo_size()));
    }
}

void Sampled::respond(Bytes enrolment, Bytes memo, BitSource& bits, MutableBytes payload) const {
    std::ranges::fill(payload, std::byte{0});
    for (std::size_t i = 0; i < s_; ++i) {
        const Bytes slot = nth(enrolment, i, enrolment_);
        const MutableBytes answer = nth(payload, i, payload_);
        const Run& run = run_of(attribute_in(slot));
        std::ranges::copy(slot.first(index_), answer.begin());
        run.inner->respond(slot.subspan(index_, run.inner->enrolment_size()),
                           nth(memo, i, memo_).first(run.inner->memo_size()), bits,
                           answer.subspan(index_, run.inner->payload_size()));
    }
}

std::vector<Cell> Sampled::memo_key(Input input, Bytes enrolment) const {
    std::vector<Cell> key;
    for (std::size_t i = 0; i < s_; ++i) {
        const Bytes slot = nth(enrolment, i, enrolment_);
        const std::size_t j = attribute_in(slot);
        const Mechanism& inner = *run_of(j).inner;
        const auto own = inner.memo_key(input.subspan(j, 1), slot.subspan(index_, inner.enrolment_size()));
        key.insert(key.end(), own.begin(), own.end());
    }
    return key;
}

std::vector<double> Sampled::key_spans(Bytes enrolment) const {
    std::vector<double> spans;
    for (std::size_t i = 0; i < s_; ++i) {
        const Bytes slot = nth(enrolment, i, enrolment_);
        const Mechanism& inner = *run_of(attribute_in(slot)).inner;
        const auto own = inner.key_spans(slot.subspan(index_, inner.enrolment_size()));
        spans.insert(spans.end(), own.begin(), own.end());
    }
    return spans;
}

// Server ---------------------------------------------------------------------------------------------------

bool Sampled::accumulate(MutableBytes state, Bytes payload) const noexcept {
    if (!valid_payload(payload)) return false;
    for (std::size_t i = 0; i < s_; ++i) {
        const Bytes slot = nth(payload, i, payload_);
        const std::size_t j = attribute_in(slot);
        const Run& run = run_of(j);
        const MutableBytes counts = state.subspan(run.state + (j - run.first) * run.slot_size());
        add<std::uint64_t>(counts.data(), 1);
        static_cast<void>(run.inner->accumulate(counts.subspan(counter_size, run.inner->state_size()),
                                                payload_in(slot, run)));
    }
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
bool Sampled::valid_payload(Bytes payload) const noexcept {
    std::int64_t low = 0, high = static_cast<std::int64_t>(turn_);
    for (std::size_t i = 0; i < s_; ++i) {
        const Bytes slot = nth(payload, i, payload_);
        const std::size_t j = attribute_in(slot);
        if (j >= attributes_) return false;
        const Run& run = run_of(j);
        const auto begin = static_cast<std::int64_t>(run.begin + (j - run.first) * run.weight) -
                           static_cast<std::int64_t>(i * turn_);
        low = std::max(low, begin);
        high = std::min(high, begin + static_cast<std::int64_t>(run.weight));
        const Bytes inner = payload_in(slot, run);
        if (!run.inner->valid_payload(inner)) return false;
        for (const std::byte padding : slot.subspan(index_ + inner.size()))
            if (padding != std::byte{0}) return false;
    }
    return low < high;
}

bool Sampled::valid_state(std::uint64_t n, Bytes state) const noexcept {
    bool valid = true;
    std::uint64_t sum = 0;
    for_each([&](const Run& run, std::size_t, std::size_t at) {
        const auto reports = load<std::uint64_t>(state.data() + at);
        const bool possible = run.weight == turn_ ? reports == n : reports <= n;
        valid = valid && possible &&
                run.inner->valid_state(reports, state.subspan(at + counter_size, run.inner->state_size()));
        sum += reports;
    });
    return valid && sum == s_ * n;
}

std::span<const Quantity> Sampled::answers() const noexcept {
    static constexpr Quantity quantities[] = {Quantity::means, Quantity::frequencies};
    const bool numbers = std::ranges::any_of(runs_, [](const Run& run) { return run.number != nullptr; });
    const bool categories = std::ranges::any_of(runs_, [](const Run& run) { return run.number == nullptr; });
    return std::span(quantities).subspan(numbers ? 0 : 1, numbers && categories ? 2 : 1);
}

Part Sampled::part(std::uint64_t, Bytes state, std::size_t attribute) const {
    check_attribute(attribute, attributes_);
    const Run& run = run_of(attribute);
    const std::size_t at = run.state + (attribute - run.first) * run.slot_size();
    return {run.inner.get(), load<std::uint64_t>(state.data() + at),
            state.subspan(at + counter_size, run.inner->state_size())};
}

std::vector<Estimate> Sampled::estimate_part(std::uint64_t n, const Part& part,
                                             const Question& question) const {
    if (part.n == 0) {
        constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
        const bool one = question.quantity == Quantity::means;
        return std::vector<Estimate>(one ? 1 : part.mechanism->cells()[0], {unknown, unknown});
    }
    auto estimates = part.mechanism->estimate(part.n, part.state, {question.quantity, Target::population});
    if (question.target == Target::population) return estimates;
    // The reports that drew the attribute are themselves a sample of all: against the people who reported,
    // the part of the sampling error that remains is the share who did not draw it.
    const double drawn = static_cast<double>(part.n) / static_cast<double>(n);
    const auto noise = part.mechanism->estimate(part.n, part.state, {question.quantity, Target::sample});
    for (std::size_t v = 0; v < estimates.size(); ++v)
        estimates[v].standard_error = std::hypot(std::sqrt(drawn) * noise[v].standard_error,
                                                 std::sqrt(1 - drawn) * estimates[v].standard_error);
    return estimates;
}

std::vector<Estimate> Sampled::estimate(std::uint64_t n, Bytes state, const Question& question) const {
    if (question.quantity == Quantity::frequencies) {
        const Part asked = part(n, state, question.attribute);
        if (run_of(question.attribute).number != nullptr)
            throw Error(ErrorCode::unsupported,
                        "attribute " + std::to_string(question.attribute) + " is a number", {},
                        "Reports tell its mean; shares are told of categories.");
        return estimate_part(n, asked, question);
    }
    std::vector<Estimate> means;
    for_each([&](const Run& run, std::size_t j, std::size_t) {
        if (run.number != nullptr)
            means.push_back(estimate_part(n, part(n, state, j), question)[0]);
        else
            means.push_back(
                {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()});
    });
    return means;
}

// The randomisers are independent of each other, but not what they were given: a report tells s values of one
// person, who may be above the mean in all of them, or below. Two bounds of the variance of a sum of means,
// each with equality somewhere, from the variances V against a population and their sampling part P:
//
//   Σ V + (s−1)·Σ P   A person adds to at most s of the means, and 2ab ≤ a² + b². With s = 1 nobody adds to
//                     two, and it is exact but for the people's own variance, if they are the target.
//   Σ (V−P) + (Σ √P)² Cauchy and Schwarz. Against the people who reported, P counts for the share who did not
//                     draw the attribute only, and if all drew it there is no sampling error.
//
// A card that cannot tell P from the noise has all of it in V−P, and P is no more than half the range
// squared.
Estimate Sampled::group_mean(std::uint64_t n, Bytes state, std::size_t first, std::size_t last,
                             Target target) const {
    double sum = 0, all = 0, sampled = 0, noise = 0, deviation = 0;
    for (std::size_t j = first; j <= last; ++j) {
        const NumericMean* number = run_of(j).number;
        if (number == nullptr)
            throw Error(ErrorCode::unsupported, "attribute " + std::to_string(j) + " is a category", {},
                        "Means are told of numbers.");
        const Part one = part(n, state, j);
        const Question question{Quantity::means, Target::population};
        const auto [mean, error] = estimate_part(n, one, question)[0];
        const double apart =
            one.n == 0 ? error : number->estimate(one.n, one.state, {Quantity::means})[0].standard_error;
        const double told = error * error - apart * apart;
        const double half = number->range().half();
        const double part_sampled = told > 0 ? told : half * half / static_cast<double>(one.n);
        const double left =
            target == Target::population ? 1 : 1 - static_cast<double>(one.n) / static_cast<double>(n);
        sum += mean;
        all += error * error;
        sampled += part_sampled;
        noise += apart * apart;
        deviation += std::sqrt(part_sampled * left);
    }
    const double variance =
        std::min(all + static_cast<double>(s_ - 1) * sampled, noise + deviation * deviation);
    const auto attributes = static_cast<double>(last - first + 1);
    return {sum / attributes, std::sqrt(variance) / attributes};
}

double Sampled::p_value(std::uint64_t, const Estimate&) const {
    throw Error(ErrorCode::unsupported, "significance belongs to one attribute of a record", {},
                "Ask about the values of one attribute.");
}

// How many reports draw an attribute is binomial, so the least likely number is looked at; then the worst of
// each of the mechanisms' own statistics.
std::vector<Check> Sampled::health(std::uint64_t n, Bytes state) const {
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
        const Part one = part(n, state, j);
        const double share = chance(run);
        if (run.weight < turn_)
            look(drawn, {"attributes drawn", static_cast<double>(one.n) / static_cast<double>(n), share,
                         binomial_between(n, share, share, one.n)});
        if (one.n == 0) return;
        for (const Check& check : one.mechanism->health(one.n, one.state)) {
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

// The share of those who did not draw it is concave in the frequency: on average over the values it is
// largest if all are equally frequent.
double Sampled::promised_variance(std::size_t attribute) const {
    const Run& run = run_of(attribute);
    if (run.number != nullptr) return run.inner->promised_variance(0) / chance(run);
    return variance(run, 1 / static_cast<double>(run.inner->cells()[0]));
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

Exact Sampled::probability(Input input, Bytes enrolment, Bytes memo) const {
    Exact product = exact(1, 1);
    for (std::size_t i = 0; i < s_; ++i) {
        const Bytes slot = nth(enrolment, i, enrolment_);
        const std::size_t j = attribute_in(slot);
        const Run& run = run_of(j);
        product = product * run.inner->probability(input.subspan(j, 1),
                                                   slot.subspan(index_, run.inner->enrolment_size()),
                                                   nth(memo, i, memo_).first(run.inner->memo_size()));
    }
    return product;
}

// The draw does not depend on the values, so its probability cancels. The attributes drawn are randomised
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
        worst.value = std::max(worst.value, product.value);
    }
    return worst;
}

// Spec and parameters --------------------------------------------------------------------------------------

const MechanismEntry& inner_entry(const Attribute& attribute) {
    const MechanismEntry* entry = find_mechanism(attribute.mechanism);
    if (entry != nullptr && suits(*entry, shape_of(attribute))) return *entry;
    std::vector<const char*> suitable{"auto"};
    for (const MechanismEntry* other : registry())
        if (suits(*other, shape_of(attribute))) suitable.push_back(other->name);
    throw Error(ErrorCode::invalid_spec,
                attribute.mechanism + " cannot report \"" + attribute.name + "\" in a record",
                std::string("Suitable for a ") + (attribute.numeric() ? "number" : "category") + " are " +
                    joined(suitable) + ".");
}

/// The attribute as if it were reported alone.
Attribute alone(Attribute attribute) {
    attribute.mechanism.clear();
    attribute.share = 0;
    return attribute;
}

void settle(Draft& draft) {
    auto& s = std::get<std::uint64_t>(draft.options.at("per_report"));
    const std::uint64_t d = draft.attributes.size();
    // What is lost on an attribute by splitting ε is less than what reporting it more often gains, from about
    // 2.5 each on (Wang, Xiao et al. 2019).
    if (s == 0) s = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(draft.epsilon / 2.5), 1, d);
    if (s > d)
        throw Error(ErrorCode::invalid_spec, "\"per_report\" is more than there are attributes",
                    "Found " + std::to_string(s) + "; there are " + std::to_string(d) + " attributes.");
    const double each = epsilon_of_each(draft.epsilon, s);
    if (each < min_epsilon)
        throw Error(ErrorCode::invalid_spec, "\"per_report\" divides epsilon into too many parts",
                    "An attribute needs an epsilon of 0.001; " + std::to_string(s) + " share " +
                        std::to_string(draft.epsilon) + ".");
    std::map<std::uint64_t, const char*> chosen;  // by size of the domain: nothing else matters
    for (Attribute& attribute : draft.attributes) {
        attribute.share = std::max<std::uint64_t>(attribute.share, 1);
        if (attribute.mechanism.empty() || attribute.mechanism == "auto") {
            const char*& name = chosen[attribute.domain];
            if (name == nullptr) name = choose({each, {alone(attribute)}, draft.limits}).mechanism->name;
            attribute.mechanism = name;
        }
        static_cast<void>(inner_entry(attribute));
    }
}

/// Weights of s times the largest allowed in all, in proportion to the shares except where that would be more
/// than certain.
std::vector<std::uint32_t> weights(const std::vector<Attribute>& attributes, std::uint64_t s) {
    std::vector<bool> certain(attributes.size());
    std::uint64_t left = s, rest = 0;
    for (const Attribute& attribute : attributes) rest += attribute.share;
    // Fewer than are left can be above the average, so that some always remain.
    for (bool found = true; found;) {
        found = false;
        const std::uint64_t places = left, all = rest;
        for (std::size_t j = 0; j < attributes.size(); ++j) {
            if (certain[j] || places * attributes[j].share <= all) continue;
            certain[j] = found = true;
            rest -= attributes[j].share;
            --left;
        }
    }
    std::vector<std::uint32_t> weights;
    for (std::size_t j = 0; j < attributes.size(); ++j)
        weights.push_back(static_cast<std::uint32_t>(certain[j] ? rest : left * attributes[j].share));
    auto common = static_cast<std::uint32_t>(std::max<std::uint64_t>(rest, 1));  // T; it is never 0
    for (const std::uint32_t weight : weights) common = std::gcd(common, weight);
    for (std::uint32_t& weight : weights) weight /= common;
    return weights;
}

void write(const Spec& spec, Writer& writer) {
    const std::uint64_t s = spec.number("per_report");
    const double epsilon = epsilon_of_each(spec.epsilon(), s);
    const std::vector<std::uint32_t> weight = weights(spec.attributes(), s);
    std::vector<std::pair<std::uint32_t, std::vector<std::byte>>> runs;  // length, and all that follows it
    for (std::size_t j = 0; j < weight.size(); ++j) {
        const MechanismEntry& entry = inner_entry(spec.attributes()[j]);
        Writer parameters, run;
        entry.write(Spec::with_defaults(entry, epsilon, {alone(spec.attributes()[j])},
                                        {{grid_option.name, spec.number(grid_option.name)}}),
                    parameters);
        run.put(weight[j]);
        run.put(entry.id);
        run.put(static_cast<std::uint16_t>(parameters.bytes().size()));
        run.put_bytes(parameters.bytes());
        if (runs.empty() || runs.back().second != run.bytes()) runs.emplace_back(0, std::move(run.bytes()));
        ++runs.back().first;
    }
    writer.put(static_cast<std::uint32_t>(s));
    writer.put(static_cast<std::uint16_t>(runs.size()));
    for (const auto& [length, rest] : runs) {
        writer.put(length);
        writer.put_bytes(rest);
    }
}

[[noreturn]] void malformed(const char* what) {
    throw Error(ErrorCode::malformed, what, {}, "The bytes were damaged or forged.");
}

/// The mechanism of a run, which no record can be, nor anything else for more than one attribute.
Run read_run(Reader& reader, std::uint64_t fingerprint, double epsilon) {
    const auto length = reader.take<std::uint32_t>();
    const auto weight = reader.take<std::uint32_t>();
    const auto id = reader.take<std::uint8_t>();
    const Bytes parameters = reader.take_bytes(reader.take<std::uint16_t>());
    const auto entry = std::ranges::find(registry(), id, &MechanismEntry::id);
    if (length == 0 || length > max_attributes || weight == 0) malformed("a run of attributes is empty");
    if (entry == registry().end() ||
        (!suits(**entry, Shape::one_numeric) && !suits(**entry, Shape::one_categorical)))
        malformed("a record has an attribute that its mechanism cannot report");
    const std::vector<std::byte> block = make_block(id, fingerprint, epsilon, parameters);
    auto inner = (*entry)->load(read_header(block, Kind::report), block);
    const auto* number = dynamic_cast<const NumericMean*>(inner.get());
    return {length, weight, std::move(inner), number};
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const auto s = reader.take<std::uint32_t>();
    const auto runs = reader.take<std::uint16_t>();
    if (s == 0 || s > max_attributes) malformed("the number of attributes in a report is out of range");
    std::vector<Run> all;
    std::uint64_t d = 0, line = 0, state = 0, greatest = 0;
    for (unsigned i = 0; i < runs; ++i) {
        Run run = read_run(reader, header.fingerprint, epsilon_of_each(header.epsilon, s));
        if (!all.empty() && all.back().weight == run.weight &&
            std::ranges::equal(all.back().inner->block(), run.inner->block()))
            malformed("two runs of attributes are alike");
        d += run.length;
        line += run.length * run.weight;
        state += run.length * run.slot_size();
        greatest = std::max(greatest, run.weight);
        all.push_back(std::move(run));
    }
    reader.finish();
    if (d < std::max<std::uint64_t>(2, s) || d > max_attributes)
        malformed("the number of attributes is out of range");
    if (line % s != 0 || greatest > line / s) malformed("the weights of the attributes are inconsistent");
    if (state > max_state)
        throw Error(ErrorCode::invalid_spec, "the summaries of this record would be too large",
                    "They would have " + std::to_string(state) + " bytes; allowed are " +
                        std::to_string(max_state) + ".",
                    "Lower the number of attributes or of values, or the grid, or name other mechanisms.");
    return std::make_unique<Sampled>(header, block, s, std::move(all));
}

constexpr Option options[] = {{.name = "per_report", .fallback = 0, .least = 0, .most = max_attributes},
                              grid_option};

}  // namespace

const MechanismEntry sampled_entry{
    18,   "sampled", "sampled attributes of a record", Shape::record, max_attributes, true, options, write,
    load, settle};

}  // namespace ldp
