import * as api from "@kurrent/kurrentdb-client";

import { suite } from "./suite.mjs";

suite("@kurrent/kurrentdb-client", { api, Client: api.KurrentDBClient, scheme: "kurrentdb", expected: "streamState" });
