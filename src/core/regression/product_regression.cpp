#include "core/regression/product_regression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/contract/json_object.hpp"
#include "core/contract/labels.hpp"
#include "core/contract/products.hpp"
#include "core/mechanism/mean/response_rate.hpp"
#include "core/mechanism/role/error_law.hpp"

namespace ldp {

namespace {

/// A denominator must exceed 0 by this number of its standard errors.
constexpr double certain = 5;
/// Coefficients of a regression; solving takes time in proportion to the fourth power.
constexpr std::size_t max_coefficients = 100;

/// The moments of a record, by what they are the means of. Numbers are less the middle of their range, in
/// units of half of it, so that all lie within −1 and 1.
class RecordMoments {
  public:
    explicit RecordMoments(const Joint& joint)
        : all_(joint.attributes),
          reports_(static_cast<double>(joint.view.n)),
          moments_(joint.view, joint.target),
          zero_(moments_.constant(0)) {
        if (all_.size() != joint.view.mechanism->cells().size())
            raise(ErrorCode::invalid_value, "the attributes of these reports are unknown",
                  "The spec with this fingerprint has " + std::to_string(all_.size()) +
                      " attributes; the reports have " +
                      std::to_string(joint.view.mechanism->cells().size()) + ".",
                  "Use the spec of the collection that received the reports.");
    }

    [[nodiscard]] std::size_t number(const std::string& name) const {
        const std::size_t place = called(name);
        if (!all_[place].numeric())
            raise(ErrorCode::invalid_value, "\"" + name + "\" is a category",
                  "Covariances and regressions are defined for numbers.",
                  "A category can be the group of a regression.");
        return place;
    }
    [[nodiscard]] std::size_t category(const std::string& name) const {
        const std::size_t place = called(name);
        if (all_[place].numeric())
            raise(ErrorCode::invalid_value, "\"" + name + "\" is a number",
                  "Groups are values of a category.", "A number can be a predictor.");
        return place;
    }
    [[nodiscard]] double middle(std::size_t j) const { return all_[j].min / 2 + all_[j].max / 2; }
    [[nodiscard]] double half(std::size_t j) const { return all_[j].max / 2 - all_[j].min / 2; }
    [[nodiscard]] std::string name(const Factor& factor) const { return factor_name(all_, factor); }
    [[nodiscard]] std::size_t values(std::size_t category) const { return all_[category].domain; }

    /// Places among the moments.
    [[nodiscard]] std::size_t zero() const noexcept { return zero_; }
    std::size_t one() { return moments_.constant(1); }
    std::size_t mean(const Factor& factor) {
        return once(factor.attribute, factor.value.value_or(0), [&] {
            return factor.value ? moments_.share(factor.attribute, *factor.value)
                                : moments_.mean(factor.attribute, middle(factor.attribute), unit(factor));
        });
    }
    [[nodiscard]] bool has_product(const Factor& a, const Factor& b) const {
        return find_product(all_, a, b) < all_.size();
    }
    std::size_t product(const Factor& a, const Factor& b) {
        const std::size_t place = find_product(all_, a, b);
        if (place == all_.size()) missing(a, b);
        return once(place, 0, [&] { return moments_.mean(place, 0, unit(a) * unit(b)); });
    }

    [[nodiscard]] const MomentEstimator& estimates() const noexcept { return moments_; }
    [[nodiscard]] double value(std::size_t place) const { return moments_.values()[place]; }
    /// E[ab] − E[a]E[b].
    MomentFunction covariance(const Factor& a, const Factor& b) {
        const std::size_t ab = product(a, b), one = mean(a), other = mean(b);
        MomentFunction found{value(ab) - value(one) * value(other), gradient()};
        found.gradient[ab] += 1;
        found.gradient[one] -= value(other);
        found.gradient[other] -= value(one);
        return found;
    }
    [[nodiscard]] std::vector<double> gradient() const {
        return std::vector<double>(moments_.values().size());
    }
    /// Whether all moments are known and have enough reports.
    [[nodiscard]] bool known() const {
        return moments_.enough() &&
               std::ranges::none_of(moments_.values(), [](double value) { return std::isnan(value); });
    }
    [[nodiscard]] bool certainly_positive(const MomentFunction& denominator) const {
        return positive(denominator, certain);
    }
    /// Whether a denominator is above 0 by more than this number of its standard errors.
    [[nodiscard]] bool positive(const MomentFunction& denominator, double errors) const {
        return denominator.value > errors * moments_.standard_error(denominator.gradient);
    }
    /// The note of an interval without a limit that follows from the reports.
    [[nodiscard]] std::string note(const MomentFunction& denominator, const std::string& what) const {
        return what + " is not significantly greater than 0: collect " +
               reports_needed(moments_.estimate(denominator)) + " reports";
    }
    /// Returns how far the values that Fieller's method accepts reach below and above the estimate of a quotient. The
    /// denominator must be positive() by the critical value.
    [[nodiscard]] std::pair<double, double> reach(const MomentFunction& quotient,
                                                  const MomentFunction& denominator,
                                                  double critical_value) const {
        // numerator − (quotient + off)·denominator, whose expectation is 0 at the true value.
        const auto accepted = [&](double off) {
            MomentFunction difference{-off * denominator.value, gradient()};
            for (std::size_t m = 0; m < difference.gradient.size(); ++m)
                difference.gradient[m] =
                    denominator.value * quotient.gradient[m] - off * denominator.gradient[m];
            return std::abs(difference.value) <=
                   critical_value * moments_.standard_error(difference.gradient);
        };
        const double least =
            denominator.value - critical_value * moments_.standard_error(denominator.gradient);
        const double most =
            critical_value * denominator.value * moments_.standard_error(quotient.gradient) / least;
        return {-last_accepted(0, -most, accepted), last_accepted(0, most, accepted)};
    }

