# The runner protocol of harbor-conformance, version 1, for POSIX shell: one request per process
# (--oneshot). You never edit this file: write your operations in runner.sh, as awk functions.
#
# runner.sh calls:
#   operation NAME FUNCTION    offers an operation; FUNCTION is empty if you have not written it yet
#   serve NAME VERSION PROGRAM [strings]
#                              reads one line, answers it, exits; PROGRAM is awk with your functions
#
# A function takes the input and returns the answer, an object. Values are opaque words, for use
# with these functions. Besides all of awk, PROGRAM can use:
#   to read an input  kind_of(v): null, bool, int, float, text, list or object; text_of(v),
#                     bool_of(v), int_of(v) (decimal text), size_of(v), item_of(v, i) from 1,
#                     key_of(v, i), member_of(v, key), has_member(v, key), number_of(v),
#                     to_double(v), rewards_of(v), bytes_of(content) (in hex), is_null(v)
#   to build answers  new_null(), new_bool(b), new_int(digits), new_float(x), new_text(s),
#                     new_list(), append(list, v), new_object(), put(object, key, v), marked(s),
#                     spelled(v), content_of(hex), spell(x)
#   instead of one    fail(type[, message]), unsupported(why), bad_input(message); none returns
#   doubles           less(x, y), greater(x, y), is_nan(x), nan(), infinity()
# Names that begin with an underscore are reserved. As usual in awk, declare local variables as
# extra parameters of a function.
#
# It works with mawk, gawk, busybox and the one true awk (AWK=gawk chooses one). Beware of awk:
# - Compare doubles with less and greater: in some awks, NaN equals everything.
# - Ints are decimal text of any size; arithmetic uses doubles.
# - Text is UTF-8, as bytes. awk has no NUL, so U+0000 is "\300\200" in a text. Except in mawk and
#   gawk, a raw NUL ends a line; JSON contains none.
# - The one true awk turns -0.0 into 0.0 in arithmetic; a -0.0 that is only passed on is kept.
# - print writes into the reply. For debugging, print "text" > "/dev/stderr".
# - If awk itself fails (it can't write a file, or has no memory), the reply is an AwkError.
# - A process does not know the hello of an earlier one, so spec() is empty.

LC_ALL=C
export LC_ALL

_offered= _stubs= _calls=

operation() {
    case $1 in
    *[!A-Za-z0-9_.-]* | '') echo "operation: no name of an operation: $1" >&2; exit 2 ;;
    esac
    if [ -n "$2" ]; then
        _offered="$_offered $1"
        _calls="$_calls if (_op == \"$1\") return $2(_input);"
    else
        _stubs="$_stubs $1"
    fi
}

serve() {
    _awk=${AWK:-awk} # a command; it may have words, as "busybox awk"
    _program="$_protocol
$3
function _call(_op, _input) { $_calls }"
    _name=$1 _version=$2 _numbers=${4-} _offered=$_offered _stubs=$_stubs _check= \
        $_awk "$_program" && return
    _status=$?
    # Awk itself failed. If it could read the program, it has begun the reply and written the id.
    _check=1 $_awk "$_program" </dev/null 2>/dev/null || printf '{"id":null,'
    printf '"error":{"type":"AwkError","reason_code":null,"message":"awk ended with status %d"}}\n' \
        "$_status"
}

# The rest is awk. It contains no apostrophe, which would end the program.
_protocol='
BEGIN {
    if (ENVIRON["_check"]) exit 0
    _serve()
    exit 0
}

