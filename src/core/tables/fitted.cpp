#include "core/tables/fitted.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/interrupt.hpp"
#include "core/base/unknown.hpp"
#include "core/math/haar_tree.hpp"
#include "core/tables/pooled.hpp"
#include "core/tables/scaling.hpp"

namespace ldp {

namespace {

/// Weight of the relative entropy, in people.
constexpr double say_of_independence = 10;
/// Smallest share of a value in independent tables, relative to an even share.
constexpr double least_of_even = 1e-4;

/// The Haar transform of a table along each attribute.
class Transform {
  public:
    explicit Transform(std::span<const std::uint64_t> sizes) {
        for (const std::uint64_t size : sizes) trees_.emplace_back(size);
    }

    /// Returns the coefficients of shares.
    [[nodiscard]] std::vector<double> details(std::vector<double> shares) const {
        return along_all(std::move(shares), &HaarTree::transpose);
    }
    /// Returns the weight of each cell in a weighted sum of coefficients.
    [[nodiscard]] std::vector<double> spread(std::vector<double> weights) const {
        return along_all(std::move(weights), &HaarTree::inverse);
    }

  private:
    using Step = void (HaarTree::*)(std::span<const double>, std::span<double>) const;

    [[nodiscard]] std::vector<double> along_all(std::vector<double> cells, Step step) const {
        std::size_t inner = 1;
        for (std::size_t i = trees_.size(); i-- > 0;) {
            const std::size_t size = trees_[i].size();
            std::vector<double> line(size), made(size);
            Work work;
            for (std::size_t at = 0; at < cells.size(); at += size * inner)
                for (std::size_t k = 0; k < inner; ++k) {
                    work.done(4 * size);
                    for (std::size_t v = 0; v < size; ++v) line[v] = cells[at + v * inner + k];
                    (trees_[i].*step)(line, made);
                    for (std::size_t v = 0; v < size; ++v) cells[at + v * inner + k] = made[v];
                }
            inner *= size;
        }
        return cells;
    }

    std::vector<HaarTree> trees_;
};

/// The objective of the fit as a function of the logarithms of the cells.
class Loss {
  public:
    Loss(const Details& measured, const Transform& transform, std::vector<double> independent)
        : measured_(measured), transform_(transform), independent_(std::move(independent)) {}

    struct At {
        double loss;
        std::vector<double> shares;  // of the cells, which sum to 1
        std::vector<double> apart;   // deviations of the coefficients, divided by the variances
        std::vector<double> logs;    // of the shares
    };
    [[nodiscard]] At at(std::vector<double> logs) const {
        const double most = std::ranges::max(logs);
        double sum = 0;
        At all{0, {}, {}, std::move(logs)};
        for (const double log : all.logs) {
            all.shares.push_back(std::exp(log - most));
            sum += all.shares.back();
        }
        for (std::size_t cell = 0; cell < all.logs.size(); ++cell) {
            all.logs[cell] -= most + std::log(sum);
            all.shares[cell] /= sum;
            all.loss += say_of_independence * all.shares[cell] * (all.logs[cell] - independent_[cell]);
        }
        all.apart = transform_.details(all.shares);
        for (std::size_t c = 0; c < all.apart.size(); ++c) {
            const double off = all.apart[c] - measured_.values[c];
            all.apart[c] = off / measured_.variances[c];
            all.loss += off * all.apart[c] / 2;
        }
        return all;
    }
    /// Returns the derivative of the objective by each cell's share.
    [[nodiscard]] std::vector<double> slopes(const At& at) const {
        std::vector<double> all = transform_.spread(at.apart);
        for (std::size_t cell = 0; cell < all.size(); ++cell)
            all[cell] += say_of_independence * (at.logs[cell] - independent_[cell]);
        return all;
    }

