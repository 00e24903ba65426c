// test/data/records.txt, through the reporters of the client: what a record becomes, from JSON to the bytes
// of its reports, under given words of randomness.

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "../support/seeded_words.hpp"
#include "client/reporter.hpp"
#include "client_support.hpp"
#include "core/mechanism/role/registry.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(vectors_of_clients)

namespace {

/// A client whose words are known.
struct Scripted {
    explicit Scripted(const std::string& spec) : of(Spec::from_json(spec)) {}

    [[nodiscard]] std::vector<Report> report(std::int32_t round, const nlohmann::json& values) {
        std::vector<std::string> texts;
        const auto text_of = [](const nlohmann::json& value) {
            if (value.is_null()) return std::string();
            if (!value.is_array()) return value.get<std::string>();
            std::string set;
            for (const auto& label : value)
                set +=
                    (set.empty() ? "" : ";") + (label.is_string() ? label.get<std::string>() : label.dump());
            return set;
        };
        for (const auto& [name, value] : values.items())
            if (!value.is_number()) texts.push_back(text_of(value));
        std::vector<Value> record;
        for (const Attribute& attribute : of.spec().attributes()) {
            if (attribute.derived()) continue;
            const auto& value = values.at(attribute.name);
            if (value.is_number())
                record.emplace_back(value.get<double>());
            else
                record.emplace_back(*std::ranges::find(texts, text_of(value)));
        }
        auto reported = reporter->report(record, round, words);
        store.append(reported.reports, round, {}, reporter->unsaved());
        reporter->commit(round);
        return reported.reports;
    }

    Collection of;
    MemoryStore store;
    SeededBits words{2026};
    std::unique_ptr<Reporter> reporter = make_reporter(of, store, words);
};

}  // namespace

BOOST_AUTO_TEST_CASE(records_give_their_reports) {
    std::ifstream file("test/data/records.txt");
    std::set<std::string> mechanisms, remembered;
    std::optional<Scripted> client;
    std::vector<std::string> expected, found;
    for (std::string word, rest; file >> word && std::getline(file, rest);) {
        if (word == "spec") {
            client.emplace(rest);
            const Spec& spec = client->of.spec();
            (spec.evolving() ? remembered : mechanisms).insert(spec.mechanism().name);
        } else if (word == "record") {
            std::size_t end = 0;
            const int round = std::stoi(rest, &end);
            for (const Report& report : client->report(round, nlohmann::json::parse(rest.substr(end))))
                found.push_back(to_hex(report));
        } else if (word == "report") {
            expected.push_back(rest.substr(1));
        }
    }
    BOOST_CHECK_EQUAL_COLLECTIONS(found.begin(), found.end(), expected.begin(), expected.end());
    BOOST_CHECK_EQUAL(mechanisms.size(), registry().size());
    BOOST_CHECK_GE(remembered.size(), 10u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
