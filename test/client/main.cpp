#include <boost/test/unit_test.hpp>

namespace {

bool begin() {
    boost::unit_test::framework::master_test_suite().p_name.value = "client";
    return true;
}

}  // namespace

int main(int count, char** arguments) {
    return boost::unit_test::unit_test_main(begin, count, arguments);
}
