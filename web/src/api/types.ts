// What the API answers. The members are those that `kintsugi … -o json` prints.

export type Status = 'draft' | 'active' | 'maintenance' | 'held' | 'waiting' | 'escalated' | 'paused' | 'archived';
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type Workflow = {
  id: string;
  title: string;
  intent: string;
  owner: string;
  zone: string;
  status: Status;
  version: string;
  auto_fix: string;
  schedule?: string;
  created: string;
  updated: string;
  versions: number;
  fixes: number;
  running: number;
  succeeded: number;
  failed: number;
  last_run?: string;
  last_outcome?: string;
  last_ended?: string;
  open_task?: string;
  held_fix?: string;
  agent: string;
  touched?: string;
  archives?: string;
  queued?: unknown[] | null;
  triggers?: { workflow: string; outcomes?: string[] }[] | null;
  repairs?: Thread[] | null;
  notifications?: Notification[] | null;
  unfinished?: Unfinished[] | null;
};

export type Unfinished = { run: string; version: string; writes: number; problem: string; asked: boolean };

export type Failure = { class: string; name?: string; message: string; stack?: string; host?: string; status?: number };

/** A run as one of the last of its workflow. */
export type Lately = Pick<Run, 'id' | 'status' | 'admitted' | 'exempted' | 'suspected' | 'trusted'>;

export type Run = {
  id: string;
  workflow: string;
  version: string;
  trigger: string;
  status: string;
  admitted: string;
  started?: string;
  ended?: string;
  slot?: string;
  continues?: string;
  attempt?: number;
  node?: string;
  failure?: Failure;
  output?: Json;
  usage: { wall_ms: number; virtual_ms: number; calls: number; reused?: number };
  log_lines: number;
  exempted?: string;
  suspected?: string[];
  trusted?: boolean;
};

export type Call = {
  seq: number;
  tool: string;
  args: Json[];
  effect: string;
  key?: string;
  from?: string;
  returned: boolean;
  result?: Json;
  error?: { class: string; message: string; name?: string; status?: number };
  question?: { text: string; options?: string[] };
  doubt?: boolean;
  resolved?: string;
};

export type RunDetail = Run & {
  input: Json;
  seed: string;
  clock: string;
  zone: string;
  calls: Call[] | null;
  log: (string | { level?: string; text?: string; at?: string; message?: string })[] | null;
  unfinished?: Unfinished;
  changed?: string[];
};

export type CallTiming = {
  seq: number;
  tool: string;
  effect: string;
  method?: string;
  host?: string;
  path?: string;
  target?: string;
  start_ms: number;
  duration_ms: number;
  state: string;
  status?: number;
  class?: string;
  problem?: string;
  sent: number;
  received: number;
  retries?: number;
  from?: string;
  secrets?: string[];
};

export type Waterfall = { run: string; workflow: string; started?: string; ended: boolean; ms: number; calls: CallTiming[] | null };

export type WriteCall = { tool: string; args: Json[] };
export type Widening = { hosts?: string[]; writes?: string[]; secrets?: { name: string; host: string }[] };

export type Verification = {
  verdict: string;
  failing_run: string;
  output?: Json;
  writes?: WriteCall[] | null;
  replayed: number;
  identical: number;
  excluded: number;
  missing: number;
  divergence?: string;
  diverges?: string;
  reasons?: string[];
  doubts?: string[];
  unverified?: string[];
  widens?: Widening;
  rehearsal?: { succeeded: boolean; output?: Json; writes?: WriteCall[]; problem?: string };
  runs?: string[];
  exempted?: number;
  gate_version: string;
  certificate: string;
};

export type Alternative = { code: string; comment: string; output?: Json; writes?: WriteCall[]; widens?: Widening; diff?: string };

export type Fix = {
  proposal: string;
  workflow: string;
  workflow_title?: string;
  task: string;
  run: string;
  base: string;
  version?: string;
  state: string;
  why?: string;
  withdrawn?: boolean;
  code: string;
  comment: string;
  fixer: { kind: string; version?: string; model?: string };
  proposed: string;
  decided?: string;
  decided_by?: string;
  verification?: Verification;
  reasons?: string[];
  alternatives?: Alternative[];
  rechecked?: string;
  thread?: string;
  attempt?: number;
  budget?: number;
  diff?: string;
  exempt?: string[];
};

