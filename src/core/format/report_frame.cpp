#include "core/format/report_frame.hpp"

namespace ldp {

Report frame_report(Bytes block, std::size_t payload_size) {
    Report report;
    report.reserve(block.size() + payload_size);
    report.assign(block.begin(), block.end());
    report.resize(block.size() + payload_size);
    return report;
}

}  // namespace ldp
