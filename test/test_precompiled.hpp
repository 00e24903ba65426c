// As src/precompiled.hpp, for tests.
#include <boost/test/unit_test.hpp>

#include "precompiled.hpp"
