#include "core/proof/certificate.hpp"

#include <algorithm>
#include <map>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/base/json.hpp"
#include "core/base/sha256.hpp"
#include "core/base/text.hpp"
#include "core/contract/canonical.hpp"
#include "core/contract/privacy_statement.hpp"
#include "core/math/channel_law.hpp"
#include "core/math/insecure_bits.hpp"

namespace ldp {

namespace {

Json law_json(const ChannelLaw& law);

// Structures -----------------------------------------------------------------------------------------------

/// Returns rows of probabilities over a common denominator, which becomes a member of `into`.
Json integer_rows(const std::vector<std::vector<Exact>>& rows, Json& into) {
    std::vector<Exact> all;
    for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
    const CommonIntegers integers = over_common_denominator(all);
    into["denominator"] = integers.denominator;
    Json numerators = Json::array();
    auto next = integers.numerators.begin();
    for (const auto& row : rows) {
        const auto end = next + static_cast<std::ptrdiff_t>(row.size());
        numerators.push_back(std::vector<std::string>(next, end));
        next = end;
    }
    return numerators;
}

Json count_json(const OutputCount& count) {
    if (count.items == 0) return count.number.text();
    return {count.items, count.chosen};
}

Json structure_json(const LevelsLaw& law) {
    Json json{{"kind", "levels"}};
    std::vector<Exact> shares;
    for (const LawLevel& level : law.levels) shares.push_back(level.share);
    json["shares"] = integer_rows({shares}, json)[0];
    for (const LawLevel& level : law.levels) json["outputs"].push_back(count_json(level.outputs));
    return json;
}

Json structure_json(const RowsLaw& law) {
    Json json{{"kind", "rows"}};
    json["rows"] = integer_rows(law.rows, json);
    return json;
}

Json structure_json(const BitsLaw& law) {
    Json json{{"kind", "bits"}};
    json["rows"] = integer_rows(law.rows, json);
    for (const auto& differences : law.differences) {
        Json set = Json::array();
        for (const auto& [from, to, times] : differences) set.push_back({from, to, times});
        json["differences"].push_back(std::move(set));
    }
    return json;
}

Json structure_json(const EnvelopeLaw& law) {
    Json json{{"kind", "envelope"}};
    std::vector<Exact> largest, smallest;
    for (const auto& [most, least] : law.outputs) largest.push_back(most), smallest.push_back(least);
    const Json rows = integer_rows({largest, smallest}, json);
    json["largest"] = rows[0];
    json["smallest"] = rows[1];
    return json;
}

Json structure_json(const DecayLaw& law) {
    Json json{{"kind", "decay"}, {"steps", law.steps}};
    std::vector<Exact> coins = law.digits;
    coins.push_back(law.beyond);
    Json numerators = integer_rows({coins}, json)[0];
    json["beyond"] = numerators.back();
    numerators.erase(numerators.size() - 1);
    json["digits"] = std::move(numerators);
    return json;
}

Json structure_json(const NormalLaw& law) {
    return {{"kind", "normal"},
            {"sigma", exact_of(law.sigma).text()},
            {"radius", exact_of(law.radius).text()},
            {"precision", exact_of(law.precision).text()},
            {"cut", exact_of(law.cut).text()}};
}

Json structure_json(const OptionalLaw& law) {
    Json json{{"kind", "optional"}, {"outputs", law.outputs}, {"number", law_json(law.number.front())}};
    const Json coins = integer_rows({{law.answered, law.absent}}, json)[0];
    json["answered"] = coins[0];
    json["absent"] = coins[1];
    return json;
}

Json structure_json(const ChoiceLaw& law) {
    Json json{{"kind", "choice"}, {"parts", Json::array()}};
    std::vector<Exact> shares;
    for (const ChoicePart& part : law.parts) {
        json["parts"].push_back(law_json(part.law));
        if (part.share) shares.push_back(*part.share);
    }
    if (!shares.empty()) json["shares"] = integer_rows({shares}, json)[0];
    return json;
}

Json structure_json(const ProductLaw& law) {
    Json json{{"kind", "product"}, {"parts", Json::array()}, {"times", Json::array()}};
    for (const IndependentPart& part : law.parts) {
        json["parts"].push_back(law_json(part.law));
        json["times"].push_back(part.times);
    }
    return json;
}

Json law_json(const ChannelLaw& law) {
    Json json = std::visit([](const auto& structure) { return structure_json(structure); }, law.structure);
    if (law.second) {
        Json second = Json::object();
        const Json coins = integer_rows({{law.second->stay, law.second->other}}, second)[0];
        second["stay"] = coins[0];
        second["other"] = coins[1];
        json["second"] = std::move(second);
    }
    return json;
}

// Tables ---------------------------------------------------------------------------------------------------

using Rows = std::vector<std::vector<Exact>>;

/// Returns the laws of all inputs as rows. The outputs are in the order of their bytes, the last one first, which is
/// that of numbers.
Rows rows_of(const std::vector<Outcomes>& laws) {
    std::map<std::vector<std::byte>, std::size_t> outputs;
    const auto key = [](const std::vector<std::byte>& output) {
        return std::vector<std::byte>(output.rbegin(), output.rend());
    };
    for (const Outcomes& law : laws)
        for (const auto& [output, p] : law) outputs.try_emplace(key(output), 0);
    std::size_t next = 0;
    for (auto& [output, index] : outputs) index = next++;
    Rows rows;
    for (const Outcomes& law : laws) {
        std::vector<Exact>& row = rows.emplace_back(outputs.size());
        for (const auto& [output, p] : law) row[outputs.at(key(output))] = p;
    }
    return rows;
}

/// Whether each row but the first is the sum of the preceding one and the same step.
bool in_progression(const Rows& rows) {
    constexpr std::size_t few = 16;
    if (rows.size() < 3 || rows[0].size() > few) return false;
    for (std::size_t x = 2; x < rows.size(); ++x)
        for (std::size_t y = 0; y < rows[0].size(); ++y)
            if (!(rows[x][y] - rows[x - 1][y] == rows[1][y] - rows[0][y])) return false;
    return true;
}

Json progression_json(const Rows& rows) {
    Json json{{"inputs", rows.size()}, {"outputs", rows[0].size()}};
    std::vector<Exact> step;
    for (std::size_t y = 0; y < rows[0].size(); ++y) step.push_back(rows[1][y] - rows[0][y]);
    const Json numerators = integer_rows({rows[0], step}, json);
    json["first"] = numerators[0];
    json["step"] = numerators[1];
    return json;
}

/// Classes of equal items, in the order of their first members.
template <class Item>
class EqualItems {
  public:
    void add(const Item& item) {
        const auto [known, first] = numbers_.try_emplace(item, sizes_.size());
        if (first) sizes_.push_back(0), members_.push_back(item);
        ++sizes_[known->second];
    }
    [[nodiscard]] const std::vector<std::uint64_t>& sizes() const noexcept { return sizes_; }
    [[nodiscard]] const std::vector<Item>& members() const noexcept { return members_; }

