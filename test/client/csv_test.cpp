// The CSV reader, and rows as records.

#include <fstream>
#include <numeric>
#include <sstream>

#include "cli/input/csv.hpp"
#include "cli/input/csv_field.hpp"
#include "cli/input/people_file.hpp"
#include "cli/input/statistics_parser.hpp"
#include "cli/input/statistics_times.hpp"
#include "cli/records.hpp"
#include "client_support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(csv)

using namespace ldp::cli;

namespace {

using Rows = std::vector<std::vector<std::string>>;

/// All records of a text with this many columns.
Rows read(const std::string& text, std::size_t columns) {
    std::istringstream in(text);
    CsvReader csv(in, "test.csv");
    Rows rows;
    while (csv.next()) {
        auto& row = rows.emplace_back();
        for (std::size_t i = 0; i < columns; ++i) row.emplace_back(csv.field(i));
    }
    return rows;
}

void check_fails(const std::string& text, ErrorCode code, const std::string& message) {
    BOOST_CHECK_EXCEPTION(read(text, 1), Error, error_with(code, message));
}

/// Reads `text` as records of a spec; what was taken is the first value of each.
struct Intake {
    Intake(const std::string& text, const char* json, BadRow policy, Outside outside = Outside::clamp,
           const std::string& average_by = {})
        : in(text),
          csv(in, "test.csv"),
          to(collection(json, outside)),
          records(csv, to.spec(), policy, {average_by}, &notices) {}
    void run() {
        while (records.next([&](std::span<const Value> record) {
            taken.push_back(record.size());
            if (const auto* number = std::get_if<double>(&record[0])) firsts.push_back(*number);
            return to.encode(record, bits);
        }))
            continue;
    }
    std::istringstream in;
    std::ostringstream notices;
    CsvReader csv;
    Collection to;
    Records records;
    SystemRandom bits;
    std::vector<std::size_t> taken;
    std::vector<double> firsts;  ///< the first value of each
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_format) {
    const Rows plain = {{"1", "x"}, {"2", "y"}};
    BOOST_TEST((read("a,b\n1,x\n2,y\n", 2) == plain));
    BOOST_TEST((read("a,b\n1,x\n2,y", 2) == plain));
    BOOST_TEST((read("a,b\r\n1,x\r\n2,y\r\n", 2) == plain));
    BOOST_TEST((read("\xEF\xBB\xBF"
                     "a,b\n1,x\n2,y\n",
                     2) == plain));
    BOOST_TEST((read("\"a\",\"b\"\n\"1\",\"x\"\r\n\"2\",\"y\"", 2) == plain));
    BOOST_TEST((read("a,b\n\n1,x\n\r\n2,y\n\n\n", 2) == plain));
    BOOST_TEST(
        (read("a,b\n\"1,\n2\",\"say \"\"hi\"\"\"\n\"\",\n", 2) == Rows{{"1,\n2", "say \"hi\""}, {"", ""}}));
    BOOST_TEST((read("a,b\n,\n1,x\n,\n2,y\n,\n", 2) == plain));  // blank records
    BOOST_TEST((read("sep=;\na;b\n1;x\n2;y\n", 2) == plain));
    BOOST_TEST((read("sep=\t\r\na\tb\n1\tx\n2\ty\n", 2) == plain));
    BOOST_TEST((read("a\n1\n\n\"\"\n", 1) == Rows{{"1"}, {""}, {""}}));
    BOOST_TEST((read("a\nx\ry\n", 1) == Rows{{"x\ry"}}));
    BOOST_TEST((read("a,b\n", 2).empty()));
    BOOST_TEST((read("a,b", 2).empty()));
    BOOST_TEST((read(std::string("a\nx\0y\n", 6), 1) == Rows{{std::string("x\0y", 3)}}));
}

BOOST_AUTO_TEST_CASE(bad_rows_are_about_the_row) {
    check_fails("a,b\n1\n", ErrorCode::invalid_value, "Found 1; the header has 2");
    check_fails("a,b\n1,2,3\n", ErrorCode::invalid_value, "Found 3; the header has 2");
    check_fails("a,b\n1,\"2\"x\n", ErrorCode::invalid_value, "behind a closing quote");
    check_fails("a,b\n1,x\"2\"\n", ErrorCode::invalid_value, "quote inside an unquoted field");
}

BOOST_AUTO_TEST_CASE(broken_files_are_about_the_file) {
    check_fails("", ErrorCode::malformed, "no header");
    check_fails("\xEF\xBB\xBF", ErrorCode::malformed, "no header");
    check_fails("a,\"b\"x\n", ErrorCode::malformed, "line 1: there is text behind a closing quote");
    check_fails("a,b\n1,2\n3,\"4\n5,6\n", ErrorCode::malformed, "test.csv, line 3: a quote is not closed");
    check_fails("a,b\n1,\"" + std::string(CsvReader::longest, 'x') + "\"\n", ErrorCode::malformed,
                "line 2: the record is too long");
    check_fails("a\n" + std::string(CsvReader::longest + 1, '\r'), ErrorCode::malformed, "too long");
    check_fails(std::string(CsvReader::most_columns, ','), ErrorCode::malformed, "Found 10001");
    BOOST_TEST(read("a\n" + std::string(CsvReader::longest - 1, 'x') + "\n", 1)[0][0].size() ==
               CsvReader::longest - 1);
}

BOOST_AUTO_TEST_CASE(other_files_and_encodings_are_named) {
    check_fails("a\nm\xE4nnlich\n", ErrorCode::malformed, "line 2: a text is not UTF-8");
    check_fails("m\xE4nnlich\n", ErrorCode::malformed, "line 1: a text is not UTF-8");
    // Parts of a character in two fields are no character.
    check_fails("a,b\nx\xC3,\xA4y\n", ErrorCode::malformed, "line 2: a text is not UTF-8");
    check_fails("a\rx\ry\r", ErrorCode::malformed, "end with CR alone");
    check_fails("PK\x03\x04", ErrorCode::malformed, "workbook");
    check_fails(std::string("a\0b\0\n\0", 6), ErrorCode::malformed, "zero bytes");
    check_fails("sep=#\na#b\n", ErrorCode::malformed, "a delimiter that is not supported");
    check_fails("a\nb\n\"{\"\"ImportId\"\":\"\"QID1\"\"}\"\n", ErrorCode::malformed, "three header rows");
}

BOOST_AUTO_TEST_CASE(formulas_are_written_as_texts) {
    for (const char* number : {"-5", "+5", "-0.5", "-1e-7", "-inf", "1", ""})
        BOOST_TEST(csv_field(number) == number);
    BOOST_TEST(csv_field("a,b") == "\"a,b\"");
    BOOST_TEST(csv_field("say \"hi\"") == "\"say \"\"hi\"\"\"");
    BOOST_TEST(csv_field("=1+1") == "'=1+1");
    BOOST_TEST(csv_field("@sum(a1)") == "'@sum(a1)");
    BOOST_TEST(csv_field("-2+3") == "'-2+3");
    BOOST_TEST(csv_field("+cmd|' /C calc'!A0") == "'+cmd|' /C calc'!A0");
    BOOST_TEST(csv_field("=a,\"b\"") == "\"'=a,\"\"b\"\"\"");
}

BOOST_AUTO_TEST_CASE(columns_are_found_by_name) {
    std::istringstream in("id,\"wage, weekly\",age,age\n");
    const CsvReader csv(in, "test.csv");
    BOOST_TEST(csv.column("wage, weekly") == 1u);
    BOOST_CHECK_EXCEPTION((void)csv.column("Age"), Error,
                          error_with(ErrorCode::malformed, "\"id\", \"wage, weekly\", \"age\""));
    BOOST_CHECK_EXCEPTION((void)csv.column("age"), Error,
                          error_with(ErrorCode::malformed, "two columns \"age\""));
}

BOOST_AUTO_TEST_CASE(lines_are_counted_through_everything) {
    std::istringstream in("a,b\n\"1\n\n\",x\n\n2,y\n3\n4,z\n");
    CsvReader csv(in, "test.csv");
    BOOST_TEST(csv.next());
    BOOST_TEST(csv.line() == 2u);
    BOOST_TEST(csv.next());
    BOOST_TEST(csv.line() == 6u);
    BOOST_CHECK_THROW((void)csv.next(), Error);
    BOOST_TEST(csv.line() == 7u);
    BOOST_TEST(csv.next());
    BOOST_TEST(csv.field(1) == "z");
    BOOST_TEST(!csv.next());
    BOOST_TEST(!csv.next());
}

namespace {

/// All rows of a file, and a look at some of them again from their positions, also from earlier ones.
Rows read_twice(const std::string& name, const CsvFormat& format) {
    PeopleFile file(name, format);
    CsvReader& csv = file.rows();
    const auto row = [&] {
        std::vector<std::string> fields{csv.record_name(csv.line())};
        for (std::size_t i = 0; i < csv.header().size(); ++i) fields.emplace_back(csv.field(i));
        return fields;
    };
    Rows rows;
    std::vector<CsvReader::Position> positions{csv.position()};
    while (csv.next()) {
        rows.push_back(row());
        positions.push_back(csv.position());
    }
    for (const std::size_t at :
         {std::size_t{0}, rows.size() / 2, rows.size() - 1, rows.size() / 3, std::size_t{0}}) {
        csv.seek(positions[at]);
        BOOST_REQUIRE(csv.next());
        BOOST_TEST((row() == rows[at]));
    }
    csv.seek(positions.back());
    BOOST_TEST(!csv.next());
    return rows;
}

}  // namespace

BOOST_AUTO_TEST_CASE(converted_files_read_the_same_from_any_place) {
    const Directory folder;
    const std::string name = folder.file("utf16.csv");
    std::ofstream out(name, std::ios::binary);
    const auto put = [&](std::u16string_view text) {
        for (const char16_t unit : text)
            out << static_cast<char>(unit & 0xFF) << static_cast<char>(unit >> 8);
    };
    put(u"\uFEFFnumber;text\n");
    for (int i = 0; i < 9000; ++i) {
        const std::string digits = std::to_string(i);
        put(std::u16string(digits.begin(), digits.end()) + u",5;\u00e4\u20ac\U0001F600\n");
    }
    out.close();
    const Rows rows = read_twice(name, {';', ',', {}, nullptr, false});
    BOOST_REQUIRE(rows.size() == 9000u);
    BOOST_TEST((rows[8] == std::vector<std::string>{"line 10", "8,5", "\u00e4\u20ac\U0001F600"}));
    if (!has_statistics_parser()) return;
    for (const char* file : {"survey.zsav", "survey.dta", "survey.xpt"})
        BOOST_TEST(read_twice(std::string("test/data/survey/") + file, {}).size() == 400u);
}

BOOST_AUTO_TEST_CASE(dates_and_times_of_statistics_packages) {
    struct Shown {
        StatisticsFormat format;
        const char* written;
        double value;
        const char* text;  ///< empty if the number is no date or time
    };
    using enum StatisticsFormat;
    // 1582-10-14 and 1960-01-01 are 137,775 days apart; 2026-11-25 is 24,435 days after 1960-01-01.
    constexpr double spss = 86400.0 * (137775 + 24435), sas = 86400.0 * 24435, noon = 43200 + 1815.25;
    const Shown all[] = {
        {sav, "DATE11", spss + noon, "2026-11-25"},
        {sav, "DATETIME20", spss + noon, "2026-11-25 12:30:15.25"},
        {sav, "DATETIME20", spss, "2026-11-25 00:00:00"},
        {sav, "YMDHMS19.2", spss + noon, "2026-11-25 12:30:15.25"},
        {por, "TIME8", 1234, "00:20:34"},
        {sav, "TIME11.2", 45 + 0.5, "00:00:45.5"},
        {sav, "DTIME12", 90061, "25:01:01"},
        {sav, "MOYR6", spss, "2026-11"},
        {sav, "QYR6", spss, "2026q4"},
        {sav, "EDATE10", -86400, "1582-10-13"},
        {sav, "F8.2", 1234, ""},
        {sav, "MONTH9", 3, ""},
        {sav, "DATE11", 1e18, ""},
        {dta, "%td", 24435, "2026-11-25"},
        {dta, "%tdDD/NN/CCYY", 24435.75, "2026-11-25"},
        {dta, "%tc", 1000 * (sas + noon), "2026-11-25 12:30:15.25"},
        {dta, "%-tcDDmonCCYY", -1, "1959-12-31 23:59:59.999"},
        {dta, "%tC", 1000 * (sas + noon + 27), "2026-11-25 12:30:15.25"},
        {dta, "%tC", 1000 * 86400.0 * 4564, "1972-06-30 00:00:00"},
        {dta, "%tC", 1000 * (86400.0 * 4565 + 1), "1972-07-01 00:00:00"},
        {dta, "%tm", 802, "2026-11"},
        {dta, "%tm", -1, "1959-12"},
        {dta, "%tq", 267, "2026q4"},
        {dta, "%th", 133, "2026h2"},
        {dta, "%tw", -52, "1959w01"},
        {dta, "%ty", 2026, ""},
        {dta, "%9.0g", 24435, ""},
        {sas7bdat, "DATE9", 24435, "2026-11-25"},
        {sas7bdat, "DATETIME18", sas + noon, "2026-11-25 12:30:15.25"},
        {xport, "TIME8", 1234, "00:20:34"},
        {xport, "MONYY7", 24435, "2026-11"},
        {xport, "YYQ6", 24435, "2026q4"},
        {xport, "YYMMDD10", 24435, "2026-11-25"},
        {xport, "BEST12", 24435, ""},
    };
    for (const Shown& one : all)
        BOOST_TEST(time_text(one.value, time_unit(one.format, one.written)).value_or("") == one.text,
                   one.written << " of " << one.value << " is "
                               << time_text(one.value, time_unit(one.format, one.written)).value_or("no time")
                               << ", not " << one.text);
}

BOOST_AUTO_TEST_CASE(numbers_codes_and_missing_answers_of_a_file) {
    std::istringstream in("a|b|c\n1,5|2|NA\n1.5|-9|3\n");
    const Codebook codebook{
        "", {{"a"}, {"b", "", {}, {}, {{"1", "no"}, {"2", "yes"}}}, {"c", "", {}, {}, {{"3", "three"}}}}};
    CsvReader csv(in, "test.csv", {'|', ',', {"-9", "NA"}, &codebook, true});
    csv.use_labels(1, {"yes", "no"});
    csv.use_labels(2, {"3"});
    BOOST_TEST(csv.next());
    BOOST_TEST(csv.record_name(csv.line()) == "row 1");
    BOOST_TEST(csv.field(0) == "1,5");
    BOOST_TEST(csv.number_field(0) == "1.5");
    BOOST_TEST(csv.field(1) == "yes");
    BOOST_TEST(csv.field(2).empty());
    BOOST_TEST(csv.next());
    BOOST_TEST(csv.number_field(0) == "1,5");  // no number
    BOOST_TEST(csv.field(1).empty());
    BOOST_TEST(csv.field(2) == "3");
    std::istringstream other("a;b\n"), named("a;b\n");
    BOOST_CHECK_EXCEPTION((void)CsvReader(other, "test.csv").column("b"), Error,
                          error_with(ErrorCode::malformed, "Add --delimiter ';'"));
    BOOST_TEST(CsvReader(named, "test.csv", {','}).column("a;b") == 0u);
}

BOOST_AUTO_TEST_CASE(a_large_file_reads_the_same_from_any_place) {
    std::string text = "\xEF\xBB\xBFnumber,text\r\n";
    for (int i = 0; i < 20000; ++i)
        text += std::to_string(i) + ",\"row \"\"" + std::to_string(i) + "\"\"\n\"\r\n";
    std::istringstream in(text);
    CsvReader csv(in, "test.csv");
    std::vector<CsvReader::Position> places{csv.position()};
    for (int i = 0; i < 20000; ++i) {
        BOOST_REQUIRE(csv.next());
        BOOST_REQUIRE(csv.field(0) == std::to_string(i));
        BOOST_REQUIRE(csv.field(1) == "row \"" + std::to_string(i) + "\"\n");
        BOOST_REQUIRE(csv.line() == static_cast<std::uint64_t>(2 + 2 * i));
        places.push_back(csv.position());
    }
    BOOST_TEST(!csv.next());
    for (std::size_t i = 0; i < 20000; i += 977) {
        csv.seek(places[i]);
        BOOST_REQUIRE(csv.next());
        BOOST_TEST(csv.field(0) == std::to_string(i));
        BOOST_TEST(csv.line() == 2 + 2 * i);
    }
    csv.seek(places.back());
    BOOST_TEST(!csv.next());
}

BOOST_AUTO_TEST_CASE(rows_become_records) {
    Intake intake("years,id,age,wage\n1,x,20,300\n2,y,30.5,1e9\n", people, BadRow::stop);
    intake.run();
    BOOST_TEST(intake.taken == (std::vector<std::size_t>{3, 3}), boost::test_tools::per_element());
    BOOST_TEST(intake.records.tally().rows == 2u);
    BOOST_TEST(intake.records.tally().clamped.attributes == (std::vector<std::uint64_t>{1, 0, 0}),
               boost::test_tools::per_element());
    BOOST_TEST(summary(intake.records.tally(), intake.to.spec(), "written") ==
               "2 rows read, 0 skipped, 1 numbers clamped (wage 1), 2 reports written");
}

BOOST_AUTO_TEST_CASE(a_blank_is_an_answer_where_the_spec_has_one) {
    Intake intake("town,age\nA,20\n,30\n\"\",40\n", R"({"mechanism": "sampled", "epsilon": 1, "attributes": [
        {"name": "town", "domain": ["A", "nothing said"], "missing_label": "nothing said"},
        {"name": "age", "min": 0, "max": 100}]})",
                  BadRow::stop);
    intake.run();
    BOOST_TEST(intake.records.tally().accepted() == 3u);
    BOOST_TEST(intake.records.tally().clamped.attributes == (std::vector<std::uint64_t>{0, 0}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_blank_is_a_missing_number_where_the_spec_allows_it) {
    Intake intake("age\n20\n\"\"\n40\n", R"({"mechanism": "optional_mean", "epsilon": 1, "attributes": [
        {"name": "age", "min": 0, "max": 100, "missing": true}]})",
                  BadRow::stop);
    intake.run();
    BOOST_TEST(intake.records.tally().accepted() == 3u);
}

