// ldp disclosure SPEC

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <optional>
#include <sstream>

#include "accounting/composition.hpp"
#include "accounting/lower_bounds.hpp"
#include "accounting/posterior_odds.hpp"
#include "cli/collection_spec.hpp"
#include "cli/command.hpp"
#include "cli/template.hpp"
#include "core/choice/resolve.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/mechanism.hpp"
#include "core/mechanism/spent_signal.hpp"
#include "core/proof/audit.hpp"
#include "core/spec/attributes.hpp"
#include "core/spec/response_count.hpp"
#include "core/spec/spec.hpp"

namespace ldp::cli::disclosure {

namespace {

namespace po = boost::program_options;

/// δ of the total of a person's permanent responses.
constexpr double whole_delta = 1e-6;

enum class Part { all, consent, summary, assessment };
const Choice<Part> parts{"part",
                         {{"all", Part::all},
                          {"consent", Part::consent},
                          {"summary", Part::summary},
                          {"assessment", Part::assessment}}};

Options options() {
    Options options;
    options.add_options()("spec", po::value<std::string>()->required(),
                          "a file, - for standard input, collection:NAME, or the JSON itself")(
        "part", po::value<std::string>()->default_value("all"), "consent, summary or assessment")(
        "users", po::value<std::int64_t>()->default_value(100000),
        "people who report, for the standard errors")(
        "with", po::value<std::vector<std::string>>(),
        "spec of another collection that shares the budget of the group (may be repeated)")(
        "column", po::value<std::vector<std::string>>(),
        "public column that is sent with a report (may be repeated); those of collection:NAME are known");
    return options;
}

std::string digits(double number, int significant = 3) {
    std::ostringstream out;
    out << std::setprecision(significant) << number;
    return out.str();
}

std::string percent(double bound) {
    return reported_percent(bound) + " %";
}

/// Escapes text of a spec for Markdown.
std::string plain(std::string_view text) {
    std::string safe;
    for (const char c : text) {
        if (std::string_view("\\`*_[]<>|#~").find(c) != std::string_view::npos) safe += '\\';
        safe += c == '\n' || c == '\r' ? ' ' : c;
    }
    return safe;
}

/// The texts of an attribute, or those of its vector; those that were not given are empty.
const AttributeTexts& texts_of(const Spec& spec, const Attribute& attribute) {
    static const AttributeTexts none;
    const AttributeTexts* found =
        spec.texts().find(attribute.vector.empty() ? attribute.name : attribute.vector);
    return found == nullptr ? none : *found;
}

/// The title of an attribute, or its name; of an element of a vector, both.
std::string titled(const Spec& spec, const Attribute& attribute) {
    const AttributeTexts& texts = texts_of(spec, attribute);
    if (attribute.vector.empty()) return texts.title.empty() ? attribute.name : texts.title;
    if (texts.title.empty() && texts.display.empty()) return attribute.name;
    return (texts.title.empty() ? attribute.vector : texts.title) + ": " +
           std::string(texts.display_text(element_label(attribute)));
}

std::string kind(const Attribute& attribute, const AttributeTexts& texts) {
    const std::string unit = texts.unit.empty() ? "" : " " + plain(texts.unit);
    if (attribute.of_numbers())
        return "a number from " + shortest(attribute.min) + " to " + shortest(attribute.max) + unit +
               (attribute.binned() ? ", of which only the range is used, one of " + grouped(attribute.domain)
                                   : ", smaller and larger ones clamped to these");
    if (const std::uint64_t used = attribute.strings ? attribute.strings->longest : attribute.prefix;
        used != 0)
        return "a text, of which at most its first " + std::to_string(used) + " characters are used";
    std::string text = attribute.several() ? "up to " + grouped(attribute.most) + " of " +
                                                 grouped(attribute.domain) + " values"
                                           : "one of " + grouped(attribute.domain) + " values";
    constexpr std::size_t shown = 8;
    for (std::size_t i = 0; i < std::min(shown, attribute.labels.size()); ++i)
        text += (i == 0 ? ": " : ", ") + plain(texts.display_text(attribute.labels[i]));
    return text + (attribute.labels.size() > shown ? ", …" : "");
}

/// The disclosure documents of a spec.
class Disclosure {
  public:
    /// `columns` has the public columns that are sent with a report; null if they are not known.
    /// `others` has the specs of other collections of the group.
    Disclosure(const Spec& spec, std::uint64_t users, const std::vector<PublicColumn>* columns,
               std::vector<Spec> others)
        : spec_(spec),
          others_(std::move(others)),
          mechanism_(make_mechanism(spec)),
          users_(users),
          columns_(columns),
          odds_(odds_factor(spec.epsilon())) {
        if (spec.evolving()) answers_ = most_responses(spec, *mechanism_);
    }

