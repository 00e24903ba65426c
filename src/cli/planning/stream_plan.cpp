#include "cli/planning/stream_plan.hpp"

#include <unistd.h>

#include <cmath>
#include <iomanip>
#include <iostream>

#include "accounting/bound_texts.hpp"
#include "cli/file_options.hpp"
#include "cli/planning/single_round_command.hpp"
#include "cli/progress.hpp"
#include "client/in_quotes.hpp"
#include "core/base/json.hpp"
#include "core/choice/record_protocol.hpp"
#include "core/choice/resolve.hpp"

namespace ldp::cli {

namespace {

namespace po = boost::program_options;

constexpr const char* stream_options[] = {"series", "change-rate", "jitter",         "drift",        "season",
                                          "period", "budget",      "report-epsilon", "max-exhausted"};

/// The spec with the options of the command line in it, as one with "evolving": "auto".
Json request_json(const Arguments& arguments, const std::string& text) {
    Json spec = json_of(text, Unsound::allowed);
    if (!spec.is_object())
        throw Error(ErrorCode::malformed, "the spec must be a JSON object", {},
                    R"(It must contain the attribute: {"min": 0, "max": 360}, or {"domain": 5}.)");
    if (spec.contains("evolving") && !asks_for_protocol(spec))
        throw Error(ErrorCode::invalid_spec, "the spec already has a protocol for values that change",
                    "Found \"evolving\".",
                    "Remove \"evolving\", or test the spec with ldp simulate evolving.");
    if (!spec.contains("mechanism")) spec["mechanism"] = "auto";
    if (arguments.count("epsilon") > 0) spec["epsilon"] = arguments["epsilon"].as<double>();
    if (arguments.count("report-epsilon") > 0)
        spec["report_epsilon"] = arguments["report-epsilon"].as<double>();
    if (arguments.count("budget") > 0) {
        if (!spec.contains("budget") || !spec["budget"].is_object()) spec["budget"] = Json::object();
        // The option is about this collection; a group also pays for others.
        spec["budget"][spec["budget"].contains("group") ? "at_most" : "epsilon"] =
            arguments["budget"].as<double>();
    }
    if (!spec.contains("budget"))
        throw UsageError("a plan of values that change needs --budget: the total epsilon");
    return spec;
}

/// The parameters of a stream from the options, which replace those of the spec.
StreamParameters parameters_of(const Arguments& arguments, const Json& spec, const Attribute& attribute) {
    Json stream = spec.value("stream", Json::object());
    if (stream.is_object()) {
        const auto whole = [&](double given) {
            const bool counts = given >= 0 && given < 0x1p53 && std::floor(given) == given;
            return counts ? Json(static_cast<std::uint64_t>(given)) : Json(given);
        };
        if (arguments.count("rounds") > 0) stream["rounds"] = whole(arguments["rounds"].as<double>());
        if (arguments.count("people") > 0)
            stream["people"] = whole(static_cast<double>(arguments["people"].as<std::int64_t>()));
        if (arguments.count("change-rate") > 0) stream["change_rate"] = arguments["change-rate"].as<double>();
        for (const char* option : {"jitter", "drift", "season"})
            if (arguments.count(option) > 0) stream[option] = arguments[option].as<double>();
        if (arguments.count("period") > 0) stream["period"] = whole(arguments["period"].as<double>());
        if (!stream.contains("rounds") || !stream.contains("people"))
            throw UsageError("a stream needs --rounds and --people, or a file: --series");
    }
    return StreamParameters::from_json(stream, attribute);
}

/// The values of a file, as positions in the range or numbers of categories.
ValueStream stream_of_file(const Arguments& arguments, const Json& spec, const Attribute& attribute) {
    for (const char* option : {"change-rate", "jitter", "drift", "season", "period", "rounds"})
        if (arguments.count(option) > 0)
            throw UsageError("--" + std::string(option) +
                             " and --series cannot be combined: the file contains the values");
    Json plain = spec;
    plain["mechanism"] = "auto";
    plain["epsilon"] = 1;
    const auto& name = arguments["series"].as<std::string>();
    const std::vector<std::vector<double>> people =
        read_series(name, arguments["columns"].as<std::string>(), "--columns", file_format(arguments),
                    Collection(resolve(json_text(plain))));
    ValueStream stream{people[0].size(), static_cast<double>(people.size()), true, {}};
    stream.values.reserve(people.size() * stream.rounds);
    for (const std::vector<double>& values : people)
        for (const double value : values)
            stream.values.push_back(attribute.numeric() ? (value / 2 - attribute.min / 2) /
                                                              (attribute.max / 2 - attribute.min / 2)
                                                        : value);
    if (arguments.count("people") == 0) return stream;
    const auto given = arguments["people"].as<std::int64_t>();
    if (given < 1) throw UsageError("--people must be at least 1, not " + std::to_string(given));
    stream.people = static_cast<double>(given);
    stream.same_people = false;
    return stream;
}

PrivacyStatement statement_of(const Spec& spec) {
    return privacy_statement(spec, *make_mechanism(spec));
}

void print_stream_csv(const ProtocolPlan& plan) {
    std::cout << "protocol,mechanism,epsilon,report_epsilon,error,noise,rounding,bias,spent_mean,spent_of_95,"
                 "spent_most,"
                 "exhausted,canonical\n";
    for (const auto& [protocol, participation, spec, found] : plan.protocols) {
        std::cout << '"' << protocol << "\"," << spec.mechanism().name << "," << shortest(spec.epsilon())
                  << "," << shortest(statement_of(spec).report.epsilon);
        for (const double number : {found.error, found.noise, found.rounding, found.bias, found.spent_mean,
                                    found.spent_of_95, found.spent_most, found.ended})
            std::cout << "," << shortest(number);
        std::string quoted;
        for (const char c : spec.to_json()) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
        std::cout << ",\"" << quoted << "\"\n";
    }
}

void print_stream_plan(const ProtocolPlan& plan, const Attribute& attribute, const ProtocolRequest& request,
                       const std::string& stream) {
    const auto cell = [](int width) -> std::ostream& { return std::cout << std::right << std::setw(width); };
    std::cout << std::setprecision(4) << "stream        " << stream << "\nestimate      "
              << (attribute.numeric() ? "the mean of " : "the shares of the values of ")
              << in_quotes(attribute.name) << " in each round\nbudget        epsilon "
              << request.budget.epsilon << " of each person, for all rounds\n\n"
              << std::left << std::setw(22) << "protocol" << std::setw(17) << "mechanism";
    for (const char* column : {"epsilon", "error", "noise", "rounding", "bias", "spent", "of 95 %", "most"})
        cell(9) << column;
    cell(14) << "exhausted, %"
             << "\n";
    for (const auto& [protocol, participation, spec, found] : plan.protocols) {
        std::cout << std::left << std::setw(22) << protocol << std::setw(17) << spec.mechanism().name
                  << std::setprecision(3);
        for (const double number : {spec.epsilon(), found.error, found.noise, found.rounding, found.bias,
                                    found.spent_mean, found.spent_of_95, found.spent_most})
            cell(9) << number;
        cell(14) << 100 * found.ended << "\n";
    }
    for (const auto& [protocol, reason] : plan.obstacles)
        std::cout << "not possible: " << protocol << ": " << reason << "\n";
    if (plan.protocols.empty())
        throw Error(ErrorCode::invalid_value, "no protocol is possible for these values and this budget", {},
                    "Allow a larger budget, or fewer rounds.");
    std::cout << "\nepsilon       " << bound_lines(statement_of(plan.protocols[0].spec), 14) << "\n";
    if (plan.protocols[0].participation == Participation::one_round)
        std::cout << "\nEach person reports in one round only. Assign the rounds in advance, by a list that "
                     "does not\n"
                     "depend on the values.\n";
    std::cout << "\n" << plan.protocols[0].spec.to_json() << "\n";
}

void print_record_csv(const PlannedRecord& plan) {
    std::cout << "attribute,mechanism,epsilon,chance,error,ended\n";
    for (const PlannedPart& part : plan.parts)
        std::cout << in_quotes(part.name) << "," << part.mechanism << "," << shortest(plan.spec.epsilon())
                  << "," << shortest(part.chance) << "," << shortest(part.error) << ","
                  << shortest(part.ended) << "\n";
}

void print_record_plan(const PlannedRecord& plan) {
    const auto cell = [](int width) -> std::ostream& { return std::cout << std::right << std::setw(width); };
    std::cout << std::setprecision(4) << "stream        " << grouped(plan.stream.rounds) << " rounds, "
              << grouped(plan.stream.people) << " people\nbudget        epsilon "
              << plan.spec.budget()->epsilon << " of each person, for all rounds\nepsilon       "
              << bound_lines(statement_of(plan.spec), 14) << "\n\n"
              << std::left << std::setw(22) << "attribute" << std::setw(17) << "mechanism";
    for (const char* column : {"chance", "error"}) cell(9) << column;
    cell(14) << "exhausted, %"
             << "\n";
    for (const PlannedPart& part : plan.parts) {
        std::cout << std::left << std::setw(22) << part.name << std::setw(17) << part.mechanism;
        cell(9) << rounded(part.chance, 3);
        cell(9) << rounded(part.error, 3);
        cell(10) << rounded(100 * part.ended, 3) << "\n";
    }
    std::cout << "\n" << plan.spec.to_json() << "\n";
}

/// Plans the attributes of a record, or the distribution of one.
int plan_record_stream(const Arguments& arguments, Json spec) {
    for (const char* option : {"series", "change-rate", "jitter", "drift", "season", "period"})
        if (arguments.count(option) > 0)
            throw UsageError(
                "--" + std::string(option) +
                " is for one mean or the shares of one category: declare the changes in \"stream\"");
    if (!arguments["max-exhausted"].defaulted())
        throw UsageError(
            "--max-exhausted is for one mean or the shares of one category: the limit of records is 0.05");
    if (!spec.contains("stream") || !spec["stream"].is_object()) spec["stream"] = Json::object();
    if (arguments.count("rounds") > 0)
        spec["stream"]["rounds"] = static_cast<std::uint64_t>(arguments["rounds"].as<double>());
    if (arguments.count("people") > 0) {
        const auto people = arguments["people"].as<std::int64_t>();
        if (people < 1) throw UsageError("--people must be at least 1, not " + std::to_string(people));
        spec["stream"]["people"] = static_cast<std::uint64_t>(people);  // a signed number would be refused
    }
    const PlannedRecord plan = plan_record_protocol(spec);
    if (arguments["csv"].as<bool>())
        print_record_csv(plan);
    else
        print_record_plan(plan);
    std::cout << std::flush;
    return Exit::done;
}

}  // namespace

void add_stream_options(Options& options) {
    options.add_options()("series", po::value<std::string>(),
                          "values that change: a file of people's values in rounds")(
        "columns", po::value<std::string>()->default_value("person,round,value"),
        "PERSON,ROUND,VALUE: the columns of --series")(
        "change-rate", po::value<double>(),
        "values that change: probability in each round that a value is replaced by another one")(
        "jitter", po::value<double>(),
        "values that change: largest distance of a reported number from its base, in its unit")(
        "drift", po::value<double>(),
        "values that change: movement of every number in each round, in one direction")(
        "season", po::value<double>(),
        "values that change: amplitude of a wave that moves all numbers alike")(
        "period", po::value<double>(), "values that change: rounds of a season; all rounds by default")(
        "budget", po::value<double>(), "values that change: total epsilon of a person")(
        "report-epsilon", po::value<double>(), "values that change: largest epsilon of a single report")(
        "max-exhausted", real_number(ProtocolRequest{{}, {}}.most_ended),
        "values that change: largest share of people whose budget may end");
    add_file_options(options);
}

bool plans_stream(const Arguments& arguments, const std::string& spec) {
    for (const char* option : stream_options)
        if (arguments.count(option) > 0 && !arguments[option].defaulted()) return true;
    return asks_for_protocol(json_of(spec, Unsound::allowed));
}

int plan_stream(const Arguments& arguments, const std::string& text) {
    const Json spec = with_collected_streams(request_json(arguments, text));
    if (asks_for_record_protocol(spec)) return plan_record_stream(arguments, spec);
    ProtocolRequest request = read_protocol_request(spec);
    if (!asks_for_protocol(spec)) request.limits.reset();  // all protocols are shown
    request.most_ended = arguments["max-exhausted"].as<double>();
    if (!(request.most_ended >= 0 && request.most_ended <= 1))
        throw UsageError("--max-exhausted must be 0 to 1, not " + shortest(request.most_ended));
    const Attribute attribute = only_attribute_of(request.spec);
    std::string described;
    ValueStream coarse, fine;
    if (arguments.count("series") > 0) {
        const ValueStream all = stream_of_file(arguments, request.spec, attribute);
        described = arguments["series"].as<std::string>() + ": " + grouped(all.known()) + " people, " +
                    grouped(all.rounds) + " rounds";
        if (!all.same_people)
            described += "; planned for " + grouped(static_cast<std::uint64_t>(all.people)) + " such people";
        coarse = all.thinned(search_values);
        fine = all.thinned(predicted_values);
    } else {
        const StreamParameters parameters = parameters_of(arguments, spec, attribute);
        described = grouped(parameters.rounds) + " rounds, " + grouped(parameters.people) +
                    " people, change rate " + shortest(parameters.change_rate);
        if (parameters.jitter > 0) described += ", jitter " + shortest(parameters.jitter);
        if (parameters.drift != 0) described += ", drift " + shortest(parameters.drift);
        if (parameters.season > 0)
            described +=
                ", season " + shortest(parameters.season) + " of " + grouped(parameters.period) + " rounds";
        coarse = ValueStream::generated(parameters, attribute, search_values);
        fine = ValueStream::generated(parameters, attribute, predicted_values);
    }
    ProtocolPlan plan;
    {
        std::optional<Progress> progress;
        plan = plan_protocols(request, coarse, fine, [&](std::size_t done, std::size_t all) {
            if (!progress)
                progress.emplace(std::cerr, isatty(STDERR_FILENO) != 0, "planning", "protocols", all);
            progress->update(done);
        });
    }
    if (arguments["csv"].as<bool>())
        print_stream_csv(plan);
    else
        print_stream_plan(plan, attribute, request, described);
    std::cout << std::flush;
    return Exit::done;
}

}  // namespace ldp::cli
