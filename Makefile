# make demo      real data in, private estimates out: installs what is missing, builds, runs, cleans up
# make learning  trains a logistic model and estimates slopes in rounds, one private report per person (doc/learning.md)
# make check     every test; make check-fast takes a minute; make test T=joint runs the suites whose names match
# make deps      installs the Debian packages that are missing; NO_DEPS=1 lists them instead
# make all       extension, client library, command
# make install   into PostgreSQL (PG_CONFIG) and into PREFIX; make uninstall removes it; CLIENT= means the extension alone
# make wasm      client and results as WebAssembly and the npm package around them, in build/js
# make npm       the tarball of this package, which npm installs without an index, in build/dist
# make wheel     the Python package with the library inside, for machines without a compiler, in build/dist
# make device    libldp-device, a static C library for devices, in build/device; LIBC=musl for musl; make install-device
# make device-cross  libldp-device for arm64, and its reports in an emulator (qemu)
# make site      the manual as a site, with every name of C++ and C, in build/site
# make check-citus     tests on three nodes, where the extension citus is installed; skipped elsewhere
# make check-reach     bindings and pages: npm in Node and Chromium, Python, R, the uploader in C, Oblivious HTTP, the pages of ldp estimate
# make check-plain     every test without sanitizers, for other compilers; make check-server: tests beside PostgreSQL
# make fuzz      feeds hostile bytes to every reader of bytes for FUZZ_SECONDS=60 each (clang)
# make coverage  lists the lines of core and extension that no test runs
# make mutants   changes the sources in one place at a time and requires a test to fail; GENERATED=20 makes mutants of its own
# make bench     speed, as ratios to a baseline of the same run; make bench BENCH=aggregates: every mechanism in SQL, some minutes
# make evaluate  the figures of doc/evaluation.md, checked against closed forms; FIGURES='means shares' or PROGRAM=plan: evaluation/README.md
# make programs  compiles every bench, evaluation and fuzzing program
# make dist      the tarball, the conformance kit, PGXN's zip and bill of materials (CycloneDX) of the last commit, in build
# make deb       the Debian packages, in build/deb
# make rpm       the RPM packages, in build/rpm; TREE=. packages the finished build of this folder and compiles nothing
# make check-rpm installs the RPM packages into a root of its own, uses and erases them (root)
# make check-packages  installs, uses, upgrades and purges the Debian packages in a fresh Debian (root)
# make check-arm64     compiles the unit tests for arm64 and runs them with qemu
# make check-releases  compiles and tests on other releases of Debian (root)
# make format    formats the sources; make lint checks format, language and sources; make style the first two, in seconds
# (V=1 shows the commands.) CMake builds all but the extension: CMakePresets.json; PGXS the extension: pgxs.mk.

PG_CONFIG ?= pg_config
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
WARNINGS ?= -Wall -Wextra -Wshadow -Werror
# Empty: the extension alone.
CLIENT ?= yes
PRECOMPILE ?= $(if $(filter ccache,$(CXX)),,yes)
JOBS ?= $(shell nproc)
export PG_CONFIG

# CXX may be "ccache g++". PRECOMPILE= compiles every file alone, without a precompiled header.
compiler = $(filter-out ccache,$(CXX))
launcher = $(filter ccache,$(CXX))
configure = cmake --preset $(1) --log-level=WARNING -DCMAKE_CXX_COMPILER='$(compiler)' -DCMAKE_CXX_COMPILER_LAUNCHER='$(launcher)' \
    -DCMAKE_INSTALL_PREFIX='$(PREFIX)' -DCMAKE_INSTALL_LIBDIR='$(patsubst $(PREFIX)/%,%,$(LIBDIR))' -DLDP_WARNINGS='$(WARNINGS)' \
    -DLDP_CLIENT=$(if $(CLIENT),ON,OFF) -DLDP_SEPARATE_FILES=$(if $(PRECOMPILE),OFF,ON) >build/configure.log
