// Names of groups in tests: the numbers from 0 on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ldp::test {

class GroupNumbers {
  public:
    explicit GroupNumbers(std::size_t count) {
        for (std::size_t j = 0; j < count; ++j) texts_.push_back(std::to_string(j));
        for (const std::string& text : texts_) names_.emplace_back(text);
    }
    GroupNumbers(const GroupNumbers&) = delete;
    GroupNumbers& operator=(const GroupNumbers&) = delete;

    [[nodiscard]] const std::vector<std::optional<std::string_view>>& all() const noexcept { return names_; }

  private:
    std::vector<std::string> texts_ = {};
    std::vector<std::optional<std::string_view>> names_ = {};
};

}  // namespace ldp::test
