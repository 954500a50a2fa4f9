"""The arrows between layers, as the imports really are (docs/architecture.md).

Reads every module with `ast`, imports inside functions and `if TYPE_CHECKING` included. A failure names the file, the
line and what it may not import.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "talkfield"


@dataclass(frozen=True)
class Layer:
    """What a package may import: modules of Talkfield (and what is below them), other packages, the standard library.

    `standard` None: all of it but `forbidden`. A layer may always import itself.
    """

    own: tuple[str, ...]
    others: tuple[str, ...] = ()
    standard: frozenset[str] | None = None
    forbidden: frozenset[str] = frozenset()


PURE = frozenset(
    {
        *("__future__", "abc", "base64", "bisect", "collections", "contextlib", "copy", "dataclasses", "datetime"),
        *(
            "decimal",
            "difflib",
            "enum",
            "fractions",
            "functools",
            "hashlib",
            "heapq",
            "itertools",
            "json",
            "math",
            "numbers",
        ),
        *("operator", "re", "shlex", "string", "textwrap", "types", "typing", "unicodedata"),
    }
)
NETWORK = frozenset({"socket", "ssl", "http.client", "http.server", "urllib.request", "asyncio.streams"})
FILES = frozenset({"io", "os", "pathlib.Path", "shutil", "tempfile", "glob", "sqlite3", "fcntl", "mmap"})
PROCESSES = frozenset({"subprocess", "multiprocessing"})

LAYERS: dict[str, Layer] = {
    "errors": Layer(own=(), standard=PURE),
    "core": Layer(own=("errors",), others=("msgspec",), standard=PURE),
    "wire": Layer(own=("core", "errors"), others=("msgspec",), standard=PURE),
    "runtime": Layer(own=("core", "errors"), others=("msgspec",), forbidden=NETWORK | FILES | PROCESSES),
    "providers": Layer(
        own=("core", "errors", "runtime.ports", "runtime.config", "runtime.configuration_book", "__version__"),
        others=("aiohttp", "multidict", "yarl", "msgspec", "xllamacpp"),
    ),
    "tools": Layer(
        own=("core", "errors", "runtime.ports", "runtime.config", "runtime.configuration_book"),
        others=("msgspec", "mcp", "pathspec", "jsonschema"),
    ),
    "storage": Layer(
        own=("core", "errors", "runtime.config"),
        others=("msgspec", "sqlalchemy", "alembic", "keyring", "platformdirs"),
        forbidden=NETWORK,
    ),
    "workspace": Layer(
        own=("core", "errors", "wire", "runtime", "storage.base"),
        others=("msgspec",),
        forbidden=NETWORK | FILES | PROCESSES,
    ),
    "server": Layer(
        own=("core", "errors", "wire", "workspace.base", "__version__"),
        others=("msgspec", "starlette", "uvicorn"),
        forbidden=PROCESSES,
    ),
    "terminal": Layer(
        own=("core", "errors", "library", "runtime.ports", "runtime.gate", "storage.atomic"),
        others=("msgspec", "rich"),
        forbidden=NETWORK | PROCESSES,
    ),
    "testing": Layer(own=("core", "errors"), others=("msgspec",), forbidden=NETWORK | FILES | PROCESSES),
    "prices": Layer(own=("core", "errors"), others=("genai_prices",)),
}
"""Everything else (`assemble`, `cli`, the package's front door) may know every layer."""

FORBIDDEN_IN_CORE = {"now", "utcnow", "today", "open", "print", "input"}
"""Calls that look at a clock or touch the world (law 6)."""


@dataclass(frozen=True)
class Import:
    module: str
    line: int


def modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py"))


def layer_of(path: Path) -> str:
    first = path.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


def imports_of(path: Path) -> Iterator[Import]:
    """Every imported module, `from a import b` as `a.b`: b may be a module."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: import by full name, so that it can be found by search"
            for alias in node.names:
                yield Import(f"{node.module}.{alias.name}", node.lineno)


def under(module: str, allowed: str) -> bool:
    return module == allowed or module.startswith(allowed + ".")


def refusal(layer_name: str, layer: Layer, imported: str) -> str | None:
    """Why the layer may not import this, or None."""
    top, _, rest = imported.partition(".")
    if top == "talkfield":
        allowed = any(under(rest, name) for name in (*layer.own, layer_name))
        return None if allowed else f"{layer_name} may import of Talkfield only {', '.join(layer.own) or 'nothing'}"
    if top in sys.stdlib_module_names:
        if layer.standard is not None and top not in layer.standard:
            return f"{layer_name} is pure: not even {top} of the standard library"
        hit = next((name for name in layer.forbidden if under(imported, name)), None)
        return f"{layer_name} may not use {hit}" if hit else None
    return None if top in layer.others else f"{layer_name} may use {', '.join(layer.others)}, not {top}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_follow_the_layers(path: Path) -> None:
    name = layer_of(path)
    layer = LAYERS.get(name)
    if layer is None:
        return
    where = path.relative_to(SOURCE)
    problems = [
        f"{where}:{found.line}: imports {found.module}: {problem}"
        for found in imports_of(path)
        if (problem := refusal(name, layer, found.module))
    ]
    assert problems == []


def test_every_package_has_a_layer() -> None:
    packages = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert packages <= LAYERS.keys()


@pytest.mark.parametrize(
    "path", [path for path in modules() if layer_of(path) == "core"], ids=lambda path: str(path.relative_to(SOURCE))
)
def test_core_looks_at_no_clock_and_touches_nothing(path: Path) -> None:
    problems = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in FORBIDDEN_IN_CORE:
                problems.append(f"{path.relative_to(SOURCE)}:{node.lineno}: calls {name}()")
        elif isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.Global):
            problems.append(f"{path.relative_to(SOURCE)}:{node.lineno}: waits, or changes a global")
    assert problems == []


MEMBERS: dict[str, tuple[str, ...]] = {
    "providers": ("anthropic", "openai", "scripted"),
    "core/slash": ("clear", "cost", "model", "system"),
    "core/nodes": ("chat", "sticky"),
    "tools": ("read_file", "list_dir", "find_files", "search_text", "write_file", "edit_file", "run_command"),
}
"""Registries whose members know nothing of each other. What they share is in their folder's `base` and the like."""


@pytest.mark.parametrize(
    ("folder", "member"), [(folder, member) for folder, members in MEMBERS.items() for member in members]
)
def test_members_of_a_registry_do_not_import_each_other(folder: str, member: str) -> None:
    path = SOURCE / folder / f"{member}.py"
    package = "talkfield." + folder.replace("/", ".")
    others = [f"{package}.{other}" for other in MEMBERS[folder] if other != member]
    assert [found.module for found in imports_of(path) if any(under(found.module, other) for other in others)] == []


def test_the_check_itself_sees_a_wrong_arrow() -> None:
    assert refusal("core", LAYERS["core"], "asyncio")
    assert refusal("core", LAYERS["core"], "talkfield.wire.client")
    assert refusal("providers", LAYERS["providers"], "talkfield.runtime.turn_runner")
    assert refusal("storage", LAYERS["storage"], "talkfield.runtime.ports")
    assert refusal("workspace", LAYERS["workspace"], "talkfield.storage.database")
    assert refusal("server", LAYERS["server"], "talkfield.workspace.session")
    assert refusal("runtime", LAYERS["runtime"], "aiohttp")
    assert refusal("runtime", LAYERS["runtime"], "os.path")
    assert not refusal("server", LAYERS["server"], "talkfield.workspace.base.SessionLike")
    assert not refusal("core", LAYERS["core"], "talkfield.core.records.Record")
