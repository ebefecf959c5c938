//go:build programs

// Package programs pins the API server and its etcd, which .ci/real builds. k8s.io/kubernetes replaces its own staging
// modules by folders, which no other module sees: each is named once more in go.mod.
package programs

import (
	_ "go.etcd.io/etcd/server/v3"
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
)
