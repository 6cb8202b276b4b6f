"""What documentation shows works."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import sotto

PAGE = Path(__file__).parents[2] / "docs/python.md"


@pytest.mark.long
def test_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(block, str(PAGE), "exec"), {})
    assert "(epsilon, delta) = (1, 1e-06) for one row" in capsys.readouterr().out
    assert (tmp_path / "out/report.html").exists()


@pytest.mark.long
def test_the_docstrings():
    modules = [sotto] + [importlib.import_module(f"sotto.{module.name}") for module in pkgutil.iter_modules(sotto.__path__)]
    results = [doctest.testmod(module) for module in modules]
    assert sum(result.failed for result in results) == 0 and sum(result.attempted for result in results) >= 10


def test_the_stub_names_what_the_module_has():
    stub = (PAGE.parents[1] / "python/sotto/_sotto.pyi").read_text(encoding="utf-8")
    named = set(re.findall(r"^(?:def |class )?(\w+)[:(]", stub, re.MULTILINE)) - {"from", "import"}
    assert named == {name for name in dir(sotto._sotto) if not name.startswith("_")}
