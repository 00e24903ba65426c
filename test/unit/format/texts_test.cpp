#include "core/contract/texts.hpp"

#include "core/base/error.hpp"
#include "core/base/json.hpp"
#include "core/contract/spec_reader.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(texts)

namespace {

constexpr const char* plain = R"({"mechanism": "sampled", "epsilon": 2, "per_report": 1, "attributes": [
    {"name": "age", "min": 0, "max": 100, "mechanism": "pdp"},
    {"name": "mood", "domain": ["-", "0", "+"], "mechanism": "grr"},
    {"name": "hours", "vector": ["am", "pm"], "min": 0, "max": 12, "mechanism": "duchi_vector"}]})";
constexpr const char* described =
    R"({"mechanism": "sampled", "epsilon": 2, "per_report": 1, "title": "Well-being", "description": "A study.",
    "people_asked": {"0": 1200, "-1": 7}, "attributes": [
    {"name": "age", "min": 0, "max": 100, "mechanism": "pdp", "title": "Age", "question": "How old are you?", "unit": "years"},
    {"name": "mood", "domain": ["-", "0", "+"], "mechanism": "grr", "scale": "ordered", "description": "Today.",
     "display": {"-": "schlecht", "+": "größer \u003c b"}},
    {"name": "hours", "vector": ["am", "pm"], "min": 0, "max": 12, "mechanism": "duchi_vector", "title": "Hours",
     "display": {"am": "morning"}}]})";

/// The first error of a spec of a category with these keys, or of a number.
std::string refusal(const std::string& keys, bool number = false) {
    const std::string domain = number ? R"("min": 0, "max": 9)" : R"("domain": ["a", "b"])";
    try {
        static_cast<void>(resolve(R"({"mechanism": "auto", "epsilon": 1, )" + domain + ", " + keys + "}"));
    } catch (const Error& error) {
        BOOST_CHECK(error.code() == ErrorCode::invalid_spec);
        return std::string(error.what()) + ". " + error.detail();
    }
    return "accepted";
}

bool begins(const std::string& text, const std::string& part) {
    if (!text.starts_with(part)) BOOST_TEST_MESSAGE(text);
    return text.starts_with(part);
}

std::string repeated(std::size_t count) {
    return "\"" + std::string(count, 'x') + "\"";
}

}  // namespace

BOOST_AUTO_TEST_CASE(texts_do_not_change_what_a_spec_is) {
    const Spec bare = resolve(plain), spec = resolve(described);
    BOOST_CHECK(spec.fingerprint() == bare.fingerprint());
    BOOST_CHECK(std::ranges::equal(make_mechanism(spec)->block(), make_mechanism(bare)->block()));
    BOOST_CHECK(bare.texts().empty());
    BOOST_CHECK_EQUAL(bare.texts().to_json(), "{}");
    BOOST_CHECK_EQUAL(spec.with_texts({}).to_json(), bare.to_json());

    const SpecTexts& texts = spec.texts();
    BOOST_CHECK_EQUAL(texts.title, "Well-being");
    BOOST_CHECK_EQUAL(texts.description, "A study.");
    BOOST_CHECK_EQUAL(texts.asked_in(0).value(), 1200u);
    BOOST_CHECK_EQUAL(texts.asked_in(-1).value(), 7u);
    BOOST_CHECK(!texts.asked_in(1) && !texts.asked_in({}));
    BOOST_CHECK_EQUAL(texts.find("age")->question, "How old are you?");
    BOOST_CHECK_EQUAL(texts.find("age")->unit, "years");
    BOOST_CHECK(texts.find("mood")->ordered && !texts.find("age")->ordered);
    BOOST_CHECK_EQUAL(texts.find("mood")->display_text("-"), "schlecht");
    BOOST_CHECK_EQUAL(texts.find("mood")->display_text("0"), "0");
    BOOST_CHECK_EQUAL(texts.find("hours")->display_text("am"), "morning");
    BOOST_CHECK(texts.find("hours.am") == nullptr);

    // The canonical form has them, and is read back to the same.
    const Spec again = Spec::from_json(spec.to_json());
    BOOST_CHECK(again.texts() == texts);
    BOOST_CHECK_EQUAL(again.to_json(), spec.to_json());
    BOOST_CHECK(read_texts_by_name(json_of(texts.to_json(), Unsound::refused), spec.attributes()) == texts);
}

