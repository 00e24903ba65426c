#include "core/proof/attack.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>

#include "core/math/statistics.hpp"
#include "core/proof/explore.hpp"

namespace ldp {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// ln of a lower bound of p, less δ, over an upper bound of q, each with half of the error, from how many of
/// n trials showed the event.
double log_ratio(std::uint64_t likelier, std::uint64_t rarer, std::uint64_t n, double confidence,
                 double delta) {
    const double error = (1 - confidence) / 2;
    const double p = std::max(0.0, probability_above(likelier, n, error) - delta);
    return std::max(0.0, std::log(p / probability_below(rarer, n, error)));
}

/// Scores in order, so that those beyond a threshold are counted at once.
std::vector<double> ordered(std::span<const double> scores) {
    std::vector<double> all(scores.begin(), scores.end());
    std::ranges::sort(all);
    return all;
}

/// How a threshold divides the two kinds: the event is a score of at least it if `second`, else one below.
LowerBound divide(const std::vector<double>& first, const std::vector<double>& second, double threshold,
                  bool speaks_for_second, double confidence, double delta) {
    const auto at_least = [&](const std::vector<double>& scores) {
        return static_cast<std::uint64_t>(scores.end() - std::ranges::lower_bound(scores, threshold));
    };
    LowerBound found;
    found.trials = first.size();
    found.second = speaks_for_second;
    found.likelier = speaks_for_second ? at_least(second) : found.trials - at_least(first);
    found.rarer = speaks_for_second ? at_least(first) : found.trials - at_least(second);
    found.epsilon = log_ratio(found.likelier, found.rarer, found.trials, confidence, delta);
    return found;
}

/// Scores of reports by their texts.
class TextScores {
  public:
    TextScores(std::span<const std::string> first, std::span<const std::string> second) {
        count(first, 0);
        count(second, 1);
        const std::size_t often = 50;  // rarer texts contain almost no information
        by_text_ = texts_.size() <= first.size() / often;
    }
    [[nodiscard]] double score(const std::string& text) const {
        if (by_text_) {
            const auto known = texts_.find(text);
            return known == texts_.end() ? 0 : ratio(known->second);
        }
        double sum = 0;
        for (std::size_t i = 0; i < std::min(text.size(), places_.size()); ++i)
            sum += ratio(places_[i][static_cast<unsigned char>(text[i])]);
        return sum;
    }

  private:
    using Counts = std::array<std::uint64_t, 2>;

    void count(std::span<const std::string> reports, std::size_t kind) {
        for (const std::string& text : reports) {
            ++texts_[text][kind];
            const std::size_t places = std::min<std::size_t>(text.size(), 1 << 13);
            if (places > places_.size()) places_.resize(places);
            for (std::size_t i = 0; i < places; ++i) ++places_[i][static_cast<unsigned char>(text[i])][kind];
        }
    }
    static double ratio(const Counts& counts) {
        return std::log((static_cast<double>(counts[1]) + 0.5) / (static_cast<double>(counts[0]) + 0.5));
    }

    std::unordered_map<std::string, Counts> texts_;
    std::vector<std::array<Counts, 256>> places_;
    bool by_text_;
};

/// One person's device, and a likelihood ratio of what it sends.
class Suspect {
  public:
    Suspect(const PrivacyProof& mechanism, const Series& series)
        : m_(mechanism), series_(series), layered_(mechanism.report_epsilon() < mechanism.epsilon()) {}

    /// Whether every permanent response can be summed over; else texts have to do.
    [[nodiscard]] bool scored(BitSource& bits) const {
        std::vector<std::byte> public_randomness(m_.public_size());
        m_.draw_public(bits, public_randomness);
        return !layered_ || permanents(series_.first, public_randomness);
    }

