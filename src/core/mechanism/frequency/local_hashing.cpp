#include "core/mechanism/frequency/local_hashing.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/exact.hpp"
#include "core/math/channel_law.hpp"
#include "core/mechanism/frequency/counters.hpp"

#ifdef LDP_WIDE
#include <immintrin.h>
#endif

namespace ldp {

namespace {

/// A hash function.
struct Seed {
    std::uint64_t a, b;

    explicit Seed(Bytes public_randomness) noexcept
        : a(load<std::uint64_t>(public_randomness.data())),
          b(load<std::uint64_t>(public_randomness.data() + sizeof(a))) {}
};

/// Classes of reports: the highest four bits of a word of their seeds.
constexpr unsigned class_bits = 4;
constexpr std::size_t classes_size = (std::size_t{1} << class_bits) * counter_size;

void classify(std::byte* classes, std::uint64_t word) noexcept {
    add<std::uint64_t>(classes + (word >> (64 - class_bits)) * counter_size, 1);
}

/// A second-order arithmetic progression on the circle of 2^64, and an arc that starts at 0.
struct ArcProgression {
    std::uint64_t at;    ///< the next term
    std::uint64_t step;  ///< difference to the following term
    std::uint64_t turn;  ///< increment of the difference
    std::uint64_t arc;

    [[nodiscard]] std::uint64_t term(std::uint64_t i) const noexcept {
        return at + i * step + i * (i - 1) / 2 * turn;
    }
    void skip(std::uint64_t terms) noexcept {
        at = term(terms);
        step += terms * turn;
    }
};

void mark_portable(ArcProgression walk, MutableBytes bits) noexcept {
    for (std::byte& byte : bits) {
        unsigned eight = 0;
        for (unsigned i = 0; i < 8; ++i) {
            eight |= (walk.at < walk.arc ? 1u : 0u) << i;
            walk.skip(1);
        }
        byte = static_cast<std::byte>(eight);
    }
}

#ifdef LDP_WIDE
/// Multiplies words by factors below 2^32, of which each lane has one in its lower half.
LDP_WIDE inline __m256i times(__m256i words, __m256i factors) noexcept {
    const __m256i lower = _mm256_mul_epu32(words, factors);
    const __m256i upper = _mm256_mul_epu32(_mm256_srli_epi64(words, 32), factors);
    return _mm256_add_epi64(lower, _mm256_slli_epi64(upper, 32));
}

// An arc is a whole number of points, so that the upper halves of the terms suffice. Comparisons are signed,
// so that both sides are shifted by half a circle. Two registers hold eight terms such that shuffling their
// upper halves together yields the terms in order: 0, 1, 4, 5 and 2, 3, 6, 7.
LDP_WIDE void mark_wide(const ArcProgression& walk, MutableBytes bits) noexcept {
    const __m256i at = _mm256_set1_epi64x(static_cast<long long>(walk.at + (std::uint64_t{1} << 63)));
    const __m256i step = _mm256_set1_epi64x(static_cast<long long>(walk.step));
    const __m256i turn = _mm256_set1_epi64x(static_cast<long long>(walk.turn));
    const __m256i turn_64 = _mm256_slli_epi64(turn, 6);
    // Term i is at + i·step + i(i−1)/2·turn. Term i+8 is larger by 8·step + (28+8i)·turn.
    __m256i low = _mm256_add_epi64(at, _mm256_add_epi64(times(step, _mm256_setr_epi64x(0, 1, 4, 5)),
                                                        times(turn, _mm256_setr_epi64x(0, 0, 6, 10))));
    __m256i high = _mm256_add_epi64(at, _mm256_add_epi64(times(step, _mm256_setr_epi64x(2, 3, 6, 7)),
                                                         times(turn, _mm256_setr_epi64x(1, 3, 15, 21))));
    __m256i low_stride =
        _mm256_add_epi64(_mm256_slli_epi64(step, 3), times(turn, _mm256_setr_epi64x(28, 36, 60, 68)));
    __m256i high_stride = _mm256_add_epi64(low_stride, _mm256_slli_epi64(turn, 4));
    const __m256i arc = _mm256_set1_epi32(static_cast<int>((walk.arc >> 32) + (1u << 31)));
    const auto next = [&]() LDP_WIDE {
        const __m256i upper = _mm256_castps_si256(
            _mm256_shuffle_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), _MM_SHUFFLE(3, 1, 3, 1)));
        const int eight = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(arc, upper)));
        low = _mm256_add_epi64(low, low_stride);
        high = _mm256_add_epi64(high, high_stride);
        low_stride = _mm256_add_epi64(low_stride, turn_64);
        high_stride = _mm256_add_epi64(high_stride, turn_64);
        return static_cast<std::uint32_t>(eight);
    };
    std::size_t i = 0;
    for (; bits.size() - i >= sizeof(std::uint32_t); i += sizeof(std::uint32_t)) {
        std::uint32_t together = next();
        together |= next() << 8;
        together |= next() << 16;
        together |= next() << 24;
        store(bits.data() + i, together);
    }
    for (; i < bits.size(); ++i) bits[i] = static_cast<std::byte>(next());
}
#endif

