package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/alecthomas/kong"

	"github.com/infscale/infscale/deploy/generate"
	"github.com/infscale/infscale/recommender/config"
)

// GenerateCmd is the group of commands that print what stands beside infscale.
type GenerateCmd struct {
	KEDA       GenerateKEDACmd       `cmd:"" name:"keda" help:"KEDA ScaledObjects that follow the recommendations."`
	HPA        GenerateHPACmd        `cmd:"" name:"hpa" help:"HorizontalPodAutoscalers that follow the recommendations, and the rule for prometheus-adapter as a comment, or as a file of its own."`
	Rules      GenerateRulesCmd      `cmd:"" help:"The recording rules, the same for every configuration."`
	Alerts     GenerateAlertsCmd     `cmd:"" help:"The alerts, the same for every configuration."`
	Dashboards GenerateDashboardsCmd `cmd:"" help:"The Grafana dashboards, the same for every configuration."`
}

// A destination is where files go.
type destination struct {
	OutputDir string `placeholder:"DIR" help:"Write files here, and their names to the standard output, instead of one stream."`
}

// put writes files.
func (d *destination) put(k *kong.Context, files []generate.File) error {
	if d.OutputDir == "" {
		return generate.Print(k.Stdout, files)
	}
	if err := os.MkdirAll(d.OutputDir, 0o755); err != nil {
		return plainPath(d.OutputDir, err)
	}
	for _, f := range files {
		name := filepath.Join(d.OutputDir, f.Name)
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			return plainPath(name, err)
		}
		fmt.Fprintln(k.Stdout, name)
	}
	return nil
}

// followFlags say what is to follow which recommendations.
type followFlags struct {
	ConfigFile string   `name:"config.file" default:"infscale.yaml" placeholder:"FILE" help:"The configuration with the workloads [${default}], or - for the standard input."`
	Workload   []string `placeholder:"NAMESPACE/NAME" help:"Only this workload; repeatable."`
	destination
}

// run renders what follows the workloads of a configuration. Files that it names, such as
// certificates, need not be here.
func (f *followFlags) run(k *kong.Context, server string,
	render func(*config.Config, generate.Options) ([]generate.File, error),
) error {
	c, err := (&CheckConfigCmd{File: f.ConfigFile}).read()
	if err != nil {
		return refuse(listed("mistakes", parts(err)))
	}
	files, err := render(c, generate.Options{Workloads: f.Workload, ServerAddress: server})
	if err != nil {
		return refuse(err)
	}
	return f.put(k, files)
}

// GenerateKEDACmd prints ScaledObjects.
type GenerateKEDACmd struct {
	followFlags
	ServerAddress string `placeholder:"URL" help:"Where KEDA reaches Prometheus, if not where infscale does."`
}

// Run prints a ScaledObject for each workload.
func (c *GenerateKEDACmd) Run(k *kong.Context) error { return c.run(k, c.ServerAddress, generate.KEDA) }

// GenerateHPACmd prints HorizontalPodAutoscalers.
type GenerateHPACmd struct{ followFlags }

// Help says where the rule of the adapter goes.
func (*GenerateHPACmd) Help() string {
	return `The stream is objects only, for kubectl apply -f -. The rule for prometheus-adapter is no object: it
comes behind them as a comment, and with --output-dir as the file prometheus-adapter.yaml.`
}

// Run prints a HorizontalPodAutoscaler for each workload.
func (c *GenerateHPACmd) Run(k *kong.Context) error { return c.run(k, "", generate.HPA) }

// artefactFlags say for whom rules, alerts and dashboards are.
type artefactFlags struct {
	Format string `default:"plain" enum:"plain,kubernetes" help:"Files for Prometheus and Grafana, or objects for their operators: ${enum}."`
	destination
}

// Help says why there is no --config.file.
func (*artefactFlags) Help() string {
	return `They are the same for every configuration, so none is asked for: the workloads are labels of the
series. There is no --config.file; keda and hpa have one.`
}

func (f *artefactFlags) run(k *kong.Context, render func(generate.Format) ([]generate.File, error)) error {
	files, err := render(generate.Format(f.Format))
	if err != nil {
		return err
	}
	return f.put(k, files)
}

// GenerateRulesCmd prints the recording rules.
type GenerateRulesCmd struct{ artefactFlags }

// Run prints the recording rules.
func (c *GenerateRulesCmd) Run(k *kong.Context) error { return c.run(k, generate.Rules) }

// GenerateAlertsCmd prints the alerts.
type GenerateAlertsCmd struct{ artefactFlags }

// Run prints the alerts.
func (c *GenerateAlertsCmd) Run(k *kong.Context) error { return c.run(k, generate.Alerts) }

// GenerateDashboardsCmd prints the dashboards.
type GenerateDashboardsCmd struct{ artefactFlags }

// Run prints the dashboards.
func (c *GenerateDashboardsCmd) Run(k *kong.Context) error { return c.run(k, generate.Dashboards) }
