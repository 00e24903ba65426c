// Proof of ε by enumeration. Every input and output of small instances of every mechanism is enumerated
// with the integer weights of the sampler, in exact fractions. The samplers are driven through every value
// of their random words, so that the weights are their actual behaviour.
#include "core/channel/epsilon_odds.hpp"
#include "core/channel/symmetric.hpp"
#include "core/channel/window_channel.hpp"
#include "core/math/channel_law.hpp"
#include "proof.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(privacy)

namespace {}  // namespace

BOOST_AUTO_TEST_CASE(grr_keeps_epsilon, *boost::unit_test::label("slow")) {
    for (const double epsilon : epsilons)
        for (const int k : {2, 3, 5, 16, 40})
            prove(*mechanism("grr", epsilon, "\"domain\": " + std::to_string(k)));
    prove(*mechanism("grr", 1, "\"domain\": 257"));  // two bytes a report
}

BOOST_AUTO_TEST_CASE(unary_encodings_keep_epsilon, *boost::unit_test::label("slow")) {
    for (const double epsilon : epsilons)
        for (const char* name : {"oue", "sue"})
            for (const int k : {2, 3, 5})
                prove(*mechanism(name, epsilon, "\"domain\": " + std::to_string(k)));
}

BOOST_AUTO_TEST_CASE(unary_encodings_of_two_bytes_keep_epsilon, *boost::unit_test::label("slow")) {
    for (const double epsilon : epsilons)
        for (const char* name : {"oue", "sue"}) prove(*mechanism(name, epsilon, "\"domain\": 9"));
}

BOOST_AUTO_TEST_CASE(window_mechanisms_keep_epsilon) {
    for (const double epsilon : epsilons)
        for (const char* name : {"piecewise", "pdp", "square_wave"})
            for (const int grid : {2, 7, 64})
                prove(*mechanism(name, epsilon, "\"min\": 0, \"max\": 1, \"grid\": " + std::to_string(grid)));
}

BOOST_AUTO_TEST_CASE(haar_keeps_epsilon) {
    for (const double epsilon : {0.01, 1.0, 10.0})
        for (const char* candidate : {"pdp", "piecewise"})
            for (const std::size_t d : {2, 3, 4})
                prove(*mechanism("haar", epsilon,
                                 unit_attributes(d) + ", \"grid\": 3, \"randomizer\": \"" +
                                     std::string(candidate) + "\""));
}

BOOST_AUTO_TEST_CASE(rappor_keeps_epsilon, *boost::unit_test::label("slow")) {
    for (const double epsilon : epsilons)
        prove(*mechanism("rappor", epsilon, R"("domain": 2, "filter_bits": 8, "hashes": 1, "cohorts": 4)"));
    for (const double epsilon : {0.01, 4.0}) {
        prove(*mechanism("rappor", epsilon, R"("domain": 3, "filter_bits": 8, "hashes": 2, "cohorts": 2)"));
        prove(*mechanism("rappor", epsilon, R"("domain": 3, "filter_bits": 9, "hashes": 3, "cohorts": 1)"));
    }
}

BOOST_AUTO_TEST_CASE(large_specs_keep_epsilon, *boost::unit_test::label("slow")) {
    for (const double epsilon : epsilons) {
        check_worst_ratio(*mechanism("grr", epsilon, "\"domain\": 16777216"));
        check_worst_ratio(*mechanism("oue", epsilon, "\"domain\": 65536"));
        check_worst_ratio(*mechanism("sue", epsilon, "\"domain\": 65536"));
        for (const char* hashes : {"1", "3", "7", "8"})
            check_worst_ratio(*mechanism(
                "rappor", epsilon,
                R"("domain": 65536, "filter_bits": 1024, "cohorts": 256, "hashes": )" + std::string(hashes)));
        check_worst_ratio(*mechanism("piecewise", epsilon, "\"min\": 0, \"max\": 1, \"grid\": 1048576"));
        check_worst_ratio(*mechanism("pdp", epsilon, "\"min\": 0, \"max\": 1, \"grid\": 1048576"));
        check_worst_ratio(*mechanism("square_wave", epsilon, "\"min\": 0, \"max\": 1, \"grid\": 65536"));
        check_worst_ratio(*mechanism("haar", epsilon, unit_attributes(4096)));
        check_worst_ratio(*mechanism("duchi_vector", epsilon, unit_attributes(4096)));
    }
}

