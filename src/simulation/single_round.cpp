#include "simulation/single_round.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <complex>
#include <iterator>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/channel/numeric.hpp"
#include "core/choice/plan/error_prediction.hpp"
#include "core/mechanism/circular/circle.hpp"
#include "core/mechanism/circular/mean_direction.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/ordered/ordered.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/queries/distribution.hpp"
#include "core/summary/summary.hpp"
#include "core/tables/marginal.hpp"
#include "core/tables/share_intervals.hpp"

namespace ldp::simulation {

namespace {

constexpr double confidence = 0.95;

/// The shares of the values, or of the points; a place between two points counts as both in part.
std::vector<double> spread(const std::vector<std::vector<double>>& people, std::size_t j, double largest,
                           std::size_t points) {
    std::vector<double> shares(points);
    const double each = 1 / static_cast<double>(people.size());
    for (const std::vector<double>& person : people) {
        const double at = person[j] / largest * static_cast<double>(points - 1), below = std::floor(at);
        const auto point = std::min(static_cast<std::size_t>(below), points - 1);
        shares[point] += each * (1 - (at - below));
        if (at > below) shares[point + 1] += each * (at - below);
    }
    return shares;
}

/// Of shares of values those of buckets, where values are reported in buckets: they fall evenly into them, in
/// order.
std::vector<double> folded(const std::vector<double>& shares, std::size_t items) {
    std::vector<double> found(items);
    for (std::size_t v = 0; v < shares.size(); ++v) found[v * items / shares.size()] += shares[v];
    return found;
}

/// What is asked in each run, and what has come out so far.
struct Question {
    Trial trial;
    std::vector<double> truths;  ///< of its items
    /// Estimates and intervals of a summary.
    std::function<std::vector<std::pair<Estimate, Interval>>(const SummaryView&)> ask;
    double squares = 0, claimed = 0;
    std::uint64_t hits = 0, items = 0;

    void add(const SummaryView& view) {
        const auto answers = ask(view);
        if (answers.empty()) return;  // nobody reported the part of a record
        if (answers.size() < truths.size()) truths = folded(truths, answers.size());
        for (std::size_t i = 0; i < answers.size(); ++i) {
            const auto& [estimate, bar] = answers[i];
            squares += (estimate.value - truths[i]) * (estimate.value - truths[i]);
            claimed += estimate.standard_error * estimate.standard_error;
            hits += bar.lower <= truths[i] && truths[i] <= bar.upper ? 1U : 0U;
            ++items;
        }
    }
    [[nodiscard]] Trial result() const {
        Trial found = trial;
        found.error = std::sqrt(squares / static_cast<double>(items));
        found.claimed = std::sqrt(claimed / static_cast<double>(items));
        found.covered = static_cast<double>(hits) / static_cast<double>(items);
        return found;
    }
};

std::pair<Estimate, Interval> answer(const SummaryView& view, std::size_t attribute, const Estimate& one) {
    if (const auto own = answered_interval(view, attribute, Target::sample, critical_value(confidence)))
        return {one, *own};
    return {one, interval(one, critical_value(confidence), error_law(view, attribute, Target::sample))};
}

/// Of an answer that may be off on average.
double error_of(const Parts& parts) {
    return std::sqrt(parts.noise + parts.smearing * parts.smearing);
}

/// For people to read.
std::string rounded(double number) {
    std::array<char, 32> text{};
    return {text.data(),
            std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::general, 4).ptr};
}

/// The people who have a value of an attribute.
std::vector<std::vector<double>> answering(const std::vector<std::vector<double>>& people, std::size_t j) {
    std::vector<std::vector<double>> found;
    std::ranges::copy_if(people, std::back_inserter(found),
                         [j](const std::vector<double>& person) { return !std::isnan(person[j]); });
    return found;
}

class Trials {
  public:
    Trials(const Collection& collection, const SimulatedPeople& all)
        : mechanism_(collection.mechanism()),
          attributes_(collection.spec().attributes()),
          people_(all.positions) {
        const std::vector<std::vector<double>>& people = people_;
        const std::vector<std::uint64_t> cells = mechanism_.cells();
        std::vector<std::vector<double>> spreads;
        for (std::size_t j = 0; j < attributes_.size(); ++j) {
            const auto grid = static_cast<double>(grid_steps(attributes_[j], cells[j]));
            const std::size_t points = ErrorPrediction::points_of(mechanism_, j, attributes_[j]);
            if (attributes_[j].several()) {
                spreads.push_back(shares_of_labels(all, j));
                continue;
            }
            spreads.push_back(may_be_missing(attributes_[j]) ? spread(answering(people, j), j, grid, points)
                                                             : spread(people, j, grid, points));
        }
        const ErrorPrediction error_prediction(mechanism_, attributes_, std::move(spreads));
        for (std::size_t j = 0; j < attributes_.size(); ++j)
            attributes_[j].numeric() ? ask_mean(j, error_prediction) : ask_shares(j, error_prediction);
        for (std::size_t j = 0; j < attributes_.size(); ++j) {
            if (find_capability<Ordered>(*part_of(mechanism_, j).mechanism) == nullptr ||
                answering_rate(j) == 0)
                continue;
            if (attributes_[j].circular) {
                ask_half_circle(j, error_prediction);
                continue;
            }
            for (const double share : {0.25, 0.5, 0.75}) ask_quantile(j, share, error_prediction);
            ask_range(j, {quantile_of_people(j, 0.25), quantile_of_people(j, 0.75)}, error_prediction);
        }
        for (const RecordPart& part : parts_of(mechanism_))
            if (const auto* joint = find_capability<JointViews>(*part.mechanism))
                for (const std::vector<std::size_t>& view : joint->views())
                    if (view.size() == 2 && pairs_ < most_pairs)
                        ask_pair({part.first + view[0], part.first + view[1]}, error_prediction);
    }

