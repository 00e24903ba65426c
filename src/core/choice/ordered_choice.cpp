#include "core/choice/ordered_choice.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/mechanism/ordered/ordered_estimator.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/mechanism/role/registry.hpp"

namespace ldp {

namespace {

constexpr std::uint64_t usual_reports = 100000;

/// People spread evenly over the range. A point of a number represents the values nearest to it, so that the
/// outer points have half of the others' share.
std::vector<double> evenly(std::size_t points, bool numbers) {
    const double each = 1 / static_cast<double>(numbers ? points - 1 : points);
    std::vector<double> shares(points, each);
    if (numbers) shares.front() = shares.back() = each / 2;
    return shares;
}

/// Calls visit(first, end) for ranges between two cuts, 0 to `points`, except the range of all points. For
/// many points, the pairs of cuts follow the additive recurrence of the plastic number (Roberts 2018), which
/// is evenly spread over the square and not aligned with the nodes of a tree.
template <class Visit>
std::size_t visit_ranges(std::size_t points, std::size_t many, Visit visit) {
    constexpr std::size_t all_of = 45;
    std::size_t visited = 0;
    if (points <= all_of) {
        for (std::size_t first = 0; first < points; ++first)
            for (std::size_t end = first + 1; end <= points; ++end, ++visited) visit(first, end);
        return visited;
    }
    constexpr double plastic = 1.32471795724474602596;
    const auto cut = [points](double part) {
        return static_cast<std::size_t>((part - std::floor(part)) * static_cast<double>(points + 1));
    };
    for (std::size_t i = 1; visited < many; ++i) {
        const auto step = static_cast<double>(i);
        const auto [first, end] = std::minmax({cut(step / plastic), cut(step / plastic / plastic)});
        if (first == end) continue;
        visit(first, end);
        ++visited;
    }
    return visited;
}

/// Calls visit(0, end) for thresholds between the points.
template <class Visit>
std::size_t visit_thresholds(std::size_t points, std::size_t most, Visit visit) {
    const std::size_t cuts = points - 1, visited = std::min(cuts, most);
    for (std::size_t i = 0; i < visited; ++i) visit(std::size_t{0}, 1 + i * cuts / visited);
    return visited;
}

double averaged(const Ordered& ordered, OrderedUse use, std::vector<double> shares, std::uint64_t reports,
                Target target) {
    const std::size_t points = ordered.points();
    OrderedEstimator estimator(ordered, std::move(shares), reports);
    double sum = 0;
    Work work;
    const auto add = [&](std::size_t first, std::size_t end) {
        // For a smoothing mechanism, the cut before a point is half a step before it.
        const auto position = [&](std::size_t cut) {
            return cut == 0        ? OrderedEstimator::left_end
                   : cut == points ? OrderedEstimator::right_end
                                   : static_cast<double>(cut) - (estimator.sharp() ? 0 : 0.5);
        };
        const double error = estimator.share(position(first), position(end), target).standard_error;
        sum += error * error * static_cast<double>(reports);
        work.done(estimator.sharp() && ordered.unanswered() == 0 ? 1 : points);
    };
    // The error of a ratio takes a step for each point.
    constexpr std::size_t usual = 1024, few = 64, fine = 4096;
    const std::size_t many = ordered.unanswered() > 0 && points > fine ? few : usual;
    const std::size_t visited =
        use == OrderedUse::quantiles ? visit_thresholds(points, many, add) : visit_ranges(points, many, add);
    return sum / static_cast<double>(visited);
}

constexpr const char* biased = "its fit is biased and has no interval";
constexpr const char* smeared = "its estimates are smoothed";
constexpr const char* sharp = "it has no smooth fit";

Candidate candidate(const MechanismEntry& entry, const OrderedRequest& request,
                    const OptionValues& given = {}, const ResponseLimit* responses = nullptr) {
    check_interrupt();
    const Attribute& attribute = request.attribute;
    bool smears = false;
    std::string unpaid;
    Candidate result = measured_candidate(entry, [&](Candidate& measured) {
        OptionValues options = options_for_order(entry);
        for (const auto& [name, value] : given) options[name] = value;
        if (request.grid && attribute.numeric()) {
            const Option& grid = entry.options[0];
            if (*request.grid < grid.least || *request.grid > grid.most)
                raise(ErrorCode::invalid_spec,
                      "its grid must have " + std::to_string(grid.least) + " to " +
                          std::to_string(grid.most) + " steps",
                      {});
            options["grid"] = *request.grid;
        }
        auto mechanism = make_mechanism(Settings(entry, request.epsilon, {attribute}, std::move(options)));
        smears = capability<Ordered>(*mechanism).blur(usual_reports) != 0;
        measured.n_variance = mean_variance(*mechanism, request.use, usual_reports);
        const auto [down, up] = mechanism->promised_bias(0, 0.01);
        const double unit = attribute.numeric() ? (attribute.max - attribute.min) / 2 : 1;
        measured.bias = std::max(-down, up) / unit;
        if (responses != nullptr) unpaid = responses->obstacle(*mechanism);
        return mechanism;
    });
    if (!result.obstacle.empty()) return result;
    const bool shape = request.use == OrderedUse::shape;
    if (smears != shape)
        result.obstacle = smears ? std::string(smeared) + ", and " + biased : std::string(sharp);
    else if (result.report_bytes > request.limits.report_bytes)
        result.obstacle = "its reports have " + std::to_string(result.report_bytes) + " bytes; allowed are " +
                          std::to_string(request.limits.report_bytes);
    else if (!shape && result.decode_cost > static_cast<double>(request.limits.decode_cost))
        result.obstacle = "a report costs " +
                          std::to_string(static_cast<std::uint64_t>(std::ceil(result.decode_cost))) +
                          " steps; allowed are " + std::to_string(request.limits.decode_cost);
    if (result.obstacle.empty()) result.obstacle = unpaid;
    return result;
}

auto order_of_ranges(const Candidate& one) {
    return std::tuple(!one.obstacle.empty(), std::isnan(one.n_variance) ? HUGE_VAL : one.n_variance);
}

/// The choice of the first candidate. Throws Error (invalid_spec) if it has an obstacle.
Selected first_of(std::span<const Candidate> candidates, const OrderedRequest& request,
                  const std::string& hint) {
    const Candidate& first = candidates.front();
    if (!first.obstacle.empty()) {
        std::string obstacles;
        for (const Candidate& each : candidates)
            obstacles += (obstacles.empty() ? "" : " ") + std::string(each.mechanism->name) + ": " +
                         each.obstacle + ".";
        raise(ErrorCode::invalid_spec,
              "no mechanism suits the distribution of \"" + request.attribute.name +
                  "\" within the limits of the spec",
              obstacles, hint);
    }
    if (request.use == OrderedUse::shape)
        return {first.mechanism, "smooth fit of the distribution, without intervals"};
    const std::string of = request.use == OrderedUse::quantiles ? "a threshold" : "a range";
    std::string reason = "unbiased, with the smallest mean variance of " + of + ", " +
                         rounded(first.n_variance, 3) + "/n, within " +
                         std::to_string(request.limits.report_bytes) + " bytes and " +
                         std::to_string(request.limits.decode_cost) + " steps per report";
    for (const Candidate& each : candidates) {
        if (&each == &first || each.obstacle.find("smoothed") != std::string::npos) continue;
        reason += "; " + std::string(each.mechanism->name);
        if (std::isnan(each.n_variance))
            reason += " does not suit: " + each.obstacle;
        else
            reason += " would have " + rounded(each.n_variance, 3) + "/n" +
                      (each.obstacle.empty() ? "" : ", but " + each.obstacle);
    }
    return {first.mechanism, reason};
}

/// Throws Error (invalid_spec) if the smooth distribution is wanted of a number that may be missing.
void refuse_missing(const OrderedRequest& request) {
    if (!may_be_missing(request.attribute) || request.use != OrderedUse::shape) return;
    raise(ErrorCode::invalid_spec,
          "the smooth distribution of a number that people may leave out is not supported",
          "\"" + request.attribute.name +
              "\" has \"missing\": true. The mechanism for smooth distributions returns a number near the "
              "true one, which a missing answer does not have.",
          "Write \"estimate\": \"distribution\", or remove \"missing\".");
}

/// The mechanisms that can be chosen for values that do not change, the newest first: of equal variances, the
/// first one is chosen. Those of few responses are less accurate for a single value.
std::vector<const MechanismEntry*> candidates_for_order(const Attribute& attribute) {
    std::vector<const MechanismEntry*> found;
    for (const MechanismEntry* entry : registry())
        if ((is_ordered(*entry) || takes_circular_numbers(*entry)) && entry->responses.name == nullptr &&
            suits_number(*entry, attribute))
            found.push_back(entry);
    std::ranges::reverse(found);
    return found;
}

}  // namespace

bool is_ordered(const MechanismEntry& mechanism) noexcept {
    return mechanism.purpose == Purpose::distribution || mechanism.purpose == Purpose::smooth_distribution;
}

OptionValues options_for_order(const MechanismEntry& mechanism) {
    if (!takes_circular_numbers(mechanism)) return {};
    return {{"optimize_for", std::string("arcs")}};
}

const MechanismEntry& few_ordered_responses() noexcept {
    return **std::ranges::find_if(registry(), [](const MechanismEntry* one) {
        return one->purpose == Purpose::distribution && one->responses.name != nullptr;
    });
}

double mean_variance(const Mechanism& mechanism, OrderedUse use, std::uint64_t reports) {
    const auto& ordered = capability<Ordered>(mechanism);
    const bool numbers = mechanism.can_estimate(Quantity::means);
    return averaged(ordered, use, evenly(ordered.points(), numbers), reports, Target::sample);
}

double mean_variance(const Mechanism& mechanism, OrderedUse use, std::vector<double> shares, Target target) {
    return averaged(capability<Ordered>(mechanism), use, std::move(shares), usual_reports, target);
}

std::vector<Candidate> rank_ordered(const OrderedRequest& request) {
    refuse_missing(request);
    std::vector<Candidate> candidates;
    for (const MechanismEntry* entry : candidates_for_order(request.attribute))
        candidates.push_back(candidate(*entry, request));
    std::ranges::stable_sort(candidates, {}, order_of_ranges);
    return candidates;
}

Selected choose_ordered(const OrderedRequest& request) {
    return first_of(rank_ordered(request), request,
                    "Raise \"max_report_bytes\" or \"max_decode_cost\", or choose a coarser \"grid\".");
}

SelectedWithin choose_ordered_within(const OrderedRequest& request, const ResponseLimit& limit) {
    refuse_missing(request);
    std::vector<Candidate> candidates;
    for (const MechanismEntry* entry : candidates_for_order(request.attribute))
        candidates.push_back(candidate(*entry, request, {}, &limit));
    const MechanismEntry& few = few_ordered_responses();
    const auto [option, more] = few.responses;
    // Its own choice of the number of responses weighs cost and variance.
    OptionValues options;
    Candidate of_few = candidate(few, request, options, &limit);
    if (!of_few.obstacle.empty() && limit.most > more) {
        OptionValues fewer{{option, limit.most - more}};
        Candidate found = candidate(few, request, fewer, &limit);
        if (found.obstacle.empty()) {
            of_few = std::move(found);
            options = std::move(fewer);
        }
    }
    candidates.push_back(std::move(of_few));
    std::ranges::stable_sort(candidates, {}, order_of_ranges);
    Selected found = first_of(candidates, request, advice_within(limit));
    if (found.mechanism != &few) options = options_for_order(*found.mechanism);
    if (request.grid) options["grid"] = *request.grid;
    const auto mechanism =
        make_mechanism(Settings(*found.mechanism, request.epsilon, {request.attribute}, options));
    options.erase("grid");
    return {found.mechanism, found.reason + "; " + limit.reason(*mechanism), std::move(options)};
}

}  // namespace ldp
