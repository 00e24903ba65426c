#include "core/proof/report_laws.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/mechanism/role/registry.hpp"
#include "core/proof/explore.hpp"

namespace ldp {

namespace {

/// The distribution of an input: indices of outputs with their probabilities.
using SparseLaw = std::map<std::size_t, long double>;

class LawEnumeration {
  public:
    LawEnumeration(const PrivacyProof& mechanism, ResponseKind response, const EnumerationLimits& limits)
        : m_(mechanism),
          layered_(response == ResponseKind::report && mechanism.report_epsilon() < mechanism.epsilon()),
          limits_(limits),
          left_(limits.steps),
          cells_(mechanism.input_cells()) {
        Uint128 inputs = 1;
        for (const std::uint64_t each : cells_)
            inputs = std::min<Uint128>(inputs * each, limits.steps + Uint128{1});
        inputs_ = static_cast<std::uint64_t>(inputs);
        if (inputs_ > limits.steps) refuse("It has more than " + grouped(limits.steps) + " inputs.");
    }

    [[nodiscard]] std::uint64_t inputs() const noexcept { return inputs_; }
    [[nodiscard]] std::size_t outputs() const noexcept { return outputs_.size(); }
    [[nodiscard]] std::vector<Cell> input(std::uint64_t x) const {
        std::vector<Cell> input;
        for (const std::uint64_t each : cells_) input.push_back(x % each), x /= each;
        return input;
    }

    [[nodiscard]] std::vector<SparseLaw> laws() {
        const Outcomes public_law = enumerate(
            m_.public_size(), [&](BitSource& bits, MutableBytes drawn) { m_.draw_public(bits, drawn); });
        std::vector<SparseLaw> laws(inputs_);
        for (const auto& [public_randomness, probability] : public_law) {
            permanents_.clear();
            for (std::uint64_t x = 0; x < inputs_; ++x) {
                add(x, public_randomness, static_cast<long double>(probability), laws[x]);
            }
        }
        return laws;
    }

  private:
    /// The outputs of a permanent response, by its second layer.
    using Sent = std::vector<std::pair<std::size_t, long double>>;

    [[noreturn]] void refuse(const std::string& detail) const {
        raise(ErrorCode::unsupported, "this spec has too many possible reports to enumerate", detail,
              "Enumerate a smaller spec of the same mechanism: fewer values, a smaller \"grid\", or one "
              "attribute.");
    }
    [[noreturn]] void refuse_steps() const {
        refuse("The randomizer has more than " + grouped(limits_.steps) + " outcomes.");
    }
    template <class Draw>
    [[nodiscard]] Outcomes enumerate(std::size_t size, const Draw& draw) {
        auto law = law_of(
            size,
            [&](BitSource& bits, MutableBytes drawn) {
                check_interrupt();
                draw(bits, drawn);
            },
            left_);
        if (!law) refuse_steps();
        return std::move(*law);
    }
    [[nodiscard]] std::size_t output(Bytes public_randomness, Bytes response) {
        std::vector<std::byte> key(public_randomness.begin(), public_randomness.end());
        key.insert(key.end(), response.begin(), response.end());
        const std::size_t next = outputs_.size();
        const std::size_t index = outputs_.try_emplace(std::move(key), next).first->second;
        if (Uint128{outputs_.size()} * inputs_ > limits_.probabilities)
            refuse("There are more than " + grouped(limits_.probabilities) +
                   " pairs of an input and an output.");
        return index;
    }
    void add(std::uint64_t x, Bytes public_randomness, long double probability, SparseLaw& law) {
        const std::vector<Cell> cells = input(x);
        const std::uint64_t before = left_;
        const Outcomes permanent = enumerate(m_.permanent_size(), [&](BitSource& bits, MutableBytes drawn) {
            m_.permanent_response(cells, public_randomness, bits, drawn);
        });
        // Hopeless cases end with their first input.
        if (Uint128{before - left_} * (inputs_ - x) > before) refuse_steps();
        for (const auto& [response, p] : permanent) {
            check_interrupt();  // an exact fraction may be long
            const long double here = probability * static_cast<long double>(p);
            if (!layered_) {
                law[output(public_randomness, response)] += here;
                continue;
            }
            const auto [known, fresh] = permanents_.try_emplace(response);
            if (fresh) known->second = sent(public_randomness, response);
            for (const auto& [index, q] : known->second) law[index] += here * q;
        }
    }
    [[nodiscard]] Sent sent(Bytes public_randomness, Bytes permanent) {
        Sent all;
        for (const auto& [payload, q] : enumerate(m_.payload_size(), [&](BitSource&bits, MutableBytes drawn) {
                 m_.instantaneous_response(public_randomness, permanent, bits, drawn);
             })) {
            check_interrupt();
            all.emplace_back(output(public_randomness, payload), static_cast<long double>(q));
        }
        return all;
    }

    const PrivacyProof& m_;
    bool layered_;
    EnumerationLimits limits_;
    std::uint64_t left_, inputs_ = 0;
    std::vector<std::uint64_t> cells_;
    std::map<std::vector<std::byte>, std::size_t> outputs_;
    std::map<std::vector<std::byte>, Sent> permanents_;
};

/// Joins outputs whose probabilities are proportional to one another, and returns the probabilities of the rest.
std::vector<long double> joined_outputs(const std::vector<std::vector<long double>>& rows,
                                        std::size_t& outputs) {
    std::map<std::vector<double>, std::size_t> kinds;
    std::vector<std::size_t> kind_of(outputs);
    Work work;
    for (std::size_t y = 0; y < outputs; ++y, work.done(8 * rows.size())) {
        long double largest = 0;
        for (const auto& row : rows) largest = std::max(largest, row[y]);
        std::vector<double> ratios;
        for (const auto& row : rows)
            ratios.push_back(static_cast<double>(std::round(std::ldexp(row[y] / largest, 48))));
        kind_of[y] = kinds.try_emplace(std::move(ratios), kinds.size()).first->second;
    }
    std::vector<long double> joined(rows.size() * kinds.size());
    for (std::size_t x = 0; x < rows.size(); ++x)
        for (std::size_t y = 0; y < outputs; ++y) joined[x * kinds.size() + kind_of[y]] += rows[x][y];
    outputs = kinds.size();
    return joined;
}

}  // namespace

ReportLaws report_laws(const PrivacyProof& mechanism, ResponseKind response,
                       const EnumerationLimits& limits) {
    LawEnumeration enumeration(mechanism, response, limits);
    const std::vector<SparseLaw> laws = enumeration.laws();
    ReportLaws all;
    all.outputs_ = enumeration.outputs();
    std::map<std::vector<long double>, std::uint64_t> different;
    for (std::uint64_t x = 0; x < laws.size(); ++x) {
        check_interrupt();
        std::vector<long double> row(all.outputs_);
        for (const auto& [index, probability] : laws[x]) row[index] = probability;
        different.try_emplace(std::move(row), x);
    }
    // In the order of the inputs; with two outputs, rows are in the order of the first one's probability.
    std::vector<std::pair<std::uint64_t, const std::vector<long double>*>> kept;
    for (const auto& [row, x] : different) kept.emplace_back(x, &row);
    if (all.outputs_ == 2 && kept.size() > 2) kept.erase(kept.begin() + 1, kept.end() - 1);
    std::ranges::sort(kept);
    std::vector<std::vector<long double>> rows;
    for (const auto& [x, row] : kept) {
        all.inputs_.push_back(enumeration.input(x));
        rows.push_back(*row);
    }
    all.probabilities_ = joined_outputs(rows, all.outputs_);
    return all;
}

}  // namespace ldp
