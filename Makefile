# make demo     real data in, private estimates out: installs what is missing, builds, shows, cleans up
# make check    every test; make check-fast what takes a minute
# make deps     the Debian packages this needs, where they are missing
# make all      extension, client library, command
# make install  into PostgreSQL (PG_CONFIG) and into PREFIX; make uninstall takes it out again
# make wasm     the client as WebAssembly, and the npm package around it, in build/js
# make site     the manual as a site, with every name of C++ and C, in build/site
# make check-reach  what needs more: the npm package in Node and Chromium, the Python package (numpy, pandas), the uploader in C
#               (libcurl), the pages of ldp estimate and the site in Chromium
# make fuzz     feeds hostile bytes to whatever reads bytes, FUZZ_SECONDS=60 a target, and follows coverage (clang)
# make coverage which lines of core and of the extension the tests run, and which not
# make mutants  breaks the sources in a hundred places, one at a time, and asks the tests to notice
# make bench    speed, as ratios to a baseline of the same run
# make programs compiles the programs of demo, bench and evaluate, and runs none
# make evaluate every accuracy and cost figure of doc/evaluation.md, with drawings, held against closed forms;
#               of some parts alone: make evaluate FIGURES='means shares'
# make dist     the tarball of a release, and PGXN's zip, of the last commit; make deb the Debian packages; both in build
# make check-packages  installs, uses, upgrades and purges the packages in a fresh Debian (root); make check-releases compiles
#               and tests on other releases of Debian, with other PostgreSQL and compilers (root)
# make format   lay the source out; make lint looks for trouble without changing anything
# make clean
# (V=1 shows the commands)

PG_CONFIG ?= pg_config
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
# The caller's, before PGXS sets those of its own server.
CXXFLAGS ?= -O2
given := $(CXXFLAGS)
WARNINGS ?= -Wall -Wextra -Wshadow -Werror
# COVERAGE=1 builds what gcov watches, in a folder of its own.
BUILD := build$(if $(COVERAGE),/coverage)
export PG_CONFIG

EXTENSION := ldp
# Not VERSION: PGXS calls PostgreSQL's by that name. The extension's own is its first two numbers.
LDP_VERSION := $(shell tools/version)
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
# A job a processor, unless the caller said.
JOBS = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))
SRC = $(MAKE) $(if $(V),,-s) --no-print-directory -C src 'CXXFLAGS=$(given)' 'WARNINGS=$(WARNINGS)'

# The front door: works before there is a pg_config, by asking for the packages and then calling make again.
FRONT := deps demo check check-fast check-plain check-server site wasm check-reach fuzz coverage mutants bench evaluate programs dist deb check-packages check-releases format lint
ifneq ($(filter $(FRONT),$(MAKECMDGOALS)),)
.PHONY: $(FRONT)
deps:
	@tools/deps
fuzz:
	@tools/deps clang libclang-rt-dev
	@$(MAKE) $(JOBS) --no-print-directory run-$@
# Debian's compilers for WebAssembly.
WASM_PACKAGES := clang-19 lld-19 wasi-libc libc++-19-dev-wasm32 libc++abi-19-dev-wasm32 libclang-rt-19-dev-wasm32 binaryen
wasm:
	@tools/deps $(WASM_PACKAGES)
	@$(MAKE) $(JOBS) --no-print-directory run-$@
SITE_PACKAGES := mkdocs mkdocs-material doxygen
site: deps
	@tools/deps $(SITE_PACKAGES)
	@$(MAKE) --no-print-directory run-$@
check-reach: deps
	@tools/deps $(WASM_PACKAGES) $(SITE_PACKAGES) nodejs chromium chromium-driver node-typescript $(if $(shell command -v npm),,npm) \
	    libcurl4-openssl-dev mypy python3-pandas python3-pip python3-psycopg python3-psycopg2 python3-setuptools python3-wheel
	@$(MAKE) $(JOBS) --no-print-directory run-$@
