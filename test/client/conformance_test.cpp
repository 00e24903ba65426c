// The vector files of conformance/ (conformance/README.md): one for each line of conformance/specs.txt. This program
// makes them, and compares them with the files: LDP_WRITE_VECTORS=1 writes the files instead.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "../support/conformance_steps.hpp"
#include "../support/seeded_words.hpp"
#include "client_support.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/choice/resolve.hpp"
#include "core/contract/canonical.hpp"
#include "core/contract/texts.hpp"
#include "core/format/summary_frame.hpp"
#include "core/mechanism/role/registry.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(conformance)

namespace {

constexpr std::size_t most_records = 30;
constexpr std::uint64_t seed = 2026;

/// The value of an attribute in the i-th record: values differ, and some are missing.
Json value_of(const Attribute& attribute, std::size_t i, std::size_t j) {
    const std::size_t pick = 7 * i + 3 * j;
    const bool missing = i % 6 == 4;
    if (attribute.strings) {
        const auto& alphabet = attribute.strings->alphabet;
        std::string text;
        for (std::size_t c = 0; c < i % (attribute.strings->longest + 1); ++c)
            text += static_cast<char>(alphabet[(pick + c) % alphabet.size()]);
        return text.empty() ? Json() : Json(text);
    }
    if (attribute.several()) {
        Json labels = Json::array();
        const std::size_t count =
            std::min<std::size_t>(i % (attribute.most + 2), attribute.domain);  // some are too large
        std::set<std::size_t> numbers;
        for (std::size_t c = 0; numbers.size() < count; ++c)
            numbers.insert((pick + 5 * c) % attribute.domain);
        for (const std::size_t number : numbers)
            labels.push_back(attribute.labels.empty() ? Json(number) : Json(attribute.labels[number]));
        return labels.empty() ? Json() : labels;
    }
    if (attribute.numeric() || attribute.binned()) {
        if (missing && may_be_missing(attribute)) return {};
        const double share = static_cast<double>((pick * 37 + 11) % 101) / 100;
        return attribute.min + (attribute.max - attribute.min) * share;
    }
    if (missing && !attribute.none.empty()) return {};
    if (attribute.labels.empty()) return pick % attribute.domain;
    return attribute.labels[pick % attribute.labels.size()];
}

/// Messages that a reader must refuse, each after it was refused here.
class Refusals {
  public:
    explicit Refusals(const Mechanism& mechanism) : mechanism_(mechanism) {}

    void add(Kind kind, const std::vector<std::byte>& bytes, const char* reason) {
        BOOST_TEST(refused(kind, bytes), noun(kind) << ", " << reason << ", is accepted: " << to_hex(bytes));
        list_.push_back({{"kind", noun(kind)}, {"bytes", to_hex(bytes)}, {"reason", reason}});
    }
    /// Adds the message if it is refused: not every payload or state can be impossible.
    void add_if_refused(Kind kind, const std::vector<std::byte>& bytes, const char* reason) {
        if (refused(kind, bytes)) add(kind, bytes, reason);
    }
    [[nodiscard]] const Json& list() const noexcept { return list_; }

  private:
    [[nodiscard]] bool refused(Kind kind, const std::vector<std::byte>& bytes) const {
        try {
            check_message(mechanism_, bytes, kind);
            return false;
        } catch (const Error&) {
            return true;
        }
    }

