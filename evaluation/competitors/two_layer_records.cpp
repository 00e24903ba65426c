#include "two_layer_records.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

namespace evaluation {

namespace {

using ldp::BitSource;
using ldp::Cell;
using ldp::Input;

bool happens(double probability, BitSource& bits) {
    return std::ldexp(static_cast<double>(bits.word() >> 11), -53) < probability;
}

/// The support of each value, attribute by attribute, and the reports about each attribute.
class Supports final : public RoundCounts {
  public:
    Supports(const std::vector<std::size_t>& sizes, const RecordProtocol& protocol);

    [[nodiscard]] std::vector<double> shares(std::size_t attribute) const override;

    std::vector<std::vector<double>> of;
    std::vector<double> reports;

  private:
    const RecordProtocol& protocol_;
};

/// The probabilities that a report about an attribute supports a value: of people who have it, and of others.
struct Support {
    double own, other;

    /// n·Var of a share that is estimated from n such reports, against these people.
    [[nodiscard]] double n_variance(double share) const {
        return (share * own * (1 - own) + (1 - share) * other * (1 - other)) /
               ((own - other) * (own - other));
    }
};

class PublishedRecords final : public RecordProtocol {
  public:
    PublishedRecords(RecordWay way, const std::vector<std::size_t>& sizes, double epsilon,
                     double report_epsilon)
        : way_(way), sizes_(sizes), epsilon_(epsilon) {
        const auto d = static_cast<double>(sizes.size());
        const auto amplified = [d](double one) { return std::log(d * std::expm1(one) + 1); };
        if (way == RecordWay::split) epsilon /= d, report_epsilon /= d;
        if (way == RecordWay::fake) epsilon = amplified(epsilon), report_epsilon = amplified(report_epsilon);
        for (const std::size_t size : sizes) {
            const TwoLayerChain grr(TwoLayerChain::Kind::grr, size, epsilon, report_epsilon);
            const TwoLayerChain osue(TwoLayerChain::Kind::osue, size, epsilon, report_epsilon);
            chains_.push_back(support(grr).n_variance(0) < support(osue).n_variance(0) ? grr : osue);
        }
    }

    [[nodiscard]] std::unique_ptr<RecordDevice> device(BitSource& bits) const override;
    [[nodiscard]] std::unique_ptr<RoundCounts> round() const override {
        return std::make_unique<Supports>(sizes_, *this);
    }
    // Those who are asked are a sample of all; their number varies little.
    [[nodiscard]] double n_variance(std::size_t attribute, std::size_t value,
                                    std::span<const double> shares) const override {
        const double share = shares[value], noise = support(chains_[attribute]).n_variance(share);
        if (way_ != RecordWay::sampled) return noise;
        const auto d = static_cast<double>(sizes_.size());
        return d * noise + (d - 1) * share * (1 - share);
    }
    [[nodiscard]] double expected_epsilon(const ChangingShares& shares, BitSource&) const override {
        double values = 0;
        for (std::size_t j = 0; j < sizes_.size(); ++j) values += shares.values(j);
        return epsilon_ * values / static_cast<double>(sizes_.size());
    }

    [[nodiscard]] bool fakes() const noexcept {
        return way_ == RecordWay::fake || way_ == RecordWay::fake_at_true_epsilon;
    }
    [[nodiscard]] RecordWay way() const noexcept { return way_; }
    [[nodiscard]] double epsilon() const noexcept { return epsilon_; }
    [[nodiscard]] const std::vector<TwoLayerChain>& chains() const noexcept { return chains_; }
    /// Of the attribute's reports in a record.
    [[nodiscard]] Support support(const TwoLayerChain& chain) const {
        Support found{chain.own(), chain.other()};
        if (!fakes()) return found;
        const double real = 1 / static_cast<double>(sizes_.size());
        const double fake =
            chain.kind() == TwoLayerChain::Kind::grr ? 1 / static_cast<double>(chain.size()) : chain.other();
        return {real * found.own + (1 - real) * fake, real * found.other + (1 - real) * fake};
    }

