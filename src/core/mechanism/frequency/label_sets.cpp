// Sets of labels. A set of fewer than m labels is filled up with dummies, so that every person has exactly m of
// d = k + m items (Qin et al. 2016). There are two responses:
//
//   subset     a set of w of the d items, by SetChannel (Wang et al. 2018)
//   one_label  one label, drawn publicly, and whether the person has it, flipped with probability 1/(e^ε+1)
//
// The dummy with number i is held by people with fewer than m − i labels. The supports of the dummies therefore
// determine the mean number of labels.
//
// parameters: k, m, w (4 bytes each; w is 0 for one_label), ascending
// subset: payload: the set as in SetCode. State: a counter (8 bytes) for each item
// one_label: public randomness: the label. Permanent response: the bit. Payload: label, bit (1 byte).
// State: for each label how many people were asked (8 bytes each), then how many of them responded yes (8 bytes each)
//
// Length: two responses share one file, and each counts reports alone and in batches.

#include "core/mechanism/frequency/label_sets.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/base/square.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/channel/subset_channel.hpp"
#include "core/math/bit_counters.hpp"
#include "core/math/channel_law.hpp"
#include "core/math/lazy.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/frequency/set_channel.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp {

void refuse_label_sets(const Mechanism& part, const char* what) {
    if (find_capability<LabelSets>(part) == nullptr) return;
    raise(
        ErrorCode::unsupported, std::string(what) + " requires one value per person",
        "The attribute has sets of labels: a person may have several labels or none, and their shares do not add up "
        "to 1.",
        "Use the unbiased shares of the labels.");
}

}  // namespace ldp

namespace ldp::label_sets {

namespace {

constexpr std::uint64_t max_labels = 4096;

/// The share of a label that predictions assume: people have half of the labels that they may have.
double usual_share(std::uint64_t labels, std::uint64_t most) noexcept {
    return static_cast<double>(most) / (2 * static_cast<double>(labels));
}

/// Returns whether a label is among the items of a person, in the same steps for all of them.
bool contains(std::span<const Cell> items, Cell label) noexcept {
    bool found = false;
    for (const Cell item : items) found |= item == label;
    return found;
}

/// The codes of a mechanism's sets, which only the device of a person and audits need.
class LazyCodes {
  public:
    LazyCodes(std::uint64_t labels, std::uint64_t most) noexcept : labels_(labels), most_(most) {}
    /// Returns the items of a person with this code: the labels, ascending, then the first dummies; `most` items in all.
    [[nodiscard]] std::vector<Cell> items_of(Cell code) const {
        return codes_.get([this] { return SetCodes(labels_, most_); }).items_of(code);
    }

  private:
    std::uint64_t labels_, most_;
    Lazy<SetCodes> codes_;
};

class LabelSubsets final : public FrequencyOracle, public LabelSets {
  public:
    LabelSubsets(const Header& header, Bytes block, std::uint64_t k, const SetChannel& channel)
        : FrequencyOracle(header, block, k),
          channel_(channel),
          code_(channel.items(), channel.size()),
          codes_(k, channel.own()) {}

    std::vector<std::uint64_t> input_cells() const override { return {count_label_sets(domain(), most())}; }
    std::uint64_t most_keys() const noexcept override { return count_label_sets(domain(), most()); }
    std::size_t payload_size() const noexcept override { return code_.width(); }
    std::size_t state_size() const noexcept override { return channel_.items() * counter_size; }
    std::vector<std::pair<std::string, double>> parameters() const override {
        auto all = FrequencyOracle::parameters();
        all.insert(all.begin() + 1, {"most", static_cast<double>(most())});
        all.emplace_back("subset_size", static_cast<double>(channel_.size()));
        return all;
    }

