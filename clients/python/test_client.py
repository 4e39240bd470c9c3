"""The main job with the client: save, run and wait, list fixes, hear what happens. KINTSUGI is a server, KINTSUGI_TOKEN a token of it."""

import os
import unittest

from kintsugi import Client, Problem

SCRIPT = "async function main(input) { return { hello: input.name.trim() } }"


class MainJob(unittest.TestCase):
    def setUp(self) -> None:
        self.api = Client(os.environ["KINTSUGI"], os.environ["KINTSUGI_TOKEN"])

    def test_save_run_list_hear(self) -> None:
        workflow = self.api.create_workflow({"title": "Made in Python", "script": SCRIPT})["id"]
        self.api.save_script(workflow, {"code": SCRIPT.replace("hello", "greets")})
        done = self.api.start_run(workflow, {"input": {"name": " Ada "}}, wait="30s")
        self.assertEqual(done["final"]["output"], {"greets": "Ada"})
        self.assertEqual(self.api.list_fixes(workflow=workflow)["items"], [])
        heard = []
        for event in self.api.events(after="start", workflow=workflow):
            heard.append(event.data["type"])
            if heard[-1] == "RunSucceeded":
                break
        self.assertEqual(heard[0], "WorkflowCreated")

    def test_a_repeat_does_nothing_more(self) -> None:
        made = [self.api.create_workflow({"title": "Once"}, idempotency_key="python-once")["id"] for _ in range(2)]
        self.assertEqual(made[0], made[1])

    def test_refusals(self) -> None:
        with self.assertRaises(Problem) as refused:
            self.api.get_workflow("../none")
        self.assertEqual(refused.exception.status, 404)
        wrong = Client(os.environ["KINTSUGI"], "wrong")
        with self.assertRaises(Problem) as refused:
            wrong.list_workflows()
        self.assertEqual(refused.exception.status, 401)
        with self.assertRaises(Problem) as refused:
            next(wrong.events())
        self.assertEqual(refused.exception.status, 401)
        with self.assertRaises(Problem) as refused:
            Client("http://127.0.0.1:1", "x").list_workflows()
        self.assertEqual(refused.exception.status, 0)


unittest.main()
