// Fetches summaries, and answers queries from their bytes.
// Length: one class, whose results share the connection, the summaries of groups, and the texts of the spec.

#include "cli/answers/source.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <set>
#include <utility>

#include "client/uploader.hpp"
#include "core/base/bytes.hpp"
#include "core/base/text.hpp"
#include "core/contract/attributes.hpp"
#include "core/groups/against_others.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/vector/range_learning.hpp"
#include "core/results/rows/other_groups.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/summary.hpp"
#include "figures/formatting.hpp"

namespace ldp::cli {

namespace {

/// Text with each placeholder replaced by its value, in which no placeholder is replaced. Constants contain
/// no braces: constant() escapes them.
std::string with(std::string_view text, const std::map<std::string, std::string>& values) {
    std::string out;
    while (!text.empty()) {
        const auto found =
            std::ranges::find_if(values, [&](const auto& one) { return text.starts_with(one.first); });
        out += found == values.end() ? std::string(1, text[0]) : found->second;
        text.remove_prefix(found == values.end() ? 1 : found->first.size());
    }
    return out;
}

/// A row that the server returned as text.
class ServerRow : public NamedRow {
  public:
    explicit ServerRow(const pq::Row& row) : row_(row) {}
    [[nodiscard]] double number(std::string_view column) const override {
        const auto at = column_of(column);
        return at ? std::strtod(row_[*at].c_str(), nullptr) : NAN;
    }
    [[nodiscard]] std::string text(std::string_view column) const override {
        const auto at = column_of(column);
        return at ? row_[*at].as<std::string>() : std::string();
    }
    [[nodiscard]] std::string element(std::string_view, std::size_t) const override { return {}; }

  private:
    /// The number of a column that is not NULL.
    [[nodiscard]] std::optional<pq::Row::size_type> column_of(std::string_view column) const {
        for (pq::Row::size_type i = 0; i < row_.size(); ++i)
            if (std::string_view(row_[i].name()) == column && !row_[i].is_null()) return i;
        return {};
    }

    const pq::Row& row_;
};

/// A row that was computed here, about a group if it has a name.
class ComputedRow : public NamedRow {
  public:
    ComputedRow(std::span<const ResultColumn> columns, std::span<const ResultCell> cells,
                const std::string* group)
        : columns_(columns), cells_(cells), group_(group) {}
    [[nodiscard]] double number(std::string_view column) const override {
        if (group_ != nullptr && column == "name") return std::strtod(group_->c_str(), nullptr);
        const auto at = column_of(column);
        if (!at) return NAN;
        return columns_[*at].type == ColumnType::number ? cells_[*at].number
                                                        : static_cast<double>(cells_[*at].whole);
    }
    [[nodiscard]] std::string text(std::string_view column) const override {
        if (group_ != nullptr && column == "name") return *group_;
        const auto at = column_of(column);
        if (!at) return {};
        const bool whole =
            columns_[*at].type == ColumnType::integer || columns_[*at].type == ColumnType::bigint;
        return whole ? std::to_string(cells_[*at].whole) : cells_[*at].text;
    }
    [[nodiscard]] std::string element(std::string_view column, std::size_t index) const override {
        const auto at = column_of(column);
        return at && index < cells_[*at].texts.size() ? cells_[*at].texts[index] : std::string();
    }

  private:
    [[nodiscard]] std::optional<std::size_t> column_of(std::string_view column) const {
        for (std::size_t i = 0; i < columns_.size(); ++i)
            if (columns_[i].name == column && cells_[i].known) return i;
        return {};
    }

