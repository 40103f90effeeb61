package k8s_test

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// The types hold the fields that the manifests use and no others. Decoding is strict, so
// that a misspelt field, which a cluster would drop in silence, fails here.

// A text is a field that the API declares as a string. Plain YAML may say 1 or true
// there, which YAML readers in Go quietly take and an API server refuses.
type text string

// UnmarshalYAML takes strings only.
func (s *text) UnmarshalYAML(n *yaml.Node) error {
	if n.Tag != "!!str" {
		return fmt.Errorf("line %d: got %s as %s, want a string: quote it", n.Line, n.Value, n.Tag)
	}
	*s = text(n.Value)
	return nil
}

type texts map[string]text

// show prints a field that may be missing.
func show(n *int) string {
	if n == nil {
		return "no"
	}
	return strconv.Itoa(*n)
}

type object struct {
	APIVersion string   `yaml:"apiVersion"`
	Kind       string   `yaml:"kind"`
	Metadata   metadata `yaml:"metadata"`
}

// head returns what every kind has.
func (o *object) head() *object { return o }

type metadata struct {
	Name         string `yaml:"name"`
	GenerateName string `yaml:"generateName"`
	Namespace    string `yaml:"namespace"`
	Labels       texts  `yaml:"labels"`
	Annotations  texts  `yaml:"annotations"`
}

type selector struct {
	MatchLabels      texts `yaml:"matchLabels"`
	MatchExpressions []struct {
		Key      string `yaml:"key"`
		Operator string `yaml:"operator"`
		Values   []text `yaml:"values"`
	} `yaml:"matchExpressions"`
}

type namespace struct {
	object `yaml:",inline"`
}

type configMap struct {
	object `yaml:",inline"`
	Data   texts `yaml:"data"`
}

type serviceAccount struct {
	object     `yaml:",inline"`
	MountToken *bool `yaml:"automountServiceAccountToken"`
}

type service struct {
	object `yaml:",inline"`
	Spec   struct {
		Selector texts `yaml:"selector"`
		Ports    []struct {
			Name       string `yaml:"name"`
			Port       int    `yaml:"port"`
			TargetPort string `yaml:"targetPort"`
		} `yaml:"ports"`
	} `yaml:"spec"`
}

type deployment struct {
	object `yaml:",inline"`
	Spec   struct {
		Replicas *int `yaml:"replicas"`
		Deadline int  `yaml:"progressDeadlineSeconds"`
		Strategy struct {
			Type          string         `yaml:"type"`
			RollingUpdate map[string]int `yaml:"rollingUpdate"`
		} `yaml:"strategy"`
		Selector selector `yaml:"selector"`
		Template template `yaml:"template"`
	} `yaml:"spec"`
}

func (d *deployment) pods() (*template, *selector) { return &d.Spec.Template, &d.Spec.Selector }

type daemonSet struct {
	object `yaml:",inline"`
	Spec   struct {
		Selector selector `yaml:"selector"`
		Update   struct {
			Type          string            `yaml:"type"`
			RollingUpdate map[string]string `yaml:"rollingUpdate"`
		} `yaml:"updateStrategy"`
		Template template `yaml:"template"`
	} `yaml:"spec"`
}

func (d *daemonSet) pods() (*template, *selector) { return &d.Spec.Template, &d.Spec.Selector }

type job struct {
	object `yaml:",inline"`
	Spec   struct {
		Retries int `yaml:"backoffLimit"`
		KeepFor int `yaml:"ttlSecondsAfterFinished"`
		// A Job makes its own selector if it has none.
		Selector *selector `yaml:"selector"`
		Template template  `yaml:"template"`
	} `yaml:"spec"`
}

func (j *job) pods() (*template, *selector) { return &j.Spec.Template, j.Spec.Selector }

type persistentVolumeClaim struct {
	object `yaml:",inline"`
	Spec   struct {
		StorageClass string   `yaml:"storageClassName"`
		Modes        []string `yaml:"accessModes"`
		Resources    struct {
			Requests map[string]string `yaml:"requests"`
		} `yaml:"resources"`
	} `yaml:"spec"`
}

type podDisruptionBudget struct {
	object `yaml:",inline"`
	Spec   struct {
		MaxUnavailable int      `yaml:"maxUnavailable"`
		Selector       selector `yaml:"selector"`
	} `yaml:"spec"`
}

type networkPolicy struct {
	object `yaml:",inline"`
	Spec   struct {
		Pods    selector `yaml:"podSelector"`
		Types   []string `yaml:"policyTypes"`
		Ingress []struct {
			From  []peer       `yaml:"from"`
			Ports []policyPort `yaml:"ports"`
		} `yaml:"ingress"`
		Egress []struct {
			To    []peer       `yaml:"to"`
			Ports []policyPort `yaml:"ports"`
		} `yaml:"egress"`
	} `yaml:"spec"`
}

type peer struct {
	Namespaces *selector `yaml:"namespaceSelector"`
	Pods       *selector `yaml:"podSelector"`
}

type policyPort struct {
	Protocol string `yaml:"protocol"`
	Port     string `yaml:"port"`
}

type horizontalPodAutoscaler struct {
	object `yaml:",inline"`
	Spec   struct {
		Target  scaleTarget `yaml:"scaleTargetRef"`
		Min     int         `yaml:"minReplicas"`
		Max     int         `yaml:"maxReplicas"`
		Metrics []struct {
			Type     string `yaml:"type"`
			External struct {
				Metric struct {
					Name     string   `yaml:"name"`
					Selector selector `yaml:"selector"`
				} `yaml:"metric"`
				Target struct {
					Type         string `yaml:"type"`
					AverageValue text   `yaml:"averageValue"`
				} `yaml:"target"`
			} `yaml:"external"`
		} `yaml:"metrics"`
		Behavior behavior `yaml:"behavior"`
	} `yaml:"spec"`
}

type scaleTarget struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Name       string `yaml:"name"`
}

type behavior struct {
	Up   *scalingRules `yaml:"scaleUp"`
	Down *scalingRules `yaml:"scaleDown"`
}

type scalingRules struct {
	Window    *int `yaml:"stabilizationWindowSeconds"`
	Tolerance text `yaml:"tolerance"`
	Policies  []struct {
		Type   string `yaml:"type"`
		Value  int    `yaml:"value"`
		Period int    `yaml:"periodSeconds"`
	} `yaml:"policies"`
	Select string `yaml:"selectPolicy"`
}