  private:
    const Details& measured_;
    const Transform& transform_;
    std::vector<double> independent_;  // logarithms
};

/// Mirror descent (Beck, Teboulle 2003): gradient steps in logarithms, each shortened until the objective
/// decreases.
std::vector<double> least_loss(const Details& measured, const Transform& transform,
                               std::vector<double> independent) {
    constexpr int most_steps = 400;
    constexpr double enough = 1e-7, shortest_step = 1e-12;
    const Loss loss(measured, transform, independent);
    Loss::At now = loss.at(std::move(independent));
    double step = 1;
    for (int i = 0; i < most_steps; ++i) {
        const std::vector<double> slopes = loss.slopes(now);
        const double before = now.loss;
        for (; step > shortest_step; step /= 2) {
            std::vector<double> logs = now.logs;
            for (std::size_t cell = 0; cell < logs.size(); ++cell) logs[cell] -= step * slopes[cell];
            Loss::At next = loss.at(std::move(logs));
            if (next.loss > before) continue;
            now = std::move(next);
            break;
        }
        if (before - now.loss <= enough * std::max(1.0, before)) break;
        step *= 1.5;
    }
    return now.shares;
}

/// Returns logarithms of shares, none of which is 0.
std::vector<double> logs_of(const std::vector<double>& shares) {
    std::vector<double> logs;
    const double least = least_of_even / static_cast<double>(shares.size());
    for (const double share : shares) logs.push_back(std::log(std::max(share, least)));
    return logs;
}

Table table_of(const Details& details, std::vector<double> shares) {
    return {details.attributes, details.sizes, std::move(shares), unknown, details.people};
}

/// Copies the coefficients of the two attributes into a pair's coefficients.
void put_margins(Details& pair, const Details& rows, const Details& columns) {
    const std::size_t width = pair.sizes[1];
    for (std::size_t c = 1; c < width; ++c) {
        pair.values[c] = columns.values[c];
        pair.variances[c] = columns.variances[c];
    }
    for (std::size_t r = 1; r < pair.sizes[0]; ++r) {
        pair.values[r * width] = rows.values[r];
        pair.variances[r * width] = rows.variances[r];
    }
}

std::vector<Table> fitted_details(std::vector<Details> all) {
    std::vector<Table> singles, pairs;
    std::vector<Details> alone;
    for (Details& details : all) {
        check_interrupt();
        const Transform transform(details.sizes);
        if (details.sizes.size() == 1) {
            const double even = -std::log(static_cast<double>(details.sizes[0]));
            singles.push_back(
                table_of(details, least_loss(details, transform, std::vector(details.sizes[0], even))));
            alone.push_back(std::move(details));
            continue;
        }
        const auto single = [&](std::size_t i) {
            return std::ranges::find(singles, std::vector{details.attributes[i]}, &Table::attributes) -
                   singles.begin();
        };
        const auto rows = single(0), columns = single(1), none = std::ssize(singles);
        if (rows == none || columns == none) continue;
        put_margins(details, alone[static_cast<std::size_t>(rows)], alone[static_cast<std::size_t>(columns)]);
        std::vector<double> independent;
        const std::vector<double> across = logs_of(singles[static_cast<std::size_t>(columns)].shares);
        for (const double row : logs_of(singles[static_cast<std::size_t>(rows)].shares))
            for (const double column : across) independent.push_back(row + column);
        pairs.push_back(table_of(details, least_loss(details, transform, std::move(independent))));
    }
    for (Table& one : singles) {
        double holders = 0;
        std::vector<double> sum(one.shares.size());
        for (const Table& pair : pairs)
            if (std::ranges::includes(pair.attributes, one.attributes)) {
                ++holders;
                const Table margin = summed(pair, one.attributes);
                std::ranges::transform(sum, margin.shares, sum.begin(), std::plus());
            }
        if (holders > 0)
            std::ranges::transform(sum, one.shares.begin(), [=](double share) { return share / holders; });
    }
    for (Table& pair : pairs) {
        check_interrupt();
        std::vector<Table> margins;
        for (const Table& one : singles)
            if (std::ranges::includes(pair.attributes, one.attributes)) margins.push_back(one);
        Scaling(pair.attributes, pair.sizes, std::move(margins)).settle(pair.shares);
    }
    singles.insert(singles.end(), std::make_move_iterator(pairs.begin()),
                   std::make_move_iterator(pairs.end()));
    return singles;
}

}  // namespace

Fit fitted(const Measured& measured) {
    if (const auto* tables = std::get_if<std::vector<Table>>(&measured)) return Fit(*tables);
    return Fit::of_fitted(fitted_details(std::get<std::vector<Details>>(measured)));
}

Table with_margins(const Fit& fit, std::span<const std::size_t> attributes,
                   const std::vector<Table>& margins) {
    std::vector<std::size_t> all(attributes.begin(), attributes.end());
    for (const Table& margin : margins) all.push_back(margin.attributes[0]);
    std::ranges::sort(all);
    const auto repeated = std::ranges::unique(all);
    all.erase(repeated.begin(), repeated.end());
    Table whole = fit.table(all);
    // A value with a known share may have no share in the fit.
    const double least = least_of_even / static_cast<double>(whole.shares.size());
    for (double& share : whole.shares) share = std::max(share, least);
    Scaling(whole.attributes, whole.sizes, margins).settle(whole.shares);
    return all.size() == attributes.size() ? whole : summed(whole, attributes);
}

}  // namespace ldp
