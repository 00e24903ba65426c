// The server's part of grr. Its state has the reports of each value.
#pragma once

#include <optional>

#include "core/base/cell.hpp"
#include "core/mechanism/frequency/pure_protocol.hpp"
#include "core/mechanism/grr/grr_parameters.hpp"
#include "core/mechanism/summary_view.hpp"

namespace ldp::grr {

/// The parameters must outlive it.
class Estimator {
  public:
    explicit Estimator(const Parameters& parameters) : parameters_(parameters) {}
    [[nodiscard]] std::size_t state_size() const noexcept;
    [[nodiscard]] bool accumulate(MutableBytes state, Bytes payload) const noexcept;
    void merge(MutableBytes state, Bytes other) const noexcept;
    [[nodiscard]] bool valid_payload(Bytes payload) const noexcept;
    [[nodiscard]] bool valid_state(const Counts& counts) const noexcept;
    [[nodiscard]] PureProtocol protocol() const noexcept;
    [[nodiscard]] std::vector<std::uint64_t> supports(Bytes state) const;
    [[nodiscard]] std::uint64_t support(Bytes state, Cell value) const;

  private:
    const Parameters& parameters_;
};

}  // namespace ldp::grr
