// ldp kit SPEC

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "accounting/composition.hpp"
#include "accounting/lower_bounds.hpp"
#include "accounting/odds.hpp"
#include "cli/command.hpp"
#include "core/mechanism/mechanism.hpp"
#include "core/proof/audit.hpp"
#include "core/spec/spec.hpp"

namespace ldp::cli::kit {

namespace {

namespace po = boost::program_options;

/// δ of the whole that a person may spend, where that is many answers.
constexpr double whole_delta = 1e-6;

enum class Part { all, consent, summary, assessment };
const Words<Part> parts{"part",
                        {{"all", Part::all},
                         {"consent", Part::consent},
                         {"summary", Part::summary},
                         {"assessment", Part::assessment}}};

Options options() {
    Options options;
    options.add_options()("spec", po::value<std::string>()->required(),
                          "a file, - for standard input, or the JSON itself")(
        "part", po::value<std::string>()->default_value("all"), "consent, summary or assessment")(
        "users", po::value<std::int64_t>()->default_value(100000),
        "people who report, for the standard errors");
    return options;
}

std::string digits(double number, int significant = 3) {
    std::ostringstream out;
    out << std::setprecision(significant) << number;
    return out.str();
}

std::string percent(double bound) {
    return told_percent(bound) + " %";
}

/// Text of a spec's author, which Markdown shall show as it stands.
std::string plain(const std::string& text) {
    std::string safe;
    for (const char c : text) {
        if (std::string_view("\\`*_[]<>|#").find(c) != std::string_view::npos) safe += '\\';
        safe += c == '\n' || c == '\r' ? ' ' : c;
    }
    return safe;
}

std::string kind(const Attribute& attribute) {
    if (attribute.of_numbers())
        return "a number from " + shortest(attribute.min) + " to " + shortest(attribute.max) +
               (attribute.binned()
                    ? ", of which only its range out of " + grouped(attribute.domain) + " is used"
                    : ", smaller and larger ones counted as these");
    if (attribute.prefix != 0)
        return "a text, of which at most its first " + std::to_string(attribute.prefix) +
               " characters are used";
    std::string text = "one of " + grouped(attribute.domain) + " values";
    constexpr std::size_t shown = 8;
    for (std::size_t i = 0; i < std::min(shown, attribute.labels.size()); ++i)
        text += (i == 0 ? ": " : ", ") + plain(attribute.labels[i]);
    return text + (attribute.labels.size() > shown ? ", …" : "");
}

/// A spec, and what follows from it, in words.
class Kit {
  public:
    Kit(const Spec& spec, std::uint64_t users)
        : spec_(spec), mechanism_(make_mechanism(spec)), users_(users), odds_(odds_factor(spec.epsilon())) {
        if (spec.budget())
            answers_ = std::min(mechanism_->most_keys(), spec.budget()->answers(spec.epsilon()));
    }

    void consent(std::ostream& out) const {
        out << "# What you are asked for\n\n"
               "[Who asks, for what purpose, on which legal basis, for how long, and whom to turn to.]\n\n"
               "You are asked for:\n\n";
        asked(out);
        out << "\n## What leaves your device\n\n"
               "Your answers stay on your device. What leaves it is "
            << leaves() << ".\n\n"
            << "Chance decides on your device, before anything is sent. What that can tell of you at most, "
               "to anybody who sees "
               "it and whatever else they know: whatever can be sent is at most "
            << told_factor(odds_) << " times as likely with your answers as with any other ones.\n\n"
            << "- Somebody who wonders which of two answers is yours, and holds both for equally likely, "
               "guesses right "
               "with a chance of at most "
            << percent(right_guess(spec_.epsilon(), spec_.delta())) << "; without any report it is 50 %.\n"
            << "- What somebody believed of you with 10 % before, they may believe with at most "
            << percent(posterior(0.1, spec_.epsilon())) << " afterwards.\n";
        if (spec_.delta() != 0)
            out << "- All this holds but for a probability of " << shortest(spec_.delta())
                << " a report, with which one may tell more, in the worst case everything.\n";
        if (mechanism_->first_epsilon() < spec_.epsilon())
            out << "- This is about all that is ever sent of one value. A single report tells less: at most "
                << percent(right_guess(mechanism_->first_epsilon())) << " instead of 50 %.\n";
        out << "\n## If you are asked again\n\n"
            << again() << "\n\n## What is not hidden\n\n"
            << "That you take part, when, and from which address, unless those who run it see to that; and "
               "what is drawn "
               "by lot without a look at your answers, such as which question was drawn. Results about all "
               "people "
               "together are what is wanted, and may be published. "
            << "[How to withdraw; whether a report can be found again once it was sent.]\n";
    }

