// Queries about several attributes together, and the errors of a method.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "table_rows.hpp"

namespace evaluation {

/// Attribute numbers, ascending.
using Attributes = std::vector<std::size_t>;

/// A first and a last value of each attribute of a question.
using Box = std::vector<std::array<std::size_t, 2>>;

/// What a method has found out.
class Answers {
  public:
    virtual ~Answers() = default;
    /// The share of each cell of these attributes' cross table, the last one's value running fastest.
    [[nodiscard]] virtual std::vector<double> table(const Attributes& attributes) const = 0;
    /// The share of people in each of these boxes: sums of the table, unless a method has another way.
    [[nodiscard]] virtual std::vector<double> boxes(const Attributes& attributes,
                                                    std::span<const Box> boxes) const;
    /// The variation distance of a table on average, if there is a closed form.
    [[nodiscard]] virtual double expected_distance(const Attributes& /*attributes*/) const {
        return std::numeric_limits<double>::quiet_NaN();
    }
    /// Synthetic records, if the method makes any.
    [[nodiscard]] virtual const Records* rows() const { return nullptr; }

  protected:
    explicit Answers(const Records& records) : records_(records) {}
    [[nodiscard]] const Records& records() const noexcept { return records_; }

  private:
    const Records& records_;
};

/// The result of a method. Each person reports once, with fresh noise. The answers use the records for their
/// shape only.
using Learnt = std::unique_ptr<const Answers>;

/// Means over all pairs, or triples, that were asked for; NaN if none was.
struct Score {
    double pairs, triples;            ///< variation distance of the cross table
    double pair_boxes, triple_boxes;  ///< absolute error of the share of a box
    double regression;                ///< misfit of synthetic records
    double expected_pairs;            ///< variation distance by the closed form, if there is one
};

/// All questions about one set of people, with the truth.
class Benchmark {
  public:
    enum class Asks { tables, boxes, both };

    /// Boxes take half of each attribute's values, which lie next to each other, from a multiple of a
    /// sixteenth of the range on, as in the experiments of Yang et al. 2020. There are 20 for each pair and
    /// each triple, drawn once.
    Benchmark(const Records& records, Asks asks, std::optional<Regression> regression = {});

    [[nodiscard]] const Records& records() const noexcept { return *records_; }
    [[nodiscard]] bool asks_tables() const noexcept { return asks_ != Asks::boxes; }
    [[nodiscard]] bool asks_boxes() const noexcept { return asks_ != Asks::tables; }
    [[nodiscard]] bool asks_regression() const noexcept { return regression_.has_value(); }
    /// Evaluates at most this number of pairs and triples, drawn evenly.
    [[nodiscard]] Score score(const Answers& answers, std::size_t most_pairs, std::size_t most_triples,
                              ldp::BitSource& bits) const;

  private:
    struct Question {
        Attributes attributes;
        std::vector<double> table;
        std::vector<Box> boxes;
        std::vector<double> shares;  ///< of the boxes
    };
    struct Errors {
        double distance, expected, of_boxes;
    };
    [[nodiscard]] Errors errors(const std::vector<Question>& questions, const Answers& answers,
                                std::size_t most, ldp::BitSource& bits) const;

    const Records* records_;
    Asks asks_;
    std::optional<Regression> regression_;
    std::vector<Question> pairs_, triples_;
};

}  // namespace evaluation
