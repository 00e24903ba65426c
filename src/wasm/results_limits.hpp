// Included before every source file of the results module: its limits of JSON, and a lock for the shared
// tables of Boost.Math. The lock has no effect, because the module has one thread.
#pragma once

#include "wasm/json_limits.hpp"

// The header of Boost with this include guard requires a thread library.
#define BOOST_SMART_PTR_DETAIL_LIGHTWEIGHT_MUTEX_HPP_INCLUDED

namespace boost::detail {

class lightweight_mutex {
  public:
    class scoped_lock {
      public:
        explicit scoped_lock(lightweight_mutex&) {}
    };
};

}  // namespace boost::detail