    void summary(std::ostream& out) const {
        out << "# Summary of the collection\n\n"
               "Local differential privacy: answers are changed by chance on people's own devices, and only "
               "what comes "
               "out is collected. The server never has a true answer, so none can leak, be subpoenaed or be "
               "sold.\n\n"
               "| | |\n|---|---|\n"
            << "| spec | " << fingerprint_text(spec_.fingerprint()) << " |\n"
            << "| mechanism | `" << spec_.mechanism().name << "`: " << spec_.mechanism().title << " |\n"
            << "| ε of a report | " << shortest(spec_.epsilon()) << " (δ = " << shortest(spec_.delta())
            << "), between any two " << (spec_.attributes().size() > 1 ? "records" : "values")
            << " of a person |\n"
            << "| odds move by at most | " << told_factor(odds_) << but_for(spec_.delta()) << " |\n"
            << "| a guess between two equally likely answers is right in at most | "
            << percent(right_guess(spec_.epsilon(), spec_.delta())) << " |\n"
            << "| over all time | " << over_all_time() << " |\n"
            << "| a report takes | " << mechanism_->block().size() + mechanism_->payload_size()
            << " bytes |\n\n"
            << "What can be learnt from " << grouped(users_) << " people:\n\n"
            << "| | standard error | that of no mechanism is below | 1 % of forged reports move it by at "
               "most |\n"
               "|---|---|---|---|\n";
        for (std::size_t j = 0; j < spec_.attributes().size(); ++j) {
            const Attribute& attribute = spec_.attributes()[j];
            const double unit = attribute.numeric() ? (attribute.max - attribute.min) / 2 : 1;
            const auto error = [&](double n_variance) {
                return digits(unit * std::sqrt(n_variance / static_cast<double>(users_)));
            };
            const auto [down, up] = mechanism_->promised_pull(j, 0.01);
            out << "| " << plain(attribute.name) << (attribute.numeric() ? ": mean" : ": share of a value")
                << " | " << error(mechanism_->promised_variance(j)) << " | "
                << (attribute.derived() || spec_.delta() != 0
                        ? "not known"
                        : error(least_error(spec_.epsilon(), attribute, endless, Target::sample)))
                << " | " << digits(std::max(-down, up)) << " |\n";
        }
        out << "\nIt does not hide who takes part, when, and from where, and it does not stop people from "
               "lying. Figures "
               "about few people are mostly noise: they are shown of "
            << spec_.min_group() << " or more.\n";
    }