/// Sets exactly the bits of a string, lowest first, whose terms of the progression lie in the arc.
void mark(const ArcProgression& walk, MutableBytes bits) noexcept {
#ifdef LDP_WIDE
    if (wide_registers()) return mark_wide(walk, bits);
#endif
    mark_portable(walk, bits);
}

}  // namespace

void LocalHashing::write(const Settings& settings, std::uint64_t buckets, Writer& writer) {
    write_domain(settings, writer);
    writer.put(static_cast<std::uint32_t>(buckets));
}

std::unique_ptr<const Mechanism> LocalHashing::read(const Header& header, Bytes block,
                                                    std::uint64_t most_buckets) {
    Reader reader(block.subspan(header_size));
    const auto [k, g] = take(reader, most_buckets);
    reader.finish();
    return std::make_unique<LocalHashing>(header, block, k, g);
}

std::pair<std::uint64_t, std::uint64_t> LocalHashing::take(Reader& reader, std::uint64_t most_buckets) {
    const std::uint64_t k = take_domain(reader, max_domain);
    return {k, take_number(reader, "number of buckets", 2, most_buckets)};
}

// With x = g−1, n·Var at frequency 0 is (e+x)²/((e−1)²x). It decreases until x = e and then increases; x+1 is
// better than x if e² > x(x+1).
std::uint64_t LocalHashing::best_buckets(double epsilon) {
    const double e = std::exp(epsilon);
    const double below = std::floor(e);
    const double x = e * e > below * (below + 1) ? below + 1 : below;
    return static_cast<std::uint64_t>(std::min(x + 1, static_cast<double>(max_buckets)));
}

std::vector<std::pair<std::string, double>> LocalHashing::parameters() const {
    auto all = FrequencyOracle::parameters();
    all.emplace_back("hash_buckets", static_cast<double>(channel_.outputs()));
    return all;
}

std::size_t LocalHashing::state_size() const noexcept {
    return classes_at() + 2 * classes_size;
}

void LocalHashing::draw_public(BitSource& bits, MutableBytes public_randomness) const {
    store(public_randomness.data(), bits.word());
    store(public_randomness.data() + sizeof(std::uint64_t), bits.word());
}

void LocalHashing::permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                                      MutableBytes permanent) const {
    store_cell(permanent.data(), width_, channel_.sample(bucket(input[0], public_randomness), bits));
}

void LocalHashing::instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource&,
                                          MutableBytes payload) const {
    std::ranges::copy(permanent, std::ranges::copy(public_randomness, payload.begin()).out);
}

std::uint64_t LocalHashing::start(std::uint64_t y) const noexcept {
    const std::uint64_t g = channel_.outputs();
    return ((y << 32) + g - 1) / g << 32;
}

std::uint64_t LocalHashing::bucket(Cell value, Bytes public_randomness) const noexcept {
    const Seed seed(public_randomness);
    return channel_.outputs() * ((seed.a * (value * (value + 1) / 2) + seed.b) >> 32) >> 32;
}

// A value is supported if its term of the progression with differences a, 2a, 3a, … lies in the arc of the
// bucket. Chunks of the bit string are computed and counted in turn on the stack, for any domain.
bool LocalHashing::accumulate(MutableBytes state, Bytes payload) const noexcept {
    if (!valid_payload(payload)) return false;
    const Seed seed(payload);
    const std::uint64_t y = reported(payload);
    ArcProgression walk{seed.b - start(y), seed.a, seed.a, start(y + 1) - start(y)};
    std::uint64_t supported = 0;
    std::byte strip[256];
    for (std::size_t from = 0; from < counters_.width(); from += sizeof(strip)) {
        const MutableBytes part(strip, std::min(sizeof(strip), counters_.width() - from));
        mark(walk, part);
        walk.skip(8 * part.size());
        if (from + part.size() == counters_.width()) part.back() &= ~counters_.spare_bits();
        counters_.add(state.data(), from, part);
        supported += BitCounters::ones(part);
    }
    add<Uint128>(state.data() + squares_at(), Uint128{supported} * supported);
    classify(state.data() + classes_at(), seed.a);
    classify(state.data() + classes_at() + classes_size, seed.b);
    return true;
}

