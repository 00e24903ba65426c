// ldp disclosure SPEC

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <optional>
#include <set>
#include <sstream>

#include "accounting/bound_texts.hpp"
#include "accounting/composition.hpp"
#include "accounting/lower_bounds.hpp"
#include "cli/collection_spec.hpp"
#include "cli/command.hpp"
#include "cli/disclosure/approval.hpp"
#include "cli/disclosure/question_texts.hpp"
#include "cli/public_options.hpp"
#include "cli/template.hpp"
#include "client/contract.hpp"
#include "core/base/json.hpp"
#include "core/base/sha256.hpp"
#include "core/choice/resolve.hpp"
#include "core/contract/attributes.hpp"
#include "core/contract/privacy_statement.hpp"
#include "core/contract/spec.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/mechanism/role/spent_signal.hpp"
#include "core/proof/certificate.hpp"

namespace ldp::cli::disclosure {

namespace {

namespace po = boost::program_options;

/// δ of the total of a person's permanent responses.
constexpr double whole_delta = 1e-6;
/// Numbers of people in the summary, unless the spec or the command line names one.
constexpr std::uint64_t usual_people[] = {500, 5000, 50000};

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
        "users", po::value<std::int64_t>(),
        "number of respondents, for the margins of error; default: \"people\" of the spec, or 500, 5,000 "
        "and 50,000")("with", po::value<std::vector<std::string>>(),
                      "spec of another collection that shares the budget of the group (may be repeated)")(
        "approve", po::value<std::string>(), "new file for a record of this approval")(
        "check", po::value<std::string>(), "record of an approval, with which the spec is compared");
    add_public_options(options);
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

/// An ε with the probability of a right guess that it permits: "ε = 4: 50 % can become 98.3 %".
std::string in_percent(const PrivacyLoss& loss) {
    return "ε = " + digits(loss.epsilon, 6) + (loss.delta == 0 ? "" : " (δ = " + shortest(loss.delta) + ")") +
           ": 50 % can become " + percent(loss.right_guess());
}

/// The number of people that a spec names, in any of its keys; nothing if it names none.
std::optional<std::uint64_t> people_of(const std::string& text) {
    const Json document = json_of(text, Unsound::allowed);
    const auto number = [](const Json& object, const char* key) -> std::optional<std::uint64_t> {
        if (!object.is_object() || !object.contains(key) || !object[key].is_number_unsigned()) return {};
        const auto found = object[key].get<std::uint64_t>();
        return found > 0 ? std::optional(found) : std::nullopt;
    };
    if (!document.is_object()) return {};
    if (document.contains("stream"))
        if (const auto found = number(document["stream"], "people")) return found;
    for (const char* key : {"people", "people_asked"})
        if (const auto found = number(document, key)) return found;
    return {};
}

/// The disclosure documents of a spec.
class Disclosure {
  public:
    /// `people` has the numbers of respondents in the summary. `columns` has the public columns that are sent with a
    /// report; null if they are not known. `others` has the specs of other collections of the group. `version` is the
    /// version in the assessment and in the certificate.
    Disclosure(const Spec& spec, std::vector<std::uint64_t> people, const std::vector<PublicColumn>* columns,
               std::vector<Spec> others, std::string version)
        : spec_(spec),
          others_(std::move(others)),
          mechanism_(make_mechanism(spec)),
          statement_(privacy_statement(spec, *mechanism_)),
          questions_(questions_of(spec)),
          people_(std::move(people)),
          columns_(columns),
          contract_(Contract::of({spec}, terms_of(columns), *mechanism_)),
          version_(std::move(version)) {}

