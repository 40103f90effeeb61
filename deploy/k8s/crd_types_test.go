package k8s_test

import "go.yaml.in/yaml/v3"

// Custom resources, as their projects declare them: prometheus-operator v0.95, KEDA v2.21,
// its HTTP add-on v0.15, KServe v0.20, Karpenter v1.

type serviceMonitor struct {
	object `yaml:",inline"`
	Spec   struct {
		Selector  selector   `yaml:"selector"`
		Endpoints []endpoint `yaml:"endpoints"`
	} `yaml:"spec"`
}

type podMonitor struct {
	object `yaml:",inline"`
	Spec   struct {
		Namespaces struct {
			Names []string `yaml:"matchNames"`
		} `yaml:"namespaceSelector"`
		Selector  selector   `yaml:"selector"`
		Endpoints []endpoint `yaml:"podMetricsEndpoints"`
	} `yaml:"spec"`
}

type endpoint struct {
	Port     string `yaml:"port"`
	Path     string `yaml:"path"`
	Interval string `yaml:"interval"`
	Timeout  string `yaml:"scrapeTimeout"`
}

type prometheusRule struct {
	object `yaml:",inline"`
	Spec   struct {
		Groups []struct {
			Name     string `yaml:"name"`
			Interval string `yaml:"interval"`
			Offset   string `yaml:"query_offset"`
			Limit    int    `yaml:"limit"`
			Labels   texts  `yaml:"labels"`
			Rules    []struct {
				Record      string `yaml:"record"`
				Alert       string `yaml:"alert"`
				Expr        string `yaml:"expr"`
				For         string `yaml:"for"`
				KeepFiring  string `yaml:"keep_firing_for"`
				Labels      texts  `yaml:"labels"`
				Annotations texts  `yaml:"annotations"`
			} `yaml:"rules"`
		} `yaml:"groups"`
	} `yaml:"spec"`
}

type scaledObject struct {
	object `yaml:",inline"`
	Spec   struct {
		Target   scaleTarget `yaml:"scaleTargetRef"`
		Min      *int        `yaml:"minReplicaCount"`
		Max      int         `yaml:"maxReplicaCount"`
		Polling  int         `yaml:"pollingInterval"`
		Cooldown *int        `yaml:"cooldownPeriod"`
		Fallback struct {
			Threshold int    `yaml:"failureThreshold"`
			Replicas  int    `yaml:"replicas"`
			Behavior  string `yaml:"behavior"`
		} `yaml:"fallback"`
		Advanced struct {
			HPA struct {
				Behavior behavior `yaml:"behavior"`
			} `yaml:"horizontalPodAutoscalerConfig"`
		} `yaml:"advanced"`
		Triggers []trigger `yaml:"triggers"`
	} `yaml:"spec"`
}

type trigger struct {
	Type       string `yaml:"type"`
	Name       string `yaml:"name"`
	MetricType string `yaml:"metricType"`
	Metadata   texts  `yaml:"metadata"`
	Auth       struct {
		Name string `yaml:"name"`
	} `yaml:"authenticationRef"`
}

type triggerAuthentication struct {
	object `yaml:",inline"`
	Spec   struct {
		Secrets []struct {
			Parameter string `yaml:"parameter"`
			Name      string `yaml:"name"`
			Key       string `yaml:"key"`
		} `yaml:"secretTargetRef"`
	} `yaml:"spec"`
}

type interceptorRoute struct {
	object `yaml:",inline"`
	Spec   struct {
		Rules []struct {
			Hosts []string `yaml:"hosts"`
		} `yaml:"rules"`
		Target struct {
			Service string `yaml:"service"`
			Port    int    `yaml:"port"`
		} `yaml:"target"`
		Metric struct {
			Concurrency struct {
				Target int `yaml:"targetValue"`
			} `yaml:"concurrency"`
		} `yaml:"scalingMetric"`
	} `yaml:"spec"`
}

type inferenceService struct {
	object `yaml:",inline"`
	Spec   struct {
		Predictor struct {
			Min   int `yaml:"minReplicas"`
			Max   int `yaml:"maxReplicas"`
			Grace int `yaml:"terminationGracePeriodSeconds"`
			Model struct {
				Format struct {
					Name string `yaml:"name"`
				} `yaml:"modelFormat"`
				Storage   string          `yaml:"storageUri"`
				Ports     []containerPort `yaml:"ports"`
				Resources resources       `yaml:"resources"`
				Lifecycle lifecycle       `yaml:"lifecycle"`
			} `yaml:"model"`
		} `yaml:"predictor"`
	} `yaml:"spec"`
}

type nodePool struct {
	object `yaml:",inline"`
	Spec   struct {
		Limits     texts `yaml:"limits"`
		Disruption struct {
			Policy string `yaml:"consolidationPolicy"`
			After  string `yaml:"consolidateAfter"`
		} `yaml:"disruption"`
		Template struct {
			Metadata struct {
				Labels texts `yaml:"labels"`
			} `yaml:"metadata"`
			Spec struct {
				Taints []struct {
					Key    string `yaml:"key"`
					Effect string `yaml:"effect"`
				} `yaml:"taints"`
				Requirements []struct {
					Key      string `yaml:"key"`
					Operator string `yaml:"operator"`
					Values   []text `yaml:"values"`
				} `yaml:"requirements"`
				Class struct {
					Group string `yaml:"group"`
					Kind  string `yaml:"kind"`
					Name  string `yaml:"name"`
				} `yaml:"nodeClassRef"`
				Expire string `yaml:"expireAfter"`
			} `yaml:"spec"`
		} `yaml:"template"`
	} `yaml:"spec"`
}

type kustomization struct {
	object     `yaml:",inline"`
	Namespace  string   `yaml:"namespace"`
	Resources  []string `yaml:"resources"`
	Components []string `yaml:"components"`
	ConfigMaps []struct {
		Name     string   `yaml:"name"`
		Behavior string   `yaml:"behavior"`
		Files    []string `yaml:"files"`
	} `yaml:"configMapGenerator"`
	Images []struct {
		Name    string `yaml:"name"`
		NewName string `yaml:"newName"`
		Tag     string `yaml:"newTag"`
	} `yaml:"images"`
	Labels []struct {
		Selectors bool  `yaml:"includeSelectors"`
		Templates bool  `yaml:"includeTemplates"`
		Pairs     texts `yaml:"pairs"`
	} `yaml:"labels"`
	Replicas []struct {
		Name  string `yaml:"name"`
		Count int    `yaml:"count"`
	} `yaml:"replicas"`
	Patches []struct {
		Target struct {
			Kind string `yaml:"kind"`
			Name string `yaml:"name"`
		} `yaml:"target"`
		Patch string `yaml:"patch"`
	} `yaml:"patches"`
}

// A patchStep is one operation of a JSON patch.
type patchStep struct {
	Op    string    `yaml:"op"`
	Path  string    `yaml:"path"`
	Value yaml.Node `yaml:"value"`
}

// An adapterConfig is the configuration of prometheus-adapter.
type adapterConfig struct {
	External []struct {
		Series    string `yaml:"seriesQuery"`
		Resources struct {
			Overrides map[string]struct {
				Resource string `yaml:"resource"`
			} `yaml:"overrides"`
		} `yaml:"resources"`
		Query string `yaml:"metricsQuery"`
	} `yaml:"externalRules"`
}
