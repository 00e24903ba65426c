// Forged blocks, payloads and states.
//
// Length: the forgeries of all mechanisms share their choices of bytes.

#include "forge.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <utility>

#include "core/format/budget_terms.hpp"
#include "core/format/header.hpp"
#include "core/math/haar_tree.hpp"
#include "core/mechanism/role/registry.hpp"

namespace ldp::fuzz {

namespace {

enum Id : std::uint8_t {
    grr = 1,
    oue,
    piecewise,
    pdp,
    haar,
    sue,
    subset,
    blh,
    olh,
    hadamard,
    projective,
    rappor,
    laplace,
    duchi,
    onebit,
    hybrid,
    square_wave,
    sampled,
    duchi_vector,
    haar_ordered,
    haar_ranges,
    l_grr,
    l_sue,
    l_osue,
    loloha,
    dbitflip,
    ddrm,
    optimal,
    exponential,
    tree,
    joint,
    gaussian,
    joint_haar,
    strings,
    threshold_series = 35,
    dithered,
    optional_mean,
    label_sets = 40,
    ball,
    means_by_group,
    ring,
    end
};

/// Mechanisms within mechanisms, beyond which a block only repeats itself.
constexpr unsigned deepest = 3;

class Forge {
  public:
    Forge(Choices& choices, double epsilon) : choices_(choices), epsilon_(epsilon) {}

    void parameters(std::uint8_t id, Writer& writer, unsigned depth = 0);

  private:
    void four(Writer& writer, std::uint64_t number) const { writer.put(static_cast<std::uint32_t>(number)); }
    void two(Writer& writer, std::uint64_t number) const { writer.put(static_cast<std::uint16_t>(number)); }
    void one(Writer& writer, std::uint64_t number) const { writer.put(static_cast<std::uint8_t>(number)); }
    std::uint64_t domain(Writer& writer, std::uint64_t most) {
        const std::uint64_t k =
            fixed_ != 0 ? fixed_ + (choices_.rarely(32) ? 1 : 0) : choices_.number(2, most);
        four(writer, k);
        return k;
    }
    void epsilon(Writer& writer) {
        writer.put(choices_.rarely(8)
                       ? choices_.real()
                       : epsilon_ * choices_.one_of({0.5, 0.25, 0.9, 0.999, 1.0, 0x1.fffffffffffffp-1}));
    }
    void range(Writer& writer) {
        const bool odd = choices_.rarely(8);
        writer.put(odd ? choices_.real() : choices_.one_of({0.0, -1.0, 0.0}));
        writer.put(odd ? choices_.real() : choices_.one_of({1.0, 24.0, 1e300}));
    }
    void channel(Writer& writer, std::uint64_t most_steps, bool windowed) {
        const std::uint64_t steps = fixed_ != 0 ? fixed_ - 1 : choices_.number(2, most_steps);
        // The upper bits are the cells of a rounding: any step, some cells, or more than the grid has.
        const std::uint64_t cells =
            choices_.rarely(16) ? choices_.one_of<std::uint64_t>({1, 2, 100, 1024, 2047}) : 0;
        four(writer, steps | cells << 21);
        four(writer,
             windowed ? choices_.number(1, std::min<std::uint64_t>(most_steps, 40)) : choices_.rarely(32));
    }
    /// Of a warped window: mostly rising, so that some are taken.
    void decoded_values(Writer& writer) {
        for (std::uint64_t knot = 0; knot < 9; ++knot)
            one(writer, choices_.rarely(32) ? 0 : 10 * knot + choices_.up_to(30));
    }
    /// Runs that add up to `count`, or nearly; `item` writes one, `length` its length.
    template <class Length, class Item>
    void runs(Writer& writer, std::uint64_t count, Length length, Item item) {
        const std::uint64_t number = choices_.rarely(4) ? choices_.up_to(4) : 1;
        two(writer, choices_.rarely(32) ? number + 1 : number);
        for (std::uint64_t i = 0; i < number; ++i) {
            const std::uint64_t last = count - std::min(count, number - 1);
            length(writer, choices_.rarely(32) ? choices_.word() : i + 1 < number ? 1 : last);
            item(writer);
        }
    }
    void ranges(Writer& writer, std::uint64_t d) {
        runs(
            writer, d, [this](Writer& to, std::uint64_t length) { four(to, length); },
            [this](Writer& to) { range(to); });
    }
    /// An attribute of a record, with this number of cells if it is not 0.
    void run(Writer& writer, std::uint64_t length, std::uint64_t weight, std::uint64_t cells, unsigned depth);
    /// A run of a record whose parts are those of an earlier one.
    void run_again(Writer& writer, std::uint64_t length, std::uint64_t earlier) const {
        two(writer, length);
        two(writer, earlier);
    }
    void record(Writer& writer, unsigned depth);
    /// The record of categories that a vector of d numbers becomes.
    void facts(Writer& writer, std::uint64_t d, unsigned depth);
    /// Cross tables of attributes.
    void tables(Writer& writer);
    /// Haar details of attributes.
    void questions(Writer& writer);
    [[nodiscard]] std::uint8_t inner(bool category);

