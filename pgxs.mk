# The extension, by PGXS, around the core library that CMake builds. Called from the folder above, where ldp.control is:
# make -f pgxs.mk [install] PG_CONFIG=…
PG_CONFIG ?= pg_config
BUILD ?= build
WARNINGS ?= -Wall -Wextra -Wshadow -Werror
# The caller's, before PGXS sets those of its own server.
CXXFLAGS ?= -O2
given := $(CXXFLAGS)
# Not VERSION: PGXS calls PostgreSQL's by that name. The extension's version is its first two numbers.
LDP_VERSION := $(shell tools/version)

EXTENSION := ldp
MODULE_big := ldp
# The script's topics, in the order in which they are read.
TOPICS := types times aggregates specs collections foreign_parts report_access submission labels accessors time_series tables one_step batches hitters privileges epochs rollups foreign_rollups series groups partitions retention machines history tokens status renaming
DATA := $(wildcard sql/ldp--*--*.sql)
DATA_built := $(BUILD)/ldp--$(basename $(LDP_VERSION)).sql
OBJS := $(patsubst %.cpp,$(BUILD)/%.o,$(wildcard extension/*.cpp extension/*/*.cpp))
CORE := $(BUILD)/lib/libldp_core.a
# Core is an archive whose symbols stay inside: two extensions may carry the same names.
SHLIB_LINK := $(CORE) -Wl,--exclude-libs,ALL -lstdc++ $(if $(COVERAGE),--coverage)
PG_CPPFLAGS := -Isrc -Iextension -isystem $(shell $(PG_CONFIG) --includedir-server)
# PGXS compiles bitcode without C++20; inlining across the extension's boundary would gain nothing.
override with_llvm := no

# Before the include, whose first target it would otherwise be.
all:

$(BUILD)/ldp--%.sql: $(TOPICS:%=sql/%.sql) pgxs.mk
	@mkdir -p $(@D)
	@cat $(TOPICS:%=sql/%.sql) >$@

PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

override CXXFLAGS := $(given) -std=c++20 -ffp-contract=off -fPIC -fvisibility=hidden $(WARNINGS) $(if $(COVERAGE),-O1 --coverage)
override CXXFLAGS += $(if $(findstring clang,$(CXX)),,--param ggc-min-heapsize=1000000)
$(BUILD)/extension/boundary.o: override CXXFLAGS += -DLDP_VERSION='"$(LDP_VERSION)"'
# The header that nearly all files include is compiled once, unless a compiler's cache keeps the objects: half of the
# time. GCC lists no header of a precompiled one in a file's *.d, so all files are compiled anew when one changes.
PRECOMPILE := $(if $(findstring ccache,$(CXX)),,yes)
precompiled := $(BUILD)/extension/precompiled.hpp
say = $(if $(V),,@echo '  CXX     $<')
$(BUILD)/extension/%.o: extension/%.cpp $(if $(PRECOMPILE),$(precompiled).gch)
	@mkdir -p $(@D)
	$(say)
	$(if $(V),,@)$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(if $(PRECOMPILE),-include $(precompiled)) -MMD -MP -c -o $@ $<
$(precompiled).gch: extension/arguments.hpp
	@mkdir -p $(@D)
	$(say)
	@echo '#include "arguments.hpp"' >$(precompiled)
	$(if $(V),,@)$(CXX) $(CXXFLAGS) $(CPPFLAGS) -x c++-header -MMD -MP -o $@ $(precompiled)
-include $(wildcard $(BUILD)/extension/*.d $(BUILD)/extension/*/*.d)

$(shlib): $(CORE)
