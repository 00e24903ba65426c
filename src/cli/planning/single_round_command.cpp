#include "cli/planning/single_round_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>

#include "accounting/bound_texts.hpp"
#include "cli/file_options.hpp"
#include "cli/input/people_file.hpp"
#include "cli/progress.hpp"
#include "cli/records.hpp"
#include "core/contract/products.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "simulation/seeded_random.hpp"
#include "simulation/single_round.hpp"

namespace ldp::cli {

namespace {

using namespace simulation;

/// Rounds and people of a file are held in memory.
constexpr std::size_t most_values = 50'000'000;

void print(const std::vector<Trial>& trials, const Spec& spec) {
    std::cout << std::left << std::setw(16) << "attribute" << std::setw(22) << "asked" << std::right
              << std::setw(12) << "truth" << std::setw(12) << "predicted" << std::setw(12) << "error"
              << std::setw(12) << "claimed" << std::setw(12) << "covered, %"
              << "\n";
    const auto number = [](double value) -> std::ostream& {
        std::cout << std::setw(12);
        return std::isnan(value) ? std::cout << "-" : std::cout << value;
    };
    for (const Trial& trial : trials) {
        std::cout << std::left << std::setw(16) << spec.attributes()[trial.attribute].name << std::setw(22)
                  << trial.asked << std::right;
        number(trial.truth);
        number(trial.predicted);
        number(trial.error);
        number(trial.claimed);
        number(100 * trial.covered) << "\n";
    }
}

constexpr const char* hint_of_series = "Each row must contain the value of a person in a round.";
constexpr const char* hint_of_fixed = "The columns of --fixed are the attributes without a stream.";

[[noreturn]] void bad_row(const CsvReader& csv, const std::string& message,
                          const char* hint = hint_of_series) {
    throw Error(ErrorCode::invalid_value, csv.name() + ", " + csv.record_name(csv.line()) + ": " + message,
                {}, hint);
}

std::int64_t whole(const CsvReader& csv, std::string_view text) {
    std::int64_t found = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), found);
    if (error != std::errc() || end != text.data() + text.size())
        bad_row(csv, "a round is a whole number, not \"" + shortened(text, 40) + "\"");
    return found;
}

/// Whether an attribute's values in a file are labels rather than numbers.
bool has_labels(const Attribute& attribute) {
    return !attribute.labels.empty() && !attribute.binned();
}

/// A field as a value for Collection::to_grid().
Value parsed(CsvReader& csv, const Attribute& attribute, std::size_t column, const char* hint) {
    if (has_labels(attribute)) return csv.field(column);
    double number = 0;
    const std::string_view text = csv.number_field(column);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        bad_row(csv, "\"" + shortened(csv.field(column), 40) + "\" is not a number", hint);
    return number;
}

/// Returns the index of an attribute's column, whose fields become the attribute's labels.
std::size_t column_of(CsvReader& csv, const Attribute& attribute, const std::string& name,
                      const std::string& hint) {
    const std::size_t column = csv.column(name, hint);
    if (has_labels(attribute)) csv.use_labels(column, attribute.labels);
    return column;
}

/// Returns a value for the simulation: a number, or the index of a category.
double placed(const Attribute& attribute, const Value& value, double position) {
    return attribute.numeric() ? std::clamp(std::get<double>(value), attribute.min, attribute.max) : position;
}

double value_of(CsvReader& csv, const Collection& collection, std::size_t column) {
    const Attribute& attribute = collection.spec().attributes()[0];
    const Value value = parsed(csv, attribute, column, hint_of_series);
    try {
        return placed(attribute, value, collection.to_grid({&value, 1}).positions[0]);
    } catch (const Error& error) {
        bad_row(csv, error.what());
    }
}

}  // namespace

int simulate_once(const Arguments& arguments, const Collection& collection) {
    const auto& name = arguments["data"].as<std::string>();
    const auto runs = arguments["runs"].as<std::int64_t>();
    if (name.empty()) throw UsageError("ldp simulate once needs --data FILE");
    if (runs < 1 || runs > 1'000'000)
        throw UsageError("--runs must be 1 to 1,000,000, not " + std::to_string(runs));
    PeopleFile file(name, file_format(arguments));
    CsvReader& csv = file.rows();
    const Spec& spec = collection.spec();
    Records records(csv, spec, BadRow::stop, {}, &std::cerr);
    SimulatedPeople people;
    const auto take = [&](std::span<const Value> record) {
        GridRecord placed = collection.to_grid(record);
        people.add(placed);
        if (people.size() * placed.positions.size() > most_values)
            throw Error(ErrorCode::unsupported, "the file has too many values to simulate",
                        "At most " + grouped(most_values) + " are held in memory.", "Use fewer rows.");
        return placed;
    };
    while (records.next(take)) {
    }
    if (people.size() < 2)
        throw Error(ErrorCode::malformed, name + " has fewer than two rows", {},
                    "Each row must describe one person.");
    SeededBits bits(arguments["seed"].as<std::uint64_t>());
    std::vector<Trial> trials;
    {
        Progress progress(std::cerr, isatty(STDERR_FILENO) != 0, "simulating", "runs",
                          static_cast<std::uint64_t>(runs));
        trials = try_out(collection, people, static_cast<std::uint64_t>(runs), bits,
                         [&](std::uint64_t done) { progress.update(done); });
    }
    std::cout << std::setprecision(4) << spec.mechanism().name << " at epsilon " << spec.epsilon()
              << but_for(spec.delta()) << "; " << grouped(people.size()) << " people, "
              << grouped(static_cast<std::uint64_t>(runs)) << " runs, seed "
              << arguments["seed"].as<std::uint64_t>() << "\n\n";
    print(trials, spec);
    std::cout << "\nspent         " << bound_lines(privacy_statement(spec, collection.mechanism()), 14)
              << "\n"
              << std::flush;
    std::cerr << summary(records.tally(), spec, "simulated") << "\n";
    return Exit::done;
}