    std::span<const ResultColumn> columns_;
    std::span<const ResultCell> cells_;
    const std::string* group_;
};

std::vector<std::byte> bytes_of(const std::string& text) {
    const auto* const first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
}

std::string local_date() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    char date[16];
    (void)localtime_r(&now, &local);
    return {date, std::strftime(date, sizeof(date), "%Y-%m-%d", &local)};
}

std::string reason_of(const pq::Failure& failure) {
    std::string why = failure.what();
    why.erase(0, why.starts_with("asking: ") ? 8 : 0);
    if (!failure.detail().empty()) why += ". " + failure.detail();
    return why;
}

/// The attributes of a spec with display texts as labels.
std::vector<Attribute> displayed(const Spec& spec) {
    std::vector<Attribute> all = spec.attributes();
    for (Attribute& attribute : all) {
        const AttributeTexts* texts = spec.texts().find(attribute.name);
        if (texts == nullptr || texts->display.empty() || !attribute.vector.empty()) continue;
        if (attribute.labels.empty())
            for (std::uint64_t value = 0; value < attribute.domain; ++value)
                attribute.labels.push_back(std::to_string(value));
        const Labels known(std::span<const Attribute>(&attribute, 1));
        std::vector<std::string> labels;
        for (std::size_t value = 0; value < attribute.labels.size(); ++value) {
            const std::string& label = attribute.labels[value];
            labels.push_back(texts->display.contains(label) ? std::string(texts->display_text(label))
                                                            : known.label(0, value));
        }
        attribute.labels = std::move(labels);
        attribute.prefix = 0;  // the texts have no marks of prefixes
    }
    return all;
}

std::string schema_of(pqxx::connection& connection) {
    return pq::guarded("finding the extension", [&] {
        pqxx::read_transaction transaction(connection);
        return pq::extension_schema(transaction);
    });
}

}  // namespace

Source::Source(pqxx::connection& connection, Asked asked)
    : connection_(&connection),
      asked_(std::move(asked)),
      schema_(schema_of(connection)),
      rollup_(collection_of_rollup().empty() ? "" : asked_.collection),
      collection_(rollup_.empty() ? asked_.collection : collection_of_rollup()),
      spec_(fetch_spec(connection, collection_)),
      displayed_(displayed(spec_)),
      labels_(displayed_),
      mechanism_(make_mechanism(spec_)) {
    pq::guarded("counting reports", [&] {
        const auto found = binary_rows("SELECT " + exact("{summary}"));
        if (found.at(0).at(0)) summary_ = bytes_of(*found[0][0]);
    });
    find_columns();
    check_columns();
    name_apart();
    if (summary_.empty()) return;
    check_bytes(summary_);
    select_last_round();
}

Source::Source(Spec spec, SummaryTable summaries, Asked asked)
    : connection_(nullptr),
      table_(std::move(summaries)),
      asked_(std::move(asked)),
      collection_(asked_.collection),
      spec_(std::move(spec)),
      displayed_(displayed(spec_)),
      labels_(displayed_),
      mechanism_(make_mechanism(spec_)) {
    columns_ = table_.columns;
    check_columns();
    name_apart();
    for (const GroupSummary& group : table_.groups) check_bytes(group.summary);
    if (asked_.round && !has_rounds())
        raise(ErrorCode::invalid_value, "the summaries are not grouped by round", {},
              "ldp summarize --by round counts a summary of each round.");
    const SummaryGroups all = groups_of_table({});
    if (all.summaries.empty()) return;
    summary_ = all.summaries[0];
    select_last_round();
}

Source::SummaryGroups Source::groups_of_table(const std::string& by) const {
    const auto index_of = [&](const std::string& column) {
        return static_cast<std::size_t>(std::ranges::find(columns_, column) - columns_.begin());
    };
    const std::size_t column = by.empty() ? columns_.size() : index_of(by);
    const std::string round = this->round() && by != "round" ? std::to_string(*this->round()) : "";
    const std::size_t round_column = index_of("round");
    std::map<std::string, SummaryTable> parts;
    for (const GroupSummary& group : table_.groups)
        if (round.empty() || group.values[round_column] == round)
            parts[by.empty() ? "" : group.values[column].value_or("none")].groups.push_back(group);
    std::vector<std::pair<std::string, std::vector<std::byte>>> sums;
    for (const auto& [name, part] : parts) sums.emplace_back(name, merged(*mechanism_, part));
    std::ranges::stable_sort(sums, std::greater<>(),
                             [&](const auto& one) { return view_of(*mechanism_, one.second).n; });
    SummaryGroups found;
    for (auto& [name, summary] : sums) {
        found.names.push_back(name);
        found.summaries.push_back(std::move(summary));
    }
    return found;
}

