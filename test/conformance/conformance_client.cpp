// Answers the JSON lines of conformance/README.md through the client library and core: all verbs and all mechanisms.
#include <iostream>
#include <optional>

#include "../support/conformance_steps.hpp"
#include "../support/seeded_words.hpp"
#include "core/base/text.hpp"
#include "core/contract/canonical.hpp"
#include "core/mechanism/role/registry.hpp"

namespace ldp::test {

namespace {

using Message = std::vector<std::byte>;

/// A form of a question that this program does not support.
struct UnsupportedForm {
    std::string name;
};

/// Words from a list. Throws Error (invalid_value) after the last one.
class ListedWords final : public BitSource {
  public:
    /// `words` has texts of 16 hexadecimal digits. Throws Error (malformed).
    explicit ListedWords(const Json& words) {
        for (const Json& each : words) {
            std::byte bytes[sizeof(std::uint64_t)];
            const auto digits = each.get<std::string>();
            if (digits.size() != 2 * sizeof bytes || !from_hex(digits, bytes))
                raise(ErrorCode::malformed, "a word is not 16 hexadecimal digits");
            std::uint64_t word = 0;
            for (const std::byte byte : bytes) word = word << 8 | std::to_integer<std::uint64_t>(byte);
            words_.push_back(word);
        }
    }
    [[nodiscard]] std::uint64_t word() override {
        if (next_ == words_.size()) raise(ErrorCode::invalid_value, "there are too few words");
        return words_[next_++];
    }

  private:
    std::vector<std::uint64_t> words_;
    std::size_t next_ = 0;
};

/// Returns the words of a question.
std::unique_ptr<BitSource> words_of(const Json& words) {
    if (words.is_array()) return std::make_unique<ListedWords>(words);
    const auto text = words.get<std::string>();
    const std::string generator = "mt19937_64:";
    if (!text.starts_with(generator)) throw UnsupportedForm{text};
    return std::make_unique<SeededBits>(std::stoull(text.substr(generator.size())));
}

Message bytes_of(const Json& digits) {
    const auto text = digits.get<std::string>();
    Message bytes(text.size() / 2);
    if (!from_hex(text, bytes.data())) raise(ErrorCode::malformed, "the bytes are not hexadecimal digits");
    return bytes;
}
Json hexadecimal(const std::vector<Message>& messages) {
    Json list = Json::array();
    for (const Message& each : messages) list.push_back(to_hex(each));
    return list;
}
std::vector<Report> reports_in(const Json& question) {
    std::vector<Report> reports;
    for (const Json& report : question.at("reports")) reports.push_back(bytes_of(report));
    return reports;
}

/// A spec and its mechanism, which consecutive questions share.
class OpenSpec {
  public:
    explicit OpenSpec(std::string text)
        : text_(std::move(text)), spec_(Spec::from_json(text_)), mechanism_(make_mechanism(spec_)) {}

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    /// Returns the answer to a question. Throws Error, Json::exception, UnsupportedForm.
    [[nodiscard]] Json answer(const Json& question) const {
        const auto verb = question.at("verb").get<std::string>();
        if (verb == "fingerprint")
            return {{"fingerprint", fingerprint_text(spec_.fingerprint())},
                    {"block", to_hex(mechanism_->block())}};
        if (verb == "report") return report(question);
        if (verb == "batch") return batch(question);
        if (verb == "summarize") return summarize(question);
        if (verb == "estimate") return estimate(question);
        if (verb == "read") return read(question);
        throw UnsupportedForm{verb};
    }

  private:
    [[nodiscard]] Json report(const Json& question) const {
        const auto words = words_of(question.at("words"));
        return {{"reports", hexadecimal(reports_of(spec_, question.at("records"), *words))}};
    }
    [[nodiscard]] Json batch(const Json& question) const {
        const auto form = question.at("form").get<std::string>();
        if (form != "block" && form != "short") throw UnsupportedForm{form};
        const std::vector<Report> reports = reports_in(question);
        if (reports.empty()) raise(ErrorCode::invalid_value, "a batch needs a report");
        const std::vector<Message> batches = pack(*mechanism_, reports);
        if (batches.size() > 1) raise(ErrorCode::full, "the reports are too many for one batch");
        const std::size_t block = mechanism_->block().size();
        return {{"batch", to_hex(form == "block" ? batches[0] : short_form_of(batches[0], block))}};
    }
    [[nodiscard]] Json summarize(const Json& question) const {
        Message joined;
        const std::vector<Report> reports = reports_in(question);
        for (const Report& report : reports) {
            check_message(*mechanism_, report, Kind::report);
            joined.insert(joined.end(), report.begin(), report.end());
        }
        const std::vector<std::int32_t> rounds(reports.size(), 0);
        return {{"summary", to_hex(ldp::summarize(*mechanism_, joined, rounds))}};
    }
    [[nodiscard]] Json estimate(const Json& question) const {
        const Message summary = bytes_of(question.at("summary"));
        check_message(*mechanism_, summary, Kind::summary);
        return {{"rows", rows_of(spec_, *mechanism_, summary, question.value("texts", Json::array()))}};
    }
    [[nodiscard]] Json read(const Json& question) const {
        const auto kind = question.at("kind").get<std::string>();
        const Message bytes = bytes_of(question.at("bytes"));
        for (const Kind each : {Kind::report, Kind::batch, Kind::summary})
            if (kind == noun(each)) {
                check_message(*mechanism_, bytes, each);
                return {{"ok", true}};
            }
        throw UnsupportedForm{kind};
    }

    std::string text_;
    Spec spec_;
    std::unique_ptr<const Mechanism> mechanism_;
};

/// Returns the answer to a line.
Json answer(const std::string& line, std::optional<OpenSpec>& subject) try {
    const Json question = json_of(line, Unsound::refused);
    const std::string spec = json_text(question.at("spec"));
    if (!subject || subject->text() != spec) subject.emplace(spec);
    return subject->answer(question);
} catch (const UnsupportedForm& form) {
    return {{"unsupported", form.name}};
} catch (const Error& error) {
    return {{"refused", error.what()}};
} catch (const std::exception& error) {
    return {{"refused", std::string("the question is malformed: ") + error.what()}};
}

}  // namespace

}  // namespace ldp::test

int main() {
    std::optional<ldp::test::OpenSpec> subject;
    for (std::string line; std::getline(std::cin, line);)
        std::cout << ldp::json_text(ldp::test::answer(line, subject), ldp::Unsound::allowed) << std::endl;
}
