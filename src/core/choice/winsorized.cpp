#include "core/choice/winsorized.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"
#include "core/base/text.hpp"
#include "core/choice/selection.hpp"
#include "core/contract/attributes.hpp"
#include "core/contract/keys.hpp"
#include "core/contract/spec_reader.hpp"
#include "core/math/statistics.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/mechanism/vector/range_learning.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

namespace {

constexpr Limits any_cost{100000, 1000000000};
/// Fewer bins cannot make a window that is narrower than the range.
constexpr std::uint64_t fewest_bins = 4;
/// The number of bins that are considered if no concentration is declared.
constexpr std::uint64_t bins_to_try[] = {64, 48, 32, 24, 16, 12, 8, 6, fewest_bins};
/// The first round has this part of the people, unless more are needed.
constexpr double first_part = 0.1;
/// An upper bound of the probability that the first round of the planned size does not find the window. The bounds of all bins
/// hold with range_confidence. With probability 0.001, the estimated share of the heaviest bin is this number of standard errors
/// below the true one.
constexpr double missed = 0.02, low_share = 3.09;

/// Returns the number of people of a first round who find a bin with this share among `bins` bins.
double people_to_find(double epsilon, std::uint64_t bins, double share) {
    Attribute attribute;
    attribute.name = "value";
    attribute.domain = bins;
    const SelectionRequest request{epsilon, {attribute}, any_cost};
    const Candidate best = rank(request).front();
    // The noise is that of a share of 1/bins on average, or of the heaviest bin, and people are a sample.
    const auto mechanism = make_mechanism(Settings(*best.mechanism, epsilon, {attribute}));
    const double variance =
        std::max(mechanism->n_variance(0), mechanism->n_variance(share)) + share * (1 - share);
    return std::ceil(variance * square((one_of_many_radius(static_cast<double>(bins)) + low_share) / share));
}

struct BinCount {
    std::uint64_t bins;
    double people;  ///< of the first round
};

BinCount bins_of_concentration(double epsilon, double range, double tau) {
    const double count = std::floor(std::min(range / (2 * tau), keys::bins.most));
    if (!(count >= static_cast<double>(fewest_bins)))
        invalid("a winsorized mean would not reduce the error",
                "Its window has three bins of width 2 tau = " + shown(2 * tau) + "; the range has width " +
                    shown(range) + ".",
                "Use \"auto\" for the mean over the whole range.");
    const auto bins = static_cast<std::uint64_t>(count);
    return {bins, people_to_find(epsilon, bins, 0.5)};
}

/// The largest number of bins for which a tenth of the people find a bin with a quarter of the values.
BinCount bins_of_people(double epsilon, double people) {
    constexpr double share = 0.25;
    BinCount found{};
    for (const std::uint64_t bins : bins_to_try) {
        found = {bins, people_to_find(epsilon, bins, share)};
        if (found.people <= first_part * people) return {bins, std::ceil(first_part * people)};
    }
    return found;
}

/// The attribute of a spec in the short form moves into the array of attributes.
void write_attribute_in_full(Json& document) {
    if (document.contains("attributes")) return;
    Json attribute{{"name", "value"}};
    for (const char* key : {"min", "max", "question", "unit"})
        if (document.contains(key)) {
            attribute[key] = document[key];
            document.erase(key);
        }
    document["attributes"] = Json::array({attribute});
}

/// The estimated shares of the bins for a population, and the number of reports.
struct BinShares {
    std::vector<Estimate> shares;
    double n;
};

BinShares bin_shares(const SummaryView& histogram, std::span<const double> ends) {
    need_reports(histogram);
    if (find_capability<ValueOracle>(*histogram.mechanism) == nullptr || ends.size() < 2)
        raise(ErrorCode::unsupported, "the first round of a winsorized mean is a histogram",
              "These reports are not about one number in bins.",
              "Create the collection of the first round with the mechanism \"winsorized\".");
    need_one_round(histogram, "the window of a winsorized mean");
    if (histogram.mechanism->cells()[0] + 1 != ends.size())
        raise(ErrorCode::incompatible, "the bins do not match the bins of the reports",
              "Found " + std::to_string(ends.size() - 1) + " bins; the reports have " +
                  std::to_string(histogram.mechanism->cells()[0]) + ".");
    return {estimate(histogram, {Quantity::frequencies, Target::population}),
            static_cast<double>(histogram.n)};
}

/// n·Var of a mean on [−1, 1] in the second round.
double mean_variance(double epsilon) {
    Attribute attribute;
    attribute.name = "value";
    attribute.max = 1;
    return rank({epsilon, {attribute}, any_cost}).front().n_variance;
}

}  // namespace