std::vector<std::vector<double>> read_series(const std::string& name, const std::string& given,
                                             const char* option, const CsvFormat& format,
                                             const Collection& collection) {
    const std::size_t first = given.find(','), second = given.find(',', first + 1);
    if (first == std::string::npos || second == std::string::npos)
        throw UsageError(std::string(option) + " must be PERSON,ROUND,VALUE: the names of three columns");
    const std::string hint = std::string(option) + " PERSON,ROUND,VALUE names the columns.";
    if (collection.spec().attributes().size() != 1)
        throw Error(ErrorCode::unsupported, "a file of series has the values of one attribute",
                    "The spec has " + std::to_string(collection.spec().attributes().size()) + ".",
                    "Simulate the attributes separately.");
    PeopleFile file(name, format);
    CsvReader& csv = file.rows();
    const std::size_t person = csv.column(given.substr(0, first), hint),
                      round = csv.column(given.substr(first + 1, second - first - 1), hint),
                      value =
                          column_of(csv, collection.spec().attributes()[0], given.substr(second + 1), hint);
    std::map<std::string, std::map<std::int64_t, double>> all;
    std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = 0;
    while (csv.next()) {
        const std::int64_t at = whole(csv, csv.field(round));
        if (at < 0 || at > 100'000) bad_row(csv, "rounds are 0 to 100,000");
        begin = std::min(begin, at);
        end = std::max(end, at + 1);
        auto& theirs = all[std::string(csv.field(person))];
        if (!theirs.emplace(at, value_of(csv, collection, value)).second)
            bad_row(csv, "this person has a second value in round " + std::to_string(at));
    }
    if (all.empty())
        throw Error(ErrorCode::malformed, name + " has no rows", {},
                    "Each row must contain the value of a person in a round.");
    if (all.size() * static_cast<std::size_t>(end - begin) > most_values)
        throw Error(ErrorCode::unsupported, "the file has too many values to simulate",
                    "The product of people and rounds must be at most " + grouped(most_values) + ".",
                    "Use fewer people.");
    std::vector<std::vector<double>> people;
    for (const auto& [who, theirs] : all) {
        auto& values = people.emplace_back();
        auto now = theirs.begin();
        for (std::int64_t t = begin; t < end; ++t) {
            if (const auto next = std::next(now); next != theirs.end() && next->first <= t) now = next;
            values.push_back(now->second);
        }
    }
    return people;
}

std::vector<std::vector<double>> read_fixed(const Arguments& arguments, const Collection& collection,
                                            const std::vector<std::optional<Stream>>& streams,
                                            std::uint64_t most) {
    const auto& name = arguments["fixed"].as<std::string>();
    const std::vector<Attribute>& attributes = collection.spec().attributes();
    PeopleFile file(name, file_format(arguments));
    CsvReader& csv = file.rows();
    struct FixedColumn {
        std::size_t attribute;
        std::optional<std::size_t> column;  ///< none of an attribute with a stream
    };
    std::vector<FixedColumn> columns;
    std::vector<Value> record;
    for (const std::size_t j : given(attributes)) {
        const Attribute& attribute = attributes[j];
        columns.push_back({j, streams[j]
                                  ? std::nullopt
                                  : std::optional(column_of(csv, attribute, attribute.name, hint_of_fixed))});
        // A valid value in the place of a stream.
        record.push_back(has_labels(attribute) ? Value(attribute.labels[0]) : Value(attribute.min));
    }
    std::vector<std::vector<double>> people;
    while (people.size() < most && csv.next()) {
        for (std::size_t i = 0; i < columns.size(); ++i)
            if (const auto [j, column] = columns[i]; column)
                record[i] = parsed(csv, attributes[j], *column, hint_of_fixed);
        const GridRecord grid = [&] {
            try {
                return collection.to_grid(record);
            } catch (const Error& error) {
                bad_row(csv, error.what(), hint_of_fixed);
            }
        }();
        auto& values = people.emplace_back(attributes.size());
        for (std::size_t i = 0; i < columns.size(); ++i)
            if (const auto [j, column] = columns[i]; column)
                values[j] = placed(attributes[j], record[i], grid.positions[j]);
        if (people.size() * attributes.size() > most_values)
            throw Error(ErrorCode::unsupported, "the file has too many values to simulate",
                        "At most " + grouped(most_values) + " are held in memory.",
                        "Use fewer rows, or use --people.");
    }
    if (people.empty())
        throw Error(ErrorCode::malformed, name + " has no rows", {}, "Each row must describe one person.");
    return people;
}

}  // namespace ldp::cli
