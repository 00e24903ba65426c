#include "questionnaire.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "cli/input/csv.hpp"
#include "cli/progress.hpp"
#include "client/uploader.hpp"
#include "ldp.hpp"

namespace demo {

namespace {

constexpr const char* spec = R"({"mechanism": "auto", "epsilon": 2, "people": 28155, "title": "Work and pay",
    "description": "Men of the Current Population Survey (United States, 03/1988), each with a simulated device.",
    "attributes": [{"name": "wage", "min": 0, "max": 2500, "estimate": "distribution", "title": "Wage",
                    "question": "How much do you earn a week?", "unit": "dollars a week"},
                   {"name": "education", "min": 0, "max": 18, "title": "Education",
                    "question": "For how many years did you go to school?", "unit": "years"},
                   {"name": "region", "domain": ["midwest", "northeast", "south", "west"], "title": "Region",
                    "question": "In which region do you live?"},
                   {"name": "parttime", "domain": ["no", "yes"], "title": "Part-time work",
                    "question": "Do you work part-time?"}],
    "joint_tables": [["region", "parttime"]]})";
constexpr const char *african_american = "African American", *caucasian = "Caucasian";

struct Person {
    double wage, education;
    std::string region, parttime, ethnicity;
};

std::vector<Person> read_people(const char* path) {
    std::ifstream file(path);
    if (!file) throw ldp::Error(ldp::ErrorCode::environment, std::string("cannot read ") + path);
    ldp::cli::CsvReader csv(file, path);
    std::vector<Person> people;
    while (csv.next()) {
        const auto field = [&](const char* column) { return std::string(csv.field(csv.column(column))); };
        people.push_back({std::stod(field("wage")), std::stod(field("education")), field("region"),
                          field("parttime"), field("ethnicity") == "afam" ? african_american : caucasian});
    }
    return people;
}

void report(const std::vector<Person>& people, pqxx::connection& connection) {
    const ldp::Collection collection(ldp::fetch_spec(connection, questionnaire));
    ldp::Client client(collection, ldp::MemoryStore{});
    ldp::cli::Progress progress(std::cerr, isatty(2) != 0, "perturbing the questionnaire", "people",
                                people.size());
    std::map<std::string, ldp::PublicValues> groups;
    for (const Person& person : people)
        groups.try_emplace(person.ethnicity, ldp::PublicValues{{"ethnicity", person.ethnicity}});
    for (std::size_t i = 0; i < people.size(); ++i) {
        const Person& person = people[i];
        client.report({person.wage, person.education, std::string_view(person.region),
                       std::string_view(person.parttime)},
                      0, groups.at(person.ethnicity));
        if (i % 1000 == 0) progress.update(i);
    }
    ldp::Uploader(connection, questionnaire).flush(client);
}

/// A row of an answer: its name, and the true value.
struct Expected {
    std::string name;
    double truth;
};

/// Runs a query whose rows have the columns estimate, lower and upper, in the order of the expected values.
void compare(pqxx::connection& connection, const char* title, const std::string& sql,
             const std::vector<Expected>& expected, Coverage& coverage) {
    pqxx::read_transaction transaction(connection);
    std::printf("  %s\n  %s;\n\n  %-24s %10s %10s   %-22s\n", title, sql.c_str(), "", "truth", "estimate",
                "95 % interval");
    const pqxx::result rows = transaction.exec(sql);
    if (static_cast<std::size_t>(rows.size()) != expected.size())
        throw ldp::Error(ldp::ErrorCode::environment, "an answer has another number of rows", sql);
    std::size_t at = 0;
    for (const auto& row : rows) {
        const auto& [name, truth] = expected[at++];
        const double estimate = row["estimate"].as<double>(), lower = row["lower"].as<double>(),
                     upper = row["upper"].as<double>();
        const bool inside = lower <= truth && truth <= upper;
        std::printf("  %-24s %10.4g %10.4g   [%8.4g, %8.4g] %s\n", name.c_str(), truth, estimate, lower,
                    upper, inside ? "" : "  (truth outside)");
        // Half an interval is about two standard errors.
        if (std::abs(estimate - truth) > 3 * std::max(upper - estimate, estimate - lower))
            throw ldp::Error(ldp::ErrorCode::environment,
                             "an estimate lies more than six standard errors off the truth",
                             std::string(title) + ", " + name, "This is a bug.");
        coverage.inside += inside ? 1 : 0;
        ++coverage.all;
    }
    std::printf("\n");
}

/// The mean of a number over people, or over a part of them.
template <class Of, class Among>
double mean(const std::vector<Person>& people, Of of, Among among) {
    double sum = 0, count = 0;
    for (const Person& person : people)
        if (among(person)) sum += of(person), ++count;
    return sum / count;
}

}  // namespace

Coverage ask_questionnaire(pqxx::connection& connection, const char* csv) {
    {
        pqxx::work transaction(connection);
        transaction.exec("SELECT ldp_create_collection(" + transaction.quote(std::string(questionnaire)) +
                         ", " + transaction.quote(std::string(spec)) + ", ARRAY[['ethnicity', 'text']])");
        transaction.commit();
    }
    std::printf(
        "A questionnaire: a distribution, a mean and a joint table, by a public column (epsilon 2 per "
        "person)\n\n");
    const std::vector<Person> people = read_people(csv);
    report(people, connection);
    const auto everybody = [](const Person&) { return true; };
    Coverage coverage;

    std::vector<double> wages;
    for (const Person& person : people) wages.push_back(std::clamp(person.wage, 0.0, 2500.0));
    std::ranges::sort(wages);
    std::vector<Expected> quartiles;
    for (const double share : {0.25, 0.5, 0.75})
        quartiles.push_back({"quantile " + std::to_string(share).substr(0, 4),
                             wages[static_cast<std::size_t>(share * static_cast<double>(wages.size()))]});
    compare(connection, "Quartiles of the weekly wage",
            "SELECT * FROM ldp_quantiles('questionnaire', '{0.25,0.5,0.75}', attribute => "
            "'wage')",
            quartiles, coverage);

    const auto education = [](const Person& person) { return person.education; };
    compare(connection, "Years of education",
            "SELECT * FROM ldp_estimate('questionnaire', '{education}', statistics => '{mean}')",
            {{"mean", mean(people, education, everybody)}}, coverage);

    std::vector<Expected> cells;
    for (const char* region : {"midwest", "northeast", "south", "west"})
        for (const char* parttime : {"no", "yes"})
            cells.push_back({std::string(region) + ", " + parttime,
                             mean(
                                 people,
                                 [&](const Person& person) {
                                     return person.region == region && person.parttime == parttime ? 1.0
                                                                                                   : 0.0;
                                 },
                                 everybody)});
    compare(connection, "Region and part time together",
            "SELECT * FROM ldp_marginal('questionnaire', '{region,parttime}')", cells, coverage);

    const auto among = [&](const char* ethnicity, auto of) {
        return mean(people, of, [&](const Person& person) { return person.ethnicity == ethnicity; });
    };
    const auto part_time = [](const Person& person) { return person.parttime == "yes" ? 1.0 : 0.0; };
    compare(
        connection, "Differences between the groups of the public column",
        "SELECT * FROM ldp_compare_groups('questionnaire', '{ethnicity}', baseline => 'Caucasian', target => "
        "'sample') "
        "WHERE attribute = 'education' OR (attribute, label) = ('parttime', 'yes') ORDER BY attribute",
        {{"education, mean", among(african_american, education) - among(caucasian, education)},
         {"parttime, yes", among(african_american, part_time) - among(caucasian, part_time)}},
        coverage);
    return coverage;
}

}  // namespace demo
