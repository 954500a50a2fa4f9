"""Lets the asserts of the shared contract say what they compared."""

import pytest

pytest.register_assert_rewrite("contracts.tool_contract")
