#include <bit>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include "core/base/error.hpp"
#include "core/base/json.hpp"
#include "core/base/number_text.hpp"
#include "core/base/text.hpp"
#include "core/contract/keys.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(spec)

namespace {

/// The error that a spec meets; fails the test if it meets none.
Error refusal(const std::string& json) {
    try {
        static_cast<void>(resolve(json));
    } catch (const Error& error) {
        return error;
    }
    BOOST_FAIL("accepted: " << json);
    throw std::logic_error("unreachable");
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(canonical_form_is_complete_and_stable) {
    const Spec spec = resolve(R"({"epsilon": 1, "mechanism": "pdp", "max": 9, "min": 0})");
    BOOST_CHECK_EQUAL(spec.number("grid"), 32768u);
    BOOST_CHECK_EQUAL(spec.attributes().size(), 1u);
    BOOST_CHECK_EQUAL(spec.attributes()[0].name, "value");
    const std::string canonical = spec.to_json();
    for (const char* part :
         {"\"grid\":32768", "\"version\":1", "\"report_bytes\":", "\"window\":", "\"name\":\"value\""})
        BOOST_CHECK_MESSAGE(contains(canonical, part), canonical);
    const Spec again = Spec::from_json(canonical);
    BOOST_CHECK_EQUAL(again.to_json(), canonical);
    BOOST_CHECK(again.fingerprint() == spec.fingerprint());
}

BOOST_AUTO_TEST_CASE(fingerprint_tells_specs_apart) {
    const auto print = [](const std::string& json) { return fingerprint_text(resolve(json).fingerprint()); };
    const auto base = print(R"({"mechanism": "grr", "epsilon": 1, "domain": ["a", "b"]})");
    BOOST_CHECK_EQUAL(base, print(R"({"domain":["a","b"],"epsilon":1.0,"mechanism":"grr","version":1})"));
    BOOST_CHECK_NE(base, print(R"({"mechanism": "grr", "epsilon": 1, "domain": ["b", "a"]})"));
    BOOST_CHECK_NE(base, print(R"({"mechanism": "grr", "epsilon": 1, "domain": 2})"));
    BOOST_CHECK_NE(base,
                   print(R"({"mechanism": "grr", "epsilon": 1.0000000000000002, "domain": ["a", "b"]})"));
}

BOOST_AUTO_TEST_CASE(bad_specs_are_refused_by_name) {
    const struct {
        const char* json;
        ErrorCode code;
        const char* message;  // a part of it
        const char* detail;   // a part of it
    } cases[] = {
        {"", ErrorCode::malformed, "is not valid JSON", ""},
        {"{", ErrorCode::malformed, "is not valid JSON", ""},
        {"[1]", ErrorCode::invalid_spec, "must be an object", "Found [1]"},
        {"\"\xff\"", ErrorCode::malformed, "is not valid JSON", ""},
        {R"({"mechanism":"grr","epsilon":1e999,"domain":4})", ErrorCode::malformed, "is not valid JSON", ""},
        {R"({"mechanism":"grr","epsilon":1,"epsilon":2,"domain":4})", ErrorCode::invalid_spec, "is repeated",
         ""},
        {R"([[[[[[[[[[[[[[1]]]]]]]]]]]]]])", ErrorCode::malformed, "nested too deeply", ""},
        {R"({"epsilon":1,"domain":4})", ErrorCode::invalid_spec, "\"mechanism\" is missing", "grr"},
        {R"({"mechanism":"rot13","epsilon":1,"domain":4})", ErrorCode::invalid_spec, "\"mechanism\"",
         "rot13"},
        {R"({"mechanism":7,"epsilon":1,"domain":4})", ErrorCode::invalid_spec, "\"mechanism\"", "7"},
        {R"({"mechanism":"grr","domain":4})", ErrorCode::invalid_spec, "\"epsilon\" is missing", ""},
        {R"({"mechanism":"grr","epsilon":0,"domain":4})", ErrorCode::invalid_spec, "\"epsilon\"", "Found 0"},
        {R"({"mechanism":"grr","epsilon":-1,"domain":4})", ErrorCode::invalid_spec, "\"epsilon\"", "-1"},
        {R"({"mechanism":"grr","epsilon":21,"domain":4})", ErrorCode::invalid_spec, "20", "21"},
        {R"({"mechanism":"grr","epsilon":"NaN","domain":4})", ErrorCode::invalid_spec, "\"epsilon\"", "NaN"},
        {R"({"mechanism":"grr","epsilon":1,"domain":4,"colour":"red"})", ErrorCode::invalid_spec, "colour",
         "Valid keys are"},
        {R"({"mechanism":"grr","epsilon":1,"domain":4,"grid":8})", ErrorCode::invalid_spec, "grid",
         "Valid keys are"},
        {R"({"mechanism":"grr","epsilon":1})", ErrorCode::invalid_spec, "no attributes", ""},
        {R"({"mechanism":"grr","epsilon":1,"domain":[]})", ErrorCode::invalid_spec, "\"domain\"", "[]"},
        {R"({"mechanism":"grr","epsilon":1,"domain":1})", ErrorCode::invalid_spec, "\"domain\"", "1"},
        {R"({"mechanism":"grr","epsilon":1,"domain":-4})", ErrorCode::invalid_spec, "\"domain\"", "-4"},
        {R"({"mechanism":"grr","epsilon":1,"domain":2.5})", ErrorCode::invalid_spec, "\"domain\"", "2.5"},
        {R"({"mechanism":"grr","epsilon":1,"domain":16777217})", ErrorCode::invalid_spec, "16777216",
         "16777217"},
        {R"({"mechanism":"oue","epsilon":1,"domain":65537})", ErrorCode::invalid_spec, "65536", "65537"},
        {R"({"mechanism":"grr","epsilon":1,"domain":["a","b","a"]})", ErrorCode::invalid_spec, "repeated",
         "\"a\""},
        {R"({"mechanism":"grr","epsilon":1,"domain":["a",""]})", ErrorCode::invalid_spec, "label", "\"\""},
        {R"({"mechanism":"grr","epsilon":1,"domain":["a",3]})", ErrorCode::invalid_spec, "label", "3"},
        {R"({"mechanism":"grr","epsilon":1,"domain":4,"min":0,"max":1})", ErrorCode::invalid_spec, "both",
         ""},
        {R"({"mechanism":"grr","epsilon":1,"min":0,"max":1})", ErrorCode::invalid_spec, "one categorical",
         "numeric"},
        {R"({"mechanism":"pdp","epsilon":1,"domain":4})", ErrorCode::invalid_spec, "one numeric",
         "categorical"},
        {R"({"mechanism":"pdp","epsilon":1,"min":1,"max":1})", ErrorCode::invalid_spec, "less than", "min 1"},
        {R"({"mechanism":"pdp","epsilon":1,"min":2,"max":1})", ErrorCode::invalid_spec, "less than", "min 2"},
        {R"({"mechanism":"pdp","epsilon":1,"min":0})", ErrorCode::invalid_spec, "\"max\" is missing", ""},
        {R"({"mechanism":"pdp","epsilon":1,"min":-1e308,"max":1e308})", ErrorCode::invalid_spec, "less than",
         ""},
        {R"({"mechanism":"pdp","epsilon":1,"min":0,"max":1,"grid":1})", ErrorCode::invalid_spec, "\"grid\"",
         "1"},
        {R"({"mechanism":"pdp","epsilon":1,"min":0,"max":1,"grid":1048577})", ErrorCode::invalid_spec,
         "\"grid\"", ""},
        {R"({"mechanism":"pdp","epsilon":1,"min":0,"max":1,"version":2})", ErrorCode::invalid_spec,
         "\"version\"", "2"},
        {R"({"mechanism":"haar","epsilon":1,"attributes":[]})", ErrorCode::invalid_spec, "\"attributes\"",
         "[]"},
        {R"({"mechanism":"haar","epsilon":1,"attributes":[{"name":"a","min":0,"max":1}]})",
         ErrorCode::invalid_spec, "2 to 4096", "1 attribute"},
        {R"({"mechanism":"haar","epsilon":1,"attributes":[{"name":"a","min":0,"max":1},{"name":"a","min":0,"max":1}]})",
         ErrorCode::invalid_spec, "same name", "\"a\""},
        {R"({"mechanism":"haar","epsilon":1,"attributes":[{"name":"","min":0,"max":1},{"name":"a","min":0,"max":1}]})",
         ErrorCode::invalid_spec, "name", "\"\""},
        {R"({"mechanism":"haar","epsilon":1,"attributes":[{"name":"a","min":0,"max":1},{"name":"b","domain":3}]})",
         ErrorCode::invalid_spec, "numeric attributes", "numeric and categorical"},
        {R"({"mechanism":"haar","epsilon":1,"attributes":[{"name":"a","min":0,"max":1,"units":"m"}]})",
         ErrorCode::invalid_spec, "units", "Valid keys are"},
        {R"({"mechanism":"sampled","epsilon":1,"attributes":[{"name":"a","min":0,"max":1},{"product":["a","a"],"units":"m"}]})",
         ErrorCode::invalid_spec, "unit", "max, mechanism, min, name"},
        {R"({"mechanism":"haar","epsilon":1,"randomizer":"magic","attributes":[{"name":"a","min":0,"max":1},{"name":"b","min":0,"max":1}]})",
         ErrorCode::invalid_spec, "\"randomizer\"", "magic"},
        {R"({"mechanism":"haar","epsilon":0.0015,"details":"global","attributes":[{"name":"a","min":0,"max":1},{"name":"b","min":0,"max":1}]})",
         ErrorCode::invalid_spec, "too small to be split", "0.0015"},
        {R"({"mechanism":"joint","epsilon":1,"attributes":[{"name":"a","domain":3},{"name":"b","min":0,"max":8,"edges":4}]})",
         ErrorCode::invalid_spec, "\"edges\"", "Found 4"},
        {R"({"mechanism":"joint","epsilon":1,"attributes":[{"name":"a","domain":3},{"name":"b","min":0,"max":8,"edges":[4,"x"]}]})",
         ErrorCode::invalid_spec, "\"edges\"", "\"x\""},
        {R"({"mechanism":"joint","epsilon":1,"attributes":[{"name":"a","domain":3},{"name":"b","min":1,"max":1.0000000000000002,"bins":4}]})",
         ErrorCode::invalid_spec, "too narrow", "4 bins"},
        {R"({"mechanism":"grr","epsilon":1,"domain":4,"derived":{"p":0.9}})", ErrorCode::invalid_spec,
         "\"derived\"", "0.9"},
        {R"({"mechanism":"grr","epsilon":1,"domain":4,"derived":7})", ErrorCode::invalid_spec, "\"derived\"",
         "7"},
    };
    for (const auto& c : cases) {
        const Error error = refusal(c.json);
        BOOST_CHECK_MESSAGE(error.code() == c.code, c.json);
        BOOST_CHECK_MESSAGE(contains(error.what(), c.message), c.json << ": " << error.what());
        BOOST_CHECK_MESSAGE(contains(error.detail(), c.detail), c.json << ": " << error.detail());
    }
}

BOOST_AUTO_TEST_CASE(oversized_specs_are_refused) {
    BOOST_CHECK(contains(refusal(std::string((1 << 20) + 1, ' ')).what(), "too long"));
    // A number of a million digits, of which the error shows a few.
    BOOST_CHECK_LE(
        refusal(R"({"mechanism":"grr","epsilon":)" + std::string(1000000, '9') + "}").detail().size(), 200);
    // Ranges that all differ need 20 bytes each in every report: a hundred of them no longer fit.
    std::string attributes;
    for (int j = 0; j < 120; ++j)
        attributes += (j == 0 ? "" : ",") + ("{\"name\":\"a" + std::to_string(j) +
                                             "\",\"min\":0,\"max\":" + std::to_string(j + 1) + "}");
    const Error error = refusal(R"({"mechanism":"haar","epsilon":1,"attributes":[)" + attributes + "]}");
    BOOST_CHECK(contains(error.what(), "more parameters than a report can carry"));
    BOOST_CHECK(contains(error.hint(), "next to each other"));

    // Parts that all differ: the error has the number of parts that fit, which is right.
    const auto record = [](int parts) {
        std::string all;
        for (int j = 0; j < parts; ++j)
            all +=
                (j == 0 ? "" : ",") + ("{\"name\":\"a" + std::to_string(j) +
                                       "\",\"mechanism\":\"grr\",\"domain\":" + std::to_string(j + 2) + "}");
        return R"({"mechanism":"sampled","per_report":1,"epsilon":1,"attributes":[)" + all + "]}";
    };
    const Error parts = refusal(record(200));
    BOOST_CHECK(contains(parts.what(), "too many parts for a report"));
    BOOST_CHECK(contains(parts.detail(), "Its 200 parts need"));
    int fitting = 0;
    while (!contains(parts.detail(), "the first " + std::to_string(fitting) + " parts fit") && fitting < 200)
        ++fitting;
    BOOST_CHECK_GT(fitting, 100);
    BOOST_CHECK_NO_THROW(resolve(record(fitting)));
    BOOST_CHECK(contains(refusal(record(fitting + 1)).what(), "too many parts for a report"));

    const auto many = [](int count, const std::string& of) {
        std::string all;
        for (int j = 0; j < count; ++j)
            all += (j == 0 ? "" : ",") + ("{\"name\":\"a" + std::to_string(j) + "\"," + of + "}");
        return all;
    };
    BOOST_CHECK(contains(refusal(R"({"mechanism":"sampled","epsilon":1,"attributes":[)" +
                                 many(4096, R"("min":0,"max":1)") + R"(,{"product":["a1","a2"]}]})")
                             .what(),
                         "at most 4096 attributes"));
    const Error views = refusal(R"({"mechanism":"joint","epsilon":1,"marginals":"triples","attributes":[)" +
                                many(128, R"("domain":2)") + "]}");
    BOOST_CHECK(contains(views.what(), "too many marginals"));
    BOOST_CHECK(contains(views.detail(), "341376 with all triples"));
    const std::string tables =
        R"({"mechanism":"joint","epsilon":1,"attributes":[)" + many(128, R"("domain":90)") + "]}";
    BOOST_CHECK_EXCEPTION(static_cast<void>(make_mechanism(resolve(tables))), Error, [](const Error& e) {
        return contains(e.what(), "joint tables would be too large");
    });
    // 4096 utilities of 5 bits each; no two rows differ by a constant.
    std::string rows;
    for (int i = 0; i < 64; ++i) {
        rows += i == 0 ? "[" : ",[";
        for (int j = 0; j < 64; ++j) rows += (j == 0 ? "" : ",") + std::to_string((i * i + j * j * j) % 31);
        rows += "]";
    }
    BOOST_CHECK(contains(
        refusal(R"({"mechanism":"exponential","epsilon":1,"domain":64,"utilities":[)" + rows + "]}").what(),
        "the table is too large"));
}

// A message shows whole characters of what it cites.
BOOST_AUTO_TEST_CASE(characters_are_those_of_utf_8) {
    BOOST_CHECK_EQUAL(character_size("a\xC3\xA9"), 1u);
    BOOST_CHECK_EQUAL(character_size("\xC3\xA9"), 2u);
    BOOST_CHECK_EQUAL(character_size("\xE2\x82\xAC"), 3u);
    BOOST_CHECK_EQUAL(character_size("\xF0\x9F\x98\x80"), 4u);
    // Nothing, no beginning, cut short, another character within, overlong, a surrogate, beyond U+10FFFF.
    for (const char* none : {"", "\x80", "\xC3", "\xE2\x82", "\xE2\x82(", "\xF0\x9F\x98(", "\xC0\x80",
                             "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80"})
        BOOST_CHECK_EQUAL(character_size(none), 0u);
}

// The module for browsers writes numbers by number_text.hpp.
BOOST_AUTO_TEST_CASE(numbers_have_one_text_in_all_programs) {
    const auto compare = [](double number) {
        BOOST_REQUIRE_EQUAL(small::shortest(number), shortest(number));
        for (const int digits : {1, 3, 6, 17})
            BOOST_REQUIRE_EQUAL(small::rounded(number, digits), rounded(number, digits));
    };
    // Below a power of two, the closest decimal may parse to a neighbour.
    for (int exponent = -1074; exponent < 1024; ++exponent)
        for (const double number : {std::ldexp(1, exponent), std::nextafter(std::ldexp(1, exponent), 0)})
            compare(number);
    SeededBits bits(7);
    for (int i = 0; i < 2000; ++i) {
        const std::uint64_t word = bits.word();
        const auto number = std::bit_cast<double>(word);
        if (!std::isnan(number)) compare(number);
        compare(static_cast<double>(word % 1000000) / 1000);
        compare(-static_cast<double>(word >> (word % 60)));
    }
    for (const double number : {0.0, -0.0, 1e21, 1e22, 1e23, 123456789012345680000.0, 5e-324})
        compare(number);
}

BOOST_AUTO_TEST_CASE(listed_views_that_are_all_of_them_are_that_word) {
    const auto with = [](const std::string& views) {
        return resolve(
                   R"({"mechanism":"joint","epsilon":1,"attributes":[{"name":"a","domain":3},{"name":"b","domain":3},{"name":"c","domain":4}],"marginals":)" +
                   views + "}")
            .to_json();
    };
    BOOST_CHECK_EQUAL(with(R"([["c","b"],["a","c"],["a","b"]])"), with(R"("pairs")"));
    BOOST_CHECK_EQUAL(with(R"([["c","a","b"]])"), with(R"("triples")"));
    BOOST_CHECK_NE(with(R"([["a","c"],["a","b"]])"), with(R"("pairs")"));
}

BOOST_AUTO_TEST_CASE(a_spec_with_an_open_choice_is_refused_with_the_way_to_resolve_it) {
    const std::string pair = R"("attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 3}])";
    const std::string named =
        R"("attributes": [{"name": "a", "domain": 2, "mechanism": "grr"}, {"name": "b", "domain": 3, "mechanism": "grr"}])";
    const struct {
        std::string json;
        const char* detail;
    } cases[] = {
        {R"({"mechanism": "auto", "epsilon": 1, "domain": 4})", R"("mechanism" is "auto".)"},
        {R"({"mechanism": "auto", "epsilon": 1, "min": 0, "max": 1, "estimate": "distribution"})",
         R"("mechanism" is "auto".)"},
        {R"({"mechanism": "optimal", "min": 0, "max": 1, "evolving": "auto", "budget": {"epsilon": 6},
             "stream": {"rounds": 4, "people": 100, "change_rate": 0.1}})",
         R"("evolving" is "auto".)"},
        {R"({"mechanism": "grr", "epsilon": 1, "domain": 3, "evolving": {}, "budget": {"epsilon": 6},
             "stream": {"rounds": 4, "people": 100, "change_rate": 0.1}})",
         R"("stream" describes values for a choice.)"},
        {R"({"mechanism": "sampled", "epsilon": 1, "per_report": 1, )" + pair + "}",
         R"(The attribute "a" of the record names no mechanism.)"},
        {R"({"mechanism": "sampled", "epsilon": 1, )" + named + "}",
         R"("per_report", the number of parts in a report, is missing.)"},
        {R"({"mechanism": "sampled", "epsilon": 1, "per_report": 1, "max_margin_of_error": {"a": 0.1}, )" +
             named + "}",
         R"("max_margin_of_error" determine how often each attribute is reported.)"},
        {R"({"mechanism": "joint", "epsilon": 1, "marginals": "auto", "people": 1000, )" + pair + "}",
         R"("marginals" is "auto".)"},
    };
    for (const auto& [json, detail] : cases) {
        BOOST_TEST_CONTEXT(json) {
            BOOST_CHECK_EXCEPTION(static_cast<void>(Spec::from_json(json)), Error, [&](const Error& error) {
                return error.code() == ErrorCode::invalid_spec &&
                       error.what() == std::string("the spec leaves a choice open") &&
                       error.detail() == detail && contains(error.hint(), "ldp spec resolve") &&
                       contains(error.hint(), "ldp_spec_info");
            });
            // The server resolves the spec, and devices take the result.
            const Spec resolved = resolve(json);
            BOOST_CHECK_EQUAL(Spec::from_json(resolved.to_json()).to_json(), resolved.to_json());
        }
    }
}