    void permanent_response(Input input, Bytes, BitSource& bits, MutableBytes permanent) const override {
        code_.write(channel_.sample(codes_.items_of(input[0]), bits), permanent);
    }
    bool valid_payload(Bytes payload) const noexcept override { return code_.valid(payload); }
    bool accumulate(MutableBytes state, Bytes payload) const noexcept override;
    bool accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept override;
    void merge(MutableBytes state, Bytes other) const noexcept override { merge_counters(state, other); }
    bool valid_state(const Counts& counts) const noexcept override {
        for (std::size_t item = 0; item < channel_.items(); ++item)
            if (counter(counts.state, item) > counts.n) return false;
        return counters_sum_to(counts.state, counts.n * channel_.size());
    }

    PureProtocol protocol() const noexcept override { return {channel_.p(), channel_.q()}; }
    std::vector<std::uint64_t> supports(Bytes state) const override {
        return counters(state.first(domain() * counter_size));
    }
    std::uint64_t support(Bytes state, Cell value) const override { return counter(state, value); }
    double expected_variance(std::size_t) const override { return n_variance(usual_share(domain(), most())); }
    double expected_variance_of_part(std::size_t attribute, double part) const override {
        const double f = usual_share(domain(), most());
        return expected_variance(attribute) + f * (1 - f) * (1 - part);
    }
    Cost cost() const noexcept override {
        return {static_cast<double>(2 * channel_.size()), static_cast<double>(domain())};
    }

    std::uint64_t most() const noexcept override { return channel_.own(); }
    Estimate set_size(const Counts& counts, Target target) const override;
    ErrorLaw size_law(const Counts& counts, Target target) const override;

    /// A dummy is held by all people at most.
    std::vector<Check> own_checks(const Counts& counts) const override {
        const auto [p, q] = protocol();
        std::uint64_t greatest = 0;
        for (std::uint64_t i = 0; i < most(); ++i)
            greatest = std::max(greatest, counter(counts.state, domain() + i));
        const double share = (static_cast<double>(greatest) / static_cast<double>(counts.n) - q) / (p - q);
        return {{"greatest share of a dummy", share, 1,
                 std::min(1.0, static_cast<double>(most()) * binomial_at_least(counts.n, p, greatest))}};
    }
    double max_probability(Bytes) const override { return channel_.max_probability(); }
    Exact probability(Input input, Bytes, Bytes permanent) const override {
        const std::vector<Cell> own = codes_.items_of(input[0]);
        const auto first = std::ranges::find_if(own, [&](Cell item) { return code_.holds(permanent, item); });
        return channel_.probability(static_cast<std::size_t>(first - own.begin()));
    }
    Exact worst_ratio() const override { return channel_.worst_ratio(); }
    ChannelLaw channel_law() const override { return channel_.channel_law(); }

  private:
    /// Moments of the number of dummies of a person: m minus the number of labels.
    struct DummyMoments {
        double mean, mean_square;
    };
    [[nodiscard]] DummyMoments dummies(const Counts& counts) const;
    /// Returns n·Var of the estimated mean number of dummies, and n² times its third central moment.
    struct SizeCumulants {
        double variance, third;
    };
    [[nodiscard]] SizeCumulants cumulants(const DummyMoments& dummies, Target target) const noexcept;
    /// Returns E h² that is smaller by as much as raises the variance for the people who reported by one standard error of its
    /// estimate.
    [[nodiscard]] double least_mean_square(const Counts& counts, const DummyMoments& found) const;

