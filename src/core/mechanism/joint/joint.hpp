// Capabilities of mechanisms that divide users among views, and the construction of `joint`. joint.cpp
// contains the mechanism, joint_parameters.cpp its settings and parameters.
#pragma once

#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "core/mechanism/joint/cross_tables.hpp"
#include "core/mechanism/joint/joint_views.hpp"
#include "core/mechanism/role/error_law.hpp"

namespace ldp {

/// Capability of mechanisms that report several attributes together. Each user reports one of several sets of
/// attributes.
class JointViews : public Capability {
  public:
    static constexpr const char* offers = "several attributes together";

    /// Haar coefficients (haar_tree.hpp) of one attribute or of two, in the order of HaarTree's coefficients;
    /// the coefficient of the last attribute varies fastest. A value is the share of people in the halves
    /// with + minus the share in the halves with −.
    struct Details {
        std::vector<std::size_t> attributes;
        std::vector<std::uint64_t> sizes;
        std::vector<double> values;
        std::vector<double> variances;  ///< infinite for coefficients without reports, as of margins
        /// The unbiased mean square of the reported coefficient, over the people with a report about it.
        std::vector<double> squares;
        std::vector<double> reports;  ///< number of people
        double people;                ///< number of people with reports about all the attributes
    };
    /// The estimates of a view: the shares of its cells, or their Haar coefficients.
    using ViewEstimate = std::variant<CrossTable, Details>;

    /// Returns the attributes of each view, ascending.
    [[nodiscard]] virtual std::vector<std::vector<std::size_t>> views() const = 0;
    /// Returns the number of reports about a view.
    [[nodiscard]] virtual std::uint64_t reports_of_view(const Counts& counts, std::size_t view) const = 0;
    /// Returns the number of reports about an attribute.
    [[nodiscard]] virtual std::uint64_t reports(const Counts& counts, std::size_t attribute) const = 0;
    /// Returns the probability that a report is about a view.
    [[nodiscard]] virtual double view_chance(std::size_t view) const = 0;
    /// Returns the probability that a report is about an attribute, as reports() counts it.
    [[nodiscard]] virtual double attribute_chance(std::size_t attribute) const = 0;
    /// Returns joint estimates of some attributes, which must be ascending. The state must be a state of the
    /// mechanism.
    [[nodiscard]] virtual std::unique_ptr<const JointShares> shares(
        const Counts& counts, const std::vector<std::size_t>& attributes, Combination how) const = 0;
    /// Returns the estimates of a view. Without reports, a table has no shares. The state must be a state of
    /// the mechanism.
    [[nodiscard]] virtual ViewEstimate estimate_of_view(const Counts& counts, std::size_t view) const = 0;
    /// Returns the law of the share of `cells` cells of a view in its table; the normal law if the share is
    /// not linear in a count.
    [[nodiscard]] virtual ErrorLaw error_law(const Counts& /*counts*/, std::size_t /*view*/,
                                             std::uint64_t /*cells*/, Target /*target*/) const {
        return {};
    }
    /// Returns the distribution of an attribute's values.
    using Spread = std::function<const std::vector<double>&(std::size_t attribute)>;
    /// Returns consistent estimates of `people` expected reports. Each view has its expected number of
    /// reports, and the attributes are independent with this distribution.
    [[nodiscard]] virtual std::unique_ptr<const JointShares> expected_shares(
        const std::vector<std::size_t>& attributes, const Spread& spread, double people) const = 0;
};

/// Returns a share and its standard error. n is the total number of reports, each about one part.
[[nodiscard]] Estimate estimate_of(const JointShares& shares, const JointShares::Share& share,
                                   std::uint64_t n, Target target);

/// Returns the share of each of the `values` values of an attribute; `shares` must be of this attribute
/// alone.
[[nodiscard]] std::vector<Estimate> shares_of_values(const JointShares& shares, std::uint64_t values,
                                                     std::uint64_t n, Target target);

/// Views with the same number of cells, the same inner mechanism and the same sampling probability.
struct ViewClass {
    std::unique_ptr<const Mechanism> inner;
    std::uint64_t weight;  ///< sampling weight of each view
    bool bits = false;     ///< whether a report has an independent bit for each cell
};

struct View {
    ViewAttributes attributes;
    std::size_t kind;  ///< index of its class
    // The mechanism sets these fields, so that counting a report reads one record.
    const Mechanism* inner = nullptr;  ///< mechanism of its class
    std::size_t payload = 0;           ///< size of its payload
    std::size_t state = 0, slot = 0;   ///< offset and size of its part of a state
};

/// Returns a mechanism of attributes with these sizes.
[[nodiscard]] std::unique_ptr<const Mechanism> make_joint(const Header& header, Bytes block,
                                                          std::vector<std::uint64_t> sizes,
                                                          std::vector<ViewClass> classes,
                                                          std::vector<View> views);

}  // namespace ldp
