# rolecall. "make" builds build/rolecall; "make check" does all that CI does but the live tests.
#
#   DEV=1                  more warnings, and each is an error
#   SAN=address,undefined  with these sanitizers, in a build folder of its own
#   CC=clang-14            gcc 12 and clang 14 are both kept clean
#   ONLY=tests/unit/crd    only these unit tests
#   SEEDS=n SEED=k EVERY=n how many seeds "make sim" runs; the one it replays; of the requests after which it crashes, each n-th
#   BENCH="--quick"        options of hack/bench/bench.py

ifeq ($(origin CC),default)
CC := gcc
endif
comma := ,
OUT := build/$(notdir $(CC))$(if $(DEV),-dev)$(if $(SAN),-$(subst $(comma),-,$(SAN)))

warnings := -Wall -Wextra
ifdef DEV
warnings += -Wshadow -Wswitch-enum -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 -Wwrite-strings -Werror
endif
ifdef SAN
hardening := -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer
else
hardening := -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection
endif
CFLAGS ?= -O2 -g
compile := $(CC) -std=c11 -D_GNU_SOURCE -I. -Ibuild/gen $(warnings) $(CFLAGS) $(hardening) \
	-fPIE -ffunction-sections -fdata-sections -MMD -MP
link := $(CC) $(CFLAGS) $(hardening) $(LDFLAGS) -pie -Wl,-z,relro,-z,now -Wl,--gc-sections -Wl,--as-needed
libraries := -lcurl -lssl -lcrypto -lwslay -lcjson -lyaml -lpthread

# The layers, lowest first. Each is an archive, so that a unit test is linked with its own layer and those below only.
sources = $(sort $(shell find $(1) -name '*.c' 2>/dev/null))
objects = $(patsubst %.c,$(OUT)/%.o,$(1))
crd_sources := $(call sources,crd)
reconcile_sources := $(call sources,reconcile)
controller_sources := $(filter-out controller/main.c,$(call sources,controller))
main_sources := $(wildcard controller/main.c)
sim_sources := $(call sources,tests/sim)
kubesim_sources := $(filter-out %_test.c,$(call sources,tests/kubesim))
case_sources := $(call sources,tests/cases)
unit_sources := $(filter $(or $(ONLY),tests/unit)%,$(filter %_test.c,$(call sources,tests/unit)))
unit_scripts := $(filter $(or $(ONLY),tests/)%,$(shell find tests/unit tests/history -name '*_test.py' 2>/dev/null))
# Programs that scripts of "make unit" start.
unit_tool_sources := $(filter $(or $(ONLY),tests/unit)%,$(wildcard tests/unit/kubesim/echo.c))
unit_tool_programs := $(if $(filter tests/unit/bench/%,$(unit_scripts)),$(OUT)/rolecall $(OUT)/kubesim)
all_sources := $(crd_sources) $(reconcile_sources) $(controller_sources) $(main_sources) $(sim_sources) \
	$(kubesim_sources) $(case_sources) $(unit_sources) $(unit_tool_sources)

# Highest first, as the linker wants them.
crd_libs := $(OUT)/crd.a
reconcile_libs := $(OUT)/reconcile.a $(crd_libs)
controller_libs := $(OUT)/controller.a $(reconcile_libs)
# The stand-in for an API server is a layer of the tests. These parts of the simulation are its own, too; what they ask of
# the rest of the simulation is answered by tests/kubesim/world.c.
shared_sources := $(patsubst %,tests/sim/%.c,api api_path api_write bounds box clock etcd kube kubelet refusal rules \
	rules_custom seat selector tree)
kubesim_libs := $(OUT)/shared.a $(controller_libs)
unit_programs := $(patsubst %.c,$(OUT)/%,$(unit_sources))
unit_tools := $(patsubst %.c,$(OUT)/%,$(unit_tool_sources)) $(unit_tool_programs)

# Of a program whose sources are not there, say so instead of failing.
programs := $(if $(main_sources),rolecall)
published = $(if $(SAN),,@ln -f $(OUT)/$(1) build/$(1))

.PHONY: all unit launcher cli cases sim kubesim standin bench live mutants verify layers size lint check gen clean
.DELETE_ON_ERROR:
.SECONDARY:

all: $(programs:%=$(OUT)/%)
	$(if $(programs),$(call published,rolecall),@echo "no program: controller/main.c is not there")

$(OUT)/rolecall: $(call objects,$(main_sources)) $(controller_libs)
	$(link) -Wl,--export-dynamic-symbol=_gnutls_global_init_skip -o $@ $^ $(libraries)
$(OUT)/sim: $(call objects,$(sim_sources)) $(controller_libs)
	$(link) -o $@ $^ $(libraries)
$(OUT)/kubesim: $(call objects,$(kubesim_sources)) $(kubesim_libs)
	$(link) -o $@ $^ $(libraries) -lnghttp2
$(OUT)/cases: $(call objects,$(case_sources)) $(controller_libs)
	$(link) -o $@ $^ $(libraries)
$(OUT)/tests/unit/crd/%: $(OUT)/tests/unit/crd/%.o $(crd_libs)
	$(link) -o $@ $^ $(libraries) -lcmocka
