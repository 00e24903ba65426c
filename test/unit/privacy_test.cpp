// ε, proven: every input and output of small instances of every mechanism is enumerated with the sampler's
// own integer weights, in exact fractions; and the samplers are driven through every value of their random
// words, so that the weights are what they do.

#include "../../src/core/channel/coin.hpp"
#include "../../src/core/channel/symmetric.hpp"
#include "../../src/core/channel/window.hpp"
#include "proof.hpp"

namespace {

using namespace ldp;
using namespace ldp::test;

}  // namespace

BOOST_AUTO_TEST_SUITE(privacy)

BOOST_AUTO_TEST_CASE(grr_keeps_epsilon, *boost::unit_test::label("slow")) {
    for (const double epsilon : epsilons)
        for (const int k : {2, 3, 5, 16, 40})
            prove(*mechanism("grr", epsilon, "\"domain\": " + std::to_string(k)));
    prove(*mechanism("grr", 1, "\"domain\": 257"));  // two bytes a report
}

BOOST_AUTO_TEST_CASE(unary_encodings_keep_epsilon, *boost::unit_test::label("slow")) {
    for (const double epsilon : epsilons)
        for (const char* name : {"oue", "sue"})
            for (const int k : {2, 3, 5, 9})
                prove(*mechanism(name, epsilon, "\"domain\": " + std::to_string(k)));
}

BOOST_AUTO_TEST_CASE(window_mechanisms_keep_epsilon) {
    for (const double epsilon : epsilons)
        for (const char* name : {"piecewise", "pdp", "square_wave"})
            for (const int grid : {2, 7, 64})
                prove(*mechanism(name, epsilon, "\"min\": 0, \"max\": 1, \"grid\": " + std::to_string(grid)));
}

BOOST_AUTO_TEST_CASE(haar_keeps_epsilon) {
    for (const double epsilon : {0.01, 1.0, 10.0})
        for (const char* card : {"pdp", "piecewise"})
            for (const std::size_t d : {2, 3, 4})
                prove(*mechanism(
                    "haar", epsilon,
                    unit_attributes(d) + ", \"grid\": 3, \"card\": \"" + std::string(card) + "\""));
}

BOOST_AUTO_TEST_CASE(rappor_keeps_epsilon, *boost::unit_test::label("slow")) {
    for (const double epsilon : epsilons)
        prove(*mechanism("rappor", epsilon, R"("domain": 2, "bits": 8, "hashes": 1, "cohorts": 4)"));
    for (const double epsilon : {0.01, 4.0}) {
        prove(*mechanism("rappor", epsilon, R"("domain": 3, "bits": 8, "hashes": 2, "cohorts": 2)"));
        prove(*mechanism("rappor", epsilon, R"("domain": 3, "bits": 9, "hashes": 3, "cohorts": 1)"));
    }
}

BOOST_AUTO_TEST_CASE(large_specs_keep_epsilon) {
    for (const double epsilon : epsilons) {
        check_worst_ratio(*mechanism("grr", epsilon, "\"domain\": 16777216"));
        check_worst_ratio(*mechanism("oue", epsilon, "\"domain\": 65536"));
        check_worst_ratio(*mechanism("sue", epsilon, "\"domain\": 65536"));
        for (const char* hashes : {"1", "3", "7", "8"})
            check_worst_ratio(*mechanism(
                "rappor", epsilon,
                R"("domain": 65536, "bits": 1024, "cohorts": 256, "hashes": )" + std::string(hashes)));
        check_worst_ratio(*mechanism("piecewise", epsilon, "\"min\": 0, \"max\": 1, \"grid\": 1048576"));
        check_worst_ratio(*mechanism("pdp", epsilon, "\"min\": 0, \"max\": 1, \"grid\": 1048576"));
        check_worst_ratio(*mechanism("square_wave", epsilon, "\"min\": 0, \"max\": 1, \"grid\": 65536"));
        check_worst_ratio(*mechanism("haar", epsilon, unit_attributes(4096)));
        check_worst_ratio(*mechanism("duchi_vector", epsilon, unit_attributes(4096)));
    }
}

BOOST_AUTO_TEST_CASE(every_mechanism_was_enumerated) {
    // A mechanism joins the registry together with its proof: whoever adds one adds it to the cases above
    // too.
    std::vector<std::string> names;
    for (const MechanismEntry* entry : registry()) names.emplace_back(entry->name);
    const std::vector<std::string> proven{
        "grr",    "oue",    "piecewise",   "pdp",        "haar",         "sue",          "subset",
        "blh",    "olh",    "hadamard",    "projective", "rappor",       "laplace",      "duchi",
        "onebit", "hybrid", "square_wave", "sampled",    "duchi_vector", "haar_ordered", "haar_ranges",
        "l_grr",  "l_sue",  "l_oue",       "loloha",     "dbitflip",     "ddrm"};
    BOOST_CHECK_EQUAL_COLLECTIONS(names.begin(), names.end(), proven.begin(), proven.end());
}

BOOST_AUTO_TEST_CASE(samplers_do_what_their_weights_say) {
    for (const double epsilon : {0.01, 1.0, 4.0}) {
        for (const std::uint64_t k : {2, 3, 7}) drive(SymmetricChannel(k, epsilon, 16));
        for (const std::uint64_t width : {1, 2, 5}) drive(WindowChannel(4, width, epsilon, 16));
    }
}

BOOST_AUTO_TEST_CASE(coin_lands_as_its_weight_says) {
    // Lane ℓ of batch b draws the 8 binary digits of 64b + ℓ: four batches are all fractions of 2^8.
    struct Digits final : BitSource {
        unsigned batch = 0, digit = 8;
        std::uint64_t word() override {
            --digit;
            std::uint64_t lanes = 0;
            for (unsigned lane = 0; lane < 64; ++lane)
                lanes |= std::uint64_t{(64 * batch + lane) >> digit & 1} << lane;
            return lanes;
        }
    };
    for (std::uint64_t heads = 0; heads < 256; ++heads) {
        unsigned landed = 0;
        for (unsigned batch = 0; batch < 4; ++batch) {
            Digits bits;
            bits.batch = batch;
            landed += static_cast<unsigned>(std::popcount(Coin(heads, 8).throw64(bits)));
        }
        BOOST_REQUIRE_EQUAL(landed, heads);
    }
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