  private:
    RecordWay way_;
    std::vector<std::size_t> sizes_;
    double epsilon_;  ///< as claimed
    std::vector<TwoLayerChain> chains_;
};

Supports::Supports(const std::vector<std::size_t>& sizes, const RecordProtocol& protocol)
    : reports(sizes.size()), protocol_(protocol) {
    for (const std::size_t size : sizes) of.emplace_back(size);
}

std::vector<double> Supports::shares(std::size_t attribute) const {
    const auto& published = dynamic_cast<const PublishedRecords&>(protocol_);
    const auto [own, other] = published.support(published.chains()[attribute]);
    std::vector<double> found;
    for (const double support : of[attribute])
        found.push_back((support / reports[attribute] - other) / (own - other));
    return found;
}

class PublishedDevice final : public RecordDevice {
  public:
    PublishedDevice(const PublishedRecords& protocol, BitSource& bits)
        : protocol_(protocol), memory_(protocol.chains().size()) {
        if (protocol.way() != RecordWay::split) asked_ = bits.below(memory_.size());
    }

    void meet(Input record) override {
        for (std::size_t j = 0; j < memory_.size(); ++j)
            if (reports(j)) memory_[j].try_emplace(record[j]);
    }
    void report(Input record, BitSource& bits, RoundCounts& round) override {
        auto& supports = dynamic_cast<Supports&>(round);
        for (std::size_t j = 0; j < memory_.size(); ++j) {
            if (!reports(j)) continue;
            const TwoLayerChain& chain = protocol_.chains()[j];
            TwoLayerChain::Permanent& permanent = memory_[j][record[j]];
            if (permanent.empty())
                permanent = asked_ && *asked_ != j ? chain.fake(bits) : chain.permanent(record[j], bits);
            chain.report(permanent, bits, supports.of[j]);
            ++supports.reports[j];
        }
    }
    /// Of the attribute that is reported, or of all at a part of ε each.
    [[nodiscard]] double spent() const override {
        std::size_t responses = 0;
        for (std::size_t j = 0; j < memory_.size(); ++j)
            if (!asked_ || *asked_ == j) responses += memory_[j].size();
        return protocol_.epsilon() * static_cast<double>(responses) /
               (asked_ ? 1 : static_cast<double>(memory_.size()));
    }

  private:
    [[nodiscard]] bool reports(std::size_t j) const { return !asked_ || *asked_ == j || protocol_.fakes(); }

