// People whose answers are cells, several for each person, and which depend on one another.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "../shared/population.hpp"
#include "core/base/random.hpp"
#include "core/mechanism/role/local_randomizer.hpp"

namespace evaluation {

/// A number in 0..sizes[j]−1 for each attribute j of each person.
class Records {
  public:
    /// Cells follow person by person.
    Records(std::string title, std::vector<std::size_t> sizes, std::vector<ldp::Cell> cells);
    /// People whose attributes have steps: each step is a cell.
    explicit Records(const People& people);

    [[nodiscard]] const std::string& title() const noexcept { return title_; }
    [[nodiscard]] std::size_t attributes() const noexcept { return sizes_.size(); }
    [[nodiscard]] std::size_t size() const noexcept { return cells_.size() / sizes_.size(); }
    [[nodiscard]] const std::vector<std::size_t>& sizes() const noexcept { return sizes_; }
    [[nodiscard]] ldp::Input operator[](std::size_t person) const noexcept {
        return {cells_.data() + person * sizes_.size(), sizes_.size()};
    }
    /// Where a person is in the cross table of these attributes, the last one's value running fastest.
    [[nodiscard]] std::size_t place(std::size_t person, std::span<const std::size_t> attributes) const;
    /// How many cells that table has.
    [[nodiscard]] std::size_t cells(std::span<const std::size_t> attributes) const;
    /// The share of people in each.
    [[nodiscard]] std::vector<double> table(std::span<const std::size_t> attributes) const;

    /// This number of people, drawn once from all; all of them if there are fewer.
    [[nodiscard]] Records some(std::size_t people) const;
    /// The same people, after merging this number of neighbouring values of each attribute.
    [[nodiscard]] Records coarser(std::size_t by) const;

  private:
    std::string title_;
    std::vector<std::size_t> sizes_;
    std::vector<ldp::Cell> cells_;
};

/// The employees of 1988 with their numbers in bins: wage 16 of $156.25, education 19 of a year, experience
/// 17 of four years, and four categories.
[[nodiscard]] Records binned_employees();
/// 21,574 people and 16 yes/no attributes that follow one hidden trait, so that they are strongly
/// dependent. The numbers of people and attributes are those of the National Long Term Care Experiment.
/// Methods for marginals are usually compared on that data set, which may not be redistributed.
[[nodiscard]] Records yes_and_no();
/// Ten attributes of 3 to 8 values, in five couples. In 80, 50, 35, 20 and 10 % of the people the second
/// attribute of a couple has the value of the first. All other pairs of attributes are independent.
[[nodiscard]] Records couples(std::size_t people);
/// Six numbers of a Laplace law in all directions, each of mean 0 and variance 1, every two of correlation
/// 0.8, in 64 bins of [−4,4].
[[nodiscard]] Records laplace_numbers(std::size_t people);

/// Numbers 0..count−1 in random order.
[[nodiscard]] std::vector<std::size_t> shuffled(std::size_t count, ldp::BitSource& bits);

}  // namespace evaluation