build = cmake --build $(1) $(if $(V),-v) -j$(JOBS) --target $(2)
pgxs = $(MAKE) $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS)) --no-print-directory -f pgxs.mk
ctest = ctest --preset $(1) -j$$((2 * $(JOBS)))

# Ninja and PGXS compile in parallel; the steps below follow one another.
.NOTPARALLEL:
.PHONY: all configure core extension client deps demo learning check check-fast check-plain check-server check-citus check-reach test stage \
    install uninstall wasm npm wheel device device-cross install-device site fuzz coverage mutants bench evaluate programs dist deb rpm check-rpm check-packages \
    check-releases check-arm64 format style lint clean
all: extension $(if $(CLIENT),client)
configure:
	@mkdir -p build
	@command -v ninja >/dev/null && command -v cmake >/dev/null || { echo "CMake or Ninja is missing. Run: make deps" >&2; exit 1; }
	@$(call configure,release) || { cat build/configure.log >&2; exit 1; }
core: configure
	@$(call build,build,ldp_core)
extension: core
	@test -e "$$($(PG_CONFIG) --pgxs 2>/dev/null)" || { echo "PostgreSQL's server headers are missing ($(PG_CONFIG) --pgxs). Run: make deps" >&2; exit 1; }
	@$(pgxs) all
client: configure
	@$(call build,build,all)
install: all
	@$(pgxs) -s install
	$(if $(CLIENT),@DESTDIR='$(DESTDIR)' cmake --install build >build/install.log)
uninstall:
	@$(pgxs) -s uninstall
	@xargs -I FILE rm -f '$(DESTDIR)FILE' <build/install_manifest.txt
	@rm -rf '$(DESTDIR)$(PREFIX)/include/ldp' '$(DESTDIR)$(PREFIX)/share/ldp' '$(DESTDIR)$(LIBDIR)/cmake/ldp'
stage: all
	@rm -rf build/stage
	@$(MAKE) --no-print-directory install DESTDIR='$(CURDIR)/build/stage' >build/stage.log 2>&1 || { cat build/stage.log; exit 1; }

# These install the packages that they need first.
deps:
	@tools/deps
demo: deps extension
	@$(call build,build,ldp-demo)
	@rm -rf build/stage && $(pgxs) -s install DESTDIR='$(CURDIR)/build/stage' >build/stage.log
	@gzip -dc test/data/cps1988.csv.gz >build/cps1988.csv
	@test/with-cluster build/bin/ldp-demo build/cps1988.csv build/estimates.svg
learning: deps
	@$(call build,build,ldp)
	@demo/learning/logistic.py && demo/learning/slopes.py
check: deps stage
	@tools/deps python3-jsonschema python3-yaml valgrind
	@$(call build,build,test-programs sanitized-programs)
	@$(call ctest,check)
check-fast check-plain check-server: deps stage
	@tools/deps python3-jsonschema python3-yaml
	@$(call build,build,test-programs)
	@$(call ctest,$(@:check-%=%))
test: deps stage
	@$(call build,build,test-programs)
	@ctest --test-dir build --output-on-failure --no-tests=error -j$(JOBS) -R '$(T)' -LE sanitized
check-citus: deps stage
	@$(call build,build,ldp)
	@ctest --test-dir build --output-on-failure --no-tests=error -L '^citus$$'
# The full module has the mechanisms of the literature, too: make wasm LITERATURE=ON.
LITERATURE := OFF
WASM_PACKAGES := clang-19 lld-19 wasi-libc libc++-19-dev-wasm32 libc++abi-19-dev-wasm32 libclang-rt-19-dev-wasm32 binaryen
wasm:
	@tools/deps $(WASM_PACKAGES)
	@mkdir -p build && cmake --preset wasm --log-level=WARNING -DLDP_LITERATURE=$(LITERATURE) >build/configure-wasm.log
	@$(call build,build/wasm,all)
# The tarball of the npm package. The same sources give the same bytes.
npm: wasm
	@tools/deps nodejs $(if $(shell command -v npm),,npm)
	@mkdir -p build/dist && rm -f build/dist/ldp-client-*.tgz && npm pack --silent --pack-destination build/dist ./build/js
