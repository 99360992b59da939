// Test operations whose answers are of any type that Go has (see ../test_odd.py).
package main

import "math/big"

type verdict string

func answer(value any) func(*Object) (*Object, error) {
	return func(*Object) (*Object, error) { return NewObject().With("value", value), nil }
}

func main() {
	large := new(big.Int).Lsh(big.NewInt(1), 64)
	float, small := 0.1, float32(0.5)
	itself := NewObject()
	itself.Put("x", itself)
	list := []any{nil}
	list[0] = list
	bottomless := []any{}
	for i := 0; i < 100_000; i++ {
		bottomless = []any{bottomless}
	}
	deep := []any{}
	for i := 0; i < 497; i++ {
		deep = []any{deep}
	}
	var round any
	round = &round
	half := "a\xed\xa0\x90"
	Serve("answers", "1", []Op{
		{"pairs", answer([][]string{{"task", "agent"}, {}, nil})},
		{"ints", answer([]any{int8(-8), int16(-16), int32(-32), int64(-64), -1, []int64{1}, []uint32{2}})},
		{"uints", answer([]any{uint8(8), uint16(16), uint32(32), ^uint64(0), uint(1)})},
		{"large", answer([]*big.Int{large, nil})},
		{"floats", answer([]any{small, float, []float32{1}, [2]float64{0, -1e16}})},
		{"texts", answer([]verdict{"passed"})},
		{"pointers", answer([]*float64{&float, nil})},
		{"bools", answer([1]bool{true})},
		{"objects", answer([]*Object{NewObject().With("b", 1).With("a", nil), nil})},
		{"deep", answer(deep)},
		{"itself", answer(itself)},
		{"list", answer(list)},
		{"bottomless", answer(bottomless)},
		{"half", answer([]string{half})},
		{"half_key", answer(NewObject().With(half, 1))},
		{"pointer", answer(&round)},
		{"map", answer(map[string]any{"a": 1})},
		{"bytes", answer([]byte("text"))},
		{"struct", answer(struct{ A int }{1})},
		{"func", answer(answer)},
	})
}
