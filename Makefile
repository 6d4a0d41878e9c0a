# `make help` says what each target does; the words stand behind ## where the target is.

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

# Where it tunes for any x86-64, gcc clears and copies a struct of some 100 bytes and more by `rep stos` and `rep movs`,
# which take longer to begin than the rest; other compilers do not know the option, nor need it.
BY_VECTOR := $(foreach f,memcpy memset,-m$f-strategy=vector_loop:512:noalign$(comma)libcall:-1:noalign)
BY_VECTOR := $(shell $(CC) $(BY_VECTOR) -E -xc /dev/null >/dev/null 2>&1 && echo '$(BY_VECTOR)')

VERSION  := $(shell sed -n 's/^\#define FAIRWAY_VERSION "\(.*\)"/\1/p' sim/base/version.h)
CPPFLAGS_ALL = -D_POSIX_C_SOURCE=200809L -Isim -Ipolicies $(CPPFLAGS)
# Hidden and -fPIC, so that the program and the library are of the same objects.
CFLAGS_ALL   = -std=c11 -g $(OPT) $(WARN) $(STRICT) -fno-common -ffp-contract=off -fPIC -fvisibility=hidden $(BY_VECTOR) \
               $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer) $(CFLAGS)
LDLIBS_ALL   = -lgsl -lgslcblas -lglpk -lsqlite3 -lcsv -lyaml -ljansson -lexpat -lm $(LDLIBS)

# V=1 shows whole command lines.
Q   := $(if $(V),,@)
say  = $(if $(V),,@printf '  %-4s %s\n' $(1) $(2))

# A policy of its own folder is built by that folder's Makefile.
SRC  := $(filter-out policies/example/%,$(sort $(wildcard sim/*/*.c sim/*/*/*.c sim/*/*/*/*.c policies/*.c policies/*/*.c policies/*/*/*.c)))
OBJ  := $(SRC:%.c=$(B)/obj/%.o)
MAIN := $(B)/obj/sim/cmd/main.o
LIB  := $(filter-out $(MAIN),$(OBJ))

# What policies outside of the tree are built with, in the places where `make install` puts it below PREFIX.
KIT   := $(B)/lib/libfairway-policy.a $(B)/include/fairway
KIT_D := $(patsubst %,policies/lib/%,place sched elastic)
KIT_H := $(filter-out policies/builtin.h,$(sort $(wildcard policies/*.h policies/lib/*.h $(KIT_D:%=%/*.h))))
KIT_C := policies/lib/pages.c $(sort $(wildcard $(KIT_D:%=%/*.c)))

# Its number is FAIRWAY_API of fairway.h.
SONAME := libfairway.so.0

PAGES := $(B)/fairway.1 $(B)/fairway-scenario.5 $(B)/fairway-policy.7

all: $(B)/fairway $(B)/$(SONAME) $(PAGES) $(KIT) $(if $(SAN),,$(B)/python/module)  ## the program, build/fairway, the library, and the manual page

help:                                   ## this list
	@sed -n 's/^\([a-z-]*\):.*[^#]## *\(.*\)/\1|\2/p' Makefile tests/tests.mk | awk -F'|' '{ printf "make %-14s %s\n", $$1, $$2 }'
	@echo
	@echo 'Variants, each in a folder of its own under build/: CC=clang, OPT=-O0, SAN=address,undefined.'
	@echo 'A part of the tests: TESTS="unit/model cli/test_run". Whole command lines: V=1.'

include sim/base/embed.mk

$(B)/fairway: $(MAIN) $(B)/libfairway.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) $^ $(LDLIBS_ALL) -o $@

$(B)/$(SONAME): $(filter-out $(B)/obj/sim/cmd/%,$(LIB))
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) $(if $(SAN),,-Wl$(comma)-z$(comma)defs) $^ $(LDLIBS_ALL) -o $@

# Python's module in C, for the python3 that is there; without that or its headers policies in Python do without it.
PYTHON3 ?= python3
$(B)/python/module: python/_fairway.c Makefile
	@mkdir -p $(@D)
	$(call say,LD,$(@D)/_fairway)
	$(Q)set -- $$($(PYTHON3) -c 'import sysconfig as s; print(s.get_path("include"), s.get_config_var("EXT_SUFFIX"))'); \
	    [ -f "$$1/Python.h" ] || { echo "  skipped: no Python.h of a python3"; exit 0; }; rm -f $(@D)/_fairway.*; \
	    $(CC) $(CPPFLAGS) $(CFLAGS_ALL) $(LDFLAGS) -shared -isystem $$1 $< -o $(@D)/_fairway$$2 && echo _fairway$$2 >$@

$(B)/fairway.1: $(B)/fairway debian/man.sh
	$(Q)sh debian/man.sh $(B)/fairway > $@

$(B)/fairway-scenario.5: scenarios/REFERENCE.md debian/page.sh Makefile
	$(Q)sh debian/page.sh fairway-scenario 5 'a scenario: one question asked of the simulator' $(VERSION) $< \
	    '.BR fairway (1), .BR fairway\-policy (7)' >$@

$(B)/fairway-policy.7: policies/README.md debian/page.sh Makefile
	$(Q)sh debian/page.sh fairway-policy 7 'what a scheduling policy sees, may do, and which there are' $(VERSION) $< \
	    '.BR fairway (1), .BR fairway\-scenario (5)' >$@

# One archive, so that a test links only what it uses.
$(B)/libfairway.a: $(LIB)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c $< -o $@

$(B)/lib/libfairway-policy.a: $(KIT_C:%.c=$(B)/pic/%.o)
	@mkdir -p $(@D)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# Never with a sanitizer: it ends up in shared objects that are built without.
$(B)/pic/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(CPPFLAGS_ALL) -std=c11 -g -O2 $(WARN) $(STRICT) -ffp-contract=off -fPIC -fvisibility=hidden -MMD -MP -c $< -o $@

$(B)/include/fairway:
	$(Q)mkdir -p $(@D) && ln -sfn $(CURDIR)/policies $@

include tests/tests.mk

# ---- for people ----

DEMO_DB := results/demo.db

demo: deps                              ## install what is missing, build, run the main job, draw it
	@$(MAKE) --no-print-directory all
	@sh scenarios/demo/demo.sh $(B)/fairway $(DEMO_DB) results

predict: all                            ## waits predicted from the first halves of public traces (a quarter of an hour)
	@sh scenarios/public-traces/predict.sh $(B)/fairway results/predict

deps:                                   ## install what debian/control lists (needs root)
	@sh debian/deps.sh

SHARE     := $(DESTDIR)$(PREFIX)/share
LIBDIR    ?= $(PREFIX)/lib
ZSHDIR    ?= $(PREFIX)/share/zsh/site-functions
# What lies beside scenarios comes with them: queries, tables, configurations.
SCENARIOS := $(sort $(wildcard $(foreach e,yaml sql csv,scenarios/*/*.$e scenarios/*/*/*.$e)))
# The package, which pip installs from there, and policies that import it from beside them.
PYTHON    := $(sort $(foreach e,*.py *.c *.toml *.ipynb fairway/*.py fairway/py.typed,$(wildcard python/$e)))
# Documents keep their paths, for messages and the documents themselves name each other so.
DOCS      := $(sort $(wildcard *.md $(foreach d,scenarios traces policies python results plots sim tests,$d/*.md $d/*/*.md $d/*/*/*.md)))