    [[nodiscard]] std::vector<Question>& questions() noexcept { return questions_; }

  private:
    [[nodiscard]] double n() const noexcept { return static_cast<double>(people_.size()); }
    /// The share of people who have each label of a set.
    [[nodiscard]] std::vector<double> shares_of_labels(const SimulatedPeople& all, std::size_t j) const {
        std::vector<double> shares(attributes_[j].domain);
        for (const std::vector<GridRecord::LabelSet>& sets : all.sets)
            for (const GridRecord::LabelSet& set : sets)
                if (set.attribute == j)
                    for (const Cell label : set.labels)
                        if (label < shares.size()) shares[label] += 1 / n();  // others fill the set up
        return shares;
    }
    /// An attribute's value at a place on the mechanism's grid.
    [[nodiscard]] double value(std::size_t j, double place) const {
        if (!attributes_[j].numeric()) return place;
        return std::lerp(attributes_[j].min, attributes_[j].max,
                         place / static_cast<double>(grid_steps(attributes_[j], mechanism_.cells()[j])));
    }

    void ask_mean(std::size_t j, const ErrorPrediction& error_prediction) {
        if (!part_of(mechanism_, j).mechanism->can_estimate(Quantity::means)) return;
        if (attributes_[j].circular) {
            ask_direction(j, error_prediction);
            return;
        }
        const auto missing = static_cast<double>(std::ranges::count_if(
            people_, [j](const std::vector<double>& person) { return std::isnan(person[j]); }));
        const double answers = n() - missing;
        if (answers == 0) return;
        double sum = 0, rounding = 0;
        for (const std::vector<double>& person : people_) {
            if (std::isnan(person[j])) continue;
            const double off = person[j] - std::floor(person[j]);
            sum += value(j, person[j]) / answers;
            rounding += off * (1 - off) / answers;
        }
        const double step = 2 / static_cast<double>(grid_steps(attributes_[j], mechanism_.cells()[j]));
        const double predicted =
            ErrorPrediction::unit(attributes_[j]) *
            std::sqrt(error_prediction.mean(j, n(), answers / n()).noise + step * step * rounding / answers);
        questions_.push_back({{j, "mean", sum, predicted, 0, 0, 0}, {sum}, [j](const SummaryView& view) {
                                  const auto all = estimate(view, {Quantity::means, Target::sample});
                                  std::vector<std::pair<Estimate, Interval>> found;
                                  if (!std::isnan(all[j].value)) found.push_back(answer(view, j, all[j]));
                                  return found;
                              }});
    }

