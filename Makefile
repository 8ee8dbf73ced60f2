# What a contributor runs. PYTHON is the interpreter of an environment with the extras `test` and `dev`.
PYTHON ?= python3
FREE_THREADED ?= python3.14t
PEERS_PYTHON ?= $(PYTHON)

# The sanitized build is not the one beside the sources. Its libraries come first in every process it is loaded into.
# CPython itself leaks at exit, so leaks say nothing; its own allocator would hide the blocks from the sanitizers.
SANITIZED = build/sanitize
MINUTES ?= 20
RUNS ?= 5000
GCC ?= gcc
COVERAGE = $(CURDIR)/$(SANITIZED)/libcoverage.so
PRELOAD = $(foreach lib,asan ubsan stdc++,$(shell $(GCC) -print-file-name=lib$(lib).so)) $(COVERAGE)
UNDER_SANITIZERS = env -u PYTHONHOME LD_PRELOAD="$(PRELOAD)" PYTHONMALLOC=malloc PYTHONPATH=$(CURDIR)/$(SANITIZED) \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 SPM_LITE_COVERAGE=$(COVERAGE)

.PHONY: build debug html docs pages lint types test slow stress sanitized sanitize \
	fuzz-load fuzz-encode fuzz-formats fuzz-own fuzz-files bench bench-all clean

build:  ## compile the modules beside their sources
	$(PYTHON) setup.py -q build_ext --inplace

debug:  ## the same with bounds checks and line tracing
	SPM_LITE_DEBUG=1 $(PYTHON) setup.py -q build_ext --inplace --force

html:  ## what Cython made of each line, in build/cython/**/*.html: a hot loop must be white
	SPM_LITE_HTML=1 $(PYTHON) setup.py -q build_ext --inplace --force

docs: build  ## the pages in build/docs; `make pages` first, if their generated parts are not current
	PYTHONPATH=$(CURDIR) $(PYTHON) -m sphinx -W -q docs build/docs

pages: build  ## the generated parts of the pages, and their pictures; with a Python older than 3.13
	PYTHONPATH=$(CURDIR) $(PYTHON) -m cogapp -r -I tools/generate docs/*.md docs/reference/*.md
	PYTHONPATH=$(CURDIR) $(PYTHON) tools/generate/pictures.py

lint:
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	cython-lint spm_lite

types: build  ## the stubs are strict, and they say what the compiled modules have
	$(PYTHON) -m mypy --strict
	$(PYTHON) -m mypy --strict tests/sentencepiece/whole/every_method.py
	$(PYTHON) -m mypy.stubtest spm_lite --ignore-disjoint-bases \
		--mypy-config-file pyproject.toml --allowlist tools/stubtest-allowlist.txt

test:  ## of the installed package: run `pip install '.[test]'` first, or `make build` and PYTHONPATH=.
	$(PYTHON) -m pytest

slow:  ## the tests that `make test` leaves out
	$(PYTHON) -m pytest -m slow

stress:  ## every test on many threads at once, without the GIL; needs the extra `stress` in that Python
	PYTHON_GIL=0 $(FREE_THREADED) -m pytest -m "" --parallel-threads=8

sanitized: $(COVERAGE)  ## the package in build/sanitize, with gcc's AddressSanitizer and UndefinedBehaviorSanitizer; never shipped
	SPM_LITE_SANITIZE=1 CC=$(GCC) $(PYTHON) setup.py -q build --build-lib $(SANITIZED) --build-temp build/sanitize-objects

$(COVERAGE): tools/fuzz/coverage.c
	mkdir -p $(SANITIZED)
	$(GCC) -O2 -Wall -shared -fPIC -o $@ $<

sanitize: sanitized  ## the suite under both, run where `import spm_lite` finds that build; every report ends it
	cd $(SANITIZED) && $(UNDER_SANITIZERS) $(PYTHON) -m pytest -c $(CURDIR)/pyproject.toml -m "not long_input" $(CURDIR)/tests

fuzz-load fuzz-encode fuzz-formats fuzz-own: fuzz-%: sanitized  ## MINUTES of CPU time; findings are in build/fuzz/findings-*
	$(UNDER_SANITIZERS) $(PYTHON) tools/fuzz/make_seeds.py build/fuzz
	$(UNDER_SANITIZERS) $(PYTHON) tools/fuzz/run.py $* build/fuzz --minutes $(MINUTES)

fuzz-files: build  ## RUNS damaged files of texts of each kind; findings are in build/fuzz/findings-*
	PYTHONPATH=$(CURDIR) $(PYTHON) tools/fuzz/make_seeds.py build/fuzz
	for kind in arrow parquet csv jsonl gz bz2 xz zst; do \
		PYTHONPATH=$(CURDIR) $(PYTHON) tools/fuzz/run.py $$kind build/fuzz --runs $(RUNS) || exit 1; done

bench: build  ## encoding, decoding and loading against sentencepiece, some 10 minutes; figures in build/bench/result.json
	PYTHONPATH=$(CURDIR) $(PYTHON) tools/bench/speed $(BENCH)

bench-all: build  ## the same, and every peer that PEERS_PYTHON has
	PYTHONPATH=$(CURDIR) $(PYTHON) tools/bench/speed --peers --peers-python $(PEERS_PYTHON) $(BENCH)

clean:
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find spm_lite \( -name '*.so' -o -name '*.pyd' -o -name '*.cpp' -o -name '*.html' \) -delete
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
