#include "cli/disclosure/question_texts.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/text.hpp"
#include "core/contract/attributes.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/role/registry.hpp"

namespace ldp::cli {

namespace {

/// The texts of an attribute, or those of its vector; those that were not given are empty.
const AttributeTexts& texts_of(const Spec& spec, const Attribute& attribute) {
    static const AttributeTexts none;
    const AttributeTexts* found =
        spec.texts().find(attribute.vector.empty() ? attribute.name : attribute.vector);
    return found == nullptr ? none : *found;
}

std::string list_of(const std::vector<std::string>& items) {
    constexpr std::size_t shown = 12;
    std::string text;
    for (std::size_t i = 0; i < std::min(shown, items.size()); ++i)
        text += (i == 0 ? "" : ", ") + markdown(items[i]);
    return text + (items.size() > shown ? ", …" : "");
}

std::string choices(const Attribute& attribute, const AttributeTexts& texts) {
    std::vector<std::string> labels;
    for (const std::string& label : attribute.labels) labels.emplace_back(texts.display_text(label));
    return grouped(attribute.domain) + (labels.empty() ? " answers" : " answers: " + list_of(labels));
}

std::string kind_of(const Attribute& attribute, const AttributeTexts& texts) {
    std::string text;
    if (attribute.of_numbers()) {
        const std::string unit = texts.unit.empty() ? "" : " " + markdown(texts.unit);
        text = "A number from " + shortest(attribute.min) + " to " + shortest(attribute.max) + unit +
               ". A number below " + shortest(attribute.min) + " counts as " + shortest(attribute.min) +
               ", and a number above " + shortest(attribute.max) + " as " + shortest(attribute.max) + ".";
        if (attribute.binned())
            text += " Only the range that contains it is used, one of " + grouped(attribute.domain) + ".";
    } else if (const std::uint64_t used = attribute.strings ? attribute.strings->longest : attribute.prefix;
               used != 0) {
        text = "A text. At most its first " + std::to_string(used) + " characters are used.";
    } else if (attribute.several()) {
        text = "You can choose up to " + grouped(attribute.most) + " of " + choices(attribute, texts) +
               ". Choose none if none of them fits.";
        if (attribute.most < attribute.domain)
            text += " If you choose more, chance picks " + grouped(attribute.most) +
                    " of them, and your device leaves out the others.";
    } else {
        text = "You choose one of " + choices(attribute, texts) + ".";
        if (!attribute.other.empty())
            text += " Any other answer counts as “" + markdown(texts.display_text(attribute.other)) + "”.";
    }
    if (may_be_missing(attribute)) text += " You can also give no answer.";
    return text;
}

/// The probability with which the reports of a part name the person's own answer, if each names one answer.
std::optional<double> own_answer(const Attribute& attribute, const Mechanism& part) {
    if (attribute.of_numbers() || attribute.several() || attribute.strings ||
        part.report_epsilon() < part.epsilon())
        return {};
    double p = 0, q = 0;
    for (const auto& [name, value] : part.parameters()) {
        if (name == "p") p = value;
        if (name == "q") q = value;
    }
    const double all = p + static_cast<double>(attribute.domain - 1) * q;
    return std::abs(all - 1) < 1e-9 ? std::optional(p) : std::nullopt;
}

/// The content of a report in the words of its mechanism. If it depends on a choice, it has a text for each of them but
/// "auto", separated by a bar, and the value of the option says which one.
std::string leaves_of(const MechanismEntry& entry, const std::string& choice) {
    std::string_view rest = entry.leaves;
    for (const Option& option : entry.options)
        for (const char* const each : option.choices) {
            if (each == std::string_view("auto")) continue;
            const std::size_t end = rest.find('|');
            if (each == choice || end == std::string_view::npos) return std::string(rest.substr(0, end));
            rest.remove_prefix(end + 1);
        }
    return std::string(rest);
}

/// The value of the option of words of a mechanism, for an attribute of a record or for the only one.
std::string choice_of(const Spec& spec, const Attribute& attribute, const MechanismEntry& entry) {
    if (std::string_view(entry.leaves).find('|') == std::string_view::npos) return {};
    for (const Option& option : entry.options) {
        if (option.choices.empty()) continue;
        if (const auto found = attribute.options.find(option.name); found != attribute.options.end())
            if (const auto* word = std::get_if<std::string>(&found->second)) return *word;
        if (&entry == &spec.mechanism()) return spec.word(option.name);
    }
    return {};
}

}  // namespace

std::string markdown(std::string_view text) {
    std::string safe;
    for (const char c : text) {
        if (std::string_view("\\`*_[]<>|#~").find(c) != std::string_view::npos) safe += '\\';
        safe += c == '\n' || c == '\r' ? ' ' : c;
    }
    return safe;
}

std::vector<Question> questions_of(const Spec& spec) {
    std::vector<Question> questions;
    const std::vector<Attribute>& attributes = spec.attributes();
    for (std::size_t j = 0; j < attributes.size(); ++j) {
        const Attribute& attribute = attributes[j];
        if (attribute.derived()) continue;
        if (j > 0 && !attribute.vector.empty() && attributes[j - 1].vector == attribute.vector) {
            ++questions.back().count;
            continue;
        }
        const AttributeTexts& texts = texts_of(spec, attribute);
        const std::string& name = attribute.vector.empty() ? attribute.name : attribute.vector;
        questions.push_back(
            {j, 1, texts.title.empty() ? name : texts.title, texts.question, kind_of(attribute, texts)});
    }
    for (Question& question : questions) {
        const Attribute& attribute = attributes[question.first];
        if (attribute.vector.empty()) continue;
        const AttributeTexts& texts = texts_of(spec, attribute);
        std::vector<std::string> elements;
        for (std::size_t i = 0; i < question.count; ++i)
            elements.emplace_back(texts.display_text(element_label(attributes[question.first + i])));
        question.kind = "For each of these: " + list_of(elements) + ". " + question.kind;
    }
    return questions;
}

std::vector<SentAnswer> sent_answers(const Spec& spec, const Mechanism& mechanism) {
    const std::vector<Attribute>& attributes = spec.attributes();
    const std::vector<Question> questions = questions_of(spec);
    const bool record = find_capability<Record>(mechanism) != nullptr;
    if (!record && questions.size() > 1)
        return {{{}, leaves_of(spec.mechanism(), choice_of(spec, attributes[0], spec.mechanism())), {}}};
    std::vector<SentAnswer> sent;
    for (const Question& question : questions) {
        const Attribute& attribute = attributes[question.first];
        const MechanismEntry* own = find_mechanism(attribute.mechanism);
        const MechanismEntry& entry = own == nullptr ? spec.mechanism() : *own;
        const Mechanism& part = *part_of(mechanism, question.first).mechanism;
        sent.push_back({question.name, leaves_of(entry, choice_of(spec, attribute, entry)),
                        question.count == 1 ? own_answer(attribute, part) : std::nullopt});
    }
    return sent;
}

std::optional<std::uint64_t> drawn_questions(const Mechanism& mechanism) {
    const auto* record = find_capability<Record>(mechanism);
    if (record == nullptr || record->per_report() >= parts_of(mechanism).size()) return {};
    return record->per_report();
}

std::string times_in(double bound) {
    std::uint64_t all = 100;
    while (all < 1'000'000 && (1 - bound) * static_cast<double>(all) < 1) all *= 10;
    const double count = std::ceil(bound * static_cast<double>(all) - 1e-9);
    return grouped(static_cast<std::uint64_t>(count)) + " times in " + grouped(all);
}

}  // namespace ldp::cli
