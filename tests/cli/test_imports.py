"""A command imports what it needs, and an error that a user can mend becomes a sentence whoever raises it."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

NOT_NEEDED = ("conformance.diagnosis", "conformance.mistakes", "conformance.fuzz", "jinja2", "asyncio")


def loaded(program):
    program = f"import sys\n{program}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_check_does_not_import_the_other_commands() -> None:
    found = loaded("import conformance.extensions.audit.command")
    assert "conformance.extensions.audit.job" in found
    assert not found.intersection(NOT_NEEDED)


@pytest.mark.parametrize("words", [("--help",), ("kit", "--help"), ("no-such",)])
def test_help_imports_no_command(words) -> None:
    """Nor what only commands need: it is shown in a fifth of a second."""
    argv = ["harbor-conformance", *words]
    found = loaded(f"from conformance.cli import main\nsys.argv = {argv}\ntry: main()\nexcept SystemExit: 0")
    assert {"conformance.cli.main", "conformance.cli.table"} == {
        name for name in found if name.startswith("conformance.cli.")
    }
    assert not {"rich", "conformance.registry", "jsonschema", "pytest"} & found
