# Each suite of tests is a target that runs it as soon as what it tests is built, so that compiling and testing keep
# all processors busy. Part of src/Makefile, which builds the programs; the installation in build/stage must be there.
# No suite that fails stops another: test/suite notes the counts, test/total tells their sum.
#
# What test/in-cluster runs beside a server is found in folders: test/sql/*.sql and test/e2e/*.sh.

suite = @cd .. && test/suite
# What syncs often.
in_memory = env TMPDIR="$$(test/scratch)"
units := build/bin/test-unit --report_level=short
# What sanitisers watch is not run again without them. First what waits now and then, then what takes long, so that at the end
# no processor is left alone with it.
SUITES := cluster-3 slow-units-2 sanitized-client sanitized-units slow-units-1 sanitized-fuzz sanitized-c-interface command \
    installed c-interface structure
FAST_SUITES := fast-units client command installed c-interface structure
# Where the compiler is another, all but the sanitisers; where PostgreSQL alone is, what meets it.
PLAIN_SUITES := $(filter-out sanitized-%,$(SUITES)) fast-units client hostile-bytes c-interface
SERVER_SUITES := cluster-3 image
.PHONY: check check-fast check-plain check-server $(SUITES) $(FAST_SUITES) $(PLAIN_SUITES) $(SERVER_SUITES)

# Two halves of the suites beside a server wait more than they compute: they run beside this make, which has a job a processor
# for what compiles and computes. More jobs than that would take each other's caches.
beside = @+../test/beside
# Precompiled first, headers do not keep those waiting that come first.
check: $(if $(PRECOMPILE),$(addsuffix /precompiled.hpp.gch,$(BUILD)/test $(SANITIZED)/src))
	$(beside) 1 2 -- $(MAKE) $(SUITES)
check-fast:
	$(beside) fast -- $(MAKE) $(FAST_SUITES)
check-plain:
	$(beside) 1 2 -- $(MAKE) $(PLAIN_SUITES) image
check-server:
	$(beside) 1 2 -- $(MAKE) $(SERVER_SUITES)

# Two halves that take about as long: of these suites all, of the others what takes long.
slowest := statistics haar_ordered haar_mechanism sampled rappor_mechanism
slow-units-1: $(BUILD)/bin/test-unit
	$(suite) "core: slowest suites" $(units) $(slowest:%=--run_test=%)
slow-units-2: $(BUILD)/bin/test-unit
	$(suite) "core: privacy, noise" $(units) --run_test=@slow $(slowest:%=--run_test='!%')
sanitized-units: $(SANITIZED)/bin/test-unit
	$(suite) "core, sanitised" $(units:build/%=build/sanitized/%) --run_test='!@slow'
fast-units: $(BUILD)/bin/test-unit
	$(suite) "core: units" $(units) --run_test='!@slow'
cluster-3: $(BUILD)/bin/test-e2e
	@cd .. && test/with-cluster test/in-cluster 3 || test/suite "the cluster" false
client: $(BUILD)/bin/test-client
	$(suite) "client" $(in_memory) build/bin/test-client --report_level=short
sanitized-client: $(SANITIZED)/bin/test-client
	$(suite) "client, sanitised" $(in_memory) build/sanitized/bin/test-client --report_level=short
sanitized-fuzz: $(SANITIZED)/bin/test-fuzz
	$(suite) "hostile bytes, sanitised" build/sanitized/bin/test-fuzz
hostile-bytes: $(BUILD)/bin/test-fuzz
	$(suite) "hostile bytes" build/bin/test-fuzz
command:
	$(suite) "command" bash test/cli/run
installed:
	$(suite) "installed library" bash test/install/run
sanitized-c-interface: $(SANITIZED)/lib/libldp.a
	$(suite) "C interface, sanitised" bash test/capi/run sanitized
c-interface: scripted
	$(suite) "C interface" bash test/capi/run
structure:
	$(suite) "structure" test/structure/run
image:
	$(suite) "image" test/with-cluster bash test/releases/image
