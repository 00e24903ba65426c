// "auto": the least variance within its limits, written down, and read back as it was.

#include "core/choice/selection.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(choice)

namespace {

const double limits_of_interest[] = {0.5, 1, 2, 4};

std::string automatic(double epsilon, std::uint64_t k, const std::string& rest = {}) {
    return "{\"mechanism\": \"auto\", \"epsilon\": " + text(epsilon) + ", \"domain\": " + std::to_string(k) +
           rest + "}";
}

bool refused(const std::string& json, const std::string& part) {
    try {
        static_cast<void>(resolve(json));
    } catch (const Error& error) {
        const std::string all = std::string(error.what()) + error.detail() + error.hint();
        BOOST_CHECK_MESSAGE(error.code() == ErrorCode::invalid_spec && all.find(part) != all.npos,
                            json << ": " << all);
        return true;
    }
    return false;
}

}  // namespace

BOOST_AUTO_TEST_CASE(it_is_close_to_what_is_possible) {
    // No mechanism does better than 4e/(e−1)² by much when there are many values.
    for (const char* epsilon : {"0.5", "1.0", "2.0", "4.0"}) {
        const double limit = golden("limit", std::string("epsilon=") + epsilon, "n_var_at_0");
        for (const char* rest : {"", ", \"max_report_bytes\": 1000", ", \"max_report_bytes\": 40"}) {
            const auto m = mechanism(automatic(std::stod(epsilon), 1024, rest));
            BOOST_CHECK_LE(m->n_variance(0), 1.04 * limit);
        }
    }
}

BOOST_AUTO_TEST_CASE(it_is_the_best_that_keeps_to_the_limits) {
    for (const double epsilon : limits_of_interest)
        for (const std::uint64_t k : {2, 5, 16, 100, 1024, 100000, 16777216})
            for (const std::uint64_t bytes : {32, 64, 5000}) {
                Attribute attribute;
                attribute.domain = k;
                const auto candidates = rank({epsilon, {attribute}, {bytes, 1000}});
                const auto m =
                    mechanism(automatic(epsilon, k, ", \"max_report_bytes\": " + std::to_string(bytes)));
                BOOST_CHECK_LE(m->block().size() + m->payload_size(), bytes);
                for (const Candidate& other : candidates)
                    if (other.obstacle.empty() && !other.mechanism->literature)
                        BOOST_CHECK_LE(m->n_variance(1.0 / static_cast<double>(k)),
                                       other.n_variance * 1.000001);
                // Those that cannot be chosen stand last, and say why.
                BOOST_CHECK(std::ranges::is_sorted(
                    candidates, {}, [](const Candidate& candidate) { return !candidate.obstacle.empty(); }));
                BOOST_CHECK_EQUAL(candidates.size(), 8u);
            }
}

BOOST_AUTO_TEST_CASE(it_is_written_down) {
    const Spec spec = resolve(automatic(1, 1024));
    BOOST_REQUIRE(spec.chosen());
    BOOST_CHECK(spec.chosen()->limits == (Limits{64, 1000}));
    const auto canonical = nlohmann::json::parse(spec.to_json());
    BOOST_CHECK(canonical["mechanism"] == spec.mechanism().name);
    BOOST_CHECK(canonical["chosen"]["max_report_bytes"] == 64);
    BOOST_CHECK(canonical["chosen"]["reason"] == spec.chosen()->reason);
    // The reason names the better one that was too large.
    BOOST_CHECK(spec.chosen()->reason.find("subset would have 3.67/n") != std::string::npos);

    const Spec again = Spec::from_json(spec.to_json());
    BOOST_CHECK_EQUAL(again.to_json(), spec.to_json());
    // Reports equal those of a spec that names the mechanism: the choice is recorded, but not part of
    // the fingerprint.
    auto named = canonical;
    named.erase("chosen");
    BOOST_CHECK(resolve(named.dump()).fingerprint() == spec.fingerprint());
    // A choice is believed: another version may have chosen otherwise.
    auto other = canonical;
    other["mechanism"] = "hadamard";
    other.erase("derived");
    BOOST_CHECK_EQUAL(resolve(other.dump()).mechanism().name, std::string("hadamard"));
}

BOOST_AUTO_TEST_CASE(a_number_gets_the_least_error_where_it_is_largest) {
    for (const auto& [epsilon, best] :
         {std::pair{0.1, "duchi"}, {0.5, "optimal"}, {2.0, "optimal"}, {4.0, "optimal"}, {8.0, "optimal"}}) {
        const std::string json =
            R"({"mechanism": "auto", "min": 0, "max": 9, "epsilon": )" + text(epsilon) + "}";
        const Spec spec = resolve(json);
        BOOST_CHECK_EQUAL(spec.mechanism().name, best);
        BOOST_CHECK_EQUAL(Spec::from_json(spec.to_json()).to_json(), spec.to_json());
        const auto candidates = advise(json).candidates;
        BOOST_CHECK_EQUAL(candidates.size(), 6u);
        for (const Candidate& candidate : candidates) {
            const auto m = mechanism(candidate.mechanism->name, epsilon, R"("min": 0, "max": 9)");
            double largest = 0;
            for (int x = -100; x <= 100; ++x) largest = std::max(largest, m->n_variance(x / 100.0));
            // Between two places a warped window may be noisier than at a hundredth.
            const bool warped = candidate.mechanism->name == std::string("optimal");
            BOOST_CHECK_CLOSE_FRACTION(candidate.n_variance, largest, warped ? 1e-3 : 1e-9);
            BOOST_CHECK_GE(candidate.n_variance, largest * (1 - 1e-9));
            BOOST_CHECK_GE(candidate.n_variance, candidates.front().n_variance * 0.999999);
        }
    }
    BOOST_CHECK(refused(R"({"mechanism": "auto", "epsilon": 1, "min": 0, "max": 9, "max_report_bytes": 40})",
                        "duchi: its reports have"));
}

