// ldp plan SPEC

#include "core/plan/plan.hpp"

#include <iomanip>
#include <iostream>

#include "accounting/posterior_odds.hpp"
#include "cli/command.hpp"
#include "cli/planning/record_plan.hpp"
#include "client/in_quotes.hpp"
#include "core/base/json.hpp"

namespace ldp::cli::plan {

namespace {

struct Key {
    const char* name;
    bool word;
    const char* help;
};

/// Of a question, as core/plan reads it.
constexpr Key keys[] = {
    {"attribute", true, "what is asked about; the first one if not given"},
    {"value", true, "a share: of this label or number; the first one if not given"},
    {"with", true, "a share: of those who hold the first value of this attribute as well (joint)"},
    {"low", false, "the share of a range, from here"},
    {"high", false, "to here, both included"},
    {"quantile", false, "the value below which this share lies"},
    {"share", false, "assume that so many hold the value"},
    {"mean", false, "assume numbers with this mean"},
    {"sd", false, "and this standard deviation, normal"},
    {"answering", false, "the share of people who report at all"},
    {"target", true, "the error against the population, or the sample"},
    {"compare", true, "groups or days: the difference of two answers"},
    {"part", false, "the first group's part of the people"},
    {"kept", false, "the share of people who repeat an answer on the second day"},
    {"rounds", false, "everybody reports in so many, which are put together"},
    {"round", false, "the round of a series"},
    {"error", false, "wanted: this standard error,"},
    {"margin", false, "or this half of an interval,"},
    {"effect", false, "or to find this difference"},
    {"confidence", false, "of the interval or the test; 0.95 if not given"},
    {"power", false, "to find it with this chance; 0.8 if not given"},
};

Options options() {
    namespace po = boost::program_options;
    Options options;
    options.add_options()("spec", po::value<std::string>()->required(),
                          "a file, - for standard input, collection:NAME, or the JSON itself")(
        "people", po::value<std::int64_t>(), "who report; found out if not given")(
        "epsilon", po::value<double>(), "instead of the spec's; found out if neither gives it")(
        "question", po::value<std::string>()->default_value("{}"), "the keys below, as a JSON object")(
        "csv", po::bool_switch(), "as CSV, with all digits: what ldp_plan returns");
    for (const Key& key : keys)
        if (key.word)
            options.add_options()(key.name, po::value<std::string>(), key.help);
        else
            options.add_options()(key.name, po::value<double>(), key.help);
    return options;
}

/// JSON with more in it. What is no object is left to whoever reads it.
template <class Add>
std::string with(const std::string& text, Add add) {
    Json document = json_of(text, Unsound::allowed);
    if (!document.is_object()) return text;
    add(document);
    return json_text(document);
}

std::string question(const Arguments& arguments) {
    return with(arguments["question"].as<std::string>(), [&](Json& question) {
        for (const Key& key : keys) {
            if (arguments.count(key.name) == 0) continue;
            if (key.word) {
                question[key.name] = arguments[key.name].as<std::string>();
                continue;
            }
            const double number = arguments[key.name].as<double>();
            const auto whole = static_cast<std::int64_t>(number);
            question[key.name] = static_cast<double>(whole) == number ? Json(whole) : Json(number);
        }
    });
}

std::string spec(const Arguments& arguments) {
    std::string text = spec_text(arguments["spec"].as<std::string>());
    if (arguments.count("epsilon") == 0) return text;
    return with(text, [&](Json& spec) {
        if (spec.contains("epsilon")) spec.erase("derived");
        spec["epsilon"] = arguments["epsilon"].as<double>();
    });
}

std::string quoted_field(const std::string& text) {
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

void print_csv(const Planning& planning, const Planning::Plan& plan) {
    const double error = plan.prediction.error();
    const std::string rest = std::to_string(plan.people) + "," + shortest(plan.spec.epsilon()) + "," +
                             plan.spec.mechanism().name + "," + quoted_field(plan.spec.to_json()) + "\n";
    std::cout << "source,stderr,part,margin,effect,n,epsilon,mechanism,canonical\nall," << shortest(error)
              << ",1," << shortest(planning.margin(error)) << "," << shortest(planning.least_effect(error))
              << "," << rest;
    for (const auto& source : plan.prediction.sources)
        std::cout << source.name << "," << shortest(plan.prediction.error_of(source)) << ","
                  << shortest(plan.prediction.part_of(source)) << ",,," << rest;
}

/// What is asked, in words.
std::string answer(const Spec& spec, const PlanningTarget& question) {
    using Asked = PlanningTarget::Asked;
    using Compared = PlanningTarget::Compared;
    const std::string attribute = in_quotes(spec.attributes()[question.attribute].name);
    std::string text;
    switch (question.asked) {
        case Asked::mean:
            text = "the mean of " + attribute;
            break;
        case Asked::share:
            text = "the share of a value of " + attribute;
            if (question.with) text += " with one of " + in_quotes(spec.attributes()[*question.with].name);
            break;
        case Asked::range:
            text = "the share of " + attribute + " from " + shortest(question.range.lower) + " to " +
                   shortest(question.range.upper);
            break;
        case Asked::quantile:
            text = "the quantile " + shortest(question.quantile) + " of " + attribute;
            break;
    }
    if (question.compared == Compared::groups) text += ", of one group less another";
    if (question.compared == Compared::days) text += ", of one day less another";
    if (question.rounds > 1) text += ", over " + std::to_string(question.rounds) + " rounds";
    return text +
           (question.target == Target::sample ? ", against those who report" : ", against the population");
}

void print(const Planning& planning, const Planning::Plan& plan) {
    const double error = plan.prediction.error();
    const auto& question = planning.question();
    std::cout << std::setprecision(4) << "answer        " << answer(plan.spec, question) << "\npeople        "
              << grouped(plan.people) << "\nepsilon       " << plan.spec.epsilon()
              << but_for(plan.spec.delta()) << "\nmechanism     " << plan.spec.mechanism().name << ": "
              << plan.spec.mechanism().title << "\nerror         " << error << "\nmargin        "
              << planning.margin(error) << " to either side, confidence " << question.confidence
              << "\neffect        " << planning.least_effect(error) << " is found with power "
              << question.power << "\n\nerror from\n";
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
    if (const std::string text = spec(arguments), target = question(arguments); plans_record(text, target)) {
        write_record_plan(std::cout, plan_record(text, target, people), arguments["csv"].as<bool>());
        std::cout << std::flush;
        return Exit::done;
    }
    const Planning planning(spec(arguments), question(arguments));
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
    "tells before anybody reports how large the error of an answer will be",
    "Of the number of people, epsilon and the error two are given, and the third is found out: with "
    "--people\n"
    "and an epsilon in the spec, the error; with --error, --margin or --effect as well, but without one of\n"
    "the others, that. A spec with \"mechanism\": \"auto\" has it chosen anew. Without an assumption people\n"
    "are spread evenly over an attribute's values or range. Shown are the standard error, half an interval,\n"
    "the least difference that a test finds, where the error comes from, and the spec.",
    options,
    positional,
    run};

}  // namespace ldp::cli::plan
