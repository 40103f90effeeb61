package lint_test

import (
	"strings"
	"testing"
)

// authenticated returns a TriggerAuthentication with those parameters, and a ScaledObject that
// refers to it, with lines of the trigger.
func authenticated(parameters, modes, reference string) string {
	text := `
apiVersion: keda.sh/v1alpha1
kind: TriggerAuthentication
metadata: {name: prometheus, namespace: a}
spec: {` + parameters + `}
---
` + following("minReplicaCount: 1; maxReplicaCount: 8", "behavior: {scaleDown: {stabilizationWindowSeconds: 0}}")
	text = strings.Replace(text, "metadata: {name: chat}", "metadata: {name: chat, namespace: a}", 1)
	if modes != "" {
		text += "        authModes: " + modes + "\n"
	}
	if reference != "" {
		text += "      authenticationRef: " + reference + "\n"
	}
	return text
}

func TestCredentialsArrive(t *testing.T) {
	const (
		basic  = "secretTargetRef: [{parameter: username, name: s, key: u}, {parameter: password, name: s, key: p}]"
		bound  = "boundServiceAccountToken: [{parameter: bearerToken, serviceAccountName: reader}]"
		vault  = "hashiCorpVault: {secrets: [{parameter: bearerToken, path: p, key: k}]}"
		client = "secretTargetRef: [{parameter: cert, name: s, key: c}, {parameter: key, name: s, key: k}]"
		ref    = "{name: prometheus}"
		bad    = "auth-incomplete"
	)
	for name, row := range map[string]struct{ parameters, modes, reference, want string }{
		"a name and its password":           {basic, "basic", ref, ""},
		"a token of a ServiceAccount":       {bound, "bearer", ref, ""},
		"a token of a vault":                {vault, "bearer", ref, ""},
		"a certificate and its key":         {client, "tls", ref, ""},
		"a certificate and no name":         {client, `"tls, basic"`, ref, bad},
		"a token where a name is asked for": {bound, "basic", ref, bad},
		"two that exclude one another":      {basic + ", " + bound, `"basic,bearer"`, ref, bad},
		"a mode that does not exist":        {basic, "Basic", ref, bad},
		"modes and no reference":            {basic, "basic", "", bad},
		"a reference and no modes":          {basic, "", ref, bad},
		"modes beside the parameters":       {"secretTargetRef: [{parameter: authModes, name: s, key: m}]", "", ref, ""},
		"the identity of the cloud":         {"podIdentity: {provider: azure-workload}", "", ref, ""},
		"what was not given":                {bound, "basic", "{name: other}", ""},
		"one of the cluster, not given":     {bound, "basic", "{name: prometheus, kind: ClusterTriggerAuthentication}", ""},
		"neither":                           {basic, "", "", ""},
	} {
		if got := found(t, authenticated(row.parameters, row.modes, row.reference)); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
	far := strings.Replace(authenticated(bound, "basic", ref), "name: prometheus, namespace: a", "name: prometheus, namespace: b", 1)
	if got := found(t, far); got != "" {
		t.Errorf("of another namespace: got %q, want silence: the one of this namespace was not given", got)
	}
	cluster := strings.Replace(authenticated(bound, "basic", "{name: prometheus, kind: ClusterTriggerAuthentication}"),
		"kind: TriggerAuthentication", "kind: ClusterTriggerAuthentication", 1)
	if got := found(t, cluster); got != bad {
		t.Errorf("of the cluster: got %q, want %s", got, bad)
	}
}
