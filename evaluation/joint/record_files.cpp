#include "record_files.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "simulation/seeded_random.hpp"

namespace evaluation {

Records::Records(std::string title, std::vector<std::size_t> sizes, std::vector<ldp::Cell> cells)
    : title_(std::move(title)), sizes_(std::move(sizes)), cells_(std::move(cells)) {}

Records::Records(const People& people) : title_(people.title()), sizes_(people.sizes()) {
    cells_.reserve(people.size() * sizes_.size());
    for (std::size_t i = 0; i < people.size(); ++i)
        for (std::size_t j = 0; j < sizes_.size(); ++j)
            cells_.push_back(static_cast<ldp::Cell>(
                std::lround((people[i][j] + 1) / 2 * static_cast<double>(sizes_[j] - 1))));
}

std::size_t Records::place(std::size_t person, std::span<const std::size_t> attributes) const {
    std::size_t at = 0;
    for (const std::size_t j : attributes) at = at * sizes_[j] + cells_[person * sizes_.size() + j];
    return at;
}

std::size_t Records::cells(std::span<const std::size_t> attributes) const {
    std::size_t product = 1;
    for (const std::size_t j : attributes) product *= sizes_[j];
    return product;
}

std::vector<double> Records::table(std::span<const std::size_t> attributes) const {
    std::vector<double> shares(cells(attributes));
    for (std::size_t i = 0; i < size(); ++i) shares[place(i, attributes)] += 1 / static_cast<double>(size());
    return shares;
}

Records Records::some(std::size_t people) const {
    ldp::simulation::SeededBits bits(9);
    std::vector<std::size_t> order = shuffled(size(), bits);
    order.resize(std::min(people, size()));
    std::vector<ldp::Cell> cells;
    for (const std::size_t person : order)
        cells.insert(cells.end(), (*this)[person].begin(), (*this)[person].end());
    return {title_, sizes_, std::move(cells)};
}

Records Records::coarser(std::size_t by) const {
    std::vector<std::size_t> sizes = sizes_;
    for (std::size_t& size : sizes) size /= by;
    std::vector<ldp::Cell> cells = cells_;
    for (ldp::Cell& cell : cells) cell /= by;
    return {title_, std::move(sizes), std::move(cells)};
}

Records binned_employees() {
    const People people = employees();
    const std::vector<std::size_t> sizes{16, 19, 17, 2, 2, 4, 2};
    std::vector<ldp::Cell> cells;
    for (std::size_t i = 0; i < people.size(); ++i)
        for (std::size_t j = 0; j < sizes.size(); ++j) {
            const auto k = static_cast<double>(sizes[j]);
            cells.push_back(static_cast<ldp::Cell>(std::min(k - 1, std::floor((people[i][j] + 1) / 2 * k))));
        }
    return {people.title(), sizes, std::move(cells)};
}

Records yes_and_no() {
    constexpr std::size_t people = 21574, attributes = 16;
    std::mt19937_64 random(16);
    std::normal_distribution<> normal;
    std::uniform_real_distribution<> uniform;
    std::vector<ldp::Cell> cells;
    for (std::size_t i = 0; i < people; ++i) {
        const double trait = normal(random);
        for (std::size_t j = 0; j < attributes; ++j) {
            const double odds = 3.2 * trait - 5 + 0.3 * static_cast<double>(j);
            cells.push_back(uniform(random) < 1 / (1 + std::exp(-odds)) ? 1 : 0);
        }
    }
    return {"made-up yes/no answers", std::vector<std::size_t>(attributes, 2), std::move(cells)};
}

Records couples(std::size_t people) {
    constexpr double same[] = {0.8, 0.5, 0.35, 0.2, 0.1};
    const std::vector<std::size_t> sizes{4, 4, 6, 6, 8, 8, 5, 5, 3, 3};
    std::mt19937_64 random(77);
    std::uniform_real_distribution<> uniform;
    const auto draw = [&](std::size_t values) {
        const double x = uniform(random);
        return static_cast<ldp::Cell>(x * x * static_cast<double>(values));
    };
    std::vector<ldp::Cell> cells;
    for (std::size_t i = 0; i < people; ++i)
        for (std::size_t j = 0; j < sizes.size(); j += 2) {
            const ldp::Cell first = draw(sizes[j]);
            cells.push_back(first);
            cells.push_back(uniform(random) < same[j / 2] ? first : draw(sizes[j]));
        }
    return {"couples of attributes", sizes, std::move(cells)};
}

Records laplace_numbers(std::size_t people) {
    constexpr std::size_t attributes = 6, bins = 64;
    constexpr double correlation = 0.8, critical_value = 4;
    std::mt19937_64 random(64);
    std::normal_distribution<> normal;
    std::exponential_distribution<> spread;
    std::vector<ldp::Cell> cells;
    for (std::size_t i = 0; i < people; ++i) {
        const double scale = std::sqrt(spread(random)), common = std::sqrt(correlation) * normal(random);
        for (std::size_t j = 0; j < attributes; ++j) {
            const double x = scale * (common + std::sqrt(1 - correlation) * normal(random));
            const double bin = std::floor((x + critical_value) / (2 * critical_value) * bins);
            cells.push_back(static_cast<ldp::Cell>(std::clamp(bin, 0.0, bins - 1.0)));
        }
    }
    return {"made-up numbers", std::vector<std::size_t>(attributes, bins), std::move(cells)};
}

std::vector<std::size_t> shuffled(std::size_t count, ldp::BitSource& bits) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[bits.below(i)]);
    return order;
}

}  // namespace evaluation
