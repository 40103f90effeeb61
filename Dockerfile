# The build context is the repository; the result holds one static binary.
# A release pins both images by digest: see .github/workflows/release.yml.
ARG GO_IMAGE=golang:1.26.7
ARG BASE_IMAGE=gcr.io/distroless/static:nonroot

# The binary is static Go, so every target is compiled on the builder's own platform.
FROM --platform=$BUILDPLATFORM ${GO_IMAGE} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS TARGETARCH
RUN GOOS=$TARGETOS GOARCH=$TARGETARCH make build

FROM ${BASE_IMAGE}
COPY --from=build /src/bin/recommender /recommender
COPY --from=build /src/LICENSE /LICENSE
# nonroot, as a number, so that Kubernetes can check runAsNonRoot.
USER 65532:65532
EXPOSE 9099
ENTRYPOINT ["/recommender"]
CMD ["serve", "--config.file=/etc/infscale/infscale.yaml"]