void Source::select_last_round() {
    const auto whole = view();
    if (asked_.round || asked_.all_rounds || !whole || !has_rounds() || spec_.mechanism().series ||
        series_parts(*mechanism_) != nullptr || range_learner(*mechanism_) != nullptr ||
        !whole->rounds.recorded() || whole->rounds.most() < 2)
        return;
    const SummaryGroups& rounds = groups("round");
    std::map<std::int32_t, const std::vector<std::byte>*> found;
    for (std::size_t g = 0; g < rounds.names.size(); ++g)
        if (const auto view = view_of(*mechanism_, rounds.summaries[g]); view.n > 0 && enough(view))
            found[static_cast<std::int32_t>(std::strtol(rounds.names[g].c_str(), nullptr, 10))] =
                &rounds.summaries[g];
    if (found.empty()) return;
    all_ = std::exchange(summary_, *found.rbegin()->second);
    last_ = found.rbegin()->first;
    found.erase(*last_);
    for (const auto& [round, summary] : found) earlier_.push_back(round);
}

const std::vector<Source::RoundChange>& Source::changes_since(std::int32_t before) {
    const auto [at, added] = changes_.try_emplace(before);
    if (!added) return at->second;
    const SummaryGroups& rounds = groups("round");
    const auto earlier = std::ranges::find(rounds.names, std::to_string(before));
    if (earlier == rounds.names.end()) return at->second;
    SummaryQuery compared = query("change");
    compared.other = summary_;
    try {
        const auto found = accessors::change(
            subject(rounds.summaries[static_cast<std::size_t>(earlier - rounds.names.begin())]), compared);
        for (std::size_t i = 0; i < found->count(); ++i) {
            const ComputedRow row(found->columns(), found->row(i), nullptr);
            if (std::isfinite(row.number("estimate")))
                at->second.push_back({static_cast<std::size_t>(row.number("attribute_number")),
                                      row.text("label"), row.number("estimate"), row.number("lower"),
                                      row.number("upper"), row.number("p_value")});
        }
    } catch (const Error& error) {
        // The mechanism estimates no changes: figures by round compare independent estimates instead.
        if (error.code() != ErrorCode::unsupported) throw;
    }
    return at->second;
}

std::vector<Source::RoundChange> Source::changes_of_series(std::size_t attribute, std::int32_t from,
                                                           std::int32_t to) {
    SummaryQuery asked = query("series_mean");
    if (spec_.attributes().size() > 1) asked.attribute = spec_.attributes()[attribute].name;
    asked.rounds = {&to, 1};
    asked.baseline = {&from, 1};
    const auto found = accessors::series_change(subject(summary_), asked);
    std::vector<RoundChange> changes;
    for (std::size_t i = 0; i < found->count(); ++i) {
        const ComputedRow row(found->columns(), found->row(i), nullptr);
        changes.push_back({attribute, row.text("label"), row.number("estimate"), row.number("lower"),
                           row.number("upper"), row.number("p_value")});
    }
    return changes;
}

const std::vector<Source::GroupDifference>& Source::differences(const std::string& by) {
    const auto [at, added] = differences_.try_emplace(by);
    if (!added) return at->second;
    std::vector<std::string> names;
    std::vector<std::vector<std::byte>> summaries;
    const SummaryGroups& all = groups(by);
    for (std::size_t g = 0; g < all.names.size(); ++g)
        if (const SummaryView one = view_of(*mechanism_, all.summaries[g]); one.n > 0 && enough(one)) {
            names.push_back(all.names[g]);
            summaries.push_back(all.summaries[g]);
        }
    if (names.size() < 2) return at->second;
    for (const OtherGroups::Contrast& one :
         OtherGroups(*mechanism_, summaries).contrasts(labels_, query("compare_groups")))
        at->second.push_back({names[one.group], one.attribute, one.value, one.estimate, one.p_value});
    return at->second;
}

double Source::p_value_of_medians(std::int32_t before, std::size_t attribute) {
    const SummaryGroups& rounds = groups("round");
    const auto earlier = std::ranges::find(rounds.names, std::to_string(before));
    if (earlier == rounds.names.end() || !compares_medians(*mechanism_, attribute)) return NAN;
    const SummaryView from =
        view_of(*mechanism_, rounds.summaries[static_cast<std::size_t>(earlier - rounds.names.begin())]);
    const SummaryView to = view_of(*mechanism_, summary_);
    if (part(from, attribute).n == 0 || part(to, attribute).n == 0) return NAN;
    const SummaryQuery defaults = query("change");
    return difference_of_medians(to, from, attribute, IntervalRule::of(defaults.confidence, false, false),
                                 target_named(defaults.target))
        .p_value;
}