BOOST_AUTO_TEST_CASE(a_record_is_sampled) {
    const std::string rest = R"("epsilon": 1, "max_report_bytes": 40,
        "attributes": [{"name": "a", "domain": 1024}, {"name": "b", "min": 0, "max": 9}]})";
    BOOST_CHECK(refused(R"({"mechanism": "auto", )" + rest, "duchi: its reports have"));  // b's
    const std::string both = R"("epsilon": 1, "attributes": [{"name": "a", "domain": 1024},
        {"name": "b", "domain": 16}]})";
    const Spec spec = resolve(R"({"mechanism": "auto", )" + both);
    BOOST_CHECK_EQUAL(spec.mechanism().name, std::string("sampled"));
    BOOST_CHECK_EQUAL(spec.chosen()->reason, "collects several attributes of any kind");
    BOOST_CHECK_EQUAL(spec.attributes()[0].mechanism, resolve(automatic(1, 1024)).mechanism().name);
    BOOST_CHECK_EQUAL(spec.attributes()[1].mechanism, resolve(automatic(1, 16)).mechanism().name);
    BOOST_CHECK_EQUAL(Spec::from_json(spec.to_json()).to_json(), spec.to_json());
    // The limits are each attribute's.
    const Spec narrow = resolve(R"({"mechanism": "auto", "max_report_bytes": 30, )" + both);
    BOOST_CHECK_EQUAL(narrow.attributes()[1].mechanism,
                      resolve(automatic(1, 16, ", \"max_report_bytes\": 30")).mechanism().name);
    const auto candidates = advise("{" + both).candidates;
    BOOST_REQUIRE_EQUAL(candidates.size(), 1u);
    BOOST_CHECK(candidates[0].obstacle.empty());
    const auto m = make_mechanism(spec);
    BOOST_CHECK_EQUAL(candidates[0].n_variance, std::max(m->expected_variance(0), m->expected_variance(1)));
}

BOOST_AUTO_TEST_CASE(several_together_go_where_their_answers_are_surest) {
    const auto spec = [](std::uint64_t values, const std::string& rest) {
        std::string attributes;
        for (const char* name : {"a", "b", "c"})
            attributes += std::string(attributes.empty() ? "" : ", ") + R"({"name": ")" + name +
                          R"(", "domain": )" + std::to_string(values + static_cast<unsigned>(*name - 'a')) +
                          "}";
        return R"({"mechanism": "auto", "epsilon": 1, "attributes": [)" + attributes + "], " + rest + "}";
    };
    for (const auto& [values, rest, best] :
         {std::tuple(3UL, R"("marginals": "pairs")", "joint"),
          {64UL, R"("marginals": "pairs")", "joint"},
          {64UL, R"("marginals": "pairs", "optimize_for": "ranges")", "joint_haar"},
          {64UL, R"("marginals": [["a", "c"], ["b"]], "optimize_for": "ranges")", "joint_haar"},
          {64UL, R"("marginals": "pairs", "optimize_for": "ranges", "people": 500)", "joint_haar"},
          {3UL, R"("marginals": "triples", "optimize_for": "ranges")", "joint"},
          {3UL, R"("marginals": "auto", "people": 5000)", "joint"},
          {200UL, R"("marginals": "pairs")", "joint_haar"}}) {
        BOOST_TEST_CONTEXT(values << " values, " << rest) {
            const Spec chosen = resolve(spec(values, rest));
            BOOST_CHECK_EQUAL(chosen.mechanism().name, std::string(best));
            BOOST_CHECK(chosen.chosen() && !chosen.chosen()->limits);
            BOOST_CHECK_EQUAL(Spec::from_json(chosen.to_json()).to_json(), chosen.to_json());
            const auto candidates = advise(spec(values, rest)).candidates;
            BOOST_CHECK_EQUAL(candidates[0].mechanism, &chosen.mechanism());
            BOOST_CHECK(std::isfinite(candidates[0].n_variance) && candidates[0].obstacle.empty());
        }
    }
    // Limits that the choice would not keep to are not taken.
    for (const char* limit : {"max_report_bytes", "max_decode_cost"}) {
        const std::string limited = spec(3, R"("marginals": "pairs", ")" + std::string(limit) + "\": 900");
        BOOST_CHECK(refused(limited, limit));
        BOOST_CHECK_THROW(static_cast<void>(advise(limited)), Error);
        auto claims = nlohmann::json::parse(resolve(spec(3, R"("marginals": "pairs")")).to_json());
        claims["chosen"][limit] = 900;
        BOOST_CHECK(refused(claims.dump(), limit));
    }
    BOOST_CHECK(refused(spec(3, R"("marginals": "quadruples")"), "joint_haar: "));
    BOOST_CHECK(refused(spec(300, R"("marginals": "triples")"), "joint: a marginal has too many cells"));
    BOOST_CHECK(refused(spec(3, R"("optimize_for": "ranges")"), "optimize_for"));
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_is_refused) {
    BOOST_CHECK(refused(R"({"mechanism": "grr", "epsilon": 1, "domain": 4, "max_report_bytes": 64})",
                        "max_report_bytes"));
    BOOST_CHECK(refused(automatic(1, 4, ", \"max_report_bytes\": 25"), "max_report_bytes"));
    BOOST_CHECK(refused(automatic(1, 4, ", \"max_decode_cost\": 0"), "max_decode_cost"));
    BOOST_CHECK(refused(automatic(1, 4, ", \"max_report_bytes\": \"few\""), "max_report_bytes"));
    // Nothing is that small: each says so.
    BOOST_CHECK(refused(automatic(1, 4, ", \"max_report_bytes\": 26"), "grr: its reports have 29 bytes"));
    BOOST_CHECK(refused(automatic(1, std::uint64_t{1} << 25), "values"));
    const std::string chosen = R"("chosen": {"max_report_bytes": 64, "max_decode_cost": 1000, "reason": )";
    BOOST_CHECK(refused(automatic(1, 4, ", " + chosen + "\"so\"}"), "chosen"));
    const auto with = [&](const std::string& reason) {
        return R"({"mechanism": "grr", "epsilon": 1, "domain": 4, )" + chosen + reason + "}}";
    };
    BOOST_CHECK(!refused(with("\"so\""), ""));
    BOOST_CHECK(refused(with("7"), "reason"));
    BOOST_CHECK(refused(with("\"" + std::string(1001, 'x') + "\""), "reason"));
    BOOST_CHECK(refused(with("\"so\", \"by\": \"me\""), "by"));
}

