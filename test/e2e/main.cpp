#define BOOST_TEST_MODULE end_to_end
#include <boost/test/included/unit_test.hpp>
