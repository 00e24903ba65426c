// Divisions of an ordered domain, of which a user draws one: the levels of a tree, or partitions.
// haar_ordered, tree and dithered share this class. They add the report of a level, its counters, and the
// combination of the levels.
#pragma once

#include <optional>
#include <utility>

#include "core/base/exact.hpp"
#include "core/math/lazy.hpp"
#include "core/mechanism/mean/response_rate.hpp"
#include "core/mechanism/ordered/ordered.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/role/forgery.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace ldp {

/// Writes whether the points are categories (0), numbers (1), or numbers that people may leave out (2).
void write_points(const Settings& settings, Writer& writer);
struct PointKind {
    bool numeric, missing;
};
/// Reads it. Error (malformed) if it does not suit this number of positions.
[[nodiscard]] PointKind read_points(Reader& reader, std::uint64_t positions);
/// Returns the number of positions: one for each grid point, and one for a missing number. Error
/// (invalid_spec) if it exceeds `most`.
[[nodiscard]] std::uint64_t positions_of(const Settings& settings, std::uint64_t most);

/// Points are numbers if there is a range, otherwise categories.
class DrawnLevels : public Mechanism, public Ordered, public Significance, public KnownErrors {
  public:
    std::vector<std::uint64_t> cells() const final { return {points_}; }
    std::span<const Quantity> answers() const noexcept final;
    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const final;
    /// Returns the known properties of all estimates.
    ErrorLaw error_law(std::uint64_t, Target) const noexcept final {
        return range_ ? ErrorLaw{} : law_of_share();
    }
    bool visit_laws(const Counts& counts, Target target,
                    const std::function<void(const ErrorLaw&)>& visit) const final;
    /// Returns the interval of the mean of a number that people may leave out.
    [[nodiscard]] Interval answered_mean_interval(const Counts& counts, const AnsweredInterval& terms) const;
    [[nodiscard]] AnsweredMean answered_mean(const Counts& counts, Target target) const;
    /// Returns the variances of that mean and of the response rate.
    [[nodiscard]] AnsweredVariances answered_variances(double response_rate, const AnsweredMoments& answers,
                                                       Target target) const;
    /// For categories only, since points of a range are not values.
    double p_value(std::uint64_t n, const Estimate& estimate) const final;
    std::vector<Contribution> contributions(const Question& question) const final;

    /// For a number, all people are at `truth`. For categories, the largest variance over the values, one of
    /// which has the share `truth` and the others equal shares.
    double n_variance(double truth) const override;
    double n_variance_of(std::size_t attribute, std::size_t item, std::span<const double> shares) const final;
    double expected_variance(std::size_t attribute) const final {
        return range_ ? expected_variance_of_part(0, 1) : Mechanism::expected_variance(attribute);
    }
    double expected_variance_of_part(std::size_t attribute, double part) const final;

    std::size_t points() const noexcept final { return points_ - unanswered(); }
    std::size_t unanswered() const noexcept final { return missing_ ? 1 : 0; }
    Interval ends() const noexcept final;
    Distribution fit(const Counts& counts, Smoothing) const final;
    std::uint64_t blur(std::uint64_t) const noexcept final { return 0; }

  protected:
    /// If `missing` is true, the last of the points stands for people without a number.
    DrawnLevels(const Header& header, Bytes block, std::uint64_t points, const std::optional<Range>& range,
                bool missing = false)
        : Mechanism(header, block), points_(points), range_(range), missing_(missing) {}
    /// Returns the number of positions that are divided: the points, and the position of a missing number.
    [[nodiscard]] std::size_t positions() const noexcept { return points_; }
    /// Adds a level with this sampling weight.
    void add_level(std::uint64_t draw_weight);
    /// Sets a number of levels that are drawn with equal probability, without storing each of them.
    void set_even_levels(std::size_t levels) noexcept { even_ = levels; }

    /// Returns the components of the mean of a function of the points, one per level.
    [[nodiscard]] virtual std::vector<Contribution> contributions_of(
        std::span<const double> function) const = 0;
    /// Returns the components of the share of one point.
    [[nodiscard]] virtual std::vector<Contribution> contributions_of_point(std::uint64_t point) const = 0;
    /// Returns the components of the mean of a number that people may leave out, at a response rate of 1.
    [[nodiscard]] std::vector<Contribution> contributions_to_answered() const;
    /// Returns distributions of people. For one of them, the mean of a number has nearly its largest
    /// variance.
    [[nodiscard]] virtual std::vector<std::vector<double>> uncertain_people() const;
    /// Returns the distribution with half of the people at either point.
    [[nodiscard]] std::vector<double> halves_at(std::uint64_t first, std::uint64_t second) const;
    /// Returns points among which one has the largest variance and one has the largest influence. By default,
    /// it returns one point of each complete subtree, because all points of a subtree are equivalent.
    [[nodiscard]] virtual std::vector<std::uint64_t> distinct_points() const;

    [[nodiscard]] const std::optional<Range>& range() const noexcept { return range_; }
    /// Returns the number of drawn levels.
    [[nodiscard]] std::size_t drawn_levels() const noexcept { return even_ > 0 ? even_ : draw_below_.size(); }
    [[nodiscard]] std::size_t draw(BitSource& bits) const { return bits.pick(draw_below_); }
    /// Returns the level at the beginning of a payload of trees, 1 byte.
    [[nodiscard]] static std::size_t level_of(Bytes payload) noexcept {
        return std::to_integer<std::size_t>(payload[0]);
    }
    [[nodiscard]] Exact exact_chance(std::size_t level) const {
        return exact(draw_weight(level), draw_below_.back());
    }
    [[nodiscard]] double chance(std::size_t level) const noexcept {
        if (even_ > 0) return 1 / static_cast<double>(even_);
        return static_cast<double>(draw_weight(level)) / static_cast<double>(draw_below_.back());
    }
    /// Returns the expected relative number of reports of each level.
    [[nodiscard]] std::vector<double> expected() const;
    /// Returns the worst of each test over the levels, and a test of the number of reports per level.
    [[nodiscard]] std::vector<Check> health_of(std::span<const std::uint64_t> reports,
                                               std::span<const std::vector<Check>> checks) const;

    /// Returns the parameters of the points, followed by `more`.
    [[nodiscard]] std::vector<std::pair<std::string, double>> parameters_and(
        std::initializer_list<std::pair<std::string, double>> more) const;
    /// Returns n·Var of the mean on [−1,1], if people answer and have these shares of the points.
    [[nodiscard]] double noise_of_mean(std::vector<double> shares) const;
    /// Returns the attribute's values at the points for these ends.
    [[nodiscard]] std::vector<double> values(double low, double high) const;
    /// Returns the shares of the points if all people have one number in [−1,1], divided between the adjacent
    /// points.
    [[nodiscard]] std::vector<double> all_at(double truth) const;

  private:
    [[nodiscard]] std::vector<Contribution> contributions_to_mean() const;
    [[nodiscard]] std::vector<Contribution> contributions_to_worst_point() const;
    [[nodiscard]] std::uint64_t draw_weight(std::size_t level) const noexcept {
        return draw_below_[level] - (level == 0 ? 0 : draw_below_[level - 1]);
    }

    std::uint64_t points_;
    std::optional<Range> range_;
    bool missing_;
    std::vector<std::uint64_t> draw_below_;  // cumulative sums of the sampling weights
    std::size_t even_ = 0;                   // number of levels with the same weight, instead of weights
    Lazy<std::vector<Contribution>> worst_contributions_;
};

}  // namespace ldp
