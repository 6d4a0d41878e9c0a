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

$(B)/tests/perf/bench_core: $(B)/obj/tests/perf/bench_core.o $(B)/libfairway.a
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) $^ $(LDLIBS_ALL) -o $@

bench: all $(B)/tests/perf/bench_core
	@sh tests/perf/bench.sh $(B)/fairway $(B)/tests/perf/bench_core

.PHONY: bench
