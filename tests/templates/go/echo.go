// Test operations that hold the protocol file to the protocol (see ../test_echo.py).
package main

import (
	"encoding/hex"
	"fmt"
	"math"
	"os"
)

func echo(input *Object) (*Object, error) {
	return NewObject().With("value", input.Member("value")), nil
}

func number(input *Object) (*Object, error) {
	value := Number(input.Member("value"))
	kind := "int"
	if _, ok := value.(float64); ok {
		kind = "float"
	}
	double, err := ToDouble(value)
	if err != nil {
		return nil, err
	}
	answer := NewObject().With("kind", kind).With("value", value)
	return answer.With("spelled", Spelled(value)).With("double", double), nil
}

func text(input *Object) (*Object, error) {
	value := input.Text("value")
	codes := []any{}
	for _, char := range value {
		codes = append(codes, int(char))
	}
	return NewObject().With("code_points", codes).With("marked", Text(value)), nil
}

func rewards(input *Object) (*Object, error) {
	return NewObject().With("rewards", Rewards(input.Member("rewards"))), nil
}

func content(input *Object) (*Object, error) {
	file := Bytes(input.Member("file"))
	answer := NewObject().With("hex", hex.EncodeToString(file)).With("file", Content(file))
	for i, j := 0, len(file)-1; i < j; i, j = i+1, j-1 {
		file[i], file[j] = file[j], file[i]
	}
	return answer.With("reversed", Content(file)), nil
}

func put(input *Object) (*Object, error) {
	object := NewObject()
	for _, item := range input.List("pairs") {
		pair := AsList(item)
		object.Put(AsText(pair[0]), pair[1])
	}
	return NewObject().With("object", object), nil
}

func notFinite(*Object) (*Object, error) {
	infinite := []float64{math.Inf(1), math.Inf(-1)}
	zero := math.Copysign(0, -1)
	return NewObject().With("nan", math.NaN()).With("list", infinite).With("zero", zero), nil
}

func fail(input *Object) (*Object, error) {
	if input.Has("message") {
		return nil, Fail(input.Text("type"), input.Text("message"))
	}
	return nil, Fail(input.Text("type"))
}

func unsupported(input *Object) (*Object, error) {
	return nil, Unsupported(input.Text("why"))
}

func unexpected(input *Object) (*Object, error) {
	return NewObject().With("value", []any{}[input.Len()]), nil
}

func named(*Object) (*Object, error) {
	return NewObject().With("spec", Spec()), nil
}

func print(*Object) (*Object, error) {
	fmt.Fprintln(os.Stderr, "a line of the author")
	fmt.Println("and one that is not for standard output")
	return NewObject(), nil
}

func leave(*Object) (*Object, error) {
	os.Exit(3)
	return nil, nil
}

func main() {
	serve := Serve
	if len(os.Args) > 1 && os.Args[1] == "--strings" {
		serve = ServeStringNumbers
	}
	serve("echo", "1", []Op{
		{"echo", echo},
		{"number", number},
		{"text", text},
		{"rewards", rewards},
		{"content", content},
		{"put", put},
		{"not_finite", notFinite},
		{"fail", fail},
		{"unsupported", unsupported},
		{"unexpected", unexpected},
		{"spec", named},
		{"stub", nil},
		{"print", print},
		{"leave", leave},
	})
}
