# The verbs of this repository. `make check` runs what CI runs; no Docker is needed.
# Tools are built from their own modules in tools/, so that go.mod stays what a user needs.

GO          ?= go
FUZZTIME    ?= 30s
BENCHTIME   ?= 1s

VERSION     ?= $(shell cat VERSION)
REVISION    := $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
# The commit's own date, not the build's, and neither branch nor tags: two builds of one commit are the same bytes.
BUILD_DATE  := $(shell TZ=UTC0 git log -1 --date=format-local:%Y%m%d-%H:%M:%S --format=%cd 2>/dev/null || echo unknown)

STAMP       := github.com/prometheus/common/version
LDFLAGS     := -s -w \
	-X $(STAMP).Version=$(VERSION) \
	-X $(STAMP).Revision=$(REVISION) \
	-X $(STAMP).Branch=HEAD \
	-X $(STAMP).BuildDate=$(BUILD_DATE)

GOLANGCI    := bin/tools/golangci-lint
PROMTOOL    := bin/tools/promtool
GOVULNCHECK := bin/tools/govulncheck

# Packages that start no goroutine and share nothing, and tests of whole processes, whose
# time is the wall clock's.
ALONE       := /(hpa|trace|plot|risk|rules|alerts|dashboards|draw|k8s|lint|generate|test/(cases|load|mutation|restart|security))$$

.DEFAULT_GOAL := help
.PHONY: build test race lint fmt fuzz soak mutation restarts load bench rules dashboards pictures manifests e2e check tidy vulncheck clean help

## build: the static production binary, bin/recommender
build:
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags '$(LDFLAGS)' -o bin/recommender ./cmd/recommender

## test: all unit tests
test:
	$(GO) test ./...

## race: the tests of what runs at once under the race detector, in random order, the longest shortened
race:
	$(GO) test -race -short -shuffle=on $$($(GO) list ./... | grep -vE '$(ALONE)')

## lint: golangci-lint with .golangci.yml
lint: $(GOLANGCI)
	$(GOLANGCI) run ./...

## fmt: rewrite the code as the linter wants it formatted
fmt: $(GOLANGCI)
	$(GOLANGCI) fmt ./...

## fuzz: every fuzz target for FUZZTIME (30s)
fuzz:
	@.ci/fuzz $(FUZZTIME)

## soak: ten minutes of faults against the daemon, seed after seed
soak:
	$(GO) test ./test/soak -run 'TestSoak$$' -v -timeout 0 -soak 10m

## mutation: break every rule of the decision once; a test must notice each (ten minutes)
mutation:
	$(GO) run ./test/mutation

## restarts: a daemon killed at any tick of 1,200 random histories (ten minutes)
restarts:
	INFSCALE_HISTORIES=1200 $(GO) test ./recommender/daemon -run 'TestKilledAtAnyTick' -v -timeout 0

## load: an hour of 1,000 workloads and 10,000 pods, compressed
load:
	$(GO) test ./test/load -run Load -hour -v -timeout 0

## bench: all benchmarks, a tick of 1,000 workloads, and the calibration of the risk (on INFSCALE_TRACES)
bench:
	$(GO) test -run '^$$' -bench . -skip '^Benchmark(Tick|Calibration)$$' -benchmem -benchtime $(BENCHTIME) ./...
	$(GO) test -run '^$$' -bench '^BenchmarkCalibration$$' -benchtime 1x -timeout 60m ./recommender/risk
	$(GO) test -run '^$$' -bench '^BenchmarkTick$$' -benchtime 3x -timeout 30m ./promapi

## rules: check and unit-test the recording rules and alerts
rules: $(PROMTOOL)
	$(PROMTOOL) check rules --lint=all --lint-fatal rules/*.rules.yaml alerts/*.rules.yaml
	$(PROMTOOL) test rules rules/tests/*.yaml alerts/tests/*.yaml

## dashboards: render the committed dashboards from their Go data
dashboards:
	$(GO) test ./dashboards -run TestRendering -update

## e2e: KEDA and the HPA on a real control plane follow the daemon (builds Kubernetes; see test/e2e)
e2e:
	cd test/e2e && $(GO) build -o ../../bin/e2e . && ../../bin/e2e

## pictures: draw the dashboards over a simulated day into dist/
pictures:
	mkdir -p dist
	$(GO) test ./dashboards/draw -draw $(CURDIR)/dist

## manifests: render the PrometheusRules of deploy/k8s from rules and alerts
manifests:
	$(GO) test ./deploy/k8s -run TestRendering -update

## tidy: fail if go.mod could be tidier
tidy:
	$(GO) mod tidy -diff

## vulncheck: known vulnerabilities in what the production binary links (needs the network)
vulncheck: $(GOVULNCHECK)
	$(GOVULNCHECK) ./cmd/recommender

## check: everything CI does
check:
	.ci/run

## clean: remove what the other verbs built
clean:
	rm -rf bin dist coverage.out

## help: this list
help:
	@sed -n 's/^## //p' $(firstword $(MAKEFILE_LIST)) | awk -F': ' '{printf "  %-11s %s\n", $$1, $$2}'

$(GOLANGCI): tools/golangci-lint/go.mod
	$(GO) build -modfile=$< -o $@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

# remove_all_sd leaves out the service discoveries, which no rule test needs and which are
# most of the compile time.
$(PROMTOOL): tools/promtool/go.mod
	$(GO) build -modfile=$< -tags remove_all_sd -o $@ github.com/prometheus/prometheus/cmd/promtool

$(GOVULNCHECK): tools/govulncheck/go.mod
	$(GO) build -modfile=$< -o $@ golang.org/x/vuln/cmd/govulncheck