void Source::name_apart() {
    const auto& all = spec_.attributes();
    const auto name_of = [&](std::size_t j) { return all[j].vector.empty() ? all[j].name : all[j].vector; };
    std::map<std::string, std::set<std::string>> uses;
    titles_.clear();
    for (std::size_t j = 0; j < all.size(); ++j) {
        const std::string& title = texts(j).title;
        titles_.push_back(title.empty() ? name_of(j) : title);
        uses[titles_[j]].insert(name_of(j));
    }
    for (std::size_t j = 0; j < all.size(); ++j)
        if (uses[titles_[j]].size() > 1 && titles_[j] != name_of(j)) titles_[j] += " (" + name_of(j) + ")";
}

void Source::show_texts(bool shown) {
    texts_shown_ = shown;
    labels_ = Labels(shown ? std::span<const Attribute>(displayed_) : spec_.attributes());
    changes_.clear();
    differences_.clear();
    name_apart();
}

const SpecTexts& Source::spec_texts() const {
    static const SpecTexts none;
    return texts_shown_ ? spec_.texts() : none;
}

const AttributeTexts& Source::texts(std::size_t attribute) const {
    static const AttributeTexts none;
    const Attribute& one = spec_.attributes()[attribute];
    const AttributeTexts* found =
        texts_shown_ ? spec_.texts().find(one.vector.empty() ? one.name : one.vector) : nullptr;
    return found == nullptr ? none : *found;
}

std::string Source::called_whole(std::size_t attribute, std::size_t most) const {
    return name(titles_[attribute], most);
}

std::string Source::called(std::size_t attribute, std::size_t most) const {
    const Attribute& one = spec_.attributes()[attribute];
    const AttributeTexts& found = texts(attribute);
    if (one.vector.empty() || (found.title.empty() && found.display.empty()))
        return name(one.vector.empty() ? titles_[attribute] : one.name, most);
    return called_whole(attribute, most) + ": " + name(label_of(attribute), most);
}

std::string Source::label_of(std::size_t attribute) const {
    const Attribute& one = spec_.attributes()[attribute];
    if (one.vector.empty()) return titles_[attribute];
    return std::string(texts(attribute).display_text(element_label(one)));
}

std::string Source::unit(std::size_t attribute) const {
    return unmarked(name(texts(attribute).unit));
}

bool Source::is_proportion(std::size_t attribute) const {
    const Attribute& one = spec_.attributes()[attribute];
    return one.numeric() && one.min == 0 && one.max == 1 && unit(attribute).empty();
}

void Source::check_bytes(Bytes summary) const {
    if (!is_summary_of(*mechanism_, summary)) {
        (void)checked_mechanism(summary);  // bytes that are no summary are that error
        raise_incompatible(mechanism_->block(), summary);
    }
    check_summary(*mechanism_, summary);
}

SummaryQuery Source::query(const char* function) const {
    SummaryQuery query = row_function(function).defaults;
    query.confidence = asked_.confidence;
    if (!asked_.target.empty()) query.target = asked_.target;
    return query;
}

Source::Statistics Source::statistics(const char* summary, std::string_view statistic,
                                      std::optional<std::size_t> attribute) const {
    const std::string name = attribute ? spec_.attributes()[*attribute].name : "";
    const std::string selected = attribute ? ", ARRAY[" + constant(name) + "]" : "";
    return {"ldp_estimate(" + std::string(summary) + selected + ", statistics => '{" +
                std::string(statistic) + "}'" + options() + ")",
            [=, query = query("estimate")](const Subject& whole) {
                const std::string_view attributes[] = {name}, statistics[] = {statistic};
                SummaryQuery one = query;
                if (attribute) one.attributes = attributes;
                one.statistics = statistics;
                return row_function("estimate").find(whole, one);
            }};
}

bool Source::of_sample() const {
    return query("estimate").target == "sample";
}

/// Behind a pooler the session may be another one in each transaction, and later serves other programs.
/// Therefore settings end with the transaction.
void Source::begin(pqxx::transaction_base& transaction) const {
    transaction.exec(
        "SET LOCAL client_encoding = 'UTF8'; SET LOCAL standard_conforming_strings = on; "
        "SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO'; "
        "SET LOCAL search_path = pg_catalog, pg_temp");
}

const Mechanism& Source::reporter(std::size_t attribute) const {
    const auto* const record = find_capability<Record>(*mechanism_);
    return record == nullptr ? *mechanism_ : record->reporter(attribute);
}

