#include <string>

#include "../shared/experiment.hpp"
#include "core/base/text.hpp"
#include "core/summary/queries/consistency.hpp"
#include "core/summary/summary.hpp"
#include "table_methods.hpp"

namespace evaluation {

namespace {

class Independent final : public Answers {
  public:
    Independent(const Records& records, std::vector<std::vector<double>> shares)
        : Answers(records), shares_(std::move(shares)) {}

    [[nodiscard]] std::vector<double> table(const Attributes& attributes) const override {
        std::vector<double> product{1};
        for (const std::size_t j : attributes) {
            std::vector<double> longer;
            for (const double before : product)
                for (const double share : shares_[j]) longer.push_back(before * share);
            product = std::move(longer);
        }
        return product;
    }

  private:
    std::vector<std::vector<double>> shares_;  ///< of each attribute's values
};

}  // namespace

Learnt true_independence(const Records& records) {
    std::vector<std::vector<double>> shares;
    for (std::size_t j = 0; j < records.attributes(); ++j) shares.push_back(records.table({{j}}));
    return std::make_unique<Independent>(records, std::move(shares));
}

Learnt independence(const Records& records, double epsilon, ldp::BitSource& bits) {
    std::string attributes;
    for (std::size_t j = 0; j < records.attributes(); ++j)
        attributes += (j == 0 ? "" : ", ") + ("{\"name\": \"" + std::to_string(j)) +
                      "\", \"domain\": " + std::to_string(records.sizes()[j]) + ", \"mechanism\": \"auto\"}";
    Experiment experiment("{\"mechanism\": \"sampled\", \"epsilon\": " + ldp::shortest(epsilon) +
                          ", \"attributes\": [" + attributes + "]}");
    for (std::size_t i = 0; i < records.size(); ++i) experiment.count(records[i], bits);
    std::vector<std::vector<double>> shares;
    for (std::size_t j = 0; j < records.attributes(); ++j)
        shares.push_back(ldp::consistent(ldp::view_of(experiment.mechanism(), experiment.summary()),
                                         ldp::Consistency::norm_sub, j));
    return std::make_unique<Independent>(records, std::move(shares));
}

}  // namespace evaluation