demo check check-fast check-plain check-server coverage mutants bench evaluate programs: deps
	@$(MAKE) $(JOBS) --no-print-directory run-$@

# git writes the same bytes for the same commit, and gzip -n adds no time.
RELEASE = build/ldp-$(LDP_VERSION)
dist:
	@mkdir -p build
	@git archive --prefix=ldp-$(LDP_VERSION)/ HEAD | gzip -9n >$(RELEASE).tar.gz
	@TZ=UTC git archive --prefix=ldp-$(LDP_VERSION)/ --format=zip -o $(RELEASE).zip HEAD
	@sha256sum $(RELEASE).tar.gz $(RELEASE).zip
deb: deps
	@tools/deps debhelper lintian
	@tools/deb build/deb
check-packages check-releases:
	@tools/deps mmdebstrap $(if $(filter %-packages,$@),debhelper lintian)
	@test/releases/$(@:check-%=%)

SOURCES = $(shell git ls-files '*.cpp' '*.hpp')
# tidy(files, flags): a job a processor. Of coroutines in GCC's library, clang 14 and Boost 1.74 have to be told.
tidy = @printf '%s\n' $(1) | xargs -P "$$(nproc)" -I FILE sh -c 'echo "clang-tidy FILE"; clang-tidy --quiet FILE -- \
    -std=c++20 -Isrc -DLDP_VERSION=\"\" $(2) 2>/dev/null'
format:
	clang-format -i $(SOURCES)
lint:
	clang-format --dry-run -Werror $(SOURCES)
	$(call tidy,$(filter-out src/wasm/%,$(filter src/%.cpp,$(SOURCES))),-isystem /usr/include/eigen3 -D__cpp_impl_coroutine=201902L -DBOOST_ASIO_HAS_CO_AWAIT)
	$(call tidy,$(filter extension/%.cpp,$(SOURCES)),-Iextension -isystem "$$($(PG_CONFIG) --includedir-server)")

