#include "core/math/fixed_steps.hpp"

namespace ldp {

std::vector<Cell> sorted_set(std::span<const Cell> values, Cell end) {
    std::vector<Cell> once(values.begin(), values.end()), sorted(values.size(), end);
    for (std::size_t i = 0; i < once.size(); ++i) {
        bool repeated = false;
        for (std::size_t j = 0; j < i; ++j) repeated |= values[j] == values[i];
        repeated |= values[i] > end;
        once[i] = chosen(repeated, end, values[i]);
    }
    for (std::size_t i = 0; i < once.size(); ++i) {
        std::size_t rank = 0;
        for (std::size_t j = 0; j < once.size(); ++j) {
            const unsigned below = once[j] < once[i], equal = once[j] == once[i], before = j < i;
            rank += below | (equal & before);
        }
        sorted[rank] = once[i];
    }
    return sorted;
}

TextSearch::TextSearch(std::span<const std::string> texts) {
    std::size_t longest = 1;
    for (const std::string& text : texts) longest = std::max(longest, text.size());
    words_ = (longest + 7) / 8;
    keys_.resize(texts.size() * words_);
    slots_.resize(std::bit_ceil(2 * texts.size() + 1));
    for (std::size_t i = 0; i < texts.size(); ++i) {
        lengths_.push_back(texts[i].size());
        const std::size_t at = write(texts[i], std::span(keys_).subspan(i * words_, words_));
        std::size_t probes = 0;
        while (slots_[(at + probes) & (slots_.size() - 1)] != 0) ++probes;
        slots_[(at + probes) & (slots_.size() - 1)] = static_cast<std::uint32_t>(i + 1);
        probes_ = std::max(probes_, probes + 1);
    }
}

std::size_t TextSearch::write(std::string_view text, std::span<std::uint64_t> key) const noexcept {
    const char* const bytes = text.empty() ? "" : text.data();
    const std::size_t last = chosen(text.empty(), 0, text.size() - 1);
    std::uint64_t hash = text.size();
    for (std::size_t word = 0; word < words_; ++word) {
        std::uint64_t packed = 0;
        for (std::size_t i = 8 * word; i < 8 * word + 8; ++i) {
            const auto byte = static_cast<unsigned char>(bytes[chosen(i < last, i, last)]);
            packed = packed << 8 | chosen(i < text.size(), byte, 0);
        }
        key[word] = packed;
        hash = (hash ^ packed) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 32;
    }
    return hash & (slots_.size() - 1);
}

std::size_t TextSearch::find(std::string_view text) const {
    std::vector<std::uint64_t> key(words_);
    const std::size_t at = write(text, key);
    std::size_t found = size();
    for (std::size_t probe = 0; probe < probes_; ++probe) {
        const std::uint64_t slot = slots_[(at + probe) & (slots_.size() - 1)];
        const std::size_t index = chosen(slot != 0, slot - 1, 0);
        std::uint64_t differing = (lengths_[index] ^ text.size()) | static_cast<std::uint64_t>(slot == 0);
        for (std::size_t word = 0; word < words_; ++word)
            differing |= keys_[index * words_ + word] ^ key[word];
        found = chosen(differing == 0, index, found);
    }
    return found;
}

}  // namespace ldp