BOOST_AUTO_TEST_CASE(advice_needs_no_mechanism) {
    for (const char* rest :
         {"", R"(, "mechanism": "auto")", R"(, "mechanism": "grr")", R"(, "mechanism": "nonsense")"}) {
        const auto candidates =
            advise(R"({"epsilon": 1, "domain": 1024)" + std::string(rest) + "}").candidates;
        BOOST_CHECK_EQUAL(candidates.size(), 8u);
        BOOST_CHECK(candidates.front().obstacle.empty());
    }
    BOOST_CHECK_THROW(static_cast<void>(advise(R"({"domain": 1024})")), Error);
}

BOOST_AUTO_TEST_CASE(labels_outside_the_domain_go_where_the_spec_says) {
    const auto spec = [](const std::string& rest) {
        return R"({"mechanism": "grr", "epsilon": 1, "domain": ["ab", "c)"
               "\\u0003"
               R"(", "rest"])" +
               rest + "}";
    };
    const Spec other = resolve(spec(R"(, "other": "rest")"));
    BOOST_CHECK_EQUAL(other.attributes()[0].other, "rest");
    BOOST_CHECK(Spec::from_json(other.to_json()).fingerprint() == other.fingerprint());
    BOOST_CHECK(other.fingerprint() != resolve(spec("")).fingerprint());
    BOOST_CHECK(refused(spec(R"(, "other": "elsewhere")"), "other"));
    BOOST_CHECK(refused(R"({"mechanism": "grr", "epsilon": 1, "domain": 4, "other": "rest"})", "other"));

    const Spec prefix = resolve(spec(R"(, "other": "rest", "prefix": 2)"));
    const Attribute& attribute = prefix.attributes()[0];
    BOOST_CHECK_EQUAL(attribute.label_of("abc").value(), "ab");
    BOOST_CHECK_EQUAL(attribute.label_of("ab").value(), "ab");
    BOOST_CHECK_EQUAL(attribute.label_of("c").value(), "c\x03");
    BOOST_CHECK_EQUAL(attribute.label_of("").value(), "\x03");
    BOOST_CHECK_EQUAL(attribute.label_of("äöü").value(), "äö");  // characters, not bytes
    BOOST_CHECK(!attribute.label_of("\xC3"));
    BOOST_CHECK(!attribute.label_of("a\x03"));
    BOOST_CHECK(!attribute.label_of(std::string(65, 'x')));
    BOOST_CHECK(attribute.label_of(std::string(64, 'x')));
    BOOST_CHECK(refused(spec(R"(, "prefix": 2)"), "other"));
    BOOST_CHECK(refused(spec(R"(, "other": "rest", "prefix": 0)"), "prefix"));
    BOOST_CHECK(refused(spec(R"(, "other": "rest", "prefix": 65)"), "prefix"));
    BOOST_CHECK(refused(spec(R"(, "other": "rest", "prefix": 3)"), "label"));  // "ab" is no beginning of 3
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
