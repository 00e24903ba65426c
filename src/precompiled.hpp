// The precompiled header of all files. It halves the compile time of a small file. Files nevertheless include
// all headers that they use, and they compile without it (PRECOMPILE= omits it).
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
