from __future__ import annotations

import pytest

from talkfield.errors import InvalidArgument
from talkfield.providers.address import checked_base_url, is_this_machine


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("https://api.example.com/v1", "https://api.example.com/v1"),
        ("  https://api.example.com/v1/ ", "https://api.example.com/v1/"),
        ("api.example.com/v1", "https://api.example.com/v1"),
        ("localhost:11434", "http://localhost:11434"),
        ("http://192.168.1.5:8080/v1", "http://192.168.1.5:8080/v1"),
        ("http://127.0.0.1:1234", "http://127.0.0.1:1234"),
        ("http://[::1]:1234/v1", "http://[::1]:1234/v1"),
    ],
)
def test_D14_addresses_as_people_paste_them_are_kept(given: str, kept: str) -> None:
    assert checked_base_url(given) == kept


@pytest.mark.parametrize(
    "given",
    [
        "",
        "   ",
        "file:///etc/passwd",
        "gopher://example.com",
        "javascript:alert(1)",
        "https://",
        "https://exa mple.com",
        "https://example.com:99999",
        "https://user@example.com",
        "https://user:secret@example.com",
        "http://user@host#@evil",
        "http://169.254.169.254/",
        "http://169.254.1.1:80/v1",
        "169.254.169.254",
        "http://2852039166/",
        "http://0xa9fea9fe/",
        "http://0251.0376.0251.0376/",
        "http://169.254.43518/",
        "http://169.254.169.254./",
        "http://１６９.254。169.254/",
        "http://[fe80::1]/",
        "http://[fe80::1%25eth0]/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://[::ffff:169.254.169.254]/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://[2002:a9fe:a9fe::]/",
        "http://[::a9fe:a9fe]/",
        "http://[fd00:ec2::254]/",
        "http://100.100.100.200/",
        "http://metadata.google.internal/computeMetadata",
        "http://METADATA.google.internal./",
        "http://224.0.0.1/",
    ],
)
def test_check_38_X5_addresses_that_no_provider_has_are_refused(given: str) -> None:
    with pytest.raises(InvalidArgument) as raised:
        checked_base_url(given)
    assert raised.value.place == "baseUrl"
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    "given",
    [
        "http://127.0.0.1:8765",
        "http://localhost:8765/v1",
        "http://talkfield.localhost:8765",
        "http://0.0.0.0:8765",
        "http://[::1]:8765",
        "http://[::ffff:127.0.0.1]:8765",
        "http://127.1:8765",
    ],
)
def test_check_38_X5_its_own_port_is_refused_on_this_machine_alone(given: str) -> None:
    with pytest.raises(InvalidArgument, match="own address"):
        checked_base_url(given, own_ports={8765})
    assert checked_base_url(given, own_ports={8766}) == given
    assert checked_base_url("http://192.168.1.5:8765", own_ports={8765})


def test_X5_this_machine_has_many_names() -> None:
    assert [
        is_this_machine(host) for host in ("127.8.8.8", "::1", "localhost.", "10.0.0.1", "localhost.example.com")
    ] == [
        True,
        True,
        True,
        False,
        False,
    ]
