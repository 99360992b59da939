package main

// The runner protocol of harbor-conformance, version 1, in one file without dependencies.
// You never edit this file: write your operations in main.go, and Serve does the rest.
//
//   - values: nil, bool, *big.Int, float64, string, []any and *Object, which keeps the order of
//     its members; answers may also contain other ints and floats, slices, and pointers
//     (nil becomes null)
//   - to read an input: Object.Text, List, Object, Int, …, AsText, AsList, …, Number, ToDouble,
//     Rewards, Bytes, Spec
//   - to build an answer: NewObject, Object.With, Object.Put, Text, Spelled, Content, Spell
//   - instead of an answer: Fail, Unsupported, BadInput; Error
//   - the loop: Serve, ServeStringNumbers, Op
//   - JSON: Parse, JSON

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"reflect"
	"runtime/debug"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// ------------------------------------------------------------------------------------------------
// Values

// Object is a JSON object that keeps the order of its members. A nil Object is written as null.
type Object struct {
	keys   []string
	values map[string]any
}

// NewObject returns an empty object.
func NewObject() *Object {
	return &Object{}
}

// Put sets a member. A key that already exists keeps its position.
func (o *Object) Put(key string, value any) {
	if _, there := o.values[key]; !there {
		o.keys = append(o.keys, key)
	}
	if o.values == nil {
		o.values = make(map[string]any)
	}
	o.values[key] = value
}

// With sets a member and returns the object, so that calls can be chained.
func (o *Object) With(key string, value any) *Object {
	o.Put(key, value)
	return o
}

// Get returns the value of a member; nil if it is null or absent.
func (o *Object) Get(key string) any {
	if o == nil {
		return nil
	}
	return o.values[key]
}

// Has reports whether the object has a member with that key, even if its value is null.
func (o *Object) Has(key string) bool {
	if o == nil {
		return false
	}
	_, there := o.values[key]
	return there
}

// Len returns the number of members.
func (o *Object) Len() int {
	return len(o.Keys())
}

// Keys returns the keys in order. Do not modify the slice.
func (o *Object) Keys() []string {
	if o == nil {
		return nil
	}
	return o.keys
}

// The getters below, and the functions As…, expect inputs as PROTOCOL.md describes them. On any
// other input they panic with BadInput, which Serve turns into an error reply, so that operations
// need no checks of their own.

// Member returns a member that must exist.
func (o *Object) Member(key string) any {
	if !o.Has(key) {
		panic(BadInput("there is no member %q", key))
	}
	return o.Get(key)
}

// Bool returns a member that is a bool.
func (o *Object) Bool(key string) bool { return AsBool(o.Member(key)) }

// Int returns a member that is an int of 64 bits, such as a count or an exit code.
func (o *Object) Int(key string) int { return AsInt(o.Member(key)) }

// Text returns a member that is a string, and not null.
func (o *Object) Text(key string) string { return AsText(o.Member(key)) }

// TextOr returns a member that is a string, or the other string if it is null or absent.
func (o *Object) TextOr(key, other string) string {
	if o.Get(key) == nil {
		return other
	}
	return o.Text(key)
}

// List returns a member that is a list.
func (o *Object) List(key string) []any { return AsList(o.Member(key)) }

// Object returns a member that is an object; nil if it is null.
func (o *Object) Object(key string) *Object {
	if value := o.Member(key); value != nil {
		return AsObject(value)
	}
	return nil
}

// AsBool returns a value that is a bool.
func AsBool(value any) bool { return as[bool](value, "a bool") }

// AsText returns a value that is a string.
func AsText(value any) string { return as[string](value, "a string") }

// AsList returns a value that is a list.
func AsList(value any) []any { return as[[]any](value, "a list") }

// AsObject returns a value that is an object.
func AsObject(value any) *Object { return as[*Object](value, "an object") }

// AsInt returns a value that is an int of 64 bits.
func AsInt(value any) int {
	if number, ok := Number(value).(*big.Int); ok && number.IsInt64() {
		return int(number.Int64())
	}
	panic(BadInput("an int of 64 bits is expected"))
}

func as[T any](value any, name string) T {
	if it, ok := value.(T); ok {
		return it
	}
	panic(BadInput("%s is expected, not %s", name, kind(value)))
}

