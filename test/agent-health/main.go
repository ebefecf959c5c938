// Says of LeaderWorkerSets what Argo CD and Flux say: by the Lua interpreter of the one, and the CEL of the other.
// Reads {"lua", "current", "objects"} as JSON, and writes an answer for each object.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
	lua "github.com/yuin/gopher-lua"
)

type question struct {
	Lua     string           `json:"lua"`
	Current string           `json:"current"`
	Objects []map[string]any `json:"objects"`
}

type answer struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	Flux    string `json:"flux"`
}

func main() {
	var asked question
	check(json.NewDecoder(os.Stdin).Decode(&asked))
	current := programOf(asked.Current)
	answers := []answer{}
	for _, object := range asked.Objects {
		said := byLua(asked.Lua, object)
		said.Flux = byCel(current, object)
		answers = append(answers, said)
	}
	check(json.NewEncoder(os.Stdout).Encode(answers))
}

// programOf reads the expression in the environment of Flux: parsed and not checked, for any kind has any fields.
func programOf(expression string) cel.Program {
	env, err := cel.NewEnv(cel.HomogeneousAggregateLiterals(), cel.EagerlyValidateDeclarations(true), cel.DefaultUTCTimeZone(true),
		cel.CrossTypeNumericComparisons(true), cel.OptionalTypes(), ext.Strings(), ext.Sets(), ext.Encoders())
	check(err)
	tree, issues := env.Parse(expression)
	check(issues.Err())
	program, err := env.Program(tree, cel.EvalOptions(cel.OptOptimize), cel.InterruptCheckFrequency(100))
	check(err)
	return program
}

// byCel answers as RFC 0009 of Flux says: a generation that is not observed yet is InProgress whatever the expression says.
func byCel(current cel.Program, object map[string]any) string {
	status, _ := object["status"].(map[string]any)
	metadata, _ := object["metadata"].(map[string]any)
	if observed, known := status["observedGeneration"]; known && observed != metadata["generation"] {
		return "InProgress"
	}
	value, _, err := current.Eval(object)
	if err != nil {
		// The controller waits where an expression cannot be evaluated.
		return "Error"
	}
	if value.Value() == true {
		return "Current"
	}
	return "InProgress"
}

// byLua runs the script with the libraries that Argo CD opens for a health check, and with its second.
func byLua(script string, object map[string]any) answer {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for _, library := range []struct {
		name string
		open lua.LGFunction
	}{{lua.LoadLibName, lua.OpenPackage}, {lua.BaseLibName, lua.OpenBase}, {lua.TabLibName, lua.OpenTable}} {
		check(state.CallByParam(lua.P{Fn: state.NewFunction(library.open), NRet: 0, Protect: true}, lua.LString(library.name)))
	}
	limit, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	state.SetContext(limit)
	state.SetGlobal("obj", valueOf(state, object))
	if err := state.DoString(script); err != nil {
		return answer{Status: "Error", Message: err.Error()}
	}
	table, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		return answer{Status: "Error", Message: "no table"}
	}
	return answer{Status: table.RawGetString("status").String(), Message: table.RawGetString("message").String()}
}

func valueOf(state *lua.LState, value any) lua.LValue {
	switch one := value.(type) {
	case bool:
		return lua.LBool(one)
	case float64:
		return lua.LNumber(one)
	case string:
		return lua.LString(one)
	case []any:
		table := state.CreateTable(len(one), 0)
		for _, item := range one {
			table.Append(valueOf(state, item))
		}
		return table
	case map[string]any:
		table := state.CreateTable(0, len(one))
		for key, item := range one {
			table.RawSetH(lua.LString(key), valueOf(state, item))
		}
		return table
	}
	return lua.LNil
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