BOOST_AUTO_TEST_CASE(a_bad_row_stops_with_its_line) {
    const auto fails = [](const std::string& text, const char* json, const std::string& message) {
        Intake intake(text, json, BadRow::stop, Outside::refuse);
        BOOST_CHECK_EXCEPTION(intake.run(), Error, error_with(ErrorCode::invalid_value, message));
    };
    fails("wage\n1\nten\n", wages, "test.csv, line 3: \"ten\" is not a number");
    for (const char* bad : {" 1", "1 ", "+1", "1,", "0x10", "1e", "--1", "\"\""})
        fails("x,wage\n0," + std::string(bad) + "\n", wages, "test.csv, line 2: ");
    fails("wage,x\n,1\n", wages, "line 2: column \"wage\" is empty");
    fails("wage\n1e999\n", wages, "number \"1e999\" is out of range");
    fails("wage\nnan\n", wages, "not a value of \"wage\"");
    fails("wage\n-inf\n", wages, "not a value of \"wage\"");
    fails("wage\n301\n", wages, "line 2: 301 is outside");
    fails("colour\nred\nmauve\n", colours, "line 3: \"mauve\" is not a value");
    fails("page\n100\n", numbered, "line 2: 100 is not a value");
    fails("page,x\n1\n", numbered, "line 2: the row has the wrong number of fields");
}

