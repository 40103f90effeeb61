package k8s_test

type template struct {
	Metadata metadata `yaml:"metadata"`
	Spec     pod      `yaml:"spec"`
}

type pod struct {
	ServiceAccount  string   `yaml:"serviceAccountName"`
	MountToken      *bool    `yaml:"automountServiceAccountToken"`
	Restart         string   `yaml:"restartPolicy"`
	Grace           int      `yaml:"terminationGracePeriodSeconds"`
	SecurityContext security `yaml:"securityContext"`
	NodeSelector    texts    `yaml:"nodeSelector"`
	Tolerations     []struct {
		Key      string `yaml:"key"`
		Operator string `yaml:"operator"`
		Effect   string `yaml:"effect"`
	} `yaml:"tolerations"`
	Spread []struct {
		Skew     int      `yaml:"maxSkew"`
		Key      string   `yaml:"topologyKey"`
		When     string   `yaml:"whenUnsatisfiable"`
		Selector selector `yaml:"labelSelector"`
	} `yaml:"topologySpreadConstraints"`
	Init       []container `yaml:"initContainers"`
	Containers []container `yaml:"containers"`
	Volumes    []volume    `yaml:"volumes"`
}

type volume struct {
	Name      string            `yaml:"name"`
	ConfigMap map[string]string `yaml:"configMap"`
	Claim     *struct {
		Name     string `yaml:"claimName"`
		ReadOnly bool   `yaml:"readOnly"`
	} `yaml:"persistentVolumeClaim"`
	Empty *struct {
		Medium string `yaml:"medium"`
		Limit  string `yaml:"sizeLimit"`
	} `yaml:"emptyDir"`
}

type security struct {
	NonRoot      bool              `yaml:"runAsNonRoot"`
	User         int               `yaml:"runAsUser"`
	Group        int               `yaml:"runAsGroup"`
	FSGroup      int               `yaml:"fsGroup"`
	Seccomp      map[string]string `yaml:"seccompProfile"`
	Escalation   *bool             `yaml:"allowPrivilegeEscalation"`
	ReadOnlyRoot bool              `yaml:"readOnlyRootFilesystem"`
	Capabilities struct {
		Drop []string `yaml:"drop"`
	} `yaml:"capabilities"`
}

type container struct {
	Name    string `yaml:"name"`
	Image   string `yaml:"image"`
	Command []text `yaml:"command"`
	Args    []text `yaml:"args"`
	Env     []struct {
		Name      string                       `yaml:"name"`
		Value     text                         `yaml:"value"`
		ValueFrom map[string]map[string]string `yaml:"valueFrom"`
	} `yaml:"env"`
	Ports           []containerPort `yaml:"ports"`
	Resources       resources       `yaml:"resources"`
	Startup         *probe          `yaml:"startupProbe"`
	Readiness       *probe          `yaml:"readinessProbe"`
	Liveness        *probe          `yaml:"livenessProbe"`
	Lifecycle       lifecycle       `yaml:"lifecycle"`
	SecurityContext security        `yaml:"securityContext"`
	Mounts          []struct {
		Name     string `yaml:"name"`
		Path     string `yaml:"mountPath"`
		ReadOnly bool   `yaml:"readOnly"`
	} `yaml:"volumeMounts"`
}

type containerPort struct {
	Name     string `yaml:"name"`
	Port     int    `yaml:"containerPort"`
	Protocol string `yaml:"protocol"`
}

type resources struct {
	Requests map[string]string `yaml:"requests"`
	Limits   map[string]string `yaml:"limits"`
}

type lifecycle struct {
	PreStop struct {
		Sleep struct {
			Seconds int `yaml:"seconds"`
		} `yaml:"sleep"`
	} `yaml:"preStop"`
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
