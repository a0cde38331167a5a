# make demo   look at the bundled realm with a debug build
# make test   everything that must hold before a change goes in
# make test-browser  walk through the pages of `browse` with Chromium; installs it and its driver
# make bench  measure on the bench realm, into docs/benchmarks.md
# make fuzz   look for inputs that break the tool, a minute for each kind of input;
#             SECONDS=3600 for more
# All install what they need first; with all of it in place they work offline.

PREFIX ?= /usr/local
DESTDIR ?=
SECONDS ?= 60
# Of the manual; changed with the version.
MANUAL_DATE = 2026-11-22

RELEASE = swift build -c release --static-swift-stdlib --product realm-cli
ifeq ($(shell uname),Darwin)
RELEASE = swift build -c release --product realm-cli
endif

.PHONY: demo test test-browser bench fuzz format completions man install needs

demo: needs
	Scripts/demo

test: needs
	Scripts/test $(MANUAL_DATE)

test-browser: needs
	Scripts/test-browser

bench:
	Scripts/bench

fuzz: needs
	FUZZ_SECONDS=$(SECONDS) Scripts/fuzz

format:
	swift format -i -r Sources Tests Package.swift

completions: needs
	Scripts/generate completions completions

man: needs
	Scripts/generate man docs/man $(MANUAL_DATE)

install: needs
	$(RELEASE)
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1"
	install -d "$(DESTDIR)$(PREFIX)/share/bash-completion/completions"
	install -d "$(DESTDIR)$(PREFIX)/share/zsh/site-functions"
	install -d "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"
	install -m 755 "$$($(RELEASE) --show-bin-path)/realm-cli" "$(DESTDIR)$(PREFIX)/bin/realm-cli"
	strip "$(DESTDIR)$(PREFIX)/bin/realm-cli"
	install -m 644 completions/realm-cli.bash \
	  "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/realm-cli"
	install -m 644 completions/_realm-cli "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_realm-cli"
	install -m 644 completions/realm-cli.fish \
	  "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/realm-cli.fish"
	install -m 644 docs/man/*.1 "$(DESTDIR)$(PREFIX)/share/man/man1/"

needs:
	@Scripts/install-needs
