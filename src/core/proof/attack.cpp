#include "core/proof/attack.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>

#include "core/base/exact.hpp"
#include "core/math/statistics.hpp"

namespace ldp {

namespace {

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
    found.epsilon = epsilon_above(found.likelier, found.rarer, found.trials, confidence, delta);
    return found;
}

/// The scores of one distinguisher. Those of the first people may be missing.
struct Distinguisher {
    std::span<const double> first, second;
};

/// The bound by the best event of all distinguishers. The later half of the longest scores is counted, the rest of
/// each decides.
LowerBound attack_by(std::span<const Distinguisher> distinguishers, double confidence, double delta) {
    std::size_t longest = 0;
    for (const Distinguisher& each : distinguishers) longest = std::max(longest, each.first.size());
    const std::size_t counted = longest - longest / 2;
    if (longest < 2) return {};
    double best = -1, threshold = 0;
    bool speaks_for_second = true;
    const Distinguisher* chosen = nullptr;
    for (const Distinguisher& distinguisher : distinguishers) {
        const std::size_t deciding = distinguisher.first.size() - counted;
        const std::vector<double> a = ordered(distinguisher.first.first(deciding)),
                                  b = ordered(distinguisher.second.first(deciding));
        std::vector<double> thresholds;
        constexpr std::size_t tried = 500;
        for (const auto* scores : {&a, &b})
            for (std::size_t i = 0; i < deciding; i += 1 + deciding / tried)
                thresholds.push_back((*scores)[i]);
        std::ranges::sort(thresholds);
        thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
        for (const double each : thresholds)
            for (const bool kind : {true, false}) {
                const double found = divide(a, b, each, kind, confidence, delta).epsilon;
                if (found > best)
                    best = found, threshold = each, speaks_for_second = kind, chosen = &distinguisher;
            }
    }
    return divide(ordered(chosen->first.last(counted)), ordered(chosen->second.last(counted)), threshold,
                  speaks_for_second, confidence, delta);
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

/// Scores of the texts behind the quarter from which they are learned.
Scores scores_of_texts(std::span<const std::string> first, std::span<const std::string> second) {
    const std::size_t n = std::min(first.size(), second.size()), quarter = n / 4;
    const TextScores learnt(first.first(quarter), second.first(quarter));
    const auto scores = [&](std::span<const std::string> reports) {
        std::vector<double> all;
        for (const std::string& text : reports.subspan(quarter, n - quarter))
            all.push_back(learnt.score(text));
        return all;
    };
    return {scores(first), scores(second)};
}

/// The likelihood ratios of responses, with a memory of those that were computed.
class LikelihoodRatios {
  public:
    LikelihoodRatios(const PrivacyProof& mechanism, const Series& series) : m_(mechanism), series_(series) {}

    /// ln P(permanent response | second input) − ln P(permanent response | first input).
    [[nodiscard]] double of_response(Bytes public_randomness, Bytes permanent) {
        return known(public_randomness, permanent,
                     [&](Input input) { return m_.probability(input, public_randomness, permanent); });
    }
    /// The same for the response that a payload shows; 0 if it does not show it.
    [[nodiscard]] double of_payload(Bytes payload) {
        return known({}, payload,
                     [&](Input input) { return m_.shown_probability(input, payload).value_or(exact(1, 1)); });
    }

  private:
    /// Scores of responses that are impossible under one of the inputs. Finite, so that scores of several rounds add
    /// up; no sum of other log-ratios is as large.
    static constexpr double impossible = 1e9;

    template <class Probability>
    [[nodiscard]] double known(Bytes one, Bytes other, Probability probability) {
        std::string key;
        for (const Bytes part : {one, other})
            for (const std::byte byte : part) key += static_cast<char>(byte);
        const auto at = known_.find(key);
        if (at != known_.end()) return at->second;
        const Exact p = probability(series_.second), q = probability(series_.first);
        const double found = p == q        ? 0
                             : p.is_zero() ? -impossible
                             : q.is_zero() ? impossible
                                           : std::log(static_cast<double>(p / q));
        constexpr std::size_t enough = 1 << 17;
        if (known_.size() < enough) known_.emplace(std::move(key), found);
        return found;
    }

    const PrivacyProof& m_;
    const Series& series_;
    std::unordered_map<std::string, double> known_;
};

/// One person's device, and a score of what it sends.
class Suspect {
  public:
    Suspect(const PrivacyProof& mechanism, const Series& series)
        : m_(mechanism),
          series_(series),
          layered_(mechanism.report_epsilon() < mechanism.epsilon()),
          ratios_(mechanism, series) {}

    /// Draws the reports of a person of either kind and returns their score.
    [[nodiscard]] double score(bool second_kind, BitSource& bits) {
        double sum = 0;
        std::vector<std::byte> public_randomness(m_.public_size()), payload(m_.payload_size());
        std::map<std::vector<Cell>, std::vector<std::byte>> kept;
        for (std::uint64_t round = 0; round < series_.rounds; ++round) {
            if (round == 0 || series_.fresh) m_.draw_public(bits, public_randomness), kept.clear();
            const bool second = series_.has_second(second_kind, round);
            const Input input = second ? series_.second : series_.first;
            const auto [permanent, drawn] =
                kept.try_emplace(m_.response_key(input, public_randomness), m_.permanent_size());
            if (drawn) m_.permanent_response(input, public_randomness, bits, permanent->second);
            double ratio = 0;
            if (layered_) {
                m_.instantaneous_response(public_randomness, permanent->second, bits, payload);
                ratio = ratios_.of_payload(payload);
            } else {
                ratio = ratios_.of_response(public_randomness, permanent->second);
            }
            sum += series_.has_second(true, round) ? ratio : -ratio;
        }
        return sum;
    }

  private:
    const PrivacyProof& m_;
    const Series& series_;
    bool layered_;
    LikelihoodRatios ratios_;
};

}  // namespace

double epsilon_above(std::uint64_t likelier, std::uint64_t rarer, std::uint64_t trials, double confidence,
                     double delta) {
    const double error = (1 - confidence) / 2;
    const double p = std::max(0.0, probability_above(likelier, trials, error) - delta);
    return std::max(0.0, std::log(p / probability_below(rarer, trials, error)));
}

LowerBound attack(std::span<const double> first, std::span<const double> second, double confidence,
                  double delta) {
    const std::size_t n = std::min(first.size(), second.size());
    const Distinguisher only{first.first(n), second.first(n)};
    return attack_by({&only, 1}, confidence, delta);
}

LowerBound attack(std::span<const std::string> first, std::span<const std::string> second, double confidence,
                  double delta) {
    const Scores scores = scores_of_texts(first, second);
    return attack(scores.first, scores.second, confidence, delta);
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

Scores simulated_scores(const PrivacyProof& mechanism, const Series& series, std::uint64_t people,
                        BitSource& bits, const std::function<void(std::uint64_t)>& progress) {
    Suspect suspect(mechanism, series);
    Scores scores;
    for (std::uint64_t i = 0; i < people; ++i) {
        scores.first.push_back(suspect.score(false, bits));
        scores.second.push_back(suspect.score(true, bits));
        if (progress && i % 256 == 255) progress(i + 1);
    }
    return scores;
}

LowerBound attack(const PrivacyProof& mechanism, const Series& series, std::uint64_t people,
                  double confidence, BitSource& bits, const std::function<void(std::uint64_t)>& progress) {
    const Scores scores = simulated_scores(mechanism, series, people, bits, progress);
    return attack(scores.first, scores.second, confidence, series.promised_delta(mechanism));
}

LowerBound attack(const PrivacyProof& mechanism, const Series& series,
                  std::span<const std::vector<std::byte>> first,
                  std::span<const std::vector<std::byte>> second, double confidence) {
    LikelihoodRatios ratios(mechanism, series);
    Scores scores;
    std::vector<std::string> first_texts, second_texts;
    const std::size_t people = std::min(first.size(), second.size()) / series.rounds;
    const auto observe = [&](std::span<const std::vector<std::byte>> reports, std::vector<double>& sums,
                             std::vector<std::string>& texts) {
        for (std::size_t i = 0; i < people; ++i) {
            double sum = 0;
            std::string text;
            for (std::uint64_t round = 0; round < series.rounds; ++round) {
                const Bytes sent = reports[i * series.rounds + round];
                const double ratio = ratios.of_payload(sent.first(mechanism.payload_size()));
                sum += series.has_second(true, round) ? ratio : -ratio;
                for (const std::byte byte : sent) text += static_cast<char>(byte);
            }
            sums.push_back(sum);
            texts.push_back(std::move(text));
        }
    };
    observe(first, scores.first, first_texts);
    observe(second, scores.second, second_texts);
    const Scores by_text = scores_of_texts(first_texts, second_texts);
    const Distinguisher distinguishers[] = {{scores.first, scores.second}, {by_text.first, by_text.second}};
    return attack_by(distinguishers, confidence, series.promised_delta(mechanism));
}

}  // namespace ldp
