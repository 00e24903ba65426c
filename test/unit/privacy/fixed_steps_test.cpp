// Searches and sorting in a fixed number of steps, against those of the standard library. That their instructions do not depend
// on values is what test/timing counts.

#include "core/math/fixed_steps.hpp"

#include <map>
#include <set>

#include "core/mechanism/frequency/label_codes.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(fixed_steps)

BOOST_AUTO_TEST_CASE(first_values_are_counted) {
    for (std::size_t size = 0; size <= 70; ++size)
        for (std::size_t first = 0; first <= size; ++first) {
            std::size_t calls = 0;
            const auto holds = [&](std::size_t i) {
                ++calls;
                BOOST_REQUIRE_LT(i, size);
                return i < first;
            };
            BOOST_REQUIRE_EQUAL(count_first(size, holds), first);
            BOOST_REQUIRE_EQUAL(calls, static_cast<std::size_t>(std::bit_width(size)));
        }
}

BOOST_AUTO_TEST_CASE(sets_are_sorted_and_filled_up) {
    SeededBits bits(5);
    for (int run = 0; run < 2000; ++run) {
        std::vector<Cell> values(bits.below(9));
        for (Cell& value : values) value = bits.below(13);
        std::set<Cell> once(values.begin(), values.end());
        std::vector<Cell> expected(once.begin(), once.lower_bound(10));
        expected.resize(values.size(), 10);
        const std::vector<Cell> found = sorted_set(values, 10);
        BOOST_REQUIRE_EQUAL_COLLECTIONS(found.begin(), found.end(), expected.begin(), expected.end());
    }
}

BOOST_AUTO_TEST_CASE(texts_are_found) {
    for (const std::size_t count : {0, 1, 2, 7, 8, 64, 5000}) {
        std::vector<std::string> texts;
        for (std::size_t i = 0; i < count; ++i)
            texts.push_back(std::to_string(i * i) + std::string(i % 23, static_cast<char>('a' + i % 26)));
        if (count > 2) texts[1] = std::string("a\0b", 3);
        const TextSearch search(texts);
        BOOST_REQUIRE_EQUAL(search.size(), count);
        for (std::size_t i = 0; i < count; ++i) BOOST_REQUIRE_EQUAL(search.find(texts[i]), i);
        for (const std::string& other :
             {std::string(), std::string("a"), std::string("a\0", 2), std::string("a\0b\0", 4),
              std::string(3000, '0'), std::string("elsewhere")})
            BOOST_CHECK_EQUAL(search.find(other), count);
        // The start of a text, and a text with more bytes, are other texts.
        if (count > 2) {
            BOOST_CHECK_EQUAL(search.find(texts[2] + "x"), count);
            BOOST_CHECK_EQUAL(search.find(texts[2].substr(0, texts[2].size() - 1)), count);
        }
    }
}

BOOST_AUTO_TEST_CASE(codes_of_sets_are_filled_up_with_dummies) {
    for (std::uint64_t k = 1; k <= 7; ++k)
        for (std::uint64_t most = 1; most <= k; ++most) {
            const SetCodes codes(k, most);
            BOOST_REQUIRE_EQUAL(codes.most(), most);
            for (Cell code = 0; code < count_label_sets(k, most); ++code) {
                const std::vector<Cell> items = codes.items_of(code), labels = set_of_code(k, code);
                std::vector<Cell> expected = labels;
                for (Cell dummy = k; expected.size() < most; ++dummy) expected.push_back(dummy);
                BOOST_REQUIRE_EQUAL_COLLECTIONS(items.begin(), items.end(), expected.begin(), expected.end());
                BOOST_REQUIRE_EQUAL(codes.code_of(items), code);
                BOOST_REQUIRE_EQUAL(code_of_set(k, labels), code);
            }
        }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
