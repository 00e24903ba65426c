#include <algorithm>
#include <cmath>
#include <string>

#include "../shared/experiment.hpp"
#include "agreement.hpp"
#include "core/base/text.hpp"
#include "core/summary/queries/consistency.hpp"
#include "core/summary/summary.hpp"
#include "table_competitors.hpp"

namespace evaluation {

namespace {

class Calm final : public Answers {
  public:
    Calm(const Records& records, double epsilon, ldp::BitSource& bits) : Answers(records) {
        const std::size_t d = records.attributes();
        for (std::size_t a = 0; a < d; ++a)
            for (std::size_t b = a + 1; b < d; ++b) pairs_.push_back(pair_of(a, b));
        std::vector<Experiment> experiments;
        for (ldp::Table& pair : pairs_) {
            const auto k = static_cast<double>(pair.sizes[0] * pair.sizes[1]);
            const double grr = std::exp(epsilon) + k - 2, olh = 4 * std::exp(epsilon);
            pair.variance = std::min(grr, olh) / std::pow(std::expm1(epsilon), 2);
            // Appended to: of a literal before a string, GCC 12 believes that it may overlap.
            std::string spec("{\"mechanism\": \"");
            spec.append(grr <= olh ? "grr" : "olh").append("\", \"epsilon\": ");
            spec.append(ldp::shortest(epsilon)).append(", \"domain\": ").append(ldp::shortest(k)).append("}");
            experiments.emplace_back(spec);
        }
        const std::vector<std::size_t> order = shuffled(records.size(), bits);
        for (std::size_t i = 0; i < order.size(); ++i) {
            const ldp::Cell cell = records.place(order[i], pairs_[i % pairs_.size()].attributes);
            experiments[i % pairs_.size()].count({&cell, 1}, bits);
        }
        for (std::size_t p = 0; p < pairs_.size(); ++p)
            pairs_[p].shares = ldp::consistent(
                ldp::view_of(experiments[p].mechanism(), experiments[p].summary()), ldp::Consistency::none);
        make_agree(pairs_, records.sizes());
    }

    [[nodiscard]] std::vector<double> table(const Attributes& attributes) const override {
        std::vector<const ldp::Table*> inside;
        for (const ldp::Table& pair : pairs_)
            if (std::ranges::includes(attributes, pair.attributes)) inside.push_back(&pair);
        if (attributes.size() == 2) return inside[0]->shares;
        std::vector<std::size_t> sizes;
        for (const std::size_t j : attributes) sizes.push_back(records().sizes()[j]);
        return maximum_entropy(attributes, sizes, inside);
    }

  private:
    [[nodiscard]] ldp::Table pair_of(std::size_t a, std::size_t b) const {
        ldp::Table table;
        table.attributes = {a, b};
        table.sizes = {records().sizes()[a], records().sizes()[b]};
        return table;
    }

    std::vector<ldp::Table> pairs_;
};

}  // namespace

Learnt calm(const Records& records, double epsilon, ldp::BitSource& bits) {
    return std::make_unique<Calm>(records, epsilon, bits);
}

}  // namespace evaluation
