// ldp summarize --spec SPEC [OPTION...] [FILE...]

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <thread>

#include "cli/command.hpp"
#include "cli/counting/parallel_count.hpp"
#include "cli/file_options.hpp"
#include "cli/input/summary_file.hpp"
#include "cli/progress.hpp"
#include "cli/records.hpp"
#include "core/base/text.hpp"
#include "core/choice/resolve.hpp"
#include "core/contract/spec.hpp"

namespace ldp::cli::summarize {

namespace {

namespace po = boost::program_options;

using Names = std::vector<std::string>;

std::size_t usual_threads() {
    return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8);
}

Options options() {
    Options options;
    options.add_options()("spec", po::value<std::string>()->required(), "spec of the reports")(
        "file", po::value<Names>()->composing(),
        "files with reports, or - for standard input (the default); may also be the arguments")(
        "by", po::value<std::string>()->default_value(""),
        "columns of the groups, separated by commas; the column round has the rounds")(
        "out", po::value<std::string>()->default_value("-"), "output file; - for standard output")(
        "columns", po::value<std::string>()->default_value(""),
        "names of the columns of a COPY in text or binary format, in their order, separated by commas; one of them is "
        "report or batch")("round", po::value<std::int32_t>(),
                           "round of all reports, for files without a column round")(
        "merge", "the files have summaries instead of reports: add them up")(
        "on-bad-row", po::value<std::string>()->default_value("stop"),
        "invalid reports: stop, or skip and count them")(
        "delimiter", po::value<std::string>()->default_value(","), "delimiter of CSV: ',', ';', '|' or tab")(
        "threads",
        po::value<std::int64_t>()->default_value(static_cast<std::int64_t>(usual_threads()), "processors"),
        "number of threads that count, 1 to 64")("memory", po::value<std::int64_t>()->default_value(1024),
                                                 "largest memory of the groups in MiB");
    return options;
}

Names names_in(const std::string& list) {
    Names names;
    for (std::size_t at = 0; !list.empty() && at <= list.size();) {
        const std::size_t end = std::min(list.find(',', at), list.size());
        names.push_back(list.substr(at, end - at));
        at = end + 1;
    }
    return names;
}

Names distinct_names(const Arguments& arguments, const char* option) {
    Names names = names_in(arguments[option].as<std::string>());
    std::set<std::string> known;
    for (const std::string& name : names)
        if (name.empty() || !known.insert(name).second)
            throw UsageError("--" + std::string(option) + " has " +
                             (name.empty() ? "an empty name" : name + " twice"));
    return names;
}

std::int64_t whole_number(const Arguments& arguments, const char* option, std::int64_t least,
                          std::int64_t most) {
    const auto found = arguments[option].as<std::int64_t>();
    if (found < least || found > most)
        throw UsageError("--" + std::string(option) + " must be " + std::to_string(least) + " to " +
                         std::to_string(most));
    return found;
}

/// An input file, or standard input.
class Input {
  public:
    explicit Input(const std::string& name) : name_(name == "-" ? "standard input" : name) {
        if (name != "-") open(file_, name);
        in_ = name == "-" ? &std::cin : &file_;
    }
    [[nodiscard]] std::istream& stream() noexcept { return *in_; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

  private:
    std::string name_;
    std::ifstream file_;
    std::istream* in_;
};

/// The size of all files in bytes; 0 if one of them is a pipe.
std::uint64_t size_of(const Names& files) {
    std::uint64_t size = 0;
    for (const std::string& file : files) {
        std::error_code error;
        const bool known = file != "-" && std::filesystem::is_regular_file(file, error);
        const std::uint64_t one = known ? std::filesystem::file_size(file, error) : 0;
        if (!known || error) return 0;
        size += one;
    }
    return size;
}

/// An output file that appears when it is complete, or standard output.
class Output {
  public:
    explicit Output(std::string name) : name_(std::move(name)), partial_(name_ + ".partial") {
        if (name_ == "-") return;
        file_.open(partial_, std::ios::binary | std::ios::trunc);
        check();
    }
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;
    ~Output() {
        if (name_ != "-" && !done_) (void)std::remove(partial_.c_str());
    }
    [[nodiscard]] std::ostream& stream() { return name_ == "-" ? std::cout : file_; }
    void finish() {
        if (name_ == "-") return;
        file_.close();
        check();
        std::error_code error;
        std::filesystem::rename(partial_, name_, error);
        if (error) raise(ErrorCode::environment, "cannot write " + name_, error.message());
        done_ = true;
    }

  private:
    void check() const {
        if (!file_)
            throw UnwrittenOutput(ErrorCode::environment, "cannot write " + name_, {},
                                  "Check the folder, its permissions and its free space.");
    }

