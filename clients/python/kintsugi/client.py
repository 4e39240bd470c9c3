"""The operations, and what happens as it happens."""

from __future__ import annotations

import time
from typing import Iterator, Optional

from .api import Api
from .calls import Event, Problem, events_of

class Client(Api):
    """The operations, and what happens as it happens."""

    def events(self, *, after: Optional[str] = None, workflow: Optional[str] = None, stream: Optional[str] = None, types: Optional[str] = None, payload: Optional[str] = None) -> Iterator[Event]:
        """What happens, as it happens, without an end. A connection that breaks is begun again behind the last event."""
        last, pause = None, 0.1
        while True:
            headers = {"Accept": "text/event-stream", **({"Last-Event-ID": last} if last else {})}
            query = {"after": None if last else after, "workflow": workflow, "stream": stream, "types": types, "payload": payload}
            try:
                with self._open(self._request("GET", "/api/v1/events", query, headers), self._timeout) as lines:
                    for event in events_of(lines):
                        last, pause = event.id or last, 0.1
                        yield event
            except Problem as problem:
                if problem.status not in (0, 429, 500, 502, 503, 504):
                    raise
            except OSError:
                pass
            time.sleep(pause)
            pause = min(2 * pause, 10)
