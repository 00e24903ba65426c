#include "simulation.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include "../client/diary.hpp"
#include "../client/memory_store.hpp"
#include "../core/error.hpp"
#include "../core/summary.hpp"
#include "seeded.hpp"

namespace ldp::cli {

namespace {

/// One person's client. What it remembers lives as long as it does.
class Reporter {
  public:
    Reporter(const Collection& collection, BitSource& bits) : collection_(collection), bits_(bits) {
        if (collection.spec().evolving()) diary_.emplace(collection, store_, bits);
    }

    struct Made {
        Report report;  ///< empty if it was refused
        Origin origin;
    };
    [[nodiscard]] Made report(std::span<const Value> record) try {
        if (diary_) {
            Diary::Entry entry = diary_->answer(collection_.place(record).positions, bits_);
            return {std::move(entry.report), entry.origin};
        }
        ++fresh_;
        const Encoded encoded = collection_.encode(record, bits_);
        return {collection_.mechanism().perturb(encoded.cells, bits_), Origin::drawn};
    } catch (const Error& error) {
        if (error.code() != ErrorCode::spent) throw;
        return {{}, Origin::kept};
    }

    [[nodiscard]] std::uint64_t answers() const noexcept { return diary_ ? diary_->ledger().size() : fresh_; }

  private:
    const Collection& collection_;
    BitSource& bits_;
    MemoryStore store_;
    std::optional<Diary> diary_;
    std::uint64_t fresh_ = 0;
};

/// The category, or number, that so many minutes are.
double placed(const Attribute& attribute, double minutes) {
    const double share = minutes / Life::most;
    if (attribute.numeric()) return attribute.min + (attribute.max - attribute.min) * share;
    const auto domain = static_cast<double>(attribute.domain);
    return std::min(std::floor(domain * share), domain - 1);
}

/// As a client is told it: a label if there are any. With `prefix` it is a string that the label stands for.
Value told(const Attribute& attribute, double place) {
    if (attribute.labels.empty()) return place;
    const std::string_view label = attribute.labels[static_cast<std::size_t>(place)];
    return label.substr(0, label.find(Attribute::terminator));
}

/// A round that is going on.
struct Open {
    explicit Open(const Mechanism& mechanism, const Attribute& attribute)
        : summary(summary_size(mechanism)), holders(attribute.domain) {
        start_summary(mechanism, summary);
    }

    std::vector<std::byte> summary;
    std::vector<std::uint64_t> holders;               ///< of each category
    double sum = 0;                                   ///< of numbers
    std::map<std::uint64_t, std::uint64_t> spending;  ///< people, by how many answers they had drawn
    Round round{};
};

Round closed(const Collection& collection, const Scene& scene, Open& open) {
    const Attribute& attribute = collection.spec().attributes()[scene.attribute];
    const auto people = static_cast<double>(scene.people);
    Round& round = open.round;
    round.answers = spending(open.spending);
    constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
    round.truth = round.estimate = round.error = round.absolute = round.claimed = nothing;
    if (round.refused == scene.people) return round;
    const Quantity quantity = attribute.numeric() ? Quantity::means : Quantity::frequencies;
    const std::vector<Estimate> estimates =
        estimate(collection.mechanism(), open.summary, {quantity, Target::sample, scene.attribute});
    if (attribute.numeric()) {
        round.truth = open.sum / people;
        round.estimate = estimates[scene.attribute].value;
        round.error = round.absolute = std::abs(round.estimate - round.truth);
        round.claimed = estimates[scene.attribute].standard_error;
        return round;
    }
    // Where values are reported in buckets there are fewer estimates than values, which fall evenly into
    // them, in order.
    std::vector<double> errors;
    errors.reserve(estimates.size());
    for (const Estimate& one : estimates) errors.push_back(one.value);
    for (std::size_t v = 0; v < open.holders.size(); ++v)
        errors[v * errors.size() / open.holders.size()] -= static_cast<double>(open.holders[v]) / people;
    double squares = 0, absolute = 0, claimed = 0;
    for (std::size_t i = 0; i < errors.size(); ++i) {
        squares += errors[i] * errors[i];
        absolute += std::abs(errors[i]);
        claimed += estimates[i].standard_error * estimates[i].standard_error;
    }
    const auto items = static_cast<double>(errors.size());
    round.error = std::sqrt(squares / items);
    round.absolute = absolute / items;
    round.claimed = std::sqrt(claimed / items);
    return round;
}

}  // namespace

Spending spending(const std::map<std::uint64_t, std::uint64_t>& people_by_answers) {
    Spending found{0, 0, people_by_answers.rbegin()->first};
    std::uint64_t people = 0, passed = 0;
    for (const auto& [answers, count] : people_by_answers) {
        people += count;
        found.mean += static_cast<double>(answers * count);
    }
    found.mean /= static_cast<double>(people);
    for (const auto& [answers, count] : people_by_answers) {
        if (100 * passed < 95 * people) found.most_of_95 = answers;
        passed += count;
    }
    return found;
}

std::vector<Round> simulate(const Collection& collection, const Scene& scene,
                            const std::function<void(std::uint64_t)>& progress) {
    const Mechanism& mechanism = collection.mechanism();
    const std::vector<Attribute>& attributes = collection.spec().attributes();
    const Attribute& asked = attributes.at(scene.attribute);
    check_answers(mechanism, asked.numeric() ? Quantity::means : Quantity::frequencies);
    constexpr double gigabyte = 1e9;
    const double each = static_cast<double>(summary_size(mechanism)) + 8 * static_cast<double>(asked.domain);
    if (each * static_cast<double>(scene.rounds) > gigabyte)
        throw Error(ErrorCode::unsupported, "so many rounds take too much memory",
                    "Each takes " + std::to_string(static_cast<std::uint64_t>(each)) +
                        " bytes under this spec; all together may take at most a gigabyte.",
                    "Ask for fewer rounds.");

    std::vector<Open> open(scene.rounds, Open(mechanism, asked));
    SeededBits lives(2 * scene.seed), noise(2 * scene.seed + 1);
    std::vector<Value> record;
    for (std::uint64_t person = 0; person < scene.people; ++person) {
        Reporter reporter(collection, noise);
        std::vector<Life> life;
        for (std::size_t j = 0; j < attributes.size(); ++j) life.emplace_back(scene.stream, lives);
        for (Open& now : open) {
            record.clear();
            for (std::size_t j = 0; j < attributes.size(); ++j) {
                const double place = placed(attributes[j], life[j].next(lives));
                record.push_back(told(attributes[j], place));
                if (j != scene.attribute) continue;
                if (asked.numeric())
                    now.sum += place;
                else
                    ++now.holders[static_cast<std::size_t>(place)];
            }
            const auto [report, origin] = reporter.report(record);
            ++now.spending[reporter.answers()];
            if (report.empty()) {
                ++now.round.refused;
                continue;
            }
            ++(origin == Origin::drawn  ? now.round.drawn
               : origin == Origin::kept ? now.round.kept
                                        : now.round.nearest);
            if (const Outcome outcome = accumulate(mechanism, now.summary, report); outcome != Outcome::ok)
                throw_outcome(outcome, now.summary, report);
        }
        if (progress) progress(person + 1);
    }
    std::vector<Round> rounds;
    rounds.reserve(open.size());
    for (Open& each_round : open) rounds.push_back(closed(collection, scene, each_round));
    return rounds;
}

}  // namespace ldp::cli
