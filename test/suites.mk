# Each suite of tests is a target that runs it as soon as what it tests is built, so that compiling and testing keep
# all processors busy. Part of src/Makefile, which builds the programs; the installation in build/stage must be there.
# No suite that fails stops another: test/suite notes the counts, test/total tells their sum.
#
# What test/in-cluster runs beside a server is found in folders: test/sql/*.sql and test/e2e/*.sh.

suite = @cd .. && test/suite
# What syncs often.
in_memory = env TMPDIR="$$(test/scratch)"
units := build/bin/test-unit --report_level=short
SUITES := cluster-1 cluster-2 slow-units-1 slow-units-2 sanitized-units sanitized-client cluster-3 sanitized-fuzz \
    sanitized-c-interface command installed c-interface structure
FAST_SUITES := fast-units fast-cluster client command installed c-interface structure
# Where the compiler is another, all but the sanitisers; where PostgreSQL alone is, what meets it.
PLAIN_SUITES := $(filter-out sanitized-%,$(SUITES)) fast-units client hostile-bytes c-interface image
SERVER_SUITES := cluster-1 cluster-2 cluster-3 image
.PHONY: check check-fast check-plain check-server $(SUITES) $(FAST_SUITES) $(PLAIN_SUITES)

# What sanitisers watch is not run again without them. First what waits for disks more than it computes, and so leaves
# processors to compilers; then what takes long.
check: $(SUITES)
check-fast: $(FAST_SUITES)
check-plain: $(PLAIN_SUITES)
check-server: $(SERVER_SUITES)

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
cluster-1 cluster-2 cluster-3:
	@cd .. && test/with-cluster test/in-cluster $(@:cluster-%=%) || test/suite "the cluster" false
fast-cluster:
	@cd .. && test/with-cluster test/in-cluster fast || test/suite "the cluster" false
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