BOOST_AUTO_TEST_CASE(bad_rows_are_skipped_and_counted_if_asked) {
    std::string text = "wage\n1\n";
    for (int i = 0; i < 20; ++i) text += "bad\n2\n";
    Intake intake(text, wages, BadRow::skip);
    intake.run();
    BOOST_TEST(intake.taken.size() == 21u);
    BOOST_TEST(intake.records.tally().rows == 41u);
    BOOST_TEST(intake.records.tally().skipped == 20u);
    BOOST_TEST(intake.records.tally().accepted() == 21u);
    const std::string notices = intake.notices.str();
    BOOST_TEST(std::count(notices.begin(), notices.end(), '\n') == 11);
    BOOST_TEST(notices.find("skipped: test.csv, line 3: \"bad\" is not a number") == 0u);

    Intake broken("wage\n1\n\"2\n", wages, BadRow::skip);
    BOOST_CHECK_EXCEPTION(broken.run(), Error, error_with(ErrorCode::malformed, "not closed"));
}

BOOST_AUTO_TEST_CASE(rows_of_one_person_become_one_record) {
    Intake intake("who,wage\nb,10\na,50\nb,20\nb,x\nc,900\n,5\na,60\n", wages, BadRow::skip, Outside::refuse,
                  "who");
    intake.run();
    BOOST_TEST(intake.firsts == (std::vector<double>{15, 55, 900}), boost::test_tools::per_element());
    BOOST_TEST(summary(intake.records.tally(), intake.to.spec(), "written") ==
               "7 rows read, 2 skipped, 3 people averaged, 1 skipped, 2 reports written");
    const std::string notices = intake.notices.str();
    BOOST_TEST(notices.find("line 5: \"x\" is not a number") != notices.npos);
    BOOST_TEST(notices.find("line 7: the record has no person") != notices.npos);
    BOOST_TEST(notices.find("line 6 and others of the same person: 900 is outside") != notices.npos);
    BOOST_TEST(intake.records.done() == 3u);

    Intake none("who,wage\nb,x\n", wages, BadRow::skip, Outside::clamp, "who");
    none.run();
    BOOST_TEST(none.records.tally().accepted() == 0u);
    const auto fails = [](const std::string& text, const char* json, const std::string& message) {
        const auto run = [&] { Intake(text, json, BadRow::stop, Outside::refuse, "who").run(); };
        BOOST_CHECK_EXCEPTION(run(), Error,
                              [&](const Error& error) { return error_with(error.code(), message)(error); });
    };
    fails("who,wage\na,1\na,x\n", wages, "line 3: \"x\" is not a number");
    fails("who,wage\na,1\nb,3\nb,999\n", wages, "line 3 and others of the same person: 501 is outside");
    fails("who,wage\na,301\n", wages, "skip omits such people");
    fails("id,wage\na,1\n", wages, "no column \"who\"");
    fails("who,colour\na,red\n", colours, "categories cannot be averaged");
}

