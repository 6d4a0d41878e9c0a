# Tests: every tests/{unit,prop,theory,conform}/test_*.c is one Criterion program.
# Scripts (tests/*/test_*.sh) get the program's path in $FAIRWAY.
TEST_SRC  := $(sort $(wildcard tests/unit/test_*.c tests/prop/test_*.c tests/theory/test_*.c tests/conform/test_*.c))
TEST_LIB  := $(patsubst %.c,$(B)/obj/%.o,$(sort $(wildcard tests/ref/*.c)))
TEST_BIN  := $(TEST_SRC:%.c=$(B)/%)
TEST_SH   := $(sort $(wildcard tests/*/test_*.sh))
JUNIT     := $(B)/junit

$(B)/obj/tests/%.o: CPPFLAGS_ALL += -Itests
$(B)/tests/%: $(B)/obj/tests/%.o $(TEST_LIB) $(B)/libfairway.a
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) $^ -lcriterion $(LDLIBS_ALL) -o $@

test: all $(TEST_BIN)
	@sh tests/run.sh $(B) $(TEST_BIN) $(TEST_SH)

layers:
	@sh tests/layers.sh

-include $(TEST_SRC:%.c=$(B)/obj/%.d) $(TEST_LIB:.o=.d)
.PHONY: test layers

# ---- speed ----
FAIRWAY_TRACES ?= $(wildcard ../shared/traces)
export FAIRWAY_TRACES

BENCH := $(patsubst %.c,$(B)/%,$(filter-out %/bench_flow.c,$(sort $(wildcard tests/perf/bench_*.c))))

$(BENCH): $(B)/%: $(B)/obj/%.o $(B)/libfairway.a
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) $^ $(LDLIBS_ALL) -o $@

bench: all $(BENCH)
	@sh tests/perf/bench.sh $(B)/fairway $(BENCH)

.PHONY: bench

# ---- the flow solver beside LEMON's network simplex (liblemon-dev and g++; without them that column is skipped) ----
FLOW_DIR ?= $(wildcard $(FAIRWAY_TRACES)/../flow)
HAS_LEMON := $(if $(wildcard /usr/include/lemon/network_simplex.h),$(shell command -v $(CXX) 2>/dev/null))
LEMON_OBJ := $(if $(HAS_LEMON),$(B)/obj/tests/perf/bench_lemon.o)

$(B)/obj/tests/perf/bench_lemon.o: tests/perf/bench_lemon.cc
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) -O2 -c $< -o $@

$(B)/obj/tests/perf/bench_flow.o: CPPFLAGS_ALL += $(if $(HAS_LEMON),-DBENCH_LEMON)
$(B)/tests/perf/bench_flow: $(B)/obj/tests/perf/bench_flow.o $(B)/libfairway.a $(LEMON_OBJ)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) $(filter-out %.a,$^) $(filter %.a,$^) $(LDLIBS_ALL) $(if $(HAS_LEMON),-lstdc++) -o $@

bench-flow: $(B)/tests/perf/bench_flow
	@sh tests/perf/bench_flow.sh $< $(FLOW_DIR)

bench: bench-flow
.PHONY: bench-flow
