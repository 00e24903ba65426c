#include "core/mechanism/ordered/cut_noise.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "core/mechanism/ordered/split_people.hpp"

namespace ldp {

namespace {

/// Consecutive buckets of one partition at which a sum has one value.
template <class People>
struct Run {
    double buckets;
    People people;  ///< their share, or shares
    double value;
};

/// Calls visit(terms) for the terms of each partition.
template <class Visit>
void for_each_partition(std::span<const CutSum::CutTerm> terms, Visit visit) {
    for (std::size_t from = 0, to = 0; from < terms.size(); from = to) {
        while (to < terms.size() && terms[to].partition == terms[from].partition) ++to;
        visit(terms.subspan(from, to - from));
    }
}

/// Returns the runs of a partition in order. between(from, to) is about the people from place `from` to
/// before place `to`.
template <class Between>
auto runs_of(std::span<const CutSum::CutTerm> terms, const PublicCuts& cuts, const Between& between) {
    std::vector<Run<decltype(between(0, 0))>> runs;
    double value = 0;
    for (const CutSum::CutTerm& term : terms) value += term.weight;
    std::uint64_t place = 0, bucket = 0;
    for (const CutSum::CutTerm& term : terms) {
        runs.push_back({static_cast<double>(term.bucket + 1 - bucket), between(place, term.place), value});
        value -= term.weight;
        place = term.place;
        bucket = term.bucket + 1;
    }
    runs.push_back({static_cast<double>(cuts.buckets() - bucket), between(place, cuts.points()), 0});
    return runs;
}

/// Returns between(from, to) in places, for a function of points that is additive.
template <class Between, class Sum>
auto in_places(const PublicCuts& cuts, std::uint64_t start, const Between& between, const Sum& sum) {
    return [&cuts, first = cuts.first_point(start), &between, &sum](std::uint64_t from, std::uint64_t to) {
        const std::uint64_t points = cuts.points(), low = from + first, high = to + first;
        if (high <= points) return between(low, high);
        if (low >= points) return between(low - points, high - points);
        return sum(between(low, points), between(0, high - points));
    };
}

}  // namespace

// Cuts
// --------------------------------------------------------------------------------------------------------

ReportedCuts::ReportedCuts(const PublicCuts& cuts, std::vector<double> reports)
    : cuts_(cuts),
      reports_(std::move(reports)),
      all_(std::accumulate(reports_.begin(), reports_.end(), 0.0)),
      weights_(cuts.starts()),
      back_(cuts.partitions()),
      ahead_(cuts.partitions()) {
    const auto offsets = cuts.offsets();
    std::size_t active = 0;
    for (std::uint64_t start = 0; start < cuts.starts(); ++start) {
        const auto own = std::span(reports_).subspan(start * offsets, offsets);
        if (std::ranges::all_of(own, [](double one) { return one == 0; })) continue;
        weights_[start] = 1;
        ++active;
        std::uint64_t back = 0, ahead = 0;
        for (std::uint64_t i = 0; i < 2 * offsets; ++i) {  // twice around
            const std::uint64_t up = i % offsets, down = offsets - 1 - up;
            back = own[up] > 0 ? 0 : back + 1;
            ahead = own[down] > 0 ? 0 : ahead + 1;
            back_[start * offsets + up] = back;
            ahead_[start * offsets + down] = ahead;
        }
    }
    for (double& weight : weights_) weight /= static_cast<double>(active);
}

ReportedCuts::Around ReportedCuts::around(std::uint64_t start, std::uint64_t place) const noexcept {
    const std::uint64_t partition = start * cuts_.offsets() + cuts_.cut(place).offset;
    return {place - std::min(place, back_[partition]), std::min(cuts_.points(), place + ahead_[partition])};
}

// The share before a cut without reports is between those before its neighbours with reports. Their mean is
// wrong by at most half of their difference. The differences between such neighbours add up to at most 1.
void ReportedCuts::add(CutSum& sum, std::span<const Decrease> decreases, std::uint64_t start) const {
    std::vector<std::pair<std::uint64_t, double>> guessed;  // left neighbour, largest error
    for (const auto& [point, by] : decreases) {
        const std::uint64_t place = cuts_.place(start, point);
        if (place == 0 || by == 0) continue;
        const double weight = by * weights_[start];
        const auto term = [&](std::uint64_t at, double weighs) {
            if (at == 0) return;
            if (at == cuts_.points()) {
                sum.constant += weighs;
                return;
            }
            const auto [offset, bucket] = cuts_.cut(at);
            sum.terms.push_back({start * cuts_.offsets() + offset, bucket, at, weighs});
        };
        const auto [left, right] = around(start, place);
        if (left == right) {
            term(place, weight);
            continue;
        }
        term(left, weight / 2);
        term(right, weight / 2);
        guessed.emplace_back(left, std::abs(weight) / 2);
    }
    std::ranges::sort(guessed);
    double most = 0;
    for (std::size_t from = 0, to = 0; from < guessed.size(); from = to) {
        double here = 0;
        while (to < guessed.size() && guessed[to].first == guessed[from].first) here += guessed[to++].second;
        most = std::max(most, here);
    }
    sum.blind += most;
}

void ReportedCuts::sort(std::vector<CutSum::CutTerm>& terms) {
    std::ranges::sort(terms, {},
                      [](const CutSum::CutTerm& one) { return std::pair(one.partition, one.bucket); });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        if (kept > 0 && terms[kept - 1].partition == terms[i].partition &&
            terms[kept - 1].bucket == terms[i].bucket)
            terms[kept - 1].weight += terms[i].weight;
        else
            terms[kept++] = terms[i];
    }
    terms.resize(kept);
}

