#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <set>

#include "core/channel/window_channel.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(randomness)

namespace {

class ScriptedBits final : public BitSource {
  public:
    explicit ScriptedBits(std::vector<std::uint64_t> words) : words_(std::move(words)) {}
    std::uint64_t word() override { return words_.at(used++); }
    std::size_t used = 0;

  private:
    std::vector<std::uint64_t> words_;
};

std::uint64_t below3(std::uint64_t word) {
    return ScriptedBits({word}).below(3);
}

/// What is not 0 in the page where a generator keeps its words; its only member says where that is.
std::set<std::uint64_t> words_in_memory(const SystemRandom& bits) {
    static_assert(sizeof(SystemRandom) == 2 * sizeof(void*));
    const auto* const page = reinterpret_cast<const std::uint64_t* const*>(&bits)[1];
    std::set<std::uint64_t> words(page, page + 4096 / sizeof(std::uint64_t));
    words.erase(0);
    return words;
}

/// Forks; the next 64 words of both processes, all in one set.
std::set<std::uint64_t> words_of_parent_and_child(BitSource& bits) {
    int ends[2];
    BOOST_REQUIRE_EQUAL(pipe(ends), 0);
    const pid_t child = fork();
    std::uint64_t words[64];
    for (auto& word : words) word = bits.word();
    if (child == 0) _exit(write(ends[1], words, sizeof(words)) == sizeof(words) ? 0 : 1);
    std::uint64_t theirs[64];
    BOOST_REQUIRE_EQUAL(read(ends[0], theirs, sizeof(theirs)), static_cast<ssize_t>(sizeof(theirs)));
    int status = 0;
    BOOST_REQUIRE_EQUAL(waitpid(child, &status, 0), child);
    BOOST_CHECK_EQUAL(status, 0);
    std::set<std::uint64_t> all(words, words + 64);
    all.insert(theirs, theirs + 64);
    return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(below_gives_each_value_equally_many_words) {
    // Of 2^64 = 3·0x5555555555555555 + 1 words one is drawn again, and the others fall in three equal parts.
    ScriptedBits again({0, 1});
    BOOST_CHECK_EQUAL(again.below(3), 0u);
    BOOST_CHECK_EQUAL(again.used, 2u);
    BOOST_CHECK_EQUAL(below3(1), 0u);
    BOOST_CHECK_EQUAL(below3(0x5555555555555555), 0u);
    BOOST_CHECK_EQUAL(below3(0x5555555555555556), 1u);
    BOOST_CHECK_EQUAL(below3(0xAAAAAAAAAAAAAAAA), 1u);
    BOOST_CHECK_EQUAL(below3(0xAAAAAAAAAAAAAAAB), 2u);
    BOOST_CHECK_EQUAL(below3(~std::uint64_t{0}), 2u);
}

BOOST_AUTO_TEST_CASE(below_is_uniform_over_all_words_of_eight_bits) {
    for (unsigned bound = 1; bound < 256; ++bound) {
        std::vector<unsigned> counts(bound);
        for (unsigned word = 0; word < 256; ++word) {
            // Drawn again: from then on words that are never refused, all bits set.
            unsigned drawn = 0;
            const auto value = uniform_below<std::uint8_t, std::uint16_t>(
                static_cast<std::uint8_t>(bound),
                [&] { return static_cast<std::uint8_t>(drawn++ == 0 ? word : 255); });
            if (drawn == 1) ++counts.at(value);
        }
        for (const unsigned count : counts) BOOST_REQUIRE_EQUAL(count, 256 / bound);
    }
}

BOOST_AUTO_TEST_CASE(below_a_power_of_two_wastes_nothing) {
    ScriptedBits bits({0, ~std::uint64_t{0}});
    BOOST_CHECK_EQUAL(bits.below(std::uint64_t{1} << 63), 0u);
    BOOST_CHECK_EQUAL(bits.below(1), 0u);
    BOOST_CHECK_EQUAL(bits.used, 2u);
}

BOOST_AUTO_TEST_CASE(system_words_do_not_repeat) {
    SystemRandom bits;
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 100000; ++i) BOOST_REQUIRE(seen.insert(bits.word()).second);  // false alarm: 3e-10
}

BOOST_AUTO_TEST_CASE(each_bit_of_a_system_word_is_fair) {
    constexpr int words = 100000;
    SystemRandom bits;
    std::vector<int> ones(64);
    for (int i = 0; i < words; ++i)
        for (std::uint64_t word = bits.word(), bit = 0; bit < 64; ++bit)
            ones[bit] += static_cast<int>(word >> bit & 1);
    for (const int count : ones) BOOST_CHECK_LT(std::abs(2 * count - words), 6 * std::sqrt(words));
}

// A copy of a running machine has the words that are in memory at that moment.
BOOST_AUTO_TEST_CASE(few_words_are_ahead_and_none_that_were_discarded) {
    SystemRandom bits;
    std::vector<std::uint64_t> drawn;
    for (int i = 0; i < 1000; ++i) {
        drawn.push_back(bits.word());
        BOOST_REQUIRE_LE(words_in_memory(bits).size(), 32u);  // how many are left, and 31 at most
    }
    std::set<std::uint64_t> ahead = words_in_memory(bits);
    BOOST_CHECK_GT(ahead.size(), 1u);
    for (const std::uint64_t word : drawn) BOOST_CHECK(!ahead.contains(word) || word < 512);
    bits.discard();
    BOOST_CHECK(words_in_memory(bits).empty());
    for (int i = 0; i < 100; ++i) BOOST_CHECK(!ahead.contains(bits.word()));
}

// Generators that come one after another find the same memory, and no word in it.
BOOST_AUTO_TEST_CASE(a_generator_leaves_no_words_to_the_next) {
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 1000; ++i) {
        SystemRandom bits;
        BOOST_REQUIRE(words_in_memory(bits).empty());
        BOOST_REQUIRE(seen.insert(bits.word()).second);
    }
}

BOOST_AUTO_TEST_CASE(a_forked_child_shares_no_words_with_its_parent) {
    SystemRandom bits;
    static_cast<void>(bits.word());  // the buffer is full now
    BOOST_CHECK_EQUAL(words_of_parent_and_child(bits).size(), 128u);
}

// What is new in both processes is what they would have in common if a seed were fixed.
BOOST_AUTO_TEST_CASE(processes_that_start_alike_share_no_words) {
    SystemRandom bits;
    BOOST_CHECK_EQUAL(words_of_parent_and_child(bits).size(), 128u);
}

BOOST_AUTO_TEST_CASE(grid_points_round_without_bias) {
    const GridPoint quarter = grid_point(2.25, 8);
    BOOST_CHECK_EQUAL(quarter.lower, 2u);
    BOOST_CHECK_EQUAL(quarter.up, std::uint64_t{1} << 62);
    for (const double outside : {-3.0, 0.0}) {
        BOOST_CHECK_EQUAL(grid_point(outside, 8).lower, 0u);
        BOOST_CHECK_EQUAL(grid_point(outside, 8).up, 0u);
    }
    for (const double outside : {8.0, 9.5}) {
        BOOST_CHECK_EQUAL(grid_point(outside, 8).lower, 8u);
        BOOST_CHECK_EQUAL(grid_point(outside, 8).up, 0u);
    }
    ScriptedBits bits({(std::uint64_t{1} << 62) - 1, std::uint64_t{1} << 62});
    BOOST_CHECK_EQUAL(quarter.draw(bits), 3u);
    BOOST_CHECK_EQUAL(quarter.draw(bits), 2u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
