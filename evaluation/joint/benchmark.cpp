#include "benchmark.hpp"

#include <algorithm>
#include <cmath>

#include "simulation/seeded_random.hpp"

namespace evaluation {

namespace {

/// Adds up the cells of a table inside a box.
double sum_inside(const std::vector<double>& table, std::span<const std::size_t> sizes, const Box& box,
                  std::size_t depth = 0, std::size_t before = 0) {
    if (depth == sizes.size()) return table[before];
    double sum = 0;
    for (std::size_t v = box[depth][0]; v <= box[depth][1]; ++v)
        sum += sum_inside(table, sizes, box, depth + 1, before * sizes[depth] + v);
    return sum;
}

std::vector<double> sums_inside(const Records& records, const Attributes& attributes,
                                const std::vector<double>& table, std::span<const Box> boxes) {
    std::vector<std::size_t> sizes;
    for (const std::size_t j : attributes) sizes.push_back(records.sizes()[j]);
    std::vector<double> shares;
    for (const Box& box : boxes) shares.push_back(sum_inside(table, sizes, box));
    return shares;
}

double mean_distance(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
    return sum / static_cast<double>(a.size());
}

}  // namespace

std::vector<double> Answers::boxes(const Attributes& attributes, std::span<const Box> boxes) const {
    return sums_inside(records_, attributes, table(attributes), boxes);
}

Benchmark::Benchmark(const Records& records, Asks asks, std::optional<Regression> regression)
    : records_(&records), asks_(asks), regression_(std::move(regression)) {
    constexpr std::size_t boxes_each = 20;
    ldp::simulation::SeededBits bits(2020);
    const auto add = [&](std::vector<Question>& questions, const Attributes& attributes) {
        Question question{attributes, records.table(attributes), {}, {}};
        for (std::size_t b = 0; asks_boxes() && b < boxes_each; ++b) {
            Box box;
            for (const std::size_t j : attributes) {
                const std::size_t size = records.sizes()[j], width = size / 2;
                const std::size_t step = std::max<std::size_t>(1, size / 16);
                const std::size_t first = step * bits.below((size - width) / step + 1);
                box.push_back({first, first + width - 1});
            }
            question.boxes.push_back(std::move(box));
        }
        question.shares = sums_inside(records, attributes, question.table, question.boxes);
        if (!asks_tables()) question.table.clear();
        questions.push_back(std::move(question));
    };
    const std::size_t d = records.attributes();
    for (std::size_t a = 0; a < d; ++a)
        for (std::size_t b = a + 1; b < d; ++b) {
            add(pairs_, {a, b});
            for (std::size_t c = b + 1; c < d; ++c) add(triples_, {a, b, c});
        }
}

Benchmark::Errors Benchmark::errors(const std::vector<Question>& questions, const Answers& answers,
                                    std::size_t most, ldp::BitSource& bits) const {
    std::vector<std::size_t> asked = shuffled(questions.size(), bits);
    asked.resize(std::min(most, asked.size()));
    const auto n = static_cast<double>(asked.size());
    constexpr double unasked = std::numeric_limits<double>::quiet_NaN();
    Errors errors = asks_tables() ? Errors{0, 0, unasked} : Errors{unasked, unasked, unasked};
    if (asks_boxes()) errors.of_boxes = 0;
    for (const std::size_t q : asked) {
        const auto& [attributes, table, boxes, shares] = questions[q];
        if (asks_tables()) {
            const std::vector<double> found = answers.table(attributes);
            errors.distance += mean_distance(found, table) * static_cast<double>(table.size()) / 2 / n;
            errors.expected += answers.expected_distance(attributes) / n;
        }
        if (asks_boxes()) errors.of_boxes += mean_distance(answers.boxes(attributes, boxes), shares) / n;
    }
    return asked.empty() ? Errors{unasked, unasked, unasked} : errors;
}

Score Benchmark::score(const Answers& answers, std::size_t most_pairs, std::size_t most_triples,
                       ldp::BitSource& bits) const {
    const Errors pairs = errors(pairs_, answers, most_pairs, bits);
    const Errors triples = errors(triples_, answers, most_triples, bits);
    const Records* rows = answers.rows();
    const double regression =
        rows != nullptr && regression_ ? misfit(*records_, *rows, *regression_) : std::nan("");
    return {pairs.distance, triples.distance, pairs.of_boxes, triples.of_boxes, regression, pairs.expected};
}

}  // namespace evaluation
