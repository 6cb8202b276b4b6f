"""The written types of the extension module are those that it has: nanobind tells them."""

import ast
import subprocess
import sys
from pathlib import Path

import sotto


def signatures(stub):
    """Of each function, methods with their class: the types of its arguments and of its result."""
    found = {}
    for node in ast.walk(ast.parse(Path(stub).read_text())):
        for function in getattr(node, "body", []) if isinstance(node, ast.Module | ast.ClassDef) else []:
            if isinstance(function, ast.FunctionDef):
                arguments = function.args.posonlyargs + function.args.args
                types = [ast.unparse(argument.annotation) for argument in arguments] + [ast.unparse(function.returns)]
                found[getattr(node, "name", ""), function.name] = types
    return found


def fits(written, has):
    has = has.replace("Sequence[", "list[")
    return has in (written, written.split("[")[0]) or written == "object" and has == "object | None"


def test_the_stub_is_what_the_module_has(tmp_path):
    stubgen = [sys.executable, "-m", "nanobind.stubgen", "--quiet", "-m", "sotto._sotto", "-o", tmp_path / "_sotto.pyi"]
    subprocess.run(stubgen, check=True)
    written, has = signatures(Path(sotto.__file__).with_name("_sotto.pyi")), signatures(tmp_path / "_sotto.pyi")
    assert written.keys() == has.keys() and len(has) > 10
    for name, types in has.items():
        assert len(written[name]) == len(types), name
        assert all(map(fits, written[name], types)), (name, written[name], types)
