// What takes batches to where they are counted.
#pragma once

#include "client/store.hpp"

namespace ldp {

/// A way to the server: a database connection (Uploader), or a program's own, such as HTTPS to a proxy that
/// calls ldp_submit_batch.
class Carrier {
  public:
    Carrier() = default;
    Carrier(const Carrier&) = delete;
    Carrier& operator=(const Carrier&) = delete;
    virtual ~Carrier() = default;

    /// Has the batch (see there; never empty) counted, whole and durably, before it returns. True if this
    /// call did it; false if the batch had been counted before. Throws if it is not known to be counted: the
    /// client then offers the same batch again, under the same id, as often as it takes.
    virtual bool deliver(const Batch& batch) = 0;
};

}  // namespace ldp