    /// ln P(all reports | second) − ln P(all reports | first), of a person of either kind.
    [[nodiscard]] double score(bool second, BitSource& bits) {
        double sum = 0;
        Person person(m_);
        for (std::uint64_t round = 0; round < series_.rounds;) {
            if (round == 0 || series_.fresh) person.draw_public(m_, bits);
            // A permanent response is drawn for the rounds that share one: this one and, if kept, the next of
            // its kind.
            const bool odd = series_.changing && round % 2 == 1;
            const bool swapped = second != odd;
            std::uint64_t reports = 1;
            if (!series_.fresh)
                reports = !series_.changing ? series_.rounds : (series_.rounds + (odd ? 0 : 1)) / 2;
            if (m_.response_key(series_.first, person.public_randomness) !=
                m_.response_key(series_.second, person.public_randomness)) {
                m_.permanent_response(swapped ? series_.second : series_.first, person.public_randomness,
                                      bits, person.permanent);
                sum += (odd ? -1 : 1) * ratio(person, reports, bits);
            }
            if (!series_.fresh && (!series_.changing || odd || series_.rounds == 1)) break;
            ++round;
        }
        return sum;
    }

    /// How often each bit of a report was set over the rounds, one character a bit.
    [[nodiscard]] std::string text(bool second, BitSource& bits) const {
        Person person(m_);
        std::map<std::vector<Cell>, std::vector<std::byte>> kept;
        std::string ones(8 * m_.payload_size(), '\0');
        std::vector<std::byte> payload(m_.payload_size());
        for (std::uint64_t round = 0; round < series_.rounds; ++round) {
            if (round == 0 || series_.fresh) person.draw_public(m_, bits), kept.clear();
            const bool swapped = second != (series_.changing && round % 2 == 1);
            const Input input = swapped ? series_.second : series_.first;
            const auto [permanent, drawn] =
                kept.try_emplace(m_.response_key(input, person.public_randomness), m_.permanent_size());
            if (drawn) m_.permanent_response(input, person.public_randomness, bits, permanent->second);
            m_.instantaneous_response(person.public_randomness, permanent->second, bits, payload);
            for (std::size_t i = 0; i < ones.size(); ++i)
                ones[i] = static_cast<char>(ones[i] + (std::to_integer<int>(payload[i / 8]) >> i % 8 & 1));
        }
        return ones;
    }

  private:
    struct Person {
        explicit Person(const PrivacyProof& m)
            : public_randomness(m.public_size()), permanent(m.permanent_size()) {}
        void draw_public(const PrivacyProof& m, BitSource& bits) { m.draw_public(bits, public_randomness); }
        std::vector<std::byte> public_randomness, permanent;
    };

    [[nodiscard]] std::optional<Outcomes> permanents(Input input, Bytes public_randomness) const {
        std::uint64_t most = 4096;
        return law_of(
            m_.permanent_size(),
            [&](BitSource& bits, MutableBytes permanent) {
                m_.permanent_response(input, public_randomness, bits, permanent);
            },
            most);
    }

    /// The likelihood ratio of this number of reports from one permanent response.
    [[nodiscard]] double ratio(const Person& person, std::uint64_t reports, BitSource& bits) {
        if (layered_) return layered_ratio(person, reports, bits);
        std::string key;
        for (const auto* part : {&person.public_randomness, &person.permanent})
            for (const std::byte byte : *part) key += static_cast<char>(byte);
        const auto known = known_.find(key);
        if (known != known_.end()) return known->second;
        const Exact p = m_.probability(series_.second, person.public_randomness, person.permanent),
                    q = m_.probability(series_.first, person.public_randomness, person.permanent);
        const double found = p.is_zero()   ? -infinity
                             : q.is_zero() ? infinity
                                           : std::log(static_cast<double>(p / q));
        constexpr std::size_t enough = 1 << 17;
        if (known_.size() < enough) known_.emplace(std::move(key), found);
        return found;
    }
    /// P(reports | input) = Σ over permanent responses of P(permanent response | input) · Π P(report |
    /// permanent response).
    [[nodiscard]] double layered_ratio(const Person& person, std::uint64_t reports, BitSource& bits) const {
        std::vector<std::vector<std::byte>> sent(reports, std::vector<std::byte>(m_.payload_size()));
        for (auto& payload : sent)
            m_.instantaneous_response(person.public_randomness, person.permanent, bits, payload);
        const auto likelihood = [&](Input input) {
            long double sum = 0;
            const auto law = permanents(input, person.public_randomness);
            for (const auto& [permanent, p] : law.value()) {
                auto product = static_cast<long double>(p);
                for (const auto& payload : sent)
                    product *= static_cast<long double>(
                        m_.instantaneous_probability(person.public_randomness, permanent, payload));
                sum += product;
            }
            return sum;
        };
        return static_cast<double>(std::log(likelihood(series_.second) / likelihood(series_.first)));
    }

