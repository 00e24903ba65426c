#include "core/choice/plan/plan.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/choice/resolve.hpp"
#include "core/contract/json_object.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace ldp {

namespace {

constexpr double least_epsilon = 0.001, greatest_epsilon = 20;

double checked(std::int64_t people) {
    if (people < 1 || people > static_cast<std::int64_t>(Planning::most_people))
        raise(ErrorCode::invalid_value, "people must be 1 to " + std::to_string(Planning::most_people),
              "Found " + std::to_string(people) + ".");
    return static_cast<double>(people);
}

/// The next number of four digits that is no less.
double rounded_up(double number) {
    const int exponent = static_cast<int>(std::floor(std::log10(number))) - 3;
    constexpr double slack = 1e-9;  // so that what has four digits stays
    const double digits = std::ceil(number / std::pow(10, exponent) - slack);
    return std::stod(std::to_string(std::lround(digits)) + "e" + std::to_string(exponent));
}

/// A spec without what follows from ε. A mechanism that "auto" chose is kept, not why.
Json without_epsilon(Json document) {
    if (!document.is_object()) invalid("the spec must be an object", "Found " + shown(document) + ".");
    for (const char* key : {"epsilon", "derived", "chosen"}) document.erase(key);
    return document;
}

std::optional<double> epsilon_of(const Json& document) {
    if (!document.is_object() || !document.contains("epsilon")) return {};
    const Json& found = document["epsilon"];
    if (!found.is_number()) JsonObject::wrong("epsilon", found, "a number");
    return found.get<double>();
}

/// A report must be paid for.
double most_epsilon(const Json& document) {
    const auto budget = document.is_object() ? document.find("budget") : document.end();
    if (budget == document.end() || !budget->is_object()) return greatest_epsilon;
    const auto most = budget->find("epsilon");
    if (most == budget->end() || !most->is_number()) return greatest_epsilon;
    const auto own = budget->find("at_most");  // the part of a group's budget
    const double limit = own != budget->end() && own->is_number() ? own->get<double>() : HUGE_VAL;
    return std::clamp(std::min(limit, most->get<double>()), least_epsilon, greatest_epsilon);
}

}  // namespace

Planning::Planning(std::string_view spec, std::string_view question) {
    const Json document = parse_json(spec);
    spec_ = json_text(without_epsilon(document));
    epsilon_ = epsilon_of(document);
    most_epsilon_ = most_epsilon(document);
    question_ = PlanningTarget::from_json(question, at(epsilon_.value_or(most_epsilon_)));
}

Spec Planning::at(double epsilon) const {
    Json document = json_of(spec_, Unsound::refused);
    document["epsilon"] = epsilon;
    return resolve(json_text(document));
}

Spec Planning::given() const {
    if (!epsilon_)
        invalid("the spec has no \"epsilon\"", "Two of people, epsilon and error are required.",
                "Add \"epsilon\", or plan for the required epsilon.");
    return at(*epsilon_);
}

double Planning::wanted() const {
    const std::optional<double> wanted = question_.wanted();
    if (!wanted)
        invalid("the planning target has no error", "Two of people, epsilon and error are required.",
                "Add \"error\" (standard error), \"margin\" (half an interval) or \"effect\".");
    return *wanted;
}

double Planning::error_at(double epsilon, double people) const {
    const Spec spec = at(epsilon);
    return predict(*make_mechanism(spec), spec, question_, people).error();
}

std::uint64_t Planning::required_people() const {
    const Spec spec = given();
    const auto mechanism = make_mechanism(spec);
    const double most = wanted();
    const auto error = [&](std::uint64_t people) {
        check_interrupt();
        return predict(*mechanism, spec, question_, static_cast<double>(people)).error();
    };
    if (error(most_people) > most)
        raise(ErrorCode::invalid_value, "no number of people reaches the target error",
              "The target is a standard error of " + shortest(most) + ", and even " +
                  std::to_string(most_people) + " people have a larger error.",
              "The error from clamping does not decrease with more people. Widen the range, or allow a "
              "larger error.");
    double smallest_part = question_.answering;
    if (question_.compared == PlanningTarget::Compared::groups)
        smallest_part *= std::min(question_.part, 1 - question_.part);
    // Most errors fall as 1/√n, so that the place is found at once, and what lies before it tried next.
    std::uint64_t few = static_cast<std::uint64_t>(std::ceil(spec.min_group() / smallest_part)) - 1;
    std::uint64_t many = most_people, next = few + 1;
    while (many - few > 1 + many / 1000000) {
        const double ratio = error(next) / most;
        (ratio <= 1 ? many : few) = next;
        const double guess = std::ceil(static_cast<double>(next) * ratio * ratio);
        const auto inside =
            static_cast<std::uint64_t>(std::clamp(guess, 1.0, static_cast<double>(most_people)));
        next = inside > few && inside < many ? inside : inside == many ? many - 1 : few + (many - few) / 2;
    }
    return many;
}

double Planning::required_epsilon(std::int64_t people) const {
    const double n = checked(people), most = wanted();
    double low = least_epsilon, high = most_epsilon_;
    if (error_at(high, n) > most)
        raise(ErrorCode::invalid_value, "no epsilon reaches the target error",
              "The target is a standard error of " + shortest(most) + ", and at epsilon " + shortest(high) +
                  " " + std::to_string(people) + " people have a larger error.",
              "Increase the number of people, or allow a larger error.");
    if (error_at(low, n) <= most) return low;
    constexpr double near = 1 + 1e-4;
    while (high / low > near) {
        const double middle = std::sqrt(low * high);
        (error_at(middle, n) <= most ? high : low) = middle;
    }
    return std::min(rounded_up(high), most_epsilon_);
}

double Planning::power(std::int64_t people) const {
    const double n = checked(people);
    if (!question_.effect)
        invalid("the planning target has no \"effect\"",
                "The power is the probability of detecting an effect.",
                "Add \"effect\", in the unit of the estimate.");
    const Spec spec = given();
    const double error = predict(*make_mechanism(spec), spec, question_, n).error();
    return power_of(*question_.effect / error, question_.confidence);
}

Planning::Plan Planning::plan(std::optional<std::int64_t> people) const {
    if (people && !epsilon_) {
        const Spec spec = at(required_epsilon(*people));
        return {spec, static_cast<std::uint64_t>(*people),
                predict(*make_mechanism(spec), spec, question_, checked(*people))};
    }
    const Spec spec = given();
    const double n = people ? checked(*people) : static_cast<double>(required_people());
    return {spec, static_cast<std::uint64_t>(n), predict(*make_mechanism(spec), spec, question_, n)};
}

}  // namespace ldp
