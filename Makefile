# Everything a newcomer or a machine needs: `make demo` and `make test`.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
CARGO ?= cargo

PREFIX ?= /usr/local

.PHONY: demo build install uninstall test check core-test sanitizer-test test-all data-test readers-test docs bench bench-core bench-scaling bench-first-release bench-quality bench-text fuzz tools clean

demo: build ## build the program and run it on made-up patients
	$(TARGET)/release/throng demo

build:
	$(CARGO) build --release --locked -p throng-cli

# Where cargo puts what it builds.
TARGET = $$($(CARGO) metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
SHARE = $(DESTDIR)$(PREFIX)/share

install: build ## install program, manual pages and completions under PREFIX (default /usr/local)
	throng=$(TARGET)/release/throng; \
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(SHARE)/man/man1" "$(SHARE)/bash-completion/completions" \
	  "$(SHARE)/zsh/site-functions" "$(SHARE)/fish/vendor_completions.d"; \
	install -m 755 "$$throng" "$(DESTDIR)$(PREFIX)/bin/throng"; \
	"$$throng" man --list | while read -r page; do \
	  name="throng $$page"; name="$${name% }"; \
	  "$$throng" man $$page > "$(SHARE)/man/man1/$${name// /-}.1"; \
	done; \
	"$$throng" completions bash > "$(SHARE)/bash-completion/completions/throng"; \
	"$$throng" completions zsh > "$(SHARE)/zsh/site-functions/_throng"; \
	"$$throng" completions fish > "$(SHARE)/fish/vendor_completions.d/throng.fish"

uninstall: ## remove what `make install` installed
	rm -f "$(DESTDIR)$(PREFIX)/bin/throng" "$(SHARE)"/man/man1/throng.1 "$(SHARE)"/man/man1/throng-*.1 \
	  "$(SHARE)/bash-completion/completions/throng" "$(SHARE)/zsh/site-functions/_throng" \
	  "$(SHARE)/fish/vendor_completions.d/throng.fish"

test: tools check core-test sanitizer-test readers-test test-all data-test docs ## everything that must pass before a change lands

# Formatting, every lint as an error, and dependencies: unused ones, licences, sources. Modules that a macro
# declares are formatted by name: cargo fmt does not find them.
check:
	$(CARGO) fmt --all -- --check
	rustfmt --check --edition 2024 crates/terms/src/policy/models/*.rs crates/core/src/model/*.rs
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	$(CARGO) test --locked -p throng --test dependencies
	$(CARGO) deny --locked check bans licenses sources

# Vocabulary, verifier and core with debug assertions; no Arrow.
core-test:
	$(CARGO) test --locked -p throng-terms -p throng-verify -p throng-statistics -p throng-attack -p throng-ledger -p throng -p throng-arenas

# The only unsafe code, with AddressSanitizer. The flag is unstable, hence the variable; the runtime
# comes with every toolchain for this target.
SANITIZED = x86_64-unknown-linux-gnu
sanitizer-test:
	@if [ "$$(rustc -vV | sed -n 's/host: //p')" = $(SANITIZED) ]; then \
	  RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address \
	    $(CARGO) test --locked --lib --target $(SANITIZED) --target-dir "$(TARGET)/sanitizer" -p throng-arenas; \
	else echo "SKIPPED: 1 test needs AddressSanitizer on $(SANITIZED)"; fi

# Everything that needs Arrow, in the release profile, and the seeds of the fuzz targets, so that these
# cannot rot. Benchmarks are checked by clippy, and not built: that would compile the core once more.
test-all:
	$(CARGO) test --locked --release -p throng-text -p throng-documents -p throng-engine -p throng-cli
	$(CARGO) test --locked --manifest-path fuzz/Cargo.toml

# Tests that compare with a table that is not ours to ship.
data-test: ## the tests that need THRONG_DATA, a folder with adult/adult.csv
	@if [ -n "$${THRONG_DATA:-}" ]; then \
	  $(CARGO) test --locked --release -p throng-cli --test it -- --ignored adult::; \
	else \
	  echo "SKIPPED: $$(grep -rh '^#\[ignore = "needs THRONG_DATA"\]' crates | wc -l) tests need THRONG_DATA"; \
	fi

# What reads releases in other languages, with the cases that the core is tested with too. Where a language is not there,
# and could not be installed, that is said and not passed over.
readers-test:
	@if command -v python3 >/dev/null; then python3 readers/test.py; \
	else echo "!!! readers/throng.py WAS NOT TESTED: there is no python3 !!!" >&2; fi
	@if command -v Rscript >/dev/null; then Rscript --vanilla readers/test.R; \
	else echo "!!! readers/throng.R WAS NOT TESTED: there is no Rscript !!!" >&2; fi

fuzz: ## fuzz everything that reads what people write, a minute each
	for target in policy hierarchy hierarchy_spec certificate xml text text_row html rtf hl7 fhir; do fuzz/run $$target 60; done

docs:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --no-deps -p throng-terms -p throng-verify -p throng-text -p throng-statistics -p throng-attack -p throng-ledger -p throng -p throng-documents -p throng-engine

bench: build ## measure the figures of docs/performance.md again and write them there; ARGS="--only growth" for some
	python3 bench/performance.py --throng "$(TARGET)/release/throng" $(ARGS)

bench-core: ## Criterion's figures of single functions
	$(CARGO) bench --locked -p throng

bench-scaling: build ## CPU and memory of every command at 10^4 to 10^6 rows, beside polars; ARGS="--quick" for a few
	python3 bench/scaling.py --throng "$(TARGET)/release/throng" $(ARGS)

bench-first-release: build ## stars, loss, AUC and seconds of untouched first releases; see docs/first-release.md
	python3 bench/first_release.py --throng \
	  "$$($(CARGO) metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/release/throng" $(ARGS)

bench-quality: build ## loss against CPU time of every method that forms regions, as quality.md and quality.svg
	python3 bench/quality.py --throng \
	  "$$($(CARGO) metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/release/throng" $(ARGS)

bench-text: ## recall, precision and speed of free text for docs/text.md; ARGS="--quick --misses" for mistakes
	$(CARGO) run --locked --release -p throng-text --example bench -- $(ARGS)

# What the tests use and a bare Debian machine with Rust lacks.
tools:
	./.ci/tools

clean:
	$(CARGO) clean