    /// Errors are arcs. Runs whose reports do not determine the direction are left out.
    void ask_direction(std::size_t j, const ErrorPrediction& error_prediction) {
        const Circle circle(attributes_[j]);
        std::complex<double> vectors = 0;
        for (const std::vector<double>& person : people_) vectors += circle.vector_to(value(j, person[j]));
        const double truth = circle.place_of(vectors);
        const MeanDirection& of_part = *find_direction(*part_of(mechanism_, j).mechanism);
        if (std::isinf(of_part.direction_variance(error_prediction.spread(j)).noise)) return;
        const double predicted =
            ErrorPrediction::unit(attributes_[j]) * std::sqrt(error_prediction.mean(j, n(), 1).noise);
        questions_.push_back(
            {{j, "direction", truth, predicted, 0, 0, 0},
             {truth},
             [j, circle, truth](const SummaryView& view) -> std::vector<std::pair<Estimate, Interval>> {
                 const auto found = mean_direction(view, j, Target::sample, critical_value(confidence));
                 if (!found || !found->determined) return {};
                 const double estimate = truth + circle.arc(truth, found->direction.value);
                 const double moved = estimate - found->direction.value;  // a multiple of the whole circle
                 return {{{estimate, found->direction.standard_error},
                          {found->interval.lower + moved, found->interval.upper + moved}}};
             }});
    }

    void ask_shares(std::size_t j, const ErrorPrediction& error_prediction) {
        const bool record = attributes_.size() > 1;
        if (attributes_[j].strings) return;
        if (!record && !mechanism_.can_estimate(Quantity::frequencies)) return;
        const std::vector<double>& truths = error_prediction.spread(j);
        double squares = 0;
        for (std::size_t v = 0; v < truths.size(); ++v) squares += error_prediction.share(j, v, n()).noise;
        squares /= static_cast<double>(truths.size());
        questions_.push_back({{j,
                               "shares of " + std::to_string(truths.size()) +
                                   (attributes_[j].several() ? " labels" : " values"),
                               unknown, std::sqrt(squares), 0, 0, 0},
                              truths,
                              [j](const SummaryView& view) {
                                  const ldp::Question shares{Quantity::frequencies, Target::sample, j};
                                  const std::vector<Estimate> estimates = estimate(view, shares);
                                  const std::vector<Interval> ranges =
                                      intervals(view, shares, estimates, critical_value(confidence));
                                  std::vector<std::pair<Estimate, Interval>> all;
                                  for (std::size_t v = 0; v < estimates.size(); ++v)
                                      all.emplace_back(estimates[v], ranges[v]);
                                  return all;
                              }});
    }

    /// The share of people who have a value of an attribute.
    [[nodiscard]] double answering_rate(std::size_t j) const {
        return static_cast<double>(std::ranges::count_if(
                   people_, [j](const std::vector<double>& person) { return !std::isnan(person[j]); })) /
               n();
    }

