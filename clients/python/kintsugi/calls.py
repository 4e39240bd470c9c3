"""Asks the server. What a server refuses is a Problem, and what was cut off is asked for again where that repeats nothing."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
import uuid
from dataclasses import dataclass
from typing import Any, Iterator, Optional
from urllib.parse import urlencode


class Problem(Exception):
    """An answer that is no success, as RFC 9457 has it; status 0 if none came."""

    def __init__(self, status: int, fields: dict[str, Any]) -> None:
        self.status, self.fields = status, fields
        super().__init__(fields.get("detail") or fields.get("title") or f"status {status}")


@dataclass
class Event:
    """Something that happened. Its id is its position: events(after=id) goes on behind it."""

    id: str
    type: str
    data: Any


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no answer elsewhere: the token is for this server."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Caller:
    """Sends requests with a token."""

    def __init__(self, base: str, token: str, timeout: float = 90) -> None:
        self._base, self._token, self._timeout = base.rstrip("/"), token, timeout
        self._opener = urllib.request.build_opener(_NoRedirect)

    def _open(self, request: urllib.request.Request, timeout: float) -> Any:
        try:
            return self._opener.open(request, timeout=timeout)
        except urllib.error.HTTPError as refused:
            with refused:
                text = refused.read().decode("utf-8", "replace")
            try:
                fields = json.loads(text)
            except ValueError:
                fields = {"detail": text[:300]}
            raise Problem(refused.code, fields if isinstance(fields, dict) else {"detail": text[:300]}) from None
        except (urllib.error.URLError, OSError) as away:
            raise Problem(0, {"title": "The server does not answer", "detail": str(away)}) from away

    def _request(self, method: str, path: str, query: Optional[dict[str, Any]], headers: dict[str, str], body: Any = None, kind: str = "application/json") -> urllib.request.Request:
        asked = {name: str(value).lower() if isinstance(value, bool) else value for name, value in (query or {}).items() if value is not None}
        url = self._base + path + ("?" + urlencode(asked, doseq=True) if asked else "")
        data = None if body is None else json.dumps(body).encode()
        sent = {"Authorization": f"Bearer {self._token}", **headers, **({"Content-Type": kind} if data is not None else {})}
        return urllib.request.Request(url, data=data, headers=sent, method=method)

    def _call(self, method: str, path: str, *, query: Optional[dict[str, Any]] = None, headers: Optional[dict[str, Any]] = None, body: Any = None, kind: str = "application/json") -> Any:
        sent = {name: value for name, value in (headers or {}).items() if value is not None}
        if "Idempotency-Key" in (headers or {}):
            sent.setdefault("Idempotency-Key", str(uuid.uuid4()))
        with self._open(self._request(method, path, query, sent, body, kind), self._timeout) as answer:
            text = answer.read().decode()
            if not text:
                return None
            return json.loads(text) if "json" in answer.headers.get("Content-Type", "") else text


def events_of(lines: Any) -> Iterator[Event]:
    """Reads server-sent events."""
    kind, id_, data = "message", "", []
    for raw in lines:
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if line == "":
            if data:
                yield Event(id_, kind, json.loads("\n".join(data)))
            kind, data = "message", []
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            kind = value
        elif name == "id":
            id_ = value
        elif name == "data":
            data.append(value)