    [[nodiscard]] std::string consent() const {
        Fields fields = common();
        fields.values.merge(decltype(fields.values){
            {"odds", reported_factor(odds_)},
            {"belief", percent(posterior(0.1, spec_.epsilon()))},
            {"guess_of_first", percent(right_guess(mechanism_->report_epsilon()))},
            {"odds_of_two", reported_factor(odds_ * odds_) + but_for(2 * spec_.delta())},
            {"odds_with_signal", reported_factor(odds_factor(mechanism_->report_epsilon() + signal()))},
            {"answers", grouped(answers_)}});
        fields.show("has_delta", spec_.delta() != 0);
        fields.show("single_reveals_less", mechanism_->report_epsilon() < spec_.epsilon());
        const bool series = only_series(), remembered = !series && answers_ != 0;
        fields.show("series", series);
        fields.show("fresh", !series && !remembered);
        fields.show("remembered", remembered);
        fields.sections["group"] = group_fields();
        fields.show("signal", signal() > 0);
        const BudgetTerms terms = budget_terms(mechanism_->block());
        fields.show("stops", terms.can_end() && terms.end == BudgetEnd::stopped);
        if (remembered) {
            Fields& spending = fields.sections["remembered"][0];
            spending.values = {{"sum", digits(whole().sum, 4)}, {"least", digits(whole().least(), 4)}};
            spending.show("composed", whole().least() < 0.99 * whole().sum);
        }
        return filled(template_text("consent.md"), fields, plain);
    }

    [[nodiscard]] std::string summary() const {
        Fields fields = common();
        fields.values.merge(decltype(fields.values){{"odds", reported_factor(odds_) + but_for(spec_.delta())},
                                                    {"fingerprint", fingerprint_text(spec_.fingerprint())},
                                                    {"mechanism_title", spec_.mechanism().title}});
        fields.show("record", spec_.attributes().size() > 1);
        auto& errors = fields.sections["errors"];
        for (std::size_t j = 0; j < spec_.attributes().size(); ++j) {
            const Attribute& attribute = spec_.attributes()[j];
            const double unit = attribute.numeric() ? (attribute.max - attribute.min) / 2 : 1;
            const auto error = [&](double n_variance) {
                return digits(unit * std::sqrt(n_variance / static_cast<double>(users_)));
            };
            const auto [down, up] = mechanism_->promised_bias(j, 0.01);
            Fields& row = errors.emplace_back();
            row.values = {{"name", titled(spec_, attribute)},
                          {"error", error(mechanism_->expected_variance(j))},
                          {"pull", digits(std::max(-down, up))}};
            row.show("numeric", attribute.numeric());
            const bool known = !attribute.derived() && spec_.delta() == 0;
            row.show("known", known);
            if (known)
                row.values["least_error"] =
                    error(least_error(spec_.epsilon(), attribute, endless, Target::sample));
        }
        return filled(template_text("summary.md"), fields, plain);
    }

    [[nodiscard]] std::string assessment() const {
        SystemRandom bits;
        const Audit found = ldp::audit(*mechanism_, bits);
        Fields fields = common();
        fields.values.merge(decltype(fields.values){
            {"odds", reported_factor(odds_) + but_for(spec_.delta())},
            {"payload_bytes", std::to_string(sent_size(*mechanism_))},
            {"odds_of_four",
             reported_factor(odds_factor(group_epsilon(spec_.epsilon(), 4))) + but_for(4 * spec_.delta())},
            {"steps", grouped(found.steps)},
            {"but_for", but_for(spec_.delta())}});
        fields.sections["group"] = group_fields();
        fields.show("kept", answers_ != 0);
        fields.show("failed", !found.kept());
        fields.show("enumerated", found.kept() && found.enumerated);
        fields.show("argued", found.kept() && !found.enumerated);
        return filled(template_text("assessment.md"), fields, plain);
    }

