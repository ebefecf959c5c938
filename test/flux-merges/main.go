// Builds kustomize folders as Flux does, with the fields of a Kustomization of it merged in: by its own generator.
// Reads cases as JSON, and writes what comes out of each. Another release of it: go get github.com/fluxcd/pkg/kustomize@…
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	fk "github.com/fluxcd/pkg/kustomize"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

type caseIn struct {
	Name  string
	Root  string
	Files map[string]string
	Flux  string
}
type caseOut struct {
	Name string `json:"name"`
	Out  string `json:"out"`
	Err  string `json:"err"`
}

func one(c caseIn) (out caseOut) {
	out.Name = c.Name
	dir, _ := os.MkdirTemp("", "o")
	dir, _ = filepath.EvalSymlinks(dir)
	for p, t := range c.Files {
		f := filepath.Join(dir, p)
		os.MkdirAll(filepath.Dir(f), 0o755)
		os.WriteFile(f, []byte(t), 0o644)
	}
	var m map[string]interface{}
	if err := yaml.Unmarshal([]byte(c.Flux), &m); err != nil {
		out.Err = err.Error()
		return
	}
	gen := fk.NewGenerator(dir, unstructured.Unstructured{Object: m})
	if _, err := gen.WriteFile(filepath.Join(dir, c.Root)); err != nil {
		out.Err = err.Error()
		return
	}
	res, err := fk.Build(filesys.MakeFsOnDisk(), filepath.Join(dir, c.Root))
	if err != nil {
		out.Err = err.Error()
		return
	}
	y, err := res.AsYaml()
	if err != nil {
		out.Err = err.Error()
	}
	out.Out = string(y)
	return
}

func main() {
	var cases []caseIn
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	outs := []caseOut{}
	for _, c := range cases {
		outs = append(outs, one(c))
	}
	b, _ := json.MarshalIndent(outs, "", "  ")
	fmt.Println(string(b))
}
