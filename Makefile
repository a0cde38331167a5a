# make demo   show the main commands on small realms, with a debug build
# make test   everything that must hold before a change goes in
# make test-browser  walk through the pages of `browse` with Chromium; installs it and its driver
# make test-examples  build and run the packages in Examples
# make bench  measure on the bench realm, into docs/benchmarks.md
# make docs   build the documentation as a website into .build/docs/site; needs Python 3 and PyPI
# make fuzz   look for inputs that break the tool, a minute for each kind of input;
#             SECONDS=3600 for more
# make package   build the packages for Linux into dist/, the same bytes for the same commit
# make package-check   install, run and remove each of them (as root)
# All install what they need first; with all of it in place they work offline.

PREFIX ?= /usr/local
DESTDIR ?=
SECONDS ?= 60
# Of the manual; changed with the version.
MANUAL_DATE = 2026-11-22

.PHONY: demo test test-browser test-examples bench fuzz format completions man install package package-check needs

demo: needs
	Scripts/demo

test: needs
	Scripts/test $(MANUAL_DATE)

test-browser: needs
	Scripts/test-browser

test-examples: needs
	Scripts/test-examples

bench:
	Scripts/bench

fuzz: needs
	FUZZ_SECONDS=$(SECONDS) Scripts/fuzz

.PHONY: docs
docs: needs
	Scripts/docs

format:
	swift format -i -r Sources Tests Package.swift

completions: needs
	Scripts/generate completions completions

man: needs
	Scripts/generate man docs/man $(MANUAL_DATE)

install: needs
	tool=$$(Scripts/release) && Scripts/install-files "$$tool" "$(DESTDIR)$(PREFIX)"

package: needs
	Scripts/package

package-check:
	Scripts/package-check

needs:
	@Scripts/install-needs