    SetChannel channel_;
    SetCode code_;
    LazyCodes codes_;
};

// Validates and counts in one pass, which is undone at the first invalid value.
bool LabelSubsets::accumulate(MutableBytes state, Bytes payload) const noexcept {
    const auto count = [&](std::uint64_t item, std::uint64_t by) {
        add(state.data() + item * counter_size, by);
    };
    if (!code_.lists()) {
        if (!code_.valid(payload)) return false;
        for (std::size_t byte = 0; byte < payload.size(); ++byte)
            for (auto left = std::to_integer<unsigned>(payload[byte]); left != 0; left &= left - 1)
                count(8 * byte + static_cast<unsigned>(std::countr_zero(left)), 1);
        return true;
    }
    Cell least = 0;
    for (std::size_t i = 0; i < channel_.size(); ++i) {
        const Cell found = code_.listed(payload, i);
        if (found < least || found >= channel_.items()) {
            while (i-- > 0) count(code_.listed(payload, i), ~std::uint64_t{0});
            return false;
        }
        count(found, 1);
        least = found + 1;
    }
    return true;
}

// Lists of items of one byte are usual, and are read without a loop over the bytes of an item.
bool LabelSubsets::accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept {
    if (!code_.lists() || code_.width() != channel_.size()) return Mechanism::accumulate_all(state, payloads);
    for (std::size_t report = 0; report < payloads.count(); ++report) {
        std::uint64_t least = 0;
        for (const std::byte byte : payloads[report]) {
            const auto item = std::to_integer<std::uint64_t>(byte);
            if (item < least || item >= channel_.items()) return false;
            add<std::uint64_t>(state.data() + item * counter_size, 1);
            least = item + 1;
        }
    }
    return true;
}

// Let h be a person's number of dummies. The dummy with number i is held if h > i, so that E h² = Σ (2i+1)·P(h > i).
LabelSubsets::DummyMoments LabelSubsets::dummies(const Counts& counts) const {
    const auto reports = static_cast<double>(counts.n);
    DummyMoments found{0, 0};
    for (std::uint64_t i = 0; i < most(); ++i) {
        const auto supports = static_cast<double>(counter(counts.state, domain() + i));
        const double share = (supports / reports - channel_.q()) / (channel_.p() - channel_.q());
        found.mean += share;
        found.mean_square += static_cast<double>(2 * i + 1) * share;
    }
    return found;
}

// A person with h dummies supports c of the m dummies. E c = hp + (m−h)q, and E c(c−1) is the sum over ordered pairs of
// dummies, of which h(h−1) + 2h(m−h) contain one of the person's. The third moment treats supports as independent.
LabelSubsets::SizeCumulants LabelSubsets::cumulants(const DummyMoments& dummies,
                                                    Target target) const noexcept {
    const auto m = static_cast<double>(most());
    const double p = channel_.p(), q = channel_.q(), gap = p - q;
    const double h = std::clamp(dummies.mean, 0.0, m);
    const double square = std::clamp(dummies.mean_square, h * h, m * h);  // E h²
    const double foreign = square - (2 * m - 1) * h + m * (m - 1);        // E (m−h)(m−h−1)
    const double pairs = (m * (m - 1) - foreign) * channel_.own_pair() + foreign * channel_.foreign_pair();
    const double mean = q * m + gap * h;
    const double between = target == Target::population ? h * h : square;
    const double variance = pairs + mean - (q * q * m * m + 2 * q * m * gap * h + gap * gap * between);
    const auto skew = [](double one) { return one * (1 - one) * (1 - 2 * one); };
    return {std::max(variance, 0.0) / (gap * gap), (h * skew(p) + (m - h) * skew(q)) / (gap * gap * gap)};
}

Estimate LabelSubsets::set_size(const Counts& counts, Target target) const {
    const DummyMoments found = dummies(counts);
    return {static_cast<double>(most()) - found.mean,
            std::sqrt(cumulants(found, target).variance / static_cast<double>(counts.n))};
}

// The variance for the people who reported is linear in E h² and E h except for a small part, and so in the supports of the
// dummies. A set of one item has one dummy at most. Supports in larger sets count as independent.
double LabelSubsets::least_mean_square(const Counts& counts, const DummyMoments& found) const {
    const auto m = static_cast<double>(most()), reports = static_cast<double>(counts.n);
    const double gap = channel_.p() - channel_.q(), pair = channel_.foreign_pair() - channel_.own_pair();
    const double by_square = pair - gap * gap,
                 by_mean = gap - 2 * m * channel_.q() * gap - (2 * m - 1) * pair;
    double sum = 0, squares = 0;
    for (std::uint64_t i = 0; i < most(); ++i) {
        const double share = static_cast<double>(counter(counts.state, domain() + i)) / reports;
        const double weight = (static_cast<double>(2 * i + 1) * by_square + by_mean) / gap;
        squares += square(weight) * share * (channel_.size() == 1 ? 1 : 1 - share);
        if (channel_.size() == 1) sum += weight * share;
    }
    return found.mean_square + std::sqrt(std::max(0.0, squares - square(sum)) / reports) / by_square;
}

// If a report has one dummy at most, the number of reports with a dummy is binomial for a population, and with one label a
// person for those who reported, too. Otherwise the numbers of labels have the estimated share of the largest possible variance
// at each mean. Few reports may show too large a share, so that the variance would be too small.
ErrorLaw LabelSubsets::size_law(const Counts& counts, Target target) const {
    const auto m = static_cast<double>(most());
    if (most() == 1 || (channel_.size() == 1 && target == Target::population))
        return {.n = counts.n,
                .p = 1 - m * channel_.q(),
                .q = 1 - m * channel_.p(),
                .counts_people = target == Target::sample,
                .truths = {0, m}};
    const DummyMoments found = dummies(counts);
    const double h = std::clamp(found.mean, 0.0, m), largest = h * (m - h);
    const double mean_square =
        target == Target::sample ? least_mean_square(counts, found) : found.mean_square;
    const double spread = largest > 0 ? std::clamp((mean_square - h * h) / largest, 0.0, 1.0) : 0;
    TruthCurve::Cubic variances{}, thirds{};
    for (std::size_t i = 0; i < variances.size(); ++i) {
        const double labels = m * static_cast<double>(i) / 3, at = m - labels;
        const SizeCumulants all = cumulants({at, at * at + spread * at * labels}, target);
        variances[i] = all.variance / (m * m);
        thirds[i] = -all.third / (m * m * m);
    }
    return {.truths = {0, m}, .curve = TruthCurve::through(static_cast<double>(counts.n), variances, thirds)};
}

/// People are asked about one label each.
class AskedLabel final : public ValueOracle, public KnownErrors, public LabelSets {
  public:
    AskedLabel(const Header& header, Bytes block, std::uint64_t k, std::uint64_t m)
        : ValueOracle(header, block, k),
          m_(m),
          width_(cell_width(k)),
          odds_(odds(header.epsilon, 1, 1)),
          codes_(k, m) {}

