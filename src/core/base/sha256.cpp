#include "core/base/sha256.hpp"

#include <algorithm>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace ldp {

namespace {

using State = std::array<std::uint32_t, 8>;

constexpr std::uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const std::byte* at) noexcept {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 8 | std::to_integer<std::uint32_t>(at[i]);
    return value;
}

template <class Word>
void put_big_endian(std::byte* at, Word value) noexcept {
    for (std::size_t i = sizeof(Word); i-- > 0; value >>= 8) at[i] = static_cast<std::byte>(value);
}

void portable(State& state, const std::byte* at) noexcept {
    const auto mix = [](std::uint32_t x, int a, int b, int c) {
        return std::rotr(x, a) ^ std::rotr(x, b) ^ std::rotr(x, c);
    };
    std::uint32_t w[64];
    for (std::size_t i = 0; i < 16; ++i) w[i] = big_endian(at + 4 * i);
    for (std::size_t i = 16; i < 64; ++i) {
        const std::uint32_t early = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
        const std::uint32_t late = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + early + w[i - 7] + late;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint32_t first = h + mix(e, 6, 11, 25) + ((e & f) ^ (~e & g)) + constants[i] + w[i];
        const std::uint32_t second = mix(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + second;
    }
    const std::uint32_t round[8] = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state[i] += round[i];
}

#ifdef __x86_64__
/// The processor's SHA instructions, which compute two rounds each and require the state as a, b, e, f and c,
/// d, g, h, the first of them highest.
__attribute__((target("sha,sse4.1"))) void native(State& state, const std::byte* at) noexcept {
    auto* const place = reinterpret_cast<__m128i*>(state.data());
    const __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128(place), 0xB1);
    const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(place + 1), 0x1B);
    const __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i high = abef, low = cdgh;
    __m128i w[4] = {};  // last 16 words of the schedule, oldest first
    for (std::size_t i = 0; i < 16; ++i) {
        __m128i next;
        if (i < 4) {
            next = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at) + i);
            next = _mm_shuffle_epi8(next, big_endian);
        } else {
            next = _mm_add_epi32(_mm_sha256msg1_epu32(w[0], w[1]), _mm_alignr_epi8(w[3], w[2], 4));
            next = _mm_sha256msg2_epu32(next, w[3]);
        }
        w[0] = w[1], w[1] = w[2], w[2] = w[3], w[3] = next;
        next = _mm_add_epi32(next, _mm_loadu_si128(reinterpret_cast<const __m128i*>(constants) + i));
        low = _mm_sha256rnds2_epu32(low, high, next);
        high = _mm_sha256rnds2_epu32(high, low, _mm_shuffle_epi32(next, 0x0E));
    }
    const __m128i feba = _mm_shuffle_epi32(_mm_add_epi32(high, abef), 0x1B);
    const __m128i dchg = _mm_shuffle_epi32(_mm_add_epi32(low, cdgh), 0xB1);
    _mm_storeu_si128(place, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128(place + 1, _mm_alignr_epi8(dchg, feba, 8));
}

bool has_native() noexcept {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & bit_SHA) != 0 &&
           __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_SSE4_1) != 0;
}
#else
constexpr auto native = portable;
bool has_native() noexcept {
    return false;
}
#endif

}  // namespace

Sha256::Sha256(bool fast) noexcept {
    static const bool able = has_native();
    block_ = fast && able ? native : portable;
}

void Sha256::add(Bytes bytes) noexcept {
    while (!bytes.empty()) {
        const std::size_t held = size_ % rest_.size();
        if (held == 0 && bytes.size() >= rest_.size()) {
            block_(state_, bytes.data());
            size_ += rest_.size();
            bytes = bytes.subspan(rest_.size());
            continue;
        }
        const std::size_t taken = std::min(bytes.size(), rest_.size() - held);
        std::copy_n(bytes.begin(), taken, rest_.begin() + static_cast<std::ptrdiff_t>(held));
        size_ += taken;
        bytes = bytes.subspan(taken);
        if (held + taken == rest_.size()) block_(state_, rest_.data());
    }
}

std::array<std::byte, 32> Sha256::digest() noexcept {
    const std::uint64_t bits = 8 * size_;
    constexpr std::byte padding[64] = {std::byte{0x80}};
    add(Bytes(padding, 1 + (119 - size_ % 64) % 64));
    std::byte length[8];
    put_big_endian(length, bits);
    add(Bytes(length));
    std::array<std::byte, 32> digest{};
    for (std::size_t i = 0; i < 8; ++i) put_big_endian(digest.data() + 4 * i, state_[i]);
    return digest;
}

}  // namespace ldp