install: all                            ## the program, its manual, scenarios and documents, under PREFIX=/usr/local
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(LIBDIR) $(SHARE)/fairway/traces
	install -m 755 $(B)/fairway $(DESTDIR)$(PREFIX)/bin/fairway
	for p in $(PAGES); do install -D -m 644 $$p $(SHARE)/man/man$${p##*.}/$${p##*/} || exit 1; done
	install -D -m 644 debian/fairway.bash $(SHARE)/bash-completion/completions/fairway
	install -D -m 644 debian/_fairway $(DESTDIR)$(ZSHDIR)/_fairway
	install -D -m 644 $(B)/lib/libfairway-policy.a $(DESTDIR)$(PREFIX)/lib/libfairway-policy.a
	install -m 644 $(B)/$(SONAME) $(DESTDIR)$(LIBDIR)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libfairway.so
	install -D -m 644 sim/library/fairway.h $(DESTDIR)$(PREFIX)/include/fairway.h
	sed 's|@PREFIX@|$(PREFIX)|;s|@LIBDIR@|$(LIBDIR)|;s|@VERSION@|$(VERSION)|' sim/library/fairway.pc.in >$(B)/fairway.pc
	install -D -m 644 $(B)/fairway.pc $(DESTDIR)$(LIBDIR)/pkgconfig/fairway.pc
	for f in $(KIT_H:policies/%=%); do install -D -m 644 policies/$$f $(DESTDIR)$(PREFIX)/include/fairway/$$f || exit 1; done
	for f in $(PYTHON); do install -D -m 644 $$f $(SHARE)/fairway/$$f || exit 1; done
	cp -R $(patsubst %/,%,$(wildcard traces/*/)) $(SHARE)/fairway/traces
	for f in $(SCENARIOS); do install -D -m 644 $$f $(SHARE)/fairway/$$f || exit 1; done
	for f in $(DOCS) plots/demo-bars.svg tests/perf/profile.svg; do install -D -m 644 $$f $(SHARE)/doc/fairway/$$f || exit 1; done

# ---- for those who change it ----

# Lines alone: no configuration leaves tables and aligned columns as they are (CONTRIBUTING.md).
BASE ?= HEAD
format:                                 ## clang-format over the lines changed since BASE=HEAD
	@git clang-format --force --extensions c,h $(BASE)

format-check:                           ## what format would change; status 1 if anything
	@git clang-format --diff --extensions c,h $(BASE) | awk '/^diff /{ n = 1 } 1; END { exit n }'

DIST := build/fairway-$(VERSION).tar.xz
dist:                                   ## the sources as committed, build/fairway-VERSION.tar.xz; every time the same bytes
	@mkdir -p build
	git -c tar.umask=0022 archive --prefix=fairway-$(VERSION)/ -o $(DIST:.xz=) HEAD
	xz -f -6 -T1 $(DIST:.xz=)

deb: dist                               ## the Debian package of these sources, in build/deb/
	rm -rf build/deb && mkdir build/deb && tar -xf $(DIST) -C build/deb
	cd build/deb/fairway-$(VERSION) && env -u MAKEFLAGS -u MFLAGS dpkg-buildpackage -us -uc -b

clean:                                  ## remove build/ and every variant in it
	rm -rf build

-include $(OBJ:.o=.d) $(KIT_C:%.c=$(B)/pic/%.d)
.PHONY: all help demo deps install format format-check dist deb clean
.SECONDARY:
.DELETE_ON_ERROR:
