// Given to every file by the build, compiled once: half of what a small file takes to compile. Files include
// what they use all the same, and compile without it (PRECOMPILE= leaves it out).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>
