// Cross tables that were measured apart, each by people of its own, put together: what they say in common of
// some attributes, and how sure that is.
//
// A table's shares fall apart into effects: of a set S of attributes, what the shares of S show beyond those
// of its subsets, as in the analysis of variance. A table measures the effects of all subsets of its
// attributes, one apart from the other where the noise of Σ g·share, g adding up to 0, depends on Σ g² alone;
// summed over another attribute of k values, with k times the variance. So generalised least squares over all
// tables (Aitken 1936) is, effect by effect, their mean weighted by precision, and tables that share
// attributes agree in it.
//
// The weights are those of even shares and of as many reports as each table got. Nobody looked at a value for
// either, so that the result is unbiased; and as it is linear in what was counted, its error is known
// whatever the shares are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ldp {

/// What was reported of some attributes together: the share of any box of their values, as a sum over what
/// was counted, which is unbiased and whose error is known.
class JointShares {
  public:
    /// Of each attribute asked for, whether a value is among those of the question.
    using Box = std::vector<std::vector<bool>>;

    /// The share of a box; NaN if what it would take was not reported.
    struct Share {
        double value = 0;
        std::vector<std::vector<double>> weights;     ///< of what was counted, part by part
        std::vector<std::vector<std::size_t>> cells;  ///< which of a part these are; none if they are all
    };

    virtual ~JointShares() = default;

    /// Whether anything was reported of all the attributes together, so that shares can be told.
    [[nodiscard]] virtual bool told() const noexcept = 0;
    /// Reports about at least one of the attributes, as far as they are of use.
    [[nodiscard]] virtual double people() const noexcept = 0;
    /// The number of the only table that is of use; none if there are several.
    [[nodiscard]] virtual std::optional<std::size_t> only_table() const noexcept = 0;

    [[nodiscard]] virtual Share share(const Box& box) const = 0;
    /// The covariance of two shares against a population.
    [[nodiscard]] virtual double covariance(const Share& a, const Share& b) const = 0;
    /// Of how many degrees of freedom a share's variance is, which is itself estimated; 0 where that is of no
    /// account.
    [[nodiscard]] virtual double degrees_of_freedom(const Share&) const { return 0; }
    /// The same as if so many reports more were of the cells of a box, evenly, that has any.
    [[nodiscard]] virtual std::unique_ptr<const JointShares> with(double reports, const Box& box) const = 0;
    /// The same with covariances for intervals, where the parts have too few reports to show their own
    /// variance; null where with() serves.
    [[nodiscard]] virtual std::unique_ptr<const JointShares> cautious() const { return nullptr; }
};

/// Shares of the cells of some attributes, estimated without bias; they add up to 1.
struct CrossTable {
    std::size_t number;                   ///< that whoever made it knows it by
    std::vector<std::size_t> attributes;  ///< ascending
    std::vector<std::uint64_t> sizes;     ///< how many values each of them has
    std::vector<double> shares;           ///< the last attribute's value running fastest
    double people = 0;                    ///< of how many reports, each of another person
    /// Of Σ g·share and Σ h·share, g and h adding up to 0, people·Cov against a population is
    /// even·Σ gh + held·Σ f·gh − Σ fg·Σ fh, f being the true shares.
    double even = 0, held = 0;

    [[nodiscard]] std::size_t cells() const noexcept;
    /// people·Var of Σ g·share per unit of Σ g², if all cells were equally frequent.
    [[nodiscard]] double contrast() const noexcept;
};

enum class Combination {
    unbiased,    ///< of the tables that have all the attributes, weighted by precision
    consistent,  ///< of all tables: generalised least squares
};

/// What the tables say of some attributes.
class Combined final : public JointShares {
  public:
    /// Of attributes in ascending order. Of tables with less than two reports nobody could say how sure they
    /// are; they count for nothing.
    Combined(std::span<const CrossTable> tables, std::vector<std::size_t> attributes, Combination how);

    /// Whether any table has all the attributes.
    [[nodiscard]] bool told() const noexcept override { return told_; }
    [[nodiscard]] double people() const noexcept override;
    [[nodiscard]] std::optional<std::size_t> only_table() const noexcept override;

    [[nodiscard]] Share share(const Box& box) const override;
    [[nodiscard]] double covariance(const Share& a, const Share& b) const override;
    /// So many reports more in each table.
    [[nodiscard]] std::unique_ptr<const JointShares> with(double reports, const Box& box) const override;

  private:
    /// A table, summed over the attributes that were not asked for.
    struct PartialTable {
        std::size_t number;                // of the table
        std::vector<std::size_t> places;   // of its attributes among those asked for
        std::vector<std::uint64_t> sizes;  // of these
        std::vector<double> shares;
        double people, even, held;
        double rest;                    // cells of the table that make up one of these
        std::vector<double> precision;  // of the effect of each subset of its attributes
    };

    std::vector<std::uint64_t> sizes_;
    std::vector<PartialTable> parts_;
    std::vector<double> precision_;  // of the effect of each subset of those asked for, over all parts
    bool told_ = false;
};

}  // namespace ldp
