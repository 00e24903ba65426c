// The short form of counters, and Base64: what is written is read again, the size is what the form promises, and
// damaged forms are refused without an access outside of the buffers.

#include "core/format/packed_words.hpp"

#include <cmath>

#include "core/format/base64.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(packed_words)

namespace {

using Buffer = std::vector<std::byte>;

Buffer packed(Bytes bytes) {
    Buffer out(packed_bound(bytes.size()));
    out.resize(pack_words(bytes, out));
    return out;
}

/// Bytes of this size whose words are drawn.
template <class Draw>
Buffer words(std::size_t size, Draw draw) {
    Buffer all((size + 7) / 8 * 8);
    for (std::size_t i = 0; i < all.size(); i += 8) store<std::uint64_t>(all.data() + i, draw());
    all.resize(size);
    return all;
}

/// The bytes that a form of this size stands for; nothing if it is refused.
std::optional<Buffer> unpacked(Bytes form, std::size_t size) {
    // Guards show a write outside of the bytes.
    constexpr std::size_t guard = 32;
    Buffer out(size + 2 * guard, std::byte{0xA5});
    const bool taken = unpack_words(form, MutableBytes(out).subspan(guard, size));
    for (std::size_t i = 0; i < guard; ++i)
        BOOST_REQUIRE(out[i] == std::byte{0xA5} && out[guard + size + i] == std::byte{0xA5});
    BOOST_REQUIRE_EQUAL(are_packed_words(form, size), taken);
    if (!taken) return {};
    return Buffer(out.begin() + guard, out.end() - guard);
}

}  // namespace

BOOST_AUTO_TEST_CASE(they_come_back) {
    SeededBits bits(1);
    for (const std::size_t size : {0, 1, 7, 8, 9, 120, 127, 128, 129, 136, 255, 256, 1000, 8191, 8192, 70000})
        for (unsigned width = 0; width <= 64; ++width) {
            const std::uint64_t mask = width == 0 ? 0 : ~std::uint64_t{0} >> (64 - width);
            for (const std::uint64_t base : {std::uint64_t{0}, std::uint64_t{100}, std::uint64_t{1} << 40})
                for (const unsigned zeros_in : {1, 2, 40}) {
                    if (size > 1000 && width % 9 != 3) continue;
                    const Buffer all = words(size, [&] {
                        return bits.below(zeros_in) == 0 ? (bits.word() & mask) + base : std::uint64_t{0};
                    });
                    const Buffer form = packed(all);
                    BOOST_REQUIRE_LE(form.size(), packed_bound(size));
                    BOOST_REQUIRE(unpacked(form, size) == all);
                    BOOST_REQUIRE(!unpacked(form, size + 128));
                    if (size > 128) BOOST_REQUIRE(!unpacked(form, size - 128));
                }
        }
}

BOOST_AUTO_TEST_CASE(they_are_added_without_their_zeros) {
    SeededBits bits(6);
    for (const std::size_t size : {8, 64, 100, 128, 129, 136, 1000, 4096, 4099})
        for (int turn = 0; turn < 40; ++turn) {
            const auto draw = [&] { return bits.below(3) == 0 ? bits.word() >> bits.below(64) : 0; };
            const Buffer before = words(size, [&] { return bits.word(); }), all = words(size, draw);
            // Ranges of any number of words; the last one has the bytes behind the last whole word.
            std::vector<ByteRange> apart;
            for (std::size_t at = 8 * bits.below(20); turn % 4 != 0 && at < size / 8 * 8;) {
                const std::size_t length = std::min(8 * bits.below(40), size / 8 * 8 - at);
                if (length > 0) apart.push_back({at, length});
                at += length + 8 * bits.below(20);
            }
            if (size % 8 != 0) apart.push_back({size / 8 * 8, size % 8});
            std::size_t copied = 0;
            for (const ByteRange& range : apart) copied += range.size_of_words();
            // The buffers end where the bytes end, so that sanitizers see an access behind them.
            Buffer sum = before, copies(copied), expected = before, expected_copies(copied);
            std::size_t at = 0, next = 0;
            for (std::size_t i = 0; i < size;) {
                if (next < apart.size() && apart[next].at == i) {
                    std::ranges::copy(Bytes(all).subspan(i, apart[next].size),
                                      expected_copies.begin() + static_cast<std::ptrdiff_t>(at));
                    at += apart[next].size_of_words();
                    i += apart[next++].size;
                    continue;
                }
                add(expected.data() + i, load<std::uint64_t>(all.data() + i));
                i += 8;
            }
            const Buffer form = packed(all);
            BOOST_REQUIRE(add_words(form, sum, apart, copies));
            BOOST_REQUIRE(sum == expected);
            BOOST_REQUIRE(copies == expected_copies);
            for (std::size_t length = 0; length < form.size(); length += 1 + form.size() / 7)
                BOOST_REQUIRE(!add_words(Bytes(form).first(length), sum, apart, copies));
            Buffer damaged = form;
            damaged[bits.below(form.size())] ^= static_cast<std::byte>(1 + bits.below(255));
            const bool taken = unpacked(damaged, size).has_value();
            BOOST_REQUIRE_EQUAL(add_words(damaged, sum, apart, copies), taken);
        }
}