    [[nodiscard]] std::string consent() const {
        Fields fields = common();
        const bool memoized = statement_.repetition == Repetition::memoized;
        fields.values.merge(
            decltype(fields.values){{"guess", times_in(statement_.report.right_guess())},
                                    {"belief", times_in(statement_.report.posterior(0.1))},
                                    {"guess_of_answer", times_in(statement_.answer.right_guess())},
                                    {"guess_of_two", times_in(statement_.report.times(2).right_guess())}});
        auto& sent = fields.sections["sent"];
        for (const SentAnswer& one : sent_answers(spec_, *mechanism_)) {
            Fields& row = sent.emplace_back(Fields{.values = {{"leaves", one.leaves}}});
            row.sections["about"] = text_field(one.name);
            row.sections["own"] = text_field(one.own ? times_in(*one.own) : "");
        }
        fields.show("missing", std::ranges::any_of(spec_.attributes(), may_be_missing));
        fields.show("has_delta", spec_.delta() != 0);
        fields.show("layered", statement_.has_second_layer());
        fields.show("series", statement_.covers_changes());
        fields.show("fresh", statement_.repetition == Repetition::fresh);
        fields.show("memoized", memoized);
        fields.sections["group"] = group_fields();
        const BudgetTerms terms = budget_terms(mechanism_->block());
        fields.show("stops", terms.can_end() && terms.end == BudgetEnd::stopped);
        fields.show("repeats", terms.can_end() && terms.end != BudgetEnd::stopped);
        fields.sections["person"] = text_field(statement_.person && !statement_.covers_changes()
                                                   ? times_in(statement_.person->right_guess())
                                                   : "");
        if (statement_.person) fields.show("nearly_sure", statement_.person->right_guess() > 0.95);
        return filled(template_text("consent.md"), fields, markdown);
    }

    [[nodiscard]] std::string summary() const {
        Fields fields = common();
        fields.values["mechanism_title"] = spec_.mechanism().title;
        fields.sections["group"] = group_fields();
        auto& heads = fields.sections["people"];
        for (const std::uint64_t people : people_) heads.push_back({.values = {{"count", grouped(people)}}});
        auto& errors = fields.sections["errors"];
        std::set<std::string> vectors;
        for (std::size_t j = 0; j < spec_.attributes().size(); ++j) {
            const Attribute& attribute = spec_.attributes()[j];
            if (!attribute.vector.empty() && !vectors.insert(attribute.vector).second) continue;
            errors.push_back(error_row(j));
        }
        if (!errors.empty()) fields.sections["example"] = {example()};
        return filled(template_text("summary.md"), fields, markdown);
    }

    [[nodiscard]] std::string assessment() const {
        const Audit found = audit_for_certificate(spec_, *mechanism_);
        Fields fields = common();
        if (found.kept()) fields.values["certificate"] = digest_of_certificate(found);
        fields.values["version"] = version_;
        fields.values.merge(decltype(fields.values){
            {"odds", reported_factor(statement_.report.factor()) + but_for(spec_.delta())},
            {"payload_bytes",
             grouped(sent_size(*mechanism_)) + (sent_size(*mechanism_) == 1 ? " byte" : " bytes")},
            {"digest", contract_.digest()},
            {"household", in_percent(statement_.report.times(4))},
            {"steps", grouped(found.steps)},
            {"but_for", but_for(spec_.delta())}});
        fields.sections["group"] = group_fields();
        auto& sent = fields.sections["sent"];
        for (const SentAnswer& one : sent_answers(spec_, *mechanism_)) {
            Fields& row = sent.emplace_back(Fields{.values = {{"leaves", one.leaves}}});
            row.sections["about"] = text_field(one.name);
        }
        fields.show("memoized", statement_.repetition == Repetition::memoized);
        fields.show("failed", !found.kept());
        fields.show("enumerated", found.kept() && found.enumerated);
        fields.show("argued", found.kept() && !found.enumerated);
        return filled(template_text("assessment.md"), fields, markdown);
    }

    /// Returns what is approved with these documents. Throws Error (environment) if the spec violates its guarantee.
    [[nodiscard]] Approval approval() const {
        const Audit found = audit_for_certificate(spec_, *mechanism_);
        if (!found.kept())
            raise(ErrorCode::environment, "the guarantee of the spec is violated", {},
                  "Do not use this spec. ldp audit shows the violation.");
        Approval all{today(), version_, contract_, {}, digest_of_certificate(found), {}, people_, {}};
        for (const StatedLoss& loss : statement_.losses())
            all.privacy[loss.reports] = {{"epsilon", loss.loss.epsilon},
                                         {"delta", loss.loss.delta},
                                         {"right_guess", loss.loss.right_guess()}};
        for (const auto& [part, text] : {std::pair{"consent", consent()}, std::pair{"summary", summary()},
                                         std::pair{"assessment", assessment()}})
            all.documents[part] = to_hex(sha256(std::as_bytes(std::span(text))));
        for (const Spec& other : others_) all.others.push_back(fingerprint_text(other.fingerprint()));
        return all;
    }

