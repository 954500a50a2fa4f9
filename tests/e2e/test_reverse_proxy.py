"""The recipe of docs/hosting.md, as it stands there, in a real nginx with a certificate of its own."""

from __future__ import annotations

import datetime
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from playwright.sync_api import Browser, expect

from e2e.canvas_page import CanvasPage
from e2e.conftest import Sins, watched
from e2e.server_process import ServerProcess, eventually

RECIPE = Path(__file__).resolve().parents[2] / "docs" / "hosting.md"
UNPACKED = RECIPE.parents[1] / ".make" / "nginx" / "usr" / "sbin"
NGINX = shutil.which("nginx", path=f"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:{UNPACKED}")


def free_port() -> int:
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        return int(asking.getsockname()[1])


def is_listening(port: int) -> bool:
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0


def certify(name: str, certificate: Path, key_file: Path) -> None:
    """A certificate for `name` that it gave itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    signed = (
        x509.CertificateBuilder(subject_name=subject, issuer_name=subject, public_key=key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    key_file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, plain)
    )


@pytest.fixture
def proxied(start: Callable[..., ServerProcess], tmp_path: Path) -> Iterator[ServerProcess]:
    """Talkfield behind nginx. Of the recipe, names, ports and the places of files are changed, and nothing else."""
    if NGINX is None:
        pytest.skip("no nginx")
    inside, outside = free_port(), free_port()
    server = start("--port", str(inside), "--public-url", f"https://localhost:{outside}", TALKFIELD_SCRIPTED="1")
    found = re.search(r"```nginx\n(.*?)```", RECIPE.read_text(), re.DOTALL)
    assert found
    certify("localhost", tmp_path / "talk.pem", tmp_path / "talk.key")
    recipe = (
        found[1]
        .replace("listen 443", f"listen 127.0.0.1:{outside}")
        .replace("127.0.0.1:8420", f"127.0.0.1:{inside}")
        .replace("/etc/ssl/talk.example.org", str(tmp_path / "talk"))
        .replace("talk.example.org", "localhost")
    )
    places = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    own = "".join(f"{place}_temp_path {tmp_path / place};\n" for place in places)
    user = "user root;" if os.geteuid() == 0 else ""
    (tmp_path / "nginx.conf").write_text(
        f"{user} daemon off; pid {tmp_path / 'pid'}; error_log stderr; events {{}}\n"
        f"http {{ access_log off;\n{own}{recipe} }}\n"
    )
    with (tmp_path / "said").open("w") as said:
        proxy = subprocess.Popen([NGINX, "-e", "stderr", "-c", tmp_path / "nginx.conf"], stderr=said)
        eventually(lambda: is_listening(outside), what=f"nginx listens; it says {(tmp_path / 'said').read_text()}")
        yield server.ready()
        proxy.terminate()
        assert proxy.wait(10) == 0


def test_X1_the_canvas_behind_nginx_with_tls(proxied: ServerProcess, browser: Browser, sins: Sins) -> None:
    context = watched(browser.new_context(ignore_https_errors=True, viewport={"width": 1280, "height": 800}))
    page = context.new_page()
    sins.watch(page)
    canvas = CanvasPage(page)
    page.goto(proxied.link)
    canvas.loaded()
    assert page.url.startswith("https://localhost:")
    chat = canvas.ask_first("stream 50 words")
    chat.says("word-50")
    chat.idle()
    with page.expect_file_chooser() as chooser:
        chat.part("attach").click()
    chooser.value.set_files({"name": "large.txt", "mimeType": "text/plain", "buffer": b"words " * 400_000})
    expect(chat.node).to_contain_text("large.txt")
    canvas.reload()
    canvas.chat(0).says("word-50")
    assert [cookie.get("secure") for cookie in context.cookies()] == [True]
    context.close()
