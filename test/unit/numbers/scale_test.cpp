// Estimates of numbers scale with their range, for ranges from 10^-300 to 10^300 wide, and up to 10^15
// widths away from 0. The same reports are decoded under many ranges, because only the parameter block
// contains the range, not the payload or the state.

#include <cmath>

#include "core/groups/change.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/queries/distribution.hpp"
#include "core/summary/queries/learn.hpp"
#include "core/summary/queries/robust_interval.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(scale)

namespace {

struct Ends {
    double min, max;
    [[nodiscard]] double width() const { return max - min; }
    /// Where a value on [0,1] is.
    [[nodiscard]] double at(double unit) const { return min + width() * unit; }
};

// The last two are 2^49 widths away from 0, where eighths of the width are still numbers.
const Ends ranges[] = {{0, 1e-300},
                       {0, 1e-200},
                       {0, 3e-162},
                       {0, 1},
                       {0, 1e155},
                       {0, 1e300},
                       {-1e-300, 1e-300},
                       {-5e299, 5e299},
                       {1e15, 1e15 + 8},
                       {-1e15, -1e15 + 1},
                       {0x1p-947, 0x1p-947 + 0x1p-996},
                       {0x1p+1009, 0x1p+1009 + 0x1p+960}};

std::string attributes(const Ends& ends, std::size_t d) {
    std::string all = "\"attributes\": [";
    for (std::size_t j = 0; j < d; ++j)
        all += std::string(j == 0 ? "" : ", ") + "{\"name\": \"x" + std::to_string(j) +
               "\", \"min\": " + text(ends.min) + ", \"max\": " + text(ends.max) + "}";
    return all + "]";
}

/// Reports read under a range, where [0,1] says what is expected.
class Scale {
  public:
    Scale(const Ends& ends, const std::string& context) : ends_(ends), context_(context) {}

    void value(double found, double unit) const {
        if (std::isnan(unit) != std::isnan(found)) BOOST_ERROR(context_ << ": known here, not there");
        if (std::isnan(unit)) return;
        const double slack =
            1e-9 * ends_.width() * (1 + std::abs(unit)) + 1e-15 * (std::abs(ends_.min) + std::abs(ends_.max));
        BOOST_CHECK_MESSAGE(std::abs(found - ends_.at(unit)) <= slack,
                            context_ << ": " << found << " instead of " << ends_.at(unit));
    }
    /// Of errors, which do not move.
    void length(double found, double unit) const { length(found, unit, 0); }
    /// Of a difference of values, each of them rounded.
    void difference(double found, double unit) const {
        length(found, unit, 2e-15 * (std::abs(ends_.min) + std::abs(ends_.max)) / ends_.width());
    }
    void interval(const Interval& found, const Interval& unit) const {
        value(found.lower, unit.lower);
        value(found.upper, unit.upper);
    }
    void mean(const Estimate& found, const Estimate& unit) const {
        value(found.value, unit.value);
        length(found.standard_error, unit.standard_error);
    }
    /// Shares, which have nothing to do with it.
    void share(const Estimate& found, const Estimate& unit) const {
        for (const double apart : {found.value - unit.value, found.standard_error - unit.standard_error})
            BOOST_CHECK_MESSAGE(std::abs(apart) <= 1e-9, context_ << ": a share moved by " << apart);
    }

    void means(const SummaryView& found, const SummaryView& unit) const;
    void groups(const SummaryView& found, const SummaryView& unit) const;
    void distribution(const SummaryView& found, const SummaryView& unit) const;
    void changes(const SummaryView& before, const SummaryView& after, const SummaryView& unit_before,
                 const SummaryView& unit_after) const;
    void learnt(const SummaryView& found, const SummaryView& unit) const;

  private:
    void length(double found, double unit, double slack) const {
        if (std::isnan(unit) != std::isnan(found)) BOOST_ERROR(context_ << ": known here, not there");
        if (std::isnan(unit)) return;
        BOOST_CHECK_MESSAGE(std::abs(found / ends_.width() - unit) <= 1e-9 * (1e-3 + std::abs(unit)) + slack,
                            context_ << ": " << found / ends_.width() << " widths instead of " << unit);
    }