    std::vector<std::uint64_t> input_cells() const override { return {count_label_sets(domain(), m_)}; }
    std::size_t public_size() const noexcept override { return width_; }
    std::size_t permanent_size() const noexcept override { return 1; }
    std::size_t payload_size() const noexcept override { return width_ + 1; }
    std::size_t state_size() const noexcept override { return 2 * domain() * counter_size; }
    std::vector<std::pair<std::string, double>> parameters() const override {
        return {{"domain", static_cast<double>(domain())},
                {"most", static_cast<double>(m_)},
                {"p", p()},
                {"q", q()}};
    }

    void draw_public(BitSource& bits, MutableBytes public_randomness) const override {
        store_cell(public_randomness.data(), width_, bits.below(domain()));
    }
    bool valid_public(Bytes public_randomness) const noexcept override {
        return asked(public_randomness) < domain();
    }
    void permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                            MutableBytes permanent) const override {
        const bool has = contains(codes_.items_of(input[0]), asked(public_randomness));
        const bool truthful = bits.chance(odds_.high, odds_.high + odds_.low);
        permanent[0] = static_cast<std::byte>(has == truthful ? 1 : 0);
    }
    void instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource&,
                                MutableBytes payload) const override {
        std::ranges::copy(permanent, std::ranges::copy(public_randomness, payload.begin()).out);
    }
    /// Whether the person has the label.
    std::vector<Cell> response_key(Input input, Bytes public_randomness) const override {
        return {contains(codes_.items_of(input[0]), asked(public_randomness)) ? Cell{1} : Cell{0}};
    }
    std::uint64_t most_keys() const noexcept override { return 2; }

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override {
        return count(state, payload, 1);
    }
    bool accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept override {
        return payloads.for_each_run(
            [&](Bytes payload, std::uint64_t times) { return count(state, payload, times); });
    }
    void merge(MutableBytes state, Bytes other) const noexcept override { merge_counters(state, other); }
    bool valid_payload(Bytes payload) const noexcept override {
        return asked(payload) < domain() && payload[width_] <= std::byte{1};
    }
    bool valid_state(const Counts& counts) const noexcept override {
        for (std::size_t v = 0; v < domain(); ++v)
            if (yes(counts.state, v) > counter(counts.state, v)) return false;
        return counters_sum_to(counts.state.first(domain() * counter_size), counts.n);
    }

    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const override;
    ErrorLaw error_law(std::uint64_t n, Target target) const noexcept override;
    bool visit_laws(const Counts& counts, Target target,
                    const std::function<void(const ErrorLaw&)>& visit) const override;
    std::vector<Check> health(const Counts& counts) const override;
    std::vector<Contribution> contributions(const Question&) const override {
        return {{1 / static_cast<double>(domain()), {-q() / gap(), (1 - q()) / gap()}, {0, 1}}};
    }
    double max_probability(Bytes) const override { return p() / static_cast<double>(domain()); }