wheel: deps configure
	@$(call build,build,ldp_wheel)
	@tools/wheel build/wheel/libldp.so build/dist
# libldp-device for glibc (gnu) or musl, in build/device/LIBC.
LIBC := gnu
DEVICE_PACKAGES := clang-19 llvm-19 libc++-19-dev libc++abi-19-dev libunwind-19-dev
device:
	@tools/deps $(DEVICE_PACKAGES) $(if $(filter musl,$(LIBC)),musl-tools)
	@mkdir -p build && cmake --preset device -B build/device/$(LIBC) --log-level=WARNING -DLDP_DEVICE_LIBC=$(LIBC) -DLDP_LITERATURE=$(LITERATURE) \
	    -DCMAKE_INSTALL_PREFIX='$(PREFIX)' -DCMAKE_INSTALL_LIBDIR='$(patsubst $(PREFIX)/%,%,$(LIBDIR))' >build/configure-device.log
	@$(call build,build/device/$(LIBC),all)
# The library for arm64 with glibc, and the test of its reports in an emulator.
device-cross: deps configure
	@tools/deps $(DEVICE_PACKAGES) gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
	@tools/foreign-packages arm64 build/device/arm64 libc++-19-dev libc++abi-19-dev libunwind-19-dev
	@cmake --preset device -B build/device/aarch64 --log-level=WARNING -DLDP_DEVICE_MACHINE=aarch64 -DLDP_LITERATURE=$(LITERATURE) \
	    -DLDP_DEVICE_LIBCXX='$(CURDIR)/build/device/arm64/root/usr/lib/llvm-19/lib' >build/configure-device.log
	@$(call build,build/device/aarch64,all)
	@$(call build,build,ldp_scripted ldp_command)
	@bash test/reach/device_cross
install-device: device
	@DESTDIR='$(DESTDIR)' cmake --install build/device/$(LIBC) >build/install-device.log
SITE_PACKAGES := mkdocs mkdocs-material doxygen pandoc fonts-stix
site: deps configure
	@tools/deps $(SITE_PACKAGES)
	@tools/site/build
R_PACKAGES := r-base-dev $(addprefix r-cran-,dbi ggplot2 jsonlite knitr rmarkdown rpostgresql survey testthat)
check-reach: deps wasm site stage
	@tools/deps nodejs chromium chromium-driver node-typescript $(if $(shell command -v npm),,npm) libcurl4-openssl-dev mypy \
	    python3-cryptography python3-pandas python3-pip python3-psycopg python3-psycopg2 python3-venv $(R_PACKAGES)
	@$(MAKE) --no-print-directory device LIBC=musl
	@$(call build,build,ldp_scripted ldp_wheel conformance-client)
	@$(call ctest,reach)
fuzz:
	@tools/deps clang libclang-rt-dev
	@mkdir -p build && cmake --preset fuzz --log-level=WARNING >build/configure-fuzz.log
	@$(call build,build/fuzzer,fuzz)
	@test/fuzz/run
coverage: deps stage
	@mkdir -p build/coverage && cmake --preset coverage --log-level=WARNING >build/configure-coverage.log
	@$(call build,build/coverage,ldp_core test-unit test-client test-fuzz)
	@rm -f ldp.so && $(pgxs) -s COVERAGE=1 BUILD=build/coverage all && $(pgxs) -s COVERAGE=1 BUILD=build/coverage install DESTDIR='$(CURDIR)/build/coverage/stage' && rm -f ldp.so
	@test/coverage
mutants: deps
	@tools/deps ccache
	@test/mutants/run
# All sections, or the one that is named.
BENCH :=
bench: deps stage
	@$(call build,build,$(if $(BENCH),bench-$(BENCH),benches))
	@BENCH=$(BENCH) test/with-cluster bench/run
