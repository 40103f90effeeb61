package infscale_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/infscale/infscale"

// A goFile is what the rules of the layout look at in one file.
type goFile struct {
	path    string // from the root, with slashes
	test    bool
	doc     bool
	imports []string
	// clocks holds the places that read or wait on the wall clock.
	clocks []string
}

// packages parses every Go file of the module, by folder from the root ("." for the root
// itself). Folders with a go.mod of their own are other modules.
func packages(t *testing.T) map[string][]goFile {
	t.Helper()
	found := map[string][]goFile{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return skipFolder(name, d)
		case strings.HasSuffix(name, ".go"):
			f, err := parseGo(name)
			dir := path.Dir(f.path)
			found[dir] = append(found[dir], f)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func skipFolder(name string, d fs.DirEntry) error {
	if name == "." {
		return nil
	}
	_, err := os.Stat(filepath.Join(name, "go.mod"))
	if err == nil || strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "bin" {
		return filepath.SkipDir
	}
	return nil
}

func parseGo(name string) (goFile, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, name, nil, parser.ParseComments)
	if err != nil {
		return goFile{}, err
	}
	f := goFile{
		path: filepath.ToSlash(name),
		test: strings.HasSuffix(name, "_test.go"),
		doc:  tree.Doc != nil && len(strings.TrimSpace(tree.Doc.Text())) > 0,
	}
	for _, spec := range tree.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return goFile{}, err
		}
		f.imports = append(f.imports, p)
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && readsClock(sel) {
			f.clocks = append(f.clocks, set.Position(sel.Pos()).String())
		}
		return true
	})
	return f, nil
}

func readsClock(sel *ast.SelectorExpr) bool {
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == "time" && slices.Contains([]string{
		"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer",
	}, sel.Sel.Name)
}

// within reports whether the import path or folder p is root or below it.
func within(p, root string) bool {
	return p == root || strings.HasPrefix(p, root+"/")
}

func standard(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	return !strings.Contains(first, ".")
}

// A layer is one row of the table of layers: what the packages in a folder and below may
// import beside the standard library and their own folder.
type layer struct {
	folder string
	// alone is whether the row leaves out the folders below, which have rows of their own.
	alone bool
	allow []string
}

// The rows with a closed list. Every other package is judged by what only the rim may see.
var layers = []layer{
	{folder: "recommender", alone: true, allow: []string{module + "/recommender/hpa"}},
	{folder: "recommender/hpa"},
	{folder: "recommender/trace"},
	{folder: "recommender/plot"},
	{folder: "recommender/sim", allow: []string{
		module + "/recommender",
		module + "/recommender/hpa",
		module + "/recommender/trace",
	}},
	{folder: "recommender/risk", allow: []string{
		module + "/recommender",
		module + "/recommender/sim",
		module + "/recommender/trace",
	}},
	{folder: "recommender/score", allow: []string{
		module + "/recommender",
		module + "/recommender/hpa",
		module + "/recommender/sim",
		module + "/recommender/trace",
	}},
	{folder: "recommender/export", allow: []string{
		module + "/recommender",
		"github.com/prometheus/client_golang/prometheus",
		"github.com/prometheus/client_golang/prometheus/collectors",
		"github.com/prometheus/client_golang/prometheus/collectors/version",
	}},
}

func (l layer) covers(dir string) bool {
	return dir == l.folder || !l.alone && within(dir, l.folder)
}

func (l layer) allows(imported string) bool {
	own := !l.alone && within(imported, module+"/"+l.folder)
	return standard(imported) || own || slices.Contains(l.allow, imported)
}

func TestLayersImportOnlyWhatTheyMay(t *testing.T) {
	for dir, files := range packages(t) {
		for _, l := range layers {
			if l.covers(dir) {
				checkImports(t, files, l.allows, "the layer "+l.folder)
			}
		}
	}
}

// checkImports reports every import of the files, tests aside, that allowed denies to who.
func checkImports(t *testing.T, files []goFile, allowed func(string) bool, who string) {
	t.Helper()
	for _, f := range files {
		for _, imported := range f.imports {
			if !f.test && !allowed(imported) {
				t.Errorf("%s imports %s, which %s may not", f.path, imported, who)
			}
		}
	}
}

// rim are the folders that may see a logger, a flag, a signal and the wall clock.
var rim = []string{"recommender/daemon", "cmd"}

// outside are the imports that only the rim may have.
var outside = []string{
	"github.com/alecthomas/kong", "go.uber.org/zap", "github.com/prometheus/common/promslog",
	"flag", "log", "os/signal",
}

// The embedded Prometheus is a program by itself, with a logger and a clock of its own.
const embedded = "promapi/embedded"

func TestOnlyTheRimSeesTheWorld(t *testing.T) {
	for dir, files := range packages(t) {
		if !inAny(dir, rim) && dir != embedded {
			checkImports(t, files, func(p string) bool { return !inAny(p, outside) }, "a package inside the rim")
		}
	}
}

func TestOnlyTheRimReadsTheWallClock(t *testing.T) {
	// A client of HTTP measures and waits.
	may := append([]string{"promapi"}, rim...)
	for dir, files := range packages(t) {
		for _, f := range files {
			if len(f.clocks) > 0 && !f.test && !inAny(dir, may) {
				t.Errorf("time is an argument here, got a clock at %s", strings.Join(f.clocks, ", "))
			}
		}
	}
}

func inAny(p string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return within(p, root) })
}

func TestEveryPackageHasADocComment(t *testing.T) {
	for dir, files := range packages(t) {
		if !slices.ContainsFunc(files, func(f goFile) bool { return f.doc }) {
			t.Errorf("package %s has no doc comment", dir)
		}
	}
}

func TestFoldersOfTheLayoutExist(t *testing.T) {
	for _, dir := range []string{
		"cmd/recommender", "recommender", "recommender/hpa", "promapi", "rules", "alerts",
		"alerts/runbooks", "dashboards", "deploy/k8s", "tools",
	} {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			t.Errorf("the layout has a folder %s, got %v", dir, err)
		}
	}
}

// The engine, the storage and the web server of Prometheus are some forty megabytes. The
// production binary needs the parser of PromQL, and the packages that come with that.
func TestProductionBinaryLinksNoPrometheusServer(t *testing.T) {
	const prometheus = "github.com/prometheus/prometheus/"
	server := []string{
		prometheus + "promql", prometheus + "tsdb", prometheus + "scrape", prometheus + "web",
		prometheus + "rules", prometheus + "discovery", module + "/" + embedded,
	}
	withParser := goList(t, "-deps", prometheus+"promql/parser")
	deps := goList(t, "-deps", "./cmd/recommender")
	if !slices.Contains(deps, module+"/recommender") {
		t.Fatalf("go list printed %d packages and not the recommender", len(deps))
	}
	for _, dep := range deps {
		if inAny(dep, server) && !slices.Contains(withParser, dep) {
			t.Errorf("cmd/recommender links %s", dep)
		}
	}
}

func goList(t *testing.T, args ...string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list"}, args...)...)
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("%s: %v: %s", cmd, err, exit.Stderr)
	}
	if err != nil {
		t.Fatalf("%s: %v", cmd, err)
	}
	return strings.Fields(string(out))
}