std::optional<SummaryView> Source::view() const {
    if (summary_.empty()) return {};
    return view_of(*mechanism_, summary_);
}

std::optional<SummaryView> Source::view_of_all() const {
    if (all_.empty()) return view();
    return view_of(*mechanism_, all_);
}

std::string Source::options(bool targeted) const {
    std::string arguments;
    if (asked_.confidence != 0.95) arguments += ", confidence => " + shortest(asked_.confidence);
    if (targeted && !asked_.target.empty()) arguments += ", target => '" + asked_.target + "'";
    return arguments;
}

std::vector<QuestionPart> Source::parts() const {
    std::vector<QuestionPart> found;
    for (const RecordPart& part : parts_of(*mechanism_)) {
        QuestionPart one{part.first, 0, part.mechanism};
        while (one.count < part.count && !spec_.attributes()[one.first + one.count].derived()) ++one.count;
        if (one.count > 0) found.push_back(one);
    }
    return found;
}

std::string Source::spelled(const std::string& question, const std::string& by) const {
    return rendered(question, by, false);
}

std::string Source::exact(const std::string& question, const std::string& by) const {
    return rendered(question, by, true);
}

std::string Source::rendered(const std::string& question, const std::string& by, bool exact) const {
    const std::string ldp = exact ? schema_ + "." : "", cast = exact ? "::text" : "";
    const std::string number = this->round() ? std::to_string(*this->round()) : "";
    // The groups of one round, or of all rounds.
    const auto groups = [&](const std::string& column, bool one_round) {
        const bool first = one_round && !number.empty();
        const std::string from = first ? number : "0", to = first ? number : "NULL";
        const std::string columns = exact ? "ARRAY[" + column + "]::text[]"
                                          : "ARRAY[" + column + "]" + (column.empty() ? "::text[]" : "");
        const std::string rounds = exact ? ", NULL::" + ldp + "ldp_time, NULL::" + ldp + "ldp_time, " + from +
                                               "::integer, " + to + "::integer"
                                   : first ? ", first_round => " + from + ", last_round => " + to
                                   : asked_.all_rounds && by != "round" ? ", first_round => 0"
                                                                        : "";
        return "unnest(" + ldp + "ldp_groups_of(" + constant(asked_.collection) + cast + ", " + columns +
               rounds + ")) AS b (\"group\", summary)";
    };
    const bool by_name = rollup_.empty() && (exact ? !number.empty() : !asked_.all_rounds);
    const std::string round = exact ? ", " + number + "::integer" : number.empty() ? "" : ", " + number;
    const std::string summary = by_name ? ldp + "ldp_summary_of(" + constant(collection_) + cast + round + ")"
                                        : "(SELECT summary FROM " + groups("", true) + ")";
    return with(question, {{"{groups}", "(SELECT \"group\" ->> " + constant(by) + " AS name, summary FROM " +
                                            groups(constant(by), by != "round") + ") AS g"},
                           {"{summary}", summary},
                           {"{name}", constant(collection_) + cast},
                           {"{ldp}", ldp}});
}

const Source::SummaryGroups& Source::groups(const std::string& by) {
    const auto known = groups_.find(by);
    if (known != groups_.end()) return known->second;
    if (connection_ == nullptr) return groups_.emplace(by, groups_of_table(by)).first->second;
    SummaryGroups found;
    // A role with access to rows also gets groups of fewer than min_group reports, which have no estimates.
    try {
        pq::guarded("asking", [&] {
            for (const auto& row : binary_rows(
                     exact("SELECT name, summary FROM (SELECT coalesce(name, 'none') AS name, summary, "
                           "{ldp}ldp_count(summary) AS n FROM {groups}) AS counted ORDER BY n DESC, name",
                           by))) {
                if (!row[1]) continue;
                found.names.push_back(row[0].value_or(""));
                found.summaries.push_back(bytes_of(*row[1]));
            }
        });
    } catch (const pq::Failure& failure) {
        if (failure.passing()) throw;
        found = {.refused = reason_of(failure)};
    }
    return groups_.emplace(by, std::move(found)).first->second;
}

std::map<std::int32_t, std::uint64_t> Source::reports_by_round() {
    std::map<std::int32_t, std::uint64_t> counts;
    const SummaryGroups& rounds = groups("round");
    for (std::size_t g = 0; g < rounds.names.size(); ++g)
        counts[static_cast<std::int32_t>(std::strtol(rounds.names[g].c_str(), nullptr, 10))] =
            view_of(*mechanism_, rounds.summaries[g]).n;
    return counts;
}

