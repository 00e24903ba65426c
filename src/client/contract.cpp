// Length: the rule of contracts is in one file: what is read, what is compared, and how it is worded.
#include "client/contract.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "client/in_quotes.hpp"
#include "core/base/error.hpp"
#include "core/base/json.hpp"
#include "core/base/sha256.hpp"
#include "core/base/text.hpp"
#include "core/contract/contract_digest.hpp"
#include "core/contract/privacy_statement.hpp"
#include "core/format/fingerprint.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace ldp {

namespace {

/// Changes of one verdict. A hostile spec could have millions.
constexpr std::size_t most_changes = 200;
/// Changes in the text of an error.
constexpr std::size_t most_lines = 12;
constexpr std::size_t longest_value = 160;

using Effect = ContractChange::Kind;

std::string meaning_of(const Json& spec) {
    Json meaning = Json::array();
    for (const Json& attribute : spec["attributes"]) {
        Json texts = Json::object();
        for (const auto& [key, text] : attribute.items())
            if (gives_meaning(key)) texts[key] = text;
        meaning.push_back(std::move(texts));
    }
    return digest_of(meaning);
}

Json document_of(const Contract& contract) {
    return json_of(contract.spec, Unsound::allowed);
}

/// The names as people and programs write them: those of a vector's elements are "NAME.LABEL".
std::set<std::string> asked_attributes(const Json& spec) {
    std::set<std::string> names;
    for (const Json& attribute : spec["attributes"])
        if (!attribute.contains("product")) names.insert(attribute["name"].get<std::string>());
    return names;
}

Contract contract_of(const Offer& offer, const ContractTerms& terms, const Mechanism& mechanism) {
    const Spec& spec = offer.spec;
    const Json document = contract_document(spec);
    Contract contract;
    contract.fingerprint = spec.fingerprint();
    contract.spec = json_text(document);
    contract.meaning = meaning_of(with_single_spaces(document));
    contract.mechanism = spec.mechanism().name;
    const PrivacyStatement statement = privacy_statement(spec, mechanism);
    contract.remembers = statement.repetition != Repetition::fresh;
    contract.report_epsilon = statement.report.epsilon;
    if (statement.person) contract.life_epsilon = statement.person->epsilon;
    contract.attributes = asked_attributes(document);
    contract.in_clear = terms.in_clear;
    // A digest says which columns are sent. Without a word about them, none is.
    if (terms.digest && !contract.in_clear) contract.in_clear.emplace();
    if (spec.budget() && spec.budget()->group) {
        contract.group = spec.budget()->group->name;
        contract.group_epsilon = spec.budget()->group->epsilon;
    }
    contract.endpoint = offer.endpoint.empty() ? std::string() : normal_address(offer.endpoint);
    contract.collection = offer.collection;
    contract.created = offer.created;
    return contract;
}

/// Collects changes of a verdict.
class Changes {
  public:
    explicit Changes(std::vector<ContractChange>& into) : into_(into) {}

    void add(Effect kind, std::string field, std::string before, std::string now) {
        if (kind == Effect::same || (into_.size() >= most_changes && kind <= strictest_)) return;
        strictest_ = std::max(strictest_, kind);
        into_.push_back(
            {kind, std::move(field), shortened(before, longest_value), shortened(now, longest_value)});
    }
    void add(Effect kind, const std::string& field, const Json* before, const Json* now) {
        const auto text = [](const Json* value) {
            if (value == nullptr || value->is_null()) return std::string();
            return value->is_number_float() ? shortest(value->get<double>())
                                            : json_text(*value, Unsound::allowed);
        };
        add(kind, field, text(before), text(now));
    }