    const Mechanism& mechanism_;
    Json list_ = Json::array();
};

using Message = std::vector<std::byte>;

Message changed(Message bytes, std::size_t at, std::uint8_t value) {
    bytes.at(at) = std::byte{value};
    return bytes;
}
Message without_end(Message bytes) {
    bytes.pop_back();
    return bytes;
}
Message with_end(Message bytes) {
    bytes.push_back(std::byte{0});
    return bytes;
}
template <class Number>
Message increased(Message bytes, std::size_t at) {
    store(&bytes.at(at), static_cast<Number>(load<Number>(&bytes.at(at)) + 1));
    return bytes;
}

/// Damage that each kind of message with a block can have.
void add_damage(Refusals& refusals, Kind kind, const Message& sound) {
    refusals.add(kind, {}, "no bytes");
    refusals.add(kind, {sound.begin(), sound.begin() + 10}, "the header is incomplete");
    refusals.add(kind, without_end(sound), "the last byte is missing");
    refusals.add(kind, with_end(sound), "one byte too many");
    refusals.add(kind, changed(sound, 0, 1), "format version 1");
    refusals.add(kind, changed(sound, 0, 3), "format version 3");
    refusals.add(kind, changed(sound, kind_offset, 9), "an unknown kind");
    refusals.add(kind, changed(sound, kind_offset, kind == Kind::report ? 1 : 0), "another kind of message");
    refusals.add(kind, changed(sound, 2, 255), "an unknown mechanism");
    refusals.add(kind, changed(sound, 6, 20), "the default of min_group, which is not written");
    refusals.add(kind, increased<std::uint64_t>(sound, 8), "the fingerprint of another spec");
    refusals.add(kind, changed(sound, 23, 0x7F), "epsilon is out of range");
    refusals.add(kind, increased<std::uint16_t>(sound, block_size_offset), "a block of another size");
}

Json refusals_of(const Mechanism& mechanism, const std::vector<Report>& reports, const Message& batch,
                 const Message& brief, const Message& summary) {
    Refusals refusals(mechanism);
    const std::size_t block = mechanism.block().size(), payload = reports[0].size() - block;
    add_damage(refusals, Kind::report, reports[0]);
    Message extreme = reports[0];
    std::fill(extreme.begin() + static_cast<std::ptrdiff_t>(block), extreme.end(), std::byte{0xFF});
    refusals.add_if_refused(Kind::report, extreme, "an impossible payload: all bits are 1");
    std::fill(extreme.begin() + static_cast<std::ptrdiff_t>(block), extreme.end(), std::byte{0});
    refusals.add_if_refused(Kind::report, extreme, "an impossible payload: all bits are 0");
    const std::size_t step = std::max<std::size_t>(5, 8 * payload / 12);
    for (std::size_t bit = 0; bit < 8 * payload; bit += step) {
        Message flipped = reports[0];
        flipped[block + bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
        refusals.add_if_refused(Kind::report, flipped, "an impossible payload: one bit is changed");
    }

    add_damage(refusals, Kind::batch, batch);
    refusals.add(Kind::batch, increased<std::uint32_t>(batch, block), "a count that exceeds the payloads");
    Message none(batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(block + 4));
    store(&none.at(block), std::uint32_t{0});
    refusals.add(Kind::batch, none, "a batch without reports");
    const auto begin = batch.begin() + static_cast<std::ptrdiff_t>(block + 4);
    if (!std::equal(begin, begin + static_cast<std::ptrdiff_t>(payload),
                    batch.end() - static_cast<std::ptrdiff_t>(payload))) {
        Message unsorted = batch;
        std::swap_ranges(unsorted.begin() + static_cast<std::ptrdiff_t>(block + 4),
                         unsorted.begin() + static_cast<std::ptrdiff_t>(block + 4 + payload),
                         unsorted.end() - static_cast<std::ptrdiff_t>(payload));
        refusals.add(Kind::batch, unsorted, "payloads in another order");
    }
    refusals.add(Kind::batch, without_end(brief), "short form: the last byte is missing");
    refusals.add(Kind::batch, with_end(brief), "short form: one byte too many");
    refusals.add(Kind::batch, changed(brief, 0, 1), "short form: format version 1");
    refusals.add(Kind::batch, increased<std::uint64_t>(brief, 2),
                 "short form: the fingerprint of another spec");
    refusals.add(Kind::batch, increased<std::uint32_t>(brief, 10),
                 "short form: a count that exceeds the payloads");
    refusals.add(Kind::batch, {brief.begin(), brief.begin() + 13}, "short form: the count is incomplete");

    add_damage(refusals, Kind::summary, summary);
    refusals.add_if_refused(Kind::summary, increased<std::uint64_t>(summary, block),
                            "one report more than the state has");
    Message reversed = summary;
    store(&reversed.at(block + 8), std::int32_t{5});
    refusals.add(Kind::summary, reversed, "the first round is after the last one");
    Message empty = summary;
    store(&empty.at(block), std::uint64_t{0});
    refusals.add(Kind::summary, empty, "rounds or a state without reports");
    for (std::size_t at = block + 16; at < summary.size();
         at += std::max<std::size_t>((summary.size() - block) / 6, 1))
        refusals.add_if_refused(
            Kind::summary,
            changed(summary, at, static_cast<std::uint8_t>(~std::to_integer<unsigned>(summary[at]))),
            "an impossible state: one byte is changed");
    return refusals.list();
}

/// Pairs of each attribute of strings and at most three texts of the records.
Json texts_of(const Spec& spec, const Json& records) {
    Json texts = Json::array();
    for (const Attribute& attribute : spec.attributes()) {
        if (!attribute.strings) continue;
        std::set<std::string> seen;
        for (const Json& record : records)
            if (record[attribute.name].is_string() && seen.size() < 3 &&
                seen.insert(record[attribute.name]).second)
                texts.push_back({attribute.name, record[attribute.name]});
    }
    return texts;
}

/// A vector file: one key a line, and one element of an array a line.
std::string laid_out(const Json& vector) {
    std::string text = "{";
    const char* const order[] = {"profile", "spec",    "canonical", "fingerprint", "block",
                                 "words",   "records", "reports",   "batch",       "short_batch",
                                 "summary", "rows",    "refusals"};
    for (const char* key : order) {
        text += std::string(text.size() > 1 ? "," : "") + "\n\"" + key + "\": ";
        const Json& value = vector.at(key);
        if (!value.is_array()) {
            text += json_text(value);
            continue;
        }
        text += "[";
        for (std::size_t i = 0; i < value.size(); ++i) text += (i > 0 ? ",\n " : "\n ") + json_text(value[i]);
        text += "]";
    }
    return text + "\n}\n";
}

std::string vector_file(const std::string& profile, const std::string& given) {
    const Spec spec = Spec::from_json(resolve(given).to_json());
    const auto mechanism = make_mechanism(spec);
    const std::size_t series = rounds_of_series(*mechanism), most = series > 0 ? series : most_records;
    Json records = Json::array();
    for (std::size_t i = 0; i < std::min(most, most_records); ++i) {
        Json record = Json::object();
        for (std::size_t j = 0; j < spec.attributes().size(); ++j)
            if (const Attribute& attribute = spec.attributes()[j]; !attribute.derived())
                record[attribute.name] = value_of(attribute, i, j);
        records.push_back(std::move(record));
    }
    SeededBits words(seed);
    const std::vector<Report> reports = reports_of(spec, records, words);
    BOOST_REQUIRE(!reports.empty());
    Message joined_reports;
    Json written = Json::array();
    for (const Report& report : reports) {
        joined_reports.insert(joined_reports.end(), report.begin(), report.end());
        written.push_back(to_hex(report));
    }
    const std::vector<std::int32_t> rounds(reports.size(), 0);
    const Message batch = pack(*mechanism, reports).front(),
                  brief = short_form_of(batch, mechanism->block().size()),
                  summary = summarize(*mechanism, joined_reports, rounds);
    return laid_out({{"profile", profile},
                     {"spec", json_of(spec.to_json(), Unsound::refused)},
                     {"canonical", canonical_text(canonical_json(spec))},
                     {"fingerprint", fingerprint_text(spec.fingerprint())},
                     {"block", to_hex(mechanism->block())},
                     {"words", "mt19937_64:" + std::to_string(seed)},
                     {"records", records},
                     {"reports", written},
                     {"batch", to_hex(batch)},
                     {"short_batch", to_hex(brief)},
                     {"summary", to_hex(summary)},
                     {"rows", rows_of(spec, *mechanism, summary, texts_of(spec, records))},
                     {"refusals", refusals_of(*mechanism, reports, batch, brief, summary)}});
}

std::string content_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::stringstream content;
    content << file.rdbuf();
    return content.str();
}

}  // namespace

BOOST_AUTO_TEST_CASE(vector_files_are_as_made) {
    const std::filesystem::path directory = "conformance/vectors";
    const bool writes = std::getenv("LDP_WRITE_VECTORS") != nullptr;
    if (writes) std::filesystem::create_directories(directory);
    std::set<std::string> names, mechanisms;
    std::ifstream specs("conformance/specs.txt");
    for (std::string name, profile, spec; specs >> name && (name != "#" || std::getline(specs, spec));) {
        if (name == "#") continue;
        specs >> profile;
        std::getline(specs >> std::ws, spec);
        names.insert(name + ".json");
        mechanisms.insert(resolve(spec).mechanism().name);
        const std::string made = vector_file(profile, spec);
        if (writes)
            std::ofstream(directory / (name + ".json")) << made;
        else
            BOOST_TEST((content_of(directory / (name + ".json")) == made), name << ".json differs");
    }
    BOOST_TEST(mechanisms.size() == registry().size());
    for (const auto& entry : std::filesystem::directory_iterator(directory))
        BOOST_TEST(names.contains(entry.path().filename().string()), entry.path() << " has no spec");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
