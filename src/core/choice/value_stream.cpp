#include "core/choice/value_stream.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/interrupt.hpp"
#include "core/contract/json_object.hpp"
#include "core/math/insecure_bits.hpp"

namespace ldp {

namespace {

using keys::Object;

/// The common movement of all numbers, in shares of the range.
class Movement {
  public:
    Movement(const StreamParameters& parameters, const Attribute& attribute)
        : period_(static_cast<double>(parameters.period == 0 ? parameters.rounds : parameters.period)) {
        if (!attribute.numeric()) return;
        const double range = attribute.max - attribute.min;
        drift_ = parameters.drift / range;
        season_ = parameters.season / range;
        const double way = drift_ * static_cast<double>(parameters.rounds - 1);
        const double space = 1 - std::min(std::abs(way), 1.0) - 2 * season_;
        least_ = season_ + (drift_ < 0 ? std::min(-way, 1.0) : 0) + (space < 0 ? space / 2 : 0);
        space_ = std::max(space, 0.0);
    }
    /// Returns a first number for one that is uniform over the range.
    [[nodiscard]] double first(double uniform) const noexcept { return least_ + space_ * uniform; }
    /// Returns the movement from the first round to this one.
    [[nodiscard]] double at(std::size_t round) const noexcept {
        constexpr double turn = 6.283185307179586;
        const auto t = static_cast<double>(round);
        return drift_ * t + (season_ == 0 ? 0 : season_ * std::sin(turn * t / period_));
    }

  private:
    double period_, drift_ = 0, season_ = 0, least_ = 0, space_ = 1;
};

}  // namespace

StreamParameters StreamParameters::from_json(const Json& found, const Attribute& attribute) {
    if (attribute.several())
        invalid("the changes of sets of labels cannot be declared",
                "\"" + attribute.name + "\" has \"several\": true.",
                "Write \"evolving\": {} and a \"budget\", without \"stream\".");
    JsonObject reader(found, "\"stream\"");
    StreamParameters stream;
    stream.rounds = reader.whole(key(Object::stream, "rounds"));
    stream.people = reader.whole(key(Object::stream, "people"));
    stream.change_rate = reader.real(key(Object::stream, "change_rate"));
    const double range = attribute.max - attribute.min;
    const auto in_range = [&](const keys::Key& one) {
        return reader.real(one.name, one.fallback, std::max(one.least, -range), range);
    };
    if (attribute.numeric()) {
        stream.jitter = in_range(key(Object::stream, "jitter"));
        stream.drift = in_range(key(Object::stream, "drift"));
        stream.season = in_range(key(Object::stream, "season"));
        if (reader.contains("period") && stream.season == 0)
            invalid("\"period\" is for streams with a season only", "The stream has no \"season\".",
                    "Add \"season\", the amplitude, or remove \"period\".");
        const bool given = reader.find("period") != nullptr;
        stream.period = given ? reader.whole(key(Object::stream, "period")) : stream.rounds;
    }
    for (const char* key : {"jitter", "drift", "season", "period"})
        if (!attribute.numeric() && reader.contains(key))
            invalid("\"" + std::string(key) + "\" is for numbers only",
                    "\"" + attribute.name + "\" is a category.",
                    "Describe changes of categories by \"change_rate\".");
    reader.finish();
    return stream;
}

ValueStream ValueStream::thinned(std::size_t most) const {
    const std::size_t all = known(), wanted = std::max(least_people, most / std::max<std::size_t>(rounds, 1));
    if (all <= wanted) return *this;
    ValueStream part{rounds, people, same_people, {}};
    part.values.reserve(wanted * rounds);
    for (std::size_t i = 0; i < wanted; ++i) {
        const auto from = values.begin() + static_cast<std::ptrdiff_t>(i * all / wanted * rounds);
        part.values.insert(part.values.end(), from, from + static_cast<std::ptrdiff_t>(rounds));
    }
    return part;
}

ValueStream ValueStream::generated(const StreamParameters& parameters, const Attribute& attribute,
                                   std::size_t most, std::uint64_t seed) {
    ValueStream stream{
        static_cast<std::size_t>(parameters.rounds), static_cast<double>(parameters.people), false, {}};
    const std::size_t people = std::max(least_people, most / stream.rounds);
    const double jitter =
        attribute.numeric() ? parameters.jitter / (attribute.max - attribute.min) : parameters.jitter;
    const Movement movement(parameters, attribute);
    InsecureBits bits(seed);
    Work work;
    stream.values.reserve(people * stream.rounds);
    for (std::size_t i = 0; i < people; ++i) {
        double base = attribute.numeric() ? movement.first(bits.uniform())
                                          : static_cast<double>(bits.below(attribute.domain));
        for (std::size_t t = 0; t < stream.rounds; ++t, work.done(4)) {
            const bool changes = t > 0 && bits.uniform() < parameters.change_rate;
            if (!attribute.numeric()) {
                // Another category: the one `ahead` of the current one, in a circle.
                if (changes) {
                    const std::uint64_t ahead = 1 + bits.below(attribute.domain - 1);
                    base = static_cast<double>((static_cast<std::uint64_t>(base) + ahead) % attribute.domain);
                }
                stream.values.push_back(base);
                continue;
            }
            if (changes) base = movement.first(bits.uniform());
            const double moved = jitter == 0 ? 0 : jitter * (2 * bits.uniform() - 1);
            stream.values.push_back(std::clamp(base + movement.at(t) + moved, 0.0, 1.0));
        }
    }
    return stream;
}

}  // namespace ldp