// The first column of the table of derived values in doc/spec.md has every key.
BOOST_AUTO_TEST_CASE(derived_values_are_documented) {
    std::ifstream page("doc/spec.md"), file("test/data/vectors.txt");
    std::string documented;
    bool inside = false;
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with("#")) inside = line == "### Derived values";
        if (inside && line.starts_with("| `")) documented += line.substr(0, line.find(" | "));
    }
    std::size_t keys = 0;
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("{")) continue;
        const auto derived = json_of(Spec::from_json(line).to_json(), Unsound::refused)["derived"];
        for (const auto& [key, value] : derived.items()) {
            ++keys;
            BOOST_CHECK_MESSAGE(documented.find("`" + key + "`") != std::string::npos,
                                key << " of " << line << " is not in doc/spec.md");
        }
    }
    BOOST_CHECK_GT(keys, 100u);
}

// The registry has the ranges of options, and the table their sentences.
BOOST_AUTO_TEST_CASE(the_table_of_keys_has_the_options_of_all_mechanisms) {
    std::set<std::string> declared, used;
    for (const keys::Declaration& one : keys::table)
        if (one.key.object == keys::Object::option) BOOST_TEST(declared.insert(one.key.name).second);
    for (const MechanismEntry* entry : registry())
        for (const Option& option : entry->options) used.insert(option.name);
    BOOST_TEST(declared == used, boost::test_tools::per_element());
}