    Ends ends_;
    std::string context_;
};

constexpr Target targets[] = {Target::sample, Target::population};

void Scale::means(const SummaryView& found, const SummaryView& unit) const {
    for (const Target target : targets) {
        const auto ours = estimate(found, {Quantity::means, target}),
                   theirs = estimate(unit, {Quantity::means, target});
        for (std::size_t j = 0; j < ours.size(); ++j) mean(ours[j], theirs[j]);
        const RobustInterval bound(found, {Quantity::means}, 0.1, 2),
            unit_bound(unit, {Quantity::means}, 0.1, 2);
        interval(bound(ours[0]), unit_bound(theirs[0]));
    }
    const Interval bias = found.mechanism->promised_bias(0, 0.1),
                   unit_bias = unit.mechanism->promised_bias(0, 0.1);
    difference(bias.lower, unit_bias.lower);
    difference(bias.upper, unit_bias.upper);
    difference(found.mechanism->promised_influence(0), unit.mechanism->promised_influence(0));
}

void Scale::groups(const SummaryView& found, const SummaryView& unit) const {
    const std::size_t d = found.mechanism->cells().size();
    for (const Target target : targets)
        for (std::size_t first = 0; first < d; ++first)
            for (std::size_t last = first; last < d; ++last)
                mean(group_mean(found, first, last, target), group_mean(unit, first, last, target));
}

void Scale::distribution(const SummaryView& found, const SummaryView& unit) const {
    length(resolution(found), resolution(unit));
    const Distribution fit = decode(found, Smoothing::binomial), unit_fit = decode(unit, Smoothing::binomial);
    for (std::size_t i = 0; i < fit.edges.size(); ++i) value(fit.edges[i], unit_fit.edges[i]);
    BOOST_CHECK(fit.shares == unit_fit.shares);
    constexpr double shares[] = {0.1, 0.5, 0.9};
    for (const double at : shares) value(fit.quantile(at), unit_fit.quantile(at));
    for (const Target target : targets) {
        for (const double low : {-1.0, 0.0, 0.25, 0.375, 1.0, 2.0}) {
            share(cdf(found, ends_.at(low), target), cdf(unit, low, target));
            for (const double high : {0.5, 1.0, 1.5})
                if (low <= high)
                    share(share_between(found, ends_.at(low), ends_.at(high), target),
                          share_between(unit, low, high, target));
        }
        const auto bins = histogram(found, 5, target), unit_bins = histogram(unit, 5, target);
        for (std::size_t i = 0; i < bins.size(); ++i) share(bins[i], unit_bins[i]);
        const auto places = quantiles(found, shares, 0.95, target),
                   unit_places = quantiles(unit, shares, 0.95, target);
        for (std::size_t i = 0; i < places.size(); ++i) {
            value(places[i].value, unit_places[i].value);
            interval(places[i].interval, unit_places[i].interval);
        }
    }
}

void Scale::changes(const SummaryView& before, const SummaryView& after, const SummaryView& unit_before,
                    const SummaryView& unit_after) const {
    for (const Target target : targets)
        for (const double kept : {0.0, 0.7}) {
            const auto found = change(before, after, kept, 2, target),
                       unit = change(unit_before, unit_after, kept, 2, target);
            for (std::size_t j = 0; j < found.size(); ++j) {
                difference(found[j].difference.value, unit[j].difference.value);
                length(found[j].difference.standard_error, unit[j].difference.standard_error);
                difference(found[j].interval.lower, unit[j].interval.lower);
                difference(found[j].interval.upper, unit[j].interval.upper);
            }
        }
}

void Scale::learnt(const SummaryView& found, const SummaryView& unit) const {
    const auto ours = learn_ranges(found, 0.8), theirs = learn_ranges(unit, 0.8);
    BOOST_REQUIRE_EQUAL(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
        BOOST_CHECK_EQUAL(ours[i].coefficient, theirs[i].coefficient);
        if (ours[i].coefficient) {
            BOOST_CHECK_EQUAL(ours[i].low, theirs[i].low);
            BOOST_CHECK_EQUAL(ours[i].high, theirs[i].high);
        } else {
            interval({ours[i].low, ours[i].high}, {theirs[i].low, theirs[i].high});
        }
    }
}

struct ScaleCase {
    const char* mechanism;
    std::string rest;
    std::size_t attributes = 1;
    bool from_zero = false;
};

/// Asks a mechanism about 400 people's reports under every range.
template <class Ask>
void under_every_range(const ScaleCase& question, Ask ask) {
    const auto with = [&](const Ends& ends) {
        return mechanism(question.mechanism, 1.5, attributes(ends, question.attributes) + question.rest);
    };
    const auto unit = with({0, 1});
    SeededBits bits(2701);
    OwnedSummary before(*unit), after(*unit);
    const auto draw = [&](OwnedSummary& into, std::uint64_t most) {
        std::vector<Cell> cells = unit->cells();
        for (Cell& cell : cells) cell = bits.below(cell * most / 8);
        into.draw(cells, bits);
    };
    for (int person = 0; person < 400; ++person) draw(before, 6), draw(after, 8);
    for (const Ends& ends : ranges) {
        if (question.from_zero && ends.min != 0) continue;
        const auto m = with(ends);
        const auto view = [](const Mechanism& of, const OwnedSummary& summary) {
            const bool kept = of.header().kept;
            return SummaryView{{400, summary.state()}, &of, kept ? Rounds{1, 3} : Rounds::unrecorded()};
        };
        const Scale scale(ends, question.mechanism + (" on [" + text(ends.min)) + "," + text(ends.max) + "]");
        ask(scale, view(*m, before), view(*unit, before), view(*m, after), view(*unit, after));
    }
}

const std::string kept = R"(, "evolving": {}, "budget": {"epsilon": 1000, "report_spent": false})";

}  // namespace

