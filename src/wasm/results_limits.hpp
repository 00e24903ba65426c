// Included before every source of the results module: its limits of JSON, and a lock for Boost.Math, which has tables that
// threads would share. The module has one thread.
#pragma once

#include "wasm/json_limits.hpp"

// The header of Boost with this guard needs a library of threads.
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
