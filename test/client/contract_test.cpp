// The rule of contracts: one case for each row and column of the table in client/contract.hpp.

#include "client/contract.hpp"

#include <cmath>
#include <random>
#include <tuple>

#include "client_support.hpp"
#include "core/base/json.hpp"

namespace ldp::test {

namespace {

using Effect = ContractChange::Kind;

/// Of a person whose responses are memoized.
const char* const remembered =
    R"({"mechanism": "grr", "epsilon": 1, "evolving": {}, "budget": {"epsilon": 3},
        "title": "Travel", "description": "How people travel", "people_asked": 100, "attributes": [
        {"name": "mood", "domain": ["yes", "no"], "question": "Do you live in Europe?", "title": "Europe",
         "description": "At the end of the year", "scale": "ordered", "display": {"yes": "Yes", "no": "No"}}]})";
/// Of people whose reports are fresh draws.
const char* const fresh =
    R"({"mechanism": "grr", "epsilon": 1,
        "title": "Travel", "description": "How people travel", "people_asked": 100, "attributes": [
        {"name": "mood", "domain": ["yes", "no"], "question": "Do you live in Europe?", "title": "Europe",
         "description": "At the end of the year", "scale": "ordered", "display": {"yes": "Yes", "no": "No"}}]})";

/// Applies a merge patch (RFC 7396) to the spec; "mood" in the patch is that of the attribute.
std::string patched(const char* spec, const std::string& patch) {
    Json document = json_of(spec, Unsound::refused), change = json_of(patch, Unsound::refused);
    if (const auto found = change.find("mood"); found != change.end()) {
        document["attributes"][0].merge_patch(*found);
        change.erase("mood");
    }
    document.merge_patch(change);
    return json_text(document);
}

Offer offer_of(const std::string& spec) {
    return {Spec::from_json(spec), {}, "https://a.example", "c", "2026-01-01"};
}

/// The verdict on the offer of a patched spec after an agreement on the spec itself.
Verdict after(const char* spec, const std::string& patch, const ContractTerms& terms = {}) {
    const Contract agreed = Contract::of(offer_of(spec), terms);
    return compare(&agreed, terms, offer_of(patched(spec, patch)));
}

void check_kinds(const std::string& patch, Effect if_remembered, Effect if_fresh) {
    BOOST_TEST_CONTEXT(patch) {
        BOOST_TEST(word_of(after(remembered, patch).kind()) == word_of(if_remembered));
        BOOST_TEST(word_of(after(fresh, patch).kind()) == word_of(if_fresh));
    }
}

/// The verdict if the change is in the offer around the spec.
Verdict around(const char* spec, const ContractTerms& first, const ContractTerms& then,
               const std::function<void(Offer&)>& change) {
    Offer offer = offer_of(spec);
    const Contract agreed = Contract::of(offer, first);
    change(offer);
    return compare(&agreed, then, offer);
}
void check_around(const ContractTerms& first, const ContractTerms& then,
                  const std::function<void(Offer&)>& change, Effect expected) {
    for (const char* spec : {remembered, fresh})
        BOOST_TEST(word_of(around(spec, first, then, change).kind()) == word_of(expected));
}
void check_terms(const ContractTerms& terms, Effect if_remembered, Effect if_fresh) {
    BOOST_TEST(word_of(compare(nullptr, terms, offer_of(remembered)).kind()) == word_of(if_remembered));
    BOOST_TEST(word_of(compare(nullptr, terms, offer_of(fresh)).kind()) == word_of(if_fresh));
}

