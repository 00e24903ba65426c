#include "cli/disclosure/approval.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <iomanip>
#include <memory>
#include <sstream>
#include <utility>

#include "core/base/error.hpp"

namespace ldp::cli::disclosure {

namespace {

/// The version of the format, under the key "ldp_approval".
constexpr int format = 1;

std::string changed(const std::string& what, const Json& before, const Json& now) {
    return what + ": before " + json_text(before, Unsound::allowed) + ", now " +
           json_text(now, Unsound::allowed);
}

}  // namespace

std::string Approval::to_json() const {
    const Json record{{"ldp_approval", format},
                      {"approved", approved},
                      {"version", version},
                      {"fingerprint", fingerprint_text(contract.fingerprint)},
                      {"contract", Json::parse(contract.to_json())},
                      {"privacy", privacy},
                      {"certificate_sha256", certificate},
                      {"documents_sha256", documents},
                      {"people", people},
                      {"group_fingerprints", others}};
    return record.dump(2) + "\n";
}

Approval Approval::from_json(const std::string& text, const std::string& name) {
    try {
        const Json record = Json::parse(text);
        if (record.at("ldp_approval") != format)
            raise(ErrorCode::malformed, name + " is a record of a later version", {},
                  "Use the version of ldp that wrote it, or a later one.");
        Contract contract = Contract::from_json(record.at("contract").dump());
        if (record.at("contract").at("digest") != contract.digest() ||
            record.at("fingerprint") != fingerprint_text(contract.fingerprint))
            raise(ErrorCode::malformed, name + " was changed",
                  "Its contract does not have the recorded digest.", "Use the original record.");
        return {record.at("approved"),
                record.at("version"),
                std::move(contract),
                record.at("privacy"),
                record.at("certificate_sha256"),
                record.at("documents_sha256"),
                record.at("people"),
                record.at("group_fingerprints")};
    } catch (const Json::exception& error) {
        raise(ErrorCode::malformed, name + " is not the record of an approval", error.what(),
              "ldp disclosure --approve FILE writes a record.");
    }
}

std::vector<std::string> differences(const Approval& approved, const Approval& now) {
    std::vector<std::string> lines;
    ContractTerms terms;
    terms.in_clear = now.contract.in_clear;
    const Verdict verdict = compare(&approved.contract, terms, now.contract, {});
    for (const auto kind :
         {ContractChange::Kind::refuse, ContractChange::Kind::ask, ContractChange::Kind::shown}) {
        std::istringstream all(verdict.lines(kind));
        for (std::string line; std::getline(all, line);) lines.push_back(line);
    }
    if (approved.privacy != now.privacy) lines.push_back(changed("privacy", approved.privacy, now.privacy));
    if (approved.certificate != now.certificate)
        lines.push_back(changed("certificate", approved.certificate, now.certificate));
    if (approved.people != now.people) lines.push_back(changed("people", approved.people, now.people));
    if (approved.others != now.others)
        lines.push_back(changed("other collections of the group", approved.others, now.others));
    for (const auto& [part, digest] : now.documents) {
        const auto before = approved.documents.find(part);
        if (before == approved.documents.end() || before->second != digest)
            lines.push_back("document " + part + ": the text differs");
    }
    return lines;
}

std::string today() {
    const std::time_t now = std::time(nullptr);
    std::tm date{};
    (void)gmtime_r(&now, &date);
    std::ostringstream text;
    text << std::put_time(&date, "%F");
    return text.str();
}

void write_record(const std::string& name, const Approval& approval) {
    struct Closing {
        void operator()(std::FILE* file) const noexcept { (void)std::fclose(file); }
    };
    const std::string text = approval.to_json();
    std::unique_ptr<std::FILE, Closing> file(std::fopen(name.c_str(), "wx"));
    if (!file && errno == EEXIST)
        throw Error(ErrorCode::environment, "the file " + name + " exists already",
                    "A record of an approval is not overwritten.", "Choose another name.");
    if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
        std::fclose(file.release()) != 0)
        throw Error(ErrorCode::environment, "cannot write " + name, std::strerror(errno),
                    "Check the name and its permissions.");
}

}  // namespace ldp::cli::disclosure
