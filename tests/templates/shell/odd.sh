#!/bin/sh
# Answers that are none, or nearly: an author's mistakes.

here=${0%"${0##*/}"}
. "${here:-./}protocol.sh"

program='
function one(key, v,    ok) {
    ok = new_object()
    put(ok, key, v)
    return ok
}

function half() { return "a\355\240\220" }

function half_text(input) { return one("x", new_text(half())) }

function half_key(input) { return one("x", one(half(), new_null())) }

function an_int(input) { return one("int", new_int(text_of(member_of(input, "digits")))) }

function nested(input,    left, ok) {
    ok = new_object()
    for (left = int_of(member_of(input, "levels")) - 1; left > 0; left--) ok = one("a", ok)
    return ok
}

function object_itself(input,    ok) {
    ok = one("first", new_null())
    put(ok, "me", ok)
    return ok
}

function list_itself(input,    list) {
    list = new_list()
    append(list, new_list())
    append(list, one("me", list))
    append(list, list)
    return one("list", list)
}
'

operation half_text half_text
operation half_key half_key
operation int an_int
operation nested nested
operation object_itself object_itself
operation list_itself list_itself

serve odd 1 "$program"
