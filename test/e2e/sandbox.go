package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
)

// inside tells the second instance of this program that it is the one in the sandbox.
const inside = "INFSCALE_E2E_INSIDE"

// hosts are the names that the shipped manifests use for what runs on the loopback here.
const hosts = "127.0.0.1 localhost prometheus prometheus.monitoring prometheus.monitoring.svc" +
	" prometheus-operated.monitoring prometheus-operated.monitoring.svc" +
	" prometheus.monitoring.svc.cluster.local prometheus-operated.monitoring.svc.cluster.local\n"

// reenter runs this program again in namespaces of its own, with the same arguments, and
// waits for its end. It becomes the first process there, so the kernel ends all others with
// it. Users that are not root need unprivileged user namespaces.
func reenter(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "/proc/self/exe", os.Args[1:]...)
	cmd.Env = append(os.Environ(), inside+"=yes")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWNS,
		Pdeathsig:  syscall.SIGKILL,
		Setpgid:    true, // Ctrl-C reaches it once, from here.
	}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	err := cmd.Run()
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return err
}

// settle makes the namespaces usable: a loopback that is up, a /proc of its own processes,
// and an /etc/hosts with the names of the manifests.
func settle(ctx context.Context, dir string) error {
	file := filepath.Join(dir, "hosts")
	if err := os.WriteFile(file, []byte(hosts), 0o600); err != nil {
		return err
	}
	for _, m := range []struct {
		source, target, kind string
		flags                uintptr
	}{
		{"", "/", "", syscall.MS_REC | syscall.MS_PRIVATE},
		{"proc", "/proc", "proc", 0},
		{file, "/etc/hosts", "", syscall.MS_BIND},
	} {
		if err := syscall.Mount(m.source, m.target, m.kind, m.flags, ""); err != nil {
			return fmt.Errorf("mount on %s: %w", m.target, err)
		}
	}
	if out, err := exec.CommandContext(ctx, "ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		return fmt.Errorf("ip link set lo up: %w: %s", err, out)
	}
	return nil
}

// interruptible ends with the first SIGINT or SIGTERM.
func interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
}

// isExit is whether the error only says that a process ended with a status.
func isExit(err error) bool {
	_, ok := errors.AsType[*exec.ExitError](err)
	return ok
}
