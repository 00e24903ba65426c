#include "changing_records.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "core/choice/resolve.hpp"
#include "simulation/seeded_random.hpp"

namespace evaluation {

namespace {

using namespace ldp;

double uniform_number(BitSource& bits) {
    return std::ldexp(static_cast<double>(bits.word() >> 11), -53);
}

// The library ----------------------------------------------------------------------------------------------

class LibraryRound final : public RoundCounts {
  public:
    explicit LibraryRound(const Mechanism& mechanism)
        : mechanism_(mechanism), state_(mechanism.state_size()) {}

    void count(Bytes payload) {
        if (!mechanism_.accumulate(state_, payload)) throw std::logic_error("a report was refused");
        ++reports_;
    }
    [[nodiscard]] std::vector<double> shares(std::size_t attribute) const override {
        std::vector<double> found;
        for (const Estimate& one :
             mechanism_.estimate({reports_, state_}, {Quantity::frequencies, Target::sample, attribute}))
            found.push_back(one.value);
        return found;
    }

  private:
    const Mechanism& mechanism_;
    std::vector<std::byte> state_;
    std::uint64_t reports_ = 0;
};

class LibraryDevice final : public RecordDevice {
  public:
    LibraryDevice(const Mechanism& mechanism, double epsilon, BitSource& bits)
        : mechanism_(mechanism),
          epsilon_(epsilon),
          public_(mechanism.public_size()),
          payload_(mechanism.payload_size()) {
        mechanism.draw_public(bits, public_);
    }

    void meet(Input record) override { permanents_.try_emplace(mechanism_.response_key(record, public_)); }
    void report(Input record, BitSource& bits, RoundCounts& round) override {
        std::vector<std::byte>& permanent = permanents_[mechanism_.response_key(record, public_)];
        if (permanent.empty()) {
            permanent.resize(mechanism_.permanent_size());
            mechanism_.permanent_response(record, public_, bits, permanent);
        }
        mechanism_.instantaneous_response(public_, permanent, bits, payload_);
        dynamic_cast<LibraryRound&>(round).count(payload_);
    }
    [[nodiscard]] double spent() const override { return epsilon_ * static_cast<double>(permanents_.size()); }

  private:
    const Mechanism& mechanism_;
    double epsilon_;
    std::vector<std::byte> public_, payload_;
    std::map<std::vector<Cell>, std::vector<std::byte>> permanents_;
};

class LibraryRecords final : public RecordProtocol {
  public:
    explicit LibraryRecords(const std::string& json)
        : spec_(resolve(json)), mechanism_(make_mechanism(spec_)) {}

    [[nodiscard]] std::unique_ptr<RecordDevice> device(BitSource& bits) const override {
        return std::make_unique<LibraryDevice>(*mechanism_, spec_.epsilon(), bits);
    }
    [[nodiscard]] std::unique_ptr<RoundCounts> round() const override {
        return std::make_unique<LibraryRound>(*mechanism_);
    }
    [[nodiscard]] double n_variance(std::size_t attribute, std::size_t value,
                                    std::span<const double> shares) const override {
        return mechanism_->n_variance_of(attribute, value, shares);
    }
    // The keys of attributes that are not reported are equal for all values, so that each counts once.
    [[nodiscard]] double expected_epsilon(const ChangingShares& shares, BitSource& bits) const override {
        constexpr int averaged = 400;  // draws of the attribute and of hash functions
        const std::vector<std::uint64_t> sizes = mechanism_->cells();
        std::vector<std::byte> drawn(mechanism_->public_size());
        double sum = 0;
        for (int i = 0; i < averaged; ++i) {
            mechanism_->draw_public(bits, drawn);
            double keys = 1;
            for (std::size_t j = 0; j < sizes.size(); ++j) {
                std::vector<Cell> record(sizes.size());
                std::map<std::vector<Cell>, std::size_t> known;
                std::vector<std::size_t> of_values;
                for (std::size_t v = 0; v < sizes[j]; ++v) {
                    record[j] = static_cast<Cell>(v);
                    of_values.push_back(
                        known.emplace(mechanism_->response_key(record, drawn), known.size()).first->second);
                }
                keys += shares.keys(j, of_values) - 1;
            }
            sum += keys / averaged;
        }
        return spec_.epsilon() * sum;
    }

