// What Haar details that people were divided among say of boxes of some attributes' values.
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

/// How many levels the tree over so many values has.
[[nodiscard]] inline unsigned levels_of(std::uint64_t values) noexcept {
    return static_cast<unsigned>(std::bit_width(values - 1));
}

/// The share of a box is a sum over the details that its indicator is made of, each estimated by the people
/// who were asked about it and nobody else. Where a detail that takes part was asked of fewer than two, it is
/// unknown.
class BoxShares final : public JointShares {
  public:
    /// The details of one question, as reported or as expected.
    struct Part {
        const SignedIndex* channel;
        std::vector<std::size_t> places;  ///< of its attributes among those asked for, ascending
        std::array<std::uint8_t, most_together> levels;
        double people = 0;             ///< less than 2 if nobody was asked, or next to nobody
        std::vector<double> details;   ///< of every place
        std::vector<double> crowding;  ///< shares of people in each bucket
    };

    /// Of attributes with so many values. Channels must outlive it.
    BoxShares(std::vector<std::uint64_t> sizes, std::vector<Part> parts);

    [[nodiscard]] bool told() const noexcept override;
    [[nodiscard]] double people() const noexcept override;
    [[nodiscard]] std::optional<std::size_t> only_table() const noexcept override { return {}; }
    [[nodiscard]] Share share(const Box& box) const override;
    [[nodiscard]] double covariance(const Share& a, const Share& b) const override;
    /// That of a sum of means of reports (Satterthwaite 1946).
    [[nodiscard]] double degrees_of_freedom(const Share& share) const override;
    /// The reports more are spread evenly over the questions.
    [[nodiscard]] std::unique_ptr<const JointShares> with(double reports, const Box& box) const override;
    /// The covariance as if each question had four reports more, of people who are evenly spread (Agresti,
    /// Coull 1998), and no place fewer people than were reported there. People are divided among many
    /// questions. A few reports of one question may all agree, or none may be of a place; a variance that
    /// is taken from them alone is then 0, and the interval too short.
    [[nodiscard]] std::unique_ptr<const JointShares> cautious() const override;

    /// What a question's details are if the attributes asked for are independent, and these shares of people
    /// have their values.
    static void spread(Part& part, std::span<const std::vector<double>> shares);

  private:
    /// What is not 0 of one number for each node, or for each place, and where: ascending.
    using Terms = std::vector<std::pair<std::size_t, double>>;
    /// People over whose nodes attributes are spread independently: of each attribute, level by level.
    struct IndependentShares {
        std::vector<std::vector<Terms>> details, people;

        explicit IndependentShares(std::span<const std::vector<double>> shares);
    };
    /// Reports that are added to each question, and what they say of it on average.
    struct More {
        double each;
        std::vector<Terms> details, crowding;  // of every question: by places, and by buckets
    };
    [[nodiscard]] static Terms of_places(const Part& part, std::vector<Terms> nodes);
    [[nodiscard]] static Terms of_places(const Part& part, const std::vector<std::vector<Terms>>& nodes);
    [[nodiscard]] static Terms of_buckets(const Part& part, const Terms& places);

    /// What a question adds to a covariance.
    [[nodiscard]] double part_of_covariance(std::size_t part, const Share& a, const Share& b) const;
    [[nodiscard]] double detail(std::size_t part, std::size_t place) const;
    [[nodiscard]] double crowding(std::size_t part, std::size_t place) const;
    /// A mean over the people of a question, with those who were added.
    [[nodiscard]] double averaged(std::size_t part, double of_people, std::vector<Terms> More::*of_more,
                                  std::size_t at) const;

    std::vector<std::uint64_t> sizes_;
    std::vector<HaarTree> trees_;
    std::shared_ptr<const std::vector<Part>> parts_;
    std::vector<std::shared_ptr<const More>> more_;
};

}  // namespace ldp
