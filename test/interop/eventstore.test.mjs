// Not in one process with the other client: both put the protocol into the same registry.
import * as api from "@eventstore/db-client";

import { suite } from "./suite.mjs";

suite("@eventstore/db-client", { api, Client: api.EventStoreDBClient, scheme: "esdb", expected: "expectedRevision" });