BOOST_AUTO_TEST_CASE(segments_are_forms) {
    SeededBits bits(2);
    const Buffer all = words(5000, [&] { return bits.below(3) == 0 ? bits.below(1000) : 0; });
    Buffer form;
    for (std::size_t at = 0; at < all.size(); at += 1280) {
        const Buffer one = packed(Bytes(all).subspan(at, std::min<std::size_t>(1280, all.size() - at)));
        form.insert(form.end(), one.begin(), one.end());
    }
    BOOST_CHECK(unpacked(form, all.size()) == all);
}

BOOST_AUTO_TEST_CASE(sizes_follow_the_content) {
    constexpr std::size_t size = 1 << 16;
    SeededBits bits(3);
    // A byte for 8 kB of zeros.
    BOOST_CHECK_EQUAL(packed(Buffer(size)).size(), 8u);
    // A byte for each counter of a few reports, and one for each group.
    const Buffer few = words(size, [&] { return bits.below(16) == 0 ? 1 : 0; });
    BOOST_CHECK_LT(packed(few).size(), size / 8 / 16 + size / 128 + 200);
    // The spread of counters, not their size, determines their width.
    const Buffer close = words(size, [&] { return 1000000 + bits.below(16); });
    BOOST_CHECK_LE(packed(close).size(), size / 128 * (1 + 3 + 8));
    // Other bytes grow by one in 128.
    const Buffer random = words(size, [&] { return bits.word() | std::uint64_t{1} << 63; });
    BOOST_CHECK_EQUAL(packed(random).size(), packed_bound(size));
}

BOOST_AUTO_TEST_CASE(damaged_forms_are_refused) {
    SeededBits bits(4);
    unsigned refused = 0;
    for (const std::size_t size : {64, 128, 1000}) {
        const Buffer all = words(size, [&] {
            const std::uint64_t way = bits.below(4);
            return way == 0 ? bits.word() : way == 1 ? bits.below(10) : 0;
        });
        const Buffer form = packed(all);
        for (std::size_t length = 0; length < form.size(); ++length)
            BOOST_REQUIRE(!unpacked(Bytes(form).first(length), size));
        for (std::size_t i = 0; i < form.size(); ++i)
            for (unsigned flip = 1; flip < 256; ++flip) {
                Buffer damaged = form;
                damaged[i] ^= static_cast<std::byte>(flip);
                const auto found = unpacked(damaged, size);
                BOOST_REQUIRE(!found || *found != all);
                refused += found ? 0 : 1;
            }
    }
    BOOST_CHECK_GT(refused, 1000u);
    for (int i = 0; i < 100000; ++i) {
        Buffer noise(bits.below(60));
        for (std::byte& byte : noise) byte = static_cast<std::byte>(bits.word());
        (void)unpacked(noise, bits.below(400));
    }
    const auto refuses = [](std::initializer_list<unsigned> form, std::size_t size) {
        Buffer bytes;
        for (const unsigned byte : form) bytes.push_back(static_cast<std::byte>(byte));
        return !unpacked(bytes, size);
    };
    for (const unsigned first : {64, 128, 208, 255}) BOOST_CHECK(refuses({first}, 128));  // not used
    BOOST_CHECK(refuses({130, 0x01, 0x01}, 128) && refuses({130, 0x02, 0x01}, 128));      // not ascending
    BOOST_CHECK(refuses({129, 0x0F}, 64) && !refuses({129, 0x07}, 64));                   // behind the end
    BOOST_CHECK(refuses({1}, 128) && refuses({0, 0}, 128) && refuses({0}, 129));          // too many, too few
    BOOST_CHECK(refuses({144, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2}, 128) &&    // 65 bits
                !refuses({144, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, 128));
}

BOOST_AUTO_TEST_CASE(base64_comes_back) {
    SeededBits bits(5);
    const auto encoded = [](Bytes bytes) {
        std::string out(base64_length(bytes.size()), '\0');
        to_base64(bytes, out.data());
        return out;
    };
    for (std::size_t size = 0; size < 200; ++size) {
        Buffer all(size);
        for (std::byte& byte : all) byte = static_cast<std::byte>(bits.word());
        const std::string text = encoded(all);
        BOOST_REQUIRE_EQUAL(base64_size(text), size);
        Buffer back(size);
        BOOST_REQUIRE(from_base64(text, back.data()) && back == all);
        for (std::size_t i = 0; i < text.size(); ++i)
            for (const char other : {'-', '=', ' ', '\n', '\x80', '\0', 'A'}) {
                std::string damaged = text;
                damaged[i] = other;
                const std::size_t found = base64_size(damaged);
                if (found == SIZE_MAX) continue;
                Buffer out(found);
                // What is read is what is written for these bytes.
                if (from_base64(damaged, out.data())) BOOST_REQUIRE_EQUAL(encoded(out), damaged);
            }
    }
    const auto text = [&](std::string_view bytes) {
        return encoded({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()});
    };
    // RFC 4648, section 10.
    BOOST_CHECK_EQUAL(text("f"), "Zg==");
    BOOST_CHECK_EQUAL(text("fo"), "Zm8=");
    BOOST_CHECK_EQUAL(text("foobar"), "Zm9vYmFy");
    for (const char* damaged :
         {"Zg=", "=", "A===", "====", "Zg==Zm9v", "Zm8=Zm9v", "Zm8=Zm8=", "Z=8=", "=m9v"})
        BOOST_CHECK_EQUAL(base64_size(damaged), SIZE_MAX);
    BOOST_CHECK_EQUAL(base64_size(""), 0);
    std::byte out[3];
    BOOST_CHECK(!from_base64("Zh==", out) && !from_base64("Zm9=", out));  // unused bits
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
