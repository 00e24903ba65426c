#include "core/spec/value_stream.hpp"

#include <algorithm>

#include "core/base/interrupt.hpp"
#include "core/math/insecure_bits.hpp"
#include "core/spec/json_object.hpp"

namespace ldp {

StreamParameters StreamParameters::from_json(const Json& found, const Attribute& attribute) {
    JsonObject reader(found, "\"stream\"");
    static_cast<void>(reader.need("rounds", "the number of rounds in which people report"));
    static_cast<void>(reader.need("people", "the expected number of people"));
    StreamParameters stream;
    stream.rounds = reader.whole({"rounds", 0, 1, most_rounds});
    stream.people = reader.whole({"people", 0, 1, most_people});
    stream.change_rate = reader.real("change_rate", 0, 0, 1);
    if (attribute.numeric())
        stream.jitter = reader.real("jitter", 0, 0, attribute.max - attribute.min);
    else if (reader.contains("jitter"))
        invalid("\"jitter\" is for numbers only", "\"" + attribute.name + "\" is a category.",
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
                                   std::size_t most) {
    constexpr std::uint64_t seed = 1;
    ValueStream stream{
        static_cast<std::size_t>(parameters.rounds), static_cast<double>(parameters.people), false, {}};
    const std::size_t people = std::max(least_people, most / stream.rounds);
    const double jitter =
        attribute.numeric() ? parameters.jitter / (attribute.max - attribute.min) : parameters.jitter;
    InsecureBits bits(seed);
    Work work;
    stream.values.reserve(people * stream.rounds);
    for (std::size_t i = 0; i < people; ++i) {
        double base =
            attribute.numeric() ? bits.uniform() : static_cast<double>(bits.below(attribute.domain));
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
            if (changes) base = bits.uniform();
            const double moved = jitter == 0 ? 0 : jitter * (2 * bits.uniform() - 1);
            stream.values.push_back(std::clamp(base + moved, 0.0, 1.0));
        }
    }
    return stream;
}

}  // namespace ldp