  private:
    /// The required number of reports if the estimate of a denominator is exact. A standard error falls with
    /// the root of the number of reports. If an estimate is below its own error, only a lower bound is known.
    [[nodiscard]] std::string reports_needed(const Estimate& denominator) const {
        const auto [value, error] = denominator;
        const bool bounded = value > error;
        const double times = certain * (bounded ? error / value : 1);
        const double needed = reports_ * times * times;
        constexpr double most = 0x1p53;
        if (!(needed < most)) return "far more than " + rounded(reports_, 3);
        const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(std::max(needed, 1.0))) - 1));
        const auto digits = static_cast<std::uint64_t>(std::ceil(needed / unit) * unit);
        return (bounded ? "about " : "more than ") + std::to_string(digits) + " instead of " +
               std::to_string(static_cast<std::uint64_t>(reports_));
    }
    [[nodiscard]] std::size_t called(const std::string& name) const {
        const std::optional<std::size_t> found = find_attribute(all_, name);
        if (found && all_[*found].circular) refuse_direction("\"" + name + "\"");
        if (found && !all_[*found].derived()) return *found;
        std::vector<std::string> names;
        for (const std::size_t j : given(all_)) names.push_back(all_[j].name);
        raise(ErrorCode::invalid_value, "the record has no attribute \"" + shortened(name, 60) + "\"",
              "Its attributes are " + shortened(joined(names), 400) + ".");
    }
    [[noreturn]] void missing(const Factor& a, const Factor& b) const {
        const auto written = [&](const Factor& factor) { return json_text(factor_json(all_, factor)); };
        raise(ErrorCode::unsupported,
              "the reports do not contain the product of " + name(a) + " and " + name(b),
              "No attribute of the record is {\"product\": [" + written(a) + ", " + written(b) + "]}.",
              "Declare it in the spec as an attribute, or declare all products of a regression by "
              "\"regression\".");
    }
    [[nodiscard]] double unit(const Factor& factor) const {
        return factor.value ? 1 : half(factor.attribute);
    }
    template <class Ask>
    std::size_t once(std::size_t attribute, std::uint64_t value, Ask ask) {
        const auto known = asked_.find({attribute, value});
        return known != asked_.end() ? known->second : asked_[{attribute, value}] = ask();
    }

    std::span<const Attribute> all_;
    double reports_;
    MomentEstimator moments_;
    std::size_t zero_;
    std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> asked_;
};

constexpr Estimate nothing{unknown, unknown};

/// left + factor·right, in place.
void add(MomentFunction& left, double factor, const MomentFunction& right) {
    left.value += factor * right.value;
    for (std::size_t m = 0; m < left.gradient.size(); ++m) left.gradient[m] += factor * right.gradient[m];
}

/// An estimate in another unit, whose square may overflow.
Estimate scaled(double unit, const Estimate& estimate) {
    return {unit * estimate.value, unit * estimate.standard_error};
}

}  // namespace

MomentEstimate covariance(const Joint& joint, const std::string& x, const std::string& y,
                          double critical_value) {
    RecordMoments moments(joint);
    const Factor a{moments.number(x), {}}, b{moments.number(y), {}};
    const MomentFunction found = moments.covariance(a, b);
    const std::size_t scarcest = moments.estimates().scarcest();
    if (!moments.known()) return {nothing, {unknown, unknown}, scarcest};
    const Estimate estimate =
        scaled(moments.half(a.attribute) * moments.half(b.attribute), moments.estimates().estimate(found));
    return {estimate, interval(estimate, critical_value, ErrorLaw{}), scarcest};
}

