"""Runs many Meltano commands for one start of Meltano, which takes longer than nearly any of its commands.

Reads a JSON array of command lines from standard input, each an array of arguments. For each it forks a child that
calls Meltano's own `main()`, and writes one JSON line `{"code": …, "out": …, "err": …}` when that child has ended.
To be run by the Python of the environment that Meltano is installed in.
"""

import gc
import json
import os
import sys
import tempfile
import traceback

import meltano.cli

# Meltano imports these only when it needs them, which each child would do again.
import alembic.command
import meltano.core.migration_service
import meltano.core.state_store.db
import sqlalchemy.dialects.sqlite


def run(arguments):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            become_meltano(arguments, out, err)
        _, status = os.waitpid(child, 0)
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode())
    return {"code": os.waitstatus_to_exitcode(status), "out": texts[0], "err": texts[1]}


def become_meltano(arguments, out, err):
    """Never returns."""
    code = 1
    os.dup2(out.fileno(), 1)
    os.dup2(err.fileno(), 2)
    try:
        sys.argv = ["meltano", *arguments]
        meltano.cli.main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


gc.freeze()  # what is not touched is not copied when a child is forked
for line in json.load(sys.stdin):
    print(json.dumps(run(line)), flush=True)