    void assessment(std::ostream& out) const {
        SystemRandom bits;
        const Audit found = ldp::audit(*mechanism_, bits);
        out << "# Data protection impact assessment\n\n"
               "The order is that of article 35(7) of the General Data Protection Regulation. Technical "
               "parts are filled "
               "in from the spec; what stands in brackets is for those who are responsible.\n\n"
               "## 1. The processing\n\n"
               "[Controller, processors, purposes, recipients, storage period, data protection officer.]\n\n"
               "Asked for, on the device of each person:\n\n";
        asked(out);
        out << "\nCollected, in the words of the consent text: " << leaves() << ". A report has "
            << mechanism_->block().size() + mechanism_->payload_size()
            << " bytes, whatever the answers: the parameters, which are public, and "
            << mechanism_->payload_size() << " bytes that chance decided. It carries no name. "
            << "[What stands beside it in the table: round, side columns, time; what connections and logs "
               "show.]\n\n"
               "Stored on the device: reports that wait to be sent"
            << (answers_ != 0 ? ", and answers to earlier values, with these values, so that they need not "
                                "be drawn anew"
                              : "")
            << ". [Who can read it there.]\n\n"
               "## 2. Necessity and proportionality\n\n"
               "[Why these questions, at this ε, of so many people; what was considered instead.]\n\n"
               "The server needs no true answer for its purpose, and gets none. A smaller ε protects more, "
               "and asks for "
               "more people: the error of an estimate from "
            << grouped(users_)
            << " people at this ε, and the least that any mechanism could have, stand in the summary.\n\n"
               "## 3. Risks to people\n\n"
               "| risk | what holds |\n|---|---|\n"
            << "| the server, its operators or a thief infer an answer from a report | odds move by a factor "
               "of at most "
            << told_factor(odds_) << but_for(spec_.delta())
            << "; a guess between two equally likely answers is right in at most "
            << percent(right_guess(spec_.epsilon(), spec_.delta())) << " |\n"
            << "| inference from many reports of one person | " << over_all_time() << " |\n"
            << "| inference about a household or group of 4, all of whom report | their odds together move "
               "by a factor of at "
               "most "
            << told_factor(odds_factor(group_epsilon(spec_.epsilon(), 4))) << but_for(4 * spec_.delta())
            << " |\n"
            << "| taking part is itself a secret | not protected: [measures] |\n"
               "| address, time, side columns tell on an answer | not protected: [measures] |\n"
               "| results about a small group harm its members | not prevented: estimates of fewer than "
            << spec_.min_group() << " reports are not shown; [measures] |\n"
            << "| forged reports falsify results | bounded, not prevented: see the summary |\n"
               "| the device or the program on it is not what it should be | not protected: [measures] |\n\n"
               "[Likelihood and severity of each, before and after the measures.]\n\n"
               "## 4. Measures\n\n"
            << "- Randomization on the device, at ε = " << shortest(spec_.epsilon())
            << " and δ = " << shortest(spec_.delta()) << ", by `" << spec_.mechanism().name
            << "`, in integer arithmetic. " << proven(found) << "\n"
            << "- Roles of the database that may submit without reading, or ask without seeing reports.\n"
               "- [Shuffling or a proxy that hides addresses; retention; access; training.]\n\n"
               "[Advice of the data protection officer; views of the people concerned; date of the next "
               "review.]\n";
    }

  private:
    void asked(std::ostream& out) const {
        for (const Attribute& attribute : spec_.attributes())
            if (!attribute.derived()) out << "- " << plain(attribute.name) << ": " << kind(attribute) << "\n";
    }

    /// What leaves the device; of a record whose attributes go through mechanisms of their own, theirs as
    /// well.
    [[nodiscard]] std::string leaves() const {
        std::string text = spec_.mechanism().leaves;
        std::vector<std::string> seen;
        for (const Attribute& attribute : spec_.attributes()) {
            const MechanismEntry* entry = find_mechanism(attribute.mechanism);
            if (entry == nullptr || std::ranges::find(seen, entry->name) != seen.end()) continue;
            text +=
                (seen.empty() ? ". Of a question that is drawn it is " : "; of another kind of question ") +
                std::string(entry->leaves);
            seen.emplace_back(entry->name);
        }
        return text;
    }

    [[nodiscard]] Spent whole() const { return spent(answers_, spec_.epsilon(), whole_delta); }