// The mechanisms check the bounds of real options; the table states them.
BOOST_AUTO_TEST_CASE(mechanisms_accept_real_options_within_the_bounds_of_the_table) {
    const std::string pair =
        R"("attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 1}])";
    const std::string categories =
        R"("attributes": [{"name": "a", "domain": 3}, {"name": "b", "domain": 3}])";
    const std::map<std::string, std::string> specs{
        {"mean_epsilon", R"("mechanism": "haar", "epsilon": 20, "details": "global", )" + pair},
        {"one_way_share", R"("mechanism": "joint", "epsilon": 1, )" + categories},
        {"delta", R"("mechanism": "gaussian", "epsilon": 1, )" + pair},
        {"norm", R"("mechanism": "gaussian", "epsilon": 1, "delta": 1e-9, )" + pair},
        {"report_epsilon", R"("mechanism": "l_grr", "epsilon": 20, "domain": 3)"},
        {"response_rate",
         R"("mechanism": "optional_mean", "epsilon": 1, "min": 0, "max": 1, "missing": true)"}};
    for (const keys::Declaration& one : keys::table) {
        const keys::Key& key = one.key;
        if (key.object != keys::Object::option || key.form == keys::ValueForm::option) continue;
        const auto with = [&](double value) {
            return "{" + specs.at(key.name) + ", \"" + key.name + "\": " + shortest(value) + "}";
        };
        BOOST_TEST_CONTEXT(key.name) {
            BOOST_CHECK(contains(refusal(with(key.least * 0.999 - 1e-18)).what(), key.name));
            BOOST_CHECK(contains(refusal(with(key.most * 1.001)).what(), key.name));
            if (key.form == keys::ValueForm::above) continue;  // the upper bound holds for 4096 attributes
            BOOST_CHECK_NO_THROW(static_cast<void>(resolve(with(key.least))));
            // The part of an epsilon is less than the whole.
            BOOST_CHECK_NO_THROW(static_cast<void>(resolve(with(std::min(key.most, max_epsilon - 0.01)))));
        }
    }
}

// Objects have each key once. Bounds and defaults are in order, and a sentence is one sentence.
BOOST_AUTO_TEST_CASE(the_table_of_keys_is_consistent) {
    std::set<std::pair<keys::Object, std::string>> seen;
    for (const auto& [key, sentence, mechanisms] : keys::table) {
        BOOST_TEST_CONTEXT(key.name) {
            BOOST_CHECK(seen.insert({key.object, key.name}).second);
            if (key.also != key.object) BOOST_CHECK(seen.insert({key.also, key.name}).second);
            BOOST_CHECK(!(key.least > key.most));
            if (key.form == keys::ValueForm::whole || key.form == keys::ValueForm::real)
                BOOST_CHECK(std::isnan(key.fallback) ||
                            (key.fallback >= key.least && key.fallback <= key.most));
            BOOST_CHECK(!contains(sentence, ". ") && !std::string_view(sentence).ends_with('.'));
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
