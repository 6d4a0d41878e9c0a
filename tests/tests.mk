# Tests: every tests/{unit,prop,theory,conform}/test_*.c is one Criterion program.
# Scripts (tests/*/test_*.sh) get the program's path in $FAIRWAY.
TEST_SRC  := $(sort $(wildcard tests/unit/*/test_*.c tests/prop/test_*.c tests/theory/test_*.c tests/conform/test_*.c))
TEST_LIB  := $(patsubst %.c,$(B)/obj/%.o,$(sort $(wildcard tests/ref/*.c)))
# TESTS="unit/model cli/test_run": only what begins so under tests/.
TESTS     ?=
chosen     = $(if $(TESTS),$(sort $(foreach t,$(TESTS),$(filter tests/$(t)%,$1))),$1)
TEST_BIN  := $(patsubst %.c,$(B)/%,$(call chosen,$(TEST_SRC)))
TEST_SH   := $(call chosen,$(sort $(wildcard tests/*/test_*.sh)))
JUNIT     := $(B)/junit

# Where CFLAGS ask for link-time optimisation, of each of hundreds of programs it would take its ten seconds.
NO_LTO := $(if $(findstring -flto,$(CFLAGS)),-fno-lto)

$(B)/obj/tests/%.o: CPPFLAGS_ALL += -Itests
$(B)/tests/%: $(B)/obj/tests/%.o $(TEST_LIB) $(B)/libfairway.a
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) $(NO_LTO) $^ -lcriterion $(LDLIBS_ALL) -o $@