BOOST_AUTO_TEST_CASE(averages_go_on_where_they_stopped) {
    const std::string text = "wage,who\n10,b\n50,a\nx,b\n400,c\n900,d\n70,a\n";
    Intake whole(text, wages, BadRow::skip, Outside::clamp, "who");
    whole.run();
    Intake first(text, wages, BadRow::skip, Outside::clamp, "who");
    for (int i = 0; i < 3; ++i)
        BOOST_REQUIRE(first.records.next([&](std::span<const Value> record) {
            first.firsts.push_back(std::get<double>(record[0]));
            return first.to.encode(record, first.bits);
        }));
    Intake second(text, wages, BadRow::skip, Outside::clamp, "who");
    second.records.resume(first.records.position(), first.records.tally());
    second.run();
    first.firsts.insert(first.firsts.end(), second.firsts.begin(), second.firsts.end());
    BOOST_TEST(first.firsts == whole.firsts, boost::test_tools::per_element());
    BOOST_TEST(summary(second.records.tally(), second.to.spec(), "sent") ==
               summary(whole.records.tally(), whole.to.spec(), "sent"));
    BOOST_TEST(whole.records.tally().clamped.attributes[0] == 2u);
}

BOOST_AUTO_TEST_CASE(a_missing_column_is_an_error) {
    BOOST_CHECK_EXCEPTION(Intake("age,years\n", people, BadRow::skip), Error,
                          error_with(ErrorCode::malformed, "no column \"wage\""));
    BOOST_CHECK_EXCEPTION(Intake("age,years\n", people, BadRow::skip), Error,
                          error_with(ErrorCode::malformed, "--column \"wage=NAME\""));
    BOOST_CHECK_EXCEPTION(Intake("pay\n", wages, BadRow::skip), Error,
                          error_with(ErrorCode::malformed, "--column NAME."));
}

