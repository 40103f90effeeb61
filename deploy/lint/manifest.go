package lint

import "go.yaml.in/yaml/v3"

// The types hold the fields of each kind of object that rules look at. Where a struct is not
// open it holds all fields of its API, so that others are mistakes.

type object struct {
	src        *source
	APIVersion field[string] `yaml:"apiVersion"`
	Kind       field[string] `yaml:"kind"`
	Metadata   metadata      `yaml:"metadata"`
	_          openStruct
}

type metadata struct {
	Name        field[string]     `yaml:"name"`
	Namespace   field[string]     `yaml:"namespace"`
	Annotations map[string]string `yaml:"annotations"`
	_           openStruct
}

// called names the object in messages.
func (o *object) called() string {
	name := o.Kind.v + " " + o.Metadata.Name.v
	if ns := o.Metadata.Namespace.v; ns != "" {
		name = o.Kind.v + " " + ns + "/" + o.Metadata.Name.v
	}
	return name
}

// A scaledObject is what KEDA scales by.
type scaledObject struct {
	object `yaml:",inline"`
	Spec   scaledObjectSpec `yaml:"spec"`
}

type scaledObjectSpec struct {
	Target          field[targetRef] `yaml:"scaleTargetRef"`
	PollingInterval field[int]       `yaml:"pollingInterval"`
	InitialCooldown field[int]       `yaml:"initialCooldownPeriod"`
	Cooldown        field[int]       `yaml:"cooldownPeriod"`
	Idle            field[int]       `yaml:"idleReplicaCount"`
	Min             field[int]       `yaml:"minReplicaCount"`
	Max             field[int]       `yaml:"maxReplicaCount"`
	Advanced        advanced         `yaml:"advanced"`
	Triggers        []*trigger       `yaml:"triggers"`
	Fallback        field[fallback]  `yaml:"fallback"`
}

type targetRef struct {
	APIVersion field[string] `yaml:"apiVersion"`
	Kind       field[string] `yaml:"kind"`
	Name       field[string] `yaml:"name"`
	Container  field[string] `yaml:"envSourceContainerName"`
}

type advanced struct {
	Restore   field[bool]      `yaml:"restoreToOriginalReplicaCount"`
	HPA       hpaConfig        `yaml:"horizontalPodAutoscalerConfig"`
	Modifiers field[modifiers] `yaml:"scalingModifiers"`
}

type hpaConfig struct {
	Name     field[string]   `yaml:"name"`
	Behavior field[behavior] `yaml:"behavior"`
}

type modifiers struct {
	Formula          field[string] `yaml:"formula"`
	Target           field[string] `yaml:"target"`
	ActivationTarget field[string] `yaml:"activationTarget"`
	MetricType       field[string] `yaml:"metricType"`
}

type fallback struct {
	FailureThreshold field[int]    `yaml:"failureThreshold"`
	Replicas         field[int]    `yaml:"replicas"`
	Behavior         field[string] `yaml:"behavior"`
}

type trigger struct {
	Type       field[string]            `yaml:"type"`
	Name       field[string]            `yaml:"name"`
	Cached     field[bool]              `yaml:"useCachedMetrics"`
	Metadata   map[string]field[string] `yaml:"metadata"`
	Auth       map[string]string        `yaml:"authenticationRef"`
	MetricType field[string]            `yaml:"metricType"`
}

// meta returns an entry of the metadata, which may be absent.
func (t *trigger) meta(key string) *field[string] {
	f := t.Metadata[key]
	return &f
}

// behavior is how the HPA moves.
type behavior struct {
	Up   field[scalingRules] `yaml:"scaleUp"`
	Down field[scalingRules] `yaml:"scaleDown"`
}

type scalingRules struct {
	Window    field[int]      `yaml:"stabilizationWindowSeconds"`
	Select    field[string]   `yaml:"selectPolicy"`
	Policies  []scalingPolicy `yaml:"policies"`
	Tolerance field[string]   `yaml:"tolerance"`
}

type scalingPolicy struct {
	Type   field[string] `yaml:"type"`
	Value  field[int]    `yaml:"value"`
	Period field[int]    `yaml:"periodSeconds"`
}

// An autoscaler is a HorizontalPodAutoscaler.
type autoscaler struct {
	object `yaml:",inline"`
	Spec   autoscalerSpec `yaml:"spec"`
}

type autoscalerSpec struct {
	Target   field[targetRef] `yaml:"scaleTargetRef"`
	Min      field[int]       `yaml:"minReplicas"`
	Max      field[int]       `yaml:"maxReplicas"`
	Metrics  []hpaMetric      `yaml:"metrics"`
	Behavior field[behavior]  `yaml:"behavior"`
	CPU      field[int]       `yaml:"targetCPUUtilizationPercentage"` // autoscaling/v1
}

type hpaMetric struct {
	Type              field[string]         `yaml:"type"`
	Resource          field[resourceMetric] `yaml:"resource"`
	ContainerResource field[resourceMetric] `yaml:"containerResource"`
	Pods              field[namedMetric]    `yaml:"pods"`
	Object            field[namedMetric]    `yaml:"object"`
	External          field[namedMetric]    `yaml:"external"`
}

