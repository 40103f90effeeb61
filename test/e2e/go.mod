module github.com/infscale/infscale/test/e2e

go 1.26.7

require go.yaml.in/yaml/v3 v3.0.5
