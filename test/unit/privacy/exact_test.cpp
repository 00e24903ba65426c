// Exact fractions, against what is known of them.

#include "core/base/exact.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(exact_fractions)

BOOST_AUTO_TEST_CASE(fractions_are_the_same_however_they_are_written) {
    const Exact half = exact(1, 2);
    for (const Exact& same : {exact(3, 6), exact_dyadic(1, 1), exact_dyadic(4, 3), exact(1, 3) + exact(1, 6),
                              exact(3, 4) * exact(2, 3), exact(1, 3) / exact(2, 3), half.complement(),
                              exact(5, 6) - exact(1, 3), power(exact(1, 4), 2) * exact(8, 1)}) {
        BOOST_CHECK(same == half);
        BOOST_CHECK_EQUAL(same.text(), "1/2");
        BOOST_CHECK_EQUAL(static_cast<double>(same), 0.5);
    }
    BOOST_CHECK_EQUAL((exact(6, 4) * exact(2, 1)).text(), "3");
    BOOST_CHECK_EQUAL((exact(1, 12) + exact(1, 20)).text(), "2/15");
    BOOST_CHECK(Exact() == exact(0, 7) && Exact().is_zero() && !half.is_zero());
    BOOST_CHECK((half - half).is_zero() && (half * Exact()).is_zero() && Exact().complement() == exact(1, 1));
}

BOOST_AUTO_TEST_CASE(fractions_have_an_order) {
    const Exact ordered[] = {exact(1, 3) - exact(1, 2), Exact(),     exact_dyadic(1, 128),
                             exact(1, ~Uint128{0}),     exact(1, 3), exact(333334, 1000000),
                             exact_dyadic(3, 3),        exact(1, 1), exact(~Uint128{0}, 1)};
    for (const Exact& a : ordered)
        for (const Exact& b : ordered) {
            BOOST_CHECK_EQUAL(a < b, &a < &b);
            BOOST_CHECK_EQUAL(a == b, &a == &b);
        }
}

// 1/(i(i+1)) sums to n/(n+1): denominators that grow past what is left unreduced, and cancel.
BOOST_AUTO_TEST_CASE(long_denominators_lose_nothing) {
    Exact sum, rest = exact(1, 1);
    for (unsigned i = 1; i <= 400; ++i) {
        const Exact term = exact(1, Uint128{i} * (i + 1));
        sum = sum + term;
        rest = rest - term;
        BOOST_REQUIRE(sum == exact(i, i + 1));
        BOOST_REQUIRE_EQUAL(rest.text(), "1/" + std::to_string(i + 1));
    }
    const Exact tiny = power(exact(2, 3), 500);
    BOOST_CHECK(tiny * power(exact(3, 2), 500) == exact(1, 1));
    BOOST_CHECK(tiny.complement() < exact(1, 1) && tiny.complement() + tiny == exact(1, 1));
    BOOST_CHECK_CLOSE_FRACTION(static_cast<double>(tiny), std::pow(2.0 / 3, 500), 1e-13);
}

BOOST_AUTO_TEST_CASE(doubles_are_the_nearest) {
    BOOST_CHECK_EQUAL(static_cast<double>(exact(1, 3)), 1.0 / 3);
    BOOST_CHECK_EQUAL(static_cast<long double>(exact(2, 3)), 2.0L / 3);
    BOOST_CHECK_EQUAL(static_cast<double>(exact_dyadic(1, 1000)), std::ldexp(1.0, -1000));
    BOOST_CHECK_EQUAL(static_cast<double>(exact(1, 4) - exact(1, 2)), -0.25);
}

BOOST_AUTO_TEST_CASE(sets_are_counted) {
    BOOST_CHECK(subsets(5, 0) == exact(1, 1) && subsets(5, 5) == exact(1, 1));
    BOOST_CHECK(subsets(49, 6) == exact(13983816, 1));
    BOOST_CHECK(subsets(1000, 500) == subsets(999, 500) + subsets(999, 499));
}

BOOST_AUTO_TEST_CASE(margins_tell_kept_promises_from_broken_ones) {
    BOOST_CHECK_EQUAL(margin(0, exact(1, 1)), 0);
    BOOST_CHECK_CLOSE_FRACTION(margin(1, exact(2, 1)), 1 - std::log(2.0), 1e-15);
    // Too near for a double's log: 1 + 2^-100.
    const Exact hardly_more = exact(1, 1) + exact_dyadic(1, 100);
    BOOST_CHECK_CLOSE_FRACTION(margin(0, hardly_more), -std::ldexp(1.0, -100), 1e-15);
    BOOST_CHECK_GT(margin(0, exact(1, 1) / hardly_more), 0);
}

BOOST_AUTO_TEST_CASE(nothing_is_divided_by_nothing) {
    BOOST_CHECK_THROW(static_cast<void>(exact(1, 0)), std::exception);
    BOOST_CHECK_THROW(static_cast<void>(exact(1, 1) / Exact()), std::exception);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
