# Entry points. Meson builds (meson.build); scripts do everything else.
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

# The build with the programs of the tests; `make` alone leaves them out.
with-tests: $(BUILD)/build.ninja
	@meson introspect $(BUILD) --tests | grep -q name || meson configure $(BUILD) -Dtests=enabled
	@ninja -C $(BUILD)

# CI runs test-all.
test test-all test-every: deps
	@[ $@ = test ] || tools/deps.sh count cc
	@$(MAKE) --no-print-directory with-tests
	@test/run $(patsubst test-%,--%,$(filter test-%,$@)) $(BUILD)

# Every shipped program on every machine; `make test` runs each program on one or two machines.
test-programs: deps
	@$(MAKE) --no-print-directory with-tests
	@CORUN_PROGRAMS=all test/run --every --only programs $(BUILD)

# Results on several threads against stored results of one thread: every row, hours.
test-threads: deps
	@$(MAKE) --no-print-directory all
	@test/same/threads.py $(BUILD) --all

mutants: deps
	@test/mutants/run

# Device code compiled by `corun cc`; part of `make test`, too, if clang is installed.
test-cc: deps
	@tools/deps.sh cc
	@$(MAKE) --no-print-directory with-tests
	@test/run --every --only cc $(BUILD)

# Real CUDA programs compiled by NVIDIA's compiler; skipped if nvcc is not installed.
test-cuda: deps
	@$(MAKE) --no-print-directory with-tests
	@test/run --only nvcc $(BUILD)

test-html: deps
	@tools/deps.sh html
	@$(MAKE) --no-print-directory with-tests
	@test/run --only html $(BUILD)

# Starts and stops a real Slurm on the local machine; needs root, otherwise skipped.
test-slurm: deps
	@[ "$$(id -u)" != 0 ] || tools/deps.sh slurm
	@$(MAKE) --no-print-directory with-tests
	@test/slurm/slurm.py $(BUILD)

hard: deps-hard
	@$(MAKE) --no-print-directory with-tests
	@tools/hard.sh $(HARD) $(BUILD)

bench: deps
	@$(MAKE) --no-print-directory all
	@bench/bench.py $(BUILD)/corun

# Compares host instructions per warp instruction with bench/counts.json; needs valgrind.
bench-counts: deps
	@tools/deps.sh count
	@$(MAKE) --no-print-directory all
	@bench/counts.py $(BUILD) $(ARGS)

# Checks that no file writes state owned by another part of the SM.
check-parts: deps
	@tools/parts

fidelity: deps
	@$(MAKE) --no-print-directory all
	@python3 test/fidelity/fidelity.py $(BUILD) --markdown docs/explanation/fidelity.md

# Simulates the public figures of real GPUs in test/silicon/public.csv. ONLY=NAME: one machine.
silicon: all
	@test/silicon/silicon.py $(addprefix --only ,$(ONLY)) $(BUILD)
	@test/silicon/curves.py $(addprefix --only ,$(ONLY)) $(BUILD)
	@tools/docs.sh $(BUILD)/corun

# Simulates the measured pairs of kernels in test/silicon/shared.csv. ONLY=ID: one pair.
corun-silicon: all
	@test/silicon/corun.py $(addprefix --only ,$(ONLY)) $(BUILD)
	@tools/docs.sh $(BUILD)/corun

ptx:
	@workloads/make_ptx.sh

# Measures each program alone; keeps the figures of unchanged programs. ONLY=NAME: one program.
programs: all
	@workloads/measure.py $(addprefix --only ,$(ONLY)) $(BUILD)
	@ninja -C $(BUILD)
	@tools/docs.sh $(BUILD)/corun

# The papers' sweeps: takes hours; resumes after an interruption. ONLY=NAME: only
# experiments/sweeps/NAME.yaml; ONLY=paper002: only the sweeps of paper 002.
experiments: all
	@experiments/run $(addprefix --only ,$(ONLY)) $(BUILD)
	@tools/docs.sh $(BUILD)/corun

docs: all
	@tools/docs.sh $(BUILD)/corun

install: all
	@meson configure $(BUILD) --prefix=$(abspath $(PREFIX))
	@DESTDIR=$(abspath $(DESTDIR)) meson install --quiet -C $(BUILD)

# Removes the files that `make install` with the same PREFIX and DESTDIR has installed.
uninstall: all
	@tools/uninstall.sh $(BUILD) $(abspath $(PREFIX)) $(abspath $(DESTDIR))

# The tree at HEAD as $(BUILD)/corun-VERSION.tar.xz.
dist:
	@tools/dist.sh $(BUILD)

# Builds the Debian package in $(BUILD)/deb.
deb: deps
	@tools/deps.sh deb
	@tools/deb.sh $(BUILD)

test-deb: deb all
	@BUILD=$(abspath $(BUILD)) bats test/package/deb.bats

clean:
	@rm -rf $(BUILD) $(HARD) build-test-*

help:
	@sed -n 's/^    make/make/p' docs/how-to/building.md

.PHONY: all with-tests deps deps-hard demo test test-all test-every test-cc test-cuda test-html \
        test-slurm \
    test-programs test-threads mutants hard bench bench-counts check-parts fidelity silicon \
    corun-silicon ptx programs experiments docs install uninstall dist deb test-deb clean help