    // The people who are asked about a label are a random sample of all.
    double n_variance(double truth) const override {
        const auto k = static_cast<double>(domain());
        return k * noise() + (k - 1) * truth * (1 - truth);
    }
    double expected_variance(std::size_t) const override { return n_variance(usual_share(domain(), m_)); }
    double expected_variance_of_part(std::size_t attribute, double part) const override {
        const double f = usual_share(domain(), m_);
        return expected_variance(attribute) + f * (1 - f) * (1 - part);
    }
    Cost cost() const noexcept override { return {3, 2 * static_cast<double>(domain())}; }

    std::uint64_t most() const noexcept override { return m_; }
    Estimate set_size(const Counts& counts, Target) const override {
        const auto reports = static_cast<double>(counts.n), k = static_cast<double>(domain());
        const double mean = k * (static_cast<double>(all_yes(counts)) / reports - q()) / gap();
        const double one = q() + gap() * std::clamp(mean / k, 0.0, 1.0);
        return {mean, k * std::sqrt(one * (1 - one) / reports) / gap()};
    }
    ErrorLaw size_law(const Counts& counts, Target) const override {
        return {.n = counts.n, .p = p(), .q = q(), .truths = {0, static_cast<double>(domain())}};
    }

    Exact probability(Input input, Bytes public_randomness, Bytes permanent) const override {
        const bool has = contains(codes_.items_of(input[0]), asked(public_randomness));
        const bool truthful = has == (permanent[0] == std::byte{1});
        return exact(truthful ? odds_.high : odds_.low, odds_.high + odds_.low);
    }
    /// Attained by two sets of which one has the label.
    Exact worst_ratio() const override { return exact(odds_.high, odds_.low); }
    ChannelLaw channel_law() const override { return levels_law(odds_, 1, 1); }

  private:
    [[nodiscard]] bool count(MutableBytes state, Bytes payload, std::uint64_t times) const noexcept {
        if (!valid_payload(payload)) return false;
        std::byte* const label = state.data() + asked(payload) * counter_size;
        add(label, times);
        add(label + domain() * counter_size, times * std::to_integer<std::uint64_t>(payload[width_]));
        return true;
    }