ContractTerms clear(std::set<std::string> names) {
    ContractTerms terms;
    terms.in_clear = std::move(names);
    return terms;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(contract)

BOOST_AUTO_TEST_CASE(the_same_offer_changes_nothing) {
    check_kinds("{}", Effect::same, Effect::same);
    BOOST_TEST(after(remembered, "{}").changes.empty());
}

BOOST_AUTO_TEST_CASE(another_spec_is_refused_with_memory_and_asked_without) {
    for (const char* patch :
         {R"({"epsilon": 2})", R"({"min_group": 21})", R"({"mood": {"name": "hiv"}})",
          R"({"mood": {"missing_label": "no"}})", R"({"epsilon": 1.0000001})",
          R"({"mood": {"domain": ["yes", "no", "maybe"]}})", R"({"mood": {"domain": ["no", "yes"]}})"})
        check_kinds(patch, Effect::refuse, Effect::ask);
    BOOST_TEST(after(remembered, R"({"epsilon": 1.5})").lines(Effect::refuse) ==
               "epsilon: before 1, now 1.5");
    BOOST_TEST(word_of(after(remembered, R"({"budget": {"epsilon": 2}})").kind()) == "refuse");
    BOOST_TEST(word_of(after(remembered, R"({"evolving": null, "budget": null})").kind()) == "refuse");
    BOOST_TEST(word_of(after(fresh, R"({"evolving": {}, "budget": {"epsilon": 3}})").kind()) == "ask");
}

BOOST_AUTO_TEST_CASE(another_meaning_is_asked_with_memory_and_shown_without) {
    for (const char* patch :
         {R"({"mood": {"question": "Do you smoke?"}})", R"({"mood": {"question": null}})",
          R"({"mood": {"title": "Smoking"}})", R"({"mood": {"description": "Today"}})",
          R"({"mood": {"scale": null}})", R"({"mood": {"display": {"yes": "No", "no": "Yes"}}})",
          R"({"mood": {"display": {"yes": null}}})"})
        check_kinds(patch, Effect::ask, Effect::shown);
    const Verdict verdict = after(remembered, R"({"mood": {"question": "Do you smoke?"}})");
    BOOST_TEST(verdict.lines(Effect::ask) ==
               "attributes.mood.question: before \"Do you live in Europe?\", now \"Do you smoke?\"");
    const char* const power =
        R"({"mechanism": "pdp", "epsilon": 1, "evolving": {}, "budget": {"epsilon": 3},
            "attributes": [{"name": "mood", "min": 0, "max": 9, "unit": "kWh"}]})";
    BOOST_TEST(word_of(after(power, R"({"mood": {"unit": "Wh"}})").kind()) == "ask");
}

BOOST_AUTO_TEST_CASE(the_digest_of_the_new_contract_accepts_another_meaning_but_not_another_spec) {
    const auto accepting = [](const std::string& patch) {
        const std::string changed = patched(remembered, patch);
        ContractTerms terms;
        terms.digest = Contract::of(offer_of(changed)).digest();
        const Contract agreed = Contract::of(offer_of(remembered));
        return compare(&agreed, terms, offer_of(changed)).kind();
    };
    BOOST_TEST(word_of(accepting(R"({"mood": {"question": "Do you live in Europe now?"}})")) == "shown");
    BOOST_TEST(word_of(accepting(R"({"epsilon": 2})")) == "refuse");
}

BOOST_AUTO_TEST_CASE(spaces_do_not_change_the_meaning) {
    check_kinds(R"({"mood": {"question": "Do  you   live in Europe?"}})", Effect::same, Effect::same);
    check_kinds(R"({"mood": {"display": {"yes": "Y es"}}})", Effect::ask, Effect::shown);
    check_kinds(R"({"mood": {"domain": ["yes", "no "], "display": {"no": null, "no ": "No"}}})",
                Effect::refuse, Effect::ask);
}

BOOST_AUTO_TEST_CASE(headings_are_shown_and_facts_for_analysts_are_not) {
    check_kinds(R"({"title": "Moving"})", Effect::shown, Effect::shown);
    check_kinds(R"({"description": null})", Effect::shown, Effect::shown);
    check_kinds(R"({"people_asked": 200})", Effect::same, Effect::same);
    check_around(
        {}, {}, [](Offer& offer) { offer.created = "2026-02-01"; }, Effect::same);
    check_around(
        {}, {},
        [](Offer& offer) {
            offer.spec = offer.spec.chosen_for({{}, "It is the best."});
        },
        Effect::same);
}

BOOST_AUTO_TEST_CASE(columns_in_clear_are_agreed) {
    const auto nothing = [](Offer&) {};
    check_around(clear({"country"}), clear({"country"}), nothing, Effect::same);
    check_around(clear({"country"}), {}, nothing, Effect::same);
    check_around({}, clear({"country"}), nothing, Effect::same);
    check_around(clear({}), clear({"country"}), nothing, Effect::ask);
    check_around(clear({"country"}), clear({"city", "country"}), nothing, Effect::ask);
    check_around(clear({"city", "country"}), clear({"country"}), nothing, Effect::shown);
    check_around(clear({"country"}), clear({"mood"}), nothing, Effect::refuse);
}