# Policies in shared objects, good and bad; never with a sanitizer, as they must crash in their own way.
TEST_SO := $(B)/tests/so/example.so $(B)/tests/so/score.so $(B)/tests/so/las.so $(B)/tests/so/tries.so $(B)/tests/so/bare.so $(B)/tests/so/turns.so $(B)/tests/so/naps.so $(patsubst tests/conform/bad/%.c,$(B)/tests/so/%.so,$(wildcard tests/conform/bad/*.c))

$(B)/tests/so/%.so: policies/example/%.c $(KIT) $(KIT_H) Makefile tests/tests.mk
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=c11 -g -O1 $(WARN) $(STRICT) -Ipolicies -fPIC -shared $< $(firstword $(KIT)) -o $@

$(B)/tests/so/%.so: tests/conform/so/%.c policies/%.c $(KIT) $(KIT_H) Makefile tests/tests.mk
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=c11 -D_POSIX_C_SOURCE=200809L -O2 $(WARN) $(STRICT) -Ipolicies -fPIC -shared $< $(firstword $(KIT)) -o $@

$(B)/tests/so/turns.so $(B)/tests/so/naps.so: $(B)/tests/so/%.so: tests/conform/so/%.c $(KIT) $(KIT_H) Makefile tests/tests.mk
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=c11 -g -O1 $(WARN) $(STRICT) -D_POSIX_C_SOURCE=200809L -Ipolicies -fPIC -shared $< $(firstword $(KIT)) -o $@

$(B)/tests/so/%.so: tests/conform/bad/%.c $(wildcard tests/conform/bad/*.h) $(KIT_H) Makefile
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=c11 -g -O1 $(WARN) $(STRICT) -Ipolicies -fPIC -shared $< -o $@

$(B)/tests/so/tries.so $(B)/tests/so/bare.so: $(B)/tests/so/%.so: tests/conform/so/%.c $(wildcard tests/conform/bad/*.h) $(KIT_H) Makefile
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=c11 -g -O1 $(WARN) $(STRICT) -Ipolicies -Itests/conform/bad -fPIC -shared $< -o $@

test: layers all $(TEST_BIN) $(TEST_SO) ## every test; TESTS= names folders or files of tests/
	@sh tests/run.sh $(B) $(TEST_BIN) $(TEST_SH)

# Not -O0, so that tests which measure time see a program like the real one.
coverage:                               ## lines that the tests reach, by folder; pages in build/coverage/html/
	@command -v gcovr >/dev/null || { echo 'make coverage needs gcovr: apt-get install gcovr' >&2; exit 1; }
	@mkdir -p build/coverage && find build/coverage -name '*.gcda' -delete
	@$(MAKE) --no-print-directory test B=build/coverage CC=gcc OPT=-O1 STRICT= CFLAGS=--coverage; rc=$$?; \
	    sh tests/coverage.sh build/coverage && exit $$rc

slurm: all                              ## the policy slurm beside a real one on this machine (root; half an hour)
	@for kind in plain spaced accounts; do \
	    rc=0; FAIRWAY=$(B)/fairway sh tests/slurm/held.sh $$kind || rc=$$?; \
	    case $$rc in 0) ;; 77) echo "skipped - $$kind" ;; *) exit 1 ;; esac; \
	done

layers:                                 ## the include directions of sim/ and policies/
	@sh tests/layers.sh

-include $(TEST_SRC:%.c=$(B)/obj/%.d) $(TEST_LIB:.o=.d)
.PHONY: test coverage slurm layers

# ---- speed ----
FAIRWAY_TRACES ?= $(abspath $(wildcard ../shared/traces))
export FAIRWAY_TRACES

BENCH := $(patsubst %.c,$(B)/%,$(filter-out %/bench_flow.c,$(sort $(wildcard tests/perf/bench_*.c))))

$(BENCH): $(B)/%: $(B)/obj/%.o $(B)/libfairway.a
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) $^ $(LDLIBS_ALL) -o $@

-include $(BENCH:$(B)/%=$(B)/obj/%.d)

MEASURE := $(B)/tests/perf/measure
$(MEASURE): $(B)/obj/tests/perf/measure.o
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) $^ -o $@

bench: all $(BENCH) $(MEASURE)          ## speeds, as ratios within one run, and the benches below
	@sh tests/perf/bench.sh $(B)/fairway $(MEASURE) $(BENCH)

.PHONY: bench

# ---- how the cost of a job grows, and bounds of it ----
bench-quick: all $(MEASURE)             ## what a job costs as cluster, queue, requests and trace grow; fails above ratios.csv
	@sh tests/perf/curves.sh $(B)/fairway $(MEASURE) quick $(B)/bench.db $(B)/bench.svg

bench-curves: all $(MEASURE)            ## the same up to 100,000 nodes, 100,000 waiting jobs and 10,000,000 jobs
	@sh tests/perf/curves.sh $(B)/fairway $(MEASURE) all $(B)/bench.db $(B)/bench.svg
bench-jobs: all $(MEASURE)              ## what a job costs, and peak memory, up to MOST=10000000 of them
	@sh tests/perf/curves.sh $(B)/fairway $(MEASURE) jobs $(B)/bench.db $(B)/bench.svg
bench-nodes: all $(MEASURE)             ## what a job costs on 1,000 to 100,000 nodes, under POLICIES="a b", with JOBS=10000
	@sh tests/perf/curves.sh $(B)/fairway $(MEASURE) nodes $(B)/bench.db $(B)/bench.svg
bench-queue: all $(MEASURE)             ## what a job costs with 1,000 to 100,000 jobs that wait, under POLICIES="a b"
	@sh tests/perf/curves.sh $(B)/fairway $(MEASURE) queue $(B)/bench.db $(B)/bench.svg
bench-gpus: all $(MEASURE)              ## what a job that reads data costs on 30 to 100,000 GPUs, under POLICIES="gs fs fsp fsu"
	@sh tests/perf/curves.sh $(B)/fairway $(MEASURE) flow $(B)/bench.db $(B)/bench.svg
.PHONY: bench-quick bench-curves bench-jobs bench-nodes bench-queue bench-gpus

# ---- where it ends, where time goes, and one run in parts ----
bench-limits: all $(MEASURE)            ## the largest trace and the largest cluster for GIB=24 of memory
	@sh tests/perf/limits.sh $(B)/fairway $(MEASURE)

bench-profile: all                      ## where time goes in each regime, by room of the program; needs valgrind
	@sh tests/perf/profile.sh $(B)/fairway $(B)/profile.csv $(B)/profile.svg

bench-rows: all $(MEASURE)              ## what a row of each job costs: Helios and Philly by one thread, by two, without rows; BESIDE=a program
	@sh tests/perf/rows.sh $(MEASURE) $(B)/fairway $(BESIDE)

bench-sweep: all $(MEASURE)             ## what a sweep costs over its runs, and two processors against one
	@sh tests/perf/sweep.sh $(B)/fairway $(MEASURE)

shard: all $(MEASURE)                   ## what simulating one run in windows or cells costs in accuracy; needs public traces
	@sh tests/perf/shard.sh $(B)/fairway $(MEASURE)

test: $(MEASURE)
.PHONY: bench-limits bench-profile bench-rows bench-sweep shard

# ---- a policy in a process of its own beside the built-in it copies ----
bench-exec: all                         ## a policy in Python beside the built-in that it copies
	@command -v python3 >/dev/null || { echo "exec: skipped, no python3"; exit 0; }; python3 tests/perf/bench_exec.py $(B)/fairway

bench: bench-exec
.PHONY: bench-exec

# ---- the flow solver beside LEMON's network simplex (liblemon-dev and g++; without them that column is skipped) ----
FLOW_DIR ?= $(wildcard $(FAIRWAY_TRACES)/../flow)
HAS_LEMON := $(if $(wildcard /usr/include/lemon/network_simplex.h),$(shell command -v $(CXX) 2>/dev/null))
LEMON_OBJ := $(if $(HAS_LEMON),$(B)/obj/tests/perf/bench_lemon.o)

$(B)/obj/tests/perf/bench_lemon.o: tests/perf/bench_lemon.cc
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) -O2 -c $< -o $@

$(B)/obj/tests/perf/bench_flow.o: CPPFLAGS_ALL += $(if $(HAS_LEMON),-DBENCH_LEMON)
$(B)/tests/perf/bench_flow: $(B)/obj/tests/perf/bench_flow.o $(B)/obj/tests/ref/madeflow.o $(B)/libfairway.a $(LEMON_OBJ)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) $(filter-out %.a,$^) $(filter %.a,$^) $(LDLIBS_ALL) $(if $(HAS_LEMON),-lstdc++) -o $@

bench-flow: $(B)/tests/perf/bench_flow  ## the flow solver beside LEMON's network simplex
	@sh tests/perf/bench_flow.sh $< $(FLOW_DIR)

bench: bench-flow

# ---- a million API calls ----
bench-calls: all                        ## a million API calls over 1,000 nodes
	@sh tests/perf/bench_calls.sh $(B)/fairway

bench: bench-calls
.PHONY: bench-calls
.PHONY: bench-flow

# ---- a round of gavel, solver included ----
bench-gavel: all                        ## the longest decision of gavel at 1,000 jobs and 3 types
	@sh tests/perf/bench_gavel.sh $(B)/fairway

bench: bench-gavel
.PHONY: bench-gavel

# ---- published policies beside fifo ----
bench-policies: all                     ## published policies on the Helios slice, beside fifo; sia among 500 jobs
	@sh tests/perf/bench_policies.sh $(B)/fairway

bench: bench-policies
.PHONY: bench-policies

# ---- failures at the worst moments ----
STORM_SRC := $(wildcard tests/storm/*.c)
STORM     := $(B)/tests/storm/storm

$(STORM): $(STORM_SRC:%.c=$(B)/obj/%.o) $(B)/libfairway.a
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) $(NO_LTO) $^ $(LDLIBS_ALL) -o $@

RUNS ?= 100000
storm: $(STORM)                         ## random cases, nodes and racks failing at the worst moments; RUNS=100000
	@$(STORM) --runs $(RUNS)

test: $(STORM)
-include $(STORM_SRC:%.c=$(B)/obj/%.d)
.PHONY: storm

# ---- inputs that a fuzzer makes: clang's libFuzzer, under sanitizers, in a build of its own ----
FUZZ := $(patsubst tests/fuzz/fuzz_%.c,$(B)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))

$(B)/fuzz/%: $(B)/obj/tests/fuzz/fuzz_%.o $(B)/obj/tests/fuzz/bytes.o $(B)/obj/tests/ref/refflow.o $(B)/obj/tests/ref/slowfair.o $(B)/libfairway.a
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS_ALL) -fsanitize=fuzzer $(LDFLAGS) $^ $(LDLIBS_ALL) -o $@

fuzzers: $(FUZZ)                        ## what `make fuzz` runs, in a build for it

SECONDS ?= 600
fuzz: all                               ## every parser, solver and table under libFuzzer; SECONDS=600 for each of TARGETS
	@$(MAKE) --no-print-directory fuzzers B=build/fuzz CC=clang OPT=-O1 SAN=address,undefined \
	    CFLAGS=-fsanitize=fuzzer-no-link CPPFLAGS=-Itests/fuzz/stub
	@sh tests/fuzz/fuzz.sh $(B)/fairway build/fuzz/fuzz $(SECONDS) $(TARGETS)

-include $(patsubst %.c,$(B)/obj/%.d,$(wildcard tests/fuzz/*.c))
.PHONY: fuzz fuzzers

# ---- calls that fail ----
$(B)/tests/faults/shim.so: tests/faults/shim.c tests/tests.mk
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=c11 -O1 -Wall -Wextra $(STRICT) -fPIC -shared $< -ldl -o $@

faults: all $(B)/tests/faults/shim.so   ## every failing write, fsync, open, read, malloc, fork ... of the commands that keep results
	@FAULTS=all FAIRWAY=$(abspath $(B))/fairway sh tests/faults/test_faults.sh

test: $(B)/tests/faults/shim.so
.PHONY: faults

# ---- the same digests everywhere ----
determinism: all                        ## digests of scenarios x policies by gcc and clang, -O0 to -O3, sanitizers, and sweeps
	@DETERMINISM=all FAIRWAY=$(abspath $(B))/fairway sh tests/determinism/test_determinism.sh
.PHONY: determinism

memcheck: all                           ## valgrind over every scenario of that table under each policy, and over the commands
	@sh tests/determinism/memcheck.sh $(abspath $(B))/fairway
.PHONY: memcheck

# ---- do the tests notice? ----
SAMPLE ?= 200
SEED   ?= 1
mutate:                                 ## mutants of policies/ and sim/model/ against the fast tests; SAMPLE=200 of them
	@python3 tests/mutate/mutate.py --sample $(SAMPLE) --seed $(SEED) $(if $(AGAIN),--again)
.PHONY: mutate

# ---- what analysers see ----
analyze:                                ## gcc -fanalyzer, cppcheck and clang-tidy; what is not explained in known.txt fails
	@python3 tests/analyze/analyze.py
.PHONY: analyze
