// NOT PRIVATE at the ε that is usually reported for it, the ε of one attribute. LoPub as published (Ren,
// Yu, Yu, Yang, Yang, McCann, Yu 2018), implemented from its description for comparison. The description
// has the form of the filters; 32 bits and 4 hash functions are our choice.

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "simulation/seeded_random.hpp"
#include "table_competitors.hpp"

namespace evaluation::lopub {

namespace {

using Filter = std::uint32_t;
constexpr unsigned filter_bits = 32, hashes = 4, sides = 16;

/// The filter of each value of an attribute; the same on all devices.
std::vector<Filter> filters(std::size_t attribute, std::size_t values, unsigned bits = filter_bits) {
    ldp::simulation::SeededBits hash(1000 + attribute);
    std::vector<Filter> all(values);
    for (Filter& filter : all)
        for (unsigned h = 0; h < hashes; ++h) filter |= Filter{1} << hash.below(bits);
    return all;
}

/// In how many bits two values' filters differ at most.
int farthest(const std::vector<Filter>& filters) {
    int most = 0;
    for (const Filter a : filters)
        for (const Filter b : filters) most = std::max(most, std::popcount(a ^ b));
    return most;
}

class LoPub final : public Answers {
  public:
    LoPub(const Records& records, Coin coin, ldp::BitSource& bits)
        : Answers(records), reports_(records.attributes()) {
        for (unsigned off = 0; off <= filter_bits; ++off)
            powers_[off] = static_cast<float>(std::exp((filter_bits / 2.0 - off) * coin.log_odds()));
        const std::uint64_t flipped = (std::uint64_t{1} << sides) - coin.kept;
        for (std::size_t j = 0; j < records.attributes(); ++j) {
            filters_.push_back(filters(j, records.sizes()[j]));
            for (std::size_t i = 0; i < records.size(); ++i)
                reports_[j].push_back(filters_[j][records[i][j]] ^
                                      static_cast<Filter>(bits.throws(flipped, sides, filter_bits)));
        }
    }

    /// Expectation maximisation from equal shares on, until no cell changes by a thousandth of what a cell
    /// has at first, 50 times at most.
    [[nodiscard]] std::vector<double> table(const Attributes& attributes) const override {
        constexpr std::size_t most_rounds = 50, block = 512;
        const Attributes first(attributes.begin(), attributes.end() - 1), last{attributes.back()};
        const std::size_t rows = records().cells(first), columns = records().cells(last);
        const std::size_t n = records().size();
        const auto cells = static_cast<float>(rows * columns);
        Matrix shares = Matrix::Constant(rows, columns, 1 / cells);
        for (std::size_t round = 0; round < most_rounds; ++round) {
            Matrix sums = Matrix::Zero(rows, columns);
            for (std::size_t from = 0; from < n; from += block) {
                const std::size_t people = std::min(block, n - from);
                const Matrix a = likelihoods(first, from, people), b = likelihoods(last, from, people);
                const Eigen::ArrayXf all = (a * shares).cwiseProduct(b).rowwise().sum();
                sums.noalias() += a.transpose() * (b.array().colwise() / all).matrix();
            }
            sums = sums.cwiseProduct(shares) / static_cast<float>(n);
            const float change = (sums - shares).cwiseAbs().maxCoeff();
            shares = sums;
            if (change < 1e-3F / cells) break;
        }
        std::vector<double> all;
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t c = 0; c < columns; ++c)
                all.push_back(shares(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)));
        return all;
    }

  private:
    using Matrix = Eigen::MatrixXf;

    /// The probability of each person's reports about these attributes under each cell, up to a
    /// factor of the person.
    [[nodiscard]] Matrix likelihoods(const Attributes& attributes, std::size_t from,
                                     std::size_t people) const {
        Matrix all = Matrix::Ones(static_cast<Eigen::Index>(people), 1);
        for (const std::size_t j : attributes) {
            const std::size_t values = filters_[j].size();
            Matrix longer(all.rows(), all.cols() * static_cast<Eigen::Index>(values));
            for (std::size_t v = 0; v < values; ++v) {
                const Filter filter = filters_[j][v];
                Eigen::ArrayXf one(all.rows());
                for (std::size_t i = 0; i < people; ++i)
                    one[static_cast<Eigen::Index>(i)] =
                        powers_[static_cast<unsigned>(std::popcount(reports_[j][from + i] ^ filter))];
                for (Eigen::Index before = 0; before < all.cols(); ++before)
                    longer.col(before * static_cast<Eigen::Index>(values) + static_cast<Eigen::Index>(v)) =
                        all.col(before).array() * one;
            }
            all = std::move(longer);
        }
        return all;
    }

    /// Relative probability of a report that differs from a filter in this number of bits; 1 for half
    /// of the bits.
    std::array<float, filter_bits + 1> powers_;
    std::vector<std::vector<Filter>> filters_, reports_;
};

}  // namespace

double Coin::log_odds() const {
    const double all = std::ldexp(1, sides), chance = static_cast<double>(kept);
    return std::log(chance / (all - chance));
}

Coin coin_of_one(double epsilon) {
    const double kept = std::ldexp(1 / (1 + std::exp(-epsilon / (2 * hashes))), sides);
    return {static_cast<std::uint64_t>(kept)};
}

Coin coin_of_all(const Records& records, double epsilon) {
    const double bits = true_epsilon(records, {2}) / Coin{2}.log_odds();
    return {static_cast<std::uint64_t>(std::ldexp(1 / (1 + std::exp(-epsilon / bits)), sides))};
}

double true_epsilon(const Records& records, Coin coin) {
    int bits = 0;
    for (std::size_t j = 0; j < records.attributes(); ++j) bits += farthest(filters(j, records.sizes()[j]));
    return bits * coin.log_odds();
}

void check() {
    constexpr unsigned bits = 8;
    const Coin coin{40000};
    const std::vector<Filter> values = filters(0, 4, bits);
    const double kept = std::ldexp(40000, -static_cast<int>(sides));
    double worst = 0;
    for (const Filter a : values)
        for (const Filter b : values)
            for (Filter report = 0; report < Filter{1} << bits; ++report) {
                const auto likelihood = [&](Filter filter) {
                    const int off = std::popcount(report ^ filter);
                    return std::pow(1 - kept, off) * std::pow(kept, static_cast<int>(bits) - off);
                };
                worst = std::max(worst, std::log(likelihood(a) / likelihood(b)));
            }
    if (std::abs(worst - farthest(values) * coin.log_odds()) > 1e-9)
        throw std::logic_error("a Bloom filter's report does not cost what it is said to");
}

Learnt learn(const Records& records, Coin coin, ldp::BitSource& bits) {
    return std::make_unique<LoPub>(records, coin, bits);
}

}  // namespace evaluation::lopub
