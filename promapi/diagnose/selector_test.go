package diagnose

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/promapi/promapitest"
)

func TestTheLeastSetOfMatchersIsNamed(t *testing.T) {
	rows := []row{
		{promapi.MakeLabels("a", "1", "b", "2", "c", "3"), 1},
		{promapi.MakeLabels("a", "1", "b", "9", "c", "9"), 1},
	}
	for name, test := range map[string]struct{ selector, want string }{
		"one is wrong":                 {`{a="1", b="2", c="x"}`, `{c="x"}`},
		"two are wrong":                {`{a="1", b="x", c=~"y.*"}`, `{b="x", c=~"y.*"}`},
		"each is right of another row": {`{a="1", b="2", c="9"}`, `{c="9"}`},
		"all are wrong":                {`{a="x", b="y"}`, `{a="x", b="y"}`},
		"a negative one":               {`{a!="1"}`, `{a!="1"}`},
		"none is wrong":                {`{a="1", b="9"}`, ``},
	} {
		matchers, err := promapi.ParseMatchers(test.selector)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if dead, ok := explain(matchers, rows); ok {
			got = text(dead.matchers)
		}
		if got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}

func TestNearValuesComeFirst(t *testing.T) {
	list, meant := near("chta", []string{"embed", "chat", "chat", "code", "chat-eu", "", "rerank"})
	if want := []string{"chat", "chat-eu", "code", "embed"}; !meant || !slices.Equal(list, want) {
		t.Errorf("got %q (meant: %t), want %q", list, meant, want)
	}
	if list, meant := near("llama", []string{"zephyr-7b"}); meant || !slices.Equal(list, []string{"zephyr-7b"}) {
		t.Errorf("got %q (meant: %t), want the only one, not meant", list, meant)
	}
}

func TestACheckEndsWithItsContext(t *testing.T) {
	api := promapitest.New(t)
	api.Answer(promapitest.Any, promapitest.Vector().Hanging())
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	report, err := Run(ctx, clientOf(t, api.URL), Options{Workloads: []promapi.Workload{chat()}, Now: epoch})
	if err != nil || report.OK || len(report.Findings) != 1 || !strings.Contains(report.Findings[0].Found, "timeout") {
		t.Errorf("got %v, %s, want one timeout", err, show(report.Findings))
	}
}