MomentEstimate correlation(const Joint& joint, const std::string& x, const std::string& y,
                           double critical_value) {
    RecordMoments moments(joint);
    const Factor a{moments.number(x), {}}, b{moments.number(y), {}};
    static_cast<void>(moments.covariance(a, a));  // a gradient has one element per moment
    static_cast<void>(moments.covariance(b, b));
    const MomentFunction both = moments.covariance(a, b), one = moments.covariance(a, a),
                         other = moments.covariance(b, b);
    const std::size_t scarcest = moments.estimates().scarcest();
    if (!moments.known()) return {nothing, {unknown, unknown}, scarcest};
    constexpr Interval whole{-1, 1};
    const auto not_positive = [&](const MomentFunction& variance, const std::string& of) -> MomentEstimate {
        return {nothing, whole, scarcest, moments.note(variance, "the variance of \"" + of + "\"")};
    };
    if (!moments.positive(one, critical_value)) return not_positive(one, x);
    if (!moments.positive(other, critical_value)) return not_positive(other, y);
    MomentFunction spread{std::sqrt(one.value * other.value), moments.gradient()};
    for (std::size_t m = 0; m < spread.gradient.size(); ++m)
        spread.gradient[m] =
            spread.value / 2 * (one.gradient[m] / one.value + other.gradient[m] / other.value);
    const double estimate = both.value / spread.value;
    // both − ρ·spread, whose error is known for every ρ; for the true one it is 0.
    const auto off = [&](double correlation) {
        MomentFunction difference = both;
        add(difference, -correlation, spread);
        return moments.estimates().estimate(difference);
    };
    // The most distant ρ between the estimate and this end that is compatible with its error.
    const auto furthest = [&](double end) {
        double inside = std::clamp(estimate, -1.0, 1.0), outside = end;
        for (int i = 0; i < 60; ++i) {
            const double middle = i == 0 ? end : std::midpoint(inside, outside);
            const auto [distance, error] = off(middle);
            (std::abs(distance) <= critical_value * error ? inside : outside) = middle;
        }
        return inside;
    };
    return {{estimate, off(estimate).standard_error / spread.value},
            {furthest(whole.lower), furthest(whole.upper)},
            scarcest};
}

