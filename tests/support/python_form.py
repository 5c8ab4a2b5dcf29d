"""Makes tests/fixtures/json/python-form.jsonl: what CPython 3.11 reads, refuses and writes back.

    python3.11 tests/support/python_form.py            write the table
    python3.11 tests/support/python_form.py --check    make it anew and compare; exit 1 when it differs

A row is {"text", "dumps"}, with "compact" and "indent" in some, or {"text", "error"} where json.loads refuses.
The same table comes out of every run: the seed is fixed, and nothing else goes in.
"""

import json
import json.scanner
import random
import struct
import sys
from pathlib import Path

TABLE = Path(__file__).resolve().parent.parent / "fixtures" / "json" / "python-form.jsonl"
SEED = 311

EDGES = """
0.0 -0.0 1.0 -1.0 0.1 1e0 1E3 1e3 1.0e+03 1e15 1e16 1e17 1e21 1e22 1e23 2e23 1e400 -1e400 1e-400 -1e-400
123456789012345678.0 12345678901234567.0 1234567890123456.0 123456789012345.6 9007199254740992.0 9007199254740993.0
9007199254740994.0 9999999999999998.0 9999999999999999.0 99999999999999990.0 0.001 0.0001 0.00012 0.00009999999999999999
0.00001 0.000012345 1e-4 1e-5 9.999e-5 1e-7 1e-10 1e-99 1e-100 1e99 1e100 5e-324 4.9e-324 2.4703282292062327e-324
2.4703282292062328e-324 1e-323 2.2250738585072014e-308 2.2250738585072011e-308 1.7976931348623157e308
1.7976931348623158e308 1.7976931348623159e308 179769313486231580793728971405301e276 0.30000000000000004 100.0 1e2
1.5e300 4.35 0.5 2.5e-8 1e1 123e-2 1234567.0e-10 5e-0 0e0 0e99999 -0e5 0.1e1 1.10 1.000000000000000000000000000000001
3.14159265358979323846264338327950288 883657864608597.25 883657864608597.75 2251799813685248.25 2251799813685248.75
5.684341886080801486968994140625e-14 9007199254740991.5 4503599627370495.5 4503599627370497.5 562949953421312.125
NaN Infinity -Infinity
0 -0 1 -1 123456789012345678 9007199254740993 18446744073709551616 -170141183460469231731687303715884105729
100000000000000000000000000000000000000000000000000
""".split()

ACCEPTED = [
    '[0.0001, 0.00001, 1e16, 1e15, 123456789012345678, 5e-324, 1.7976931348623157e308, 2e23, 9007199254740993.0]',
    '[NaN, -Infinity, Infinity, -0, -0.0, 1E400]',
    ' \t\r\n[ ]\n', '{ }', '[[], {}, [[]], [{}], {"a": {}}]', '""', '" "', 'null', ' true ', '[null,true,false]',
    '"\\u007f\x7f\\u0080\x80"', '"\\b\\f\\n\\r\\t\\"\\\\\\/"', '"\\u0008\\u000c\\u000a\\u000d\\u0009\\u0022\\u005c\\u002f"',
    '"\\u0000\\u001f\\u001F"', '"\u00e9\\u00e9\\u00E9"', '"\u2028\u2029\ufeff\uffff\ue000"', '"\U0001f600\\ud83d\\ude00\\uD83D\\uDE00"',
    '"\\ud800"', '"\\udc00"', '"\\uDFFF\\uD800"', '"\\ud800\\ud800\\udc00"', '"\\ud800\\u0041"', '"\\ud800\\n\\udc00"', '"\\ud83d\\\\ude00"',
    '"\U0010ffff\U00010000"', '{"\\ud800": 1, "\\ud800": 2}', '{"a": 1, "a": 2}', '{"a": 1, "b": 2, "a": 3}',
    '{"a": 1, "\\u0061": 2, "b": {"c": 1, "c": [1.0, 1e1], "d": 0}, "a": {"x": -0}}', '{"": 1, "": {"": {"": 2}, "": 3}}',
    '{"a": {"a": 1, "a": 2}, "a": 3, "c": 4, "b": 5, "c": 6}', '{"/": "a/b", "\\/": "a\\/b"}',
    '{"singer_state":{"bookmarks":{"issues":{"partitions":[{"context":{"repo":"a"},"replication_key_value":"2026-01-01T00:00:00+00:00"}]}}}}',
]

REFUSED = [
    '', ' ', '\ufeff{}', '{}x', '[1,]', '[,]', '[1 2]', '[', ']', '{', '}', '{"a"}', '{"a":}', '{"a":1,}', '{a:1}', "{'a':1}", '{1:1}',
    '01', '-', '-01', '1.', '.5', '1e', '1e+', '1.e5', '+1', '--1', '0x1', '1_0', '-NaN', '+Infinity', 'nan', 'Inf', '-Infinit', 'True', 'None', 'nul',
    'nulll', '"', '"\\"', '"\\x41"', '"\\u12"', '"\\u12g4"', '"\\u 123"', '"\\u+123"', '"\\ud800\\u"', '"\\ud800\\udc0"', '"\\ud800\\udc0g"', '"\\',
    '"a\nb"', '"\t"', '"\x00"', '"\x1f"', '{"\t":1}', '\x0b1', '\x0c1', '\xa01', '[1\u2003]', '\u0663', '[1]]', '1 1', '// a\n1', '/**/1', '[1;2]', '\x00', '1\x00',
]


