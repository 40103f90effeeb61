package k8s_test

// The types hold the fields that the manifests use and no others. Decoding is strict, so
// that a misspelt field, which a cluster would drop in silence, fails here.

type object struct {
	APIVersion string   `yaml:"apiVersion"`
	Kind       string   `yaml:"kind"`
	Metadata   metadata `yaml:"metadata"`
}

type metadata struct {
	Name      string            `yaml:"name"`
	Namespace string            `yaml:"namespace"`
	Labels    map[string]string `yaml:"labels"`
}

type serviceAccount struct {
	object     `yaml:",inline"`
	MountToken *bool `yaml:"automountServiceAccountToken"`
}

type service struct {
	object `yaml:",inline"`
	Spec   struct {
		Selector map[string]string `yaml:"selector"`
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
		Replicas int `yaml:"replicas"`
		Strategy struct {
			Type          string         `yaml:"type"`
			RollingUpdate map[string]int `yaml:"rollingUpdate"`
		} `yaml:"strategy"`
		Selector struct {
			MatchLabels map[string]string `yaml:"matchLabels"`
		} `yaml:"selector"`
		Template struct {
			Metadata metadata `yaml:"metadata"`
			Spec     pod      `yaml:"spec"`
		} `yaml:"template"`
	} `yaml:"spec"`
}

type pod struct {
	ServiceAccount  string      `yaml:"serviceAccountName"`
	MountToken      *bool       `yaml:"automountServiceAccountToken"`
	Grace           int         `yaml:"terminationGracePeriodSeconds"`
	SecurityContext security    `yaml:"securityContext"`
	Containers      []container `yaml:"containers"`
	Volumes         []struct {
		Name      string            `yaml:"name"`
		ConfigMap map[string]string `yaml:"configMap"`
	} `yaml:"volumes"`
}

type security struct {
	NonRoot      bool              `yaml:"runAsNonRoot"`
	User         int               `yaml:"runAsUser"`
	Group        int               `yaml:"runAsGroup"`
	Seccomp      map[string]string `yaml:"seccompProfile"`
	Escalation   *bool             `yaml:"allowPrivilegeEscalation"`
	ReadOnlyRoot bool              `yaml:"readOnlyRootFilesystem"`
	Capabilities struct {
		Drop []string `yaml:"drop"`
	} `yaml:"capabilities"`
}

type container struct {
	Name  string   `yaml:"name"`
	Image string   `yaml:"image"`
	Args  []string `yaml:"args"`
	Env   []struct {
		Name      string                       `yaml:"name"`
		ValueFrom map[string]map[string]string `yaml:"valueFrom"`
	} `yaml:"env"`
	Ports []struct {
		Name string `yaml:"name"`
		Port int    `yaml:"containerPort"`
	} `yaml:"ports"`
	Resources struct {
		Requests map[string]string `yaml:"requests"`
		Limits   map[string]string `yaml:"limits"`
	} `yaml:"resources"`
	Startup         probe    `yaml:"startupProbe"`
	Readiness       probe    `yaml:"readinessProbe"`
	Liveness        probe    `yaml:"livenessProbe"`
	SecurityContext security `yaml:"securityContext"`
	Mounts          []struct {
		Name     string `yaml:"name"`
		Path     string `yaml:"mountPath"`
		ReadOnly bool   `yaml:"readOnly"`
	} `yaml:"volumeMounts"`
}

type probe struct {
	HTTP struct {
		Path string `yaml:"path"`
		Port string `yaml:"port"`
	} `yaml:"httpGet"`
	Period    int `yaml:"periodSeconds"`
	Timeout   int `yaml:"timeoutSeconds"`
	Threshold int `yaml:"failureThreshold"`
}

type kustomization struct {
	APIVersion string   `yaml:"apiVersion"`
	Kind       string   `yaml:"kind"`
	Resources  []string `yaml:"resources"`
	ConfigMaps []struct {
		Name  string   `yaml:"name"`
		Files []string `yaml:"files"`
	} `yaml:"configMapGenerator"`
	Images []struct {
		Name string `yaml:"name"`
		Tag  string `yaml:"newTag"`
	} `yaml:"images"`
	Labels []struct {
		Selectors bool              `yaml:"includeSelectors"`
		Templates bool              `yaml:"includeTemplates"`
		Pairs     map[string]string `yaml:"pairs"`
	} `yaml:"labels"`
}
