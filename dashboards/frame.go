package dashboards

// All returns every dashboard.
func All() []Dashboard { return []Dashboard{Overview(), Workload(), Infscale()} }

// newDashboard returns a dashboard that others with the tag infscale lead to and that leads
// to them.
func newDashboard(name, title, description string, variables []Variable, sections ...section) Dashboard {
	return Dashboard{
		Name:          name,
		UID:           "infscale-" + name,
		Title:         title,
		Description:   description,
		Tags:          []string{"infscale", "inference", "autoscaling"},
		GraphTooltip:  1, // one crosshair over all panels
		Refresh:       "30s",
		SchemaVersion: 39,
		Time:          Span{From: "now-3h", To: "now"},
		Links: []Link{{
			Title: "infscale", Type: "dashboards", Tags: []string{"infscale"}, IncludeVars: true, KeepTime: true,
		}},
		Templating: Templating{List: variables},
		Panels:     arrange(sections),
	}
}

// ofDaemon are the variables that select the daemon.
func ofDaemon() []Variable {
	return []Variable{
		{Name: "datasource", Label: "Data source", Type: "datasource", Query: "prometheus"},
		chooser("job", "Job", `label_values(infscale_build_info, job)`),
		chooser("instance", "Instance", `label_values(infscale_build_info{job=~"$job"}, instance)`),
	}
}

// ofWorkloads are the variables that select the daemon and its workloads.
func ofWorkloads() []Variable {
	const decided = `infscale_decision_valid{` + own
	return append(ofDaemon(),
		chooser("workload_namespace", "Workload namespace", `label_values(`+decided+`}, workload_namespace)`),
		chooser("workload", "Workload",
			`label_values(`+decided+`, workload_namespace=~"$workload_namespace"}, workload)`))
}

// chooser is a variable whose choices are the values of a label.
func chooser(name, label, query string) Variable {
	return Variable{
		Name: name, Label: label, Type: "query", Query: query,
		Datasource: source(),
		Multi:      true, IncludeAll: true, AllValue: ".+",
		Current: &Choice{Text: "All", Value: "$__all"},
		Refresh: 2, Sort: 1,
	}
}

// one opens with a single choice, the first. Several can still be chosen.
func (v Variable) one() Variable {
	v.IncludeAll, v.AllValue, v.Current = false, "", nil
	return v
}