  private:
    std::vector<ContractChange>& into_;
    Effect strictest_ = Effect::same;
};

/// Adds the differences of two values below a path, where `kind_of(key)` is the kind below a key.
void add_differences(Changes& changes, const std::string& path, const Json& before, const Json& now,
                     Effect kind) {
    if (before == now) return;
    if (!before.is_object() || !now.is_object()) {
        changes.add(kind, path, &before, &now);
        return;
    }
    for (const auto& [key, value] : before.items()) {
        const auto other = now.find(key);
        if (other == now.end())
            changes.add(kind, path + "." + key, &value, nullptr);
        else
            add_differences(changes, path + "." + key, value, *other, kind);
    }
    for (const auto& [key, value] : now.items())
        if (!before.contains(key)) changes.add(kind, path + "." + key, nullptr, &value);
}

/// Calls `each(key, before, now)` for all keys of two objects. An absent value is null.
template <class Each>
void for_each_key(const Json& before, const Json& now, Each each) {
    static const Json absent;
    for (const auto& [key, value] : before.items()) {
        const auto other = now.find(key);
        each(key, value, other == now.end() ? absent : *other);
    }
    for (const auto& [key, value] : now.items())
        if (!before.contains(key)) each(key, absent, value);
}

std::string name_of(const Json& attribute) {
    const auto name = attribute.find("name");
    return name == attribute.end() || !name->is_string() ? std::string() : name->get<std::string>();
}

/// Adds the differences of two specs: of the spec itself, of the meaning of answers, and of headings.
void compare_specs(Changes& changes, const Json& before, const Json& now, Effect spec, Effect meaning) {
    if (!before.is_object() || !now.is_object()) {
        changes.add(Effect::refuse, "spec", &before, &now);
        return;
    }
    for_each_key(before, now, [&](const std::string& key, const Json& one, const Json& other) {
        if (is_heading(key)) {
            add_differences(changes, key, one, other, Effect::shown);
            return;
        }
        const bool lists = key == "attributes" && one.is_array() && other.is_array();
        const auto same_list = [&] { return std::ranges::equal(one, other, {}, name_of, name_of); };
        if (!lists || !same_list()) {
            add_differences(changes, key, one, other, spec);
            return;
        }
        for (std::size_t i = 0; i < one.size(); ++i)
            for_each_key(one[i], other[i], [&](const std::string& of, const Json& old, const Json& fresh) {
                add_differences(changes, key + "." + name_of(one[i]) + "." + of, old, fresh,
                                gives_meaning(of) ? meaning : spec);
            });
    });
}

std::string listed(const std::set<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + in_quotes(name, 63);
    return text.empty() ? "nothing" : text;
}

/// Returns the texts without spaces, in lower case; nothing if it is not a digest.
std::optional<std::string> digits_of(std::string_view text) {
    std::string digits;
    for (const char c : text) {
        if (c == ' ') continue;
        const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
        if ((lower < '0' || lower > '9') && (lower < 'a' || lower > 'f')) return std::nullopt;
        digits += lower;
    }
    if (digits.size() < digits_for_people || digits.size() > 64) return std::nullopt;
    return digits;
}

/// Adds what the terms do not allow.
void compare_terms(Changes& changes, const ContractTerms& terms, const Contract& now) {
    const auto above = [](double found, double limit) { return !(found <= limit * (1 + 1e-12)); };
    const auto limit = [&](const char* field, std::optional<double> allowed, double found) {
        if (allowed && above(found, *allowed))
            changes.add(Effect::refuse, field, "at most " + shortest(*allowed), shortest(found));
    };
    if (terms.digest && !now.has_digest(*terms.digest))
        changes.add(Effect::refuse, "digest", shortened(*terms.digest, 80), now.digest());
    limit("report_epsilon", terms.report_epsilon, now.report_epsilon);
    // The client counts fresh draws without a budget; see Client::report.
    limit("life_epsilon", terms.life_epsilon,
          std::isinf(now.life_epsilon) ? now.report_epsilon : now.life_epsilon);
    if (terms.reports && *terms.reports == 0 && !now.remembers)
        changes.add(Effect::refuse, "reports", "at most 0", "1");
    if (terms.group_epsilon && !now.group.empty() && *terms.group_epsilon != now.group_epsilon)
        changes.add(Effect::refuse, "group_epsilon", shortest(*terms.group_epsilon),
                    shortest(now.group_epsilon));
    if (terms.attributes)
        for (const std::string& name : now.attributes)
            if (!terms.attributes->contains(name))
                changes.add(Effect::refuse, "attributes", listed(*terms.attributes), in_quotes(name, 63));
}

std::optional<std::set<std::string>> names_in_clear(const Json& json) {
    const auto found = json.find("in_clear");
    if (found == json.end() || !found->is_array()) return std::nullopt;
    std::set<std::string> names;
    for (const Json& name : *found)
        if (name.is_string()) names.insert(name.get<std::string>());
    return names;
}

}  // namespace

