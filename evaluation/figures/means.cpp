// Means of many attributes: n times the mean squared error, averaged over the attributes.

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>

#include "../competitors/published_haar.hpp"
#include "../shared/mean_methods.hpp"
#include "../shared/parallel.hpp"
#include "core/mechanism/role/estimate.hpp"
#include "panels.hpp"
#include "simulation/seeded_random.hpp"

namespace evaluation {

namespace {

using Form = std::function<std::unique_ptr<const PublishedHaar>(std::size_t attributes, double epsilon)>;

std::unique_ptr<const PublishedHaar> printed(std::size_t attributes, double epsilon) {
    return std::make_unique<const PrintedHaar>(attributes, epsilon);
}

std::unique_ptr<const PublishedHaar> released(std::size_t attributes, double epsilon) {
    return std::make_unique<const ReleasedHaar>(attributes, epsilon);
}

/// Not private, whatever ε says.
Outcome run_published(const Form& form, const People& people, double epsilon, bool predict,
                      ldp::BitSource& bits) {
    const std::size_t d = people.attributes();
    const auto published = form(d, epsilon);
    const ldp::HaarTree& tree = published->tree();
    const auto n = static_cast<double>(people.size());
    std::vector<double> leaves(tree.size()), coefficients(tree.size()), mean(tree.size());
    std::vector<double> variance(d), bias(d);
    for (std::size_t i = 0; i < people.size(); ++i) {
        std::ranges::copy(people[i], leaves.begin());  // the rest stays 0
        tree.forward(leaves, coefficients);
        if (predict) {
            const PublishedHaar::Law law = published->law(coefficients);
            for (std::size_t j = 0; j < d; ++j)
                variance[j] += law.variance[j] / n, bias[j] += law.bias[j] / n;
        }
        published->perturb(coefficients, bits);
        for (std::size_t c = 0; c < tree.size(); ++c) mean[c] += coefficients[c] / n;
    }
    std::vector<double> estimates(tree.size());
    tree.inverse(mean, estimates);
    Outcome outcome{n_squared_error(people, estimates), predict ? 0 : ldp::unknown};
    if (predict)
        for (std::size_t j = 0; j < d; ++j)
            outcome.predicted += (variance[j] + n * bias[j] * bias[j]) / static_cast<double>(d);
    return outcome;
}

/// The variance of a leaf of a person's report, averaged over leaves and people.
double leaf_variance(const PublishedHaar& published, const People& people) {
    const std::size_t d = people.attributes();
    const ldp::HaarTree& tree = published.tree();
    std::vector<double> leaves(tree.size()), coefficients(tree.size());
    double sum = 0;
    for (std::size_t i = 0; i < people.size(); ++i) {
        std::ranges::copy(people[i], leaves.begin());  // the rest stays 0
        tree.forward(leaves, coefficients);
        const PublishedHaar::Law law = published.law(coefficients);
        sum =
            std::accumulate(law.variance.begin(), law.variance.begin() + static_cast<std::ptrdiff_t>(d), sum);
    }
    return sum / static_cast<double>(people.size() * d);
}

struct MeanCompetitor {
    Method method;
    Form published = {};  ///< published form; if any, its true ε is printed, too
};

std::vector<MeanCompetitor> contenders() {
    std::vector<MeanCompetitor> all{
        {method("haar, sampled")}, {method("haar, global")},  {method("haar, learnt ranges")},
        {sampled_by("optimal")},   {sampled_by("piecewise")}, {sampled_by("hybrid")},
        {method("duchi_vector")},  {sampled_by("duchi")},     {sampled_by("laplace")}};
    for (const auto& [name, form] :
         {std::pair<const char*, Form>{"not private: printed", printed}, {"not private: released", released}})
        all.push_back({{{name},
                        false,
                        [published = form](const People& people, double epsilon, bool predict,
                                           ldp::BitSource& bits) -> std::vector<Outcome> {
                            return {run_published(published, people, epsilon, predict, bits)};
                        }},
                       form});
    return all;
}

/// One place on the x axis.
struct AxisPoint {
    double x, epsilon;
    const People* people;
};

enum class True { is_reported, is_not };

/// Everything at every place. Where x is ε, the published form stands a second time at what it truly is.
Panel compare(Panel panel, const std::vector<AxisPoint>& places, std::size_t repetitions, True epsilon) {
    const std::vector<MeanCompetitor> all = contenders();
    const std::size_t cells = all.size() * places.size();
    std::vector<Point> points(cells);
    for (std::size_t cell = 0; cell < cells; ++cell)
        points[cell] = {places[cell % places.size()].x, std::vector<double>(repetitions),
                        std::vector<double>(all[cell / places.size()].method.adaptive ? repetitions : 1)};
    // A job is a repetition at one place, with a seed of its own, so that threads do not change a figure.
    Progress progress(panel.title, cells * repetitions);
    in_parallel(cells * repetitions, [&](std::size_t job) {
        const std::size_t cell = job % cells, repetition = job / cells;
        const AxisPoint& place = places[cell % places.size()];
        const Method& method = all[cell / places.size()].method;
        Point& point = points[cell];
        const bool predict = repetition < point.expected.size();
        ldp::simulation::SeededBits bits(1000003 * place.people->attributes() + job);
        const Outcome outcome = method.run(*place.people, place.epsilon, predict, bits)[0];
        point.found[repetition] = outcome.error;
        if (predict) point.expected[repetition] = outcome.predicted;
        progress.step();
    });
    for (const AxisPoint& place : places) panel.marks.push_back(place.x);
    std::vector<Curve> again;  // behind the others, so that a method has one colour in all panels
    for (std::size_t c = 0; c < all.size(); ++c) {
        Curve& curve = panel.curves.emplace_back(Curve{all[c].method.names[0], {}});
        for (std::size_t p = 0; p < places.size(); ++p)
            curve.points.push_back(std::move(points[c * places.size() + p]));
        if (!all[c].published || epsilon == True::is_not) continue;
        Curve truly{curve.name + ", at its true one", curve.points};
        for (std::size_t p = 0; p < places.size(); ++p)
            truly.points[p].x =
                all[c].published(places[p].people->attributes(), places[p].epsilon)->epsilon();
        if (std::isinf(truly.points[0].x))
            curve.name += " (unbounded)";
        else
            panel.marks.push_back(truly.points.back().x), again.push_back(std::move(truly));
    }
    std::ranges::move(again, std::back_inserter(panel.curves));
    return panel;
}

}  // namespace

void print_published(const People& census, std::ostream& out) {
    check_published_haar();
    out << "The published Haar pipeline at a claimed epsilon of 1 truly costs 16 with 15 details, and 1 more "
           "for "
           "the mean; as released, it has no bound. Variance of a leaf of a report, "
        << census.title() << ":";
    for (const double epsilon : {1, 2, 4})
        out << "  " << leaf_variance(*printed(census.attributes(), epsilon), census) << " (printed, epsilon "
            << epsilon << ")";
    out << "\n";
}

Figure means_figure(const Setup& setup, const People& census) {
    const char* const error = "n times the squared error of a mean";
    Figure figure{"means", {}};
    std::vector<AxisPoint> places;
    for (const double epsilon : epsilons) places.push_back({epsilon, epsilon, &census});
    figure.panels.push_back(compare({census.title(), "epsilon of a person", error, {}, {}}, places,
                                    setup.repetitions, True::is_reported));

    // Many, since ranges can only be learnt from many.
    const People decoded_values = days(200000);
    places.clear();
    for (const double epsilon : {1, 2, 4}) places.push_back({epsilon, epsilon, &decoded_values});
    figure.panels.push_back(compare({decoded_values.title(), "epsilon of a person", error, {}, {}}, places,
                                    least_repetitions, True::is_reported));

    const std::size_t fewer = std::max(least_repetitions, setup.repetitions / 2);
    std::vector<People> columns;
    for (const std::size_t d : {5, 10, 15}) columns.push_back(census.first(d));
    std::vector<People> synthetic;
    for (const std::size_t d : {5, 10, 20, 50, 100}) synthetic.push_back(days(20000, d));
    for (const auto& [title, sets] :
         {std::pair<std::string, const std::vector<People>&>{"the census's first columns", columns},
          {"smooth days", synthetic}}) {
        places.clear();
        for (const People& people : sets)
            places.push_back({static_cast<double>(people.attributes()), 1, &people});
        figure.panels.push_back(compare({title + ", epsilon 1", "number of attributes", error, {}, {}},
                                        places, fewer, True::is_not));
    }

    const People workers = employees();
    places.clear();
    for (const People* people : {&workers, &census, &decoded_values})
        places.push_back({static_cast<double>(people->attributes()), 1, people});
    figure.panels.push_back(compare({"employees (CPS 1988), census, smooth days; epsilon 1",
                                     "attributes (CPS, census, days)",
                                     error,
                                     {},
                                     {}},
                                    places, least_repetitions, True::is_not));
    return figure;
}

}  // namespace evaluation
