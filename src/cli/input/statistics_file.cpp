#include "cli/input/statistics_file.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace ldp::cli {

namespace {

/// Largest size of a frame in bytes, which the codebook may have.
constexpr std::size_t largest_frame = std::size_t{1} << 28;

std::vector<ValueLabel> labels_of(const nlohmann::json& json) {
    std::vector<ValueLabel> labels;
    for (const auto& each : json)
        labels.push_back({each.at(0).get<std::string>(), each.at(1).get<std::string>()});
    return labels;
}

Codebook codebook_of(const std::string& text) {
    const auto json = nlohmann::json::parse(text);
    Codebook codebook{json.at("title").get<std::string>(), {}};
    for (const auto& each : json.at("columns"))
        codebook.columns.push_back({each.at("name").get<std::string>(), each.at("title").get<std::string>(),
                                    static_cast<CodebookColumn::ColumnKind>(each.at("kind").get<int>()),
                                    static_cast<CodebookColumn::Measure>(each.at("measure").get<int>()),
                                    labels_of(each.at("labels")), labels_of(each.at("missing"))});
    return codebook;
}

}  // namespace

StatisticsBuffer::StatisticsBuffer(std::string file, StatisticsFormat format)
    : file_(std::move(file)), format_(format) {
    if (!has_statistics_parser())
        throw Error(ErrorCode::unsupported, "cannot read " + file_ + ": this ldp was built without ReadStat",
                    "The library ReadStat reads files of SPSS, Stata and SAS.",
                    "Install the package libreadstat-dev and build ldp again, or save the file as CSV.");
    const int opened = open(file_.c_str(), O_RDONLY | O_CLOEXEC);
    if (opened < 0)
        throw Error(ErrorCode::environment, "cannot open " + file_, std::strerror(errno),
                    "Check the name and its permissions.");
    close(opened);
    start();
}

void StatisticsBuffer::start() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        throw Error(ErrorCode::environment, "cannot start the parser of " + file_, std::strerror(errno),
                    "Check the limits of the system.");
    process_ = fork();
    if (process_ == 0) {
        close(ends[0]);
        run_statistics_parser(ends[1], file_, format_);
    }
    close(ends[1]);
    descriptor_ = ends[0];
    if (process_ < 0)
        throw Error(ErrorCode::environment, "cannot start the parser of " + file_, std::strerror(errno),
                    "Check the limits of the system.");
    frame_.clear();
    taken_ = 0;
    ended_ = false;
    if (next_frame() != FrameKind::codebook) refuse("its description is missing");
    try {
        codebook_ = codebook_of(frame_);
    } catch (const std::exception&) {
        refuse("its description is not complete");
    }
    frame_.clear();
}

void StatisticsBuffer::stop() noexcept {
    if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
    if (process_ <= 0) return;
    (void)kill(process_, SIGKILL);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
    process_ = -1;
}

void StatisticsBuffer::restart() {
    stop();
    start();
}

bool StatisticsBuffer::read_all(char* to, std::size_t size) {
    while (size > 0) {
        const ssize_t found = read(descriptor_, to, size);
        if (found < 0 && errno == EINTR) continue;
        if (found <= 0) return false;
        to += found;
        size -= static_cast<std::size_t>(found);
    }
    return true;
}

void StatisticsBuffer::refuse(const std::string& reason) {
    stop();
    throw Error(ErrorCode::malformed, file_ + " cannot be read: " + shortened(reason, 300), {},
                "The file is probably damaged, or its format does not match its name. Save it again in the "
                "statistics package, or as CSV.");
}

FrameKind StatisticsBuffer::next_frame() {
    std::array<char, 5> header{};
    std::size_t size = 0;
    if (read_all(header.data(), header.size()))
        for (std::size_t i = 4; i > 0; --i) size = size << 8 | static_cast<unsigned char>(header[i]);
    else
        refuse("its parser failed");
    if (size > largest_frame) refuse("its description is too long");
    frame_.resize(size);
    taken_ = 0;
    if (!read_all(frame_.data(), size)) refuse("its parser failed");
    const auto kind = static_cast<FrameKind>(header[0]);
    if (kind == FrameKind::error) refuse(std::string(frame_));
    return kind;
}

std::size_t StatisticsBuffer::make(char* to, std::size_t most) {
    while (taken_ == frame_.size() && !ended_) switch (next_frame()) {
            case FrameKind::rows:
                break;
            case FrameKind::end:
                ended_ = true;
                break;
            default:
                refuse("its parser failed");
        }
    const std::size_t size = std::min(most, frame_.size() - taken_);
    std::copy_n(frame_.data() + taken_, size, to);
    taken_ += size;
    return size;
}

}  // namespace ldp::cli