// Noise
// -------------------------------------------------------------------------------------------------------

CutNoise::CutNoise(ReportedCuts reported, const PureProtocol& protocol, std::vector<double> shares)
    : CutNoise(std::move(reported), protocol, protocol, 1, std::move(shares)) {}

CutNoise::CutNoise(ReportedCuts reported, const PureProtocol& protocol, const PureProtocol& kept, double each,
                   std::vector<double> shares)
    : reported_(std::move(reported)),
      protocol_(protocol),
      kept_(kept),
      each_(each),
      shares_(std::move(shares)),
      below_(shares_.size() + 1) {
    std::partial_sum(shares_.begin(), shares_.end(), below_.begin() + 1);
}

double CutNoise::of(std::span<const double> function) const {
    double first = 0, second = 0;
    std::vector<ReportedCuts::Decrease> decreases;
    decreases.reserve(function.size());
    for (std::size_t s = 0; s < function.size(); ++s) {
        first += shares_[s] * function[s];
        second += shares_[s] * function[s] * function[s];
        decreases.push_back({s, (s == 0 ? function.back() : function[s - 1]) - function[s]});
    }
    return variance(reported_.sum(decreases, [&](std::uint64_t point) { return function[point]; }),
                    second - first * first);
}

CutSum CutNoise::range(std::size_t first, std::size_t end) const {
    const ReportedCuts::Decrease decreases[] = {{first, -1}, {end == shares_.size() ? 0 : end, 1}};
    return reported_.sum(decreases,
                         [&](std::uint64_t point) { return point >= first && point < end ? 1.0 : 0.0; });
}

double CutNoise::between(std::size_t first, std::size_t end) const {
    const double share = below_[end] - below_[first];
    return variance(range(first, end), share * (1 - share));
}

double CutNoise::falling(std::size_t first, std::span<const double> values) const {
    const auto value = [&](std::uint64_t point) {
        return point < first ? 1.0 : point < first + values.size() ? values[point - first] : 0.0;
    };
    double mean = below_[first], square = below_[first];
    std::vector<ReportedCuts::Decrease> decreases{{0, value(shares_.size() - 1) - value(0)}};
    for (std::size_t i = 0; i < values.size(); ++i) {
        mean += shares_[first + i] * values[i];
        square += shares_[first + i] * values[i] * values[i];
    }
    for (std::size_t at = std::max<std::size_t>(first, 1);
         at <= std::min(first + values.size(), shares_.size() - 1); ++at)
        decreases.push_back({at, value(at - 1) - value(at)});
    return variance(reported_.sum(decreases, value), square - mean * mean);
}

