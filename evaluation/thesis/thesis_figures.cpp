// The experiments of the source thesis (Saatchi 2025, figures 5-1 to 5-8) with its measures, which compare a
// person's reconstructed record with the true one, and with measures that compare a population's.

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "../competitors/published_haar.hpp"
#include "../figures/panels.hpp"
#include "../joint/record_files.hpp"
#include "../shared/experiment.hpp"
#include "../shared/parallel.hpp"
#include "core/base/text.hpp"
#include "core/base/unknown.hpp"
#include "core/channel/numeric.hpp"
#include "core/choice/resolve.hpp"
#include "core/summary/queries/consistency.hpp"
#include "core/summary/summary.hpp"
#include "simulation/seeded_random.hpp"
#include "thesis_panels.hpp"

namespace evaluation {

namespace {

using ldp::BitSource;
using ldp::Mechanism;

double squared(double number) {
    return number * number;
}

std::unique_ptr<const Mechanism> mechanism_at(const std::string& name, double epsilon,
                                              const std::string& keys) {
    return ldp::make_mechanism(ldp::resolve(
        "{\"mechanism\": \"" + name + "\", \"epsilon\": " + ldp::shortest(epsilon) + ", " + keys + "}"));
}

/// The unbiased estimate of numbers on [−1,1] from one report of a mechanism.
class OneReport {
  public:
    explicit OneReport(const Mechanism& mechanism)
        : mechanism_(mechanism),
          cells_(mechanism.cells().size()),
          public_(mechanism.public_size()),
          permanent_(mechanism.permanent_size()),
          payload_(mechanism.payload_size()),
          state_(mechanism.state_size()) {}

    /// Writes an estimate for each number.
    void draw(std::span<const double> numbers, std::span<double> estimates, BitSource& bits) {
        const std::vector<std::uint64_t> cells = mechanism_.cells();
        for (std::size_t j = 0; j < cells_.size(); ++j) {
            const std::uint64_t grid = cells[j] - 1;
            cells_[j] = ldp::grid_point((numbers[j] + 1) / 2 * static_cast<double>(grid), grid).draw(bits);
        }
        mechanism_.draw_public(bits, public_);
        mechanism_.permanent_response(cells_, public_, bits, permanent_);
        mechanism_.instantaneous_response(public_, permanent_, bits, payload_);
        std::ranges::fill(state_, std::byte{0});
        if (!mechanism_.accumulate(state_, payload_)) throw std::logic_error("a report was refused");
        const auto found = mechanism_.estimate({1, state_}, {ldp::Quantity::means, ldp::Target::sample});
        for (std::size_t j = 0; j < cells_.size(); ++j) estimates[j] = found[j].value;
    }

  private:
    const Mechanism& mechanism_;
    std::vector<ldp::Cell> cells_;
    std::vector<std::byte> public_, permanent_, payload_, state_;
};

/// What a method makes of people: by each person's reconstructed record, and by what is published.
struct RecordMeasures {
    double record = 0;     ///< mean squared error of an entry of a reconstructed record
    double row = 0;        ///< variation distance of a record's entries, as shares of their sum
    double mean = 0;       ///< n times the squared error of a mean
    double variation = 0;  ///< variation distance of an attribute's distribution
    double expected_record = ldp::unknown, expected_mean = ldp::unknown;  ///< closed forms
};

/// Sums up reconstructed records.
class Reconstructions {
  public:
    explicit Reconstructions(const People& people)
        : people_(people), sums_(people.attributes()), reports_(people.attributes()) {
        for (const std::size_t size : people.sizes()) {
            true_counts_.emplace_back(size);
            counts_.emplace_back(size);
        }
    }

