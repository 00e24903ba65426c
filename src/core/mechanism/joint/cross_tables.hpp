// Combination of cross tables that were reported by different people: joint estimates of some attributes and
// their errors.
//
// The shares of a table are decomposed into effects, as in the analysis of variance. The effect of a set S of
// attributes is the deviation of the shares of S from those implied by its subsets. A table measures the
// effects of all subsets of its attributes. The measurements are uncorrelated if the variance of Σ g·share,
// with g adding up to 0, depends on Σ g² only. Summing over another attribute of k values multiplies the
// variance by k. Generalized least squares over all tables (Aitken 1936) is therefore, for each effect, the
// mean weighted by precision. Tables with common attributes agree in the result.
//
// The weights assume equal shares and use the actual number of reports of each table. They do not depend on
// reported values, so that the result is unbiased. It is linear in the counts, so that its error is known for
// any true shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ldp {

/// Joint estimates of some attributes. Returns the share of any box of their values as a linear function of
/// the counts, unbiased and with a known error.
class JointShares {
  public:
    /// For each requested attribute, which of its values the box contains.
    using Box = std::vector<std::vector<bool>>;

    /// The share of a box; NaN if the reports that it needs do not exist.
    struct Share {
        double value = 0;
        std::vector<std::vector<double>> weights;  ///< weights of the counts, part by part
        /// the cells of a part that the weights refer to; empty for all cells
        std::vector<std::vector<std::size_t>> cells;
    };

    virtual ~JointShares() = default;

    /// Returns whether any report covers all the attributes together, so that shares can be estimated.
    [[nodiscard]] virtual bool known() const noexcept = 0;
    /// Returns the number of reports about at least one of the attributes that the estimate uses.
    [[nodiscard]] virtual double people() const noexcept = 0;
    /// Returns the number of the table if only one is used; empty if there are several.
    [[nodiscard]] virtual std::optional<std::size_t> only_table() const noexcept = 0;

    [[nodiscard]] virtual Share share(const Box& box) const = 0;
    /// Returns the covariance of two shares with the target population.
    [[nodiscard]] virtual double covariance(const Share& a, const Share& b) const = 0;
    /// Returns the degrees of freedom of a share's estimated variance; 0 if they do not matter.
    [[nodiscard]] virtual double degrees_of_freedom(const Share&) const { return 0; }
    /// Returns the same shares with additional reports, spread evenly over the cells of a non-empty box.
    [[nodiscard]] virtual std::unique_ptr<const JointShares> with(double reports, const Box& box) const = 0;
    /// Returns the same shares with covariances for intervals if the parts have too few reports to estimate
    /// their own variance; null if with() is sufficient.
    [[nodiscard]] virtual std::unique_ptr<const JointShares> cautious() const { return nullptr; }
};

/// Unbiased shares of the cells of some attributes; they add up to 1.
struct CrossTable {
    std::size_t number;                   ///< number that the creator of the table assigned
    std::vector<std::size_t> attributes;  ///< ascending
    std::vector<std::uint64_t> sizes;     ///< number of values of each attribute
    std::vector<double> shares;           ///< the last attribute's value varies fastest
    double people = 0;                    ///< number of reports, each of another person
    /// Coefficients of the covariance. For Σ g·share and Σ h·share with g and h adding up to 0, people·Cov
    /// with the target population is even·Σ gh + held·Σ f·gh − Σ fg·Σ fh. f are the true shares.
    double even = 0, held = 0;

    [[nodiscard]] std::size_t cells() const noexcept;
    /// Returns people·Var of Σ g·share per unit of Σ g² for equally frequent cells.
    [[nodiscard]] double contrast() const noexcept;
};

enum class Combination {
    unbiased,    ///< of the tables that have all the attributes, weighted by precision
    consistent,  ///< of all tables: generalized least squares
};

/// Joint estimates from cross tables.
class Combined final : public JointShares {
  public:
    /// `attributes` are in ascending order. Tables with fewer than two reports have no estimate of their
    /// error and are ignored.
    Combined(std::span<const CrossTable> tables, std::vector<std::size_t> attributes, Combination how);

    /// Returns whether any table has all the attributes.
    [[nodiscard]] bool known() const noexcept override { return known_; }
    [[nodiscard]] double people() const noexcept override;
    [[nodiscard]] std::optional<std::size_t> only_table() const noexcept override;

    [[nodiscard]] Share share(const Box& box) const override;
    [[nodiscard]] double covariance(const Share& a, const Share& b) const override;
    /// Each table gets this number of additional reports.
    [[nodiscard]] std::unique_ptr<const JointShares> with(double reports, const Box& box) const override;

  private:
    /// A table, summed over the attributes that were not requested.
    struct PartialTable {
        std::size_t number;                // of the table
        std::vector<std::size_t> places;   // positions of its attributes among the requested ones
        std::vector<std::uint64_t> sizes;  // number of values of these attributes
        std::vector<double> shares;
        double people, even, held;
        double rest;                    // number of cells of the table per cell of this marginal
        std::vector<double> precision;  // of the effect of each subset of its attributes
    };

    std::vector<std::uint64_t> sizes_;
    std::vector<PartialTable> parts_;
    // of the effect of each subset of the requested attributes, over all parts
    std::vector<double> precision_;
    bool known_ = false;
};

}  // namespace ldp
