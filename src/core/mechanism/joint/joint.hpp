// Cross tables of which everybody reports on one: what is asked of them, and what they are made of. The
// mechanism stands in joint.cpp, its settings and parameters in joint_parameters.cpp.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/mechanism/error_law.hpp"
#include "core/mechanism/joint/cross_tables.hpp"
#include "core/mechanism/joint/joint_views.hpp"

namespace ldp {

/// Attributes that are reported together: several sets of them, which people were divided among.
class JointViews : public Capability {
  public:
    static constexpr const char* offers = "several attributes together";

    /// The attributes of each view, ascending.
    [[nodiscard]] virtual std::vector<std::vector<std::size_t>> views() const = 0;
    /// How many reports are about a view.
    [[nodiscard]] virtual std::uint64_t reports_of_view(const Counts& counts, std::size_t view) const = 0;
    /// How many reports are about an attribute.
    [[nodiscard]] virtual std::uint64_t reports(const Counts& counts, std::size_t attribute) const = 0;
    /// What the reports say of some attributes, ascending. The state is of the mechanism.
    [[nodiscard]] virtual std::unique_ptr<const JointShares> shares(
        const Counts& counts, const std::vector<std::size_t>& attributes, Combination how) const = 0;
    /// Of an attribute, which share of people has each value.
    using Spread = std::function<const std::vector<double>&(std::size_t attribute)>;
    /// The same of so many people, of whom as many report on each view as is expected, if attributes are
    /// independent and spread like this; consistent.
    [[nodiscard]] virtual std::unique_ptr<const JointShares> expected_shares(
        const std::vector<std::size_t>& attributes, const Spread& spread, double people) const = 0;
};

/// Views whose whole cross tables are reported, cell by cell.
class CrossTables : public Capability {
  public:
    static constexpr const char* offers = "whole cross tables";

    /// What the reports about a view say of it; no share is told of none. The state is of the mechanism.
    [[nodiscard]] virtual CrossTable table(const Counts& counts, std::size_t view) const = 0;
    /// The law of the share of so many cells of a view as its table has it; the normal one if no count tells
    /// it.
    [[nodiscard]] virtual ErrorLaw error_law(const Counts& counts, std::size_t view, std::uint64_t cells,
                                             Target target) const = 0;
};

/// Views of which Haar details are reported (haar_tree.hpp), of one attribute or of two at once.
class JointCoefficients : public Capability {
  public:
    static constexpr const char* offers = "Haar details of several attributes";

    /// What is told of a view: in the order of HaarTree's coefficients, the last attribute's running fastest,
    /// the share of people in the halves with + less that of those in the halves with −.
    struct Details {
        std::vector<std::size_t> attributes;
        std::vector<std::uint64_t> sizes;
        std::vector<double> values;
        std::vector<double> variances;  ///< infinite of what nobody was asked, as of margins
        /// Of the people who were asked, the mean square of what a report says, without bias.
        std::vector<double> squares;
        std::vector<double> reports;  ///< of how many people
        double people;                ///< whose reports are about all the attributes
    };
    [[nodiscard]] virtual Details details(const Counts& counts, std::size_t view) const = 0;
};

/// A share that was put together from what n people reported, each on one part, and its error.
[[nodiscard]] Estimate estimate_of(const JointShares& shares, const JointShares::Share& share,
                                   std::uint64_t n, Target target);

/// The same of each of an attribute's so many values, of the shares of this attribute alone.
[[nodiscard]] std::vector<Estimate> shares_of_values(const JointShares& shares, std::uint64_t values,
                                                     std::uint64_t n, Target target);

/// Views whose cells are as many, through the same mechanism and equally likely.
struct ViewClass {
    std::unique_ptr<const Mechanism> inner;
    std::uint64_t weight;  ///< of each view in the lot
};

struct View {
    ViewAttributes attributes;
    std::size_t kind;  ///< its class
    // The mechanism fills these in, so that counting a report finds what it takes in one place.
    const Mechanism* inner = nullptr;  ///< its class's
    std::size_t payload = 0;           ///< of this size
    std::size_t state = 0, slot = 0;   ///< where its part of a state begins, and its size
};

/// A mechanism of attributes of these sizes.
[[nodiscard]] std::unique_ptr<const Mechanism> make_joint(const Header& header, Bytes block,
                                                          std::vector<std::uint64_t> sizes,
                                                          std::vector<ViewClass> classes,
                                                          std::vector<View> views);

}  // namespace ldp
