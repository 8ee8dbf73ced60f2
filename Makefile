# What a contributor runs. PYTHON is the interpreter of an environment with the extras `test` and `dev`.
PYTHON ?= python3
FREE_THREADED ?= python3.14t

.PHONY: build debug html lint types test stress bench clean

build:  ## compile the modules beside their sources
	$(PYTHON) setup.py -q build_ext --inplace

debug:  ## the same with bounds checks and line tracing
	SPM_LITE_DEBUG=1 $(PYTHON) setup.py -q build_ext --inplace --force

html:  ## what Cython made of each line, in build/cython/**/*.html: a hot loop must be white
	SPM_LITE_HTML=1 $(PYTHON) setup.py -q build_ext --inplace --force

lint:
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	cython-lint spm_lite

types: build  ## the stubs are strict, and they say what the compiled modules have
	$(PYTHON) -m mypy --strict
	$(PYTHON) -m mypy --strict tests/dropin/every_method.py
	$(PYTHON) -m mypy.stubtest spm_lite --ignore-disjoint-bases \
		--mypy-config-file pyproject.toml --allowlist tools/stubtest-allowlist.txt

test:  ## of the installed package: run `pip install '.[test]'` first, or `make build` and PYTHONPATH=.
	$(PYTHON) -m pytest

stress:  ## every test on many threads at once, without the GIL; needs the extra `stress` in that Python
	PYTHON_GIL=0 $(FREE_THREADED) -m pytest --parallel-threads=8 --iterations=2

bench:
	for case in tools/bench/*.py; do $(PYTHON) $$case || exit 1; done

clean:
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find spm_lite \( -name '*.so' -o -name '*.pyd' -o -name '*.cpp' -o -name '*.html' \) -delete
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