BOOST_AUTO_TEST_CASE(offered_columns_count_only_if_they_are_required) {
    const auto offers = [](const char* name, bool required) {
        return [=](Offer& offer) { offer.columns.push_back({name, "text", required}); };
    };
    check_around(clear({}), clear({}), offers("mood", false), Effect::same);
    check_around(clear({}), clear({}), offers("full_name", true), Effect::refuse);
    check_around({}, {}, offers("full_name", true), Effect::shown);
    check_around(clear({"country"}), {}, offers("country", true), Effect::same);
}

BOOST_AUTO_TEST_CASE(endpoint_and_name_are_agreed) {
    check_around(
        {}, {}, [](Offer& offer) { offer.endpoint = "https://b.example"; }, Effect::ask);
    check_around(
        {}, {}, [](Offer& offer) { offer.collection = "d"; }, Effect::ask);
    check_around(
        {}, {}, [](Offer& offer) { offer.endpoint = offer.collection = ""; }, Effect::same);
    const Contract unknown = Contract::of({Spec::from_json(remembered)});
    BOOST_TEST(compare(&unknown, {}, offer_of(remembered)).contract.endpoint == "https://a.example");
}

BOOST_AUTO_TEST_CASE(the_group_is_the_persons) {
    const auto in_group = [](const char* name, double epsilon) {
        return patched(fresh, R"({"budget": {"group": ")" + std::string(name) + R"(", "epsilon": )" +
                                  std::to_string(epsilon) + "}}");
    };
    const Contract agreed = Contract::of(offer_of(in_group("acme", 5)));
    BOOST_TEST(word_of(compare(&agreed, {}, offer_of(in_group("acme", 5))).kind()) == "same");
    BOOST_TEST(word_of(compare(&agreed, {}, offer_of(in_group("acme", 500))).kind()) == "refuse");
    BOOST_TEST(word_of(compare(&agreed, {}, offer_of(in_group("other", 5))).kind()) == "refuse");
    BOOST_TEST(word_of(compare(&agreed, {}, offer_of(fresh)).kind()) == "refuse");
    ContractTerms terms;
    terms.group_epsilon = 5;
    BOOST_TEST(word_of(compare(nullptr, terms, offer_of(in_group("acme", 5))).kind()) == "same");
    BOOST_TEST(word_of(compare(nullptr, terms, offer_of(in_group("acme", 4))).kind()) == "refuse");
}

BOOST_AUTO_TEST_CASE(terms_bound_the_offer) {
    check_terms({}, Effect::same, Effect::same);
    check_terms({.report_epsilon = 1}, Effect::same, Effect::same);
    check_terms({.report_epsilon = 0.9}, Effect::refuse, Effect::refuse);
    check_terms({.life_epsilon = 2}, Effect::same, Effect::same);      // of two responses, one for each value
    check_terms({.life_epsilon = 1.9}, Effect::refuse, Effect::same);  // a client counts fresh draws
    check_terms({.life_epsilon = 0.5}, Effect::refuse, Effect::refuse);
    check_terms({.life_epsilon = std::nan("")}, Effect::refuse, Effect::refuse);
    check_terms({.reports = 0}, Effect::same, Effect::refuse);
    check_terms({.reports = 1}, Effect::same, Effect::same);
    check_terms({.attributes = {{"mood", "age"}}}, Effect::same, Effect::same);
    check_terms({.attributes = {{"age"}}}, Effect::refuse, Effect::refuse);
    check_terms({.digest = "0000000000000000"}, Effect::refuse, Effect::refuse);
    check_terms({.digest = "no digest"}, Effect::refuse, Effect::refuse);
    for (const char* spec : {remembered, fresh}) {
        ContractTerms terms;
        terms.digest = Contract::of(offer_of(spec)).short_digest();
        BOOST_TEST(word_of(compare(nullptr, terms, offer_of(spec)).kind()) == "same");
        terms.digest->pop_back();
        BOOST_TEST(word_of(compare(nullptr, terms, offer_of(spec)).kind()) == "refuse");
    }
    // Terms hold at any later offer as well.
    BOOST_TEST(word_of(after(fresh, R"({"epsilon": 2})", {.report_epsilon = 1}).kind()) == "refuse");
}