    [[nodiscard]] std::string again() const {
        if (spec_.mechanism().series)
            return "You are asked in every round, and what stands above is about all rounds together, also "
                   "about when an "
                   "answer changed.";
        if (answers_ == 0)
            return "Each report is drawn anew, and what stands above is about one. Two together move the "
                   "odds by at most " +
                   told_factor(odds_ * odds_) + but_for(2 * spec_.delta()) +
                   ". [How often people are asked.]";
        return "Your device remembers what was drawn for an answer and sends the same again when the answer "
               "is the same, "
               "which tells nothing new. For a new answer it draws again, at most " +
               grouped(answers_) +
               " times in all. That an answer changed, and when, may show. Over all time, between any two "
               "series of answers, "
               "the odds move by at most e^" +
               digits(whole().sum, 4) +
               (whole().least() < 0.99 * whole().sum
                    ? ", and but for a chance of one in a million by at most e^" + digits(whole().least(), 4)
                    : "") +
               ".";
    }

    [[nodiscard]] std::string over_all_time() const {
        if (spec_.mechanism().series)
            return "ε = " + shortest(spec_.epsilon()) + " (δ = 0) for the whole series";
        if (answers_ == 0)
            return "ε = " + shortest(spec_.epsilon()) + " (δ = " + shortest(spec_.delta()) +
                   ") again for each further report of the same person: nothing but the way of asking bounds "
                   "it";
        const Spent all = whole();
        return "at most " + grouped(answers_) + " answers are drawn: ε = " + shortest(all.sum) +
               " (δ = 0), the sum; ε = " + digits(all.least(), 6) + " at δ = " + shortest(all.least_delta()) +
               ", by " + name(all.by()) + " composition; between any two series of values of one person";
    }

    [[nodiscard]] std::string proven(const Audit& found) const {
        if (!found.kept()) return "**The audit failed: do not collect under this spec.**";
        return found.enumerated
                   ? "Audited with this document: all " + grouped(found.steps) +
                         " outcomes of its draws were followed, for every input, and keep ε exactly" +
                         but_for(spec_.delta()) + "."
                   : "Audited with this document: its outcomes are too many to follow, and its worst case, "
                     "by the "
                     "argument that its source states, keeps ε exactly" +
                         but_for(spec_.delta()) + ".";
    }

    const Spec& spec_;
    std::unique_ptr<const Mechanism> mechanism_;
    std::uint64_t users_, answers_ = 0;
    double odds_;
};

int run(const Arguments& arguments) {
    const auto users = arguments["users"].as<std::int64_t>();
    if (users < 1) throw UsageError("--users must be 1 or more, not " + std::to_string(users));
    const Part part = parts.chosen(arguments);
    const Spec spec = Spec::from_json(spec_text(arguments["spec"].as<std::string>()));
    const Kit kit(spec, static_cast<std::uint64_t>(users));
    const auto wanted = [&](Part one) { return part == one || part == Part::all; };
    if (wanted(Part::consent)) kit.consent(std::cout);
    if (part == Part::all) std::cout << "\n";
    if (wanted(Part::summary)) kit.summary(std::cout);
    if (part == Part::all) std::cout << "\n";
    if (wanted(Part::assessment)) kit.assessment(std::cout);
    std::cout << std::flush;
    return Exit::done;
}

constexpr const char* positional[] = {"spec"};

}  // namespace

const Command command{
    "kit",
    "[--part PART] [--users N] SPEC",
    "writes what people and officers must be told of a spec",
    "Three texts in Markdown, filled in from the spec: what people are asked to agree to, with what leaves\n"
    "their device and how little it tells; a summary on a page; and the skeleton of a data protection "
    "impact\n"
    "assessment, for which the spec is audited. What stands in brackets is for those who are responsible:\n"
    "none of it is legal advice. The spec must name its mechanism, as ldp_client_spec() does.",
    options,
    positional,
    run};

}  // namespace ldp::cli::kit