ContractTerms ContractTerms::from_json(std::string_view text) {
    const Json json = json_of(text, Unsound::allowed);
    const auto refuse = [](const std::string& what) {
        raise(
            ErrorCode::invalid_value, "the terms are invalid", what,
            "Terms are an object with the keys digest, report_epsilon, life_epsilon, reports, group_epsilon, "
            "attributes and in_clear.");
    };
    if (!json.is_object()) refuse("They are not a JSON object.");
    ContractTerms terms;
    for (const auto& [key, value] : json.items()) {
        if (value.is_null()) continue;
        const auto number = [&, &name = key, &found = value](std::optional<double>& into) {
            if (!found.is_number()) refuse(in_quotes(name) + " is not a number.");
            into = found.get<double>();
        };
        const auto names = [&, &name = key, &found = value](std::optional<std::set<std::string>>& into) {
            into.emplace();
            if (!found.is_array()) refuse(in_quotes(name) + " is not an array of names.");
            for (const Json& one : found) {
                if (!one.is_string()) refuse(in_quotes(name) + " is not an array of names.");
                into->insert(one.get<std::string>());
            }
        };
        if (key == "digest") {
            if (!value.is_string()) refuse("\"digest\" is not a text.");
            terms.digest = value.get<std::string>();
        } else if (key == "report_epsilon") {
            number(terms.report_epsilon);
        } else if (key == "life_epsilon") {
            number(terms.life_epsilon);
        } else if (key == "reports") {
            if (!value.is_number_unsigned()) refuse("\"reports\" is not a whole number of at least 0.");
            terms.reports = value.get<std::uint64_t>();
        } else if (key == "group_epsilon") {
            number(terms.group_epsilon);
        } else if (key == "attributes") {
            names(terms.attributes);
        } else if (key == "in_clear") {
            names(terms.in_clear);
        } else {
            refuse(in_quotes(key) + " is unknown.");
        }
    }
    return terms;
}

Contract Contract::of(const Offer& offer, const ContractTerms& terms) {
    return contract_of(offer, terms, *make_mechanism(offer.spec));
}

Contract Contract::of(const Offer& offer, const ContractTerms& terms, const Mechanism& mechanism) {
    return contract_of(offer, terms, mechanism);
}

std::string Contract::to_json() const {
    Json json{{"version", contract_version},
              {"digest", digest()},
              {"fingerprint", fingerprint_text(fingerprint)},
              {"meaning", meaning},
              {"mechanism", mechanism},
              {"report_epsilon", report_epsilon},
              {"life_epsilon", std::isinf(life_epsilon) ? Json() : Json(life_epsilon)},
              {"remembers", remembers},
              {"attributes", attributes},
              {"in_clear", in_clear ? Json(*in_clear) : Json()},
              {"revision", revision},
              {"spec", document_of(*this)}};
    if (!group.empty()) {
        json["group"] = group;
        json["group_epsilon"] = group_epsilon;
    }
    const auto put = [&](const char* key, const std::string& text) {
        if (!text.empty()) json[key] = text;
    };
    put("endpoint", endpoint);
    put("collection", collection);
    put("created", created);
    put("offered", offered);
    return json_text(json, Unsound::allowed);
}

