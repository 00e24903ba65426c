#include "core/models/synthesis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/tables/pooled.hpp"

namespace ldp {

namespace {

/// Returns a uniform number on [0, 1).
double uniform(BitSource& bits) {
    return static_cast<double>(bits.fair(53)) / 0x1p53;
}

}  // namespace

Synthesis::Synthesis(const Model& model, std::size_t attributes) : attributes_(attributes) {
    std::vector<bool> known(attributes);
    for (const Clique& clique : model.cliques) {
        const Table& table = clique.table;
        for (const std::size_t attribute : table.attributes) known[attribute] = true;
        const auto groups = cells_of(table.attributes, table.sizes, clique.separator);
        CliqueCells part{&clique, std::vector<std::size_t>(2 + *std::ranges::max_element(groups)), {}, {}};
        for (const std::uint32_t group : groups) ++part.begin[group + 1];
        std::partial_sum(part.begin.begin(), part.begin.end(), part.begin.begin());
        std::vector<std::size_t> next = part.begin;
        part.cells.resize(groups.size());
        for (std::uint32_t cell = 0; cell < groups.size(); ++cell) part.cells[next[groups[cell]]++] = cell;
        part.sums.resize(groups.size());
        for (std::size_t group = 0; group + 1 < part.begin.size(); ++group) {
            double sum = 0;
            for (std::size_t i = part.begin[group]; i < part.begin[group + 1]; ++i)
                part.sums[i] = sum += table.shares[part.cells[i]];
        }
        parts_.push_back(std::move(part));
    }
    const auto missing = std::ranges::find(known, false);
    if (missing != known.end())
        raise(ErrorCode::unsupported,
              "no report contains attribute " + std::to_string(missing - known.begin()),
              "Synthetic records contain every attribute.", "Wait for more reports.");
}

void Synthesis::draw(std::size_t count, BitSource& bits, std::span<std::uint32_t> values) const {
    // Rows grouped by the separator's cell, in random order within a group.
    struct GroupedRow {
        std::uint32_t group, order, row;
        auto operator<=>(const GroupedRow&) const = default;
    };
    std::vector<GroupedRow> places(count);
    for (const auto& [clique, begin, cells, sums] : parts_) {
        check_interrupt();
        const Table& table = clique->table;
        for (std::uint32_t row = 0; row < count; ++row) {
            std::uint64_t group = 0;
            for (std::size_t i = 0; i < table.attributes.size(); ++i)
                if (std::ranges::binary_search(clique->separator, table.attributes[i]))
                    group = group * table.sizes[i] + values[row * attributes_ + table.attributes[i]];
            places[row] = {static_cast<std::uint32_t>(group), static_cast<std::uint32_t>(bits.fair(32)), row};
        }
        std::ranges::sort(places);
        for (std::size_t first = 0, last; first < count; first = last) {
            const std::uint32_t group = places[first].group;
            for (last = first; last < count && places[last].group == group;) ++last;
            std::size_t at = begin[group];
            const std::size_t end = begin[group + 1];
            const double step = sums[end - 1] / static_cast<double>(last - first), start = uniform(bits);
            for (std::size_t i = first; i < last; ++i) {
                const double point = (static_cast<double>(i - first) + start) * step;
                while (at + 1 < end && sums[at] <= point) ++at;
                std::uint64_t cell = cells[at];
                for (std::size_t j = table.attributes.size(); j-- > 0; cell /= table.sizes[j])
                    values[places[i].row * attributes_ + table.attributes[j]] =
                        static_cast<std::uint32_t>(cell % table.sizes[j]);
            }
        }
    }
}

double number_in_bin(double low, double high, double part) noexcept {
    return std::min(low + (high - low) * part, std::nextafter(high, low));
}

}  // namespace ldp