function _serve(    line, id, op, input, names, n, i) {
    if ((getline line) < 1) return
    _id = "null"
    _begun = 0
    _strings = ENVIRON["_numbers"] == "strings"
    _weak = 1 * "5e-324" == 0    # some of the one true awks read no number beneath 2.2e-308
    _parse(line)
    if (_kind[_root] != "object") _protocol_error("a message is an object")
    id = has_member(_root, "id") ? member_of(_root, "id") : ""
    if (kind_of(id) != "int") _protocol_error("a message has an int as its id")
    _id = _value[id]
    op = has_member(_root, "op") ? member_of(_root, "op") : ""
    if (kind_of(op) != "text") _protocol_error("op is no string")
    op = _value[op]
    if (op == "hello") _answer(_hello(_root))
    n = split(ENVIRON["_stubs"], names, " ")
    for (i = 1; i <= n; i++)
        if (names[i] "" == op "") unsupported(ENVIRON["_name"] " has no " op " yet")
    n = split(ENVIRON["_offered"], names, " ")
    for (i = 1; i <= n && names[i] "" != op ""; i++) continue
    if (i > n) unsupported(ENVIRON["_name"] " has no " op)
    input = has_member(_root, "input") ? member_of(_root, "input") : ""
    if (kind_of(input) != "object") _protocol_error("input is no object")
    _begin()
    fflush()
    _answer(_call(op, input))
}

function _hello(request,    ok, ops, names, n, i, v) {
    v = has_member(request, "protocol") ? member_of(request, "protocol") : ""
    if (kind_of(v) != "int" || _value[v] "" != "1")
        _protocol_error("protocol 1 is the one spoken here")
    v = has_member(request, "spec") ? member_of(request, "spec") : ""
    if (kind_of(v) != "text") _protocol_error("hello names no spec")
    ops = new_list()
    n = split(ENVIRON["_offered"], names, " ")
    for (i = 1; i <= n; i++) append(ops, new_text(names[i]))
    ok = new_object()
    put(ok, "runner", new_text(ENVIRON["_name"]))
    put(ok, "version", new_text(ENVIRON["_version"]))
    put(ok, "protocol", new_int(1))
    put(ok, "ops", ops)
    if (_strings) put(ok, "numbers", new_text("string"))
    return ok
}

# ---------------------------------------------------------------- replies

# The beginning is written before the operation is called, so that the id is there if awk fails.
function _begin() {
    if (!_begun) printf "{\"id\":%s,", _id
    _begun = 1
}

function _answer(ok) {
    if (kind_of(ok) != "object") fail("TypeError", "the operation returned no object")
    if (_too_deep(ok)) fail("ValueError", "an answer is nested too deeply, or holds itself")
    _begin()
    printf "\"ok\":"
    _write(ok)
    printf "}\n"
    exit 0
}

# Rejects the input, with the reason_code from the table in PROTOCOL.md. The message is for people.
function fail(type, message,    code) {
    if (type == "RewardFileNotFoundError") code = "harbor_reward_missing"
    if (type == "RewardFileEmptyError") code = "harbor_reward_empty"
    if (type == "VerifierOutputParseError") code = "harbor_reward_parse_error"
    _begin()
    printf "\"error\":{\"type\":"
    _write_text(_printable(type))
    printf ",\"reason_code\":"
    if (code == "") printf "null"
    else _write_text(code)
    if (!(message == "" && message == 0)) {    # only a parameter that was not given is both
        printf ",\"message\":"
        _write_text(_printable(message))
    }
    printf "}}\n"
    exit 0
}

# Declines an input that your program can not handle, and says why.
function unsupported(why) {
    _begin()
    printf "\"unsupported\":"
    _write_text(_printable(why))
    printf "}\n"
    exit 0
}

function bad_input(message) { fail("TypeError", message) }

# The spec that hello named: unknown, because another process answered hello.
function spec() { return "" }

function _protocol_error(message) { fail("ProtocolError", message) }

function _printable(text) {
    if (!_well_formed(text)) gsub(/[\200-\377]/, "?", text)
    return text
}

# ---------------------------------------------------------------- values

function _new(kind, value,    v) {
    v = "@" ++_values
    _kind[v] = kind
    _value[v] = value
    return v
}