Contract Contract::from_json(std::string_view text) {
    const Json json = json_of(text, Unsound::allowed);
    const auto refuse = [](const char* why) {
        raise(ErrorCode::malformed, "the text is not a contract of ldp", why,
              "Use the unchanged text. A release of ldp reads contracts of earlier releases.");
    };
    if (!json.is_object()) refuse("It is not a JSON object.");
    if (json.value("version", Json()) != contract_version) refuse("Its version is not 1.");
    const auto text_of = [&](const char* key) {
        const auto found = json.find(key);
        return found == json.end() || !found->is_string() ? std::string() : found->get<std::string>();
    };
    const auto spec = json.find("spec");
    if (spec == json.end() || !spec->is_object()) refuse("It has no spec.");
    Contract contract = of({Spec::from_json(json_text(*spec, Unsound::allowed)),
                            {},
                            text_of("endpoint"),
                            text_of("collection"),
                            text_of("created")});
    contract.in_clear = names_in_clear(json);
    if (const auto found = json.find("revision"); found != json.end() && found->is_number_unsigned())
        contract.revision = found->get<std::uint32_t>();
    contract.offered = text_of("offered");
    return contract;
}

std::string Contract::digest() const {
    return contract_digest(document_of(*this), in_clear.value_or(std::set<std::string>()));
}

std::string Contract::mark(const std::vector<PublicColumn>& columns) const {
    const std::string text = to_json() + ldp::to_json(columns);
    return to_hex(sha256(std::as_bytes(std::span(text))));
}

std::optional<std::set<std::string>> Contract::in_clear_of(std::string_view json) {
    const Json contract = json_of(json, Unsound::allowed);
    return contract.is_object() ? names_in_clear(contract) : std::nullopt;
}

std::string Contract::short_digest() const {
    return ldp::short_digest(digest());
}

bool Contract::has_digest(std::string_view text) const {
    const auto digits = digits_of(text);
    return digits && digest().starts_with(*digits);
}

void Contract::require_digest(std::string_view text) const {
    if (has_digest(text)) return;
    raise(ErrorCode::invalid_value, "the digest does not match the offered contract",
          "Found " + in_quotes(text, 80) + "; the offered contract has " + short_digest() + ".",
          "Compare the contract with information from a source other than the server.");
}

std::string Contract::summary() const {
    std::string text = collection.empty() ? "collection" : "collection " + in_quotes(collection, 63);
    if (!endpoint.empty()) text += " at " + in_quotes(endpoint, 200);
    text += ": " + std::to_string(attributes.size()) + (attributes.size() == 1 ? " answer" : " answers") +
            " per person, randomized by " + mechanism + " at epsilon " + shortest(report_epsilon) + "; ";
    text += std::isinf(life_epsilon) ? "each further report costs the same again"
                                     : "all reports together cost at most " + shortest(life_epsilon);
    if (!group.empty())
        text += ", out of " + shortest(group_epsilon) + " for all collections of the group " +
                in_quotes(group, 63);
    text += "\nreads: " + listed(attributes) + "\nsent unchanged: " +
            (in_clear ? listed(*in_clear) : "the public columns that the program fills") + "\ncontract " +
            short_digest();
    return text;
}

const char* word_of(ContractChange::Kind kind) noexcept {
    constexpr const char* words[] = {"same", "shown", "ask", "refuse"};
    return words[static_cast<std::size_t>(kind)];
}

ContractChange::Kind Verdict::kind() const noexcept {
    Effect strictest = Effect::same;
    for (const ContractChange& one : changes) strictest = std::max(strictest, one.kind);
    return strictest;
}

std::string Verdict::lines(ContractChange::Kind of) const {
    std::string text;
    std::size_t left = 0, shown = 0;
    for (const ContractChange& one : changes) {
        if (one.kind != of) continue;
        if (shown == most_lines) {
            ++left;
            continue;
        }
        ++shown;
        const auto value = [](const std::string& found) { return found.empty() ? "nothing" : found; };
        text += (text.empty() ? "" : "\n") + one.field + ": before " + value(one.before) + ", now " +
                value(one.now);
    }
    if (left > 0) text += "\nand " + std::to_string(left) + " more";
    return text;
}

std::string Verdict::to_json() const {
    Json all = Json::array();
    for (const ContractChange& one : changes)
        all.push_back(
            {{"kind", word_of(one.kind)}, {"field", one.field}, {"before", one.before}, {"now", one.now}});
    return json_text(all, Unsound::allowed);
}

