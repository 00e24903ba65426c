#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <stdexcept>

#include "agreement.hpp"
#include "table_competitors.hpp"

namespace evaluation {

namespace {

struct Words {
    using result_type = std::uint64_t;
    ldp::BitSource& bits;
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return ~result_type{0}; }
    result_type operator()() { return bits.word(); }
};

/// Counts of unary encoding (oue), drawn as such: of those who hold a value half support it, of the others 1
/// in e^ε + 1.
std::vector<double> unary_shares(const std::vector<std::size_t>& held, std::size_t people, double epsilon,
                                 ldp::BitSource& bits) {
    const double q = 1 / (std::exp(epsilon) + 1);
    std::vector<double> shares;
    Words words{bits};
    for (const std::size_t count : held) {
        const std::size_t supported = std::binomial_distribution<std::size_t>(count, 0.5)(words) +
                                      std::binomial_distribution<std::size_t>(people - count, q)(words);
        shares.push_back((static_cast<double>(supported) / static_cast<double>(people) - q) / (0.5 - q));
    }
    return shares;
}

/// The nearest power of two, from 2 to `most`.
std::size_t granularity(double wanted, std::size_t most) {
    std::size_t below = 1;
    while (below * 2 <= most && static_cast<double>(below * 2) <= wanted) below *= 2;
    const double next = static_cast<double>(below) * 2;
    if (below < most && wanted - static_cast<double>(below) > next - wanted) below *= 2;
    return std::clamp<std::size_t>(below, 2, most);
}

class Hdg final : public Answers {
  public:
    Hdg(const Records& records, double epsilon, ldp::BitSource& bits)
        : Answers(records), values_(records.sizes()[0]) {
        for (const std::size_t size : records.sizes())
            if (size != values_ || !std::has_single_bit(size))
                throw std::logic_error("HDG takes attributes of one size, a power of two");
        const std::size_t d = records.attributes();
        const double groups = static_cast<double>(d * (d + 1)) / 2, e = std::exp(epsilon);
        const double people = static_cast<double>(records.size()) / groups;
        // Both guidelines balance noise with what is lost by taking a cell for even (Yang et al. 2020).
        constexpr double fine_loss = 0.7, coarse_loss = 0.03;
        const std::size_t fine =
            granularity(std::cbrt(people * std::pow((e - 1) * fine_loss, 2) / (2 * e)), values_);
        const std::size_t coarse =
            granularity(std::sqrt(2 * coarse_loss * (e - 1) * std::sqrt(people / e)), values_);
        for (std::size_t a = 0; a < d; ++a) {
            add_grid({a}, fine);
            for (std::size_t b = a + 1; b < d; ++b) add_grid({a, b}, coarse);
        }
        ask(epsilon, bits);
        make_agree(grids_, std::vector<std::size_t>(d, std::min(fine, coarse)));
        for (const ldp::Table& grid : grids_)
            if (grid.attributes.size() == 2) pairs_.push_back({grid.attributes, pair_table(grid)});
    }

    [[nodiscard]] std::vector<double> table(const Attributes& attributes) const override {
        for (const auto& [pair, table] : pairs_)
            if (pair == attributes) return table;
        throw std::logic_error("HDG has tables of pairs only");
    }

    [[nodiscard]] std::vector<double> boxes(const Attributes& attributes,
                                            std::span<const Box> boxes) const override {
        if (attributes.size() == 2) return Answers::boxes(attributes, boxes);
        std::vector<std::vector<double>> of_pairs;
        for (const auto& [first, second] : sides) {
            std::vector<Box> faces;
            for (const Box& box : boxes) faces.push_back({box[first], box[second]});
            of_pairs.push_back(Answers::boxes({attributes[first], attributes[second]}, faces));
        }
        std::vector<double> shares;
        for (std::size_t i = 0; i < boxes.size(); ++i)
            shares.push_back(sign_vector({of_pairs[0][i], of_pairs[1][i], of_pairs[2][i]}));
        return shares;
    }

  private:
    static constexpr std::array<std::array<std::size_t, 2>, 3> sides{{{0, 1}, {0, 2}, {1, 2}}};
    static constexpr std::size_t most_rounds = 100;

    void add_grid(const Attributes& attributes, std::size_t cells) {
        ldp::Table& grid = grids_.emplace_back();
        grid.attributes = attributes;
        grid.sizes.assign(attributes.size(), cells);
        grid.variance = 1;  // the same of all, since all groups have the same size
    }