BOOST_AUTO_TEST_CASE(a_number_moves_with_its_range) {
    for (const ScaleCase& question :
         std::initializer_list<ScaleCase>{{"piecewise", ""},
                                          {"pdp", ""},
                                          {"hybrid", ""},
                                          {"optimal", ""},
                                          {"duchi", ""},
                                          {"laplace", R"(, "grid": 64)"},
                                          {"onebit", "", 1, true},
                                          {"onebit", R"(, "report_epsilon": 0.5)" + kept, 1, true},
                                          {"pdp", kept},
                                          {"square_wave", R"(, "grid": 64)"},
                                          {"haar_ordered", R"(, "grid": 8)"},
                                          {"tree", R"(, "grid": 8)"},
                                          {"dithered", R"(, "grid": 8)"},
                                          {"dithered", R"(, "grid": 64)" + kept},
                                          {"tree", R"(, "grid": 64)" + kept},
                                          {"haar_ordered", R"(, "grid": 64)" + kept}}) {
        const bool fresh = question.rest.find("evolving") == std::string::npos;
        under_every_range(question, [&](const Scale& scale, const SummaryView& found, const SummaryView& unit,
                                        const SummaryView& after, const SummaryView& unit_after) {
            scale.means(found, unit);
            if (fresh) scale.changes(found, after, unit, unit_after);
            if (find_capability<Ordered>(*found.mechanism) == nullptr) return;
            scale.distribution(found, unit);
            scale.learnt(found, unit);
        });
    }
}

BOOST_AUTO_TEST_CASE(a_vector_moves_with_its_range) {
    for (const ScaleCase& question :
         std::initializer_list<ScaleCase>{{"haar", "", 5},
                                          {"haar", R"(, "details": "global")", 5},
                                          {"haar", kept, 5},
                                          {"duchi_vector", "", 5},
                                          {"gaussian", R"(, "delta": 1e-6, "norm": 1)", 5},
                                          {"ball", R"(, "norm": 1)", 5},
                                          {"sampled", "", 5},
                                          {"sampled", R"(, "per_report": 2)", 5}}) {
        const bool fresh = question.rest.find("evolving") == std::string::npos;
        under_every_range(question, [&](const Scale& scale, const SummaryView& found, const SummaryView& unit,
                                        const SummaryView& after, const SummaryView& unit_after) {
            scale.means(found, unit);
            scale.groups(found, unit);
            if (fresh) scale.changes(found, after, unit, unit_after);
        });
    }
    under_every_range({"haar_ranges", "", 5},
                      [](const Scale& scale, const SummaryView& found, const SummaryView& unit,
                         const SummaryView&, const SummaryView&) { scale.learnt(found, unit); });
}

// Each attribute has a width of its own: the mean of two is ruled by the wider one.
BOOST_AUTO_TEST_CASE(groups_of_very_different_widths_have_finite_errors) {
    SeededBits bits(2702);
    for (const char* name : {"haar", "duchi_vector", "sampled"}) {
        const auto m = mechanism(name, 2, R"("attributes": [{"name": "a", "min": 0, "max": 1e-250},
                                             {"name": "b", "min": 0, "max": 1e250}])");
        OwnedSummary summary(*m);
        for (int person = 0; person < 400; ++person) summary.draw(std::vector<Cell>{5, 9}, bits);
        const Estimate both = group_mean(summary.view(), 0, 1, Target::population),
                       wide = group_mean(summary.view(), 1, 1, Target::population),
                       narrow = group_mean(summary.view(), 0, 0, Target::population);
        BOOST_CHECK_GT(both.standard_error, 0.4 * wide.standard_error);
        BOOST_CHECK_LT(both.standard_error, 0.9 * wide.standard_error);
        BOOST_CHECK_GT(narrow.standard_error, 0);
        BOOST_CHECK_LT(narrow.standard_error, 1e-250);
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