BOOST_AUTO_TEST_CASE(every_mechanism_was_enumerated, *boost::unit_test::label("slow")) {
    // A mechanism joins the registry together with its proof. Each stands here with small specs, and at every
    // ε all that its randomizer can do is followed: it has the stated probabilities, and they keep ε. The
    // files of the mechanisms go on from there.
    const std::string number = R"("min": 0, "max": 1, "grid": 4)", two = unit_attributes(2),
                      three = unit_attributes(3) + R"(, "grid": 2)", layers = R"(, "report_epsilon": 0.2)";
    const std::vector<std::pair<std::string, std::vector<std::string>>> proven{
        {"grr", {R"("domain": 2)", R"("domain": 7)"}},
        {"oue", {R"("domain": 2)", R"("domain": 4)"}},
        {"piecewise", {number}},
        {"pdp", {number}},
        {"haar", {three, three + layers, three + R"(, "randomizer": "duchi")" + layers}},
        {"sue", {R"("domain": 2)", R"("domain": 4)"}},
        {"subset", {R"("domain": 5)", R"("domain": 9)"}},
        {"blh", {R"("domain": 5)"}},
        {"olh", {R"("domain": 5)"}},
        {"hadamard", {R"("domain": 5)"}},
        {"projective", {R"("domain": 5)"}},
        {"rappor",
         {R"("domain": 3, "filter_bits": 8, "hashes": 2, "cohorts": 2)",
          R"("domain": 2, "filter_bits": 8, "hashes": 1, "cohorts": 1)" + layers}},
        {"laplace", {R"("min": 0, "max": 1, "grid": 2)"}},
        {"duchi", {number}},
        {"onebit", {number, number + layers}},
        {"hybrid", {number}},
        {"square_wave", {number}},
        {"sampled", {R"("attributes": [{"name": "a", "domain": 3, "mechanism": "grr"},
             {"name": "b", "domain": 4, "mechanism": "oue"},
             {"name": "c", "min": 0, "max": 1, "mechanism": "hybrid"}], "grid": 2)"}},
        {"duchi_vector", {three, two + R"(, "grid": 3)"}},
        {"haar_ordered", {R"("domain": 5)", number, number + R"(, "missing": true)"}},
        {"haar_ranges", {}},  // see haar_ranges_keeps_epsilon
        {"l_grr", {R"("domain": 4)" + layers}},
        {"l_sue", {R"("domain": 4)" + layers}},
        {"l_osue", {R"("domain": 4)" + layers}},
        {"loloha", {R"("domain": 6, "hash_buckets": 3)" + layers}},
        {"dbitflip", {R"("domain": 6, "buckets": 4, "bits_per_report": 2)"}},
        {"ddrm", {R"("domain": 2, "rounds": 3, "changes": 1)", R"("domain": 3, "rounds": 2, "changes": 1)"}},
        {"optimal", {number, number + R"(, "criterion": "average")", number + layers}},
        {"exponential",
         {R"("domain": 5)",
          R"("domain": 4, "coordinates": [[0, 0], [3, 1], [-2, 5], [4, 4]], "max_distance": 4)"}},
        {"tree", {R"("domain": 5)", number, number + R"(, "missing": true)"}},
        {"joint",
         {R"("attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 3},
             {"name": "c", "min": 0, "max": 1, "bins": 2}])",
          // Views of 4 cells through l_grr, of 6 cells through l_osue.
          R"("attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 3},
             {"name": "c", "min": 0, "max": 1, "bins": 2}])" +
              layers}},
        {"gaussian", {two + R"(, "grid": 2, "delta": 1e-3)"}},
        {"joint_haar", {R"("attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 5},
             {"name": "c", "min": 0, "max": 1, "bins": 3}])"}},
        {"strings",
         {R"("strings": {"alphabet": "a", "max_length": 3}, "first_level_length": 1, "level_step": 1, "cohorts": 2)",
          R"("strings": {"alphabet": "a-c", "max_length": 2}, "hash_buckets": 3, "cohorts": 4)"}},
        {"threshold_series",
         {R"("min": -1, "max": 1, "grid": 2, "thresholds": 2, "rounds": 3, "changes": 1)",
          R"("min": 0, "max": 5, "grid": 4, "thresholds": 2, "rounds": 2, "changes": 1)"}},
        {"dithered",
         {R"("domain": 7, "buckets": 3)", R"("domain": 7, "buckets": 3, "order": "circle")",
          number + R"(, "buckets": 2)", R"("domain": 5, "buckets": 3)" + layers}},
        {"optional_mean", {}},  // see optional_mean/the_sampler_keeps_epsilon
        {"label_sets",
         {R"("domain": 4, "several": true, "most": 2, "response": "subset")",
          R"("domain": 4, "several": true, "most": 2, "response": "one_label")"}},
        {"ball", {two + R"(, "grid": 2)", two + R"(, "grid": 4, "norm": 0.5)"}},
        {"means_by_group",
         {R"("attributes": [{"name": "g", "domain": 3}, {"name": "x", "min": 0, "max": 1}], "grid": 4)",
          R"("attributes": [{"name": "x", "min": 0, "max": 1, "missing": true}, {"name": "g", "domain": 2}], "grid": 2)",
          R"("attributes": [{"name": "g", "domain": 2}, {"name": "x", "min": 0, "max": 1}], "grid": 4)" +
              layers}},
        {"ring",
         {R"("min": 0, "max": 24, "circular": true, "grid": 7)",
          R"("min": 0, "max": 24, "circular": true, "grid": 12, "optimize_for": "arcs")"}}};
    BOOST_REQUIRE_EQUAL(registry().size(), proven.size());
    for (std::size_t i = 0; i < proven.size(); ++i) {
        const auto& [name, specs] = proven[i];
        BOOST_REQUIRE_EQUAL(registry()[i]->name, name);
        BOOST_REQUIRE(!specs.empty() || name == "haar_ranges" || name == "optional_mean");
        BOOST_TEST_CONTEXT(name) {
            for (const double epsilon : {0.5, 1.0, 4.0})
                for (const std::string& spec : specs) {
                    const auto m = mechanism(name, epsilon, spec);
                    // With a smaller epsilon there are too many outputs for a second
                    // enumeration: gaussian_test.cpp.
                    if (m->delta() != 0 && epsilon < 4) continue;
                    BOOST_TEST_CONTEXT(spec) {
                        if (m->delta() != 0)
                            static_cast<void>(prove_but_for_delta(*m));
                        else if (m->report_epsilon() < epsilon)
                            prove_two_layers(*m);
                        else
                            // A series draws each level with a probability of at least 1/256.
                            prove(*m, registry()[i]->series ? 3000 : 10);
                    }
                }
        }
    }
}