  private:
    [[nodiscard]] std::string digest_of_certificate(const Audit& found) const {
        return certificate_digest(certificate(spec_, *mechanism_, found, version_));
    }
    /// The terms of clients that fill these columns; none if the columns are not known.
    [[nodiscard]] static ContractTerms terms_of(const std::vector<PublicColumn>* columns) {
        ContractTerms terms;
        terms.in_clear.emplace();
        if (columns != nullptr)
            for (const PublicColumn& column : *columns) terms.in_clear->insert(column.name);
        return terms;
    }
    /// A section with this text; none if it is empty.
    [[nodiscard]] static std::vector<Fields> text_field(const std::string& text) {
        if (text.empty()) return {};
        return {Fields{.values = {{"text", text}}}};
    }
    /// Fields of several documents.
    [[nodiscard]] Fields common() const {
        Fields fields{.values = {{"epsilon", shortest(spec_.epsilon())},
                                 {"delta", shortest(spec_.delta())},
                                 {"mechanism", spec_.mechanism().name},
                                 {"fingerprint", fingerprint_text(spec_.fingerprint())},
                                 {"contract", contract_.short_digest()},
                                 {"one_report", in_percent(statement_.report)},
                                 {"right_guess", percent(statement_.report.right_guess())},
                                 {"right_suspicion", percent(statement_.report.posterior(0.1))},
                                 {"responses", grouped(statement_.responses)},
                                 {"questions_in_all", grouped(questions_.size())},
                                 {"min_group", std::to_string(spec_.min_group())},
                                 {"report_bytes",
                                  std::to_string(mechanism_->block().size() + sent_size(*mechanism_))}}};
        const std::optional<std::uint64_t> drawn = drawn_questions(*mechanism_);
        fields.sections["drawn"] = text_field(drawn ? grouped(*drawn) : "");
        if (drawn) {
            fields.sections["drawn"][0].show("one", *drawn == 1);
            fields.sections["drawn"][0].show(
                "stays", statement_.repetition == Repetition::memoized || statement_.covers_changes());
        }
        fields.show("signal", statement_.has_signal());
        auto& questions = fields.sections["questions"];
        for (const Question& question : questions_) {
            Fields& one =
                questions.emplace_back(Fields{.values = {{"name", question.name}, {"kind", question.kind}}});
            one.sections["question"] = text_field(question.text);
        }
        auto& all = fields.sections["all_reports"];
        for (const std::string& line : over_all_time()) all.push_back({.values = {{"line", line}}});
        fields.sections["signal_part"] =
            text_field(statement_.has_signal()
                           ? "ε = " + shortest(statement_.early_report.epsilon) + " of it for the answers"
                           : "");
        fields.sections["answer_part"] =
            text_field(statement_.has_second_layer() ? in_percent(statement_.answer) : "");
        fields.show("changes_seen", statement_.repetition == Repetition::memoized);
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

    /// The margin of error of an attribute's estimate at 95 %: of a mean in its unit, of a share in percentage points.
    [[nodiscard]] std::string margin_text(std::size_t j, double n_variance, double people) const {
        constexpr double confidence = 1.959963984540054;
        const Attribute& attribute = spec_.attributes()[j];
        const double margin = confidence * std::sqrt(n_variance / people);
        return in_unit(attribute,
                       attribute.numeric() ? margin * (attribute.max - attribute.min) / 2 : margin);
    }
    /// A length on the scale of an attribute's estimate. More than the whole scale says nothing.
    [[nodiscard]] std::string in_unit(const Attribute& attribute, double length) const {
        const double whole = attribute.numeric() ? attribute.max - attribute.min : 1;
        if (!(length < whole)) return "nothing can be said";
        if (!attribute.numeric()) return "± " + digits(100 * length, 2) + " points";
        const AttributeTexts* texts =
            spec_.texts().find(attribute.vector.empty() ? attribute.name : attribute.vector);
        return "± " + digits(length, 2) + (texts == nullptr || texts->unit.empty() ? "" : " " + texts->unit);
    }
    [[nodiscard]] std::string name_of(std::size_t j) const {
        const auto after =
            std::ranges::find_if(questions_, [&](const Question& one) { return one.first > j; });
        const bool asked =
            after != questions_.begin() && j < std::prev(after)->first + std::prev(after)->count;
        return asked ? std::prev(after)->name : spec_.attributes()[j].name;
    }

    [[nodiscard]] Fields error_row(std::size_t j) const {
        const Attribute& attribute = spec_.attributes()[j];
        Fields row{.values = {{"name", name_of(j)}}};
        row.show("numeric", attribute.numeric());
        for (const std::uint64_t people : people_)
            row.sections["margins"].push_back(
                {.values = {{"margin", margin_text(j, mechanism_->expected_variance(j),
                                                   static_cast<double>(people))}}});
        const auto [down, up] = mechanism_->promised_bias(j, 0.01);
        row.values["pull"] = in_unit(attribute, std::max(-down, up));
        const double least = least_error(spec_.epsilon(), attribute, endless, Target::sample);
        const bool known = !std::isnan(least) && spec_.delta() == 0;
        row.values["least"] =
            known ? margin_text(j, least, static_cast<double>(people_.back())) : "not known";
        return row;
    }
    /// The first margin of error in a sentence.
    [[nodiscard]] Fields example() const {
        const Attribute& attribute = spec_.attributes()[0];
        Fields fields{.values = {{"count", grouped(people_.front())},
                                 {"most", grouped(people_.back())},
                                 {"name", name_of(0)},
                                 {"margin", margin_text(0, mechanism_->expected_variance(0),
                                                        static_cast<double>(people_.front()))},
                                 {"smallest", margin_text(0, mechanism_->expected_variance(0),
                                                          static_cast<double>(spec_.min_group()))}}};
        fields.show("numeric", attribute.numeric());
        return fields;
    }

    /// The group whose budget pays for the collection, with its known collections; none without a group.
    [[nodiscard]] std::vector<Fields> group_fields() const {
        if (!statement_.group) return {};
        const GroupLoss& group = *statement_.group;
        double sum = 0;
        Fields fields{.values = {{"group", group.name},
                                 {"total", shortest(group.loss.epsilon)},
                                 {"group_loss", in_percent(group.loss)},
                                 {"group_guess", times_in(group.loss.right_guess())}}};
        auto& rows = fields.sections["collections"];
        const auto add = [&](const Spec& spec) {
            const PrivacyStatement statement = privacy_statement(spec, *make_mechanism(spec));
            const double most = statement.person->epsilon;
            sum += most;
            rows.push_back({.values = {{"title", spec.texts().title.empty() ? spec.mechanism().name
                                                                            : spec.texts().title},
                                       {"fingerprint", fingerprint_text(spec.fingerprint())},
                                       {"each", shortest(statement.report.epsilon)},
                                       {"most", digits(most, 6)}}});
        };
        add(spec_);
        for (const Spec& other : others_) add(other);
        fields.values["sum"] =
            "Together, these collections cost a person at most ε = " +
            digits(std::min(sum, group.loss.epsilon), 6) +
            (sum > group.loss.epsilon ? ", the budget: not every person can take part in all of them." : ".");
        return {fields};
    }

    /// The bounds of all reports of a person, a sentence each.
    [[nodiscard]] std::vector<std::string> over_all_time() const {
        if (statement_.covers_changes())
            return {in_percent(*statement_.person) + ", for the whole series and the times of its changes"};
        if (statement_.repetition == Repetition::fresh) {
            const std::string again = "each further report costs the same again; two reports together: " +
                                      in_percent(statement_.report.times(2));
            if (!statement_.person)
                return {again + "; only the number of reports that are requested limits the total"};
            return {again, "the devices stop at " + in_percent(*statement_.person)};
        }
        std::vector<std::string> lines{
            in_percent(*statement_.person) + ", for at most " + grouped(statement_.responses) +
            " different answers of the person, in any number of reports" +
            (statement_.has_signal() ? ", with the “yes” or “no” about this number" : "")};
        const Spent whole =
            spent(statement_.responses, statement_.response.epsilon, whole_delta, statement_.signal.epsilon);
        if (whole.least() < 0.99 * whole.sum)
            lines.push_back(in_percent({whole.least(), whole.least_delta()}) + ", by " + name(whole.by()) +
                            " composition");
        return lines;
    }

    const Spec& spec_;
    std::vector<Spec> others_;
    std::unique_ptr<const Mechanism> mechanism_;
    PrivacyStatement statement_;
    std::vector<Question> questions_;
    std::vector<std::uint64_t> people_;
    const std::vector<PublicColumn>* columns_;
    Contract contract_;
    std::string version_;
};

/// Returns the public columns that the command line names, or else those of its collection.
std::optional<std::vector<PublicColumn>> public_columns(const std::string& spec, const Arguments& arguments) {
    if (arguments.count("public") != 0) {
        std::vector<PublicColumn> columns;
        for (NamedColumn& one : public_option(arguments)) columns.push_back({std::move(one.name), {}, false});
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

/// Returns the numbers of people in the summary: that of the command line, that of the spec, or the usual ones.
std::vector<std::uint64_t> people_named(const std::string& text, const Arguments& arguments) {
    if (arguments.count("users") != 0) {
        const auto users = arguments["users"].as<std::int64_t>();
        if (users < 1) throw UsageError("--users must be 1 or more, not " + std::to_string(users));
        return {static_cast<std::uint64_t>(users)};
    }
    if (const std::optional<std::uint64_t> named = people_of(text)) return {*named};
    return {std::begin(usual_people), std::end(usual_people)};
}

/// Compares the spec with the record of --check, and prints the differences.
int check(const Spec& spec, const std::string& text, const std::vector<PublicColumn>* columns,
          const Arguments& arguments) {
    const auto& name = arguments["check"].as<std::string>();
    const Approval approved = Approval::from_json(read_text(name), name);
    // A later version writes the documents as the approved one, so that only changes of their content are differences.
    const Disclosure documents(
        spec, arguments.count("users") != 0 ? people_named(text, arguments) : approved.people, columns,
        other_collections(spec, arguments), approved.version);
    const std::vector<std::string> lines = differences(approved, documents.approval());
    std::cerr << "approved on " << approved.approved << " with ldp " << approved.version << "; this is ldp "
              << LDP_VERSION << ", with " << lines.size()
              << (lines.size() == 1 ? " difference" : " differences") << std::endl;
    for (const std::string& line : lines) std::cout << line << "\n";
    return lines.empty() ? Exit::done : Exit::differs;
}

int run(const Arguments& arguments) {
    const Part part = parts.chosen(arguments);
    const bool approves = arguments.count("approve") != 0, checks = arguments.count("check") != 0;
    if (approves && checks) throw UsageError("--approve and --check exclude each other");
    if ((approves || checks) && part != Part::all)
        throw UsageError("--approve and --check apply to all documents, without --part");
    const auto& given = arguments["spec"].as<std::string>();
    const std::string text = spec_text(given);
    const Spec spec = resolve(text);
    const auto columns = public_columns(given, arguments);
    if (checks) return check(spec, text, columns ? &*columns : nullptr, arguments);
    const Disclosure documents(spec, people_named(text, arguments), columns ? &*columns : nullptr,
                               other_collections(spec, arguments), LDP_VERSION);
    if (approves) write_record(arguments["approve"].as<std::string>(), documents.approval());
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
    "[--part PART] [--users N] [--with SPEC]... [--public COLUMN]... [--approve FILE | --check FILE] SPEC",
    "writes the disclosure documents of a spec",
    "Writes three documents in Markdown from the spec. The consent text describes the content of a report\n"
    "and the privacy guarantee. The summary has one page. The draft of a data protection impact\n"
    "assessment includes an audit of the spec. The responsible persons fill in the parts in brackets. The\n"
    "documents are not legal advice. Create the documents from the canonical spec, as returned by\n"
    "ldp_client_spec(): if the spec has \"auto\", they describe the mechanism that is chosen now. The\n"
    "public columns that are sent with a report are not part of a spec: name them with --public, or use\n"
    "collection:NAME, so that the command looks the columns up. If the budget of the spec belongs to a\n"
    "group, the assessment lists the collections of the group whose specs are given by --with.\n"
    "With --approve, the command also writes a record of the approval: the contract, the privacy loss, the\n"
    "version, the date, and the SHA-256 digests of the certificate and of each document. With --check, it\n"
    "compares a collection, or a later version of the program, with the record. It then writes the\n"
    "differences instead of documents, and the exit code is 10 if there are any.",
    options,
    positional,
    run};

}  // namespace ldp::cli::disclosure