  private:
    std::map<Item, std::size_t> numbers_;
    std::vector<std::uint64_t> sizes_;
    std::vector<Item> members_;
};

using Indices = std::vector<std::size_t>;

std::vector<Indices> transposed(const std::vector<Indices>& rows) {
    std::vector<Indices> columns(rows[0].size(), Indices(rows.size()));
    for (std::size_t x = 0; x < rows.size(); ++x)
        for (std::size_t y = 0; y < rows[x].size(); ++y) columns[y][x] = rows[x][y];
    return columns;
}

EqualItems<Indices> classes_of(const std::vector<Indices>& items) {
    EqualItems<Indices> classes;
    for (const Indices& item : items) classes.add(item);
    return classes;
}

/// Returns the values of a row, each before the number of its repetitions.
Json runs_json(const Indices& row) {
    Json runs = Json::array();
    for (auto at = row.begin(); at != row.end();) {
        const auto end = std::find_if(at, row.end(), [&](std::size_t value) { return value != *at; });
        runs.push_back(*at);
        runs.push_back(end - at);
        at = end;
    }
    return runs;
}

/// Returns a table with classes of equal inputs and of equal outputs.
Json table_json(const std::vector<Outcomes>& laws) {
    const Rows rows = rows_of(laws);
    if (in_progression(rows)) return progression_json(rows);
    std::vector<Exact> all;
    for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
    const CommonIntegers integers = over_common_denominator(all);
    std::map<std::string, std::size_t> known;
    std::vector<std::string> weights;
    std::vector<Indices> indices(rows.size());
    for (std::size_t i = 0; i < integers.numerators.size(); ++i) {
        const std::string& weight = integers.numerators[i];
        const auto [found, first] = known.try_emplace(weight, weights.size());
        if (first) weights.push_back(weight);
        indices[i / rows[0].size()].push_back(found->second);
    }
    const EqualItems<Indices> outputs = classes_of(transposed(indices));
    const EqualItems<Indices> inputs = classes_of(transposed(outputs.members()));
    Json json{
        {"inputs", rows.size()}, {"outputs", rows[0].size()},       {"denominator", integers.denominator},
        {"weights", weights},    {"input_classes", inputs.sizes()}, {"output_classes", outputs.sizes()},
        {"rows", Json::array()}};
    for (const Indices& row : inputs.members()) json["rows"].push_back(runs_json(row));
    return json;
}

Json tables_json(const EnumeratedLaws& laws) {
    Json tables{{"response", table_json(laws.permanent)}};
    if (!laws.report.empty()) tables["report"] = table_json(laws.report);
    return tables;
}

/// Returns the tables of all public randomness. Equal tables are one, with the number of times that they occur.
Json enumeration_json(const Audit& found) {
    std::map<Json, std::uint64_t> known;
    for (const EnumeratedLaws& laws : found.laws) ++known[tables_json(laws)];
    Json all{{"public_randomness", found.every_public_randomness ? "every" : "sample"},
             {"tables", Json::array()}};
    for (const auto& [tables, times] : known) {
        all["tables"].push_back(tables);
        all["tables"].back()["times"] = times;
    }
    return all;
}

// Bounds ---------------------------------------------------------------------------------------------------

Json epsilon_json(double epsilon) {
    return {{"epsilon", shortest(epsilon)},
            {"exactly", exact_of(epsilon).text()},
            {"factor", exp_below(epsilon).text()}};
}

Json bound_json(const Promise& promise) {
    Json bound = epsilon_json(promise.epsilon);
    bound["worst"] = promise.claimed.text();
    return bound;
}

Json bounds_json(const Audit& found) {
    if (found.approximate) {
        Json bound = epsilon_json(found.approximate->epsilon);
        bound["delta"] = exact_of(found.approximate->delta).text();
        return {{"response", std::move(bound)}};
    }
    Json bounds{{"response", bound_json(found.permanent)}};
    if (found.report) bounds["report"] = bound_json(*found.report);
    return bounds;
}

/// Returns the bounds of the signal of a spent budget, each with its enumerated rows, for "not spent" and "spent".
Json signal_json(const Audit& found) {
    const auto layer = [](const Promise& promise, const std::vector<Outcomes>& laws) {
        Json json = bound_json(promise);
        json["structure"] = structure_json(RowsLaw{rows_of(laws)});
        return json;
    };
    Json signal{{"response", layer(*found.signal, found.signal_laws.permanent)}};
    if (found.signal_of_report) signal["report"] = layer(*found.signal_of_report, found.signal_laws.report);
    return signal;
}

Json statement_json(const PrivacyStatement& statement) {
    Json losses = Json::object();
    for (const auto& [reports, loss] : statement.losses())
        losses[reports] = {{"epsilon", shortest(loss.epsilon)}, {"delta", shortest(loss.delta)}};
    if (statement.group) losses["group"]["name"] = statement.group->name;
    return losses;
}

/// Returns an object with a line for each member.
std::string lines(const Json& object) {
    std::string text;
    for (const auto& [key, value] : object.items())
        text += (text.empty() ? "{\n" : ",\n") + json_text(key) + ": " + json_text(value);
    return text + "\n}\n";
}

}  // namespace

Audit audit_for_certificate(const Spec& spec, const Mechanism& mechanism,
                            const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
    InsecureBits bits(spec.fingerprint().in_block());  // public randomness is no secret
    return audit(mechanism, bits, {.keep_laws = true}, progress);
}

std::string certificate(const Spec& spec, const Mechanism& mechanism, const Audit& found,
                        std::string_view version) {
    Json all{{"certificate", 1},
             {"program", "ldp " + std::string(version)},
             {"spec", json_text(canonical_json(spec))},
             {"fingerprint", fingerprint_text(spec.fingerprint())},
             {"bounds", bounds_json(found)},
             {"structure", law_json(mechanism.channel_law())},
             {"statement", statement_json(privacy_statement(spec, mechanism))}};
    if (found.signal) all["signal"] = signal_json(found);
    if (found.enumerated) {
        Json enumeration = enumeration_json(found);
        if (json_text(enumeration).size() <= most_table_bytes) all["enumeration"] = std::move(enumeration);
    }
    return lines(all);
}

std::string certificate_digest(std::string_view certificate) {
    return to_hex(sha256(std::as_bytes(std::span(certificate))));
}

std::string certificate_digest_for(const Spec& spec, std::string_view certificate) {
    const Json all = Json::parse(certificate, nullptr, false);
    if (!all.is_object() || all.value("certificate", Json()) != 1 || !all.contains("fingerprint"))
        raise(ErrorCode::malformed, "the file is not a certificate", {},
              "ldp audit --certificate FILE writes a certificate.");
    const std::string expected = fingerprint_text(spec.fingerprint());
    if (all["fingerprint"] != expected)
        raise(ErrorCode::invalid_value, "the certificate belongs to another spec",
              "The fingerprint of the spec is " + expected + ".");
    return certificate_digest(certificate);
}

}  // namespace ldp