BOOST_AUTO_TEST_CASE(the_signal_of_a_spent_budget_counts) {
    const char* const signaled =
        R"({"mechanism": "grr", "epsilon": 1, "evolving": {}, "budget": {"epsilon": 3}, "domain": 9})";
    BOOST_TEST(Contract::of({Spec::from_json(signaled)}).report_epsilon == 2);
}

BOOST_AUTO_TEST_CASE(a_contract_survives_as_json) {
    for (const char* spec : {remembered, fresh}) {
        Contract made = Contract::of(offer_of(spec), clear({"country"}));
        made.revision = 7;
        const Contract read = Contract::from_json(made.to_json());
        BOOST_TEST(read.to_json() == made.to_json());
        BOOST_TEST(read.digest() == made.digest());
        BOOST_CHECK(Spec::from_json(read.spec).fingerprint() == made.fingerprint);
        BOOST_TEST(Spec::from_json(read.spec).texts().find("mood")->question == "Do you live in Europe?");
    }
    for (const char* wrong :
         {"", "[]", "{}", R"({"version": 2, "spec": {}})", R"({"version": 1, "spec": []})",
          R"({"version": 1, "spec": {"mechanism": "grr"}})"})
        BOOST_CHECK_THROW(static_cast<void>(Contract::from_json(wrong)), Error);
}

BOOST_AUTO_TEST_CASE(the_digest_is_that_of_the_spec_and_of_what_is_sent_in_clear) {
    const std::string digest = Contract::of(offer_of(fresh)).digest();
    BOOST_TEST(Contract::of({Spec::from_json(fresh)}).digest() == digest);
    BOOST_TEST(Contract::of(offer_of(fresh), clear({})).digest() == digest);
    BOOST_TEST(Contract::of(offer_of(fresh), clear({"country"})).digest() != digest);
    BOOST_TEST(Contract::of(offer_of(remembered)).digest() != digest);
    BOOST_TEST(Contract::of(offer_of(patched(fresh, R"({"people_asked": 1})"))).digest() == digest);
    const Contract contract = Contract::of(offer_of(fresh));
    BOOST_TEST(contract.has_digest(digest));
    BOOST_TEST(contract.has_digest(contract.short_digest()));
    // The digest that test/sql/texts.sql shows for this spec.
    BOOST_TEST(Contract::of(offer_of(
                                R"({"mechanism": "grr", "epsilon": 1, "title": "Moods",
                    "attributes": [{"name": "mood", "domain": ["-", "+"], "question": "How are you?"}]})"))
                   .digest() == "5d030a67ca360883a0c8329037f1e228da76052008ebce98ffe7a1a943d8a88d");
    BOOST_TEST(!contract.has_digest(digest.substr(0, 15)));
    BOOST_TEST(!contract.has_digest(digest + "0"));
}

