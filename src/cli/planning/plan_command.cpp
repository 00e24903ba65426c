// ldp plan SPEC

#include "core/choice/plan/plan.hpp"

#include <algorithm>
#include <iomanip>
#include <iostream>

#include "accounting/bound_texts.hpp"
#include "cli/command.hpp"
#include "cli/input/csv_field.hpp"
#include "cli/planning/record_plan_layout.hpp"
#include "cli/planning/stream_plan.hpp"
#include "client/in_quotes.hpp"
#include "core/base/json.hpp"

namespace ldp::cli::plan {

namespace {

struct Key {
    const char* name;
    bool word;
    const char* help;
};

/// The keys of a planning target: see core/choice/plan.
constexpr Key keys[] = {
    {"attribute", true, "attribute to estimate (default: the first attribute)"},
    {"value", true, "for a share: the label or number of the value (default: the first value)"},
    {"joint_with", true, "for a share: only people who also have the first value of this attribute (joint)"},
    {"low", false, "for the share of a range: lower bound (inclusive)"},
    {"high", false, "for the share of a range: upper bound (inclusive)"},
    {"quantile", false, "for a quantile: the share of people below it"},
    {"proportion", false, "assumed share of the value"},
    {"mean", false, "assumed mean of the numbers"},
    {"sd", false, "assumed standard deviation of the numbers, normally distributed"},
    {"response_rate", false, "share of people who report"},
    {"target", true, "target of the error: population or sample"},
    {"compare", true, "groups or days: plan the difference of two estimates"},
    {"part", false, "share of people in the first group"},
    {"repeat_rate", false, "share of people who repeat a response on the second day"},
    {"rounds", false,
     "number of rounds that are combined, or of the stream; all people report in each round"},
    {"round", false, "round of a series"},
    {"error", false, "goal: this standard error"},
    {"margin", false, "goal: this half width of the interval"},
    {"effect", false, "goal: to detect this difference"},
    {"confidence", false, "confidence of the interval or the test (default: 0.95)"},
    {"power", false, "probability of detecting the effect (default: 0.8)"},
};

/// The option of a key: `--repeat-rate` for `repeat_rate`.
std::string option_of(const Key& key) {
    std::string option = key.name;
    std::ranges::replace(option, '_', '-');
    return option;
}

Options options() {
    namespace po = boost::program_options;
    Options options;
    options.add_options()("spec", po::value<std::string>()->required(),
                          "a file, - for standard input, collection:NAME, or the JSON itself")(
        "people", po::value<std::int64_t>(), "number of people; computed if not given")(
        "epsilon", po::value<double>(),
        "epsilon, instead of the epsilon of the spec; computed if both are missing")(
        "target-json", po::value<std::string>()->default_value("{}"),
        "planning target as a JSON object with the keys below")(
        "csv", po::bool_switch(), "write the rows of ldp_plan as CSV, with all digits");
    for (const Key& key : keys)
        if (key.word)
            options.add_options()(option_of(key).c_str(), po::value<std::string>(), key.help);
        else
            options.add_options()(option_of(key).c_str(), po::value<double>(), key.help);
    add_stream_options(options);
    return options;
}

/// Returns a JSON object with additional keys. Text that is not an object is returned unchanged, so that its
/// reader rejects it.
template <class Add>
std::string with(const std::string& text, Add add) {
    Json document = json_of(text, Unsound::allowed);
    if (!document.is_object()) return text;
    add(document);
    return json_text(document);
}

std::string question(const Arguments& arguments) {
    return with(arguments["target-json"].as<std::string>(), [&](Json& question) {
        for (const Key& key : keys) {
            const std::string option = option_of(key);
            if (arguments.count(option) == 0) continue;
            if (key.word) {
                question[key.name] = arguments[option].as<std::string>();
                continue;
            }
            const double number = arguments[option].as<double>();
            const auto whole = static_cast<std::int64_t>(number);
            question[key.name] = static_cast<double>(whole) == number ? Json(whole) : Json(number);
        }
    });
}

std::string spec(const Arguments& arguments, const std::string& text) {
    if (arguments.count("epsilon") == 0) return text;
    return with(text, [&](Json& spec) {
        if (spec.contains("epsilon")) spec.erase("derived");
        spec["epsilon"] = arguments["epsilon"].as<double>();
    });
}

void print_csv(const Planning& planning, const Planning::Plan& plan) {
    const double error = plan.prediction.error();
    const std::string rest = std::to_string(plan.people) + "," + shortest(plan.spec.epsilon()) + "," +
                             plan.spec.mechanism().name + "," + csv_field(plan.spec.to_json()) + "\n";
    std::cout << "source,stderr,part,margin,effect,n,epsilon,mechanism,canonical\nall," << shortest(error)
              << ",1," << shortest(planning.margin(error)) << "," << shortest(planning.least_effect(error))
              << "," << rest;
    for (const auto& source : plan.prediction.sources)
        std::cout << source.name << "," << shortest(plan.prediction.error_of(source)) << ","
                  << shortest(plan.prediction.part_of(source)) << ",,," << rest;
}

/// The title of an attribute, or its name.
std::string titled(const Spec& spec, std::size_t attribute) {
    const Attribute& one = spec.attributes()[attribute];
    const AttributeTexts* texts = spec.texts().find(one.name);
    return in_quotes(texts == nullptr || texts->title.empty() ? one.name : texts->title);
}

/// The planned estimate as text.
std::string answer(const Spec& spec, const PlanningTarget& question) {
    using Asked = PlanningTarget::Asked;
    using Compared = PlanningTarget::Compared;
    const std::string attribute = titled(spec, question.attribute);
    std::string text;
    switch (question.asked) {
        case Asked::mean:
            text = "the mean of " + attribute;
            break;
        case Asked::share:
            text = "the share of a value of " + attribute;
            if (question.with) text += " with one of " + titled(spec, *question.with);
            break;
        case Asked::range:
            text = "the share of " + attribute + " from " + shortest(question.range.lower) + " to " +
                   shortest(question.range.upper);
            break;
        case Asked::quantile:
            text = "the quantile " + shortest(question.quantile) + " of " + attribute;
            break;
    }
    if (question.compared == Compared::groups) text += ", difference of two groups";
    if (question.compared == Compared::days) text += ", difference of two days";
    if (question.rounds > 1) text += ", over " + std::to_string(question.rounds) + " rounds";
    return text + (question.target == Target::sample ? ", of the respondents" : ", of the population");
}

void print(const Planning& planning, const Planning::Plan& plan) {
    const double error = plan.prediction.error();
    const auto& question = planning.question();
    std::cout << std::setprecision(4) << "estimate      " << answer(plan.spec, question) << "\npeople        "
              << grouped(plan.people) << "\nepsilon       "
              << bound_lines(privacy_statement(plan.spec, *make_mechanism(plan.spec)), 14)
              << "\nmechanism     " << plan.spec.mechanism().name << ": " << plan.spec.mechanism().title
              << "\nerror         " << error << "\nmargin        " << planning.margin(error)
              << " on either side, confidence " << question.confidence << "\neffect        "
              << planning.least_effect(error) << " is detected with power " << question.power
              << "\n\nsources of error\n";
    for (const auto& source : plan.prediction.sources)
        std::cout << "  " << std::left << std::setw(17) << source.name << std::setw(12)
                  << plan.prediction.error_of(source) << std::right << std::setw(5) << std::fixed
                  << std::setprecision(1) << 100 * plan.prediction.part_of(source) << " % of its square\n"
                  << std::defaultfloat << std::setprecision(4);
    std::cout << "\n" << plan.spec.to_json() << "\n";
}

int run(const Arguments& arguments) {
    std::optional<std::int64_t> people;
    if (arguments.count("people") > 0) people = arguments["people"].as<std::int64_t>();
    const std::string given = spec_text(arguments["spec"].as<std::string>());
    if (plans_stream(arguments, given)) return plan_stream(arguments, given);
    if (const std::string text = spec(arguments, given), target = question(arguments);
        plans_record(text, target)) {
        write_record_plan(std::cout, plan_record(text, target, people), arguments["csv"].as<bool>());
        std::cout << std::flush;
        return Exit::done;
    }
    const Planning planning(spec(arguments, given), question(arguments));
    const Planning::Plan plan = planning.plan(people);
    arguments["csv"].as<bool>() ? print_csv(planning, plan) : print(planning, plan);
    std::cout << std::flush;
    return Exit::done;
}

constexpr const char* positional[] = {"spec"};

}  // namespace

const Command command{
    "plan",
    "[OPTION...] SPEC",
    "predicts the error of an estimate before the first report",
    "Computes the error, the number of people or epsilon from the other two quantities. With --people and\n"
    "an epsilon, the command computes the error. With --error, --margin or --effect, and without --people\n"
    "or without an epsilon, it computes the missing quantity. If the spec has \"mechanism\": \"auto\", the\n"
    "mechanism is chosen for the result. Without assumptions, people are distributed evenly over the\n"
    "values or the range of an attribute. The command prints the standard error, the half width of the\n"
    "interval, the smallest difference that a test detects, the sources of error and the spec.\n"
    "With --series, --change-rate, --jitter, --drift or --season, the command plans a collection of\n"
    "changing values: it compares the protocols under the total epsilon of --budget, and prints the spec\n"
    "of the best protocol. SPEC then contains the attribute, and optionally the mechanism, such as\n"
    "{\"min\": 0, \"max\": 360}. The stream is the file of --series, or is described by --rounds, --people,\n"
    "--change-rate, --jitter, --drift and --season.",
    options,
    positional,
    run};

}  // namespace ldp::cli::plan