std::string Source::computed(std::span<const Find> finds, const EachOf& each, const std::string& by) {
    const SummaryGroups* const all = by.empty() ? nullptr : &groups(by);
    if (all != nullptr && !all->refused.empty()) return all->refused;
    struct FoundRows {
        std::unique_ptr<Results> results;
        const std::string* group;
        std::size_t index;
    };
    std::vector<FoundRows> found;
    try {
        for (std::size_t i = 0; i < finds.size(); ++i)
            if (all == nullptr) {
                if (!summary_.empty()) found.push_back({finds[i](subject(summary_)), nullptr, i});
            } else {
                for (std::size_t g = 0; g < all->names.size(); ++g)
                    found.push_back({finds[i](subject(all->summaries[g])), &all->names[g], i});
            }
    } catch (const Error& error) {
        return error.what() + (error.detail().empty() ? "" : ". " + error.detail());
    }
    for (const auto& [results, group, index] : found)
        for (std::size_t row = 0; row < results->count(); ++row)
            each(ComputedRow(results->columns(), results->row(row), group), index);
    return {};
}

std::string Source::answer(const std::string& sql, const Each& each) {
    return run(exact(sql), each);
}

std::vector<std::vector<std::optional<std::string>>> Source::binary_rows(const std::string& sql) {
    pqxx::read_transaction transaction(*connection_);
    begin(transaction);
    transaction.exec("DECLARE ldp_rows BINARY CURSOR FOR " + sql);
    std::vector<std::vector<std::optional<std::string>>> rows;
    for (const pq::Row& row : transaction.exec("FETCH ALL FROM ldp_rows")) {
        rows.emplace_back();
        for (pq::Row::size_type i = 0; i < row.size(); ++i)
            rows.back().push_back(
                row[i].is_null() ? std::nullopt : std::optional(std::string(row[i].c_str(), row[i].size())));
    }
    return rows;
}

std::string Source::run(const std::string& sql, const Each& each) {
    try {
        pq::guarded("asking", [&] {
            pqxx::read_transaction transaction(*connection_);
            begin(transaction);
            const pqxx::result rows = transaction.exec(sql);
            for (const pq::Row& row : rows) each(ServerRow(row));
        });
        return {};
    } catch (const pq::Failure& failure) {
        if (failure.passing()) throw;
        return reason_of(failure);
    }
}

std::string Source::collection_of_rollup() {
    std::string found;
    const std::string name = constant(asked_.collection);
    const std::string rejection =
        run("SELECT r.collection FROM " + schema_ + ".ldp_rollups AS r WHERE r.name = " + name +
                " AND NOT EXISTS (SELECT FROM " + schema_ + ".ldp_collections AS c WHERE c.name = r.name)",
            [&](const NamedRow& row) { found = text(row, "collection"); });
    return rejection.empty() ? found : std::string();
}

bool Source::has_rounds() const {
    return std::ranges::find(columns_, "round") != columns_.end();
}

void Source::find_columns() {
    // A unit of time is a column of the rollup's table, whose name is that of the unit.
    const std::string columns =
        rollup_.empty()
            ? "(SELECT ldp_internal.ldp_group_columns(reports) FROM {ldp}ldp_collections WHERE name = {name})"
            : "(SELECT ARRAY(SELECT a.attname::text FROM pg_attribute AS a "
              "WHERE a.attrelid = r.summaries AND a.attnum > 0 AND NOT a.attisdropped AND "
              "a.attname NOT IN ('bucket', 'summary') ORDER BY a.attnum) "
              "FROM {ldp}ldp_rollups AS r WHERE r.name = " +
                  constant(rollup_) + ")";
    const std::string rejection =
        answer("SELECT c AS column FROM unnest(" + columns + ") AS c",
               [&](const NamedRow& row) { columns_.push_back(text(row, "column")); });
    if (!rejection.empty()) throw Error(ErrorCode::environment, rejection);
}