    [[nodiscard]] double quantile_of_people(std::size_t j, double share) const {
        std::vector<double> sorted;
        for (const std::vector<double>& person : people_)
            if (!std::isnan(person[j])) sorted.push_back(person[j]);
        const auto at = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size()))) - 1;
        std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(at));
        return value(j, sorted[at]);
    }

    void ask_quantile(std::size_t j, double share, const ErrorPrediction& error_prediction) {
        const double truth = quantile_of_people(j, share);
        const Parts parts = error_prediction.quantile(j, share, n(), truth, answering_rate(j));
        questions_.push_back(
            {{j, "quantile " + shortest(share), truth,
              ErrorPrediction::unit(attributes_[j]) * error_of(parts), 0, 0, 0},
             {truth},
             [j, share](const SummaryView& view) -> std::vector<std::pair<Estimate, Interval>> {
                 const SummaryView one = part(view, j);
                 if (one.n == 0) return {};
                 const Quantile found = quantile(one, share, confidence, Target::sample);
                 if (std::isnan(found.value)) return {};
                 return {{Estimate{found.value, unknown}, found.interval}};
             }});
    }

    void ask_range(std::size_t j, Interval within, const ErrorPrediction& error_prediction) {
        double truth = 0;
        const double rate = answering_rate(j);
        for (const std::vector<double>& person : people_) {
            const double at = value(j, person[j]);
            if (within.lower <= at && at <= within.upper) truth += 1 / (n() * rate);
        }
        ask_share_of_range(j, within, truth, rate, error_prediction);
    }

    /// The share of the people whose values are rounded to the first half of a circle, both ends included.
    void ask_half_circle(std::size_t j, const ErrorPrediction& error_prediction) {
        const std::uint64_t points = grid_steps(attributes_[j], mechanism_.cells()[j]), last = points / 2;
        const std::vector<double>& shares = error_prediction.spread(j);
        double truth = 0;
        for (std::uint64_t point = 0; point <= last; ++point) truth += shares[point];
        ask_share_of_range(j, {attributes_[j].min, value(j, static_cast<double>(last))},
                           truth + shares[points], 1, error_prediction);
    }

    void ask_share_of_range(std::size_t j, Interval within, double truth, double rate,
                            const ErrorPrediction& error_prediction) {
        const std::string asked = "share " + rounded(within.lower) + " to " + rounded(within.upper);
        questions_.push_back(
            {{j, asked, truth, error_of(error_prediction.range(j, within, n(), truth, rate)), 0, 0, 0},
             {truth},
             [j, within](const SummaryView& view) -> std::vector<std::pair<Estimate, Interval>> {
                 const SummaryView one = part(view, j);
                 if (one.n == 0) return {};
                 const ShareOfRange share = share_between(one, within.lower, within.upper, Target::sample);
                 if (std::isnan(share.value)) return {};
                 return {{share, interval(share, critical_value(confidence), share.law)}};
             }});
    }

    void ask_pair(const std::vector<std::size_t>& pair, const ErrorPrediction& error_prediction) {
        ++pairs_;
        const std::size_t rows = attributes_[pair[0]].domain, columns = attributes_[pair[1]].domain;
        std::vector<double> truths(rows * columns);
        for (const std::vector<double>& person : people_)
            truths[static_cast<std::size_t>(person[pair[0]]) * columns +
                   static_cast<std::size_t>(person[pair[1]])] += 1 / n();
        double squares = 0;
        for (std::size_t cell = 0; cell < truths.size(); ++cell)
            squares += error_prediction.pair({pair[0], pair[1]}, {cell / columns, cell % columns}, n()).noise;
        const double predicted = std::sqrt(squares / static_cast<double>(truths.size()));
        questions_.push_back(
            {{pair[0], "with " + shortened(attributes_[pair[1]].name, 16), unknown, predicted, 0, 0, 0},
             std::move(truths),
             [pair](const SummaryView& view) {
                 const Marginal both(view, pair, Combination::consistent, Target::sample);
                 const Cells cells(both.sizes());
                 std::vector<std::pair<Estimate, Interval>> all;
                 for (std::size_t cell = 0; cell < cells.count(); ++cell) {
                     const MeasuredShare one = both.measured(cells.box(cell));
                     all.emplace_back(one.estimate, interval(one, critical_value(confidence)));
                 }
                 return all;
             }});
    }

    const Mechanism& mechanism_;
    const std::vector<Attribute>& attributes_;
    const std::vector<std::vector<double>>& people_;
    static constexpr std::size_t most_pairs = 10;
    std::size_t pairs_ = 0;
    std::vector<Question> questions_;
};

void need_single_round(const Mechanism& mechanism) {
    if (rounds_of_series(mechanism) > 0)
        raise(ErrorCode::unsupported, "a series has no single round of reports",
              "People report it in " + std::to_string(rounds_of_series(mechanism)) + " rounds.",
              "Simulate values over time: ldp simulate evolving.");
}

/// Simulates rounds in which every person reports once, and counts the reports.
class SimulatedRound {
  public:
    SimulatedRound(const Collection& collection, const SimulatedPeople& people)
        : collection_(collection),
          people_(people),
          cells_(collection.mechanism().cells()),
          perturber_(collection.mechanism()),
          summary_(summary_size(collection.mechanism())),
          input_(cells_.size()) {}

