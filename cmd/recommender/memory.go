package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/config"
)

// memoryVersion is the format of the file of --state.
const memoryVersion = 2

// A memory is what decide keeps in a file between two runs.
type memory struct {
	Version int               `json:"version"`
	Origin  origin            `json:"origin"`
	State   recommender.State `json:"state"`
	// Pages are the counters of each page that was read, by source.
	Pages map[string]snapshot `json:"pages,omitempty"`
}

// An origin is what a memory was made from. What another workload or other signals
// asked for says nothing about these.
type origin struct {
	// Of is NAMESPACE/NAME, or the word pages.
	Of string `json:"of"`
	// Signals are those decided on, each as SIGNAL:TARGET.
	Signals string `json:"signals"`
}

func newOrigin(of string, p *recommender.Policy) origin { return origin{of, signalText(p)} }

func (o origin) String() string { return o.Of + " on " + o.Signals }

// recall reads the memory of a file. Without a file, and where there is none yet, the
// past was quiet. One that cannot be continued is refused.
func recall(file string, from origin, now time.Time) (memory, error) {
	fresh := memory{Version: memoryVersion, State: recommender.Quiet(now), Origin: from}
	if file == "" {
		return fresh, nil
	}
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fresh, nil
	case err == nil && !info.Mode().IsRegular():
		return memory{}, refuse(fmt.Errorf("%s: is not a regular file", file))
	}
	text, err := config.ReadFile(file)
	if err != nil {
		return memory{}, refuse(err)
	}
	m, err := parseMemory(text)
	if err != nil {
		return memory{}, refuse(fmt.Errorf("%s: %w: move it away to start anew", file, err))
	}
	if m.Origin != from {
		return memory{}, refuse(fmt.Errorf("%s: is of %v, and this run decides on %v: name another file", file, m.Origin, from))
	}
	if m.State.Time.After(now) {
		return memory{}, refuse(fmt.Errorf("%s: is from %s, after this run's %s",
			file, m.State.Time.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339)))
	}
	return m, nil
}

func parseMemory(text []byte) (memory, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var m memory
	if err := dec.Decode(&m); err != nil {
		return memory{}, fmt.Errorf("is not a state that decide wrote: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return memory{}, errors.New("is not a state that decide wrote: more follows after it")
	}
	if m.Version != memoryVersion || m.State.Time.IsZero() {
		return memory{}, fmt.Errorf("is not a state that decide wrote: want version %d, got %d", memoryVersion, m.Version)
	}
	return m, nil
}

// keep writes m to a file, whole or not at all. Without a file it is forgotten.
func (m *memory) keep(file string) error {
	if file == "" {
		return nil
	}
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := replaceFile(file, append(text, '\n')); err != nil {
		return plainPath(file, err)
	}
	return nil
}

// replaceFile writes beside the file and renames, so that a reader and a crash see the
// old text or the new. Where a link stands, what it points to is replaced.
func replaceFile(file string, text []byte) (err error) {
	file = linked(file)
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if info, err := os.Stat(file); err == nil {
		if err := f.Chmod(info.Mode().Perm()); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}

// linked follows symbolic links to the file at their end, which may not exist yet.
func linked(file string) string {
	const most = 40 // as in the kernel
	for range most {
		to, err := os.Readlink(file)
		if err != nil {
			return file
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(file), to)
		}
		file = to
	}
	return file
}
