#include "cli/page.hpp"

#include <iostream>
#include <nlohmann/json.hpp>

namespace ldp::cli {

namespace {

nlohmann::ordered_json json_of(const Page::Value& value) {
    return std::visit([](const auto& known) -> nlohmann::ordered_json { return known; }, value);
}

}  // namespace

void Page::say(const std::string& key, const std::string& title, const Value& value,
               const std::string& text) {
    keep(key, value);
    if (json_) return;
    std::cout << title << std::string(title.size() < 22 ? 22 - title.size() : 1, ' ');
    const auto* const words = std::get_if<std::string>(&value);
    std::cout << (!text.empty() ? text : words ? *words : json_of(value).dump()) << "\n";
}

void Page::end() const {
    if (json_) {
        auto object = nlohmann::ordered_json::object();
        for (const auto& [key, value] : all_) object[key] = json_of(value);
        std::cout << object.dump(2) << "\n";
    }
    std::cout << std::flush;
}

}  // namespace ldp::cli