BOOST_AUTO_TEST_CASE(the_summary_says_what_leaves) {
    BOOST_TEST(
        Contract::of(offer_of(fresh), clear({"country"}))
            .summary()
            .starts_with(
                "collection \"c\" at \"https://a.example\": 1 answer per person, randomized by grr at "
                "epsilon 1; each further report costs the same again\nreads: \"mood\"\nsent unchanged: "
                "\"country\"\ncontract "));
    BOOST_TEST(Contract::of(offer_of(remembered), clear({}))
                   .summary()
                   .find("all reports together cost at most 2\nreads: \"mood\"\nsent unchanged: nothing\n") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(errors_show_before_and_now) {
    BOOST_CHECK_NO_THROW(after(fresh, R"({"mood": {"question": "Do you smoke?"}})").require_agreed());
    BOOST_CHECK_NO_THROW(after(fresh, R"({"epsilon": 2})").require_possible());
    BOOST_CHECK_EXCEPTION(
        after(remembered, R"({"epsilon": 1.5})").require_possible(), Error, [](const Error& error) {
            return error.code() == ErrorCode::incompatible && error.detail() == "epsilon: before 1, now 1.5";
        });
    BOOST_CHECK_EXCEPTION(
        after(remembered, R"({"mood": {"title": null}})").require_agreed(), Error, [](const Error& error) {
            return error.code() == ErrorCode::changed &&
                   error.detail() == "attributes.mood.title: before \"Europe\", now nothing";
        });
}

// Random changes of an offer: "same" if and only if fingerprint, meaning, headings, columns in clear, endpoint, name and group
// are the same. The seed is fixed.
BOOST_AUTO_TEST_CASE(same_means_that_nothing_agreed_differs) {
    const char* const patches[] = {
        "{}",
        R"({"people_asked": 7})",
        R"({"people_asked": null})",
        R"({"epsilon": 1.25})",
        R"({"min_group": 21})",
        R"({"title": "Moving"})",
        R"({"description": null})",
        R"({"budget": {"epsilon": 4, "group": "acme"}})",
        R"({"budget": {"epsilon": 3, "group": "acme"}})",
        R"({"mood": {"name": "hiv"}})",
        R"({"mood": {"domain": ["no", "yes"]}})",
        R"({"mood": {"question": "Do you smoke?"}})",
        R"({"mood": {"question": "Do  you live in   Europe?"}})",
        R"({"mood": {"title": null}})",
        R"({"mood": {"scale": null}})",
        R"({"mood": {"display": null}})",
        R"({"mood": {"display": {"yes": "Ja"}}})",
        R"({"mood": {"description": "Today"}})",
    };
    std::mt19937 random(20261128);
    const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
    const auto facts = [](const Contract& contract) {
        const SpecTexts texts = Spec::from_json(contract.spec).texts();
        return std::tuple(contract.fingerprint, contract.meaning, texts.title, texts.description,
                          contract.in_clear.value_or(std::set<std::string>()), contract.endpoint,
                          contract.collection, contract.group, contract.group_epsilon);
    };
    int same = 0;
    for (int i = 0; i < 3000; ++i) {
        const char* const base = below(2) == 0 ? remembered : fresh;
        const auto any = [&] {
            std::string spec = base;
            for (std::size_t left = below(3); left > 0; --left)
                spec = patched(spec.c_str(), patches[below(std::size(patches))]);
            Offer offer{Spec::from_json(spec),
                        {},
                        below(4) == 0 ? "https://b.example" : "https://a.example",
                        below(4) == 0 ? "d" : "c",
                        std::to_string(below(3))};
            if (below(3) == 0) offer.columns.push_back({"city", "text", false});
            return offer;
        };
        const auto columns = [&] { return below(4) == 0 ? clear({"city"}) : clear({}); };
        const ContractTerms then = columns(), now = columns();
        const Contract agreed = Contract::of(any(), then);
        const Offer offer = any();
        const Verdict verdict = compare(&agreed, now, offer);
        const bool equal = facts(agreed) == facts(Contract::of(offer, now));
        BOOST_TEST((verdict.kind() == Effect::same) == equal, verdict.to_json());
        same += equal ? 1 : 0;
        // Keys in another order, and spaces between them, change nothing.
        const Offer respaced{
            Spec::from_json(
                json_of(json_text(json_of(offer.spec.to_json(), Unsound::refused)), Unsound::refused)
                    .dump(4)),
            offer.columns, offer.endpoint + "/", offer.collection};
        BOOST_TEST((compare(&agreed, now, respaced).changes == verdict.changes));
    }
    BOOST_TEST(same > 100);
    BOOST_TEST(same < 2900);
}

// Whatever a stored contract holds, compare() returns a verdict.
BOOST_AUTO_TEST_CASE(a_damaged_contract_is_never_the_same) {
    for (const char* text :
         {"", "{", "[]", "null", "{}", R"({"attributes": 3})", R"({"attributes": [1, null]})",
          R"({"attributes": [{"name": 3, "display": [[]]}], "title": {"a": []}})"}) {
        Contract agreed = Contract::of(offer_of(remembered));
        agreed.spec = text;
        BOOST_TEST(word_of(compare(&agreed, {}, offer_of(remembered)).kind()) == "refuse");
        BOOST_CHECK_NO_THROW(static_cast<void>(agreed.digest()));
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