BOOST_AUTO_TEST_CASE(samplers_do_what_their_weights_say) {
    for (const double epsilon : {0.01, 1.0, 4.0}) {
        for (const std::uint64_t k : {2, 3, 7}) drive(SymmetricChannel(k, epsilon, 16));
        for (const std::uint64_t width : {1, 2, 5}) drive(WindowChannel(4, width, epsilon, 16));
    }
}

BOOST_AUTO_TEST_CASE(coin_lands_as_its_weight_says) {
    // OwnerQueue ℓ of batch b draws the 8 binary digits of 64b + ℓ: four batches are all fractions of 2^8.
    struct Digits final : BitSource {
        unsigned batch = 0, digit = 8;
        std::uint64_t word() override {
            --digit;
            std::uint64_t owner_queues = 0;
            for (unsigned owner_queue = 0; owner_queue < 64; ++owner_queue)
                owner_queues |= std::uint64_t{(64 * batch + owner_queue) >> digit & 1} << owner_queue;
            return owner_queues;
        }
    };
    for (std::uint64_t heads = 0; heads < 256; ++heads) {
        unsigned landed = 0;
        for (unsigned batch = 0; batch < 4; ++batch) {
            Digits bits;
            bits.batch = batch;
            landed += static_cast<unsigned>(std::popcount(bits.throws(heads, 8, 64)));
        }
        BOOST_REQUIRE_EQUAL(landed, heads);
        Digits few;
        BOOST_CHECK_EQUAL(few.throws(heads, 8, 5) >> 5, 0u);
    }
}