    /// A person's reconstructed record on [−1,1].
    void add(std::size_t person, std::span<const double> record) {
        const std::size_t d = people_.attributes();
        double total = 0, true_total = 0;
        for (std::size_t j = 0; j < d; ++j) {
            measures_.record += squared(record[j] - people_[person][j]);
            total += value(j, record[j]);
            true_total += value(j, people_[person][j]);
            ++counts_[j][step(j, record[j])];
            ++true_counts_[j][step(j, people_[person][j])];
        }
        if (total == 0 || true_total == 0) return;  // no shares
        double distance = 0;
        for (std::size_t j = 0; j < d; ++j)
            distance += std::abs(value(j, record[j]) / total - value(j, people_[person][j]) / true_total) / 2;
        measures_.row += distance;
        ++rows_;
    }
    /// A report's contribution to an attribute's mean.
    void add_to_mean(std::size_t attribute, double estimate) {
        sums_[attribute] += estimate;
        ++reports_[attribute];
    }

    /// The measures; the distributions are those of the reconstructed values, rounded to the attribute's
    /// steps.
    [[nodiscard]] RecordMeasures measures() const {
        RecordMeasures found = measures_;
        const auto n = static_cast<double>(people_.size()), d = static_cast<double>(people_.attributes());
        found.record /= n * d;
        found.row /= rows_;
        for (std::size_t j = 0; j < people_.attributes(); ++j) {
            found.mean += n * squared(sums_[j] / reports_[j] - people_.means()[j]) / d;
            for (std::size_t v = 0; v < counts_[j].size(); ++v)
                found.variation += std::abs(counts_[j][v] - true_counts_[j][v]) / n / 2 / d;
        }
        return found;
    }
    [[nodiscard]] const std::vector<std::vector<double>>& true_counts() const noexcept {
        return true_counts_;
    }

  private:
    /// A number in an attribute's unit, from 0 to its number of steps − 1.
    [[nodiscard]] double value(std::size_t j, double number) const {
        return (number + 1) / 2 * static_cast<double>(people_.sizes()[j] - 1);
    }
    [[nodiscard]] std::size_t step(std::size_t j, double number) const {
        return static_cast<std::size_t>(
            std::clamp(std::round(value(j, number)), 0.0, static_cast<double>(people_.sizes()[j] - 1)));
    }