func kind(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "a bool"
	case *big.Int:
		return "an int"
	case float64:
		return "a float"
	case string:
		return "a string"
	case []any:
		return "a list"
	case *Object:
		return "an object"
	}
	return fmt.Sprintf("%T", value)
}

// ------------------------------------------------------------------------------------------------
// Errors

// Error is what an operation returns instead of an answer.
type Error struct {
	Type       string
	ReasonCode *string
	Message    *string
	// Unsupported declines an input that the program can't handle; Message says why.
	Unsupported bool
}

func (e *Error) Error() string {
	if e.Message == nil {
		return e.Type
	}
	return strings.TrimPrefix(e.Type+": "+*e.Message, ": ")
}

var reasonCodes = map[string]string{
	"RewardFileNotFoundError":  "harbor_reward_missing",
	"RewardFileEmptyError":     "harbor_reward_empty",
	"VerifierOutputParseError": "harbor_reward_parse_error",
	// ValidationError, RecursionError, OverflowError, ZeroDivisionError, ValueError, and your
	// program's own types have none.
}

// Fail returns an error of that type, with its reason code from PROTOCOL.md. The message is for
// people; it is never compared.
func Fail(typ string, message ...string) *Error {
	e := &Error{Type: typ}
	if code, ok := reasonCodes[typ]; ok {
		e.ReasonCode = &code
	}
	if len(message) > 0 {
		joined := strings.Join(message, " ")
		e.Message = &joined
	}
	return e
}

// Unsupported is the reply to an input that your program can't handle.
func Unsupported(why string) *Error {
	return &Error{Unsupported: true, Message: &why}
}

// BadInput is the error for an input that differs from PROTOCOL.md: either the request is wrong, or
// the code that reads it.
func BadInput(format string, args ...any) *Error {
	return Fail("TypeError", fmt.Sprintf(format, args...))
}

func protocolError(message string) *Error {
	return Fail("ProtocolError", message)
}

// ------------------------------------------------------------------------------------------------
// Helpers for operations

var spec string

// Spec returns the spec that hello named: harbor-0.13.1, harbor-0.25.0, …
func Spec() string {
	return spec
}

// Number returns a number of an input as a *big.Int or a float64. The value may be a number, or a
// string that spells one: NaN and the infinities are always strings, and some others are too.
func Number(value any) any {
	switch value := value.(type) {
	case *big.Int, float64:
		return value
	case string:
		switch value {
		case "NaN":
			return math.NaN()
		case "Infinity":
			return math.Inf(1)
		case "-Infinity":
			return math.Inf(-1)
		}
		r := reader{text: value}
		if number, err := r.number(); err == nil && r.at == len(value) {
			return number
		}
		panic(BadInput("a number is expected, not the string %q", value))
	}
	panic(BadInput("a number is expected, not %s", kind(value)))
}

// ToDouble returns a number of an input as a double. An int is rounded to the nearest double, and
// to even in a tie. An int beyond the double range is an OverflowError.
func ToDouble(value any) (float64, error) {
	switch number := Number(value).(type) {
	case *big.Int:
		double, _ := new(big.Float).SetInt(number).Float64()
		if math.IsInf(double, 0) {
			return 0, Fail("OverflowError", "int too large to convert to float")
		}
		return double, nil
	case float64:
		return number, nil
	}
	panic("no other numbers")
}

// Rewards returns the rewards of an input: keys and numbers in order, or nil for null.
func Rewards(value any) *Object {
	if value == nil {
		return nil
	}
	rewards, members := NewObject(), AsObject(value)
	for _, key := range members.Keys() {
		rewards.Put(key, Number(members.Get(key)))
	}
	return rewards
}

// Bytes returns the bytes of a file of an input, which is {"text":…} or {"base64":…}.
func Bytes(content any) []byte {
	file := AsObject(content)
	if !file.Has("base64") {
		return []byte(file.Text("text"))
	}
	decoded, err := base64.StdEncoding.DecodeString(file.Text("base64"))
	if err != nil {
		panic(BadInput("the content of a file: %v", err))
	}
	return decoded
}

