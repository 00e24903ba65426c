// Shares of boxes of several attributes' values from Haar coefficients, which different people report.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/channel/signed_index.hpp"
#include "core/math/haar_tree.hpp"
#include "core/mechanism/joint/cross_tables.hpp"

namespace ldp {

inline constexpr std::uint8_t most_together = 2;

/// Returns the number of levels of the tree over this number of values.
[[nodiscard]] inline unsigned levels_of(std::uint64_t values) noexcept {
    return static_cast<unsigned>(std::bit_width(values - 1));
}

/// Shares of boxes. The share of a box is a sum over the coefficients of its indicator. Each coefficient is
/// estimated from the reports of the people who were assigned to its level query. If a level query has fewer
/// than two reports, a share that needs it is unknown.
class BoxShares final : public JointShares {
  public:
    /// The coefficients of one level query, reported or expected.
    struct Part {
        const SignedIndex* channel;
        std::vector<std::size_t> places;  ///< of its attributes among the requested ones, ascending
        std::array<std::uint8_t, most_together> levels;
        double people = 0;             ///< below 2 if the query has almost no reports
        std::vector<double> details;   ///< of every node combination
        std::vector<double> crowding;  ///< shares of people in each bucket
    };

    /// `sizes` are the numbers of values of the attributes. The channels must outlive the object.
    BoxShares(std::vector<std::uint64_t> sizes, std::vector<Part> parts);

    [[nodiscard]] bool known() const noexcept override;
    [[nodiscard]] double people() const noexcept override;
    [[nodiscard]] std::optional<std::size_t> only_table() const noexcept override { return {}; }
    [[nodiscard]] Share share(const Box& box) const override;
    [[nodiscard]] double covariance(const Share& a, const Share& b) const override;
    /// Returns the degrees of freedom of a sum of means of reports (Satterthwaite 1946).
    [[nodiscard]] double degrees_of_freedom(const Share& share) const override;
    /// Additional reports are divided equally among the level queries.
    [[nodiscard]] std::unique_ptr<const JointShares> with(double reports, const Box& box) const override;
    /// Returns shares whose covariance includes four additional reports per level query from a uniform
    /// distribution (Agresti, Coull 1998). The share of a bucket is at least its reported share. Few reports
    /// of a query may agree by chance; their sample variance is then 0, and an interval computed from it
    /// would be too short.
    [[nodiscard]] std::unique_ptr<const JointShares> cautious() const override;

    /// Sets the coefficients of a level query to their expectation if the requested attributes are
    /// independent with these shares of values.
    static void spread(Part& part, std::span<const std::vector<double>> shares);

  private:
    /// The non-zero terms of a list by node or node combination, as pairs of index and value in ascending
    /// order of the index.
    using Terms = std::vector<std::pair<std::size_t, double>>;
    /// Expected coefficients and node shares of independent attributes: for each attribute, level by level.
    struct IndependentShares {
        std::vector<std::vector<Terms>> details, people;

        explicit IndependentShares(std::span<const std::vector<double>> shares);
    };
    /// Additional reports of each level query and their mean.
    struct More {
        double each;
        std::vector<Terms> details, crowding;  // of every level query: by node combination, and by bucket
    };
    [[nodiscard]] static Terms of_places(const Part& part, std::vector<Terms> nodes);
    [[nodiscard]] static Terms of_places(const Part& part, const std::vector<std::vector<Terms>>& nodes);
    [[nodiscard]] static Terms of_buckets(const Part& part, const Terms& places);

    /// Returns the contribution of a level query to a covariance.
    [[nodiscard]] double part_of_covariance(std::size_t part, const Share& a, const Share& b) const;
    [[nodiscard]] double detail(std::size_t part, std::size_t place) const;
    [[nodiscard]] double crowding(std::size_t part, std::size_t place) const;
    /// Returns a mean over the reports of a level query, including the additional ones.
    [[nodiscard]] double averaged(std::size_t part, double of_people, std::vector<Terms> More::*of_more,
                                  std::size_t at) const;

    std::vector<std::uint64_t> sizes_;
    std::vector<HaarTree> trees_;
    std::shared_ptr<const std::vector<Part>> parts_;
    std::vector<std::shared_ptr<const More>> more_;
};

}  // namespace ldp