else ifneq ($(wildcard $(PGXS)),)
MODULE_big := ldp
DATA := $(wildcard sql/ldp--*--*.sql)
DATA_built := $(BUILD)/ldp--$(basename $(LDP_VERSION)).sql
OBJS := $(patsubst %.cpp,$(BUILD)/%.o,$(wildcard extension/*.cpp extension/*/*.cpp))
EXTRA_CLEAN := $(BUILD)
REGRESS := $(basename $(notdir $(sort $(wildcard test/sql/*.sql))))
REGRESS_OPTS := --inputdir=test --outputdir=$(BUILD)/regress
CORE := $(BUILD)/lib/libldp_core.a
# Core is an archive whose symbols stay inside: two extensions may carry the same names.
SHLIB_LINK := $(CORE) -Wl,--exclude-libs,ALL -lstdc++
PG_CPPFLAGS := -Isrc -Iextension -isystem $(shell $(PG_CONFIG) --includedir-server)
# The rule for LLVM bitcode knows no C++20; inlining across an extension's boundary would gain nothing here.
override with_llvm := no

# Client library and command; CLIENT= leaves them out.
CLIENT ?= $(BUILD)/client.stamp
# Must stand before the include, whose first target it would otherwise be.
all: $(CLIENT)

# The script's topics, in the order in which they are read.
TOPICS := types aggregates specs collections reading submission labels accessors joint one_step batches hitters privileges rollups series partitions retention
$(BUILD)/ldp--%.sql: $(TOPICS:%=sql/%.sql)
	@mkdir -p $(@D)
	$(if $(V),,@)cat $^ >$@

include $(PGXS)

override CXXFLAGS := $(given) -std=c++20 -fPIC -fvisibility=hidden $(WARNINGS)
# As in src/Makefile.
override CXXFLAGS += $(if $(findstring clang,$(CXX)),,--param ggc-min-heapsize=1000000)
ifdef COVERAGE
override CXXFLAGS += -O1 --coverage
SHLIB_LINK += --coverage
endif
$(BUILD)/extension/boundary.o: override CXXFLAGS += -DLDP_VERSION='"$(LDP_VERSION)"'
# What nearly all of them include is compiled once, unless a compiler's cache keeps the objects: half of the time.
# When it changes, all are compiled anew: of headers that came with it, the compiler notes nothing in a file's *.d.
PRECOMPILE := $(if $(findstring ccache,$(CXX)),,yes)
precompiled := $(BUILD)/extension/precompiled.hpp
$(BUILD)/extension/%.o: extension/%.cpp $(if $(PRECOMPILE),$(precompiled).gch)
	@mkdir -p $(@D)
	$(if $(V),,@echo '  CXX     $<')
	$(if $(V),,@)$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(if $(PRECOMPILE),-include $(precompiled)) -MMD -MP -c -o $@ $<
$(precompiled).gch: extension/arguments.hpp
	@mkdir -p $(@D)
	$(if $(V),,@echo '  CXX     $<')
	@echo '#include "arguments.hpp"' >$(precompiled)
	$(if $(V),,@)$(CXX) $(CXXFLAGS) $(CPPFLAGS) -x c++-header -MMD -MP -o $@ $(precompiled)
-include $(wildcard $(BUILD)/extension/*.d $(BUILD)/extension/*/*.d)

$(shlib): $(CORE)

$(CORE): FORCE
	@+$(SRC) ../$@

$(BUILD)/client.stamp: $(CORE)
	@+$(SRC) all
# Phony, because PGXS declares everything secondary, and a missing secondary file forces nothing.
.PHONY: FORCE

install: $(if $(CLIENT),install-client)
.PHONY: install-client
# The headers that programs include, and those that these include in turn. They say "core/…", from the root of
# the sources; where they are installed, it is ldp/core/….
public_headers = $(sort $(filter %.hpp,$(shell cd src && $(CXX) -std=c++20 -I. -MM ldp.hpp client/uploader.hpp client/http/http_uploader.hpp)))
# What the command writes of itself, and where below share/ it is looked for.
references := man bash zsh fish
reference_files := man/man1/ldp.1 bash-completion/completions/ldp zsh/site-functions/_ldp fish/vendor_completions.d/ldp.fish
filled = sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(LDP_VERSION)|'
install-client: $(BUILD)/client.stamp
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(LIBDIR)/pkgconfig' '$(DESTDIR)$(LIBDIR)/cmake/ldp'
	install $(BUILD)/bin/ldp '$(DESTDIR)$(PREFIX)/bin/'
	for form in $(join $(addsuffix :,$(references)),$(reference_files)); do \
	    install -d "$$(dirname '$(DESTDIR)$(PREFIX)/share/'"$${form#*:}")" && \
	    $(BUILD)/bin/ldp reference "$${form%%:*}" >'$(DESTDIR)$(PREFIX)/share/'"$${form#*:}" || exit 1; done
	cp -P $(BUILD)/lib/libldp.a $(BUILD)/lib/libldp.so* '$(DESTDIR)$(LIBDIR)/'
	test -n '$(public_headers)'
	cd src && for header in $(public_headers); do \
	    install -m 644 -D $$header '$(DESTDIR)$(PREFIX)/include/ldp'/$$header || exit 1; done
	cd '$(DESTDIR)$(PREFIX)/include/ldp' && sed -i 's|^#include "|&ldp/|' $(public_headers)
	install -m 644 src/capi/ldp.h src/capi/ldp_curl.h '$(DESTDIR)$(PREFIX)/include/ldp/'
	$(filled) src/ldp.pc.in >'$(DESTDIR)$(LIBDIR)/pkgconfig/ldp.pc'
	sed -e 's|^Name: ldp$$|&-c|' -e 's| -std=c++20||' '$(DESTDIR)$(LIBDIR)/pkgconfig/ldp.pc' \
	    > '$(DESTDIR)$(LIBDIR)/pkgconfig/ldp-c.pc'
	for file in ldp-config ldp-config-version; do \
	    $(filled) src/$$file.cmake.in >'$(DESTDIR)$(LIBDIR)/cmake/ldp'/$$file.cmake || exit 1; done

uninstall: uninstall-client
.PHONY: uninstall-client
uninstall-client:
	rm -rf '$(DESTDIR)$(PREFIX)/include/ldp' '$(DESTDIR)$(LIBDIR)/cmake/ldp'
	cd '$(DESTDIR)$(PREFIX)' && rm -f $(addprefix share/,$(reference_files))
	rm -f '$(DESTDIR)$(PREFIX)/bin/ldp' '$(DESTDIR)$(LIBDIR)/pkgconfig/ldp.pc' '$(DESTDIR)$(LIBDIR)/pkgconfig/ldp-c.pc' \
	     '$(DESTDIR)$(LIBDIR)'/libldp.*

# What tests and demo run: everything installed into a folder of the build.
.PHONY: all stage run-check run-check-fast run-check-plain run-check-server run-check-reach run-fuzz run-coverage run-demo run-mutants run-bench run-evaluate run-programs run-wasm run-site
stage: all
	@rm -rf $(BUILD)/stage
	@$(MAKE) --no-print-directory install DESTDIR='$(CURDIR)/$(BUILD)/stage' >$(BUILD)/stage.log 2>&1 || \
	    { cat $(BUILD)/stage.log; exit 1; }

.PHONY: tests
tests: stage
	@+$(SRC) tests

run-check run-check-fast run-check-plain run-check-server: stage
	@rm -rf $(BUILD)/check
	@+$(SRC) $(@:run-%=%)
	@test/total

run-check-reach: stage run-wasm run-site
	@rm -rf $(BUILD)/check
	@+$(SRC) scripted
	@test/suite "sending from C" test/with-cluster bash test/reach/c
	@test/suite "Python package" test/with-cluster bash test/reach/python
	@test/suite "pages in Chromium" test/with-cluster bash test/reach/page
	@test/suite "the site" test/docs/site
	@test/suite "npm package, in Node" test/reach/node
	@test/suite "npm package, in Chromium" test/with-cluster bash test/reach/browser
	@test/total

run-fuzz:
	@+$(SRC) fuzz
	@test/fuzz/run

# PGXS links in the top folder, whatever the build: what counts is not left there for the next one.
run-coverage: stage
	@rm -f $(shlib)
	@+$(MAKE) --no-print-directory COVERAGE=1 CLIENT= stage; status=$$?; rm -f $(shlib); exit $$status
	@+$(SRC) coverage
	@test/coverage

run-mutants:
	@test/mutants/run

run-wasm:
	@+$(MAKE) $(if $(V),,-s) --no-print-directory -C src -f wasm/Makefile

run-site:
	@tools/site/build $(public_headers) capi/ldp.h capi/ldp_curl.h

# The program beside the extension, so that no processor waits.
.PHONY: demo-program
demo-program: $(CORE)
	@+$(SRC) demo
run-demo:
	@+$(MAKE) --no-print-directory CLIENT= stage demo-program
	@gzip -dc test/data/cps1988.csv.gz >$(BUILD)/cps1988.csv
	@test/with-cluster $(BUILD)/bin/ldp-demo $(BUILD)/cps1988.csv $(BUILD)/estimates.svg

run-bench: stage
	@test/with-cluster bench/run

run-evaluate:
	@+$(SRC) evaluate
	@$(BUILD)/bin/evaluate $(BUILD)/evaluate $(FIGURES)

run-programs:
	@+$(SRC) programs
else
all install installcheck:
	@echo "PostgreSQL's server headers were not found ($(PG_CONFIG) --pgxs). Run: make deps" >&2; exit 1
clean:
	rm -rf $(BUILD)
endif
