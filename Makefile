# The front door. Meson builds (meson.build); the scripts named here do the rest.
BUILD  = build
HARD   = build-hard
PREFIX = /usr/local
SETUP  = --buildtype=release --prefix=$(PREFIX) -Dtests=disabled

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@meson setup $(BUILD) $(SETUP)

deps:
	@tools/deps.sh user

deps-hard:
	@tools/deps.sh user hard

demo: deps
	@$(MAKE) --no-print-directory all
	@tools/demo.sh $(BUILD)

# The first time the build is configured again, with tests. What CI runs is test-all.
test test-all test-every: deps
	@[ $@ = test ] || tools/deps.sh count cc
	@[ -e $(BUILD)/build.ninja ] || meson setup $(BUILD) $(SETUP)
	@meson introspect $(BUILD) --tests | grep -q name || meson configure $(BUILD) -Dtests=enabled
	@ninja -C $(BUILD)
	@test/run $(patsubst test-%,--%,$(filter test-%,$@)) $(BUILD)

# Every shipped program on every machine; in `make test` each runs on one or two.
test-programs: deps
	@$(MAKE) --no-print-directory all
	@CORUN_PROGRAMS=all test/run --every --only programs $(BUILD)

mutants: deps
	@test/mutants/run

# What `corun cc` compiles; `make test` has it, too, where clang is.
test-cc: deps
	@tools/deps.sh cc
	@$(MAKE) --no-print-directory all
	@test/run --every --only cc $(BUILD)

# Real CUDA programs by NVIDIA's compiler; says skipped where it is not.
test-cuda: deps
	@$(MAKE) --no-print-directory all
	@test/run --only nvcc $(BUILD)

test-html: deps
	@tools/deps.sh html
	@$(MAKE) --no-print-directory all
	@test/run --only html $(BUILD)

# A real Slurm on this machine, started and stopped; needs root, else it says skipped.
test-slurm: deps
	@[ "$$(id -u)" != 0 ] || tools/deps.sh slurm
	@$(MAKE) --no-print-directory all
	@test/slurm/slurm.py $(BUILD)

hard: deps-hard
	@$(MAKE) --no-print-directory all
	@tools/hard.sh $(HARD) $(BUILD)

bench: deps
	@$(MAKE) --no-print-directory all
	@bench/bench.py $(BUILD)/corun

# Compares host instructions per warp instruction with bench/counts.json; needs valgrind.
bench-counts: deps
	@tools/deps.sh count
	@$(MAKE) --no-print-directory all
	@bench/counts.py $(BUILD) $(ARGS)

# Does a file write what another part of the SM owns?
check-parts: deps
	@tools/parts

fidelity: deps
	@$(MAKE) --no-print-directory all
	@python3 test/fidelity/fidelity.py $(BUILD) --markdown docs/fidelity.md

ptx:
	@workloads/make_ptx.sh

# Each program alone; what is unchanged since the last time is kept. ONLY=NAME: only that one.
programs: all
	@workloads/measure.py $(addprefix --only ,$(ONLY)) $(BUILD)
	@ninja -C $(BUILD)
	@tools/docs.sh $(BUILD)/corun

# The papers' sweeps: hours; it goes on where it was cut. ONLY=NAME: experiments/sweeps/NAME.yaml.
experiments: all
	@experiments/run $(addprefix --only ,$(ONLY)) $(BUILD)
	@tools/docs.sh $(BUILD)/corun

docs: all
	@tools/docs.sh $(BUILD)/corun

install: all
	@meson configure $(BUILD) --prefix=$(abspath $(PREFIX))
	@DESTDIR=$(abspath $(DESTDIR)) meson install --quiet -C $(BUILD)

# The Debian package, into $(BUILD)/deb.
deb: deps
	@tools/deps.sh deb
	@tools/deb.sh $(BUILD)

test-deb: deb
	@BUILD=$(abspath $(BUILD)) bats test/package/deb.bats

clean:
	@rm -rf $(BUILD) $(HARD) build-test-*

help:
	@sed -n 's/^    make/make/p' docs/building.md

.PHONY: all deps deps-hard demo test test-all test-every test-cc test-cuda test-html test-slurm \
    test-programs mutants hard bench bench-counts check-parts fidelity ptx programs experiments \
    docs install deb test-deb clean help
