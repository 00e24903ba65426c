// Bit counters count what a loop over bits counts, by the wide path and by the portable one.

#include "core/math/bit_counters.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(bit_counters)

namespace {

std::vector<std::vector<std::byte>> random_strings(std::size_t bits, std::size_t n, std::uint64_t seed) {
    SeededBits source(seed);
    std::vector<std::vector<std::byte>> strings;
    for (std::size_t i = 0; i < n; ++i) {
        auto& string = strings.emplace_back((bits + 7) / 8);
        for (std::byte& byte : string) byte = static_cast<std::byte>(source.word() & source.word());
        if (bits % 8 != 0) string.back() &= static_cast<std::byte>(0xFF >> (8 - bits % 8));
    }
    return strings;
}

}  // namespace

BOOST_AUTO_TEST_CASE(they_count) {
    for (const std::size_t bits : {1, 2, 8, 9, 16, 25, 64, 100, 127, 255, 256, 300, 1024, 1500, 4099}) {
        const BitCounters counters(bits);
        const auto strings = random_strings(bits, 70, bits);
        std::vector<std::byte> all(counters.size()), portable(counters.size()), first(counters.size()),
            second(counters.size());
        std::vector<std::uint64_t> truth(bits);
        for (std::size_t i = 0; i < strings.size(); ++i) {
            const auto& string = strings[i];
            BOOST_REQUIRE(counters.tidy(string.data()));
            counters.add(all.data(), string.data());
            counters.add((i % 3 == 0 ? first : second).data(), string.data());
            std::uint64_t ones = 0;
            for (std::size_t b = 0; b < bits; ++b) {
                const bool set = (std::to_integer<unsigned>(string[b / 8]) >> b % 8 & 1) != 0;
                truth[b] += set ? 1 : 0;
                ones += set ? 1 : 0;
            }
            BOOST_REQUIRE_EQUAL(BitCounters::ones(string), ones);
            const Portable path;
            const std::size_t half = string.size() / 2;
            counters.add(portable.data(), 0, Bytes(string).first(half));
            counters.add(portable.data(), half, Bytes(string).subspan(half));
            BOOST_REQUIRE_EQUAL(BitCounters::ones(string), ones);
        }
        BOOST_CHECK(counters.counts(all.data()) == truth);
        BOOST_CHECK_EQUAL(counters.total(all.data()),
                          std::accumulate(truth.begin(), truth.end(), std::uint64_t{0}));
        BOOST_CHECK(all == portable);
        counters.merge(second.data(), first.data());
        BOOST_CHECK(all == second);
        const std::uint64_t most = std::ranges::max(truth);
        BOOST_CHECK(counters.at_most(all.data(), most));
        BOOST_CHECK(!counters.at_most(all.data(), most - 1));
    }
}

BOOST_AUTO_TEST_CASE(many_strings_count_as_one_after_another) {
    // Blocks of strings of up to 32 bytes are counted in wide registers, which are emptied after 255 blocks.
    const auto compare = [](std::size_t bits, std::size_t n, std::size_t gap) {
        const BitCounters counters(bits);
        const auto strings = random_strings(bits, n, bits + n);
        const std::size_t width = counters.width(), stride = width + gap;
        std::vector<std::byte> together(n * stride, std::byte{0xFF});
        std::vector<std::byte> expected(counters.size());
        BitCounters::Ones ones{~std::uint64_t{0}, 0, 0, std::byte{0}};
        for (std::size_t i = 0; i < n; ++i) {
            std::ranges::copy(strings[i], together.begin() + static_cast<std::ptrdiff_t>(i * stride));
            counters.add(expected.data(), strings[i].data());
            const std::uint64_t own = BitCounters::ones(strings[i]);
            ones = {std::min(ones.least, own), std::max(ones.most, own), ones.squares + own * own,
                    ones.last | strings[i].back()};
        }
        const Payloads all(together.data(), n, width, stride);
        const auto check = [&] {
            std::vector<std::byte> counted(counters.size());
            const std::size_t half = width / 2;
            counters.add_all(counted.data(), 0, all.part(0, half));
            counters.add_all(counted.data(), half, all.part(half, width - half));
            BOOST_CHECK(counted == expected);
            // Carries reach the counts of several additions.
            counters.add_all(counted.data(), 0, all);
            std::vector<std::byte> twice = expected;
            counters.merge(twice.data(), expected.data());
            BOOST_CHECK(counted == twice);
            std::vector<std::byte> at_once(counters.size());
            for (const BitCounters::Ones& found :
                 {BitCounters::ones(all), counters.count_all(at_once.data(), all)}) {
                BOOST_CHECK(found.least == ones.least && found.most == ones.most &&
                            found.squares == ones.squares && found.last == ones.last);
                BOOST_CHECK(counters.tidy(found));
            }
            BOOST_CHECK(at_once == expected);
        };
        const auto check_spare_bits = [&] {
            for (std::size_t i = 0; i < n && bits % 8 != 0; i += 1 + n / 200) {
                const std::byte last = std::exchange(together[i * stride + width - 1], std::byte{0x80});
                std::vector<std::byte> ignored(counters.size());
                BOOST_CHECK(!counters.tidy(BitCounters::ones(all)));
                BOOST_CHECK(!counters.tidy(counters.count_all(ignored.data(), all)));
                together[i * stride + width - 1] = last;
            }
        };
        check();
        check_spare_bits();
        const Portable path;
        check();
        check_spare_bits();
    };
    for (const std::size_t bits : {1, 8, 9, 16, 25, 64, 100, 127, 256, 300, 504, 1024, 4099})
        for (const std::size_t n : {0, 1, 15, 16, 17, 64, 200})
            for (const std::size_t gap : {0, 3}) compare(bits, n, gap);
    for (const std::size_t bits : {5, 8, 13, 16, 19, 27, 32, 37, 48, 53, 64, 65, 91, 128, 129, 180, 249, 256})
        for (const std::size_t n : {511, 512, 513, 1300, 5000})
            for (const std::size_t gap : {0, 1}) compare(bits, n, gap);
    compare(7, 255 * 512 + 700, 0);
}

