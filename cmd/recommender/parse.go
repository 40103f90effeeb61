package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"text/tabwriter"

	"github.com/alecthomas/kong"

	"github.com/infscale/infscale/promapi"
)

// ParseCmd shows what pages say.
type ParseCmd struct {
	Sources []string `arg:"" name:"page" help:"Pages of /metrics: files, http(s) URLs, or - for the standard input."`
	fetchFlags
	outputFlag
}

// Help explains the output.
func (c *ParseCmd) Help() string {
	return "One row for each page that can be read. Rates need two readings: see decide --state."
}

// Run prints a row for each good page, and every error.
func (c *ParseCmd) Run(ctx context.Context, k *kong.Context) error {
	pages, errs := c.readAll(ctx, c.Sources)
	if err := c.print(k.Stdout, newRows(pages)); err != nil {
		return err
	}
	return listed("pages cannot be read", errs)
}

func (c *ParseCmd) print(w io.Writer, rows []row) error {
	switch {
	case c.json():
		return printJSON(w, rows)
	case len(rows) == 0:
		return nil
	default:
		return printRows(w, rows)
	}
}

// A row is what is known of one page, or of a workload. What is unknown is nil.
type row struct {
	Source       string   `json:"source"`
	Engine       string   `json:"engine"`
	Running      *float64 `json:"running"`
	Waiting      *float64 `json:"waiting"`
	InFlight     *float64 `json:"in_flight"`
	KVCacheUsage *float64 `json:"kv_cache_usage"`
	OutputTokens *float64 `json:"output_tokens_per_second"`
	CPU          *float64 `json:"cpu_percent"`
}

// newRows returns what each page says by itself.
func newRows(pages []*promapi.Page) []row {
	names := make([]string, len(pages))
	for i, p := range pages {
		names[i] = p.Source
	}
	names = rowNames(names)
	rows := make([]row, len(pages))
	for i, p := range pages {
		rows[i] = row{
			Source: names[i], Engine: p.Engine, Running: known(p.Running), Waiting: known(p.Waiting),
			KVCacheUsage: known(p.KVCacheUsage),
		}
		rows[i].addInFlight()
	}
	return rows
}

// addInFlight fills in the sum, where both parts are known.
func (r *row) addInFlight() {
	if r.Running != nil && r.Waiting != nil {
		r.InFlight = new(*r.Running + *r.Waiting)
	}
}

const header = "SOURCE\tENGINE\tRUNNING\tWAITING\tIN-FLIGHT\tKV\tTOKENS/S\tCPU"

// printRows writes rows as a table under its header.
func printRows(w io.Writer, rows []row) error {
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprintln(t, header)
	for i := range rows {
		r := &rows[i]
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Source, r.Engine,
			cell(r.Running, -1, ""), cell(r.Waiting, -1, ""), cell(r.InFlight, -1, ""),
			cell(r.KVCacheUsage, 2, ""), cell(r.OutputTokens, 1, ""), cell(r.CPU, 0, "%"))
	}
	return t.Flush()
}

// cell writes a number with that many decimals, -1 for as many as it has. One of more digits
// than a column has space for is shortened.
func cell(v *float64, decimals int, unit string) string {
	switch {
	case v == nil:
		return "-"
	case math.Abs(*v) >= 1e15:
		return strconv.FormatFloat(*v, 'g', 4, 64) + unit
	}
	return strconv.FormatFloat(*v, 'f', decimals, 64) + unit
}