    const PrivacyProof& m_;
    const Series& series_;
    bool layered_;
    std::unordered_map<std::string, double> known_;
};

}  // namespace

LowerBound attack(std::span<const double> first, std::span<const double> second, double confidence,
                  double delta) {
    const std::size_t n = std::min(first.size(), second.size()), half = n / 2;
    if (half == 0) return {};
    const std::vector<double> a = ordered(first.first(half)), b = ordered(second.first(half));
    std::vector<double> thresholds;
    constexpr std::size_t tried = 500;
    for (const auto* scores : {&a, &b})
        for (std::size_t i = 0; i < half; i += 1 + half / tried) thresholds.push_back((*scores)[i]);
    std::ranges::sort(thresholds);
    thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
    double best = -1, threshold = 0;
    bool speaks_for_second = true;
    for (const double each : thresholds)
        for (const bool kind : {true, false}) {
            const double found = divide(a, b, each, kind, confidence, delta).epsilon;
            if (found > best) best = found, threshold = each, speaks_for_second = kind;
        }
    return divide(ordered(first.subspan(half, n - half)), ordered(second.subspan(half, n - half)), threshold,
                  speaks_for_second, confidence, delta);
}

LowerBound attack(std::span<const std::string> first, std::span<const std::string> second, double confidence,
                  double delta) {
    const std::size_t n = std::min(first.size(), second.size()), quarter = n / 4;
    const TextScores learnt(first.first(quarter), second.first(quarter));
    const auto scores = [&](std::span<const std::string> reports) {
        std::vector<double> all;
        for (const std::string& text : reports.subspan(quarter, n - quarter))
            all.push_back(learnt.score(text));
        return all;
    };
    return attack(scores(first), scores(second), confidence, delta);
}

double Series::promised(const PrivacyProof& mechanism) const {
    if (fresh) {
        const double each = mechanism.report_epsilon();
        return each * static_cast<double>(rounds);
    }
    if (rounds == 1) return mechanism.report_epsilon();
    return mechanism.epsilon() * (changing ? 2 : 1);
}

double Series::promised_delta(const PrivacyProof& mechanism) const {
    return mechanism.delta() * static_cast<double>(rounds);
}

LowerBound attack(const PrivacyProof& mechanism, const Series& series, std::uint64_t people,
                  double confidence, BitSource& bits, const std::function<void(std::uint64_t)>& progress) {
    Suspect suspect(mechanism, series);
    const auto observe = [&](auto&& one) {
        using Outcome = decltype(one(false));
        std::array<std::vector<Outcome>, 2> kinds;
        for (std::uint64_t i = 0; i < people; ++i) {
            for (const bool second : {false, true}) kinds[second ? 1 : 0].push_back(one(second));
            if (progress && i % 256 == 255) progress(i + 1);
        }
        return attack(kinds[0], kinds[1], confidence, series.promised_delta(mechanism));
    };
    if (suspect.scored(bits)) return observe([&](bool second) { return suspect.score(second, bits); });
    return observe([&](bool second) { return suspect.text(second, bits); });
}

}  // namespace ldp