  private:
    /// A section with this text; none if it is empty.
    [[nodiscard]] static std::vector<Fields> text_field(const std::string& text) {
        if (text.empty()) return {};
        return {Fields{.values = {{"text", text}}}};
    }
    /// Fields of several documents.
    [[nodiscard]] Fields common() const {
        Fields fields{.values = {{"leaves", leaves()},
                                 {"guess", percent(right_guess(spec_.epsilon(), spec_.delta()))},
                                 {"epsilon", shortest(spec_.epsilon())},
                                 {"delta", shortest(spec_.delta())},
                                 {"mechanism", spec_.mechanism().name},
                                 {"over_all_time", over_all_time()},
                                 {"users", grouped(users_)},
                                 {"min_group", std::to_string(spec_.min_group())},
                                 {"report_bytes",
                                  std::to_string(mechanism_->block().size() + sent_size(*mechanism_))}}};
        auto& attributes = fields.sections["attributes"];
        for (const Attribute& attribute : spec_.attributes())
            if (!attribute.derived()) {
                const AttributeTexts& texts = texts_of(spec_, attribute);
                Fields& one = attributes.emplace_back(
                    Fields{.values = {{"name", titled(spec_, attribute)}, {"kind", kind(attribute, texts)}}});
                one.sections["question"] = text_field(texts.question);
            }
        fields.sections["title"] = text_field(spec_.texts().title);
        fields.sections["description"] = text_field(spec_.texts().description);
        fields.show("columns_known", columns_ != nullptr);
        fields.show("columns_unknown", columns_ == nullptr);
        if (columns_ != nullptr) {
            Fields& known = fields.sections["columns_known"][0];
            known.show("has_columns", !columns_->empty());
            auto& columns = known.sections["columns"];
            for (const PublicColumn& column : *columns_)
                columns.push_back(
                    {.values = {
                         {"column", column.name + (column.type.empty() ? "" : " (" + column.type + ")")}}});
        }
        return fields;
    }

    /// The content of a report. If attributes of a record have their own mechanisms, it includes theirs.
    [[nodiscard]] std::string leaves() const {
        std::string text = spec_.mechanism().leaves;
        std::vector<std::string> seen;
        for (const Attribute& attribute : spec_.attributes()) {
            const MechanismEntry* entry = find_mechanism(attribute.mechanism);
            if (entry == nullptr || std::ranges::find(seen, entry->name) != seen.end()) continue;
            text += (seen.empty() ? ". For the question that is drawn, it is "
                                  : "; for another kind of question ") +
                    std::string(entry->leaves);
            seen.emplace_back(entry->name);
        }
        return text;
    }

    /// The group whose budget pays for the collection, with its known collections; none without a group.
    [[nodiscard]] std::vector<Fields> group_fields() const {
        if (!spec_.budget() || !spec_.budget()->group) return {};
        const BudgetGroup& group = *spec_.budget()->group;
        double sum = 0;
        Fields fields{.values = {{"group", group.name},
                                 {"total", shortest(group.epsilon)},
                                 {"group_odds", reported_factor(odds_factor(group.epsilon))}}};
        auto& rows = fields.sections["collections"];
        const auto add = [&](const Spec& spec) {
            const double most = most_epsilon(spec, *make_mechanism(spec));
            sum += most;
            rows.push_back({.values = {{"title", spec.texts().title.empty() ? spec.mechanism().name
                                                                            : spec.texts().title},
                                       {"fingerprint", fingerprint_text(spec.fingerprint())},
                                       {"each", shortest(spec.epsilon())},
                                       {"most", digits(most, 6)}}});
        };
        add(spec_);
        for (const Spec& other : others_) add(other);
        fields.values["sum"] =
            "Together, these collections cost a person at most ε = " +
            digits(std::min(sum, group.epsilon), 6) +
            (sum > group.epsilon ? ", the budget: not every person can take part in all of them." : ".");
        return {fields};
    }

    [[nodiscard]] Spent whole() const { return spent(answers_, spec_.epsilon(), whole_delta, signal()); }
    /// Whether people report series only.
    [[nodiscard]] bool only_series() const {
        const SeriesParts* found = series_parts(*mechanism_);
        return spec_.mechanism().series || (found != nullptr && found->only_series());
    }
    /// The ε of the signal of a spent budget; 0 without one.
    [[nodiscard]] double signal() const { return has_signal(*mechanism_) ? signal_epsilon(*mechanism_) : 0; }