BOOST_AUTO_TEST_CASE(draws_have_their_laws) {
    Enumerated bits;
    for (const std::uint64_t heads : {0, 1, 5, 9}) {
        std::uint64_t landed = 0;
        for (bits.next = 0; bits.next < 9; ++bits.next) landed += bits.chance(heads, 9) ? 1 : 0;
        BOOST_CHECK_EQUAL(landed, heads);
    }
    const Weights weights{7, 3, 2, 4};
    std::vector<std::uint64_t> counts(7);
    for (bits.next = 0; bits.next < weights.total(); ++bits.next) ++counts.at(bits.pick(weights));
    BOOST_CHECK((counts == std::vector<std::uint64_t>{7, 7, 7, 2, 2, 2, 2}));
    const std::vector<std::uint64_t> sums{3, 3, 8, 9};
    counts.assign(4, 0);
    for (bits.next = 0; bits.next < sums.back(); ++bits.next) ++counts.at(bits.pick(sums));
    BOOST_CHECK((counts == std::vector<std::uint64_t>{3, 0, 5, 1}));

    struct Words final : BitSource {
        std::vector<std::uint64_t> left;  // the last one comes first
        explicit Words(std::vector<std::uint64_t> words) : left(std::move(words)) {}
        std::uint64_t word() override {
            const std::uint64_t drawn = left.back();
            left.pop_back();
            return drawn;
        }
    };
    constexpr std::uint64_t all = ~std::uint64_t{0};
    for (const unsigned count : {1u, 7u, 63u, 64u}) {
        const std::uint64_t owner_queues = all >> (64 - count);
        BOOST_CHECK_EQUAL(Words({all}).fair(count), owner_queues);
        BOOST_CHECK_EQUAL(Words({0x0123456789ABCDEF}).fair(count), 0x0123456789ABCDEF & owner_queues);
    }
    for (const std::uint64_t heads : {std::uint64_t{1}, std::uint64_t{1} << 40, all}) {
        BOOST_CHECK(Words({heads - 1}).lands(heads, 64));
        BOOST_CHECK(!Words({heads}).lands(heads, 64));
        // The first word drawn is the higher one.
        const Uint128 wide = Uint128{heads} << 64 | 5;
        BOOST_CHECK(Words({4, heads}).lands(wide, 128));
        BOOST_CHECK(!Words({5, heads}).lands(wide, 128));
        BOOST_CHECK(Words({all, heads - 1}).lands(wide, 128));
    }
    BOOST_CHECK(!Words({0}).lands(0, 64));
}

// Faults that an audit must find: probabilities other than those of the randomizer, and reports with too
// much information.
BOOST_AUTO_TEST_CASE(explored_laws_are_exact) {
    std::uint64_t steps = 1000;
    const auto law = law_of(
        1,
        [](BitSource& bits, MutableBytes drawn) {
            const bool coin = bits.lands(Uint128{1} << 62, 64);
            drawn[0] = static_cast<std::byte>(coin ? bits.below(3) : bits.throws(3, 4, 2));
        },
        steps);
    BOOST_REQUIRE(law);
    BOOST_CHECK_EQUAL(steps, 993u);  // 4 lanes of tails, 3 values of heads
    const auto p = [&](int outcome) { return std::next(law->begin(), outcome)->second; };
    BOOST_CHECK(p(0) == exact(3, 4) * exact(169, 256) + exact(1, 12));
    BOOST_CHECK(p(1) == exact(3, 4) * exact(39, 256) + exact(1, 12));
    BOOST_CHECK(p(2) == p(1));
    BOOST_CHECK(p(3) == exact(3, 4) * exact(9, 256));
    BOOST_CHECK(p(0) + p(1) + p(2) + p(3) == exact(1, 1));

    const auto fails = [&](std::uint64_t most, const auto& draw) {
        const bool none = !law_of(1, draw, most);
        return none;
    };
    const auto wide = [](BitSource& bits, MutableBytes drawn) {
        drawn[0] = static_cast<std::byte>(bits.below(100));
    };
    BOOST_CHECK(fails(99, wide));
    BOOST_CHECK(!fails(100, wide));
    BOOST_CHECK(fails(
        1000, [](BitSource& bits, MutableBytes drawn) { drawn[0] = static_cast<std::byte>(bits.word()); }));
}