BOOST_AUTO_TEST_CASE(the_short_form_has_the_texts_of_its_attribute) {
    const Spec spec = resolve(
        R"({"mechanism": "auto", "epsilon": 1, "domain": 3, "title": "Moods", "question": "How are you?",
            "scale": "ordered", "display": {"0": "bad", "2": "good"}, "people_asked": 50})");
    BOOST_CHECK_EQUAL(spec.texts().title, "Moods");
    BOOST_CHECK_EQUAL(spec.texts().asked_in({}).value(), 50u);
    BOOST_CHECK_EQUAL(spec.texts().asked_in(4).value(), 50u);
    BOOST_CHECK_EQUAL(spec.texts().find("value")->question, "How are you?");
    BOOST_CHECK_EQUAL(spec.texts().find("value")->title, "");
    BOOST_CHECK_EQUAL(spec.texts().find("value")->display_text("2"), "good");
    BOOST_CHECK(Spec::from_json(spec.to_json()).texts() == spec.texts());
}

// Texts remain where "auto" makes a choice.
BOOST_AUTO_TEST_CASE(choices_keep_texts) {
    for (
        const char* rest :
        {R"("attributes": [{"name": "x", "title": "X", "domain": 3}])",
         R"("attributes": [{"name": "x", "title": "X", "min": 0, "max": 9, "estimate": "distribution"}])",
         R"("attributes": [{"name": "x", "title": "X", "domain": 3}, {"name": "y", "min": 0, "max": 1}])",
         R"("marginals": "pairs", "attributes": [{"name": "x", "title": "X", "domain": 3}, {"name": "y", "domain": 3}])",
         R"("budget": {"epsilon": 8}, "evolving": "auto", "stream": {"rounds": 12, "people": 5000, "change_rate": 0.2},
             "attributes": [{"name": "x", "title": "X", "domain": 3}])"}) {
        const std::string json =
            R"({"mechanism": "auto", "epsilon": 1, "title": "T", )" + std::string(rest) + "}";
        const Spec spec = resolve(json);
        BOOST_CHECK_EQUAL(spec.texts().title, "T");
        BOOST_CHECK_MESSAGE(spec.texts().find("x") != nullptr && spec.texts().find("x")->title == "X", json);
    }
}