// The first two people have slopes of 2 and −1; the third has one time only, and the fourth row of "b" has no time.
BOOST_AUTO_TEST_CASE(slopes_replace_averages) {
    std::istringstream in("who,day,wage\na,1,100\nb,5,7\na,3,104\nb,6,6\nc,1,50\nb,x,9\n");
    CsvReader csv(in, "test.csv");
    const Collection to = collection(wages);
    std::ostringstream notices;
    Records records(csv, to.spec(), BadRow::skip, {.person = "who", .time = "day"}, &notices);
    SystemRandom bits;
    std::vector<double> taken;
    while (records.next([&](std::span<const Value> record) {
        taken.push_back(std::get<double>(record[0]));
        return to.encode(record, bits);
    }))
        continue;
    BOOST_TEST(taken == (std::vector<double>{2, -1}), boost::test_tools::per_element());
    BOOST_TEST(records.tally().skipped == 1u);
    BOOST_TEST(records.tally().people_skipped == 1u);
    BOOST_TEST(notices.str().find("line 7: \"x\" is not a time") != std::string::npos);
    BOOST_TEST(notices.str().find("line 6 and others of the same person: a person has no slope") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(columns_may_have_other_names) {
    std::istringstream in("age,pay,wage\n20,300,7\n");
    CsvReader csv(in, "test.csv");
    const Collection to = collection(R"({"mechanism": "haar", "epsilon": 3, "attributes": [
        {"name": "wage", "min": 0, "max": 1000}, {"name": "age", "min": 17, "max": 90}]})");
    Records records(csv, to.spec(), BadRow::stop, {{}, {{"wage", "pay"}}});
    SystemRandom bits;
    std::vector<double> taken;
    BOOST_TEST(records.next([&](std::span<const Value> record) {
        for (const Value& value : record) taken.push_back(std::get<double>(value));
        return to.encode(record, bits);
    }));
    BOOST_TEST(taken == (std::vector<double>{300, 20}), boost::test_tools::per_element());

    BOOST_TEST(ColumnMap{}.hash() == ColumnMap().hash());
    BOOST_TEST(ColumnMap{"a"}.hash() != ColumnMap{"b"}.hash());
    BOOST_TEST((ColumnMap{.person = "a", .time = "day"}).hash() != ColumnMap{"a"}.hash());
    BOOST_TEST((ColumnMap{{}, {{"wage", "pay"}}}).hash() != (ColumnMap{{}, {{"wage", "age"}}}).hash());
    BOOST_TEST((ColumnMap{{}, {{"wage", "pay"}}}).hash() != (ColumnMap{"wage", {{"pay", ""}}}).hash());
}

BOOST_AUTO_TEST_CASE(numbers_for_people) {
    BOOST_TEST(grouped(0) == "0");
    BOOST_TEST(grouped(999) == "999");
    BOOST_TEST(grouped(1000) == "1,000");
    BOOST_TEST(grouped(1234567) == "1,234,567");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