    [[nodiscard]] std::string over_all_time() const {
        if (only_series()) return "ε = " + shortest(spec_.epsilon()) + " (δ = 0) for the whole series";
        if (spec_.budget() && answers_ == 0)
            return "ε = " + shortest(spec_.epsilon()) +
                   " (δ = 0) for each report of the same person, and at most " +
                   digits(most_epsilon(spec_, *mechanism_), 6) + " in all";
        if (answers_ == 0)
            return "ε = " + shortest(spec_.epsilon()) + " (δ = " + shortest(spec_.delta()) +
                   ") again for each further report of the same person; only the number of reports that are "
                   "requested bounds the total";
        const Spent all = whole();
        return "at most " + grouped(answers_) + " responses are drawn: ε = " + shortest(all.sum) +
               " (δ = 0) by the sum; ε = " + digits(all.least(), 6) +
               " at δ = " + shortest(all.least_delta()) + " by " + name(all.by()) +
               " composition; for any two series of values of one person";
    }

    const Spec& spec_;
    std::vector<Spec> others_;
    std::unique_ptr<const Mechanism> mechanism_;
    std::uint64_t users_, answers_ = 0;
    const std::vector<PublicColumn>* columns_;
    double odds_;
};

/// Returns the public columns that the command line names, or else those of its collection.
std::optional<std::vector<PublicColumn>> public_columns(const std::string& spec, const Arguments& arguments) {
    if (arguments.count("column") != 0) {
        std::vector<PublicColumn> columns;
        for (const std::string& name : arguments["column"].as<std::vector<std::string>>())
            columns.push_back({name, {}, false});
        return columns;
    }
    const std::optional<std::string> collection = collection_name(spec);
    return collection ? std::optional(collection_columns(*collection)) : std::nullopt;
}

/// Returns the specs of --with. Throws UsageError unless they belong to the group of the spec.
std::vector<Spec> other_collections(const Spec& spec, const Arguments& arguments) {
    std::vector<Spec> others;
    if (arguments.count("with") == 0) return others;
    for (const std::string& given : arguments["with"].as<std::vector<std::string>>()) {
        Spec other = resolve(spec_text(given));
        if (!spec.budget() || !spec.budget()->group || !other.budget() ||
            other.budget()->group != spec.budget()->group)
            throw UsageError("--with needs specs whose budget has the same group and the same epsilon");
        others.push_back(std::move(other));
    }
    return others;
}

int run(const Arguments& arguments) {
    const auto users = arguments["users"].as<std::int64_t>();
    if (users < 1) throw UsageError("--users must be 1 or more, not " + std::to_string(users));
    const Part part = parts.chosen(arguments);
    const auto& given = arguments["spec"].as<std::string>();
    const Spec spec = resolve(spec_text(given));
    const auto columns = public_columns(given, arguments);
    const Disclosure documents(spec, static_cast<std::uint64_t>(users), columns ? &*columns : nullptr,
                               other_collections(spec, arguments));
    const auto wanted = [&](Part one) { return part == one || part == Part::all; };
    if (wanted(Part::consent)) std::cout << documents.consent();
    if (part == Part::all) std::cout << "\n";
    if (wanted(Part::summary)) std::cout << documents.summary();
    if (part == Part::all) std::cout << "\n";
    if (wanted(Part::assessment)) std::cout << documents.assessment();
    std::cout << std::flush;
    return Exit::done;
}

constexpr const char* positional[] = {"spec"};

}  // namespace

const Command command{
    "disclosure",
    "[--part PART] [--users N] [--with SPEC]... [--column NAME]... SPEC",
    "writes the disclosure documents of a spec",
    "Writes three documents in Markdown from the spec. The consent text describes the content of a report\n"
    "and the privacy guarantee. The summary has one page. The draft of a data protection impact assessment\n"
    "includes an audit of the spec. The responsible persons fill in the parts in brackets. The documents "
    "are\n"
    "not legal advice. Write them for the canonical spec, as that of ldp_client_spec(): if the spec has\n"
    "\"auto\", they describe the mechanism that is chosen now. The public\n"
    "columns that are sent with a report are not part of a spec: name them with --column, or give\n"
    "collection:NAME, whose columns are looked up. If the budget of the spec belongs to a group, the\n"
    "assessment lists the collections of the group that --with names.",
    options,
    positional,
    run};

}  // namespace ldp::cli::disclosure