std::optional<WinsorizedPlan> winsorized_plan(std::string_view json) {
    // Other specs, which may be long, are not parsed twice.
    if (json.find(keys::winsorized) == std::string_view::npos) return {};
    Json document = parse_json(json);
    if (!document.is_object() || document.value("mechanism", Json()) != keys::winsorized) return {};
    const Json given = document;
    JsonObject top(given, "the spec");
    top.ignore("mechanism");
    const double epsilon = read_epsilon(top);
    const std::vector<Attribute> attributes = read_attributes(top);
    const Attribute& attribute = attributes[0];
    if (attributes.size() != 1 || !attribute.numeric() || attribute.strings || attribute.of_record() ||
        !attribute.none.empty() || attribute.evolving || !attribute.vector.empty())
        invalid("a winsorized mean needs one number with \"min\" and \"max\"",
                "The attributes have another form, or other options.",
                "Remove other attributes and options, or use the mechanism \"auto\".");
    for (const char* key : {keys::report_bytes.name, keys::decode_cost.name, keys::min_group.name})
        top.ignore(key);
    accept_spec_texts(top);

    const Json* concentration = top.find("concentration");
    const double people = top.find("people") == nullptr
                              ? std::numeric_limits<double>::infinity()
                              : static_cast<double>(top.whole(key(keys::Object::spec, "people")));
    std::string declared;
    BinCount plan{};
    if (concentration != nullptr) {
        JsonObject reader(*concentration, "\"concentration\"");
        const double tau = reader.real(key(keys::Object::concentration, "tau"));
        const double gamma = reader.real(key(keys::Object::concentration, "gamma"));
        reader.finish();
        plan = bins_of_concentration(epsilon, attribute.max - attribute.min, tau);
        declared = "; the window then contains the values of all people with probability " +
                   shortest(std::round(1e6 * std::max(0.0, 1 - gamma - missed)) / 1e6);
    } else if (std::isfinite(people)) {
        plan = bins_of_people(epsilon, people);
    } else {
        invalid("a winsorized mean needs \"concentration\" or \"people\"",
                "The width of the bins in the first round depends on one of them.",
                "Add \"people\": the number of people in both rounds, or \"concentration\": {\"tau\": …}.");
    }
    top.finish();
    if (plan.people > people / 2)
        invalid("too few people for a winsorized mean",
                "The first round needs " + grouped(static_cast<std::uint64_t>(plan.people)) +
                    " people, which is more than half of " + grouped(static_cast<std::uint64_t>(people)) +
                    ".",
                "Use \"auto\" for the mean over the whole range, or increase epsilon.");

    write_attribute_in_full(document);
    document["mechanism"] = keys::automatic;
    document.erase("people");
    document.erase("concentration");
    document["attributes"][0]["bins"] = plan.bins;
    return WinsorizedPlan{json_text(document),
                          "first round of a winsorized mean: " + std::to_string(plan.bins) +
                              " bins, of which " + grouped(static_cast<std::uint64_t>(plan.people)) +
                              " people find the window" + declared};
}

WinsorWindow winsor_window(const SummaryView& histogram, std::span<const double> ends, double low,
                           double high, double confidence) {
    const BinShares bins = bin_shares(histogram, ends);
    const auto from = std::ranges::find(ends, low), to = std::ranges::find(ends, high);
    if (from == ends.end() || to == ends.end() || !(low < high))
        raise(ErrorCode::incompatible, "the window does not consist of bins of the first round",
              "The window is " + shortest(low) + " to " + shortest(high) + ".",
              "Both rounds must belong to the same winsorized mean.");
    const auto first = static_cast<std::size_t>(from - ends.begin()),
               last = static_cast<std::size_t>(to - ends.begin());
    // Errors of different bins are uncorrelated, or correlated negatively. The sum of their variances is therefore an upper
    // bound. At the far end of its bin, a value is the furthest from the window.
    double out = 0, out_variance = 0, largest = 0;
    for (const bool below : {true, false}) {
        double distance = 0, variance = 0;
        for (std::size_t i = below ? 0 : last; i < (below ? first : bins.shares.size()); ++i) {
            const double furthest = below ? low - ends[i] : ends[i + 1] - high;
            const auto& [share, error] = bins.shares[i];
            out += share;
            out_variance += square(error);
            distance += share * furthest;
            variance += square(furthest * error);
        }
        if (below ? first > 0 : last < bins.shares.size())
            largest =
                std::max(largest, interval({std::max(0.0, distance), std::sqrt(variance)}, confidence).upper);
    }
    const Estimate coverage{1 - out, std::sqrt(out_variance)};
    const double smallest = std::clamp(interval(coverage, confidence).lower, 0.0, 1.0);
    return {low, high, coverage, smallest, largest};
}