  private:
    Spec spec_;
    std::unique_ptr<const Mechanism> mechanism_;
};

/// The shares of the values of each attribute.
std::vector<std::vector<double>> shares_of(const Records& records) {
    std::vector<std::vector<double>> shares;
    for (std::size_t j = 0; j < records.attributes(); ++j) shares.push_back(records.table(std::vector{j}));
    return shares;
}

}  // namespace

double ChangingShares::keys(std::size_t attribute, std::span<const std::size_t> keys) const {
    const std::size_t count = *std::ranges::max_element(keys) + 1;
    std::vector<double> of_first(count), of_later(count);
    for (std::size_t v = 0; v < keys.size(); ++v) {
        of_first[keys[v]] += first[attribute][v];
        of_later[keys[v]] += later[attribute][v];
    }
    double sum = 0;
    for (std::size_t key = 0; key < count; ++key)
        sum += 1 - (1 - of_first[key]) * std::pow(1 - changes[attribute].probability * of_later[key],
                                                  static_cast<double>(rounds) - 1);
    return sum;
}

double ChangingShares::values(std::size_t attribute) const {
    std::vector<std::size_t> each(first[attribute].size());
    std::iota(each.begin(), each.end(), std::size_t{0});
    return keys(attribute, each);
}

std::unique_ptr<const RecordProtocol> library_records(const std::string& json) {
    return std::make_unique<LibraryRecords>(json);
}

RecordOutcome run(const RecordProtocol& protocol, const ChangingPeople& people, std::uint64_t seed) {
    const Records& records = people.records;
    const std::size_t d = records.attributes();
    const auto n = static_cast<double>(records.size());
    simulation::SeededBits bits(seed);
    struct Look {
        std::unique_ptr<RoundCounts> counts;
        std::vector<std::vector<double>> shares;
    };
    std::vector<Look> looks;
    for (std::size_t t = 0; t < people.rounds; t += people.every) {
        Look& look = looks.emplace_back(Look{protocol.round(), {}});
        for (const std::size_t size : records.sizes()) look.shares.emplace_back(size);
    }
    RecordOutcome outcome{std::vector<double>(d), std::vector<double>(d)};
    std::vector<Cell> values(d);
    for (std::size_t person = 0; person < records.size(); ++person) {
        const std::unique_ptr<RecordDevice> device = protocol.device(bits);
        std::ranges::copy(records[person], values.begin());
        for (std::size_t t = 0; t < people.rounds; ++t) {
            bool changed = t == 0;
            for (std::size_t j = 0; j < d && t > 0; ++j) {
                const auto [probability, uniform] = people.changes[j];
                if (probability == 0 || uniform_number(bits) >= probability) continue;
                values[j] = uniform ? static_cast<Cell>(bits.below(records.sizes()[j]))
                                    : records[bits.below(records.size())][j];
                changed = true;
            }
            if (changed) device->meet(values);
            if (t % people.every != 0) continue;
            Look& look = looks[t / people.every];
            for (std::size_t j = 0; j < d; ++j) look.shares[j][values[j]] += 1 / n;
            device->report(values, bits, *look.counts);
        }
        outcome.spent += device->spent() / n;
        outcome.most = std::max(outcome.most, device->spent());
    }
    for (const Look& look : looks)
        for (std::size_t j = 0; j < d; ++j) {
            const std::vector<double> found = look.counts->shares(j);
            const auto cells = static_cast<double>(found.size() * looks.size());
            for (std::size_t v = 0; v < found.size(); ++v) {
                outcome.error[j] += n * std::pow(found[v] - look.shares[j][v], 2) / cells;
                outcome.predicted[j] += protocol.n_variance(j, v, look.shares[j]) / cells;
            }
        }
    ChangingShares shares{shares_of(records), shares_of(records), people.changes, people.rounds};
    for (std::size_t j = 0; j < d; ++j)
        if (people.changes[j].uniform)
            std::ranges::fill(shares.later[j], 1 / static_cast<double>(records.sizes()[j]));
    outcome.expected = protocol.expected_epsilon(shares, bits);
    return outcome;
}

}  // namespace evaluation