# The figures, or the program of evaluation/ that is named. The benchmark of the Python package measures some figures.
PROGRAM :=
of_benchmark = $(if $(FIGURES),$(filter numbers consistency,$(FIGURES)),numbers)
of_program = $(if $(FIGURES),$(filter-out numbers consistency,$(FIGURES)),all)
evaluate: deps configure
	@$(call build,build,$(if $(PROGRAM),evaluate-$(PROGRAM),ldp evaluate test-evaluation))
ifdef PROGRAM
	@build/bin/evaluate-$(PROGRAM) $(ARGUMENTS)
else
	@build/bin/test-evaluation
	$(if $(of_benchmark),@evaluation/benchmark build/evaluate $(of_benchmark))
	$(if $(of_program),@build/bin/evaluate build/evaluate $(filter-out all,$(of_program)))
	@[ ! -e "$${LDP_DATA:-../shared/data}/adult_coarse.csv.gz" ] || evaluation/tables build/evaluate
endif
programs: deps configure
	@$(call build,build,benches evaluation ldp-demo test-programs)

# git writes the same bytes for the same commit, and gzip -n adds no time.
RELEASE = build/ldp-$(shell tools/version)
KIT = build/ldp-conformance-$(shell tools/version)
dist:
	@mkdir -p build
	@git archive --prefix=$(notdir $(RELEASE))/ HEAD | gzip -9n >$(RELEASE).tar.gz
	@TZ=UTC git archive --prefix=$(notdir $(RELEASE))/ --format=zip -o $(RELEASE).zip HEAD
	@git archive --prefix=$(notdir $(KIT))/ HEAD LICENSE conformance doc/draws.md doc/formats.md doc/protocol.md doc/spec.md | \
	    gzip -9n >$(KIT).tar.gz
	@tools/sbom >$(RELEASE).cdx.json
	@sha256sum $(RELEASE).tar.gz $(KIT).tar.gz $(RELEASE).zip $(RELEASE).cdx.json
deb: deps
	@tools/deps debhelper dh-python lintian
	@tools/deb build/deb
RPM_PACKAGES := python3 rpm
# An empty TREE compiles the sources.
TREE :=
rpm: deps
	@tools/deps $(RPM_PACKAGES)
	@tools/rpm build/rpm $(TREE)
check-rpm: rpm
	@RPMS='$(CURDIR)/build/rpm' test/install/rpm
ARM64_PACKAGES := g++-aarch64-linux-gnu mmdebstrap qemu-user
check-arm64:
	@tools/deps $(ARM64_PACKAGES)
	@[ -d build/arm64/root ] || tools/arm64-root build/arm64/root
	@cmake --preset arm64 --log-level=WARNING >build/configure-arm64.log
	@$(call build,build/arm64,test-unit)
	@$(call ctest,arm64)
check-packages check-releases:
	@tools/deps mmdebstrap $(if $(filter %-packages,$@),debhelper dh-python lintian)
	@test/releases/$(@:check-%=%)

SOURCES = $(shell git ls-files '*.cpp' '*.hpp')
# tidy(files, flags): a job a processor. clang 14 and Boost 1.74 need two definitions for coroutines of GCC's library.
tidy = @printf '%s\n' $(1) | xargs -P "$(JOBS)" -I FILE sh -c 'echo "clang-tidy FILE"; clang-tidy --quiet FILE -- \
    -std=c++20 -Isrc -DLDP_VERSION=\"\" $(2) 2>/dev/null'
format:
	clang-format -i $(SOURCES)
# Different versions of clang-format format differently: .clang-format is for version 14.
style:
	@tools/deps clang-format python3
	@clang-format --dry-run -Werror $(SOURCES)
	tools/prose
	tools/prose --commits
lint: style
	$(call tidy,$(filter-out src/wasm/%,$(filter src/%.cpp,$(SOURCES))),-isystem /usr/include/eigen3 -D__cpp_impl_coroutine=201902L -DBOOST_ASIO_HAS_CO_AWAIT)
	$(call tidy,$(filter extension/%.cpp,$(SOURCES)),-Iextension -isystem "$$($(PG_CONFIG) --includedir-server)")
clean:
	rm -rf build ldp.so