// See summary/pooling.hpp: the part of the permanent responses counts for each report of a person.
double CutNoise::variance(const CutSum& sum, double among_people) const {
    const double sent = variance(sum, among_people, protocol_);
    return each_ == 1 ? sent : sent / each_ + variance(sum, among_people, kept_) * (1 - 1 / each_);
}

double CutNoise::variance(const CutSum& sum, double among_people, const PureProtocol& protocol) const {
    const double p = protocol.p, q = protocol.q;
    const PublicCuts& cuts = reported_.cuts();
    const double n = reported_.all();
    double used = 0;
    for_each_partition(sum.terms, [&](std::span<const CutSum::CutTerm> terms) {
        used += reported_.reports()[terms[0].partition];
    });
    const double weight = used / (used + 1);
    double all = n * sum.blind * sum.blind;
    const auto between = [&](std::uint64_t from, std::uint64_t to) { return below_[to] - below_[from]; };
    const auto added = [](double one, double other) { return one + other; };
    for_each_partition(sum.terms, [&](std::span<const CutSum::CutTerm> terms) {
        auto runs =
            runs_of(terms, cuts, in_places(cuts, terms[0].partition / cuts.offsets(), between, added));
        const double reports = reported_.reports()[terms[0].partition];
        for (auto& run : runs) run.people *= weight;
        const auto [least, most] =
            std::ranges::minmax_element(runs, {}, [](const auto& run) { return run.value; });
        least->people += (1 - weight) / 2;
        most->people += (1 - weight) / 2;
        double none = 0, mean = 0, square = 0;
        for (const auto& run : runs) {
            none += q * run.buckets * run.value;
            mean += run.people * run.value;
        }
        for (const auto& run : runs) {
            const double term = (run.value - none) / (p - q);
            square += (q * run.buckets + (p - q) * run.people) * term * term;
        }
        all += n / reports * (square - mean * mean);
    });
    return std::max(all - among_people, 0.0);
}

TruthCurve CutNoise::curve(std::size_t first, std::size_t end, Target target) const {
    const double p = protocol_.p, q = protocol_.q;
    const PublicCuts& cuts = reported_.cuts();
    const double n = reported_.all();
    const SplitPeople split(below_, first, end, n);
    const CutSum sum = range(first, end);
    CumulantsAtTruths cumulants(n);
    cumulants.add(n * sum.blind * sum.blind);
    const auto between = [&](std::uint64_t from, std::uint64_t to) { return split.between(from, to); };
    const auto added = [](const SplitPeople::SplitShares& one, const SplitPeople::SplitShares& other) {
        return SplitPeople::SplitShares{one.inside + other.inside, one.outside + other.outside};
    };
    for_each_partition(sum.terms, [&](std::span<const CutSum::CutTerm> terms) {
        const auto runs =
            runs_of(terms, cuts, in_places(cuts, terms[0].partition / cuts.offsets(), between, added));
        double none = 0, most = 0;
        for (const auto& run : runs) {
            none += q * run.buckets * run.value;
            most = std::max(most, std::abs(run.value));
        }
        const double reports = reported_.reports()[terms[0].partition];
        const double step = most / (p - q) / reports;
        cumulants.add(reports, step, [&](double truth) -> CumulantsAtTruths::StepMoments {
            CumulantsAtTruths::StepMoments moments{};
            for (const auto& run : runs) {
                const double people = SplitPeople::at(truth, run.people), term = (run.value - none) / (p - q),
                             chance = q * run.buckets + (p - q) * people;
                moments.first += people * run.value;
                moments.second += chance * term * term;
                moments.third += chance * term * term * term;
            }
            return moments;
        });
    });
    return cumulants.curve_of_known_reports(target);
}

}  // namespace ldp