function new_null() { return _new("null", "null") }
function new_bool(truth) { return _new("bool", truth ? "true" : "false") }

# From decimal text, or from a whole awk number.
function new_int(digits) {
    if (digits "" !~ /^-?[0-9]+$/ && digits == int(digits)) digits = sprintf("%.0f", digits)
    if (digits "" == "-0") digits = "0"
    if (digits "" !~ /^(0|-?[1-9][0-9]*)$/) fail("ValueError", "no int: " digits)
    return _new("int", digits "")
}

function new_float(x) {
    if (x "" !~ /^[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?$/ && !is_nan(x) && !_infinite(x + 0))
        fail("ValueError", "no number: " x)
    return _new("float", spell(x))
}

function new_text(text) {
    if (!_well_formed(text)) unsupported("a text of the answer is not UTF-8")
    return _new("text", text "")
}

function new_list(    v) { v = _new("list"); _count[v] = 0; return v }
function new_object(    v) { v = _new("object"); _count[v] = 0; return v }

function append(list, v) {
    if (kind_of(list) != "list" || !(v in _kind)) fail("TypeError", "append takes a list and a value")
    _item[list, ++_count[list]] = v
}

# Sets a member. A new key goes to the end; an existing one keeps its position.
function put(object, key, v) {
    if (kind_of(object) != "object" || !(v in _kind))
        fail("TypeError", "put takes an object, a key and a value, as new_float(x)")
    if (!((object, key) in _place)) {
        if (!_well_formed(key)) unsupported("a key of the answer is not UTF-8")
        _place[object, key] = ++_count[object]
        _key[object, _count[object]] = key ""
    }
    _item[object, _place[object, key]] = v
}

function kind_of(v) { return v in _kind ? _kind[v] : "no value" }
function is_null(v) { return kind_of(v) == "null" }

function _due(v, kind, name) {
    if (kind_of(v) != kind) bad_input(name " is expected, not " kind_of(v))
}

function text_of(v) { _due(v, "text", "a string"); return _value[v] }
function bool_of(v) { _due(v, "bool", "a bool"); return _value[v] == "true" }
function int_of(v) { v = number_of(v); _due(v, "int", "an int"); return _value[v] }

# The number of items or members.
function size_of(v) {
    if (!(v in _count)) bad_input("a list or an object is expected, not " kind_of(v))
    return _count[v]
}

# The value of the item or member at that position, counted from 1.
function item_of(v, i) {
    if (!((v, i) in _item)) fail("IndexError", "there is no item " i)
    return _item[v, i]
}

function key_of(v, i) {
    if (!((v, i) in _key)) fail("IndexError", "there is no key " i)
    return _key[v, i]
}

function has_member(v, key) { return (v, key) in _place }

function member_of(v, key) {
    _due(v, "object", "an object")
    if (!((v, key) in _place)) bad_input("the member " key " is missing")
    return _item[v, _place[v, key]]
}

# ---------------------------------------------------------------- numbers

# A number of an input, as an int or a float. It may be a JSON number, one of the strings NaN,
# Infinity and -Infinity, or another string that spells a number. With string numbers, all numbers
# are strings; otherwise only those whose spelling matters, such as "1E5".
function number_of(v,    text) {
    if (kind_of(v) == "int" || kind_of(v) == "float") return v
    if (kind_of(v) == "text") {
        text = _value[v]
        if (text == "NaN" || text == "Infinity" || text == "-Infinity") return _new("float", text)
        if (_is_number(text)) {
            v = _number(text)
            if (v != "") return v
        }
    }
    bad_input("a number is expected, not " kind_of(v))
}

# The nearest double, to even in a tie; OverflowError for an int beyond the double range.
function to_double(v,    text, x) {
    v = number_of(v)
    text = _value[v]
    if (text == "NaN") return nan()
    if (text == "Infinity") return infinity()
    if (text == "-Infinity") return -infinity()
    x = _double(text)
    if (x == "") fail("OverflowError", "int too large to convert to float")
    return x
}

# The rewards of an input, as numbers; null if they are null.
function rewards_of(v,    read, i) {
    if (is_null(v)) return v
    _due(v, "object", "an object")
    read = new_object()
    for (i = 1; i <= _count[v]; i++) put(read, _key[v, i], number_of(_item[v, i]))
    return read
}

# The string that spells a number; with string numbers, answers may contain it.
function spelled(v) {
    v = number_of(v)
    if (_kind[v] == "int") return new_text(_value[v])
    return new_text(spell(to_double(v)))
}

# Marks a string where a number is expected, so that it equals none.
function marked(text,    v) {
    v = new_object()
    put(v, "string", new_text(text))
    return v
}

function infinity() { return 1e308 * 10 }
function nan() { return 1e308 * 10 - 1e308 * 10 }
function is_nan(x) { return index(tolower(sprintf("%g", x)), "nan") > 0 }
function _infinite(x) { return x > 1.7976931348623157e308 || x < -1.7976931348623157e308 }
function less(x, y) { return x + 0 < y + 0 && !is_nan(x - y) }
function greater(x, y) { return x + 0 > y + 0 && !is_nan(x - y) }

function _is_number(text) { return text ~ /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$/ }

# The value of a JSON number; an empty string for a float beyond the double range.
function _number(text) {
    if (text !~ /[.eE]/) return _new("int", text == "-0" ? "0" : text "")
    # Only a number with an exponent, or a very long one, can be beyond it.
    if ((text ~ /[eE]/ || length(text) > 300) && _double(text) == "") return ""
    return _new("float", text "")
}

# The power of ten of the first digit that is not 0; an empty string if there is none.
function _magnitude(text,    power, digits, whole) {
    sub(/^-/, "", text)
    power = 0
    if (match(text, /[eE]/)) {
        digits = substr(text, RSTART + 1)
        text = substr(text, 1, RSTART - 1)
        sub(/^\+/, "", digits)
        power = digits ~ /^-/ ? -1 : 1
        sub(/^-?0*/, "", digits)
        power *= length(digits) > 9 ? 1000000000 : digits + 0
    }
    whole = index(text, ".") ? index(text, ".") - 1 : length(text)
    if (!match(text, /[1-9]/)) return ""
    return power + whole - RSTART + (RSTART > whole)
}

# The double nearest to a JSON number; an empty string beyond the double range.
function _double(text,    power, x, zero) {
    x = 1 * text
    if (x != 0 && text !~ /[eE]/ && length(text) < 300) return x
    power = _magnitude(text)
    if (power == "" || power < -324) {
        x = text ~ /^-/ ? 1 * "-0.0" : 0
        if (text !~ /^-/ || sprintf("%g", x) ~ /^-/) return x
        split("-0.0", zero, " ")    # what is read from outside keeps its text
        return zero[1]
    }
    if (power > 308) return ""
    if (power == 308 && (x == 0 || _infinite(x))) return ""
    return x == 0 && _weak ? _small(text) : x
}

# The double nearest to a JSON number below 2.2e-308: a multiple of 2 to the power of -1074.
function _small(text,    digits, shift, limbs, n, i, left, carry, times, rest) {
    match(text, /[eE]/)
    shift = -substr(text, RSTART + 1)
    digits = substr(text, 1, RSTART - 1)
    if (index(digits, ".")) shift += length(digits) - index(digits, ".")
    gsub(/[-.]/, "", digits)
    for (i = length(digits); i > 0; i -= 7)
        limbs[++n] = (i > 7 ? substr(digits, i - 6, 7) : substr(digits, 1, i)) + 0
    for (left = 1074; left > 0; left -= 6) {    # times 2 to the 6th
        carry = 0
        for (i = 1; i <= n; i++) {
            carry += limbs[i] * 64
            limbs[i] = carry % 10000000
            carry = int(carry / 10000000)
        }
        if (carry) limbs[++n] = carry
    }
    digits = ""
    for (i = 1; i <= n; i++) digits = sprintf("%07d", limbs[i]) digits
    times = substr(digits, 1, length(digits) - shift) + 0
    rest = length(digits) < shift ? "0" : substr(digits, length(digits) - shift + 1)
    if (rest ~ /^[6-9]|^50*[1-9]/ || (rest ~ /^50*$/ && times % 2)) times++
    times *= 2.2250738585072014e-308 / 4503599627370496
    return text ~ /^-/ ? -times : times
}

# Writes a double as repr of Python: 1.0, 1e+16, 0.0001, 1e-05, -0.0; NaN, Infinity, -Infinity.
function spell(x,    sign, size, decimal, digits, power, n) {
    if (is_nan(x)) return "NaN"
    size = x + 0
    sign = size < 0 || (size == 0 && sprintf("%g%s", x, x) ~ /^-|^0-/) ? "-" : ""
    if (size < 0) size = -size
    if (size == 0) return sign "0.0"
    if (_infinite(size)) return sign "Infinity"
    decimal = _shortest(size)
    match(decimal, /e/)
    power = substr(decimal, RSTART + 1) + 0
    digits = substr(decimal, 1, 1) substr(decimal, 3, RSTART - 3)
    sub(/0+$/, "", digits)
    n = length(digits)
    if (power < -4 || power >= 16)
        return sign substr(digits, 1, 1) (n > 1 ? "." : "") substr(digits, 2) substr(decimal, RSTART)
    if (power < 0) return sign "0." substr("000", 1, -power - 1) digits
    if (power + 1 >= n) return sign digits substr("0000000000000000", 1, power + 1 - n) ".0"
    return sign substr(digits, 1, power + 1) "." substr(digits, power + 2)
}

# Such as 1.25e-05: the nearest of the decimals with the fewest digits that read back as the double.
function _shortest(x,    n, decimal) {
    # A double with 15 digits or fewer has these, and then zeros, in its first 15.
    if (x >= 2.2250738585072014e-308) {
        decimal = sprintf("%.14e", x)
        if (1 * decimal == x) return decimal
        decimal = sprintf("%.15e", x)
        if (1 * decimal == x) return decimal
        # Doubles are denser below a power of two than above it: the second nearest may be right.
        decimal = _next_decimal(decimal)
        if (1 * decimal == x) return decimal
    } else
        for (n = 0; n < 16; n++) {
            decimal = sprintf("%." n "e", x)
            if (_double(decimal) == x) return decimal
        }
    return sprintf("%.16e", x)
}

# The next decimal with the same number of digits: 1.99e-05 becomes 2.00e-05.
function _next_decimal(decimal,    at, digit) {
    at = index(decimal, "e")
    while (--at > 0) {
        digit = substr(decimal, at, 1)
        if (digit == ".") continue
        decimal = substr(decimal, 1, at - 1) (digit + 1) % 10 substr(decimal, at + 1)
        if (digit != 9) break
    }
    return decimal
}

# ---------------------------------------------------------------- file content

function _tables(    i, pair) {
    if (_pairs) return
    for (i = 255; i >= 0; i--) {
        pair = sprintf("%02x", i)
        _byte[pair] = i
        if (i) {
            _char[pair] = sprintf("%c", i)
            _hex[_char[pair]] = pair
        }
    }
    for (i = 0; i < 64; i++) {
        pair = substr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", i + 1, 1)
        _digit[i] = pair
        _sextet[pair] = i
    }
    _pairs = 1
}

# Long texts are kept in parts, because appending to a long one is slow.
function _add(part) {
    _short = _short part
    if (length(_short) > 2000) {
        _long = _long _short
        _short = ""
        if (length(_long) > 200000) { _whole = _whole _long; _long = "" }
    }
}

function _added(    text) {
    text = _whole _long _short
    _whole = _long = _short = ""
    return text
}

# The bytes of the content of a file, {"text":...} or {"base64":...}, in hex.
function bytes_of(content) {
    _due(content, "object", "an object")
    _tables()
    if (_count[content] == 1 && has_member(content, "text"))
        return _hex_of_text(text_of(member_of(content, "text")))
    if (_count[content] == 1 && has_member(content, "base64"))
        return _hex_of_base64(text_of(member_of(content, "base64")))
    bad_input("the content of a file has text or base64")
}

function _hex_of_text(text,    at, n, part, i, c, last) {
    for (at = 1; (part = substr(text, at, 4096)) != ""; at += n) {
        n = length(part)
        for (i = 1; i <= n; i++) {
            c = substr(part, i, 1)
            if (c == "\300") _add("00")
            else if (c != "\200" || last != "\300") _add(_hex[c])
            last = c
        }
    }
    return _added()
}

function _hex_of_base64(text,    at, n, part, i, pad, hex) {
    if (text !~ /^[A-Za-z0-9+\/]*=?=?$/ || length(text) % 4) bad_input("content that is no base64")
    pad = text ~ /==$/ ? 2 : text ~ /=$/
    for (at = 1; (part = substr(text, at, 4096)) != ""; at += n) {
        n = length(part)
        for (i = 1; i <= n; i += 4)
            _add(sprintf("%06x", 262144 * _sextet[substr(part, i, 1)] \
                + 4096 * _sextet[substr(part, i + 1, 1)] \
                + 64 * _sextet[substr(part, i + 2, 1)] + _sextet[substr(part, i + 3, 1)]))
    }
    hex = _added()
    return substr(hex, 1, length(hex) - 2 * pad)
}

# The content of a file with these bytes: text if they are well-formed UTF-8.
function content_of(hex,    content, text) {
    if (hex !~ /^([0-9a-f][0-9a-f])*$/) fail("ValueError", "bytes are given in lower-case hex")
    _tables()
    content = new_object()
    _char["00"] = "\001"
    text = _text_of_hex(hex)
    if (!_utf8(text)) {
        put(content, "base64", new_text(_base64_of_hex(hex)))
        return content
    }
    _char["00"] = "\300\200"
    put(content, "text", new_text(_text_of_hex(hex)))
    return content
}

function _text_of_hex(hex,    at, n, part, i) {
    for (at = 1; (part = substr(hex, at, 4096)) != ""; at += n) {
        n = length(part)
        for (i = 1; i <= n; i += 2) _add(_char[substr(part, i, 2)])
    }
    return _added()
}

function _base64_of_hex(hex,    at, n, part, i, bits, left) {
    for (at = 1; (part = substr(hex, at, 6000)) != ""; at += n) {
        n = length(part)
        for (i = 1; i <= n; i += 6) {
            left = n - i + 1
            bits = 65536 * _byte[substr(part, i, 2)]
            if (left > 2) bits += 256 * _byte[substr(part, i + 2, 2)]
            if (left > 4) bits += _byte[substr(part, i + 4, 2)]
            _add(_digit[int(bits / 262144)] _digit[int(bits / 4096) % 64] \
                (left > 2 ? _digit[int(bits / 64) % 64] : "=") (left > 4 ? _digit[bits % 64] : "="))
        }
    }
    return _added()
}

# ---------------------------------------------------------------- writing JSON

# Whether there are more than 500 levels, as in a value that contains itself.
function _too_deep(v,    open, at, depth) {
    while (1) {
        if (v in _count) {
            if (++depth > 500) return 1
            open[depth] = v
            at[depth] = 0
        }
        while (depth && at[depth] == _count[open[depth]]) depth--
        if (!depth) return 0
        v = _item[open[depth], ++at[depth]]
    }
}

function _write(v,    open, at, depth, parent) {
    while (1) {
        if (_kind[v] == "list" || _kind[v] == "object") {
            printf "%s", (_kind[v] == "list" ? "[" : "{")
            open[++depth] = v
            at[depth] = 0
        } else if (_kind[v] == "text") _write_text(_value[v])
        else if (_kind[v] != "float") printf "%s", _value[v]
        else if (_value[v] ~ /N|I/) printf "\"%s\"", _value[v]
        else printf "%s", spell(_double(_value[v]))
        while (depth && at[depth] == _count[open[depth]]) {
            printf "%s", (_kind[open[depth]] == "list" ? "]" : "}")
            depth--
        }
        if (!depth) return
        parent = open[depth]
        if (at[depth]++) printf ","
        if (_kind[parent] == "object") {
            _write_text(_key[parent, at[depth]])
            printf ":"
        }
        v = _item[parent, at[depth]]
    }
}

function _write_text(text,    at, part, n, c) {
    _tables()
    printf "\""
    for (at = 1; (part = substr(text, at, 4096)) != ""; at += n) {
        n = length(part)
        if (n > 1 && part ~ /\300$/) part = substr(part, 1, --n)
        while (match(part, /["\\\001-\037\177\300]/)) {
            c = substr(part, RSTART, 1)
            printf "%s", substr(part, 1, RSTART - 1)
            if (c == "\300") printf "\\u0000"
            else if (c == "\"" || c == "\\") printf "\\%s", c
            else printf "\\u00%s", _hex[c]
            part = substr(part, RSTART + (c == "\300" ? 2 : 1))
        }
        printf "%s", part
    }
    printf "\""
}

# ---------------------------------------------------------------- reading JSON

function _bad(what) { _protocol_error("no JSON: " what) }

# Reads a line into _root. It splits the line at quotes, which separate strings from the rest.
function _parse(line,    parts, n, i) {
    if (line ~ /[^\001-\177]/ && !_utf8(line)) _bad("bytes that are no UTF-8")
    _state = "value"
    _depth = 0
    n = split(line, parts, "\"")
    for (i = 1; i <= n; i++) {
        if (parts[i] "" != "") _outside(parts[i])
        if (i == n) break
        while (1) {
            if (++i >= n) _bad("a string without an end")
            if (_in_string(parts[i])) break
        }
        _string(_added())
    }
    if (_state != "end") _bad("it ends too early")
}

# Whether all bytes are UTF-8. U+0000 is two bytes that are not valid UTF-8.
function _well_formed(text) {
    return text !~ /[^\001-\177]/ || _utf8(text, 1)
}

function _utf8(text, nul,    at, part) {
    for (at = 1; (part = substr(text, at, 2048)) != ""; at += RLENGTH) {
        match(part, /^([\001-\177]|[\302-\337][\200-\277]|\340[\240-\277][\200-\277]|[\341-\354\356\357][\200-\277][\200-\277]|\355[\200-\237][\200-\277]|\360[\220-\277][\200-\277][\200-\277]|[\361-\363][\200-\277][\200-\277][\200-\277]|\364[\200-\217][\200-\277][\200-\277])*/)
        if (RLENGTH > 0) continue
        if (!nul || part !~ /^\300\200/) return 0
        RLENGTH = 2
    }
    return 1
}

# Reads the text between strings. A comma ends an item, so these texts are short.
function _outside(text,    parts, n, i) {
    n = split(text, parts, ",")
    for (i = 1; i <= n; i++) {
        if (i > 1) {
            if (_state != "next") _bad("a comma out of place")
            _state = _kind[_open[_depth]] == "list" ? "value" : "key"
        }
        if (parts[i] "" != "") _tokens(parts[i] "")
    }
}

function _tokens(text,    c, token, v) {
    while (text != "") {
        c = substr(text, 1, 1)
        if (c ~ /[ \t\r\n]/) {
            sub(/^[ \t\r\n]+/, "", text)
            continue
        }
        if (c ~ /[-a-z0-9]/) {
            match(text, /^[-+.a-zA-Z0-9]+/)
            token = substr(text, 1, RLENGTH)
            text = substr(text, RLENGTH + 1)
            if (token == "null" || token == "true" || token == "false")
                v = _new(token == "null" ? "null" : "bool", token)
            else if (!_is_number(token)) _bad("a word that is no value")
            else if ((v = _number(token)) == "") _bad("a float beyond the doubles")
            _read(v)
            continue
        }
        text = substr(text, 2)
        if (c == ":") {
            if (_state != "colon") _bad("a colon out of place")
            _state = "value"
        } else if (c == "[" || c == "{") {
            v = c == "[" ? new_list() : new_object()
            _read(v)
            if (++_depth > 500) _bad("more than 500 levels")
            _open[_depth] = v
            _state = c == "[" ? "first" : "first key"
        } else if (c == "]" || c == "}") {
            if (!_depth || _kind[_open[_depth]] != (c == "]" ? "list" : "object") \
                || (_state != "next" && _state != (c == "]" ? "first" : "first key")))
                _bad("a bracket out of place")
            _state = --_depth ? "next" : "end"
        } else _bad("a character out of place")
    }
}

# Called after a value, or after the beginning of a list or an object.
function _read(v) {
    if (_state != "value" && _state != "first") _bad("a value out of place")
    if (!_depth) _root = v
    else if (_kind[_open[_depth]] == "list") append(_open[_depth], v)
    else put(_open[_depth], _member, v)
    _state = _depth ? "next" : "end"
}

function _string(text) {
    if (_state != "key" && _state != "first key") {
        _read(_new("text", text))
        return
    }
    if ((_open[_depth], text) in _place) _bad("a key for the second time")
    _member = text
    _state = "colon"
}

# Adds the text between two quotes to a string, and returns whether the string ends there.
function _in_string(text,    parts, n, i, c, code, low) {
    if (text ~ /[\001-\037]/) _bad("a control in a string")
    if (!index(text, "\\")) {
        _add(text)
        return 1
    }
    n = split(text, parts, "\\")
    _add(parts[1])
    for (i = 2; i <= n; i++) {
        if (parts[i] "" == "") {    # the next character is a backslash or the quote
            if (i == n) {
                _add("\"")
                return 0
            }
            _add("\\")
            _add(parts[++i])
            continue
        }
        c = substr(parts[i], 1, 1)
        if (c == "u") {
            code = _four_digits(parts[i])
            if (code >= 55296 && code < 56320 && length(parts[i]) == 5 && i < n) {
                i++
                low = _four_digits(parts[i])
                if (low < 56320 || low > 57343) _bad("a lone surrogate")
                code = 65536 + (code - 55296) * 1024 + low - 56320
            }
            if (code >= 55296 && code < 57344) _bad("a lone surrogate")
            _add(_utf8_of(code))
            _add(substr(parts[i], 6))
            continue
        }
        if (!index("/bfnrt", c)) _bad("no escape of JSON")
        _add(substr("/\b\f\n\r\t", index("/bfnrt", c), 1))
        _add(substr(parts[i], 2))
    }
    return 1
}

function _four_digits(text,    i, code) {
    if (text !~ /^u[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F]/) _bad("no escape of JSON")
    text = tolower(substr(text, 2, 4))
    for (i = 1; i <= 4; i++)
        code = code * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
    return code
}

function _utf8_of(code) {
    if (!code) return "\300\200"
    if (code < 128) return sprintf("%c", code)
    if (code < 2048) return sprintf("%c", 192 + int(code / 64)) _tail(code)
    if (code < 65536) return sprintf("%c", 224 + int(code / 4096)) _tail(code / 64) _tail(code)
    return sprintf("%c", 240 + int(code / 262144)) _tail(code / 4096) _tail(code / 64) _tail(code)
}

function _tail(code) { return sprintf("%c", 128 + int(code) % 64) }
'