BOOST_AUTO_TEST_CASE(bad_texts_are_refused) {
    BOOST_CHECK_EQUAL(refusal(R"("title": )" + repeated(200)), "accepted");
    BOOST_CHECK_EQUAL(refusal(R"("question": )" + repeated(1000)), "accepted");
    BOOST_CHECK_EQUAL(refusal(R"("unit": )" + repeated(40), true), "accepted");
    BOOST_CHECK_EQUAL(refusal(R"("description": )" + repeated(4000)), "accepted");
    BOOST_CHECK_EQUAL(refusal(R"("display": {"a": )" + repeated(200) + "}"), "accepted");
    BOOST_CHECK_EQUAL(refusal(R"("people_asked": 1099511627776)"), "accepted");
    BOOST_CHECK(
        begins(refusal(R"("title": )" + repeated(201)), "\"title\" must be a text of 1 to 200 bytes"));
    BOOST_CHECK(begins(refusal(R"("question": )" + repeated(1001)), "\"question\" must be"));
    BOOST_CHECK(begins(refusal(R"("unit": )" + repeated(41), true), "\"unit\" must be"));
    BOOST_CHECK(begins(refusal(R"("description": )" + repeated(4001)), "\"description\" must be"));
    BOOST_CHECK(begins(refusal(R"("display": {"a": )" + repeated(201) + "}"), "\"display\" must be"));
    for (const char* bad : {R"("")", R"("a\nb")", R"("\u0000")", R"("\u001b[1m")", R"("\u007f")",
                            R"("\u009b")", "1", "null", "[]"})
        BOOST_CHECK(begins(refusal(R"("title": )" + std::string(bad)), "\"title\" must be"));
    BOOST_CHECK(begins(refusal(R"("unit": "m")"), "\"unit\" is for numbers. \"value\" is not a number."));
    BOOST_CHECK(begins(refusal(R"("scale": "ordered")", true), "\"scale\" is for categories"));
    BOOST_CHECK(begins(refusal(R"("scale": "nominal")"), "\"scale\" must be one of ordered"));
    BOOST_CHECK(
        begins(refusal(R"("display": {"1": "x"})", true), "\"display\" is for categories and vectors"));
    BOOST_CHECK(begins(refusal(R"("display": ["x"])"), "\"display\" must be an object"));
    BOOST_CHECK(begins(refusal(R"("display": {"c": "x"})"),
                       "\"display\" names a label that \"value\" does not have. Found \"c\""));
    // A display text that is the label of another value.
    BOOST_CHECK(
        begins(refusal(R"("display": {"a": "b"})"), "two values of \"value\" have the same display text"));
    BOOST_CHECK_EQUAL(refusal(R"("display": {"a": "b", "b": "a"})"), "accepted");
    for (const char* bad : {"0", "1099511627777", "-1", "1.5", "\"5\"", "[]", R"({"0": 0})"})
        BOOST_CHECK(begins(refusal(R"("people_asked": )" + std::string(bad)), "\"people_asked\" must be"));
    for (const char* bad : {"x", "01", "1.0", "2147483648", "", "+1"})
        BOOST_CHECK(begins(refusal(R"("people_asked": {")" + std::string(bad) + R"(": 5})"),
                           "a key of \"people_asked\" is not a round"));
    // Beside an array of attributes, a question belongs to one of them.
    try {
        static_cast<void>(resolve(R"({"mechanism": "grr", "epsilon": 1, "question": "?",
                                      "attributes": [{"name": "a", "domain": 3}]})"));
        BOOST_ERROR("a question without an attribute was accepted");
    } catch (const Error& error) {
        BOOST_CHECK(begins(error.what(), "unknown key \"question\" in the spec"));
    }
}

BOOST_AUTO_TEST_CASE(changes_are_merged) {
    const Spec spec = resolve(described);
    const Spec changed = with_changed_texts(
        spec,
        R"({"title": null, "people_asked": 300, "attributes": {"age": {"question": null, "title": "Alter"},
                  "hours": null, "mood": {"display": {"-": null, "0": "neutral"}}}})");
    BOOST_CHECK(changed.fingerprint() == spec.fingerprint());
    BOOST_CHECK_EQUAL(changed.texts().title, "");
    BOOST_CHECK_EQUAL(changed.texts().description, "A study.");
    BOOST_CHECK_EQUAL(changed.texts().asked_in(9).value(), 300u);
    BOOST_CHECK_EQUAL(changed.texts().find("age")->title, "Alter");
    BOOST_CHECK_EQUAL(changed.texts().find("age")->question, "");
    BOOST_CHECK_EQUAL(changed.texts().find("age")->unit, "years");
    BOOST_CHECK(changed.texts().find("hours") == nullptr);
    BOOST_CHECK_EQUAL(changed.texts().find("mood")->display_text("-"), "-");
    BOOST_CHECK_EQUAL(changed.texts().find("mood")->display_text("0"), "neutral");
    BOOST_CHECK(
        with_changed_texts(changed, R"({"description": null, "people_asked": null, "attributes": null})")
            .texts()
            .empty());

    const auto refused = [&](const char* patch) {
        try {
            static_cast<void>(with_changed_texts(spec, patch));
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    BOOST_CHECK_EQUAL(refused(R"({"attributes": {"weight": {"title": "W"}}})"),
                      "the texts name an attribute that the spec does not have");
    BOOST_CHECK_EQUAL(refused(R"({"titel": "W"})"), "unknown key \"titel\" in the texts");
    BOOST_CHECK_EQUAL(refused(R"({"attributes": {"age": {"domain": 4}}})"),
                      "unknown key \"domain\" in \"age\"");
    BOOST_CHECK_EQUAL(refused(R"({"attributes": [1]})"), "\"attributes\" must be an object");
    BOOST_CHECK_EQUAL(refused("[]"), "the texts must be an object");
    BOOST_CHECK_EQUAL(refused("{"), "the set of texts is not valid JSON");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