    const People& people_;
    RecordMeasures measures_;
    double rows_ = 0;
    std::vector<double> sums_, reports_;
    std::vector<std::vector<double>> counts_, true_counts_;
};

using Run = std::function<RecordMeasures(const People&, double epsilon, bool predict, BitSource&)>;

/// One of the published forms.
template <class Form>
RecordMeasures run_published_form(const People& people, double epsilon, bool predict, BitSource& bits) {
    const Form form(people.attributes(), epsilon);
    const ldp::HaarTree& tree = form.tree();
    const std::size_t d = people.attributes();
    const auto n = static_cast<double>(people.size());
    std::vector<double> leaves(tree.size()), coefficients(tree.size()), bias(d);
    Reconstructions all(people);
    double squares = 0, variance = 0;
    for (std::size_t i = 0; i < people.size(); ++i) {
        std::ranges::fill(leaves, 0);
        std::ranges::copy(people[i], leaves.begin());
        tree.forward(leaves, coefficients);
        if (predict) {
            const PublishedHaar::Law law = form.law(coefficients);
            for (std::size_t j = 0; j < d; ++j) {
                squares += law.variance[j] + squared(law.bias[j]);
                variance += law.variance[j];
                bias[j] += law.bias[j] / n;
            }
        }
        form.perturb(coefficients, bits);
        tree.inverse(coefficients, leaves);
        all.add(i, std::span<const double>(leaves).first(d));
        for (std::size_t j = 0; j < d; ++j) all.add_to_mean(j, leaves[j]);
    }
    RecordMeasures found = all.measures();
    if (!predict) return found;
    const auto count = static_cast<double>(d);
    found.expected_record = squares / n / count;
    found.expected_mean = variance / n / count;
    for (const double one : bias) found.expected_mean += n * squared(one) / count;
    return found;
}

/// Some attributes of each person, drawn evenly, each through a mechanism at an equal part of ε. As many as
/// there are whole multiples of `per_attribute` in ε. A reconstructed record has d/k times the estimates, and
/// 0 elsewhere; `factor` is false without d/k.
RecordMeasures run_some(const char* name, double per_attribute, bool factor, const People& people,
                        double epsilon, bool predict, BitSource& bits) {
    const std::size_t d = people.attributes();
    const std::size_t k = std::clamp(static_cast<std::size_t>(epsilon / per_attribute), std::size_t{1}, d);
    const auto mechanism = mechanism_at(name, epsilon / static_cast<double>(k), "\"min\": -1, \"max\": 1");
    OneReport one(*mechanism);
    const double chance = static_cast<double>(k) / static_cast<double>(d), scale = factor ? 1 / chance : 1;
    Reconstructions all(people);
    std::vector<double> record(d);
    const auto n = static_cast<double>(people.size()), count = static_cast<double>(d);
    double squares = 0, mean = 0;
    std::vector<double> of_squares(d);
    for (std::size_t i = 0; i < people.size(); ++i) {
        std::ranges::fill(record, 0);
        const std::vector<std::size_t> order = shuffled(d, bits);
        for (std::size_t s = 0; s < k; ++s) {
            const std::size_t j = order[s];
            one.draw(people[i].subspan(j, 1), std::span(record).subspan(j, 1), bits);
            if (factor) all.add_to_mean(j, record[j]);
            record[j] *= scale;
        }
        all.add(i, record);
        for (std::size_t j = 0; j < d && !factor; ++j) all.add_to_mean(j, record[j]);
        for (std::size_t j = 0; j < d && predict; ++j) {
            const double x = people[i][j], noise = mechanism->n_variance(x);
            of_squares[j] += x * x / n;
            squares += chance * squared(scale) * (noise + x * x) - 2 * chance * scale * x * x + x * x;
            mean += factor ? noise / chance : chance * (noise + x * x) - squared(chance * x);
        }
    }
    RecordMeasures found = all.measures();
    if (!predict) return found;
    found.expected_record = squares / n / count;
    found.expected_mean = mean / n / count;
    for (std::size_t j = 0; j < d; ++j)
        found.expected_mean += factor
                                   ? (of_squares[j] - squared(people.means()[j])) * (1 / chance - 1) / count
                                   : n * squared((1 - chance) * people.means()[j]) / count;
    return found;
}

/// Duchi's vector mechanism. Without its factor C_d, which the thesis's program sets to 1, all estimates are
/// too small.
RecordMeasures run_duchi(bool factor, const People& people, double epsilon, bool predict, BitSource& bits) {
    const std::size_t d = people.attributes();
    const auto mechanism = mechanism_at("duchi_vector", epsilon, numbers(d));
    OneReport one(*mechanism);
    Reconstructions all(people);
    std::vector<double> record(d);
    one.draw(people[0], record, bits);
    const double scale = factor ? 1 : 1 / std::tanh(epsilon / 2) / std::abs(record[0]);
    const auto n = static_cast<double>(people.size()), count = static_cast<double>(d);
    double variance = 0, squares = 0;
    for (std::size_t i = 0; i < people.size(); ++i) {
        one.draw(people[i], record, bits);
        for (double& number : record) number *= scale;
        all.add(i, record);
        for (std::size_t j = 0; j < d; ++j) {
            all.add_to_mean(j, record[j]);
            if (!predict) continue;
            variance += squared(scale) * mechanism->n_variance(people[i][j]) / n / count;
            squares += squared((1 - scale) * people[i][j]) / n / count;
        }
    }
    RecordMeasures found = all.measures();
    if (!predict) return found;
    found.expected_record = variance + squares;
    found.expected_mean = variance;
    for (const double mean : people.means()) found.expected_mean += n * squared((1 - scale) * mean) / count;
    return found;
}

RecordMeasures run_constant(const People& people, double, bool, BitSource&) {
    Reconstructions all(people);
    const std::vector<double> middle(people.attributes());
    for (std::size_t i = 0; i < people.size(); ++i) all.add(i, middle);
    for (std::size_t j = 0; j < people.attributes(); ++j) all.add_to_mean(j, 0);
    RecordMeasures found = all.measures();
    // The distribution without a question: each value has the same share.
    found.variation = 0;
    for (const std::vector<double>& counts : all.true_counts())
        for (const double count : counts)
            found.variation += std::abs(count / static_cast<double>(people.size()) -
                                        1 / static_cast<double>(counts.size())) /
                               2 / static_cast<double>(people.attributes());
    return found;
}

/// The library: means by `sampled` through `optimal`, and for the distributions shares of one attribute of
/// each person (or of more, from ε = 6 on), made consistent.
RecordMeasures run_library(const People& people, double epsilon, bool predict, BitSource& bits) {
    constexpr double per_attribute = 3;
    RecordMeasures found = run_some("optimal", per_attribute, true, people, epsilon, predict, bits);
    const std::size_t d = people.attributes();
    const std::size_t k = std::clamp(static_cast<std::size_t>(epsilon / per_attribute), std::size_t{1}, d);
    std::vector<Experiment> parts;
    for (const std::size_t size : people.sizes())
        parts.emplace_back(
            "{\"mechanism\": \"auto\", \"epsilon\": " + ldp::shortest(epsilon / static_cast<double>(k)) +
            ", \"domain\": " + std::to_string(size) + "}");
    const Records records(people);
    for (std::size_t i = 0; i < people.size(); ++i) {
        const std::vector<std::size_t> order = shuffled(d, bits);
        for (std::size_t s = 0; s < k; ++s) parts[order[s]].count(records[i].subspan(order[s], 1), bits);
    }
    found.variation = 0;
    for (std::size_t j = 0; j < d; ++j) {
        const std::vector<double> truth = records.table(std::vector{j});
        const std::vector<double> shares = ldp::consistent(
            ldp::view_of(parts[j].mechanism(), parts[j].summary()), ldp::Consistency::norm_sub);
        for (std::size_t v = 0; v < truth.size(); ++v)
            found.variation += std::abs(shares[v] - truth[v]) / 2 / static_cast<double>(d);
    }
    return found;
}

struct RecordRow {
    const char* name;
    Run run;
};

const std::vector<RecordRow>& rows() {
    static const std::vector<RecordRow> all{
        {"not private: printed", run_published_form<PrintedHaar>},
        {"not private: released", run_published_form<ReleasedHaar>},
        {"ldp", run_library},
        {"ldp, at the true epsilon of the printed form",
         [](const People& people, double epsilon, bool predict, BitSource& bits) {
             return run_library(people, PrintedHaar(people.attributes(), epsilon).epsilon(), predict, bits);
         }},
        {"PM",
         [](const People& people, double epsilon, bool predict, BitSource& bits) {
             return run_some("piecewise", 2.5, true, people, epsilon, predict, bits);
         }},
        {"PM without its factor",
         [](const People& people, double epsilon, bool predict, BitSource& bits) {
             return run_some("piecewise", 2.5, false, people, epsilon, predict, bits);
         }},
        {"Duchi", [](const People& people, double epsilon, bool predict,
                     BitSource& bits) { return run_duchi(true, people, epsilon, predict, bits); }},
        {"Duchi with C_d = 1",
         [](const People& people, double epsilon, bool predict, BitSource& bits) {
             return run_duchi(false, people, epsilon, predict, bits);
         }},
        {"the constant answer", run_constant}};
    return all;
}

struct ThesisPlace {
    double x, epsilon;
    const People* people;
};

/// Four panels: the thesis's measures and the population's of errors and of distributions.
void compare_records(const std::string& title, const std::string& x, const std::vector<ThesisPlace>& places,
                     std::size_t repetitions, std::uint64_t seed, std::vector<Panel>& panels) {
    const std::size_t cells = rows().size() * places.size();
    std::vector<std::vector<RecordMeasures>> all(cells, std::vector<RecordMeasures>(repetitions));
    Progress progress(title, cells * repetitions);
    in_parallel(cells * repetitions, [&](std::size_t job) {
        const std::size_t cell = job % cells, repetition = job / cells;
        const ThesisPlace& place = places[cell % places.size()];
        ldp::simulation::SeededBits bits(seed + job);
        all[cell][repetition] =
            rows()[cell / places.size()].run(*place.people, place.epsilon, repetition == 0, bits);
        progress.step();
    });
    const struct {
        const char *name, *y;
        double RecordMeasures::*found;
        double RecordMeasures::*expected;
    } measures[] = {
        {"records", "mean squared error of a reconstructed entry", &RecordMeasures::record,
         &RecordMeasures::expected_record},
        {"means", "n times the squared error of a mean", &RecordMeasures::mean,
         &RecordMeasures::expected_mean},
        {"rows", "variation distance of a normalised record", &RecordMeasures::row, nullptr},
        {"distributions", "variation distance of a distribution", &RecordMeasures::variation, nullptr}};
    for (const auto& [name, y, found, expected] : measures) {
        Panel& panel = panels.emplace_back(Panel{title + ": " + name, x, y, {}, {}});
        for (const ThesisPlace& place : places) panel.marks.push_back(place.x);
        for (std::size_t r = 0; r < rows().size(); ++r) {
            Curve& curve = panel.curves.emplace_back(Curve{rows()[r].name, {}});
            for (std::size_t p = 0; p < places.size(); ++p) {
                const std::vector<RecordMeasures>& cell = all[r * places.size() + p];
                Point& point = curve.points.emplace_back(Point{places[p].x, {}, {}, 0.02});
                for (const RecordMeasures& one : cell) point.found.push_back(one.*found);
                if (expected != nullptr && !std::isnan(cell[0].*expected))
                    point.expected.push_back(cell[0].*expected);
            }
        }
    }
}

}  // namespace

Figure thesis_figure(const Setup& setup, const People& census) {
    constexpr std::size_t people = 10000, all_attributes = 16;
    Figure figure{"thesis", {}};
    const People both = with_minutes(census, people, all_attributes);
    std::vector<ThesisPlace> places;
    for (const double epsilon : {0.5, 1.0, 2.0, 4.0}) places.push_back({epsilon, epsilon, &both});
    compare_records(both.title(), "claimed epsilon", places, setup.repetitions, 31000000, figure.panels);

    std::vector<People> columns;
    for (const std::size_t d : {6, 8, 12, 16}) columns.push_back(with_minutes(census, people, d));
    places.clear();
    for (const People& some : columns) places.push_back({static_cast<double>(some.attributes()), 1, &some});
    compare_records("first attributes with Syn, epsilon 1", "attributes", places, setup.repetitions, 33000000,
                    figure.panels);

    std::vector<People> sets{census};
    std::vector<double> names{2};
    std::string synthetic;
    for (const int number : {4, 7, 8, 10, 11, 14}) {
        sets.push_back(thesis_data(setup.data, number));
        names.push_back(number);
        if (sets.back().title().starts_with("synthetic")) synthetic += " " + std::to_string(number);
    }
    const std::string title =
        "data sets, epsilon 1" +
        (synthetic.empty() ? synthetic : " (synthetic answers for the missing sets" + synthetic + ")");
    places.clear();
    for (std::size_t i = 0; i < sets.size(); ++i) places.push_back({names[i], 1, &sets[i]});
    compare_records(title, "data set", places, setup.repetitions, 35000000, figure.panels);

    for (const std::size_t count : {100, 10000})
        compare_counts(census, count, setup.repetitions, figure.panels);
    compare_rounds(census, setup.repetitions, figure.panels);
    figure.panels.push_back(compare_times(census));
    return figure;
}

}  // namespace evaluation