// Shares that are not significantly above 0 count as 0, as in a stable histogram (Karwa, Vadhan 2018): the noise of many
// empty bins far from the window would otherwise look like a large bias.
WinsorWindow winsor_window(const SummaryView& histogram, std::span<const double> ends) {
    const BinShares bins = bin_shares(histogram, ends);
    const std::size_t count = bins.shares.size();
    const double radius = one_of_many_radius(static_cast<double>(count));
    std::vector<double> shares(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto& [share, error] = bins.shares[i];
        if (share > radius * error) shares[i] = share;
    }
    const auto heaviest = static_cast<std::size_t>(std::ranges::max_element(shares) - shares.begin());
    if (shares[heaviest] == 0 || !enough(histogram))
        raise(ErrorCode::invalid_value, "the first round has too few reports to find the window",
              enough(histogram)
                  ? "No bin has a share that is significantly above 0 among " + grouped(histogram.n) +
                        " reports."
                  : "There are " + grouped(histogram.n) + " reports, fewer than \"min_group\" of the spec.",
              "Collect more reports in the first round.");
    // The second round has the other people of the plan.
    const double others = bins.n * (1 - first_part) / first_part;
    const double noise = mean_variance(histogram.mechanism->epsilon()) / others;
    const std::size_t low_end = heaviest == 0 ? 0 : heaviest - 1, high_end = std::min(heaviest + 2, count);
    // The bias of clamping at the lower end of bin i, and at its upper end.
    std::vector<double> below(count), above(count);
    double share = 0, moment = 0;
    const auto middle = [&](std::size_t bin) { return (ends[bin] + ends[bin + 1]) / 2; };
    for (std::size_t i = 0; i < count; ++i) {
        below[i] = share * ends[i] - moment;
        share += shares[i];
        moment += shares[i] * middle(i);
    }
    share = moment = 0;
    for (std::size_t i = count; i-- > 0;) {
        above[i] = moment - share * ends[i + 1];
        share += shares[i];
        moment += shares[i] * middle(i);
    }
    double least = std::numeric_limits<double>::infinity();
    std::size_t best_first = low_end, best_last = high_end;
    Work work;
    for (std::size_t first = 0; first <= low_end; ++first)
        for (std::size_t last = high_end; last <= count; ++last, work.done()) {
            const double bias = below[first] + above[last - 1];
            const double error = square(bias) + noise * square((ends[last] - ends[first]) / 2);
            if (error >= least) continue;
            least = error;
            best_first = first;
            best_last = last;
        }
    return winsor_window(histogram, ends, ends[best_first], ends[best_last], range_confidence);
}

std::string winsorized_second_round(const Spec& first, const SummaryView& histogram) {
    const Attribute& attribute = first.attributes()[0];
    std::vector<double> ends;
    if (first.attributes().size() == 1 && attribute.binned()) {
        ends = attribute.edges;
        ends.insert(ends.begin(), attribute.min);
        ends.push_back(attribute.max);
    }
    const WinsorWindow window = winsor_window(histogram, ends);
    Json spec{{"mechanism", keys::automatic},
              {"epsilon", first.epsilon()},
              {"attributes", {{{"name", attribute.name}, {"min", window.low}, {"max", window.high}}}}};
    if (first.min_group() != usual_min_group) spec[keys::min_group.name] = first.min_group();
    SpecTexts texts = first.texts();
    write_texts(texts, spec);
    if (const AttributeTexts* of_bins = texts.find(attribute.name)) {
        AttributeTexts of_number = *of_bins;
        of_number.ordered = false;
        of_number.display.clear();
        write_texts(of_number, spec["attributes"][0]);
    }
    return json_text(spec);
}

}  // namespace ldp