BOOST_AUTO_TEST_CASE(runs_and_ones_of_payloads_are_found_with_and_without_gaps) {
    SeededBits bits(61);
    for (const std::size_t size : {1, 2, 3, 4, 5})
        for (const std::size_t gap : {0, 1, 4})
            for (const std::uint64_t rarely : {1, 2, 5, 40, 400}) {
                const std::size_t stride = size + gap, n = 700;
                std::vector<std::byte> bytes(n * stride);
                for (std::byte& byte : bytes) byte = static_cast<std::byte>(bits.below(256));
                for (std::size_t i = 0; i < n; ++i) {
                    if (i > 0) std::copy_n(bytes.data() + (i - 1) * stride, size, bytes.data() + i * stride);
                    if (bits.below(rarely) == 0)
                        bytes[i * stride + bits.below(size)] = static_cast<std::byte>(bits.below(2));
                }
                const Payloads all(bytes.data(), n, size, stride);
                for (std::size_t i = 0; i < n; ++i) {
                    std::size_t end = i + 1;
                    while (end < n && std::ranges::equal(all[end], all[i])) ++end;
                    BOOST_REQUIRE_EQUAL(all.run_end(i), end);
                }
                if (size > 1) continue;
                std::uint64_t ones = 0;
                for (std::size_t i = 0; i < n; ++i) {
                    bytes[i * stride] = static_cast<std::byte>(bits.below(2));
                    ones += std::to_integer<std::uint64_t>(bytes[i * stride]);
                }
                BOOST_CHECK_EQUAL(all.ones(), ones);
                for (std::size_t i = 0; i < n; ++i) {
                    const std::byte bit =
                        std::exchange(bytes[i * stride], static_cast<std::byte>(2U << bits.below(7)));
                    BOOST_CHECK_EQUAL(all.ones(), Payloads::not_bits);
                    bytes[i * stride] = bit;
                }
            }
}

BOOST_AUTO_TEST_CASE(they_reach_the_largest_count) {
    // Doubling a summary forty times counts 2^40 reports.
    const BitCounters counters(11);
    std::vector<std::byte> state(counters.size());
    counters.add(state.data(), random_strings(11, 1, 3)[0].data());
    for (int i = 0; i < 40; ++i) {
        const auto copy = state;
        counters.merge(state.data(), copy.data());
    }
    const auto counts = counters.counts(state.data());
    BOOST_CHECK_EQUAL(std::ranges::max(counts), max_count);
    BOOST_CHECK(counters.at_most(state.data(), max_count));
    BOOST_CHECK(!counters.at_most(state.data(), max_count - 1));
}

BOOST_AUTO_TEST_CASE(spare_bits_are_refused) {
    const BitCounters counters(11);
    std::vector<std::byte> state(counters.size()), string(counters.width());
    string[1] = std::byte{8};
    BOOST_CHECK(!counters.tidy(string.data()));
    for (std::size_t plane = 0; plane < BitCounters::planes; ++plane) {
        auto forged = state;
        forged[2 * plane + 1] = std::byte{8};
        BOOST_CHECK(!counters.at_most(forged.data(), max_count));
    }
    BOOST_CHECK(counters.at_most(state.data(), 0));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