type resourceMetric struct {
	Name      field[string] `yaml:"name"`
	Container field[string] `yaml:"container"`
	Target    metricTarget  `yaml:"target"`
}

type namedMetric struct {
	Metric struct {
		Name     field[string] `yaml:"name"`
		Selector struct {
			Labels map[string]field[string] `yaml:"matchLabels"`
			Exprs  []any                    `yaml:"matchExpressions"`
		} `yaml:"selector"`
	} `yaml:"metric"`
	Described targetRef    `yaml:"describedObject"`
	Target    metricTarget `yaml:"target"`
}

type metricTarget struct {
	Type         field[string] `yaml:"type"`
	Value        field[string] `yaml:"value"`
	AverageValue field[string] `yaml:"averageValue"`
	Utilization  field[int]    `yaml:"averageUtilization"`
}

// A server is an object with pods, one kind of them: a Deployment or a StatefulSet, the leader
// of a LeaderWorkerSet, or a bare pod.
type server struct {
	object
	replicas field[int]
	pod      podSpec
}

type podOwner struct {
	object `yaml:",inline"`
	Spec   struct {
		Replicas field[int] `yaml:"replicas"`
		Template struct {
			Spec podSpec `yaml:"spec"`
		} `yaml:"template"`
		Group struct {
			Leader struct {
				Spec podSpec `yaml:"spec"`
			} `yaml:"leaderTemplate"`
			Worker struct {
				Spec podSpec `yaml:"spec"`
			} `yaml:"workerTemplate"`
		} `yaml:"leaderWorkerTemplate"`
	} `yaml:"spec"`
}

type podSpec struct {
	Grace      field[int]   `yaml:"terminationGracePeriodSeconds"`
	Containers []*container `yaml:"containers"`
}

type container struct {
	Name      field[string]   `yaml:"name"`
	Image     field[string]   `yaml:"image"`
	Command   []field[string] `yaml:"command"`
	Args      []field[string] `yaml:"args"`
	Resources struct {
		Limits   map[string]string `yaml:"limits"`
		Requests map[string]string `yaml:"requests"`
	} `yaml:"resources"`
	Lifecycle struct {
		PreStop field[handler] `yaml:"preStop"`
	} `yaml:"lifecycle"`
}

type handler struct {
	Sleep struct {
		Seconds field[int] `yaml:"seconds"`
	} `yaml:"sleep"`
	Exec struct {
		Command []string `yaml:"command"`
	} `yaml:"exec"`
	HTTP struct {
		Path field[string] `yaml:"path"`
	} `yaml:"httpGet"`
}

// An inferenceService is KServe's.
type inferenceService struct {
	object `yaml:",inline"`
	Spec   struct {
		Predictor struct {
			Min         field[int]    `yaml:"minReplicas"`
			Max         field[int]    `yaml:"maxReplicas"`
			ScaleMetric field[string] `yaml:"scaleMetric"`
			AutoScaling struct {
				Metrics []kserveMetric `yaml:"metrics"`
			} `yaml:"autoScaling"`
			Model struct {
				Format struct {
					Name field[string] `yaml:"name"`
				} `yaml:"modelFormat"`
				container `yaml:",inline"`
			} `yaml:"model"`
			podSpec `yaml:",inline"`
		} `yaml:"predictor"`
	} `yaml:"spec"`
}

type kserveMetric struct {
	Type     field[string]         `yaml:"type"`
	Resource field[resourceMetric] `yaml:"resource"`
	External field[kserveExternal] `yaml:"external"`
}

type kserveExternal struct {
	Metric struct {
		Backend field[string] `yaml:"backend"`
		Query   field[string] `yaml:"query"`
	} `yaml:"metric"`
	Target metricTarget `yaml:"target"`
}

// A monitor tells the Prometheus operator what to scrape.
type monitor struct {
	Spec struct {
		PodLabels    []string `yaml:"podTargetLabels"`
		Labels       []string `yaml:"targetLabels"`
		PodEndpoints []scrape `yaml:"podMetricsEndpoints"`
		Endpoints    []scrape `yaml:"endpoints"`
	} `yaml:"spec"`
}

type scrape struct {
	Relabel       []relabelling `yaml:"relabelings"`
	MetricRelabel []relabelling `yaml:"metricRelabelings"`
}

type relabelling struct {
	Target string `yaml:"targetLabel"`
}

// ruleGroups are the rules of Prometheus, plain or in a PrometheusRule.
type ruleGroups struct {
	Groups []struct {
		Rules []struct {
			Expr field[string] `yaml:"expr"`
		} `yaml:"rules"`
	} `yaml:"groups"`
}

// adapterRules are those of prometheus-adapter: its own file, or the values of its chart.
type adapterRules struct {
	Rules         yaml.Node     `yaml:"rules"`
	ExternalRules []adapterRule `yaml:"externalRules"`
}

type adapterRule struct {
	SeriesQuery  field[string] `yaml:"seriesQuery"`
	MetricsQuery field[string] `yaml:"metricsQuery"`
}