// Content returns the file content for an answer: text if the bytes are UTF-8, otherwise base64.
func Content(file []byte) *Object {
	if utf8.Valid(file) {
		return NewObject().With("text", string(file))
	}
	return NewObject().With("base64", base64.StdEncoding.EncodeToString(file))
}

// Text marks a string that your program returns where a number is expected, so that it equals none.
func Text(s string) *Object {
	return NewObject().With("string", s)
}

// Spelled returns the string that spells a number; with ServeStringNumbers, answers may contain it.
func Spelled(number any) string {
	switch number := Number(number).(type) {
	case float64:
		return Spell(number)
	default:
		return fmt.Sprint(number)
	}
}

// Spell writes a double as Python's repr does, with the fewest digits that read back as the same
// double. NaN and the infinities are NaN, Infinity and -Infinity.
func Spell(double float64) string {
	switch {
	case math.IsNaN(double):
		return "NaN"
	case math.IsInf(double, 1):
		return "Infinity"
	case math.IsInf(double, -1):
		return "-Infinity"
	}
	size := math.Abs(double)
	if size != 0 && (size < 1e-4 || size >= 1e16) {
		return strconv.FormatFloat(double, 'e', -1, 64)
	}
	plain := strconv.FormatFloat(double, 'f', -1, 64)
	if strings.Contains(plain, ".") {
		return plain
	}
	return plain + ".0"
}

// ------------------------------------------------------------------------------------------------
// Reading JSON

// deepest is the limit for nested lists and objects; no request comes near it.
const deepest = 500

// Parse reads one JSON value strictly: RFC 8259, UTF-8, no duplicate keys, no float beyond the
// double range. (encoding/json accepts invalid UTF-8 and duplicate keys.)
func Parse(line []byte) (any, error) {
	if !utf8.Valid(line) {
		return nil, errors.New("no UTF-8")
	}
	r := reader{text: string(line)}
	value, err := r.value()
	if err != nil {
		return nil, err
	}
	if r.skipSpace() != 0 || r.at < len(r.text) {
		return nil, r.refuse("there is text after the value")
	}
	return value, nil
}

type reader struct {
	text  string
	at    int
	depth int
}

func (r *reader) refuse(why string) error {
	return fmt.Errorf("%s (at byte %d)", why, r.at)
}

// peek returns the next byte, or 0 at the end. (JSON does not allow a NUL either.)
func (r *reader) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

// skipSpace returns the next byte that is not white space, without reading it.
func (r *reader) skipSpace() byte {
	for {
		switch c := r.peek(); c {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return c
		}
	}
}

func (r *reader) value() (any, error) {
	switch c := r.skipSpace(); {
	case c == '"':
		return r.string()
	case c == '{':
		return r.object()
	case c == '[':
		return r.list()
	case c == '-' || '0' <= c && c <= '9':
		return r.number()
	case r.word("true"):
		return true, nil
	case r.word("false"):
		return false, nil
	case r.word("null"):
		return nil, nil
	}
	return nil, r.refuse("a value is expected")
}

func (r *reader) word(word string) bool {
	if !strings.HasPrefix(r.text[r.at:], word) {
		return false
	}
	r.at += len(word)
	return true
}

func (r *reader) open() error {
	r.at++
	r.depth++
	if r.depth > deepest {
		return r.refuse(fmt.Sprintf("nested deeper than %d levels", deepest))
	}
	return nil
}

func (r *reader) close() {
	r.at++
	r.depth--
}

func (r *reader) list() (any, error) {
	if err := r.open(); err != nil {
		return nil, err
	}
	items := []any{}
	for r.skipSpace() != ']' || len(items) > 0 {
		item, err := r.value()
		if err != nil {
			return nil, err
		}
		items = append(items, item)
		c := r.skipSpace()
		if c == ']' {
			break
		}
		if c != ',' {
			return nil, r.refuse("a comma or ] is expected")
		}
		r.at++
	}
	r.close()
	return items, nil
}