void Source::check_columns() const {
    std::string all;
    for (const std::string& column : columns_) all += (all.empty() ? "" : ", ") + column;
    for (const std::string* column : {&asked_.by, &asked_.date, &asked_.curve})
        if (!column->empty() && std::ranges::find(columns_, *column) == columns_.end())
            throw Error(
                ErrorCode::invalid_value,
                "reports of \"" + asked_.collection + "\" cannot be grouped by \"" + *column + "\"",
                all.empty() ? "There are no columns of groups." : "Available columns are " + all + ".");
}

std::string Source::type_of_column(const std::string& column) {
    std::string type;
    const std::string rejection = answer(
        "SELECT format_type(CASE WHEN t.typbasetype = 0 THEN t.oid ELSE t.typbasetype END, NULL) AS type FROM " +
            (rollup_.empty() ? "(SELECT reports FROM {ldp}ldp_collections WHERE name = {name})"
                             : "(SELECT summaries AS reports FROM {ldp}ldp_rollups WHERE name = " +
                                   constant(rollup_) + ")") +
            " AS c JOIN pg_attribute AS a ON a.attrelid = c.reports JOIN pg_type AS t ON t.oid = a.atttypid "
            "WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attname = " +
            constant(column),
        [&](const NamedRow& row) { type = text(row, "type"); });
    if (!rejection.empty()) throw Error(ErrorCode::environment, rejection);
    return type;
}

Dates Source::dates() {
    Dates dates;
    if (connection_ == nullptr) {
        dates.today = local_date();
        return dates;
    }
    std::string column, range, fallback;
    std::size_t columns = 0;
    // Days are those of the rollup. Without one, they are those of the collection's rollups if these agree, else of UTC.
    std::string zone = "UTC";
    (void)answer(
        "SELECT coalesce(CASE WHEN count(DISTINCT zone) = 1 THEN min(zone) END, 'UTC') AS zone FROM "
        "{ldp}ldp_rollups WHERE " +
            (rollup_.empty() ? "collection = {name}" : "name = " + constant(rollup_)),
        [&](const NamedRow& row) { zone = text(row, "zone"); });
    (void)run("SELECT (now() AT TIME ZONE " + constant(zone) + ")::date::text AS today",
              [&](const NamedRow& row) { dates.today = text(row, "today"); });
    (void)answer(
        "SELECT a.attname AS column, (a.atttypid = 'date'::regtype)::integer AS is_date, "
        "format(CASE a.atttypid WHEN 'timestamptz'::regtype THEN 'SELECT (min(%1$I) AT TIME ZONE "
        "%3$L)::date::text AS first, (max(%1$I) AT TIME ZONE %3$L)::date::text AS last FROM %2$s' ELSE "
        "'SELECT min(%1$I)::date::text AS first, max(%1$I)::date::text AS last FROM %2$s' END, a.attname, "
        "c.reports, " +
            constant(zone) + ") AS range FROM " +
            (rollup_.empty() ? "{ldp}ldp_collections AS c"
                             : "(SELECT summaries AS reports FROM {ldp}ldp_rollups WHERE name = " +
                                   constant(rollup_) + ") AS c") +
            " JOIN pg_attribute AS a ON a.attrelid = c.reports WHERE " +
            (rollup_.empty()
                 ? "c.name = {name} AND a.attname = ANY (ldp_internal.ldp_group_columns(c.reports))"
                 : "a.attnum > 0 AND NOT a.attisdropped") +
            " AND a.atttypid IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype)" +
            (asked_.date.empty() ? "" : " AND a.attname = " + constant(asked_.date)),
        [&](const NamedRow& row) {
            ++columns;
            column = text(row, "column");
            range = text(row, "range");
            // Dates are few enough to be groups, which also roles without access to rows may query.
            if (number(row, "is_date") == 1)
                fallback = "SELECT min(name) AS first, max(name) AS last FROM {groups}";
        });
    if (columns != 1) return dates;
    if (round()) range += " WHERE round = " + std::to_string(*round());
    const Each keep = [&](const NamedRow& row) {
        dates.first = text(row, "first");
        dates.last = text(row, "last");
    };
    if (!run(range, keep).empty() && !fallback.empty()) (void)run(exact(fallback, column), keep);
    return dates;
}

Row row_of(const NamedRow& row) {
    return {.label = text(row, "label"),
            .estimate = number(row, "estimate"),
            .error = number(row, "stderr"),
            .lower = number(row, "lower"),
            .upper = number(row, "upper"),
            .n = text(row, "n"),
            .note = text(row, "note")};
}

}  // namespace ldp::cli
