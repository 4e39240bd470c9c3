"""A client of Kintsugi's API. It needs Python 3.11 and nothing else.

    from kintsugi import Client

    api = Client("http://127.0.0.1:7480", token)
    made = api.create_workflow({"title": "Orders", "script": source})
    done = api.start_run(made["id"], {"input": {"order": 7}}, wait="20s")
    for event in api.events(workflow=made["id"], after="start"):
        print(event.type, event.data["summary"])
"""

from .api import *  # noqa: F403
from .calls import Event, Problem
from .client import Client

__all__ = ["Client", "Event", "Problem"]