    const PublishedRecords& protocol_;
    std::vector<std::map<Cell, TwoLayerChain::Permanent>> memory_;  ///< of each attribute, by value
    std::optional<std::size_t> asked_;
};

std::unique_ptr<RecordDevice> PublishedRecords::device(BitSource& bits) const {
    return std::make_unique<PublishedDevice>(*this, bits);
}

void check(const std::string& what, double found, double expected) {
    if (!(std::abs(found - expected) <= 1e-9 * expected))
        throw std::logic_error(what + ": epsilon is " + std::to_string(found) + ", not " +
                               std::to_string(expected));
}

/// The ε of records of d attributes of k values, one through grr or oue at an amplified ε and the others
/// fake, as the largest log-ratio of a report's probabilities under two records.
double enumerated_epsilon_of_fakes(TwoLayerChain::Kind kind, std::size_t d, std::size_t k, double amplified) {
    const bool grr = kind == TwoLayerChain::Kind::grr;
    const double odds = std::exp(amplified);
    const auto values = static_cast<double>(k);
    const double p = grr ? odds / (odds + values - 1) : 0.5,
                 q = grr ? 1 / (odds + values - 1) : 1 / (odds + 1);
    const std::size_t outputs = grr ? k : std::size_t{1} << k;
    // A report about one attribute with value v; v = k stands for a fake one.
    const auto of_one = [&](std::size_t v, std::size_t output) {
        if (grr) return v == k ? 1 / values : output == v ? p : q;
        double product = 1;
        for (std::size_t i = 0; i < k; ++i) {
            const double set = i == v ? p : q;
            product *= (output >> i) % 2 == 1 ? set : 1 - set;
        }
        return product;
    };
    const auto digit = [](std::size_t number, std::size_t base, std::size_t place) {
        for (; place > 0; --place) number /= base;
        return number % base;
    };
    const auto all = [d](std::size_t base) {
        return static_cast<std::size_t>(
            std::llround(std::pow(static_cast<double>(base), static_cast<double>(d))));
    };
    double worst = 0;
    for (std::size_t report = 0; report < all(outputs); ++report) {
        double least = 1, most = 0;
        for (std::size_t record = 0; record < all(k); ++record) {
            double sum = 0;
            for (std::size_t real = 0; real < d; ++real) {
                double product = 1 / static_cast<double>(d);
                for (std::size_t j = 0; j < d; ++j)
                    product *= of_one(j == real ? digit(record, k, j) : k, digit(report, outputs, j));
                sum += product;
            }
            least = std::min(least, sum);
            most = std::max(most, sum);
        }
        worst = std::max(worst, std::log(most / least));
    }
    return worst;
}

}  // namespace

TwoLayerChain::TwoLayerChain(Kind kind, std::size_t size, double epsilon, double report_epsilon)
    : kind_(kind), size_(size) {
    const double permanent = std::exp(epsilon), first = std::exp(report_epsilon);
    if (kind == Kind::osue) {
        // A report supports the value with probability 1/2, and another one with 1/(e^ε₁ + 1).
        p1_ = 0.5;
        q1_ = 1 / (permanent + 1);
        p2_ = (1 - q1_ - 1 / (first + 1)) / (1 - 2 * q1_);
        q2_ = 1 - p2_;
        return;
    }
    const auto others = static_cast<double>(size - 1);
    p1_ = permanent / (permanent + others);
    q1_ = 1 / (permanent + others);
    // own() = e^ε₁·other(), which is linear in p₂.
    const double spread = first * (1 - q1_) / others;
    p2_ = (spread - q1_) / (p1_ - q1_ - first * q1_ + spread);
    q2_ = (1 - p2_) / others;
}

double TwoLayerChain::own() const noexcept {
    return p1_ * p2_ + (1 - p1_) * q2_;
}

double TwoLayerChain::other() const noexcept {
    return q1_ * p2_ + (1 - q1_) * q2_;
}

double TwoLayerChain::report_epsilon() const noexcept {
    const double ratio = own() / other();
    return std::log(kind_ == Kind::osue ? ratio * (1 - other()) / (1 - own()) : ratio);
}

double TwoLayerChain::permanent_epsilon() const noexcept {
    return std::log(kind_ == Kind::osue ? p1_ * (1 - q1_) / (q1_ * (1 - p1_)) : p1_ / q1_);
}

TwoLayerChain::Permanent TwoLayerChain::permanent(Cell value, BitSource& bits) const {
    if (kind_ == Kind::grr) {
        if (happens(p1_, bits)) return {value};
        const Cell other = bits.below(size_ - 1);
        return {other < value ? other : other + 1};
    }
    Permanent found(size_);
    for (std::size_t v = 0; v < size_; ++v) found[v] = happens(v == value ? p1_ : q1_, bits) ? 1 : 0;
    return found;
}

TwoLayerChain::Permanent TwoLayerChain::fake(BitSource& bits) const {
    if (kind_ == Kind::grr) return {bits.below(size_)};
    Permanent found(size_);
    for (Cell& bit : found) bit = happens(q1_, bits) ? 1 : 0;
    return found;
}

void TwoLayerChain::report(const Permanent& permanent, BitSource& bits, std::span<double> support) const {
    if (kind_ == Kind::grr) {
        const Cell own = permanent[0];
        if (happens(p2_, bits)) {
            ++support[own];
            return;
        }
        const Cell other = bits.below(size_ - 1);
        ++support[other < own ? other : other + 1];
        return;
    }
    for (std::size_t v = 0; v < size_; ++v)
        if (happens(permanent[v] != 0 ? p2_ : q2_, bits)) ++support[v];
}

std::unique_ptr<const RecordProtocol> published_records(RecordWay way, const std::vector<std::size_t>& sizes,
                                                        double epsilon, double report_epsilon) {
    return std::make_unique<PublishedRecords>(way, sizes, epsilon, report_epsilon);
}

void check_published_records() {
    using Kind = TwoLayerChain::Kind;
    for (const Kind kind : {Kind::grr, Kind::osue})
        for (const double epsilon : {0.5, 1.0, 2.0}) {
            for (const std::size_t size : {2, 5, 41}) {
                const TwoLayerChain chain(kind, size, epsilon, 0.4 * epsilon);
                check("a permanent response", chain.permanent_epsilon(), epsilon);
                check("a report of a permanent response", chain.report_epsilon(), 0.4 * epsilon);
            }
            for (const std::size_t d : {2, 3}) {
                const double amplified = std::log(static_cast<double>(d) * std::expm1(epsilon) + 1);
                check("a record among fake ones", enumerated_epsilon_of_fakes(kind, d, 3, amplified),
                      amplified);
            }
        }
}

}  // namespace evaluation
