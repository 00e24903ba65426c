// The C interface with ldp_curl.h as a program of verbs: reads them as JSON lines, and answers each with one. The program is
// C++ for its JSON; all calls are those of C.

#include <curl/curl.h>
#include <ldp/ldp_curl.h>

#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using Json = nlohmann::json;

/// A failed verb as the answer to it.
struct Failure {
    Json answer;
};

const char* const codes[] = {"ok",           "invalid_spec", "invalid_value", "malformed",
                             "incompatible", "unsupported",  "full",          "spent",
                             "environment",  "no_memory",    "changed"};

void check(ldp_status status, ldp_error* error) {
    if (status == LDP_OK) return;
    Json answer{{"ok", false},
                {"code", codes[status]},
                {"message", ldp_error_message(error)},
                {"detail", ldp_error_detail(error)},
                {"hint", ldp_error_hint(error)},
                {"said", ""}};
    ldp_error_free(error);
    throw Failure{std::move(answer)};
}

class Session {
  public:
    Session() : curl_(curl_easy_init()) {
        curl_easy_setopt(curl_, CURLOPT_TIMEOUT_MS, 10000L);
        curl_easy_setopt(curl_, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(curl_, CURLOPT_NOPROXY, "*");
    }

    Json answer(const std::string& verb, const Json& call) {
        if (verb == "open") return open(call);
        if (verb == "report") return report(call);
        if (verb == "flush") return flush(call);
        if (verb == "contract") return contract();
        if (verb == "spent") return spent();
        close();
        return Json::object();
    }

  private:
    Json open(const Json& call) {
        close();
        url_ = call.at("url");
        name_ = call.at("collection");
        endpoint_ = {curl_, url_.c_str(), name_.c_str(), {}};
        char reason[LDP_REASON_SIZE] = "";
        char* const spec = ldp_endpoint_spec(&endpoint_, reason);
        if (spec == nullptr)
            throw Failure{{{"ok", false},
                           {"code", "environment"},
                           {"message", reason},
                           {"detail", ""},
                           {"hint", ""},
                           {"said", ""}}};
        const Json given = call.value("terms", Json::object()).is_null()
                               ? Json::object()
                               : call.value("terms", Json::object());
        const auto names = [&](const char* key, std::vector<std::string>& texts,
                               std::vector<const char*>& all) {
            for (const Json& one : given.value(key, Json::array())) texts.push_back(one);
            for (const std::string& one : texts) all.push_back(one.c_str());
            all.push_back(nullptr);
            return given.contains(key) ? all.data() : nullptr;
        };
        std::vector<std::string> attribute_texts, clear_texts;
        std::vector<const char*> attributes, clear;
        const std::string digest = given.value("digest", "");
        ldp_terms terms{};
        terms.size = sizeof terms;
        terms.digest = digest.empty() ? nullptr : digest.c_str();
        terms.report_epsilon = given.value("epsilon", 0.0);
        terms.life_epsilon = given.value("life_epsilon", 0.0);
        terms.group_epsilon = given.value("group_epsilon", 0.0);
        terms.attributes = names("attributes", attribute_texts, attributes);
        terms.attribute_count = attribute_texts.size();
        terms.in_clear = names("in_clear", clear_texts, clear);
        terms.in_clear_count = clear_texts.size();
        terms.endpoint = url_.c_str();
        terms.collection = name_.c_str();
        ldp_error* error = nullptr;
        const ldp_status made =
            ldp_collection_new_under(spec, LDP_TO_END, LDP_CLAMP, &terms, &collection_, &error);
        std::free(spec);
        check(made, error);
        check(ldp_client_in_file(collection_, call.at("state").get<std::string>().c_str(), &client_, &error),
              error);
        Json agreed = contract();
        if (call.contains("accept") && !(call["accept"].is_boolean() && !call["accept"].get<bool>()))
            check(ldp_client_accept(client_, agreed.at("waiting").get<std::string>().c_str(), &error), error);
        return {{"changes", agreed["changes"]}, {"fingerprint", ldp_collection_fingerprint(collection_)}};
    }

    /// Values by position, as a program in C passes them.
    Json report(const Json& call) {
        std::vector<ldp_value> values;
        for (const Json& one : call.at("record")) {
            if (one.is_number()) {
                values.push_back({nullptr, 0, one.get<double>()});
            } else {
                const auto& text = one.get_ref<const std::string&>();
                values.push_back({text.data(), text.size(), 0});
            }
        }
        ldp_receipt receipt{};
        ldp_error* error = nullptr;
        check(ldp_client_report(client_, values.data(), values.size(), call.value("round", 0), &receipt,
                                &error),
              error);
        return {{"origin", static_cast<int>(receipt.origin)}};
    }

    Json flush(const Json& call) {
        ldp_flushed sent{};
        ldp_error* error = nullptr;
        const std::string url = call.value("url", url_), name = call.value("collection", name_);
        ldp_endpoint to{curl_, url.c_str(), name.c_str(), {}};
        ldp_status done = ldp_endpoint_flush(client_, &to, 10000, &sent, &error);
        if (done == LDP_CHANGED && call.value("accept", false)) {
            ldp_error_free(error);
            check(ldp_client_accept(client_, contract().at("waiting").get<std::string>().c_str(), &error),
                  error);
            done = ldp_endpoint_flush(client_, &to, 10000, &sent, &error);
        }
        check(done, error);
        return {{"reports", sent.reports}, {"refused", sent.refused}};
    }

    Json contract() {
        char* json = nullptr;
        ldp_error* error = nullptr;
        check(ldp_client_contract(client_, &json, &error), error);
        Json found = Json::parse(json);
        ldp_free(json);
        return found;
    }

    Json spent() {
        ldp_spending spent{};
        ldp_error* error = nullptr;
        const bool known = ldp_client_spent(client_, 1e-6, &spent, &error) == LDP_OK;
        ldp_error_free(error);
        return {{"spent", known ? Json(spent.sum) : Json()}, {"pending", ldp_client_pending(client_)}};
    }

    void close() {
        ldp_client_free(client_);
        ldp_collection_free(collection_);
        client_ = nullptr;
        collection_ = nullptr;
    }

    CURL* curl_;
    ldp_endpoint endpoint_{};
    std::string url_, name_;
    ldp_collection* collection_ = nullptr;
    ldp_client* client_ = nullptr;
};

}  // namespace

int main() {
    Session session;
    for (std::string line; std::getline(std::cin, line);) {
        const Json call = Json::parse(line);
        Json answer;
        try {
            answer = session.answer(call.at("verb"), call);
            answer["ok"] = true;
        } catch (const Failure& failure) {
            answer = failure.answer;
        }
        std::cout << answer.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
    }
}
