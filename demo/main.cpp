// The main job, end to end, on real data: 28,155 people of the US census, each with a simulated device.
//
//     ldp-demo people.csv drawing.svg        (the server is the one that libpq's environment names)
//
// Beside the drawing goes a page for each survey, as an analyst has it: of estimates alone.
//
// The server never sees more than the reports; the truth printed beside the estimates is this program's own.

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <pqxx/pqxx>

#include "cli/answers/answer_sections.hpp"
#include "cli/answers/layouts.hpp"
#include "cli/input/csv.hpp"
#include "cli/progress.hpp"
#include "client/uploader.hpp"
#include "core/base/exact.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "figures/formatting.hpp"
#include "ldp.hpp"
#include "questionnaire.hpp"

namespace {

/// A person's answers to one survey, and what their mean or shares really are.
struct Experiment {
    std::string name;   ///< of the collection
    std::string title;  ///< for people
    std::string unit;
    std::string spec;
    std::vector<std::string> columns;  ///< of the CSV, one for each attribute
};

const std::vector<Experiment> experiments{
    {"region",
     "Where people live",
     "share of people",
     R"({"mechanism": "grr", "epsilon": 1, "title": "Where people live",
         "attributes": [{"name": "region", "domain": ["midwest", "northeast", "south", "west"], "title": "Region",
                         "question": "In which region do you live?"}]})",
     {"region"}},
    {"wage",
     "Weekly wage",
     "US dollars of 1988, mean",
     R"({"mechanism": "pdp", "epsilon": 1, "attributes": [{"name": "wage", "min": 0, "max": 2500}]})",
     {"wage"}},
    {"profile",
     "Six attributes at once, through the Haar transform",
     "mean, on the whole of the declared range",
     R"({"mechanism": "haar", "epsilon": 2,
         "attributes": [{"name": "wage", "min": 0, "max": 2500, "unit": "dollars a week"},
                        {"name": "education", "min": 0, "max": 18, "unit": "years"},
                        {"name": "experience", "min": -5, "max": 65, "unit": "years"},
                        {"name": "parttime", "min": 0, "max": 1, "title": "works part-time"},
                        {"name": "smsa", "min": 0, "max": 1, "title": "lives in a large city"},
                        {"name": "afam", "min": 0, "max": 1, "title": "is African American"}]})",
     {"wage", "education", "experience", "parttime", "smsa", "ethnicity"}},
};

/// A field of the CSV as a value: a number, yes or afam as 1, no or cauc as 0, or a label.
ldp::Value value_of(std::string_view field) {
    if (field == "yes" || field == "afam") return 1;
    if (field == "no" || field == "cauc") return 0;
    char* end = nullptr;
    const std::string text(field);
    const double number = std::strtod(text.c_str(), &end);
    if (!text.empty() && *end == '\0') return number;
    return field;
}

/// What the estimates will be compared with: the means of the clamped values, or the shares.
class Truth {
  public:
    explicit Truth(const ldp::Spec& spec)
        : spec_(spec), sums_(std::max<std::size_t>(spec.attributes().size(), spec.attributes()[0].domain)) {}

    void add(const std::vector<ldp::Value>& record) {
        ++people_;
        for (std::size_t j = 0; j < record.size(); ++j) {
            const ldp::Attribute& attribute = spec_.attributes()[j];
            if (attribute.numeric()) {
                sums_[j] += std::clamp(std::get<double>(record[j]), attribute.min, attribute.max);
            } else {
                const auto label = std::ranges::find(attribute.labels, std::get<std::string_view>(record[j]));
                ++sums_.at(static_cast<std::size_t>(label - attribute.labels.begin()));
            }
        }
    }
    [[nodiscard]] double of(std::size_t item) const { return sums_.at(item) / people_; }

  private:
    const ldp::Spec& spec_;
    std::vector<double> sums_;
    double people_ = 0;
};

std::vector<std::vector<std::string>> read_people(const char* path, const std::vector<std::string>& columns) {
    std::ifstream file(path);
    if (!file) throw ldp::Error(ldp::ErrorCode::environment, std::string("cannot read ") + path);
    ldp::cli::CsvReader csv(file, path);
    std::vector<std::vector<std::string>> people;
    while (csv.next()) {
        people.emplace_back();
        for (const std::string& column : columns) people.back().emplace_back(csv.field(csv.column(column)));
    }
    return people;
}

