package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/template"
	"time"
)

// manifests are the objects and configurations of this test; those it proves are in deploy.
//
//go:embed manifests
var manifests embed.FS

// fill renders one of the manifests.
func fill(name string, data any) ([]byte, error) {
	t, err := template.New(name).Option("missingkey=error").
		Funcs(template.FuncMap{"base64": base64.StdEncoding.EncodeToString}).
		ParseFS(manifests, "manifests/"+name)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// render writes one of the manifests into a file.
func (p *plane) render(name, file string, data any) error {
	content, err := fill(name, data)
	if err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o600)
}

// apply gives one of the manifests to kubectl.
func (p *plane) apply(ctx context.Context, name string, data any) error {
	content, err := fill(name, data)
	if err != nil {
		return err
	}
	return p.applyText(ctx, content)
}

func (p *plane) applyText(ctx context.Context, content []byte) error {
	_, err := p.kubectlOn(ctx, content, "apply", "-f", "-")
	return err
}

// kubectl runs it for what it does.
func (p *plane) kubectl(ctx context.Context, args ...string) error {
	_, err := p.kubectlOn(ctx, nil, args...)
	return err
}

// kubectlOn runs kubectl on an input and returns its output.
func (p *plane) kubectlOn(ctx context.Context, input []byte, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, p.cache.program("kubectl"), args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+p.path("kubeconfig"), "HOME="+p.dir)
	cmd.Stdin = bytes.NewReader(input)
	var out, diagnostics bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &diagnostics
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(diagnostics.Bytes()))
	}
	return out.String(), nil
}

// await asks until ok, and fails with the last answer when it takes too long.
func (p *plane) await(ctx context.Context, what string, within time.Duration, ok func(context.Context) error) error {
	begun := time.Now()
	if err := poll(ctx, within, ok); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	p.log.say("%s ready after %.1f s", what, time.Since(begun).Seconds())
	return nil
}

// poll asks five times a second until ok.
func poll(ctx context.Context, within time.Duration, ok func(context.Context) error) error {
	waiting, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := ok(waiting)
		if err == nil {
			return nil
		}
		select {
		case <-ticker.C:
		case <-waiting.Done():
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return fmt.Errorf("not within %v: %w", within, err)
		}
	}
}

// shipped is a file or folder of the repository's manifests.
func shipped(repo string, parts ...string) string {
	return filepath.Join(append([]string{repo, "deploy", "k8s"}, parts...)...)
}