func (r *reader) object() (any, error) {
	if err := r.open(); err != nil {
		return nil, err
	}
	object := NewObject()
	for r.skipSpace() != '}' || object.Len() > 0 {
		if r.skipSpace() != '"' {
			return nil, r.refuse("a key is expected")
		}
		key, err := r.string()
		if err != nil {
			return nil, err
		}
		if object.Has(key) {
			return nil, r.refuse("a key is there twice")
		}
		if r.skipSpace() != ':' {
			return nil, r.refuse("a colon is expected")
		}
		r.at++
		value, err := r.value()
		if err != nil {
			return nil, err
		}
		object.Put(key, value)
		c := r.skipSpace()
		if c == '}' {
			break
		}
		if c != ',' {
			return nil, r.refuse("a comma or } is expected")
		}
		r.at++
	}
	r.close()
	return object, nil
}

func (r *reader) number() (any, error) {
	start, float := r.at, false
	if r.peek() == '-' {
		r.at++
	}
	if r.peek() == '0' {
		r.at++
	} else if !r.digits() {
		return nil, r.refuse("a digit is expected")
	}
	if r.peek() == '.' {
		float = true
		r.at++
		if !r.digits() {
			return nil, r.refuse("a digit is expected")
		}
	}
	if c := r.peek(); c == 'e' || c == 'E' {
		float = true
		r.at++
		if c := r.peek(); c == '+' || c == '-' {
			r.at++
		}
		if !r.digits() {
			return nil, r.refuse("a digit is expected")
		}
	}
	spelling := r.text[start:r.at]
	if float {
		double, err := strconv.ParseFloat(spelling, 64)
		if err != nil {
			return nil, r.refuse("no double holds the number")
		}
		return double, nil
	}
	if small, err := strconv.ParseInt(spelling, 10, 64); err == nil {
		return big.NewInt(small), nil
	}
	large, _ := new(big.Int).SetString(spelling, 10)
	return large, nil
}

// digits reads the digits that follow, and reports whether there are any.
func (r *reader) digits() bool {
	start := r.at
	for c := r.peek(); '0' <= c && c <= '9'; c = r.peek() {
		r.at++
	}
	return r.at > start
}

func (r *reader) string() (string, error) {
	r.at++
	var unescaped []byte
	for start := r.at; ; {
		if r.at == len(r.text) {
			return "", r.refuse("a string does not end")
		}
		switch c := r.text[r.at]; {
		case c == '"':
			text := r.text[start:r.at]
			r.at++
			if unescaped == nil {
				return text, nil
			}
			return string(append(unescaped, text...)), nil
		case c == '\\':
			unescaped = append(unescaped, r.text[start:r.at]...)
			char, err := r.escape()
			if err != nil {
				return "", err
			}
			unescaped = utf8.AppendRune(unescaped, char)
			start = r.at
		case c < ' ':
			return "", r.refuse("a control character in a string")
		default:
			r.at++
		}
	}
}

func (r *reader) escape() (rune, error) {
	r.at++
	c := r.peek()
	r.at++
	switch c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
		return r.codePoint()
	}
	return 0, r.refuse("no such escape")
}

// codePoint reads what follows \u. Characters beyond U+FFFF are two escapes.
func (r *reader) codePoint() (rune, error) {
	char, err := r.hexadecimal()
	if err != nil || !utf16.IsSurrogate(char) {
		return char, err
	}
	if !r.word(`\u`) {
		return 0, r.refuse("half a pair of surrogates")
	}
	low, err := r.hexadecimal()
	if err != nil {
		return 0, err
	}
	if char = utf16.DecodeRune(char, low); char == utf8.RuneError {
		return 0, r.refuse("half a pair of surrogates")
	}
	return char, nil
}

func (r *reader) hexadecimal() (rune, error) {
	code := rune(0)
	for i := 0; i < 4; i++ {
		digit := strings.IndexByte("0123456789abcdefABCDEF", r.peek())
		if digit < 0 {
			return 0, r.refuse("four hexadecimal digits are expected")
		}
		if digit > 15 {
			digit -= 6
		}
		code = code<<4 | rune(digit)
		r.at++
	}
	return code, nil
}

// ------------------------------------------------------------------------------------------------
// Writing JSON

// JSON writes a value as one line of JSON, without a line end. Floats are written by Spell; NaN and
// the infinities become strings.
func JSON(value any) string {
	return string(appendValue(nil, value, 1))
}