/// Every person's device perturbs and queues its report; the uploader carries them to the server.
Truth collect(const Experiment& experiment, const ldp::Collection& collection, pqxx::connection& connection,
              const char* path) {
    const auto people = read_people(path, experiment.columns);
    ldp::Client client(collection, ldp::MemoryStore{});
    Truth truth(collection.spec());
    {
        ldp::cli::Progress progress(std::cerr, isatty(2) != 0, "perturbing " + experiment.name, "people",
                                    people.size());
        for (std::size_t i = 0; i < people.size(); ++i) {
            const std::vector<ldp::Value> record = [&] {
                std::vector<ldp::Value> values;
                for (const std::string& field : people[i]) values.push_back(value_of(field));
                return values;
            }();
            client.report(record);
            truth.add(record);
            if (i % 1000 == 0) progress.update(i);
        }
    }
    ldp::Uploader uploader(connection, experiment.name);
    const ldp::Flushed sent = uploader.flush(client);
    std::printf("  %llu reports of %zu bytes, sent in %llu batches",
                static_cast<unsigned long long>(sent.reports),
                collection.mechanism().block().size() + collection.mechanism().payload_size(),
                static_cast<unsigned long long>(sent.batches));
    for (std::size_t j = 0; j < client.clamped().attributes.size(); ++j)
        if (client.clamped().attributes[j] > 0)
            std::printf("; %llu values of %s lay outside the declared range and were clamped",
                        static_cast<unsigned long long>(client.clamped().attributes[j]),
                        collection.spec().attributes()[j].name.c_str());
    std::printf("\n");
    return truth;
}

/// Asks the server, prints the answer beside the truth, and returns it for the drawing.
ldp::cli::Figure compare(const Experiment& experiment, const ldp::Spec& spec, const Truth& truth,
                         pqxx::connection& connection, std::size_t& inside, std::size_t& all) {
    pqxx::read_transaction transaction(connection);
    const std::string sql = "SELECT * FROM ldp_estimate('" + experiment.name + "')";
    std::printf("  %s;\n\n  %-12s %10s %10s %9s   %-22s\n", sql.c_str(), "", "truth", "estimate", "stderr",
                "95 % interval");
    ldp::cli::Figure figure{.title = experiment.title, .about = experiment.unit};
    std::size_t item = 0;
    for (const auto& row : transaction.exec(sql)) {
        const auto number = [&](const char* column) { return row[column].as<double>(); };
        ldp::cli::Row mark{.label = row[row["label"].is_null() ? "attribute" : "label"].c_str(),
                           .estimate = number("estimate"),
                           .error = number("stderr"),
                           .lower = number("lower"),
                           .upper = number("upper"),
                           .truth = truth.of(item)};
        const bool covered = mark.lower <= mark.truth && mark.truth <= mark.upper;
        std::printf("  %-12s %10.4g %10.4g %9.3g   [%8.4g, %8.4g] %s\n", mark.label.c_str(), mark.truth,
                    mark.estimate, mark.error, mark.lower, mark.upper, covered ? "" : "  (truth outside)");
        if (std::abs(mark.estimate - mark.truth) > 6 * mark.error)
            throw ldp::Error(ldp::ErrorCode::environment,
                             "an estimate lies more than six standard errors off the truth",
                             experiment.name + ", " + mark.label,
                             "This should not happen once in 10^8 runs: it is a bug.");
        inside += covered ? 1 : 0;
        ++all;
        figure.shares = !row["label"].is_null();
        const ldp::Attribute& attribute = spec.attributes()[figure.shares ? 0 : item];
        figure.kind = figure.shares ? ldp::cli::Figure::Kind::category : ldp::cli::Figure::Kind::mean;
        if (attribute.numeric()) mark.scale = ldp::Interval{attribute.min, attribute.max};
        figure.rows.push_back(std::move(mark));
        ++item;
    }
    std::printf("\n");
    return figure;
}

