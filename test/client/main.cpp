#define BOOST_TEST_MODULE client
#include <boost/test/included/unit_test.hpp>