def random_float_text(rng):
    value, = struct.unpack("<d", rng.getrandbits(64).to_bytes(8, "little"))
    if value != value or value in (float("inf"), float("-inf")):
        return random_float_text(rng)
    form = rng.randrange(6)
    if form == 0:
        return "%.17e" % value
    if form == 1:
        return ("%.16E" % value).replace("E+", "E")
    if form == 2:
        return repr(rng.uniform(-1, 1) * 10.0 ** rng.randrange(-8, 20))
    return repr(value) if "." in repr(value) or "e" in repr(value) else repr(value) + ".0"


def even_digits_text(rng):
    """A double half-way between two shortest spellings, or a power of two, whose neighbour below is nearer."""
    if rng.randrange(2):
        return "%.17e" % 2.0 ** rng.randrange(-1074, 1024)
    return "%d.%s" % (2 ** 49 + rng.getrandbits(50), rng.choice(["25", "75", "125", "375", "5"]))


def random_space(rng):
    return "".join(rng.choice(" \t\n\r") for _ in range(rng.randrange(3))) if rng.randrange(4) == 0 else ""


def random_string(rng):
    pieces = [
        lambda: rng.choice("abcXYZ09 _-:.~'<>&"),
        lambda: rng.choice(["\\n", "\\t", "\\r", "\\b", "\\f", "\\/", "\\\\", '\\"']),
        lambda: "\\u%04x" % rng.getrandbits(16),
        lambda: "\\u%04X" % (0xD800 + rng.getrandbits(11)),
        lambda: "\\ud83d\\ude%02x" % rng.getrandbits(8),
        lambda: rng.choice("\x7f\x80\xa0\xe9\u0301\u200d\u2028\u202e\u4e2d\ufeff\uffff\U0001f600\U0010ffff"),
    ]
    return '"' + "".join(rng.choice(pieces)() for _ in range(rng.randrange(6))) + '"'


def random_number(rng):
    form = rng.randrange(4)
    if form == 0:
        return rng.choice(EDGES)
    if form == 1:
        return random_float_text(rng)
    if form == 2:
        return str(rng.getrandbits(rng.choice([4, 32, 64, 200])) * rng.choice([1, -1]))
    fraction = rng.choice(["", ".%d" % rng.randrange(1000), ".000%d" % rng.randrange(10)])
    exponent = rng.choice(["", "e%d" % rng.randrange(25), "E+%d" % rng.randrange(25), "e-%02d" % rng.randrange(9)])
    return rng.choice(["", "-"]) + str(rng.randrange(100)) + fraction + exponent


def random_text(rng, depth=0):
    space = lambda: random_space(rng)
    form = rng.randrange(10 if depth < 4 else 6)
    if form < 2:
        return random_string(rng)
    if form < 5:
        return random_number(rng)
    if form == 5:
        return rng.choice(["null", "true", "false", "NaN", "Infinity", "-Infinity"])
    items = []
    for _ in range(rng.randrange(5)):
        value = space() + random_text(rng, depth + 1) + space()
        if form >= 8:
            key = rng.choice(['"a"', '"\\u0061"', '"b"', '""', '"\\ud800"', random_string(rng)])
            value = space() + key + space() + ":" + value
        items.append(value)
    inside = ",".join(items) or space()
    return "{" + inside + "}" if form >= 8 else "[" + inside + "]"


def mutated(rng, text):
    at = rng.randrange(len(text) + 1)
    piece = rng.choice(list('{}[]:,"\\/-+.eE0123456789truNaIx \n\t\x01') + ["", "", "\\u", "1.", "NaN", "\x7f", "\xe9"])
    return text[:at] + piece + text[at + rng.randrange(2):]


def texts():
    rng = random.Random(SEED)
    yield from EDGES
    yield from ACCEPTED
    yield from REFUSED
    for _ in range(150):
        yield "[" + ",".join(random_float_text(rng) for _ in range(10)) + "]"
    for _ in range(20):
        yield "[" + ",".join(even_digits_text(rng) for _ in range(10)) + "]"
    yield from short_texts(rng, 500, 180, lambda: random_text(rng))
    yield from short_texts(rng, 360, 80, lambda: mutated(rng, random_text(rng)))


def short_texts(rng, count, longest, make):
    while count:
        text = make()
        if len(text) <= longest:
            count -= 1
            yield text


def row(number, text):
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        return {"text": text, "error": str(error)}
    made = {"text": text, "dumps": json.dumps(value)}
    if number % 8 == 0 or text in ACCEPTED:
        made["compact"] = json.dumps(value, separators=(",", ":"))
        made["indent"] = json.dumps(value, indent=2)
    return made


def table():
    return "".join(json.dumps(row(number, text)) + "\n" for number, text in enumerate(texts()))


def main():
    if sys.implementation.name != "cpython" or sys.version_info[:2] != (3, 11) or json.scanner.c_make_scanner is None:
        sys.exit("the table is made by CPython 3.11 with its C scanner; this is " + sys.version)
    made = table()
    if "--check" not in sys.argv[1:]:
        TABLE.write_text(made, encoding="ascii")
    elif TABLE.read_text(encoding="ascii") != made:
        sys.exit(f"{TABLE} is not what CPython {sys.version.split()[0]} makes now")


if __name__ == "__main__":
    main()
