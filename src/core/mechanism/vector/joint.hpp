// Cross tables of which everybody reports on one: what is asked of them, and what they are made of. The
// mechanism stands in joint.cpp, its settings and parameters in joint_parameters.cpp.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "core/math/cross_tables.hpp"
#include "core/mechanism/error_law.hpp"

namespace ldp {

/// Attributes that are reported together: several sets of them, which people were divided among.
class JointViews : public Capability {
  public:
    static constexpr const char* offers = "several attributes together";

    /// The attributes of each view, ascending.
    [[nodiscard]] virtual std::vector<std::vector<std::size_t>> views() const = 0;
    /// What the reports about a view say of it; no share is told of none. The state is of the mechanism.
    [[nodiscard]] virtual CrossTable table(const Counts& counts, std::size_t view) const = 0;
    /// The same with no shares, and of as many people as are expected of one who reports.
    [[nodiscard]] virtual CrossTable expected_table(std::size_t view) const = 0;
    /// The law of the share of so many cells of a view as its table has it; the normal one if no count tells
    /// it.
    [[nodiscard]] virtual ErrorLaw error_law(const Counts& counts, std::size_t view, std::uint64_t cells,
                                             Target target) const = 0;
    /// How many reports are about a view.
    [[nodiscard]] virtual std::uint64_t reports_of_view(const Counts& counts, std::size_t view) const = 0;
    /// How many reports are about an attribute.
    [[nodiscard]] virtual std::uint64_t reports(const Counts& counts, std::size_t attribute) const = 0;
};

/// A share that was put together from what n people reported, each on one of the tables, and its error.
[[nodiscard]] Estimate estimate_of(const Combined& combined, const Combined::Share& share, std::uint64_t n,
                                   Target target);

/// What the variance of that share of a box would have more, if in each table one report more were of the box
/// and one more of any cell, evenly: of few reports at a large ε a rare cell may have none, and then hardly
/// any variance of its own (Agresti, Caffo 2000, for differences of two samples).
[[nodiscard]] double unseen_variance(const Combined& combined, const Combined::Box& box, std::uint64_t n,
                                     Target target);

/// Some attributes, by number.
struct ViewAttributes {
    static constexpr std::size_t most = 3;

    std::uint8_t count = 0;
    std::array<std::uint8_t, most> numbers{};  ///< ascending; 0 behind the last

    [[nodiscard]] std::span<const std::uint8_t> all() const noexcept { return {numbers.data(), count}; }
    friend auto operator<=>(const ViewAttributes&, const ViewAttributes&) = default;
};

/// Views whose cells are as many, through the same mechanism and equally likely.
struct ViewClass {
    std::unique_ptr<const Mechanism> inner;
    std::uint64_t weight;  ///< of each view in the lot
};

struct View {
    ViewAttributes attributes;
    std::size_t kind;       ///< its class
    std::size_t state = 0;  ///< where its part of a state begins
};

/// A mechanism of attributes of these sizes.
[[nodiscard]] std::unique_ptr<const Mechanism> make_joint(const Header& header, Bytes block,
                                                          std::vector<std::uint64_t> sizes,
                                                          std::vector<ViewClass> classes,
                                                          std::vector<View> views);

}  // namespace ldp
