# make              the program, build/fairway
# make test         every test; the README's second command
# make demo         install what is missing, build, run the main job, draw it
# make bench        speeds, as ratios within one run
# make bench-exec   a policy in Python beside the built-in that it copies
# make bench-flow   the flow solver beside LEMON's network simplex
# make bench-calls  a million API calls over 1,000 nodes
# make deps         install what debian/control lists (needs root)
# make install PREFIX=/usr/local DESTDIR=
# make layers       the include directions of sim/ and policies/
#
# Variants each have a folder of their own under build/:
#   make CC=clang · make OPT=-O0 · make test SAN=address,undefined

CC      ?= cc
OPT     ?= -O2
SAN     ?=
PREFIX  ?= /usr/local
DESTDIR ?=
comma   := ,
VARIANT := $(notdir $(CC))$(OPT)$(if $(SAN),-$(subst $(comma),-,$(SAN)))
ifeq ($(origin CC)$(OPT)$(SAN),default-O2)
B       ?= build
else
B       ?= build/$(VARIANT)
endif

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
        -Wmissing-prototypes -Wvla -Wwrite-strings -Wformat=2 -Wundef
# -Werror is for developers; a packager's newer compiler must not break a build.
STRICT ?= -Werror

VERSION  := $(shell sed -n 's/^\#define FAIRWAY_VERSION "\(.*\)"/\1/p' sim/base/version.h)
CPPFLAGS_ALL = -D_POSIX_C_SOURCE=200809L -Isim -Ipolicies $(CPPFLAGS)
CFLAGS_ALL   = -std=c11 -g $(OPT) $(WARN) $(STRICT) -fno-common -ffp-contract=off \
               $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer) $(CFLAGS)
LDLIBS_ALL   = -lgsl -lgslcblas -lsqlite3 -lcsv -lyaml -ljansson -lexpat -lm $(LDLIBS)

# V=1 shows whole command lines.
Q   := $(if $(V),,@)
say  = $(if $(V),,@printf '  %-4s %s\n' $(1) $(2))

# A policy of its own folder is built by that folder's Makefile.
SRC  := $(filter-out policies/example/%,$(sort $(wildcard sim/*/*.c sim/*/*/*.c policies/*.c policies/*/*.c policies/*/*/*.c)))
OBJ  := $(SRC:%.c=$(B)/obj/%.o)
MAIN := $(B)/obj/sim/cmd/main.o
LIB  := $(filter-out $(MAIN),$(OBJ))

all: $(B)/fairway $(B)/fairway.1

include sim/base/embed.mk

$(B)/fairway: $(MAIN) $(B)/libfairway.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) $^ $(LDLIBS_ALL) -o $@

$(B)/fairway.1: $(B)/fairway debian/man.sh
	$(Q)sh debian/man.sh $(B)/fairway > $@

# One archive, so that a test links only what it uses.
$(B)/libfairway.a: $(LIB)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c $< -o $@

include tests/tests.mk

# ---- for people ----

DEMO_DB := results/demo.db

demo: deps
	@$(MAKE) --no-print-directory all
	@sh scenarios/demo/demo.sh $(B)/fairway $(DEMO_DB) results

deps:
	@sh debian/deps.sh

SHARE     := $(DESTDIR)$(PREFIX)/share/fairway
SCENARIOS := $(sort $(wildcard scenarios/*/))

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/scenarios $(SHARE)/traces $(SHARE)/python
	install -m 755 $(B)/fairway $(DESTDIR)$(PREFIX)/bin/fairway
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/site-functions
	install -m 644 $(B)/fairway.1 $(DESTDIR)$(PREFIX)/share/man/man1/fairway.1
	install -m 644 debian/fairway.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/fairway
	install -m 644 debian/_fairway $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_fairway
	install -m 644 scenarios/*.md $(SHARE)/scenarios
	for folder in $(SCENARIOS); do install -d $(SHARE)/$$folder && install -m 644 $$folder*.yaml $$folder*.md $(SHARE)/$$folder || exit 1; done
	install -d $(DESTDIR)$(PREFIX)/include/fairway
	install -m 644 policies/policy.h $(DESTDIR)$(PREFIX)/include/fairway
	cp -R traces/sample traces/forms traces/workflow traces/kube traces/multiqueue traces/profiles traces/engines $(SHARE)/traces/
	install -m 644 policies/python/*.py policies/PROTOCOL.md $(SHARE)/python

clean:
	rm -rf build

-include $(OBJ:.o=.d)
.PHONY: all demo deps install clean
.SECONDARY:
.DELETE_ON_ERROR:
