"""Texts that a reader of JSON takes, refuses, or may do either with: as RFC 8259 and PROTOCOL.md have it.

The names of categories are those that people know of JSONTestSuite (y, n, i); the lists are our own.
"""

REFUSED_VALUES: dict[str, list[bytes]] = {
    "constants": [
        *(b"NaN", b"-NaN", b"nan", b"Infinity", b"-Infinity", b"inf", b"-inf", b"1e999", b"-1e999", b"1E400"),
        *(b"True", b"False", b"None", b"NULL", b"TRUE", b"nul", b"nulll", b"tru", b"truee", b"fals", b"undefined"),
        *(b"nill", b"n", b"t", b"f", b"tru\x00", b"true1"),
    ],
    "numbers": [
        *(b"01", b"-01", b"00", b"-00", b"007", b"0123.5", b"-012", b"1.", b"-1.", b"0.", b".5", b"-.5", b".", b"-"),
        *(b"+1", b"+0", b"+1.5", b"++1", b"--1", b"-+1", b"1e", b"1E", b"1e+", b"1e-", b"1.5e", b"1.e5", b".e5"),
        *(b"0e", b"0e+", b"1e5.5", b"1e5e5", b"1ee5", b"1.2.3", b"1,5", b"1_000", b"0x10", b"0X1F", b"0b1", b"0o7"),
        *(b"1f", b"1d", b"1L", b"1n", b"1u", b"1 000", b"1 .5", b"- 1", b"1e 5", b"1 e5", b"1.0f", b"0.1d"),
        *("１".encode(), "٣".encode(), "1２".encode(), "−1".encode(), "½".encode(), b"$1", b"1%", b"(1)", b"1+1"),
        *(b"0x", b"1e+-5", b"1e--5", b"-e5", b"e5", b"E5", b"2.e3", b"2.e+3", b"0.3e", b"0.3e+", b"1.0e", b"1eE2"),
        *(b"-1x", b"9.e+", b"1.8011670033376514H-308", b"-2.", b"0.e1", b"-foo", b"-Infinit", b"1\x00", b"1\x0c"),
    ],
    "strings": [
        *(b"'a'", b"`a`", b'"a', b'a"', b'"', b"a", b'"\\"', b'"a\\', b'"\\x41"', b'"\\u00"', b'"\\u00g0"', b'"\\U0041"'),
        *(b'"\\u"', b'"\\u 041"', b'"\\u+041"', b'"\\u-041"', b'"\\u0x41"', b'"\\a"', b'"\\v"', b'"\\0"', b'"\\1"', b'"\\e"'),
        *(b'"\\\'"', b'"\\ "', b'"\\N"', b'"\\u004"', b'"\\uD83D\\u"', b'"\\uD83D\\u1"', b'"\\u{41}"', b'"\\\t"', b'"\\\r"'),
        *(bytes([0x22, code, 0x22]) for code in range(0x20) if code != 0x0A),
        *(b'"a\x00b"', b'"\x1f"', b'"a\tb"', b'"a\rb"', b'"\x08"', b'"\\', b'"\\\x00"', b'"\\' + "é".encode() + b'"'),
        *(b'"\\u\xef\xbc\x90041"', b'"a" "b"', b'"a"b', b'"a"+"b"', "“a”".encode(), b'b"a"', b'u"a"', b'r"a"'),
    ],
    "surrogates": [
        *(b'"\\ud800"', b'"\\udc00"', b'"\\udfff"', b'"\\uDBFF"', b'"a\\ud83d"', b'"\\ud83da"', b'"\\ud83d\\u0041"'),
        *(b'"\\ud83d\\ud83d"', b'"\\ude00\\ud83d"', b'"\\ud83d\\ud83d\\ude00"', b'"\\ud83d\\ude00\\ude00"'),
        *(b'"\\ud83d \\ude00"', b'"\\ud83d\\n"', b'"\\udc00\\udc00"', b'"\\ud800\\ud800\\udc00"', b'"\\uDADA"'),
        b'{"\\ud800":1}',
        b'{"a":{"\\udc00":1}}',
        b'"\\ud83d\xed\xb8\x80"',
    ],
    "utf8": [
        *(b'"\xff"', b'"\xfe"', b'"\x80"', b'"\xbf"', b'"\xc3"', b'"\xc3("', b'"\xa0\xa1"', b'"\xe2\x28\xa1"'),
        *(b'"\xe2\x82"', b'"\xe2\x82("', b'"\xf0\x9f\x98"', b'"\xf0\x28\x8c\xbc"', b'"\xf0\x90\x28\xbc"', b'"\xf0\x9f"'),
        *(b'"\xc0\x80"', b'"\xc0\xaf"', b'"\xc1\xbf"', b'"\xc1\x81"', b'"\xe0\x80\xaf"', b'"\xe0\x9f\xbf"'),
        *(b'"\xf0\x80\x80\xaf"', b'"\xf0\x8f\xbf\xbf"', b'"\xf8\x80\x80\x80\xaf"', b'"\xfc\x80\x80\x80\x80\xaf"'),
        *(b'"\xed\xa0\x80"', b'"\xed\xbf\xbf"', b'"\xed\xa0\xbd\xed\xb8\x80"', b'"\xed\xb0\x80"', b'"\xed\xaf\xbf"'),
        *(b'"\xf4\x90\x80\x80"', b'"\xf5\x80\x80\x80"', b'"\xf7\xbf\xbf\xbf"', b'"\xf8\x88\x80\x80\x80"', b'"\xfb\xbf\xbf\xbf\xbf"'),
        *(b'"\xe9"', b'"caf\xe9"', b'{"\xff":1}', b"\xff", b"\xc3\xa9", b'"a\xff\xfe"', b'"\xc3\xa9\xa9"', b'"\xe2"'),
    ],
    "structure": [
        *(b"", b"[", b"]", b"{", b"}", b"[1", b"[1,", b"[1,]", b"[,1]", b"[,]", b"[1,,2]", b"[1 2]", b"[1:2]", b"[1;2]"),
        *(b"[[]", b"[]]", b"[1}", b"{]", b'{"a"}', b'{"a":}', b'{"a" 1}', b'{"a",1}', b'{"a":1,}', b'{,"a":1}', b'{:1}'),
        *(b'{"a":1,,"b":2}', b'{"a":1 "b":2}', b'{"a":1;"b":2}', b"{a:1}", b"{'a':1}", b"{1:1}", b"{null:1}", b"{[]:1}"),
        *(b'{"a"::1}', b'{"a"=1}', b'{"a":1:2}', b'{"a":"b":"c"}', b'{"a":1', b'{"a":', b'{"a', b'{"a"', b"{,}", b'{"a":1]'),
        *(b"[]x", b"[] []", b"{}{}", b"1 2", b"1,", b",1", b"[1],", b"[/**/]", b"[1]//x", b"/* x */1", b"#x\t1", b"[1]#"),
        *(b"[\xc2\xa0]", b"[\x0c]", b"[\x0b]", b"[\xe2\x80\xa8]", b"[\xef\xbb\xbf]", b"[\x00]", b"\x001", b"[1\x00]", b"[\x1f]"),
        *(b"[\xe2\x81\xa0]", b"<null>", b"[<null>]", b"*", b"[*]", b"...", b"[...]", b"[1,...]", b'["a",\\n]', b"\\[1]", b"\\u005b]"),
        *(b'{"a":1}}', b'["a"', b'["', b"[tru]", b"[nul", b"{{}}", b'{[]:{}}', b'[{"a":1]', b"{\"a\":[}"),
    ],
    "duplicates": [
        b'{"a":1,"a":2}',
        b'{"a":1,"a":1}',
        b'{"a":1,"b":2,"a":3}',
        b'{"":0,"":0}',
        b'{"a":1,"\\u0061":2}',
        b'{"x":{"a":1,"a":2}}',
        b'[[{"a":null,"a":null}]]',
        b'{"\\ud83d\\ude00":1,"\xf0\x9f\x98\x80":2}',
        b'{"\\/":1,"/":2}',
        b'{"1":1,"1":2}',
        b'{"__proto__":1,"__proto__":2}',
    ],
}
"""Values that make their line no JSON: the answer has no id."""

REFUSED_LINES: list[bytes] = [
    *(b"", b" ", b"\t", b"\r", b" \r", b"x", b"hello", b"null", b"true", b"1", b"1.5", b'"a"', b"[]", b"[{}]", b"{}"),
    *(b'[{"id":1,"op":"print","input":{}}]', b'"{\\"id\\":1}"', b'{"op":"print","input":{}}', b'{"ID":1,"op":"print","input":{}}'),
    *(b'{"id":"1","op":"print","input":{}}', b'{"id":1.0,"op":"print","input":{}}', b'{"id":null,"op":"print","input":{}}'),
    *(b'{"id":true,"op":"print","input":{}}', b'{"id":[1],"op":"print","input":{}}', b'{"id":{},"op":"print","input":{}}'),
    *(b'{"id":1e0,"op":"print","input":{}}', b'{"id":"NaN","op":"print","input":{}}', b'{"id":false,"op":"hello"}'),
    b'\xef\xbb\xbf{"id":1,"op":"print","input":{}}',
    b'\xff\xfe{\x00}\x00',
    b'{"id":1,"op":"print","input":{}}x',
    b'{"id":1,"op":"print","input":{}}{"id":2,"op":"print","input":{}}',
    b'{"id":1,"op":"print","input":{}},',
    b'{"id":1,"op":"print","input":{}}\x00',
    b'\x00{"id":1,"op":"print","input":{}}',
    b'{"id":1,"id":2,"op":"print","input":{}}',
    b'{"id":1,"op":"print","op":"print","input":{}}',
    b'{"id":1,"op":"print","input":{},"input":{}}',
    b'{"id":1,"op":"print","input":{},"more":NaN}',
    b'{"id":1,"op":"no_such","input":NaN}',
    b'{"id":1,"op":"print","input":{}',
    b'{"id":1,"op":"print","input":{"a":1,"\\u0061":1}}',
    b"{'id':1,'op':'print','input':{}}",
    b'{id:1,op:"print",input:{}}',
    b'{"id":1,"op":"print","input":{},}',
    b'{"id":01,"op":"print","input":{}}',
    b'{"id":+1,"op":"print","input":{}}',
    b'//{"id":1}',
    b"#!/bin/sh",
    b"GET / HTTP/1.1",
    b"-n",
    b"-e",
    b"$(exit 3)",
    b"`exit 3`",
    b"%s%n%d",
    b"\\",
    b'"',
    b"'",
    b"*",
    b"\x1b[0m",
]
"""Lines that are no message at all: the answer has no id."""

REFUSED_REQUESTS: list[bytes] = [
    *(b'"op":"print"', b'"op":"print","input":null', b'"op":"print","input":[]', b'"op":"print","input":"x"'),
    *(b'"op":"print","input":1', b'"op":"print","input":true', b'"op":"print","input":1.5', b'"op":"print","inputs":{}'),
    *(b'"op":null,"input":{}', b'"op":1,"input":{}', b'"op":["print"],"input":{}', b'"op":{},"input":{}', b'"input":{}'),
    *(b'"op":true,"input":{}', b'"OP":"print","input":{}', b'"op":0.5,"input":{}'),
]
"""Members behind a good id that make no message: the answer has that id."""

TAKEN_VALUES: list[bytes] = [
    *(b"null", b"true", b"false", b"0", b"-0", b"1", b"-1", b"10", b"-123", b"0.5", b"-0.5", b"0.0", b"-0.0", b"1.0"),
    *(b"1e0", b"1E0", b"1e+0", b"1e-0", b"1E+2", b"1E-2", b"0e0", b"0e5", b"-0e0", b"0E+1", b"0e-999", b"0.0e999", b"0e999999"),
    *(b"-0E-5", b"1e00", b"1e05", b"1e+0002", b"1e-0002", b"100e-2", b"1.50", b"1.5e-7", b"12345678901234567890"),
    *(b"123e65", b"123.456e78", b"123.456789", b"1E22", b"1e22", b"1e23", b"1e21", b"1e16", b"1e15", b"123456789012345.0"),
    *(b"1e-1000", b"-1e-1000", b"123e-10000000", b"0.1e1", b"-237462374673276894279832749832423479823246327846"),
    *(b'""', b'"a"', b'" "', b'"\\""', b'"\\\\"', b'"\\/"', b'"/"', b'"\\b\\f\\n\\r\\t"', b'"\\u0000"', b'"\\u0041"', b'"\\u00e9"'),
    *(b'"\\u00E9"', b'"\\u20ac"', b'"\\uFFFF"', b'"\\uffff"', b'"\\ufffe"', b'"\\ufdd0"', b'"\\u2028\\u2029"', b'"\\u001f"', b'"\\u007f"'),
    *(b'"\x7f"', '"é€😀"'.encode(), "\"\u2028\u2029\u0085\"".encode(), "\"\ufeff\"".encode(), b'"\\ud83d\\ude00"', b'"\\uD83D\\uDE00"'),
    *(b'"\\ud800\\udc00"', b'"\\udbff\\udfff"', "\"\U0010ffff\"".encode(), "\"\ufffd\uffff\"".encode(), "\"\u202e\u200d\u0301\"".encode()),
    *(b'"\\\\u0041"', b'"\\u005C\\u0022"', b'"\\u005c\\u005c"', b'"a/*b*/c//d#e"', b'"\\\\\\""', b'"NaN"', b'"Infinity"', b'"-Infinity"'),
    *(b'"$HOME `id` $(id) %s \'\\" \\\\n"', b'"-n"', b'"1.0"', b'"5"', b'"null"', b'"*"', b'"\\u0001\\u0002\\u000b\\u001b"', b'"&<>"'),
    *(b"[]", b"[[]]", b"[1]", b"[1,2]", b"[null]", b"[1,[2,[3,[]]],{}]", b'[true,false,null,0,0.0,"",[],{}]', b"[0,-0,0.0,-0.0]"),
    *(b"{}", b'{"a":1}', b'{"":0}', b'{"b":1,"a":2}', b'{"a":{"a":{"a":{}}}}', b'{"a":[],"b":{}}', b'{"a":null}', b'{"\\u0000":0}'),
    *(b'{"1":1,"0":0}', b'{"10":1,"9":2,"-1":3,"01":4,"1.5":5}', b'{"b":1,"2":2,"a":3,"1":4}', b'{"4294967295":1,"4294967294":2,"0":3}'),
    *(b'{"__proto__":1}', b'{"__proto__":{"polluted":1},"constructor":2}', b'{"a":1,"__proto__":null,"b":2}', b'{"toString":1,"valueOf":2}'),
    *(b'{"hasOwnProperty":1,"length":2,"then":3,"toJSON":4}', b'{"id":1,"op":"x","ok":2,"error":3}', b'{"A":1,"a":2}', b'{"a":1,"a ":2}'),
    *('{"é":1,"e\u0301":2}'.encode(), '{"ﬁ":1,"fi":2}'.encode(), '{"ß":1,"ss":2,"SS":3}'.encode(), b'{"\\"":1,"\\\\":2,"/":3,"\\n":4}'),
    *('{"\uffff":1,"\U00010000":2}'.encode(), b'{"\\ud83d\\ude00":1,"\\u0061\\u0062":2}', b'{"NaN":"NaN"}', b'{"$type":"x","$ref":"#"}'),
    *(b" \t\r 1 \t\r ", b"[ 1 ,\t2 ,\r3 ]", b' { "a" :\t1\r, "b" : [ ] } ', b"[\r]", b"{\t}", b"[ [ ] , { } ]"),
]
"""Values that every reader of JSON takes, and a line can hold."""