    [[nodiscard]] double p() const noexcept {
        return static_cast<double>(odds_.high) / static_cast<double>(odds_.high + odds_.low);
    }
    [[nodiscard]] double q() const noexcept {
        return static_cast<double>(odds_.low) / static_cast<double>(odds_.high + odds_.low);
    }
    [[nodiscard]] double gap() const noexcept { return p() - q(); }
    [[nodiscard]] double noise() const noexcept { return p() * q() / (gap() * gap()); }
    [[nodiscard]] std::uint64_t asked(Bytes start) const noexcept { return load_cell(start.data(), width_); }
    [[nodiscard]] std::uint64_t yes(Bytes state, std::size_t label) const noexcept {
        return counter(state, domain() + label);
    }
    [[nodiscard]] std::uint64_t all_yes(const Counts& counts) const noexcept {
        std::uint64_t sum = 0;
        for (std::size_t v = 0; v < domain(); ++v) sum += yes(counts.state, v);
        return sum;
    }

    std::uint64_t m_;
    std::size_t width_;
    Odds odds_;
    LazyCodes codes_;
};

std::vector<Estimate> AskedLabel::estimate(const Counts& counts, const Question& question) const {
    std::vector<Estimate> estimates(domain());
    for_each_index(domain(), [&](std::size_t v) {
        const auto people = static_cast<double>(counter(counts.state, v));
        if (people == 0) {
            estimates[v] = {unknown, unknown};
            return;
        }
        const double f = (static_cast<double>(yes(counts.state, v)) / people - q()) / gap();
        const double inside = std::clamp(f, 0.0, 1.0);
        const double left =
            question.target == Target::population ? 1 : 1 - people / static_cast<double>(counts.n);
        estimates[v] = {f, std::sqrt((noise() + left * inside * (1 - inside)) / people)};
    });
    return estimates;
}

// About n/k people are asked about a label. Each responds yes with the probability P = q + (p−q)f. The variance is
// k·P(1−P)/(p−q)². For the target sample, it is less by the variance between the people who reported.
ErrorLaw AskedLabel::error_law(std::uint64_t n, Target target) const noexcept {
    const auto k = static_cast<double>(domain());
    TruthCurve::Cubic variances{}, thirds{};
    for (std::size_t i = 0; i < variances.size(); ++i) {
        const double f = static_cast<double>(i) / 3, one = q() + gap() * f, both = one * (1 - one);
        variances[i] = k * both / square(gap()) - (target == Target::sample ? f * (1 - f) : 0);
        thirds[i] = square(k) * both * (1 - 2 * one) / (square(gap()) * gap());
    }
    return {.truths = possible_shares,
            .curve = TruthCurve::through(static_cast<double>(n), variances, thirds)};
}

// The number of yes is binomial given the number of people asked. For the people who reported and small counts, the share
// of those who were asked is not excluded from the sampling error, so that tests and intervals are conservative.
bool AskedLabel::visit_laws(const Counts& counts, Target,
                            const std::function<void(const ErrorLaw&)>& visit) const {
    for_each_index(domain(), [&](std::size_t v) {
        const std::uint64_t people = counter(counts.state, v);
        visit(people > 0 ? ErrorLaw{.n = people, .p = p(), .q = q(), .truths = possible_shares}
                         : law_of_share());
    });
    return true;
}

// The labels are drawn evenly. A share of yes is at least that of a label without any holders, and at most that of a
// label that all people have.
std::vector<Check> AskedLabel::health(const Counts& counts) const {
    const std::vector<std::uint64_t> asked = counters(counts.state.first(domain() * counter_size));
    Check least{"least frequency", 0, 0, HUGE_VAL}, greatest{"greatest frequency", 0, 1, HUGE_VAL};
    Work work;
    for (std::size_t v = 0; v < domain(); ++v, work.done(1000)) {
        if (asked[v] == 0) continue;
        const std::uint64_t ones = yes(counts.state, v);
        const double frequency = (static_cast<double>(ones) / static_cast<double>(asked[v]) - q()) / gap();
        const double low = binomial_at_most(asked[v], q(), ones, least.p_value),
                     high = binomial_at_least(asked[v], p(), ones, greatest.p_value);
        if (low < least.p_value) least = {least.name, frequency, 0, low};
        if (high < greatest.p_value) greatest = {greatest.name, frequency, 1, high};
    }
    for (Check* worst : {&least, &greatest})
        worst->p_value = std::min(1.0, worst->p_value * static_cast<double>(domain()));
    return {least, greatest, goodness_of_fit("labels asked", asked)};
}

