"""Makes kintsugi/api.py, a method for each operation and a type for each answer, from what the API says of itself.

    python3 generate.py openapi.json > kintsugi/api.py
"""

import json
import keyword
import re
import sys

HEADERS = ("Idempotency-Key", "If-Match", "Kintsugi-Wait-For")


def snake(name: str) -> str:
    """A name as Python has it: startRun is start_run, and from is from_."""
    text = re.sub(r"[^0-9a-zA-Z]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)).strip("_").lower()
    return text + "_" if keyword.iskeyword(text) else text


def of(schema: dict) -> str:
    """The type of a schema; what has none is any JSON."""
    if "$ref" in schema:
        return repr(schema["$ref"].rsplit("/", 1)[1])
    if "enum" in schema:
        return "Literal[" + ", ".join(repr(one) for one in schema["enum"]) + "]"
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    texts = []
    for kind in kinds:
        if kind == "array":
            texts.append(f"list[{of(schema.get('items', {}))}]")
        elif kind == "object":
            values = schema.get("additionalProperties")
            texts.append(f"dict[str, {of(values) if isinstance(values, dict) else 'Any'}]")
        else:
            texts.append({"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}[kind])
    if not texts:
        return "Any"
    return texts[0] if len(texts) == 1 else "Union[" + ", ".join(texts) + "]"


def model(name: str, schema: dict) -> str:
    if "properties" not in schema:
        return f"{name} = {of(schema)}\n"
    required = set(schema.get("required", []))
    lines = [f"{name} = TypedDict({name!r}, {{"]
    for member, one in sorted(schema["properties"].items()):
        if member == "$schema":
            continue
        kind = of(one)
        lines.append(f"    {member!r}: {kind if member in required else f'NotRequired[{kind}]'},")
    return "\n".join(lines + ["})", ""])


def body_of(operation: dict) -> tuple[str, str] | None:
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        return kind, of(content.get("schema", {}))
    return None


def answer_of(operation: dict) -> str:
    kinds = []
    for status, response in sorted(operation["responses"].items()):
        if not status.startswith("2"):
            continue
        content = response.get("content", {})
        kind = of(content["application/json"]["schema"]) if "application/json" in content else "None" if not content else "str"
        if kind not in kinds:
            kinds.append(kind)
    return kinds[0] if len(kinds) == 1 else "Union[" + ", ".join(kinds) + "]" if kinds else "None"


def method(path: str, verb: str, operation: dict) -> str:
    arguments, optional, query, headers = ["self"], [], [], []
    for one in operation.get("parameters", []):
        name, kind = snake(one["name"]), of(one.get("schema", {}))
        if one["in"] == "path":
            arguments.append(f"{name}: {kind}")
            continue
        if one["in"] == "header" and one["name"] not in HEADERS:
            continue
        (query if one["in"] == "query" else headers).append(f"{one['name']!r}: {name}")
        if one.get("required"):
            optional.insert(0, f"{name}: {kind}")
        else:
            optional.append(f"{name}: Optional[{kind}] = None")
    body = body_of(operation)
    if body:
        arguments.append(f"body: {body[1]}" if operation["requestBody"].get("required") else f"body: Optional[{body[1]}] = None")
    if optional:
        arguments += ["*", *optional]
    target = repr(path)
    if "{" in path:
        target = 'f"' + re.sub(r"\{([^}]+)\}", lambda found: "{quote(" + snake(found[1]) + ", safe='')}", path) + '"'
    call = [repr(verb.upper()), target]
    if query:
        call.append("query={" + ", ".join(query) + "}")
    if headers:
        call.append("headers={" + ", ".join(headers) + "}")
    if body:
        call.append("body=body")
        if body[0] != "application/json":
            call.append(f"kind={body[0]!r}")
    about = operation.get("summary", "").replace("\\", "\\\\").replace('"', "'")
    return (
        f"    def {snake(operation['operationId'])}({', '.join(arguments)}) -> {answer_of(operation)}:\n"
        f'        """{about}."""\n'
        f"        return self._call({', '.join(call)})\n"
    )


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        description = json.load(file)
    print('"""Made by generate.py from what the API says of itself: run `make clients`, and do not change it by hand."""\n')
    print("from __future__ import annotations\n")
    print("from typing import Any, Literal, NotRequired, Optional, TypedDict, Union\nfrom urllib.parse import quote\n")
    print("from .calls import Caller\n")
    for name, schema in sorted(description["components"]["schemas"].items()):
        print(model(name, schema))
    print("\nclass Api(Caller):\n" '    """A method for each operation."""\n')
    for path, operations in sorted(description["paths"].items()):
        for verb, operation in sorted(operations.items()):
            streams = any("text/event-stream" in one.get("content", {}) for one in operation["responses"].values())
            if path.startswith("/api/") and not streams:
                print(method(path, verb, operation))


main()