Regression regression(const Joint& joint, const RegressionDesign& design, double critical_value) {
    RecordMoments moments(joint);
    const Factor y{moments.number(design.of), {}};
    std::vector<Factor> terms;  // the groups, or none for the intercept; then the predictors
    if (design.group) {
        const std::size_t group = moments.category(*design.group);
        if (moments.values(group) > max_coefficients)
            raise(ErrorCode::unsupported, "a regression has too many groups",
                  "\"" + *design.group + "\" has " + std::to_string(moments.values(group)) +
                      " values; allowed are " + std::to_string(max_coefficients) + " coefficients in all.");
        for (std::uint64_t value = 0; value < moments.values(group); ++value) terms.push_back({group, value});
    }
    const std::size_t intercepts = design.group ? terms.size() : 1;
    std::vector<Factor> predictors;
    for (const std::string& name : design.on) {
        predictors.push_back({moments.number(name), {}});
        if (predictors.back() == y || std::ranges::count(predictors, predictors.back()) > 1)
            raise(ErrorCode::invalid_value, "\"" + name + "\" is named twice in the regression", {},
                  "Name each predictor once, and do not name the dependent variable as a predictor.");
    }
    if (predictors.empty() && !design.group)
        raise(ErrorCode::invalid_value, "a regression needs a predictor or a group", "Found none.",
              "Name one or more numbers, as in ARRAY['education'].");
    if (intercepts + predictors.size() > max_coefficients)
        raise(ErrorCode::unsupported, "a regression has too many coefficients",
              "Found " + std::to_string(intercepts + predictors.size()) + "; allowed are " +
                  std::to_string(max_coefficients) + ".");

    const std::size_t size = intercepts + predictors.size();
    std::vector<std::size_t> gram(size * size, moments.zero()), right(size);
    const auto put = [&](std::size_t i, std::size_t k, std::size_t place) {
        gram[i * size + k] = gram[k * size + i] = place;
    };
    for (std::size_t c = 0; c < intercepts; ++c) {
        put(c, c, design.group ? moments.mean(terms[c]) : moments.one());
        right[c] = design.group ? moments.product(y, terms[c]) : moments.mean(y);
        for (std::size_t j = 0; j < predictors.size(); ++j)
            put(c, intercepts + j,
                design.group ? moments.product(predictors[j], terms[c]) : moments.mean(predictors[j]));
    }
    for (std::size_t j = 0; j < predictors.size(); ++j) {
        right[intercepts + j] = moments.product(predictors[j], y);
        for (std::size_t k = 0; k <= j; ++k)
            put(intercepts + j, intercepts + k, moments.product(predictors[j], predictors[k]));
    }
    const bool whole = moments.has_product(y, y);
    if (whole) static_cast<void>(moments.covariance(y, y));

    Regression found{std::vector<Coefficient>(intercepts), std::vector<Coefficient>(predictors.size()),
                     nothing, whole ? "" : "no attribute of the record is the square of " + design.of,
                     moments.estimates().scarcest()};
    if (!moments.known()) return found;

    const NormalEquations equations(moments.estimates().values(), std::move(gram), std::move(right));
    const auto named = [&](std::size_t i) {
        return i >= intercepts
                   ? "the residual variance of \"" + design.on[i - intercepts] + "\" given the other terms"
               : design.group ? "the share of " + moments.name(terms[i])
                              : "the variance of the predictors";
    };
    // The matrix is positive definite if each term has a variance given the earlier ones.
    std::string singular;
    bool certain_of_all = true;
    for (std::size_t i = 0; i < size; ++i) {
        const MomentFunction left = equations.left_open(i, i + 1);
        certain_of_all = certain_of_all && moments.certainly_positive(left);
        if (singular.empty() && !moments.positive(left, critical_value))
            singular = moments.note(left, named(i));
    }
    const std::vector<MomentFunction> solution = equations.solve();
    const double half = moments.half(y.attribute);
    // The coefficient aᵀγ in its unit. `i` is its term.
    const auto coefficient = [&](std::size_t i, std::span<const double> a, double unit,
                                 double origin) -> Coefficient {
        constexpr double infinite = std::numeric_limits<double>::infinity();
        const MomentFunction denominator = equations.left_open_along(a);
        const bool open = singular.empty() && moments.positive(denominator, critical_value);
        if (!open)
            return {nothing,
                    {-infinite, infinite},
                    singular.empty() ? moments.note(denominator, named(i)) : singular};
        certain_of_all = certain_of_all && moments.certainly_positive(denominator);
        MomentFunction sum{0, moments.gradient()};
        for (std::size_t k = 0; k < size; ++k)
            if (a[k] != 0) add(sum, a[k], solution[k]);
        const auto [below, above] = moments.reach(sum, denominator, critical_value);
        Estimate estimate = scaled(unit, moments.estimates().estimate(sum));
        estimate.value += origin;
        return {estimate, {estimate.value - unit * below, estimate.value + unit * above}};
    };
    for (std::size_t c = 0; c < intercepts; ++c) {  // at predictors of 0, not at the middles of their ranges
        std::vector<double> along(size);
        along[c] = 1;
        for (std::size_t j = 0; j < predictors.size(); ++j) {
            const std::size_t at = predictors[j].attribute;
            along[intercepts + j] = -moments.middle(at) / moments.half(at);
        }
        found.intercepts[c] = coefficient(c, along, half, moments.middle(y.attribute));
    }
    for (std::size_t j = 0; j < predictors.size(); ++j) {
        std::vector<double> along(size);
        along[intercepts + j] = 1;
        found.slopes[j] = coefficient(intercepts + j, along, half / moments.half(predictors[j].attribute), 0);
    }
    if (!whole) return found;

    // 1 − rest/all: `rest` is the unexplained part of E[y²], and `all` the part that E[y] does not explain.
    const MomentFunction all = moments.covariance(y, y);
    if (!certain_of_all) {
        found.r_squared_note = "the predictors have too little variance of their own";
        return found;
    }
    if (!moments.certainly_positive(all)) {
        found.r_squared_note = "the variance of " + design.of + " is not significantly greater than 0";
        return found;
    }
    MomentFunction rest{moments.value(moments.product(y, y)), moments.gradient()};
    rest.gradient[moments.product(y, y)] = 1;
    add(rest, -1, equations.explained());
    MomentFunction explained{1, moments.gradient()};
    add(explained, -1 / all.value, rest);
    for (std::size_t m = 0; m < explained.gradient.size(); ++m)
        explained.gradient[m] += rest.value / all.value * all.gradient[m] / all.value;
    found.r_squared = moments.estimates().estimate(explained);
    return found;
}

}  // namespace ldp
