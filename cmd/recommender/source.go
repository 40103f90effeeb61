package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// maxPage bounds a page in bytes after decompression. Pages of the largest servers
// have some hundred kilobytes.
const maxPage = 16 << 20

// stdin as a source.
const stdin = "-"

// fetchFlags are embedded by the commands that read pages.
type fetchFlags struct {
	Timeout span `default:"10s" placeholder:"DURATION" help:"How long one page may take, where the source is a URL [${default}]."`
}

// read returns the text of a page: a file, an http or https URL, or the standard input.
func (f *fetchFlags) read(ctx context.Context, source string) ([]byte, error) {
	if isURL(source) {
		return fetch(ctx, source, time.Duration(f.Timeout))
	}
	if source == stdin {
		return readPage(os.Stdin, place(source))
	}
	file, err := os.Open(source)
	if err != nil {
		return nil, plainPath(source, err)
	}
	defer file.Close()
	return readPage(file, place(source))
}

// plainPath says the place as every other error of a source does, and what happened.
func plainPath(source string, err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		err = e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		err = e.Err
	}
	return fmt.Errorf("%s: %w", place(source), err)
}

// fetch reads a page from a URL. No error has more of the URL than its place.
func fetch(ctx context.Context, source string, timeout time.Duration) ([]byte, error) {
	where := place(source)
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no answer within %v", timeout))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, source, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: not a URL", where)
	}
	req.Header.Set("Accept", "text/plain;version=0.0.4;q=1,*/*;q=0.1")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, reached(ctx, err))
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: status %s", where, resp.Status)
	}
	page, err := readPage(resp.Body, where)
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("%s: %w", where, context.Cause(ctx))
	}
	return page, err
}

// reached says why a server was not: without the URL, which the error of the client repeats.
func reached(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

func readPage(r io.Reader, where string) ([]byte, error) {
	page, err := io.ReadAll(io.LimitReader(r, maxPage+1))
	switch {
	case err != nil:
		return nil, plainPath(where, err)
	case len(page) > maxPage:
		return nil, fmt.Errorf("%s: larger than %d MiB, which no page of metrics is", where, maxPage>>20)
	}
	return page, nil
}

func isURL(source string) bool {
	scheme, _, ok := strings.Cut(source, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// place names a source in messages: a path as it was given, a URL without user,
// password and query, where secrets are.
func place(source string) string {
	switch {
	case source == stdin:
		return "stdin"
	case !isURL(source):
		return source
	}
	u, err := url.Parse(source)
	if err != nil {
		scheme, _, _ := strings.Cut(source, "://")
		return scheme + "://..."
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// rowNames names sources in a table: files by their last element where that tells them apart.
func rowNames(sources []string) []string {
	names := make([]string, len(sources))
	seen := map[string]int{}
	for i, source := range sources {
		names[i] = place(source)
		if !isURL(source) {
			names[i] = filepath.Base(names[i])
		}
		seen[names[i]]++
	}
	for i, source := range sources {
		if seen[names[i]] > 1 {
			names[i] = place(source)
		}
	}
	return names
}
