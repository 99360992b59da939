#!/bin/sh
# The echo runner: operations that show all of protocol.sh. With --strings numbers are strings.

here=${0%"${0##*/}"}
. "${here:-./}protocol.sh"

program='
function one(key, v,    ok) {
    ok = new_object()
    put(ok, key, v)
    return ok
}

function echo_echo(input) { return one("value", member_of(input, "value")) }

function echo_number(input,    read, ok) {
    read = number_of(member_of(input, "value"))
    ok = one("kind", new_text(kind_of(read)))
    put(ok, "value", read)
    put(ok, "spelled", spelled(read))
    put(ok, "double", new_float(to_double(read)))
    return ok
}

function echo_text(input,    text, hex, n, i, first, code, points, ok) {
    text = text_of(member_of(input, "value"))
    hex = bytes_of(one("text", new_text(text)))
    n = length(hex)
    points = new_list()
    for (i = 1; i <= n; i += 2) {
        first = byte(hex, i)
        if (first < 128) code = first
        else if (first < 224) code = (first - 192) * 64 + byte(hex, i + 2) - 128
        else if (first < 240) code = ((first - 224) * 64 + byte(hex, i + 2) - 128) * 64 \
            + byte(hex, i + 4) - 128
        else code = (((first - 240) * 64 + byte(hex, i + 2) - 128) * 64 + byte(hex, i + 4) - 128) \
            * 64 + byte(hex, i + 6) - 128
        append(points, new_int(code))
        if (first >= 192) i += first < 224 ? 2 : first < 240 ? 4 : 6
    }
    ok = one("code_points", points)
    put(ok, "marked", marked(text))
    return ok
}

function byte(hex, at) {
    return 16 * (index("0123456789abcdef", substr(hex, at, 1)) - 1) \
        + index("0123456789abcdef", substr(hex, at + 1, 1)) - 1
}

function echo_rewards(input) { return one("rewards", rewards_of(member_of(input, "rewards"))) }

function echo_content(input,    hex, reversed, n, i, ok) {
    hex = bytes_of(member_of(input, "file"))
    n = length(hex)
    for (i = n - 1; i > 0; i -= 2) reversed = reversed substr(hex, i, 2)
    ok = one("hex", new_text(hex))
    put(ok, "file", content_of(hex))
    put(ok, "reversed", content_of(reversed))
    return ok
}

function echo_put(input,    pairs, n, i, pair, object) {
    pairs = member_of(input, "pairs")
    n = size_of(pairs)
    object = new_object()
    for (i = 1; i <= n; i++) {
        pair = item_of(pairs, i)
        put(object, text_of(item_of(pair, 1)), item_of(pair, 2))
    }
    return one("object", object)
}

function echo_not_finite(input,    list, ok) {
    list = new_list()
    append(list, new_float(infinity()))
    append(list, new_float(-infinity()))
    ok = one("nan", new_float(nan()))
    put(ok, "list", list)
    put(ok, "zero", new_float("-0.0"))
    return ok
}

function echo_fail(input,    type) {
    type = text_of(member_of(input, "type"))
    if (has_member(input, "message")) fail(type, text_of(member_of(input, "message")))
    fail(type)
}

function echo_unsupported(input) { unsupported(text_of(member_of(input, "why"))) }

function echo_unexpected(input) {
    print "it" > "/no/such/folder/file"
    return new_object()
}

function echo_spec(input) { return one("spec", new_text(spec())) }

function echo_print(input) {
    print "a line on standard error" > "/dev/stderr"
    return new_object()
}
'

operation echo echo_echo
operation number echo_number
operation text echo_text
operation rewards echo_rewards
operation content echo_content
operation put echo_put
operation not_finite echo_not_finite
operation fail echo_fail
operation unsupported echo_unsupported
operation unexpected echo_unexpected
operation spec echo_spec
operation stub ""
operation print echo_print

case ${1-} in
--strings) serve echo 1 "$program" strings ;;
*) serve echo 1 "$program" ;;
esac