// appendValue writes a value; depth is the nesting level of a list or object. A value that can't be
// written makes it panic with an Error, as the getters do.
func appendValue(to []byte, value any, depth int) []byte {
	switch value := value.(type) {
	case nil:
		return append(to, "null"...)
	case *big.Int:
		if value == nil {
			return append(to, "null"...)
		}
		return value.Append(to, 10)
	case float64:
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return appendString(to, Spell(value))
		}
		return append(to, Spell(value)...)
	case string:
		return appendString(to, value)
	case []byte:
		panic(unwritable("cannot have a []byte: take string(it), or Content(it) for a file"))
	case *Object:
		if value == nil {
			return append(to, "null"...)
		}
		checkDepth(depth)
		to = append(to, '{')
		for i, key := range value.keys {
			if i > 0 {
				to = append(to, ',')
			}
			to = append(appendString(to, key), ':')
			to = appendValue(to, value.values[key], depth+1)
		}
		return append(to, '}')
	}
	return appendKind(to, reflect.ValueOf(value), depth)
}

// appendKind writes values of Go's many int, float, slice and pointer types.
func appendKind(to []byte, value reflect.Value, depth int) []byte {
	switch value.Kind() {
	case reflect.Bool:
		return strconv.AppendBool(to, value.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(to, value.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(to, value.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return appendValue(to, value.Float(), depth)
	case reflect.String:
		return appendString(to, value.String())
	case reflect.Slice, reflect.Array:
		checkDepth(depth)
		to = append(to, '[')
		for i := 0; i < value.Len(); i++ {
			if i > 0 {
				to = append(to, ',')
			}
			to = appendValue(to, value.Index(i).Interface(), depth+1)
		}
		return append(to, ']')
	case reflect.Pointer:
		if value.IsNil() {
			return append(to, "null"...)
		}
		checkDepth(depth)
		return appendValue(to, value.Elem().Interface(), depth+1)
	case reflect.Map:
		panic(unwritable("cannot have a %s, which has no order: make an Object of it", value.Type()))
	}
	panic(unwritable("cannot have a %s", value.Type()))
}

// checkDepth panics beyond the deepest level, which also catches values that contain themselves.
func checkDepth(depth int) {
	if depth > deepest {
		panic(unwritable("is nested deeper than %d levels, or holds itself", deepest))
	}
}

func unwritable(format string, args ...any) *Error {
	return Fail("TypeError", fmt.Sprintf("an answer "+format, args...))
}

func appendString(to []byte, s string) []byte {
	if !utf8.ValidString(s) {
		panic(Unsupported(fmt.Sprintf("a string of the answer is no UTF-8: %.50q", s)))
	}
	to = append(to, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			to = append(to, '\\', c)
		case c == '\n':
			to = append(to, '\\', 'n')
		case c == '\r':
			to = append(to, '\\', 'r')
		case c == '\t':
			to = append(to, '\\', 't')
		case c < ' ':
			to = append(to, fmt.Sprintf(`\u%04x`, c)...)
		default:
			to = append(to, c)
		}
	}
	return append(to, '"')
}

// ------------------------------------------------------------------------------------------------
// The loop

// Op is an operation and the function that answers its inputs. Without a function it is not
// offered: hello does not name it, and requests for it are unsupported.
type Op struct {
	Name string
	Do   func(input *Object) (*Object, error)
}

// Serve answers requests until there are no more. If an operation returns an Error, or panics with
// one, that is the reply; any other error is sent with its Go type as type. Any other panic becomes
// an error of type panic. A stack overflow and os.Exit end the process. Standard output is reserved
// for replies, so what fmt prints goes to standard error.
func Serve(name, version string, ops []Op) {
	(&server{name: name, version: version, ops: ops}).run()
}

// ServeStringNumbers is like Serve, for programs that want all numbers of inputs as strings.
func ServeStringNumbers(name, version string, ops []Op) {
	(&server{name: name, version: version, ops: ops, stringNumbers: true}).run()
}

type server struct {
	name, version string
	ops           []Op
	stringNumbers bool
}

func (s *server) run() {
	in, out := bufio.NewReaderSize(os.Stdin, 1<<16), os.Stdout
	os.Stdout = os.Stderr
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			// Not buffered, because the next request may take long, or end the process.
			_, err := out.Write(append(s.reply(line), '\n'))
			s.check(err)
		}
		if err == io.EOF {
			return
		}
		s.check(err)
	}
}

