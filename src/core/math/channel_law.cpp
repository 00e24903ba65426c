#include "core/math/channel_law.hpp"

namespace ldp {

ChannelLaw choice_law(std::vector<ChannelLaw> parts) {
    ChoiceLaw law;
    for (ChannelLaw& part : parts) law.parts.push_back({std::move(part)});
    return {std::move(law)};
}

}  // namespace ldp