// Settings -------------------------------------------------------------------------------------------------

constexpr const char* response_words[] = {"auto", "subset", "one_label"};
constexpr Option options[] = {{.name = "response", .choices = response_words}};

/// The size of sets with the least variance of a label with the usual share, and that variance.
struct BestSize {
    std::uint64_t size;
    double n_variance;
};

BestSize best_size(std::uint64_t labels, std::uint64_t most, double epsilon) noexcept {
    BestSize best{1, std::numeric_limits<double>::infinity()};
    for (std::uint64_t size = 1; size <= labels; ++size) {
        const auto [p, q, none] = SetChannel::probabilities(labels, most, size, epsilon);
        if (!(p > q)) continue;
        const double n_variance = PureProtocol{p, q}.n_variance(usual_share(labels, most));
        if (n_variance < best.n_variance) best = {size, n_variance};
        // Larger sets contain an item of nearly every person.
        if (none < 1e-6) break;
    }
    return best;
}

void settle(SettingsDraft& draft) {
    const Attribute& attribute = draft.attributes[0];
    const std::uint64_t k = attribute.domain, m = attribute.most;
    if (m > k || count_label_sets(k, m) > max_label_sets)
        raise(ErrorCode::invalid_spec,
              "there are too many sets of at most " + std::to_string(m) + " of " + std::to_string(k) +
                  " labels",
              "A set must fit in 62 bits.",
              "Lower \"most\" to " + std::to_string(most_labels_that_fit(k)) +
                  " or less. Larger sets are reduced at random.");
    auto& response = std::get<std::string>(draft.options.at("response"));
    if (response != response_words[0]) return;
    const double e = std::exp(draft.epsilon), labels = static_cast<double>(k), f = usual_share(k, m);
    const double of_one_label = labels * e / square(e - 1) + (labels - 1) * f * (1 - f);
    response = response_words[best_size(k, m, draft.epsilon).n_variance <= of_one_label ? 1 : 2];
}

void write(const Settings& settings, Writer& writer) {
    const Attribute& attribute = settings.attributes()[0];
    const bool subset = settings.word("response") == response_words[1];
    write_domain(settings, writer);
    writer.put(static_cast<std::uint32_t>(attribute.most));
    writer.put(static_cast<std::uint32_t>(
        subset ? best_size(attribute.domain, attribute.most, settings.epsilon()).size : 0));
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t k = take_domain(reader, max_labels);
    const std::uint64_t m = take_number(reader, "number of labels of a person", 1, k);
    const std::uint64_t w = take_number(reader, "subset size", 0, k);
    reader.finish();
    if (count_label_sets(k, m) > max_label_sets)
        refuse_block("the number of sets is out of range",
                     "Found sets of up to " + std::to_string(m) + " of " + std::to_string(k) + " labels.");
    if (w == 0) return std::make_unique<AskedLabel>(header, block, k, m);
    return std::make_unique<LabelSubsets>(header, block, k, SetChannel(k, m, w, header.epsilon));
}

}  // namespace

const MechanismEntry entry(
    40, "label_sets", "sets of labels",  // By the choices of "response": "subset", "one_label".
    "some of the answers on the list, which chance picks, more often with yours among them|"
    "“yes” or “no” for one answer on the list, which chance picks: whether you chose it. Chance sometimes reverses this "
    "“yes” or “no”",
    Shape::one_set, max_labels, write, load,
    {.automatic = true, .options = options, .settle = settle, .responses = {"response", 0}});

}  // namespace ldp::label_sets