export type Cause = { id: string; sentence: string; count: number; workflows: number; first: string; last: string; actions: string[] };

export type Notification = {
  id: string;
  workflow: string;
  workflow_title: string;
  type: string;
  at: string;
  title: string;
  text?: string;
  run?: string;
  task?: string;
  question?: string;
  call?: number;
  proposal?: string;
  version?: string;
  owner?: string;
  actions: string[] | null;
  resolved?: string;
  acknowledged?: string;
  acknowledger?: string;
  cause?: Cause;
  also?: { id: string; workflow: string; workflow_title: string; run?: string; at: string }[];
  candidate?: { comment: string; diff?: string; divergence?: string; run?: string };
};

export type Version = {
  workflow: string;
  version: string;
  id: string;
  sha256: string;
  comment: string;
  summary?: string;
  origin: string;
  task?: string;
  proposal?: string;
  restores?: string;
  author: string;
  saved: string;
  active: boolean;
  confirmed?: boolean;
  withdrawn?: boolean;
  code?: string;
  proof?: { verdict?: string; replayed: number; identical: number; state?: string };
};

export type ScriptDiff = { from: string; to: string; comment: string; before: Version; after: Version; summary: string[] | null; diff: string };

export type RollbackPreview = ScriptDiff & {
  becomes: string;
  follows: string[] | null;
  runs?: SaveCheck;
};

export type TimelineEntry = {
  workflow: string;
  number: number;
  significance: 'person_facing' | 'notable' | 'routine';
  kind: string;
  type?: string;
  at: string;
  from?: string;
  actor?: string;
  text: string;
  run?: string;
  fix?: string;
  version?: string;
  counts?: Record<string, number>;
  first?: number;
  last?: number;
};

export type Thread = {
  id: string;
  workflow: string;
  workflow_title?: string;
  kind: string;
  task: string;
  title: string;
  opened: string;
  closed?: string;
  outcome: string;
  explanation?: string;
  tokens?: number;
  cost_usd?: number;
  model?: string;
  turns?: number;
  missing?: string;
  run?: string;
  failure?: Failure;
  base?: string;
  version?: string;
  comment?: string;
  proposal?: string;
  attempt?: number;
  budget?: number;
  attempts?: Fix[];
  candidates?: { candidate: number; fixer: string; comment: string; diff: string; verdict: string; divergence?: string }[];
  conversation?: Turn[];
};

export type Turn = {
  revision: number;
  at: string;
  actor: string;
  kind: string;
  message?: { role: string; text?: string };
  invoked?: { tool?: string; name?: string; args?: Json; arguments?: Json };
  resulted?: { result?: Json; text?: string; error?: string };
  unavailable?: { kind: string; detail?: string };
  candidate?: { verdict?: string; comment?: string };
};

export type Schedule = {
  workflow: string;
  spec: string;
  zone: string;
  input?: Json;
  overlap?: string;
  catch_up?: string;
  window?: string;
  jitter?: string;
  next: string[] | null;
};

export type Session = { person: string; scopes: Scope[]; owner?: string; version: string };
export type Scope = 'read' | 'run' | 'edit' | 'decide' | 'admin' | 'metrics';

export type SaveCheck = {
  against: string;
  same: number;
  differ: number;
  unverifiable: number;
  excluded: number;
  exempted: number;
  runs: { run: string; result: string; at?: string }[] | null;
};

export type Recorded = {
  position: string;
  stream: string;
  revision: number;
  type: string;
  summary?: string;
  metadata: { recorded_at: string; actor: string; hash: string };
  payload?: Json;
};

/** A workflow as it was at some moment. */
export type Snapshot = { [name: string]: Json };

export type UsageDay = {
  workflow: string;
  workflow_title: string;
  day: string;
  owner: string;
  runs: number;
  failed: number;
  run_ms: number;
  calls: number;
  tokens: number;
  micros: number; // millionths of a US dollar
};

export type Usage = { from: string; to: string; days: UsageDay[] | null; total: { runs: number; run_ms: number; tokens: number; micros: number } };
