// The people whose means the accuracy benchmark asks for.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace evaluation {

/// Values on [−1,1], d of them for each person.
class People {
  public:
    /// `sizes` has the number of steps from −1 to 1 of each attribute, if it has steps.
    People(std::string title, std::size_t d, std::vector<double> values, std::vector<std::size_t> sizes = {});

    [[nodiscard]] const std::string& title() const noexcept { return title_; }
    [[nodiscard]] std::size_t attributes() const noexcept { return d_; }
    [[nodiscard]] std::size_t size() const noexcept { return values_.size() / d_; }
    [[nodiscard]] std::span<const double> operator[](std::size_t person) const noexcept {
        return {values_.data() + person * d_, d_};
    }
    [[nodiscard]] const std::vector<std::size_t>& sizes() const noexcept { return sizes_; }
    /// The same people with their first d attributes.
    [[nodiscard]] People first(std::size_t d) const;
    [[nodiscard]] const std::vector<double>& means() const noexcept { return means_; }

  private:
    std::string title_;
    std::size_t d_;
    std::vector<double> values_;
    std::vector<std::size_t> sizes_;
    std::vector<double> means_;
};

/// The 1994 census (Adult), 15 attributes in 2 to 41 steps each, from a folder with adult_coarse.csv.gz
/// and adult_coarse.domain. Without these files, synthetic people of the same number and domains are
/// used, and the title states it. Throws std::runtime_error for files of another format.
[[nodiscard]] People census(const std::string& folder);

/// A data set of the source thesis by its number there (4, 7, 8, 10, 11 or 14), yes/no attributes as −1 and
/// 1, from thesis/dataN.csv.gz in a folder. Without this file, synthetic people of the same number and
/// attributes are used, and the title states it. Throws std::runtime_error for a file of another format and
/// std::logic_error for another number.
[[nodiscard]] People thesis_data(const std::string& folder, int number);

/// 28,155 employees of the Current Population Experiment of March 1988, from test/data: wage, education,
/// experience, ethnicity, smsa, region, part time. Throws std::runtime_error.
[[nodiscard]] People employees();

/// A day of measurements: each person has a level and a swing, smooth with a little noise.
[[nodiscard]] People days(std::size_t people, std::size_t times = 32);

}  // namespace evaluation
