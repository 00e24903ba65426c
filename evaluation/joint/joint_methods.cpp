#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <stdexcept>
#include <string>

#include "../shared/experiment.hpp"
#include "core/base/text.hpp"
#include "core/models/synthesis.hpp"
#include "core/summary/summary.hpp"
#include "core/tables/fitted.hpp"
#include "core/tables/marginal.hpp"
#include "core/tables/measured.hpp"
#include "table_methods.hpp"

namespace evaluation {

namespace {

/// All people's reports through a mechanism with these options.
Experiment reports_through(const std::string& mechanism, const Records& records, double epsilon,
                           const std::string& options, ldp::BitSource& bits) {
    std::string attributes;
    for (std::size_t j = 0; j < records.attributes(); ++j)
        attributes += (j == 0 ? "" : ", ") + ("{\"name\": \"" + std::to_string(j)) +
                      "\", \"domain\": " + std::to_string(records.sizes()[j]) + "}";
    Experiment experiment("{\"mechanism\": \"" + mechanism + "\", \"epsilon\": " + ldp::shortest(epsilon) +
                          options + ", \"attributes\": [" + attributes + "]}");
    for (std::size_t i = 0; i < records.size(); ++i) experiment.count(records[i], bits);
    return experiment;
}

std::string for_all(const Records& records) {
    return ", \"people\": " + std::to_string(records.size());
}

Experiment reports(const Records& records, double epsilon, Views views, ldp::BitSource& bits) {
    return reports_through("joint", records, epsilon,
                           views == Views::pairs ? "" : ", \"marginals\": \"auto\"" + for_all(records), bits);
}

class Fitted final : public Answers {
  public:
    Fitted(const Records& records, const Experiment& experiment)
        : Answers(records),
          fit_(ldp::fitted(ldp::measured(ldp::view_of(experiment.mechanism(), experiment.summary())))) {}

    [[nodiscard]] std::vector<double> table(const Attributes& attributes) const override {
        return fit_.table(attributes).shares;
    }

  private:
    ldp::Fit fit_;
};

class Consistent final : public Answers {
  public:
    Consistent(const Records& records, Experiment experiment)
        : Answers(records), experiment_(std::move(experiment)) {}

    [[nodiscard]] std::vector<double> table(const Attributes& attributes) const override {
        std::vector<double> shares;
        for (const ldp::Estimate& share : marginal(attributes).shares()) shares.push_back(share.value);
        return shares;
    }

    /// Each share's error is normal for many reports: its mean absolute value is √(2/π) standard deviations.
    [[nodiscard]] double expected_distance(const Attributes& attributes) const override {
        double sum = 0;
        for (const ldp::Estimate& share : marginal(attributes).shares())
            sum += std::sqrt(2 / std::numbers::pi) * share.standard_error / 2;
        return sum;
    }

  private:
    [[nodiscard]] ldp::Marginal marginal(const Attributes& attributes) const {
        return {ldp::view_of(experiment_.mechanism(), experiment_.summary()), attributes,
                ldp::Combination::consistent, ldp::Target::sample};
    }

    Experiment experiment_;
};

/// As many made-up people as there are real ones.
class MadeUp final : public Answers {
  public:
    MadeUp(const Records& records, const ldp::Model& model, ldp::BitSource& bits)
        : Answers(records), rows_(draw(records, model, bits)) {}

    [[nodiscard]] std::vector<double> table(const Attributes& attributes) const override {
        return rows_.table(attributes);
    }
    [[nodiscard]] const Records* rows() const override { return &rows_; }

  private:
    static Records draw(const Records& records, const ldp::Model& model, ldp::BitSource& bits) {
        const ldp::Synthesis synthesis(model, records.sizes().size());
        std::vector<ldp::Cell> cells;
        std::vector<std::uint32_t> values;
        for (std::size_t left = records.size(); left > 0;) {
            const std::size_t count = std::min(left, ldp::Synthesis::block);
            values.resize(count * synthesis.attributes());
            synthesis.draw(count, bits, values);
            cells.insert(cells.end(), values.begin(), values.end());
            left -= count;
        }
        return {"made-up rows", records.sizes(), std::move(cells)};
    }

    Records rows_;
};

/// Answers about coarser values, to questions that begin and end where these do.
class Coarse final : public Answers {
  public:
    using Learn = std::function<Learnt(const Records&)>;
    Coarse(const Records& records, std::size_t by, const Learn& learn)
        : Answers(records), by_(by), coarse_(records.coarser(by)), learnt_(learn(coarse_)) {}

    [[nodiscard]] std::vector<double> table(const Attributes& attributes) const override {
        return learnt_->table(attributes);
    }
    [[nodiscard]] std::vector<double> boxes(const Attributes& attributes,
                                            std::span<const Box> boxes) const override {
        std::vector<Box> coarse(boxes.begin(), boxes.end());
        for (Box& box : coarse)
            for (auto& [first, last] : box) {
                if (first % by_ != 0 || (last + 1) % by_ != 0)
                    throw std::logic_error("a question ends inside a bin");
                first /= by_;
                last /= by_;
            }
        return learnt_->boxes(attributes, coarse);
    }

  private:
    std::size_t by_;
    Records coarse_;
    Learnt learnt_;
};

}  // namespace

Learnt joint_bins(const Records& records, double epsilon, std::size_t by, Numbers how, ldp::BitSource& bits) {
    return std::make_unique<Coarse>(records, by, [&](const Records& coarse) {
        return how == Numbers::consistent ? joint_consistent(coarse, epsilon, bits)
                                          : joint_fit(coarse, epsilon, Views::chosen, bits);
    });
}

Learnt haar_bins(const Records& records, double epsilon, std::size_t by, Numbers how, ldp::BitSource& bits) {
    return std::make_unique<Coarse>(records, by, [&](const Records& coarse) -> Learnt {
        if (how == Numbers::consistent)
            return std::make_unique<Consistent>(coarse,
                                                reports_through("joint_haar", coarse, epsilon, "", bits));
        return std::make_unique<Fitted>(
            coarse, reports_through("joint_haar", coarse, epsilon, for_all(coarse), bits));
    });
}

Learnt joint_fit(const Records& records, double epsilon, Views views, ldp::BitSource& bits) {
    return std::make_unique<Fitted>(records, reports(records, epsilon, views, bits));
}

Learnt joint_rows(const Records& records, double epsilon, Views views, ldp::BitSource& bits) {
    const Experiment experiment = reports(records, epsilon, views, bits);
    const ldp::Measured measured = ldp::measured(ldp::view_of(experiment.mechanism(), experiment.summary()));
    return std::make_unique<MadeUp>(records, ldp::model_of(measured), bits);
}

Learnt joint_consistent(const Records& records, double epsilon, ldp::BitSource& bits) {
    return std::make_unique<Consistent>(records, reports(records, epsilon, Views::pairs, bits));
}

}  // namespace evaluation
