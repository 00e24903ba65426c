#include "records.hpp"

#include <charconv>
#include <numeric>
#include <ostream>
#include <utility>

#include "../client/quoted.hpp"

namespace ldp::cli {

namespace {

constexpr std::uint64_t most_notices = 10;

const Words<BadRow> bad_row_words{"on-bad-row", {{"stop", BadRow::stop}, {"skip", BadRow::skip}}};
const Words<Outside> outside_words{"outside", {{"clamp", Outside::clamp}, {"refuse", Outside::refuse}}};

}  // namespace

std::string grouped(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
    return text;
}

std::string summary(const Tally& tally, const Spec& spec, const std::string& what_was_done) {
    const std::uint64_t clamped =
        std::accumulate(tally.clamped.begin(), tally.clamped.end(), std::uint64_t{0});
    std::string by_attribute;
    for (std::size_t j = 0; j < tally.clamped.size(); ++j)
        if (tally.clamped[j] > 0)
            by_attribute += (by_attribute.empty() ? " (" : ", ") + spec.attributes()[j].name + " " +
                            grouped(tally.clamped[j]);
    if (!by_attribute.empty()) by_attribute += ")";
    return grouped(tally.rows) + " rows read, " + grouped(tally.skipped) + " skipped, " + grouped(clamped) +
           " values clamped" + by_attribute + ", " + grouped(tally.accepted()) + " reports " + what_was_done;
}

Records::Records(CsvReader& csv, const Spec& spec, BadRow policy, std::ostream* notices)
    : csv_(csv), spec_(spec), policy_(policy), notices_(notices) {
    for (const Attribute& attribute : spec.attributes()) columns_.push_back(csv.column(attribute.name));
    values_.reserve(columns_.size());
    tally_.clamped.resize(columns_.size());
}

void Records::resume(const CsvReader::Place& place, Tally tally) {
    csv_.seek(place);
    tally_ = std::move(tally);
}

std::span<const Value> Records::record() {
    values_.clear();
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        const std::string_view field = csv_.field(columns_[j]);
        const Attribute& attribute = spec_.attributes()[j];
        if (!attribute.labels.empty()) {
            values_.emplace_back(field);
            continue;
        }
        double number = 0;
        const char* const end = field.data() + field.size();
        const auto [stopped, problem] = std::from_chars(field.data(), end, number);
        if (problem == std::errc::result_out_of_range)
            throw Error(ErrorCode::invalid_value, quoted(field) + " is too large or too small a number",
                        "It stands in column " + quoted(attribute.name) + ".");
        if (problem != std::errc() || stopped != end)
            throw Error(ErrorCode::invalid_value, quoted(field) + " is no number",
                        "It stands in column " + quoted(attribute.name) + ".",
                        "Numbers are written like 12, -0.5 or 1e3, without spaces or separators.");
        values_.emplace_back(number);
    }
    return values_;
}

void Records::refuse(const Error& error) {
    if (error.code() != ErrorCode::invalid_value) throw;
    const std::string where = csv_.name() + ", line " + std::to_string(csv_.line()) + ": ";
    if (policy_ == BadRow::stop)
        throw Error(
            ErrorCode::invalid_value, where + error.what(), error.detail(),
            error.hint() + (error.hint().empty() ? "" : " ") + "--on-bad-row skip passes such rows over.");
    ++tally_.rows;
    ++tally_.skipped;
    if (notices_ == nullptr || tally_.skipped > most_notices + 1) return;
    if (tally_.skipped <= most_notices)
        *notices_ << "skipped: " << where << error.what() << "\n";
    else
        *notices_ << "skipped: further rows are counted only\n";
}

void add_record_options(Options& options) {
    namespace po = boost::program_options;
    options.add_options()(bad_row_words.option, po::value<std::string>()->default_value("stop"),
                          "a row that is no record: stop or skip")(
        outside_words.option, po::value<std::string>()->default_value("clamp"),
        "a number outside its range: clamp (moved to the nearer end and counted) or refuse (a bad row)");
}

BadRow bad_row_policy(const Arguments& arguments) {
    return bad_row_words.chosen(arguments);
}
Outside outside_policy(const Arguments& arguments) {
    return outside_words.chosen(arguments);
}

}  // namespace ldp::cli
