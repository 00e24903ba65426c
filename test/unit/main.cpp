#define BOOST_TEST_MODULE ldp core
#include <boost/test/included/unit_test.hpp>
