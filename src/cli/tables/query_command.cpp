// ldp query QUERY SUMMARY, or ldp query --group NAME=SUMMARY... QUERY

#include <iostream>
#include <optional>

#include "cli/command.hpp"
#include "cli/input/summary_file.hpp"
#include "core/base/bytes.hpp"
#include "core/base/json.hpp"
#include "core/choice/resolve.hpp"
#include "core/contract/labels.hpp"
#include "core/mechanism/role/registry.hpp"
#include "core/results/json_query.hpp"
#include "core/results/summary_query.hpp"

namespace ldp::cli::query {

namespace {

namespace po = boost::program_options;

using NamedFiles = std::vector<std::string>;

Options options() {
    Options options;
    options.add_options()(
        "query", po::value<std::string>()->required(),
        "the function and its arguments: JSON, a file, or - for standard input; may also be the first argument")(
        "summary", po::value<std::string>(),
        "file with a summary, or - for standard input; may also be the second argument")(
        "spec", po::value<std::string>(), "spec of the summaries, which has the labels")(
        "with", po::value<NamedFiles>(),
        "NAME=FILE: the argument NAME, a second summary, is in the file; may be repeated")(
        "group", po::value<NamedFiles>(),
        "NAME=FILE: the summary of the group NAME is in the file; may be repeated")(
        "groups", po::value<std::string>(),
        "file with the summaries of all groups, as ldp summarize --by writes it");
    return options;
}

/// The spec of the summaries, if one is given.
struct KnownSpec {
    explicit KnownSpec(const Arguments& arguments) {
        if (arguments.count("spec") == 0) return;
        spec = resolve(spec_text(arguments["spec"].as<std::string>()));
        mechanism = make_mechanism(*spec);
        labels.emplace(spec->attributes());
    }
    [[nodiscard]] std::vector<std::byte> summary_in(const std::string& file) const {
        return mechanism ? summary_in_file(file, *mechanism) : bytes_in_file(file);
    }

    std::optional<Spec> spec = {};
    std::unique_ptr<const Mechanism> mechanism = nullptr;
    std::optional<Labels> labels = {};  ///< of the spec
};

/// Runs `take(name, digits)` for each NAME=FILE of an option. The digits are the summary in hexadecimal.
template <class Take>
void for_each_file(const Arguments& arguments, const char* option, const KnownSpec& known, Take take) {
    if (arguments.count(option) == 0) return;
    for (const std::string& one : arguments[option].as<NamedFiles>()) {
        // A file with "=" in its name is possible in a folder; the name of a group may have one.
        const std::size_t end = one.rfind('=');
        if (end == std::string::npos)
            throw UsageError("--" + std::string(option) + " must be NAME=FILE, not \"" + one + "\"");
        take(one.substr(0, end), to_hex(known.summary_in(one.substr(end + 1))));
    }
}

/// The name of a group as in SQL: its values with commas between them. A group with NULL has no name.
Json name_of(const GroupSummary& group) {
    std::string name;
    for (std::size_t i = 0; i < group.values.size(); ++i) {
        if (!group.values[i]) return nullptr;
        name += (i == 0 ? "" : ", ") + *group.values[i];
    }
    return name;
}

int run(const Arguments& arguments) {
    const KnownSpec known(arguments);
    const auto& given = arguments["query"].as<std::string>();
    Json query = parsed_query(given.starts_with('{') ? given : read_text(given));
    const auto put = [&](const std::string& name, Json value) {
        if (!query.is_object()) return;
        if (query.contains(name))
            throw UsageError("the query has \"" + name + "\", and so has the command line");
        query[name] = std::move(value);
    };
    Json groups = Json::array(), summaries = Json::array();
    for_each_file(arguments, "group", known, [&](const std::string& name, const std::string& digits) {
        groups.push_back(name);
        summaries.push_back(digits);
    });
    if (arguments.count("groups") != 0) {
        const auto& file = arguments["groups"].as<std::string>();
        for (const GroupSummary& group : summaries_in_file(file).groups) {
            if (known.mechanism) check_summary_of(*known.mechanism, group.summary, file);
            groups.push_back(name_of(group));
            summaries.push_back(to_hex(group.summary));
        }
    }
    if (!groups.empty()) {
        put("groups", std::move(groups));
        put("summaries", std::move(summaries));
    }
    for_each_file(arguments, "with", known, put);
    std::vector<std::byte> bytes;
    std::optional<Bytes> summary;
    if (arguments.count("summary") != 0) {
        bytes = known.summary_in(arguments["summary"].as<std::string>());
        summary = bytes;
    }
    std::cout << rows_of_query(known.labels ? *known.labels : no_labels(), known.mechanism.get(), summary,
                               query)
              << "\n";
    return Exit::done;
}

constexpr const char* positional[] = {"query", "summary"};

}  // namespace

const Command command{
    "query",
    "[OPTION...] QUERY SUMMARY | --groups SUMMARIES [OPTION...] QUERY",
    "computes the rows of any function of summaries in files, without a server",
    "QUERY is a JSON object: \"function\" is the name of an SQL function without ldp_, and the other keys are\n"
    "its arguments, as in\n"
    "  ldp query --spec wage.json '{\"function\": \"quantiles\", \"probabilities\": [0.5]}' wage.summary\n\n"
    "The rows are a JSON array with an object for each row. SQL returns the same columns and numbers. SUMMARY\n"
    "is a file with the bytes of a summary, or with hexadecimal digits, as psql writes them. Without --spec,\n"
    "numbers replace labels. Functions of groups need a --group for each group, or --groups.",
    options,
    positional,
    run};

}  // namespace ldp::cli::query