// A sampler may rely on it: the code behind an outcome of weight 0 may have nothing to draw from.
BOOST_AUTO_TEST_CASE(outcomes_without_weight_are_not_explored) {
    std::uint64_t steps = 10;
    const auto law = law_of(
        1,
        [](BitSource& bits, MutableBytes drawn) {
            const std::uint64_t outcome = bits.pick(std::vector<std::uint64_t>{0, 3, 3, 4, 4});
            BOOST_CHECK(outcome == 1 || outcome == 3);
            drawn[0] = static_cast<std::byte>(outcome);
        },
        steps);
    BOOST_REQUIRE(law);
    BOOST_CHECK_EQUAL(law->size(), 2u);
    BOOST_CHECK(law->begin()->second == exact(3, 4));
}

namespace {

/// grr's probabilities around a randomizer, or a claim, that is somebody else's.
class ForgedMechanism : public Mechanism {
  public:
    ForgedMechanism(const Mechanism& honest, const Mechanism& sampler, const Mechanism& claim)
        : Mechanism(honest.header(), honest.block()), honest_(honest), sampler_(sampler), claim_(claim) {}
    std::vector<std::uint64_t> cells() const override { return honest_.cells(); }
    std::size_t payload_size() const noexcept override { return honest_.payload_size(); }
    std::size_t state_size() const noexcept override { return honest_.state_size(); }
    std::vector<std::pair<std::string, double>> parameters() const override { return {}; }
    void permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                            MutableBytes permanent) const override {
        sampler_.permanent_response(input, public_randomness, bits, permanent);
    }
    bool accumulate(MutableBytes, Bytes) const noexcept override { return false; }
    void merge(MutableBytes, Bytes) const noexcept override {}
    bool valid_payload(Bytes) const noexcept override { return false; }
    bool valid_state(const Counts&) const noexcept override { return false; }
    std::span<const Quantity> answers() const noexcept override { return honest_.answers(); }
    std::vector<Estimate> estimate(const Counts&, const Question&) const override { return {}; }
    std::vector<Check> health(const Counts&) const override { return {}; }
    double n_variance(double) const override { return 0; }
    Cost cost() const noexcept override { return {0, 0}; }
    std::vector<Contribution> contributions(const Question&) const override { return {}; }
    double max_probability(Bytes) const override { return 1; }
    Exact probability(Input input, Bytes public_randomness, Bytes permanent) const override {
        return claim_.probability(input, public_randomness, permanent);
    }
    Exact worst_ratio() const override { return claim_.worst_ratio(); }
    ChannelLaw channel_law() const override { return claim_.channel_law(); }

