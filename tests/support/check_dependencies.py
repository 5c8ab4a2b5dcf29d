#!/usr/bin/env python3
"""Checks what the program is built from: licences, and crates that must be there once or not at all.

    check_dependencies.py               asks `cargo tree`; exit 1 and a line for each fault
    check_dependencies.py --self-test   checks the rules themselves
"""

import re
import subprocess
import sys

# Two versions of one of these do not fit together: types of the one are not types of the other, and a runtime, a
# terminal or a set of trusted roots would be there twice.
ONCE = {"ratatui", "crossterm", "tokio", "rustls", "rusqlite", "libsqlite3-sys", "object_store", "jiff"}
NEVER = {"openssl", "openssl-sys", "native-tls"}

PERMITTED = {
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Unlicense",
    "Zlib",
}


def permitted(expression):
    """Tells whether an SPDX expression leaves a way to comply that is in PERMITTED. `/` is an old spelling of OR."""
    words = re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR "))
    answer, rest = either(words)
    return answer and not rest


def either(words):
    answer, rest = both(words)
    while rest[:1] == ["OR"]:
        other, rest = both(rest[1:])
        answer = answer or other
    return answer, rest


def both(words):
    answer, rest = one(words)
    while rest[:1] == ["AND"]:
        other, rest = one(rest[1:])
        answer = answer and other
    return answer, rest


def one(words):
    if words[:1] == ["("]:
        answer, rest = either(words[1:])
        return answer and rest[:1] == [")"], rest[1:]
    if words[1:2] == ["WITH"]:
        return " ".join(words[:3]) in PERMITTED, words[3:]
    return words[:1] != [] and words[0] in PERMITTED, words[1:]


def faults(lines):
    """Takes lines `NAME vVERSION …|LICENCE` and yields what is wrong."""
    versions = {}
    for line in sorted(set(lines)):
        package, _, licence = line.partition("|")
        name, version = package.split()[:2]
        versions.setdefault(name, set()).add(version)
        if not permitted(licence):
            yield f"{name} {version}: its licence is {licence or 'not told'}"
    for name in sorted(NEVER & versions.keys()):
        yield f"{name} must not be in the tree"
    for name in sorted(ONCE & versions.keys()):
        if len(versions[name]) > 1:
            yield f"{name} is there more than once: {', '.join(sorted(versions[name]))}"


def self_test():
    for good in (
        "MIT",
        "MIT/Apache-2.0",
        "Apache-2.0 / MIT",
        "GPL-3.0 OR MIT",
        "MIT OR Apache-2.0 OR LGPL-2.1-or-later",
        "(MIT OR GPL-2.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception",
    ):
        assert permitted(good), good
    for bad in (
        "",
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "(MIT OR Apache-2.0) AND LGPL-3.0",
        "GPL-2.0 WITH Classpath-exception-2.0",
        "(MIT",
        "MIT Apache-2.0",
    ):
        assert not permitted(bad), bad
    assert list(faults(["a v1.0.0|MIT", "a v1.0.0|MIT", "tokio v1.2.3|MIT"])) == []
    assert len(list(faults(["tokio v1.2.3|MIT", "tokio v2.0.0|MIT"]))) == 1
    assert len(list(faults(["openssl-sys v0.9.0|MIT", "b v1.0.0|", "c v1.0.0|AGPL-3.0"]))) == 3


def main():
    self_test()
    if sys.argv[1:] == ["--self-test"]:
        return
    command = ["cargo", "tree", "--locked", "--target=all", "--edges=normal,build,dev", "--prefix=none", "--format={p}|{l}"]
    tree = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout
    lines = {line.removesuffix(" (*)") for line in tree.splitlines() if line}
    wrong = list(faults(lines))
    print(*wrong, f"{len(lines)} packages looked at, {len(wrong)} faults", sep="\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