    Choices& choices_;
    double epsilon_;
    std::uint64_t fixed_ = 0;  ///< cells that the next mechanism should have
};

std::uint8_t Forge::inner(bool category) {
    if (choices_.rarely(16)) return static_cast<std::uint8_t>(choices_.up_to(256));
    if (choices_.rarely(8)) return static_cast<std::uint8_t>(1 + choices_.up_to(end - 1));
    return category
               ? choices_.one_of({grr, oue, sue, subset, blh, olh, hadamard, projective, label_sets})
               : choices_.one_of({piecewise,     pdp,         laplace, duchi,        hybrid, onebit,  optimal,
                                  optional_mean, grr,         oue,     olh,          l_grr,  rappor,  tree,
                                  haar_ordered,  square_wave, haar,    duchi_vector, joint,  dithered});
}

void Forge::tables(Writer& writer) {
    const std::uint64_t d = choices_.rarely(16) ? choices_.number(2, 128) : 2 + choices_.up_to(3);
    const std::uint64_t size = choices_.rarely(8) ? choices_.number(2, 8192) : 2 + choices_.up_to(4);
    const std::uint64_t last = choices_.rarely(2) ? size : 2 + choices_.up_to(4);
    two(writer, d);
    two(writer, last == size ? 1 : 2);
    two(writer, last == size ? d : d - 1);
    four(writer, size);
    if (last != size) two(writer, 1), four(writer, last);
    const std::uint64_t order = choices_.rarely(3)    ? 0
                                : choices_.rarely(16) ? choices_.up_to(256)
                                                      : 2 + choices_.up_to(2);
    const bool singles = order != 0 && order < 16 && choices_.rarely(3);
    one(writer, order + (singles ? 16 : 0));
    std::set<std::pair<std::uint64_t, std::uint64_t>> kinds;  // cells and attributes of a view
    const auto kind = [&](std::uint64_t attributes, bool with_last) {
        std::uint64_t cells = with_last ? last : 1;
        for (std::uint64_t i = with_last ? 1 : 0; i < attributes; ++i) cells *= size;
        kinds.emplace(cells, attributes);
    };
    if (order == 0) {  // a pair of each attribute and the last, and now and then the last by itself
        const bool single = choices_.rarely(2);
        two(writer, d - 1 + (single ? 1 : 0));
        if (single) one(writer, 1), one(writer, choices_.rarely(32) ? d : d - 1), kind(1, true);
        for (std::uint64_t j = 0; j + 1 < std::min<std::uint64_t>(d, 200); ++j)
            one(writer, 2), one(writer, j), one(writer, d - 1);
        kind(2, true);
    } else if (order <= 3 && order <= d) {
        kind(order, true);
        if (order < d) kind(order, false);
        if (singles) kind(1, true), kind(1, false);
    }
    const bool layers = choices_.rarely(3);
    for (const auto& [cells, attributes] : kinds) {
        two(writer, choices_.rarely(8) ? choices_.number(1, 65535)
                    : layers           ? choices_.up_to(2)
                                       : 1 + choices_.up_to(std::max<std::uint64_t>(cells, 2) - 1));
        two(writer, choices_.rarely(8) ? choices_.number(0, 65535) : 1);
    }
    if (layers) epsilon(writer);
}

void Forge::questions(Writer& writer) {
    const std::uint64_t d = choices_.rarely(16) ? choices_.number(2, 128) : 2 + choices_.up_to(3);
    const std::uint64_t size = choices_.rarely(8) ? choices_.number(2, 1 << 12) : 2 + choices_.up_to(20);
    two(writer, d);
    two(writer, 1);
    two(writer, d);
    four(writer, size);
    const bool pairs = !choices_.rarely(3);
    one(writer, pairs ? choices_.rarely(16) ? choices_.up_to(256) : 2 : 0);
    if (!pairs) {  // each attribute alone
        two(writer, choices_.rarely(32) ? choices_.up_to(65536) : d);
        for (std::uint64_t j = 0; j < std::min<std::uint64_t>(d, 200); ++j) one(writer, 1), one(writer, j);
    }
    one(writer, choices_.rarely(8) ? choices_.up_to(256) : choices_.up_to(4));
    const auto levels = static_cast<std::uint64_t>(std::bit_width(size - 1));
    for (std::uint64_t kind = 0; kind < levels + (pairs ? levels * (levels + 1) / 2 : 0); ++kind)
        one(writer, choices_.rarely(8) ? choices_.up_to(256) : 1 + choices_.up_to(255));
}

void Forge::run(Writer& writer, std::uint64_t length, std::uint64_t weight, std::uint64_t cells,
                unsigned depth) {
    const std::uint8_t id = inner(cells != 0);
    Writer inner_parameters;
    fixed_ = cells;
    if (depth < deepest) parameters(id, inner_parameters, depth + 1);
    fixed_ = 0;
    two(writer, choices_.rarely(32) ? choices_.word() : length);
    two(writer, choices_.rarely(32) ? choices_.up_to(4) : 0);
    four(writer, choices_.rarely(32) ? choices_.word() : weight);
    one(writer, id);
    const std::size_t size = inner_parameters.bytes().size();
    two(writer, choices_.rarely(32) ? size + choices_.one_of({-1, 1, 1000}) : size);
    writer.put_bytes(inner_parameters.bytes());
}

void Forge::record(Writer& writer, unsigned depth) {
    const std::uint64_t s = choices_.rarely(4) ? choices_.number(1, 4096) : 1;
    const std::uint64_t number = 1 + choices_.up_to(5);
    four(writer, s);
    two(writer, choices_.rarely(32) ? choices_.number(0, 65535) : number);
    const auto length = [&] {
        return s == 1 && !choices_.rarely(4) ? 1 + choices_.up_to(3) : std::min<std::uint64_t>(2 * s, 4096);
    };
    std::uint64_t own = 0;  // runs with parameters of their own
    for (std::uint64_t i = 0; i < number; ++i) {
        // Mostly a run before the last one.
        if (own > 1 && choices_.rarely(3))
            run_again(writer, length(), 1 + choices_.up_to(choices_.rarely(8) ? 8 : own - 1));
        else
            run(writer, length(), 1 + (choices_.rarely(4) ? choices_.up_to(5) : 0), 0, depth), ++own;
    }
}

void Forge::facts(Writer& writer, std::uint64_t d, unsigned depth) {
    const std::uint64_t levels = d >= 1 && d <= 4096 ? HaarTree(d).levels().size() : 1 + choices_.up_to(20);
    four(writer, choices_.rarely(16) ? choices_.number(1, 4096) : 1);
    two(writer, choices_.rarely(32) ? choices_.up_to(5) : 2);
    run(writer, 1, 1, 32, depth);
    run(writer, levels - 1, 1, 15, depth);
}

void Forge::parameters(std::uint8_t id, Writer& writer, unsigned depth) {
    constexpr std::uint64_t huge = std::uint64_t{1} << 24, large = std::uint64_t{1} << 16, grid = 1 << 20;
    switch (id) {
        case grr:
            domain(writer, huge);
            break;
        case hadamard: {
            const std::uint64_t k = domain(writer, huge);
            four(writer, choices_.rarely(2) ? 1 : choices_.number(1, std::max<std::uint64_t>(k, 1)));
            break;
        }
        case sue:
        case oue:
            domain(writer, large);
            break;
        case subset:
            four(writer, choices_.number(1, std::max<std::uint64_t>(domain(writer, large), 2) - 1));
            break;
        case blh:
        case olh:
        case loloha:
            domain(writer, grid);
            four(writer, id == blh && !choices_.rarely(8) ? 2 : choices_.number(2, large));
            if (id == loloha) epsilon(writer);
            break;
        case projective: {
            const std::uint64_t k = domain(writer, huge);
            const std::uint64_t field = choices_.one_of({2, 3, 5, 7, 4, 1, 0, 65537});
            four(writer, choices_.rarely(8) ? choices_.word() : field);
            one(writer, choices_.rarely(8) ? choices_.up_to(256) : k > 100 ? 2 + choices_.up_to(24) : 7);
            break;
        }
        case rappor:
            domain(writer, large);
            two(writer, choices_.number(8, 1024));
            one(writer, choices_.number(1, 8));
            two(writer, choices_.number(1, 256));
            if (choices_.rarely(2)) epsilon(writer);
            break;
        case strings: {
            const std::uint64_t longest = std::max<std::uint64_t>(choices_.number(1, 8), 1);
            four(writer, choices_.rarely(8) ? choices_.number(1, large) : choices_.number(1, 100));
            one(writer, choices_.rarely(16) ? choices_.up_to(256) : longest);
            one(writer, choices_.rarely(16) ? choices_.up_to(256) : choices_.number(1, longest));
            one(writer, choices_.rarely(16) ? choices_.up_to(256) : choices_.number(1, longest));
            four(writer, choices_.rarely(8) ? choices_.number(2, large) : choices_.number(2, 20));
            four(writer, choices_.rarely(8) ? choices_.number(1, large) : choices_.number(1, 20));
            break;
        }
        case l_grr:
        case l_sue:
        case l_osue:
            domain(writer, id == l_grr ? huge : large);
            epsilon(writer);
            break;
        case dbitflip: {
            const std::uint64_t k = domain(writer, huge);
            const std::uint64_t b = choices_.number(2, std::max<std::uint64_t>(std::min(k, large), 2));
            four(writer, b);
            four(writer, choices_.number(1, std::max<std::uint64_t>(std::min<std::uint64_t>(b, 1024), 1)));
            break;
        }
        case ddrm: {
            domain(writer, 256);
            const std::uint64_t rounds = choices_.number(2, 4096);
            four(writer, rounds);
            four(writer, choices_.rarely(2) ? 1 : choices_.number(1, std::max<std::uint64_t>(rounds, 2) - 1));
            break;
        }
        case threshold_series: {
            const std::uint64_t thresholds = std::uint64_t{1} << (1 + choices_.up_to(7));
            const std::uint64_t steps = thresholds * choices_.number(1, 64);
            four(writer, choices_.rarely(16) ? choices_.word() : steps);
            four(writer, choices_.rarely(16) ? choices_.word() : thresholds);
            const std::uint64_t rounds = choices_.number(2, 4096);
            four(writer, rounds);
            four(writer, choices_.rarely(2) ? 1 : choices_.number(1, std::max<std::uint64_t>(rounds, 2) - 1));
            range(writer);
            break;
        }
        case exponential: {
            const std::uint64_t k = domain(writer, 64);
            const auto kind = choices_.one_of<std::uint8_t>({0, 0, 1, 2});
            one(writer, choices_.rarely(32) ? choices_.up_to(256) : kind);
            four(writer, kind == 2 && !choices_.rarely(32) ? 0 : choices_.up_to(5));
            if (kind == 0) {
                four(writer, choices_.number(1, k));
                break;
            }
            // Numbers of one bit each that are not all alike: the first byte has both.
            for (std::uint8_t i = kind; i < 3; ++i)
                one(writer, choices_.rarely(32) ? choices_.up_to(256) : 1);
            std::uint64_t bits = kind == 1 ? 2 * k : k * k;
            for (std::uint64_t left = std::min<std::uint64_t>(bits, 8192); left > 0;
                 left -= std::min<std::uint64_t>(left, 8)) {
                const std::uint64_t digits =
                    left == bits ? 0x9 | choices_.up_to(256) << 4 : choices_.up_to(256);
                one(writer, digits & ((std::uint64_t{1} << std::min<std::uint64_t>(left, 8)) - 1));
            }
            break;
        }
        case piecewise:
        case pdp:
        case laplace:
        case duchi:
        case onebit:
        case hybrid:
        case square_wave:
            channel(writer, id == square_wave ? large : grid,
                    id == piecewise || id == pdp || id == square_wave || (id == hybrid && epsilon_ > 0.6093));
            range(writer);
            if (id == onebit && choices_.rarely(2)) epsilon(writer);
            break;
        case optimal:
            channel(writer, grid, true);
            decoded_values(writer);
            range(writer);
            if (choices_.rarely(2)) epsilon(writer);
            break;
        case optional_mean: {
            const bool window = choices_.rarely(2);
            channel(writer, grid, window);
            if (window) decoded_values(writer);
            // The probability of no number: mostly one at which people without a number send it more often.
            four(writer,
                 choices_.rarely(8) ? choices_.up_to(3) : std::uint64_t{1} << (31 - choices_.up_to(24)));
            range(writer);
            break;
        }
        case means_by_group:
            domain(writer, 1024);
            four(writer, choices_.number(2, grid));
            one(writer, choices_.rarely(16) ? choices_.up_to(256) : choices_.up_to(4));
            for (int kind = 0; kind < 2; ++kind) {
                one(writer, choices_.rarely(16) ? choices_.up_to(256) : 1 + choices_.up_to(2));
                one(writer, choices_.rarely(16) ? choices_.up_to(256) : 1 + choices_.up_to(4));
            }
            range(writer);
            if (choices_.rarely(2)) epsilon(writer);
            break;
        case ring: {
            const std::uint64_t points = choices_.rarely(16) ? choices_.up_to(128) : choices_.number(3, 64);
            four(writer, points);
            // Mostly a window, and a point that may be detached.
            const std::uint64_t window = (std::uint64_t{1} << choices_.number(1, 24)) - 1;
            writer.put(window | std::uint64_t{1} << choices_.up_to(64));
            range(writer);
            break;
        }
        case label_sets: {
            const std::uint64_t k = domain(writer, 4096);
            const std::uint64_t most =
                choices_.number(1, std::max<std::uint64_t>(std::min<std::uint64_t>(k, 6), 1));
            four(writer, choices_.rarely(8) ? choices_.number(1, 64) : most);
            four(writer, choices_.rarely(3) ? 0 : choices_.number(1, std::max<std::uint64_t>(k / 2, 1)));
            break;
        }
        case duchi_vector: {
            const std::uint64_t d = choices_.number(2, 4096);
            four(writer, d);
            four(writer, choices_.number(2, grid));
            ranges(writer, d);
            break;
        }
        case gaussian: {
            const std::uint64_t d = choices_.number(2, 4096);
            four(writer, d);
            four(writer, 2 * choices_.number(1, grid / 2) + (choices_.rarely(32) ? 1 : 0));
            writer.put(choices_.rarely(32) ? 0.0 : 1e-6);
            writer.put(choices_.rarely(32) ? 100.0 : 1.0);
            // Mostly more noise than is needed, at times too little, or no number.
            writer.put(choices_.rarely(4) ? static_cast<float>(choices_.up_to(1000)) : 0x1p30f);
            ranges(writer, d);
            break;
        }
        case ball: {
            const std::uint64_t d = choices_.number(2, 4096), codewords = choices_.number(2, 4096);
            four(writer, d);
            four(writer, 2 * choices_.number(1, grid / 2) + (choices_.rarely(32) ? 1 : 0));
            writer.put(choices_.rarely(32) ? 100.0 : 1.0);
            four(writer, codewords);
            four(writer, choices_.number(1, codewords - 1));
            ranges(writer, d);
            break;
        }
        case haar: {
            const std::uint64_t d = choices_.number(2, 4096);
            const auto response = choices_.one_of<std::uint8_t>({0, 0, 13, 14, 16, optimal, optimal});
            const bool global = choices_.rarely(2);
            four(writer, d);
            channel(writer, grid,
                    response == 0 || response == optimal ||
                        (response == 16 && epsilon_ > (global ? 1.3 : 0.6093)));
            one(writer, choices_.rarely(32) ? choices_.up_to(256) : global);
            one(writer, choices_.rarely(32) ? choices_.up_to(256) : response);
            if (response == optimal) decoded_values(writer);
            ranges(writer, d);
            one(writer, choices_.rarely(32) ? choices_.up_to(256) : choices_.up_to(3));
            runs(
                writer, d, [this](Writer& to, std::uint64_t length) { two(to, length); },
                [this](Writer& to) {
                    const bool odd = choices_.rarely(4);
                    one(to, odd ? choices_.up_to(256) : 0x81);
                    one(to, odd ? choices_.up_to(256) : 0x7f);
                });
            if (global || choices_.rarely(2)) epsilon(writer);
            break;
        }
        case haar_ordered: {
            const std::uint64_t k = domain(writer, grid);
            const bool number = choices_.rarely(2);
            one(writer, choices_.rarely(4) ? choices_.up_to(256) : choices_.up_to(std::bit_width(k | 1)));
            const std::uint64_t kind = !number ? 0 : choices_.rarely(4) ? 2 : 1;
            one(writer, choices_.rarely(32) ? choices_.up_to(256) : kind);
            if (number) range(writer);
            break;
        }
        case tree: {
            const std::uint64_t k = domain(writer, 1 << 14);
            const bool number = choices_.rarely(2);
            const auto depth_of = static_cast<std::uint64_t>(std::bit_width((k - 1) | 1));
            const std::uint64_t levels = 1 + choices_.up_to(std::min<std::uint64_t>(depth_of, 14));
            const std::uint64_t kind = !number ? 0 : choices_.rarely(4) ? 2 : 1;
            one(writer, choices_.rarely(32) ? choices_.up_to(256) : kind);
            one(writer, choices_.rarely(32) ? choices_.up_to(256) : levels);
            for (std::uint64_t i = 1; i <= levels; ++i) {
                one(writer, choices_.rarely(32) ? choices_.up_to(256) : depth_of - levels + i);
                two(writer, choices_.rarely(32) ? choices_.up_to(65536) : 1 + choices_.up_to(3));
                four(writer, choices_.rarely(8) ? choices_.number(1, k) : 1);
            }
            if (number) range(writer);
            break;
        }
        case dithered: {
            const std::uint64_t k = domain(writer, 1 << 14);
            const auto kind = choices_.up_to(3);
            one(writer, choices_.rarely(32) ? choices_.up_to(256) : kind);
            four(writer, choices_.rarely(8) ? choices_.number(2, 2000)
                                            : choices_.number(2, std::max<std::uint64_t>(
                                                                     std::min<std::uint64_t>(k, 1024), 2)));
            if (kind == 1) range(writer);
            if (choices_.rarely(2)) epsilon(writer);
            break;
        }
        case sampled:
            record(writer, depth);
            break;
        case joint:
            tables(writer);
            break;
        case joint_haar:
            questions(writer);
            break;
        case haar_ranges: {
            const std::uint64_t d = choices_.number(2, 4096);
            four(writer, d);
            four(writer, choices_.number(2, grid));
            facts(writer, d, depth);
            break;
        }
        default:
            writer.put_bytes(choices_.take(choices_.up_to(40)));
    }
}

}  // namespace

bool is_forged(std::uint8_t mechanism) noexcept {
    return mechanism >= grr && mechanism < end;
}

std::vector<std::byte> forge_block(Choices& choices) {
    const auto id = choices.rarely(64) ? static_cast<std::uint8_t>(choices.up_to(256))
                                       : static_cast<std::uint8_t>(1 + choices.up_to(end - 1));
    const double epsilon = choices.rarely(16) ? choices.one_of({0.001, 20.0, 0.0009, 20.001, 0.0, -1.0})
                                              : choices.one_of({1.0, 0.5, 4.0, 8.0, 0.01, 15.0});
    Writer parameters;
    Forge(choices, epsilon).parameters(id, parameters);
    std::vector<std::byte>& bytes = parameters.bytes();
    if (choices.rarely(16)) damage(bytes, choices);
    bytes.resize(std::min(bytes.size(), max_block_size - header_size));
    Terms terms;
    terms.fingerprint = choices.up_to(4);
    terms.kept = choices.rarely(4);
    if (choices.rarely(2)) terms.min_group = choices.one_of<std::uint16_t>({1, 2, 21, 65535});
    std::vector<std::byte> block = make_block(id, terms, epsilon, bytes);
    if (terms.kept && !choices.rarely(4))
        set_budget_terms(
            block, {static_cast<std::uint32_t>(choices.up_to(12)), static_cast<BudgetEnd>(choices.up_to(3))});
    return block;
}

void damage(std::vector<std::byte>& bytes, Choices& choices) {
    for (std::uint64_t times = choices.up_to(4); times > 0 && !bytes.empty(); --times) {
        const std::size_t at =
            choices.up_to(choices.rarely(2) ? bytes.size() : std::min<std::size_t>(bytes.size(), 256));
        const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at);
        switch (choices.up_to(6)) {
            case 0:
                bytes[at] ^= static_cast<std::byte>(1 << choices.up_to(8));
                break;
            case 1:
                bytes[at] = static_cast<std::byte>(choices.up_to(256));
                break;
            case 2:
                bytes[at] = choices.one_of({std::byte{0}, std::byte{0xff}, std::byte{0x7f}, std::byte{0x80}});
                break;
            case 3:
                std::fill(from, from + std::min<std::ptrdiff_t>(8, bytes.end() - from), std::byte{0xff});
                break;
            case 4:
                bytes.erase(from,
                            from + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(choices.up_to(9)),
                                                            bytes.end() - from));
                break;
            default:
                bytes.insert(from, 1 + choices.up_to(8), static_cast<std::byte>(choices.up_to(256)));
        }
    }
}

}  // namespace ldp::fuzz