/// Three stored reports, and how likely each would be whatever the person's region is.
void show_reports(const ldp::Collection& collection, pqxx::connection& connection) {
    pqxx::read_transaction transaction(connection);
    const ldp::Attribute& region = collection.spec().attributes()[0];
    std::printf("Three reports as they are stored, and the chance of each under every possible truth:\n\n");
    std::printf("  %-62s", "report");
    for (const std::string& label : region.labels) std::printf(" %10s", label.c_str());
    std::printf("\n");
    for (const auto& row : transaction.exec("SELECT report::text FROM region LIMIT 3")) {
        const std::string text = row[0].c_str();
        std::vector<std::byte> bytes(text.size() / 2);
        if (!ldp::from_hex(text, bytes.data()))
            throw ldp::Error(ldp::ErrorCode::malformed, "no report: " + text);
        std::printf("  %-62s", text.c_str());
        for (ldp::Cell truth = 0; truth < region.domain; ++truth) {
            const ldp::Exact chance = collection.mechanism().probability(
                {&truth, 1}, {}, ldp::payload_of(ldp::Bytes(bytes), collection.mechanism().block()));
            std::printf(" %9.1f%%", 100 * static_cast<double>(chance));
        }
        std::printf("\n");
    }
    std::printf(
        "\n  No truth makes a report more than e^1 = 2.72 times as likely as another: that is epsilon = "
        "1.\n\n");
}

int run(const char* csv, const char* drawing) {
    const auto began = std::chrono::steady_clock::now();
    pqxx::connection connection = ldp::connect();
    {
        pqxx::work transaction(connection);
        transaction.exec("CREATE EXTENSION IF NOT EXISTS ldp");
        for (const Experiment& experiment : experiments)
            transaction.exec("SELECT ldp_create_collection(" + transaction.quote(experiment.name) + ", " +
                             transaction.quote(experiment.spec) + ")");
        transaction.commit();
    }
    ldp::cli::Document drawn{
        .title = "28,155 people, no value revealed",
        .lead =
            {{"",
              "\u25CF private estimate and 95 % interval \u2003 \u25B2 truth, which the server never sees"}},
        .sections = {{.title = "Answers"}}};
    std::string pages;
    std::size_t inside = 0, all = 0;
    for (const Experiment& experiment : experiments) {
        const ldp::Collection collection(ldp::fetch_spec(connection, experiment.name));
        std::printf("%s (%s, epsilon %g per person)\n", experiment.title.c_str(),
                    collection.spec().mechanism().name, collection.spec().epsilon());
        const Truth truth = collect(experiment, collection, connection, csv);
        drawn.sections[0].figures.push_back(
            compare(experiment, collection.spec(), truth, connection, inside, all));
        if (experiment.name == "region") show_reports(collection, connection);
    }
    const demo::Coverage together = demo::ask_questionnaire(connection, csv);
    inside += together.inside;
    all += together.all;
    std::vector<std::string> collections{demo::questionnaire};
    for (const Experiment& experiment : experiments) collections.push_back(experiment.name);
    for (const std::string& name : collections) {
        const auto page = std::filesystem::path(drawing).replace_filename(name + ".html");
        std::ofstream file(page);
        ldp::cli::Asked asked{name};
        if (name == demo::questionnaire) asked.by = "ethnicity";
        ldp::cli::Source source(connection, asked);
        ldp::cli::write_html(file, ldp::cli::answers_of(source));
        pages += (pages.empty() ? "" : ", ") + page.string();
    }
    std::ofstream picture(drawing);
    ldp::cli::write_svg(picture, drawn);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    std::printf(
        "%zu of %zu intervals hold the truth (95 %% are expected to). Drawn in %s. %.1f s.\n"
        "Pages, as an analyst has them: %s.\n",
        inside, all, drawing, took.count(), pages.c_str());
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 3) {
        std::fprintf(stderr, "usage: ldp-demo people.csv drawing.svg\n");
        return 2;
    }
    try {
        return run(arguments[1], arguments[2]);
    } catch (const ldp::Error& error) {
        std::fprintf(stderr, "error: %s\ndetail: %s\nhint: %s\n", error.what(), error.detail().c_str(),
                     error.hint().c_str());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
    }
    return 1;
}