    /// Randomizes every record again. The summary is valid until the next call.
    [[nodiscard]] const std::vector<std::byte>& draw(BitSource& bits) {
        const Mechanism& mechanism = collection_.mechanism();
        start_summary(mechanism, summary_);
        for (std::size_t i = 0; i < people_.size(); ++i) {
            round_record(i, bits);
            const Report& report = perturber_.perturb(input_, bits);
            if (const Outcome outcome = accumulate(mechanism, summary_, report, Rounds::unrecorded());
                outcome != Outcome::ok)
                raise_outcome(outcome, summary_, report);
        }
        return summary_;
    }

  private:
    /// Sets the input of the randomizer: a grid point for each number, drawn from the two neighbours of the value.
    void round_record(std::size_t i, BitSource& bits) {
        const std::vector<Attribute>& attributes = collection_.spec().attributes();
        const std::vector<double>& person = people_.positions[i];
        for (std::size_t j = 0; j < cells_.size(); ++j)
            input_[j] = std::isnan(person[j])
                            ? cells_[j] - 1
                            : grid_point(person[j], grid_steps(attributes[j], cells_[j])).draw(bits);
        GridRecord of_labels;
        if (!people_.strings.empty()) of_labels.codes = people_.strings[i];
        if (!people_.sets.empty()) of_labels.sets = people_.sets[i];
        of_labels.set_strings(input_);
        of_labels.set_labels(input_, [&](std::size_t) { return bits.word(); });
    }

    const Collection& collection_;
    const SimulatedPeople& people_;
    std::vector<std::uint64_t> cells_;
    Perturber perturber_;
    std::vector<std::byte> summary_;
    std::vector<Cell> input_;
};

/// Randomizes the series of all people, and counts the reports. Each person has a value in every round; these records are
/// consecutive.
std::vector<std::byte> summary_of_series(const Mechanism& mechanism, const SeriesRandomizer& series,
                                         const std::vector<std::vector<double>>& records, BitSource& bits) {
    const std::uint32_t rounds = series.rounds();
    if (records.size() % rounds != 0)
        raise(ErrorCode::invalid_value,
              "a person of this series has " + std::to_string(rounds) + " records, one for each round",
              "The number of records, " + std::to_string(records.size()) + ", is no multiple of it.");
    std::vector<std::byte> summary(summary_size(mechanism)), public_randomness(mechanism.public_size());
    start_summary(mechanism, summary);
    Report report = frame_report(mechanism.block(), sent_size(mechanism));
    const MutableBytes payload = payload_of(report, mechanism.block());
    for (std::size_t first = 0; first < records.size(); first += rounds) {
        mechanism.draw_public(bits, public_randomness);
        SeriesState state;
        for (std::size_t round = 0; round < rounds; ++round) {
            const auto value = static_cast<Cell>(std::lround(records[first + round][0]));
            if (!series.advance(state, value, public_randomness, bits, payload)) continue;
            if (const Outcome outcome = accumulate(mechanism, summary, report, Rounds::unrecorded());
                outcome != Outcome::ok)
                raise_outcome(outcome, summary, report);
        }
    }
    return summary;
}

}  // namespace

std::vector<Trial> try_out(const Collection& collection, const SimulatedPeople& people, std::uint64_t runs,
                           BitSource& bits, const std::function<void(std::uint64_t)>& progress) {
    need_single_round(collection.mechanism());
    Trials trials(collection, people);
    if (trials.questions().empty())
        raise(ErrorCode::unsupported, "the mechanism estimates neither means nor shares", {},
              "Name another mechanism.");
    SimulatedRound round(collection, people);
    for (std::uint64_t run = 0; run < runs; ++run) {
        const std::vector<std::byte>& summary = round.draw(bits);
        for (Question& question : trials.questions()) question.add(view_of(collection.mechanism(), summary));
        if (progress) progress(run + 1);
    }
    std::vector<Trial> found;
    for (const Question& question : trials.questions()) found.push_back(question.result());
    return found;
}

std::vector<std::byte> simulated_summary(const Collection& collection, const SimulatedPeople& people,
                                         BitSource& bits) {
    if (const auto* series = find_capability<SeriesRandomizer>(collection.mechanism()))
        return summary_of_series(collection.mechanism(), *series, people.positions, bits);
    need_single_round(collection.mechanism());
    return SimulatedRound(collection, people).draw(bits);
}

}  // namespace ldp::simulation
