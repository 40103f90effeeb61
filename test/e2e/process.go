package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"
)

// patience is how long a process may take to end after it was asked to.
const patience = 10 * time.Second

// A process is one program that runs.
type process struct {
	name  string
	cmd   *exec.Cmd
	log   string
	ended chan struct{}
	// expected is set before it is stopped: any other end fails the run.
	expected bool
}

// A crew is all processes of a run, in the order of their start.
type crew struct {
	bin  func(name string) string
	logs string
	env  []string
	// fail ends the run.
	fail context.CancelCauseFunc

	mu      sync.Mutex
	members []*process
}

// start runs a program under a name, which must be free.
func (c *crew) start(name, program string, args ...string) (*process, error) {
	p := &process{name: name, log: filepath.Join(c.logs, name+".log"), ended: make(chan struct{})}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	// Not CommandContext: what runs is stopped in order, not all at once.
	p.cmd = exec.Command(c.bin(program), args...) //nolint:noctx // See above.
	p.cmd.Env = append(os.Environ(), c.env...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.members = append(c.members, p)
	go c.watch(p)
	return p, nil
}

// watch waits for the end of p, which fails the run unless it was wanted.
func (c *crew) watch(p *process) {
	err := p.cmd.Wait()
	c.mu.Lock()
	expected := p.expected
	c.mu.Unlock()
	if !expected {
		c.fail(fmt.Errorf("%s ended by itself: %w, see %s", p.name, cmp.Or(err, fmt.Errorf("status 0")), p.log))
	}
	close(p.ended)
}

// stop ends p with a signal, and with SIGKILL if that takes too long.
func (c *crew) stop(p *process, with syscall.Signal) {
	c.mu.Lock()
	p.expected = true
	c.mu.Unlock()
	_ = p.cmd.Process.Signal(with) // It may have ended already.
	select {
	case <-p.ended:
	case <-time.After(patience):
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
}

// stopAll ends what still runs, the youngest first.
func (c *crew) stopAll() {
	c.mu.Lock()
	members := slices.Clone(c.members)
	c.mu.Unlock()
	for _, p := range slices.Backward(members) {
		c.stop(p, syscall.SIGTERM)
	}
}

// A usage is what one program took, over all its processes.
type usage struct {
	name string
	peak int64 // Resident memory, in bytes.
	cpu  time.Duration
}

// usages are those of the processes that ended.
func (c *crew) usages() []usage {
	var all []usage
	for _, p := range c.members {
		state := p.cmd.ProcessState
		rusage, ok := state.SysUsage().(*syscall.Rusage)
		if !ok {
			continue
		}
		i := slices.IndexFunc(all, func(u usage) bool { return u.name == p.name })
		if i < 0 {
			i = len(all)
			all = append(all, usage{name: p.name})
		}
		all[i].peak = max(all[i].peak, rusage.Maxrss<<10)
		all[i].cpu += state.SystemTime() + state.UserTime()
	}
	return all
}
