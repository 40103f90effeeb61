package generate

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/infscale/infscale/alerts"
	"github.com/infscale/infscale/dashboards"
	"github.com/infscale/infscale/rules"
)

// A Format says who reads rules, alerts and dashboards.
type Format string

// The formats.
const (
	Plain      Format = "plain"      // Prometheus and Grafana, as files
	Kubernetes Format = "kubernetes" // the Prometheus operator and Grafana's sidecar, as objects
)

// Rules returns the recording rules, one file a subject.
func Rules(format Format) ([]File, error) { return ruleFiles(rules.Files, "rules", format) }

// Alerts returns the alerts, one file a subject.
func Alerts(format Format) ([]File, error) { return ruleFiles(alerts.Files, "alerts", format) }

// ruleFiles returns the rule files of a folder. An object takes them as they are, comments
// included, one level deeper.
func ruleFiles(folder fs.FS, what string, format Format) ([]File, error) {
	names, err := fs.Glob(folder, "*.rules.yaml")
	if err != nil {
		return nil, err
	}
	files := make([]File, len(names))
	for i, name := range names {
		data, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		subject := strings.TrimSuffix(path.Base(name), ".rules.yaml")
		files[i] = File{Name: what + "-" + subject + ".rules.yaml", Data: data}
		if format == Kubernetes {
			files[i] = File{
				Name: what + "-" + dashed(subject) + ".prometheusrule.yaml",
				Data: append(head("monitoring.coreos.com/v1", "PrometheusRule", what+"-"+dashed(subject), "", "spec:\n"), indent(data, 2)...),
			}
		}
	}
	return files, nil
}

// dashed makes a name of Kubernetes of a name of a file.
func dashed(name string) string { return strings.ReplaceAll(name, "_", "-") }

// head returns the start of an object of infscale, up to what is its own.
func head(version, kind, name, labels, rest string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "apiVersion: %s\nkind: %s\nmetadata:\n  name: infscale-%s\n  labels:\n", version, kind, name)
	fmt.Fprintf(&b, "    app.kubernetes.io/name: infscale\n    app.kubernetes.io/component: recommender\n%s%s", labels, rest)
	return b.Bytes()
}

// Dashboards returns the dashboards. An object is a ConfigMap with the label by which Grafana's
// sidecar finds dashboards.
func Dashboards(format Format) ([]File, error) {
	all := dashboards.All()
	files := make([]File, len(all))
	for i, d := range all {
		data, err := d.JSON()
		if err != nil {
			return nil, fmt.Errorf("dashboard %s: %w", d.Name, err)
		}
		files[i] = File{Name: "dashboard-" + d.Name + ".json", Data: data}
		if format == Kubernetes {
			rest := "data:\n  " + d.Name + ".json: |\n"
			files[i] = File{
				Name: "dashboard-" + d.Name + ".configmap.yaml",
				Data: append(head("v1", "ConfigMap", "dashboard-"+d.Name, "    grafana_dashboard: \"1\"\n", rest), indent(data, 4)...),
			}
		}
	}
	return files, nil
}