// As accumulate(), in groups of reports whose strings are counted together.
bool LocalHashing::accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept {
    constexpr std::size_t most = 16;
    std::byte strips[most][256];
    for (std::size_t first = 0; first < payloads.count(); first += most) {
        const Payloads group = payloads.range(first, std::min(most, payloads.count() - first));
        ArcProgression walks[most];
        std::uint64_t supported[most]{};
        for (std::size_t i = 0; i < group.count(); ++i) {
            if (!valid_payload(group[i])) return false;
            const Seed seed(group[i]);
            const std::uint64_t y = reported(group[i]);
            walks[i] = {seed.b - start(y), seed.a, seed.a, start(y + 1) - start(y)};
            classify(state.data() + classes_at(), seed.a);
            classify(state.data() + classes_at() + classes_size, seed.b);
        }
        for (std::size_t from = 0; from < counters_.width(); from += sizeof(strips[0])) {
            const std::size_t size = std::min(sizeof(strips[0]), counters_.width() - from);
            const bool last = from + size == counters_.width();
            for (std::size_t i = 0; i < group.count(); ++i) {
                const MutableBytes part(strips[i], size);
                mark(walks[i], part);
                walks[i].skip(8 * size);
                if (last) part.back() &= ~counters_.spare_bits();
                supported[i] += BitCounters::ones(part);
            }
            counters_.add_all(state.data(), from, {strips[0], group.count(), size, sizeof(strips[0])});
        }
        Uint128 squares = 0;
        for (const std::uint64_t each : supported) squares += Uint128{each} * each;
        add(state.data() + squares_at(), squares);
    }
    return true;
}

void LocalHashing::merge(MutableBytes state, Bytes other) const noexcept {
    counters_.merge(state.data(), other.data());
    add<Uint128>(state.data() + squares_at(), load<Uint128>(other.data() + squares_at()));
    merge_counters(state.subspan(classes_at()), other.subspan(classes_at()));
}

bool LocalHashing::valid_payload(Bytes payload) const noexcept {
    return reported(payload) < channel_.outputs();
}

bool LocalHashing::valid_state(const Counts& counts) const noexcept {
    return counters_.at_most(counts.state.data(), counts.n) &&
           load<Uint128>(counts.state.data() + squares_at()) <= Uint128{counts.n} * domain() * domain() &&
           counters_sum_to(counts.state.subspan(classes_at(), classes_size), counts.n) &&
           counters_sum_to(counts.state.subspan(classes_at() + classes_size), counts.n);
}

PureProtocol LocalHashing::memoized_protocol() const noexcept {
    return {channel_.p(), 1 / static_cast<double>(channel_.outputs())};
}

std::vector<std::uint64_t> LocalHashing::supports(Bytes state) const {
    return counters_.counts(state.data());
}

std::uint64_t LocalHashing::support(Bytes state, Cell value) const {
    return counters_.count(state.data(), value);
}

Cost LocalHashing::cost() const noexcept {
    const auto k = static_cast<double>(domain());
    return {30 + k / 8, 41 * k};
}

Exact LocalHashing::probability(Input input, Bytes public_randomness, Bytes permanent) const {
    return exact(channel_.weight(bucket(input[0], public_randomness), memoized_bucket(permanent)),
                 channel_.total());
}

// The hash function is drawn independently of the value. Under a function that separates two values, they are
// two inputs of the channel, and the report of either bucket attains high/low.
Exact LocalHashing::worst_ratio() const {
    return exact(channel_.worst_ratio().high, channel_.worst_ratio().low);
}

ChannelLaw LocalHashing::channel_law() const {
    return levels_law(channel_.worst_ratio(), 1, channel_.outputs() - 1);
}

std::optional<SupportSums> LocalHashing::spread(const Counts& counts) const {
    return SupportSums{static_cast<double>(counters_.total(counts.state.data())),
                       static_cast<double>(load<Uint128>(counts.state.data() + squares_at()))};
}

// Honest seeds are uniform for all values; forged seeds are chosen for the values that they support.
std::vector<Check> LocalHashing::own_checks(const Counts& counts) const {
    return {
        goodness_of_fit("seed, first word", counters(counts.state.subspan(classes_at(), classes_size))),
        goodness_of_fit("seed, second word", counters(counts.state.subspan(classes_at() + classes_size)))};
}

}  // namespace ldp