// check ends the program if it can't read or write any more.
func (s *server) check(err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", s.name, err)
		os.Exit(1)
	}
}

// reply returns the line that answers a line.
func (s *server) reply(line []byte) []byte {
	id, request, err := readRequest(line)
	if err != nil {
		return result(id, nil, protocolError(err.Error()))
	}
	return s.answer(id, request)
}

func (s *server) answer(id any, request *Object) (reply []byte) {
	op, ok := request.Get("op").(string)
	if !ok {
		return result(id, nil, protocolError("op is no string"))
	}
	defer func() {
		if caught := recover(); caught != nil {
			e, ok := caught.(*Error)
			if !ok {
				fmt.Fprintf(os.Stderr, "%s: panic: %v\n%s", op, caught, debug.Stack())
				e = Fail("panic", fmt.Sprint(caught))
			}
			reply = result(id, nil, e)
		}
	}()
	answer, err := s.do(op, request)
	return result(id, answer, err)
}

func (s *server) do(op string, request *Object) (*Object, error) {
	if op == "hello" {
		return s.hello(request)
	}
	for _, offered := range s.ops {
		if offered.Name != op {
			continue
		}
		if offered.Do == nil {
			return nil, Unsupported(fmt.Sprintf("%s has no %s yet", s.name, op))
		}
		input, ok := request.Get("input").(*Object)
		if !ok {
			return nil, protocolError("input is no object")
		}
		return offered.Do(input)
	}
	return nil, Unsupported(fmt.Sprintf("%s has no %s", s.name, op))
}

func (s *server) hello(request *Object) (*Object, error) {
	version, ok := request.Get("protocol").(*big.Int)
	if !ok || version.Cmp(big.NewInt(1)) != 0 {
		return nil, protocolError("this runner speaks protocol 1")
	}
	switch named := request.Get("spec").(type) {
	case string:
		spec = named
	case nil: // it asks for none
	default:
		return nil, protocolError("spec is no string")
	}
	offered := []string{}
	for _, op := range s.ops {
		if op.Do != nil {
			offered = append(offered, op.Name)
		}
	}
	hello := NewObject().With("runner", s.name).With("version", s.version)
	hello.With("protocol", 1).With("ops", offered)
	if s.stringNumbers {
		hello.Put("numbers", "string")
	}
	return hello, nil
}

// readRequest parses a line into a request and its id.
func readRequest(line []byte) (any, *Object, error) {
	value, err := Parse(line)
	if err != nil {
		return nil, nil, err
	}
	request, ok := value.(*Object)
	if !ok {
		return nil, nil, fmt.Errorf("a request is an object, not %s", kind(value))
	}
	id, ok := request.Get("id").(*big.Int)
	if !ok {
		return nil, nil, errors.New("a request has an int as id")
	}
	return id, request, nil
}

// result returns the reply for the result of an operation.
func result(id any, ok *Object, err error) []byte {
	reply := NewObject().With("id", id)
	var e *Error
	switch {
	case err == nil && ok != nil:
		return appendValue(nil, reply.With("ok", ok), 1)
	case err == nil:
		panic("an operation gave neither an answer nor an error")
	case !errors.As(err, &e):
		e = Fail(strings.TrimPrefix(fmt.Sprintf("%T", err), "*"), err.Error())
	}
	if e.Unsupported {
		return appendValue(nil, reply.With("unsupported", encodable(e.Message)), 1)
	}
	rejected := NewObject().With("type", encodable(&e.Type)).With("reason_code", encodable(e.ReasonCode))
	if e.Message != nil {
		rejected.Put("message", encodable(e.Message))
	}
	return appendValue(nil, reply.With("error", rejected), 1)
}

// encodable returns a text as valid UTF-8; nil if it is empty. Few texts need a change: those that
// quote bytes that are not UTF-8.
func encodable(text *string) any {
	if text == nil {
		return nil
	}
	return strings.ToValidUTF8(*text, "\ufffd")
}