    std::string name_, partial_;
    std::ofstream file_;
    bool done_ = false;
};

/// Counts the reports of all files.
void count_reports(const Names& files, const ReportFileOptions& options, const Arguments& arguments,
                   GroupMemory& memory, SkippedRecords* skipped, Progress& progress, GroupCounts& counts) {
    std::size_t file = 0;
    std::uint64_t done = 0;
    std::optional<Input> input;
    std::optional<ReportFile> reports;
    const auto next = [&](RecordChunk& chunk) {
        for (; file < files.size(); ++file) {
            if (!reports) {
                input.emplace(files[file]);
                reports.emplace(input->stream(), input->name(), options, counts.mechanism());
            }
            if (reports->next(chunk)) {
                progress.update(done += chunk.size);
                return true;
            }
            reports.reset();
        }
        return false;
    };
    count_in_parallel(next, static_cast<std::size_t>(whole_number(arguments, "threads", 1, 64)), memory,
                      skipped, counts);
}

/// Adds the summaries of all files.
void merge_files(const Names& files, const Names& by, Progress& progress, GroupCounts& counts) {
    const Mechanism& mechanism = counts.mechanism();
    std::uint64_t done = 0;
    for (const std::string& name : files) {
        Input input(name);
        std::vector<std::size_t> at;
        std::uint64_t row = 0;
        read_summaries(
            input.stream(), input.name(),
            [&](const Names& columns) {
                for (const std::string& column : by) {
                    const auto found = std::ranges::find(columns, column);
                    if (found == columns.end())
                        raise(ErrorCode::malformed, input.name() + ": the groups have no column " + column,
                              columns.empty() ? "The file has one summary."
                                              : "The columns are " + joined(columns) + ".");
                    at.push_back(static_cast<std::size_t>(found - columns.begin()));
                }
            },
            [&](const GroupSummary& group) {
                ++row;
                try {
                    check_summary_of(mechanism, group.summary, "summary " + std::to_string(row));
                } catch (const Error& error) {
                    throw Error(error.code(), input.name() + ": " + error.what(), error.detail(),
                                error.hint());
                }
                GroupKey key;
                for (const std::size_t column : at)
                    key.add(group.values[column] ? std::optional<std::string_view>(*group.values[column])
                                                 : std::nullopt);
                counts.add_summary(counts.group(key.text()), group.summary);
                progress.update(done += 2 * group.summary.size());
            });
    }
}

/// Writes the summaries of all groups, and returns their number.
std::size_t write(GroupCounts& counts, const Names& by, const std::string& name) {
    const std::vector<std::string> keys = counts.keys();
    if (by.empty() && counts.reports() == 0)
        raise(ErrorCode::malformed, "there are no reports", {}, "A summary needs at least one report.");
    const SummaryFrame frame(counts.mechanism().block().size());
    Output out(name);
    SummaryWriter writer(out.stream(), by);
    for (const std::string& key : keys) {
        const GroupSummary group{GroupKey::values(key), counts.take(key)};
        writer.put(group, frame.count(group.summary));
    }
    out.finish();
    return keys.size();
}

int run(const Arguments& arguments) {
    const Names files = arguments.count("file") == 0 ? Names{"-"} : arguments["file"].as<Names>();
    if (std::ranges::count(files, "-") > 1) throw UsageError("standard input can be read once");
    const bool merges = arguments.count("merge") != 0;
    ReportFileOptions file_options{distinct_names(arguments, "columns"),
                                   distinct_names(arguments, "by"),
                                   {},
                                   delimiter_option(arguments)};
    if (arguments.count("round") != 0) file_options.round = arguments["round"].as<std::int32_t>();
    for (const std::string& name : file_options.by)
        if (name == "n" || name == "summary")
            throw UsageError("--by: the file of summaries has a column " + name + " itself");
    if (merges && (file_options.round || !file_options.columns.empty()))
        throw UsageError("--merge reads summaries, which have no --round and no --columns");
    const BadRow policy = bad_row_policy(arguments);
    const Spec spec = resolve(spec_text(arguments["spec"].as<std::string>()));
    const auto mechanism = make_mechanism(spec);

    GroupMemory memory{static_cast<std::size_t>(whole_number(arguments, "memory", 1, std::int64_t{1} << 30))
                       << 20};
    GroupCounts counts(*mechanism, memory);
    Progress progress(std::cerr, isatty(STDERR_FILENO) == 1, merges ? "merging" : "counting", "bytes",
                      size_of(files));
    SkippedRecords skipped([&](const std::string& line) { progress.say(line); });
    if (merges)
        merge_files(files, file_options.by, progress, counts);
    else
        count_reports(files, file_options, arguments, memory, policy == BadRow::skip ? &skipped : nullptr,
                      progress, counts);
    const std::uint64_t reports = counts.reports();
    const std::size_t groups = write(counts, file_options.by, arguments["out"].as<std::string>());
    progress.say(grouped(reports) + " reports" +
                 (file_options.by.empty() ? "" : " of " + grouped(groups) + " groups") +
                 (skipped.count() > 0 ? ", " + grouped(skipped.count()) + " invalid records skipped" : ""));
    return skipped.count() > 0 ? exit_skipped : Exit::done;
}

constexpr const char* positional[] = {"file"};

}  // namespace

const Command command{
    "summarize",
    "--spec SPEC [OPTION...] [FILE...]",
    "counts reports in files, without a server",
    "Reads reports, and writes their summary, or with --by a summary of each group. The reports may be lines\n"
    "of hexadecimal digits, or a COPY in text or binary format. They may also be CSV with a column report or\n"
    "batch and with public columns, or bytes without separators. Without --by, the output is a line of\n"
    "hexadecimal digits. With --by, it is CSV: the columns of the groups, n and summary. ldp estimate, ldp\n"
    "query, SQL, Python and JavaScript read it. The bytes of a summary equal those of ldp_agg in SQL. With\n"
    "--merge, the files have summaries, and the command adds them up, with --by for each group.",
    options,
    positional,
    run};

}  // namespace ldp::cli::summarize