    void ask(double epsilon, ldp::BitSource& bits) {
        std::vector<std::vector<std::size_t>> held;
        std::vector<std::size_t> people(grids_.size());
        for (const ldp::Table& grid : grids_)
            held.emplace_back(grid.attributes.size() == 1 ? grid.sizes[0] : grid.sizes[0] * grid.sizes[1]);
        const std::vector<std::size_t> order = shuffled(records().size(), bits);
        for (std::size_t i = 0; i < order.size(); ++i) {
            const std::size_t g = i % grids_.size();
            std::size_t cell = 0;
            for (const std::size_t j : grids_[g].attributes)
                cell = cell * grids_[g].sizes[0] + records()[order[i]][j] * grids_[g].sizes[0] / values_;
            ++held[g][cell];
            ++people[g];
        }
        for (std::size_t g = 0; g < grids_.size(); ++g)
            grids_[g].shares = unary_shares(held[g], people[g], epsilon, bits);
    }

    /// A pair's table over single values, fitted to the fine grids and then to the coarse one, by turns.
    [[nodiscard]] std::vector<double> pair_table(const ldp::Table& coarse) const {
        std::vector<double> table(values_ * values_, 1 / static_cast<double>(values_ * values_)), before;
        const auto fit = [&](const ldp::Table& grid, auto cell_of) {
            std::vector<double> sums(grid.shares.size());
            for (std::size_t at = 0; at < table.size(); ++at)
                sums[cell_of(at / values_, at % values_)] += table[at];
            for (std::size_t at = 0; at < table.size(); ++at) {
                const std::size_t cell = cell_of(at / values_, at % values_);
                if (sums[cell] > 0) table[at] *= grid.shares[cell] / sums[cell];
            }
        };
        const auto fine_of = [&](std::size_t a) -> const ldp::Table& {
            return *std::ranges::find(grids_, Attributes{a}, &ldp::Table::attributes);
        };
        const ldp::Table &rows = fine_of(coarse.attributes[0]), &columns = fine_of(coarse.attributes[1]);
        for (std::size_t round = 0; round < most_rounds; ++round) {
            before = table;
            fit(rows, [&](std::size_t x, std::size_t) { return x * rows.sizes[0] / values_; });
            fit(columns, [&](std::size_t, std::size_t y) { return y * columns.sizes[0] / values_; });
            fit(coarse, [&](std::size_t x, std::size_t y) {
                return x * coarse.sizes[0] / values_ * coarse.sizes[0] + y * coarse.sizes[0] / values_;
            });
            double change = 0;
            for (std::size_t at = 0; at < table.size(); ++at) change += std::abs(table[at] - before[at]);
            if (change < 1 / static_cast<double>(records().size())) break;
        }
        return table;
    }

    /// The share inside three ranges, given the shares inside every two. Of the eight combinations of
    /// inside and outside, those inside both ranges of a pair are scaled to the pair's share, and all
    /// are scaled to 1.
    [[nodiscard]] double sign_vector(const std::array<double, 3>& of_pairs) const {
        std::array<double, 8> shares;  // bit p is set outside of range p
        shares.fill(1.0 / 8);
        for (std::size_t round = 0; round < most_rounds; ++round) {
            const std::array<double, 8> before = shares;
            for (std::size_t side = 0; side < sides.size(); ++side) {
                const std::size_t outside = std::size_t{7} & ~(1u << sides[side][0] | 1u << sides[side][1]);
                const double sum = shares[0] + shares[outside];
                if (sum > 0)
                    for (const std::size_t at : {std::size_t{0}, outside}) shares[at] *= of_pairs[side] / sum;
                double all = 0;
                for (const double share : shares) all += share;
                for (double& share : shares) share /= all;
            }
            double change = 0;
            for (std::size_t at = 0; at < shares.size(); ++at) change += std::abs(shares[at] - before[at]);
            if (change < 1 / static_cast<double>(records().size())) break;
        }
        return shares[0];
    }

    struct Pair {
        Attributes attributes;
        std::vector<double> table;
    };

    std::size_t values_;
    std::vector<ldp::Table> grids_;
    std::vector<Pair> pairs_;
};

}  // namespace

Learnt hdg(const Records& records, double epsilon, ldp::BitSource& bits) {
    return std::make_unique<Hdg>(records, epsilon, bits);
}

}  // namespace evaluation