$(OUT)/tests/unit/reconcile/%: $(OUT)/tests/unit/reconcile/%.o $(reconcile_libs)
	$(link) -o $@ $^ $(libraries) -lcmocka
$(OUT)/tests/unit/controller/%: $(OUT)/tests/unit/controller/%.o $(controller_libs)
	$(link) -o $@ $^ $(libraries) -lcmocka

$(OUT)/tests/unit/kubesim/%: $(OUT)/tests/unit/kubesim/%.o $(OUT)/kubesim.a $(kubesim_libs)
	$(link) -o $@ $^ $(libraries) -lnghttp2 -lcmocka

$(OUT)/crd.a: $(call objects,$(crd_sources))
$(OUT)/reconcile.a: $(call objects,$(reconcile_sources))
$(OUT)/controller.a: $(call objects,$(controller_sources))
$(OUT)/shared.a: $(call objects,$(shared_sources))
$(OUT)/kubesim.a: $(call objects,$(filter-out tests/kubesim/main.c,$(kubesim_sources)))
$(OUT)/%.a:
	@mkdir -p $(@D)
	@rm -f $@
	@$(AR) rcs $@ $^

$(OUT)/%.o: %.c | build/gen/launcher_text.h
	@mkdir -p $(@D)
	$(compile) -c -o $@ $<

# The launcher goes out with every exec: without its comments. "?" is escaped because C11 has trigraphs.
launcher_script := $(wildcard controller/exec/launcher.sh)
build/gen/launcher_text.h: $(launcher_script)
	@mkdir -p $(@D)
	@{ echo '/* Generated from controller/exec/launcher.sh; do not edit. */'; \
	   echo 'static const char launcher_text[] ='; \
	   sed -e '/^[[:space:]]*#/d' -e '/^[[:space:]]*$$/d' -e 's/[\\"?]/\\&/g' -e 's/.*/	"&\\n"/' \
	       $(launcher_script) </dev/null; \
	   echo '	"";'; } >$@

unit: $(unit_programs) $(unit_tools)
	@OUT=$(OUT) hack/unit.sh $(unit_programs) $(unit_scripts)

# The commands as a user runs them, those that the README tells of, and that it tells of them all.
cli: $(OUT)/rolecall $(OUT)/kubesim
	@OUT=$(OUT) ROLECALL=$(OUT)/rolecall KUBESIM=$(OUT)/kubesim hack/unit.sh $(wildcard tests/cli/*_test.py tests/readme/*_test.py)

# The text that runs in members, under three shells: minutes, not seconds.
launcher:
	@hack/unit.sh $(wildcard tests/launcher/launcher_test.sh)

cases: $(if $(case_sources),$(OUT)/cases)
	$(if $(case_sources),$(call published,cases),@echo "no cases: tests/cases has no program")
	@$(if $(case_sources),$(OUT)/cases,echo "0 passed, 0 failed, 0 skipped")

sim: $(if $(sim_sources),$(OUT)/sim)
	$(if $(sim_sources),$(call published,sim),@echo "no simulation: tests/sim has no program")
	$(if $(sim_sources),@$(OUT)/sim $(SEEDS:%=SEEDS=%) $(SEED:%=SEED=%) $(EVERY:%=EVERY=%))

kubesim: $(if $(filter tests/kubesim/main.c,$(kubesim_sources)),$(OUT)/kubesim)
	$(if $^,$(call published,kubesim),@echo "no stand-in: tests/kubesim/main.c is not there")

# The stand-in as its users meet it: kubectl, the conversation recorded with a real API server, every switch.
standin: all kubesim
	@OUT=$(OUT) hack/unit.sh $(wildcard tests/kubesim/*_test.py)

# Takes a quarter of an hour, and a quiet machine. BENCH="--quick", or whatever hack/bench/bench.py --help lists.
bench: all kubesim
	@hack/bench/bench.py $(BENCH)

live: all
	@if [ -x tests/live/run.sh ]; then tests/live/run.sh; \
	else echo "no live tests"; echo "0 passed, 0 failed, 0 skipped"; fi

# Builds and runs more than a thousand times, for a quarter of an hour: not part of "make check".
mutants:
	@hack/mutants.py

gen:
	hack/crdgen.py

# What is generated and committed is what the schemas say. Works on a copy, so that it changes nothing.
verify:
	@rm -rf build/verify && mkdir -p build/verify
	@cp -R crd build/verify/ && hack/crdgen.py build/verify/crd
	@diff -ru crd/gen build/verify/crd/gen || { echo "verify: crd/gen is not up to date: run make gen"; exit 1; }
	@echo "verify: crd/gen is what the schemas say"

layers: $(OUT)/reconcile.a $(OUT)/crd.a
	@hack/layers.sh $(OUT)

size:
	@hack/size.sh

lint: build/gen/launcher_text.h
	@hack/banned.sh
	@hack/lint.sh

check:
	@hack/check.sh

clean:
	rm -rf build

-include $(patsubst %.o,%.d,$(call objects,$(all_sources)))
