package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// inForce is the variable of a woven package that says which mutant is in force.
const inForce = "mutantInForce"

// environment is where it is read from.
const environment = "INFSCALE_MUTANT"

// weave returns the text of a file in which the mutants stand beside the original, so that
// one build serves all of them. Each function with mutants is there several times, and under
// its own name one that calls the one in force. The numbers of the mutants begin with first.
//
// Mutants that are not inside of a function, or inside of one whose parameters have no
// names, are returned: they need a build of their own.
func weave(text string, mutants []mutant, first int) (woven string, alone []int, err error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, "", text, parser.SkipObjectResolution)
	if err != nil {
		return "", nil, err
	}
	offset := func(p token.Pos) int { return set.Position(p).Offset }
	variants := map[*ast.FuncDecl]map[int]string{}
	for i := range mutants {
		m := &mutants[i]
		if _, err := m.apply(text); err != nil {
			return "", nil, err
		}
		at := strings.Index(text, m.old)
		f := enclosing(tree, offset, at, at+len(m.old))
		if f == nil || call(f) == "" {
			alone = append(alone, i)
			continue
		}
		if variants[f] == nil {
			variants[f] = map[int]string{}
		}
		from, to := offset(f.Pos()), offset(f.End())
		variants[f][first+i] = text[from:at] + m.new + text[at+len(m.old):to]
	}
	var b strings.Builder
	done := 0
	for _, d := range tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || variants[f] == nil {
			continue
		}
		from, name, to := offset(f.Pos()), offset(f.Name.End()), offset(f.End())
		b.WriteString(text[done:from] + text[from:offset(f.Body.Lbrace)] + "{\n")
		writeChoice(&b, f, variants[f])
		b.WriteString("}\n\n" + text[from:name] + "Original" + text[name:to] + "\n\n")
		for i, variant := range variants[f] {
			b.WriteString(variant[:name-from] + suffix(i) + variant[name-from:] + "\n\n")
		}
		done = to
	}
	return b.String() + text[done:], alone, nil
}

func suffix(i int) string { return fmt.Sprintf("Mutant%d", i) }

// writeChoice writes the body of the function that calls the variant in force.
func writeChoice(b *strings.Builder, f *ast.FuncDecl, variants map[int]string) {
	of := func(suffix string) string { return fmt.Sprintf(call(f), f.Name.Name+suffix) }
	result := ""
	if f.Type.Results != nil {
		result = "return "
	}
	fmt.Fprintf(b, "switch %s {\n", inForce)
	for i := range variants {
		fmt.Fprintf(b, "case %d:\n%s%s\n", i, result, of(suffix(i)))
	}
	fmt.Fprintf(b, "default:\n%s%s\n}\n", result, of("Original"))
	if result != "" {
		b.WriteString("panic(\"every case returns\")\n")
	}
}

// enclosing returns the function that the text between two offsets lies in, or nil.
func enclosing(tree *ast.File, offset func(token.Pos) int, from, to int) *ast.FuncDecl {
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && offset(f.Name.End()) <= from && to <= offset(f.End()) {
			return f
		}
	}
	return nil
}

// call returns a call of the function with its own parameters, and %s for its name. It is
// empty if that cannot be written.
func call(f *ast.FuncDecl) string {
	head := "%s("
	if f.Recv != nil {
		receiver := f.Recv.List[0].Names
		if len(receiver) == 0 || receiver[0].Name == "_" {
			return ""
		}
		head = receiver[0].Name + ".%s("
	}
	if f.Type.TypeParams != nil {
		return ""
	}
	var names []string
	for _, field := range f.Type.Params.List {
		dots := ""
		if _, ok := field.Type.(*ast.Ellipsis); ok {
			dots = "..."
		}
		if len(field.Names) == 0 {
			return ""
		}
		for _, name := range field.Names {
			if name.Name == "_" {
				return ""
			}
			names = append(names, name.Name+dots)
		}
	}
	return head + strings.Join(names, ", ") + ")"
}