  private:
    const Mechanism &honest_, &sampler_, &claim_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(audits_find_what_is_broken) {
    const auto honest = mechanism("grr", 1, R"("domain": 3)"),
               nudged = mechanism("grr", 1 + 1e-9, R"("domain": 3)");
    SeededBits bits(1);
    const auto of = [&](const Mechanism& sampler, const Mechanism& claim) {
        return audit(ForgedMechanism(*honest, sampler, claim), bits);
    };
    BOOST_CHECK(of(*honest, *honest).kept());
    const Audit quiet = of(*nudged, *honest), open = of(*nudged, *nudged);
    BOOST_CHECK(!quiet.kept());
    BOOST_CHECK(!quiet.sampler_as_stated);
    BOOST_CHECK(quiet.sums_to_one);
    BOOST_CHECK(!open.kept());
    BOOST_CHECK(open.sampler_as_stated);
    BOOST_CHECK_LT(margin(1, open.permanent.worst.ratio()), 0);
    // Four values where three are promised: what the fourth leads to is certain to be another's.
    const auto wider = mechanism("grr", 1, R"("domain": 4)");
    const Audit strange = of(*wider, *honest);
    BOOST_CHECK(!strange.kept());
    // What the values before and after one lead to, and that one cannot.
    struct Gap final : ForgedMechanism {
        using ForgedMechanism::ForgedMechanism;
        void permanent_response(Input input, Bytes public_randomness, BitSource& source,
                                MutableBytes permanent) const override {
            if (input[0] == 1)
                permanent[0] = std::byte{1};
            else
                ForgedMechanism::permanent_response(input, public_randomness, source, permanent);
        }
    };
    BOOST_CHECK(!audit(Gap(*honest, *honest, *honest), bits).permanent.worst.bounded());
}

BOOST_AUTO_TEST_CASE(audits_tell_what_they_looked_at) {
    SeededBits bits(2);
    const Audit small = audit(*mechanism("grr", 1, R"("domain": 5)"), bits);
    BOOST_CHECK(small.enumerated && small.every_public_randomness);
    BOOST_CHECK_EQUAL(small.public_randomness, 1u);
    BOOST_CHECK_EQUAL(small.inputs, 5u);
    BOOST_CHECK_EQUAL(small.outputs, 5u);
    BOOST_CHECK_EQUAL(small.steps, 25u);
    BOOST_CHECK(small.permanent.worst.likelier != small.permanent.worst.rarer);
    BOOST_CHECK_EQUAL(std::to_integer<Cell>(small.permanent.worst.output[0]),
                      small.permanent.worst.likelier[0]);
    const Audit cohorts =
        audit(*mechanism("rappor", 1, R"("domain": 2, "filter_bits": 8, "cohorts": 4)"), bits);
    BOOST_CHECK(cohorts.every_public_randomness);
    BOOST_CHECK_EQUAL(cohorts.public_randomness, 4u);
    const Audit hashes = audit(*mechanism("olh", 1, R"("domain": 4)"), bits);
    BOOST_CHECK(hashes.enumerated && !hashes.every_public_randomness);
    BOOST_CHECK_EQUAL(hashes.public_randomness, 10u);
    for (const char* name : {"grr", "oue"}) {
        const Audit large = audit(*mechanism(name, 1, R"("domain": 4096)"), bits);
        BOOST_CHECK(!large.enumerated);
        BOOST_CHECK(large.kept());
    }
    const Audit layered = audit(*mechanism("l_grr", 2, R"("domain": 5, "report_epsilon": 1)"), bits);
    BOOST_REQUIRE(layered.report);
    BOOST_CHECK_EQUAL(layered.report->epsilon, 1);
    BOOST_CHECK(layered.report->worst.ratio() < layered.permanent.worst.ratio());
}

BOOST_AUTO_TEST_CASE(weights_of_narrow_words_keep_epsilon_too) {
    for (const double epsilon : epsilons)
        for (const unsigned bits : {40u, 50u, 64u}) {
            const Odds o = odds(epsilon, 3, 5, bits);
            BOOST_CHECK_GE(margin(epsilon, exact(o.high, o.low)), 0);
            BOOST_CHECK(Uint128{3} * o.high + Uint128{5} * o.low < Uint128{1} << bits);
            const Exact rare = exact_dyadic(rare_heads(epsilon, bits), bits);
            const Exact rarer = exact_dyadic(rare_heads(epsilon, bits) - 64, bits);
            BOOST_CHECK_GE(margin(epsilon, rare.complement() / rare), 0);
            BOOST_CHECK_LT(margin(epsilon, rarer.complement() / rarer), 0);  // no coarser than it must be
        }
    BOOST_CHECK_THROW(static_cast<void>(odds(20, 1, 1 << 20, 16)), std::runtime_error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