void Verdict::require_possible() const {
    if (kind() != Effect::refuse) return;
    raise(ErrorCode::incompatible, "the collection differs from the accepted contract", lines(Effect::refuse),
          "Nothing was drawn or sent. Ask the owner of the collection about the difference, through "
          "another channel than this server.");
}

void Verdict::require_agreed() const {
    require_possible();
    if (kind() != Effect::ask) return;
    bool moved = false, other_meaning = false;
    for (const ContractChange& one : changes) {
        if (one.kind != Effect::ask) continue;
        const bool address = one.field == "endpoint" || one.field == "collection";
        moved = moved || address;
        other_meaning = other_meaning || (!address && one.field != "in_clear");
    }
    std::string hint = "Nothing was drawn or sent. If the change is correct, accept the contract " +
                       contract.short_digest() + ".";
    if (contract.remembers && other_meaning)
        hint +=
            " Accept a new wording of the same question only: memoized responses to two different "
            "questions can reveal both answers. A new question needs a new collection, with a new epsilon.";
    if (contract.remembers && moved)
        hint +=
            " Accept another address of the same owner only: two owners of the same memoized responses can link them.";
    raise(ErrorCode::changed, "the collection has changed since the contract was accepted",
          lines(Effect::ask), hint);
}

Verdict compare(const Contract* agreed, const ContractTerms& terms, const Offer& offer) {
    return compare(agreed, terms, Contract::of(offer, terms), offer.columns);
}

Verdict compare(const Contract* agreed, const ContractTerms& terms, const Contract& now,
                const std::vector<PublicColumn>& columns) {
    Verdict verdict{{}, now};
    Contract& made = verdict.contract;
    if (agreed != nullptr) {
        if (!made.in_clear) made.in_clear = agreed->in_clear;
        if (made.endpoint.empty() || is_same_place(agreed->endpoint, made.endpoint))
            made.endpoint = agreed->endpoint;
        if (made.collection.empty()) made.collection = agreed->collection;
        if (made.created.empty()) made.created = agreed->created;
    }
    Changes changes(verdict.changes);
    compare_terms(changes, terms, made);
    for (const std::string& name : made.in_clear.value_or(std::set<std::string>()))
        if (made.attributes.contains(name))
            changes.add(Effect::refuse, "in_clear", "the attribute " + in_quotes(name, 63),
                        "a public column of the same name");
    for (const PublicColumn& column : columns)
        if (column.required && !(made.in_clear && made.in_clear->contains(column.name)))
            changes.add(made.in_clear ? Effect::refuse : Effect::shown, "required", "",
                        in_quotes(column.name, 63));
    if (agreed == nullptr) return verdict;

    const bool remembers = agreed->remembers;
    const bool accepted = terms.digest && made.has_digest(*terms.digest);
    compare_specs(changes, with_single_spaces(document_of(*agreed)), with_single_spaces(document_of(made)),
                  remembers ? Effect::refuse : Effect::ask,
                  remembers && !accepted ? Effect::ask : Effect::shown);
    if (agreed->group != made.group || agreed->group_epsilon != made.group_epsilon)
        changes.add(Effect::refuse, "group",
                    in_quotes(agreed->group, 63) + " " + shortest(agreed->group_epsilon),
                    in_quotes(made.group, 63) + " " + shortest(made.group_epsilon));
    if (agreed->in_clear && *agreed->in_clear != *made.in_clear) {
        const bool more = !std::ranges::includes(*agreed->in_clear, *made.in_clear);
        changes.add(more ? Effect::ask : Effect::shown, "in_clear", listed(*agreed->in_clear),
                    listed(*made.in_clear));
    }
    const auto address = [&](const char* field, const std::string& before, const std::string& found) {
        if (!before.empty() && before != found)
            changes.add(Effect::ask, field, in_quotes(before, 200), in_quotes(found, 200));
    };
    address("endpoint", agreed->endpoint, made.endpoint);
    address("collection", agreed->collection, made.collection);
    made.revision = agreed->revision + (verdict.changes.empty() ? 0 : 1);
    return verdict;
}

}  // namespace ldp
