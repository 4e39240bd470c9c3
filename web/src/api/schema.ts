// Made by tools/api.mjs from what the API says of itself: run `make web/api`, and do not change it by hand.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface paths {
  "/api/v1/accounts/{owner}": {
    /**
     * What agents may spend for an owner, and whether they wait
     * @description It needs the scope read.
     */
    get: operations["getAccount"];
  };
  "/api/v1/accounts/{owner}/limit": {
    /**
     * Limit what agents may spend for an owner in a month
     * @description It needs the scope admin.
     */
    put: operations["putLimit"];
  };
  "/api/v1/accounts/{owner}/payments": {
    /**
     * Get a link at which somebody pays into an owner's balance
     * @description It needs the scope edit.
     */
    post: operations["startPayment"];
  };
  "/api/v1/accounts/{owner}/payments/check": {
    /**
     * Look whether open payments were made, and count those that were
     * @description It needs the scope edit.
     */
    post: operations["checkPayments"];
  };
  "/api/v1/accounts/{owner}/top-up": {
    /**
     * Add to an owner's balance what was paid; a reference is counted once
     * @description It needs the scope admin.
     */
    post: operations["topUp"];
  };
  "/api/v1/autofix": {
    /**
     * Whether repairs go on, what agents have spent, what waits
     * @description It needs the scope read.
     */
    get: operations["getAutofix"];
  };
  "/api/v1/autofix/cap": {
    /**
     * Cap what agents may spend in a day, a month, a fix
     * @description It needs the scope admin.
     */
    patch: operations["changeSpendCap"];
  };
  "/api/v1/autofix/off": {
    /**
     * Stop all repairs of all workflows, now
     * @description It needs the scope admin.
     */
    post: operations["stopRepairs"];
  };
  "/api/v1/autofix/on": {
    /**
     * Let repairs go on; what waited is worked on
     * @description It needs the scope admin.
     */
    post: operations["resumeRepairs"];
  };
  "/api/v1/command": {
    /**
     * Carry out a command line
     * @description What kintsugi --server does: it prints what the command prints. The answer is a line of JSON for each part, as it comes; the last one has the exit code. What the token does not allow is said by the command.
     */
    post: operations["command"];
  };
  "/api/v1/doctor": {
    /**
     * What is wrong with the installation, and what to do
     * @description It needs the scope admin.
     */
    get: operations["doctor"];
  };
  "/api/v1/drafts": {
    /**
     * Workflows that were never activated, those that nobody touched for longest first
     * @description It needs the scope read.
     */
    get: operations["listDrafts"];
    /**
     * Archive drafts, or go on with them, many at once
     * @description It needs the scope edit.
     */
    post: operations["tendDrafts"];
  };
  "/api/v1/drafts/archiving": {
    /**
     * Whether your drafts go to the archive by themselves
     * @description It needs the scope read.
     */
    get: operations["getDraftArchiving"];
    /**
     * Have your drafts go to the archive after 30 days, a week after you were told
     * @description It needs the scope edit.
     */
    put: operations["putDraftArchiving"];
  };
  "/api/v1/effects": {
    /**
     * Writes in doubt: their runs stand still until somebody says what became of them
     * @description It needs the scope read.
     */
    get: operations["listEffects"];
  };
  "/api/v1/egress": {
    /**
     * Where scripts may not go, and which private places are open to tenants
     * @description It needs the scope admin.
     */
    get: operations["getEgress"];
    /**
     * Close places to all scripts, open private ones to tenants, take entries off
     * @description It needs the scope admin.
     */
    patch: operations["changeEgress"];
  };
  "/api/v1/events": {
    /**
     * What happens, as it happens
     * @description A stream of server-sent events that does not end by itself. Each has the event's position as its id: who comes back with Last-Event-ID misses nothing. With words=true it also has what agents of this server say, piece by piece, as events of the type words, which have no id and are not sent again.
     */
    get: operations["events"];
  };
  "/api/v1/fixes": {
    /**
     * Fixes, the newest first
     * @description It needs the scope read.
     */
    get: operations["listFixes"];
  };
  "/api/v1/fixes/{fix}": {
    /**
     * A fix: what broke, what it changes, what proves it, why it waits
     * @description It needs the scope read.
     */
    get: operations["getFix"];
  };
  "/api/v1/fixes/{fix}/accept": {
    /**
     * Apply a fix that waits for you, and allow what it needs
     * @description It needs the scope decide.
     */
    post: operations["acceptFix"];
  };
  "/api/v1/fixes/{fix}/correct": {
    /**
     * Send the maintainer back to work on a fix that waits for you, with a note
     * @description It needs the scope decide.
     */
    post: operations["correctFix"];
  };
  "/api/v1/fixes/{fix}/decline": {
    /**
     * Refuse a fix that waits for you; the workflow is handed to you
     * @description It needs the scope decide.
     */
    post: operations["declineFix"];
  };
  "/api/v1/fixes/{fix}/recheck": {
    /**
     * Judge a fix that waits for you again, after you changed something
     * @description It needs the scope decide.
     */
    post: operations["recheckFix"];
  };
  "/api/v1/fixes/{fix}/thread": {
    /**
     * Everything that was done about a failure: candidates, verdicts, attempts, cost, what was said
     * @description It needs the scope read.
     */
    get: operations["getThread"];
  };
  "/api/v1/fixes/{fix}/verify": {
    /**
     * Judge a fix again on what it was judged on, and compare the certificates
     * @description It needs the scope read.
     */
    post: operations["verifyFix"];
  };
  "/api/v1/fixes/{fix}/withdraw": {
    /**
     * Take back all applied fixes of a workflow that no run has confirmed; it is handed to you
     * @description It needs the scope decide.
     */
    post: operations["withdrawFix"];
  };
  "/api/v1/gallery": {
    /**
     * Automations to begin with
     * @description Each comes with recorded runs on example services, so that it can be mended from the first day. It needs the scope read.
     */
    get: operations["listGallery"];
  };
  "/api/v1/gallery/{name}": {
    /**
     * Make a draft of an automation of the gallery
     * @description The script asks your services in the place of the examples. Its recorded runs are the draft's history. It needs the scope edit.
     */
    post: operations["takeFromGallery"];
  };
  "/api/v1/generations": {
    /**
     * What lists are read from: one generation for each version of the program
     * @description It needs the scope read.
     */
    get: operations["listGenerations"];
  };
  "/api/v1/generations/{generation}": {
    /**
     * Drop the views of another version of the program
     * @description It needs the scope admin.
     */
    delete: operations["dropGeneration"];
  };
  "/api/v1/groups": {
    /**
     * What many workflows failed of together, with their fixes
     * @description It needs the scope read.
     */
    get: operations["listGroups"];
  };
  "/api/v1/healer/sessions": {
    /**
     * Sessions of coding agents that the Healer looked at, newest first
     * @description It needs the scope read.
     */
    get: operations["listHealSessions"];
  };
  "/api/v1/healer/sessions/{session}": {
    /**
     * A session: its policy, what is blocked, and its newest healings
     * @description It needs the scope read.
     */
    get: operations["getHealSession"];
  };
  "/api/v1/healer/sessions/{session}/healings/{healing}": {
    /**
     * What was done in a healing, and what the server saw
     * @description It needs the scope read.
     */
    get: operations["getHealing"];
  };
  "/api/v1/healer/sessions/{session}/healings/{healing}/trajectory": {
    /**
     * A healing in the Agent Trajectory Interchange Format
     * @description It needs the scope read.
     */
    get: operations["getHealingTrajectory"];
  };
  "/api/v1/healer/sessions/{session}/unblock": {
    /**
     * Let a blocked subtask go on, after its follow-up
     * @description It needs the scope decide.
     */
    post: operations["unblockSubtask"];
  };
  "/api/v1/inbox": {
    /**
     * Inputs and questions that wait, the oldest first
     * @description It needs the scope read.
     */
    get: operations["getInbox"];
  };
  "/api/v1/notifications": {
    /**
     * Notifications, the newest first; open ones of one cause are one
     * @description It needs the scope read.
     */
    get: operations["listNotifications"];
  };
  "/api/v1/notifications/{notification}/acknowledge": {
    /**
     * Say that you have seen a notification
     * @description One that something stands still for stays open until it is decided. It needs the scope decide.
     */
    post: operations["acknowledge"];
  };
  "/api/v1/notifications/{notification}/answer": {
    /**
     * Answer a question of a script or of the planner, which goes on with that
     * @description It needs the scope decide.
     */
    post: operations["answer"];
  };
  "/api/v1/notifications/{notification}/decision": {
    /**
     * What a person needs who is asked to do something: what changed, and what can be done
     * @description It needs the scope read.
     */
    get: operations["getDecision"];
  };
  "/api/v1/notifications/{notification}/delegate": {
    /**
     * Give what waits for you to another person, or to a group
     * @description They are told by the subscriptions to mail and Slack, with links by which they decide; links that others had say to whom it went. Others of the same cause go with it. It needs the scope decide.
     */
    post: operations["delegate"];
  };
  "/api/v1/outages": {
    /**
     * Services that do not answer now, with what is tried again by itself, and when
     * @description It needs the scope read.
     */
    get: operations["listOutages"];
  };
  "/api/v1/plans": {
    /**
     * Have a workflow written from one sentence: it is made, and the planner begins
     * @description It needs the scope edit.
     */
    post: operations["createPlan"];
  };
  "/api/v1/recorded": {
    /**
     * Events of all streams that you see, the newest first
     * @description It needs the scope read.
     */
    get: operations["listRecorded"];
  };
  "/api/v1/repo-plans": {
    /**
     * Plans of coding agents, newest first
     * @description It needs the scope read.
     */
    get: operations["listRepoPlans"];
  };
  "/api/v1/repo-plans/{plan}": {
    /**
     * A plan: its jobs, what waits for you, and what was done
     * @description It needs the scope read.
     */
    get: operations["getRepoPlan"];
  };
  "/api/v1/repo-plans/{plan}/cancel": {
    /**
     * End a plan; its branches and worktrees are kept
     * @description It needs the scope decide.
     */
    post: operations["cancelRepoPlan"];
  };
  "/api/v1/repo-plans/{plan}/checkpoints": {
    /**
     * The times that jobs of a plan stood still, and how they were answered, newest first
     * @description It needs the scope read.
     */
    get: operations["listRepoCheckpoints"];
  };
  "/api/v1/repo-plans/{plan}/history": {
    /**
     * What happened to a plan, newest first
     * @description It needs the scope read.
     */
    get: operations["getRepoPlanHistory"];
  };
  "/api/v1/repo-plans/{plan}/jobs/{job}/accept": {
    /**
     * Let exactly the changes pass that a job is held for, or say that nothing was to be changed
     * @description It needs the scope decide.
     */
    post: operations["acceptRepoJob"];
  };
  "/api/v1/repo-plans/{plan}/jobs/{job}/diff": {
    /**
     * What a job changed since its merge base, file by file; the text of files that are not text is left out
     * @description It needs the scope read.
     */
    get: operations["getRepoJobDiff"];
  };
  "/api/v1/repo-plans/{plan}/jobs/{job}/drop": {
    /**
     * Take a job out of a plan; its branch is kept
     * @description It needs the scope decide.
     */
    post: operations["dropRepoJob"];
  };
  "/api/v1/repo-plans/{plan}/jobs/{job}/follow-up": {
    /**
     * Add a job that begins when this one is merged, with the same agent, secrets and checks
     * @description It needs the scope decide.
     */
    post: operations["followUpRepoJob"];
  };
  "/api/v1/repo-plans/{plan}/jobs/{job}/output": {
    /**
     * What a program wrote that was launched for a job: the end of it, or from a place on
     * @description While ended is false more may come: ask again with from as the to of the answer before. It needs the scope read.
     */
    get: operations["getRepoJobOutput"];
  };
  "/api/v1/repo-plans/{plan}/jobs/{job}/relaunch": {
    /**
     * Have the agent of a job that is held correct its work
     * @description It needs the scope decide.
     */
    post: operations["relaunchRepoJob"];
  };
  "/api/v1/repo-plans/{plan}/jobs/{job}/retry": {
    /**
     * Check a job again whose files you repaired
     * @description It needs the scope decide.
     */
    post: operations["retryRepoJob"];
  };
  "/api/v1/repo-plans/{plan}/jobs/{job}/stop": {
    /**
     * End what runs for a job, and hold it
     * @description It needs the scope decide.
     */
    post: operations["stopRepoJob"];
  };
  "/api/v1/repo-plans/{plan}/steps": {
    /**
     * The programs that were launched for a plan, newest first
     * @description It needs the scope read.
     */
    get: operations["listRepoSteps"];
  };
  "/api/v1/repo-plans/{plan}/take": {
    /**
     * Merge what a plan did into its base, on the machine of the server; nothing is pushed
     * @description It needs the scope decide.
     */
    post: operations["takeRepoPlan"];
  };
  "/api/v1/reports": {
    /**
     * Tell those who look after this installation of a problem; it says where that went
     * @description It goes where the server was told to with --report-to: a file, a webhook, or the issues of a repository. It needs the scope read.
     */
    post: operations["reportProblem"];
  };
  "/api/v1/runs": {
    /**
     * Runs, the newest first
     * @description It needs the scope read.
     */
    get: operations["listRuns"];
  };
  "/api/v1/runs/{run}": {
    /**
     * A run: what it called, what came back, how it ended
     * @description It needs the scope read.
     */
    get: operations["getRun"];
  };
  "/api/v1/runs/{run}/calls": {
    /**
     * A run's calls as a waterfall: when each went out, for how long, and what became of it
     * @description It needs the scope read.
     */
    get: operations["getCalls"];
  };
  "/api/v1/runs/{run}/cancel": {
    /**
     * Cancel a run: one that is under way ends before its next write, one that waits is given up. It is no failure: nothing follows from it. Refused if it has ended
     * @description It needs the scope run.
     */
    post: operations["cancelRun"];
  };
  "/api/v1/runs/{run}/continue": {
    /**
     * Have a half-done run go on with the active version, or one that waits for its retry try now
     * @description It needs the scope run.
     */
    post: operations["continueRun"];
  };
  "/api/v1/runs/{run}/effects/{seq}": {
    /**
     * Say what became of a write that is in doubt
     * @description It needs the scope decide.
     */
    post: operations["resolveEffect"];
  };
  "/api/v1/runs/{run}/exempt": {
    /**
     * Say that a run was wrong though it succeeded: it proves nothing any more
     * @description It needs the scope decide.
     */
    post: operations["exemptRun"];
  };
  "/api/v1/runs/{run}/fork": {
    /**
     * Start a new run in the middle of another one: what came before answers from that one's journal
     * @description It needs the scope run.
     */
    post: operations["forkRun"];
  };
  "/api/v1/runs/{run}/leave": {
    /**
     * Leave a half-done run as it is
     * @description It needs the scope decide.
     */
    post: operations["leaveRun"];
  };
  "/api/v1/runs/{run}/logs": {
    /**
     * What a run logged
     * @description It needs the scope read.
     */
    get: operations["getLogs"];
  };
  "/api/v1/runs/{run}/repair": {
    /**
     * Have the workflow mended of what a run by hand failed with: till then it is that run's failure alone
     * @description It needs the scope run.
     */
    post: operations["repairRun"];
  };
  "/api/v1/runs/{run}/replay": {
    /**
     * Run a run that has ended again, on any version or other code: nothing is sent, and it says what would be different
     * @description It needs the scope read.
     */
    post: operations["replayRun"];
  };
  "/api/v1/runs/{run}/restart": {
    /**
     * Start a half-done run again from the beginning, with the same input: what it had written is written again. Refused with a list of that, unless it is agreed to
     * @description It needs the scope run.
     */
    post: operations["restartRun"];
  };
  "/api/v1/runs/{run}/result": {
    /**
     * What became of a run, with the runs that went on for it
     * @description It needs the scope read.
     */
    get: operations["getResult"];
  };
  "/api/v1/runs/{run}/retry": {
    /**
     * Have any run that failed tried again, with its input and what its journal has: nothing is written twice
     * @description It needs the scope run.
     */
    post: operations["retryRun"];
  };
  "/api/v1/runs/{run}/trust": {
    /**
     * Say that a run that looks wrong is right
     * @description It needs the scope decide.
     */
    post: operations["trustRun"];
  };
  "/api/v1/runs/{run}/values": {
    /**
     * What the names in a script had where a run failed
     * @description The run is made again on its record, and none is told if that does not lead there. Nothing is sent. It needs the scope read.
     */
    get: operations["getFailureValues"];
  };
  "/api/v1/secrets": {
    /**
     * What scripts sign in with: names, hosts and workflows; never values
     * @description It needs the scope read.
     */
    get: operations["listSecrets"];
  };
  "/api/v1/secrets/{name}": {
    /**
     * Set or replace a secret; workflows that wait for it go on
     * @description The value is encrypted and never given back. It is sent to the named hosts only. It needs the scope edit.
     */
    put: operations["setSecret"];
    /**
     * Remove a secret
     * @description It needs the scope edit.
     */
    delete: operations["removeSecret"];
  };
  "/api/v1/session": {
    /**
     * Who is signed in, and what they may do
     * @description It needs a token.
     */
    get: operations["getSession"];
    /**
     * Begin a session with the token in Authorization
     * @description The answer sets a cookie that no script of a page can read.
     */
    post: operations["signIn"];
    /**
     * End the session of this browser
     * @description Its cookie is worth nothing any more. Without a session nothing happens.
     */
    delete: operations["signOut"];
  };
  "/api/v1/sessions": {
    /**
     * Browsers in which you are signed in; for an admin, everybody is
     * @description It needs a token.
     */
    get: operations["listSessions"];
  };
  "/api/v1/sessions/{session}": {
    /**
     * End a session: of yours, or for an admin of anybody's
     * @description It needs a token.
     */
    delete: operations["endSession"];
  };
  "/api/v1/streams/{stream}": {
    /**
     * The events of one stream, the newest first
     * @description It needs the scope read.
     */
    get: operations["getStream"];
  };
  "/api/v1/streams/{stream}/chain": {
    /**
     * Check the hash chain of a stream: 409 says where it is broken
     * @description It needs the scope read.
     */
    get: operations["verifyStream"];
  };
  "/api/v1/streams/{stream}/moment": {
    /**
     * What the events of a stream came to at one of them, and before it
     * @description It needs the scope read.
     */
    get: operations["getStreamMoment"];
  };
  "/api/v1/subscriptions": {
    /**
     * External systems that are told of events: where they are, what is behind, what fails
     * @description It needs the scope admin; of a token for the workflows of one owner read, and it sees what is this owner's only.
     */
    get: operations["listSubscriptions"];
  };
  "/api/v1/subscriptions/{subscription}": {
    /**
     * A subscription, and what was decided about it
     * @description It needs the scope admin; of a token for the workflows of one owner read, and it sees what is this owner's only.
     */
    get: operations["getSubscription"];
    /**
     * Tell an external system of events
     * @description It needs the scope admin; of a token for the workflows of one owner edit, and it sees what is this owner's only.
     */
    post: operations["addSubscription"];
    /**
     * Remove a subscription, with its dead letters
     * @description It needs the scope admin; of a token for the workflows of one owner edit, and it sees what is this owner's only.
     */
    delete: operations["removeSubscription"];
    /**
     * Change what a subscription is
     * @description Members that are left out stay as they are, and so do its place and the key that deliveries are signed with. What is wanted from now on is not delivered for the time before: replay does that. It needs the scope admin; of a token for the workflows of one owner edit, and it sees what is this owner's only.
     */
    patch: operations["changeSubscription"];
  };
  "/api/v1/subscriptions/{subscription}/dead-letters": {
    /**
     * Events that could not be delivered, and wait for you
     * @description It needs the scope admin; of a token for the workflows of one owner read, and it sees what is this owner's only.
     */
    get: operations["listDeadLetters"];
  };
  "/api/v1/subscriptions/{subscription}/dead-letters/drop": {
    /**
     * Do without the delivery of dead letters
     * @description It needs the scope admin; of a token for the workflows of one owner edit, and it sees what is this owner's only.
     */
    post: operations["dropDeadLetters"];
  };
  "/api/v1/subscriptions/{subscription}/dead-letters/retry": {
    /**
     * Deliver dead letters, now, each once
     * @description It needs the scope admin; of a token for the workflows of one owner edit, and it sees what is this owner's only.
     */
    post: operations["retryDeadLetters"];
  };
  "/api/v1/subscriptions/{subscription}/deliveries": {
    /**
     * Each try to deliver an event: when, what came back, how long it took, when the next one is
     * @description The newest first. The newest 10,000 of a subscription are kept that were taken and the newest 10,000 that were not, for 30 days. It needs the scope admin; of a token for the workflows of one owner read, and it sees what is this owner's only.
     */
    get: operations["listDeliveries"];
  };
  "/api/v1/subscriptions/{subscription}/pause": {
    /**
     * Stop deliveries; what comes meanwhile waits in the log
     * @description It needs the scope admin; of a token for the workflows of one owner edit, and it sees what is this owner's only.
     */
    post: operations["pauseSubscription"];
  };
  "/api/v1/subscriptions/{subscription}/preview": {
    /**
     * How an event that happened would be sent
     * @description Nothing is sent. The filter and the transform of the subscription are made of the event as it would come. It needs the scope admin; of a token for the workflows of one owner read, and it sees what is this owner's only.
     */
    get: operations["previewEvent"];
  };
  "/api/v1/subscriptions/{subscription}/recover": {
    /**
     * Have all tried now that was not taken since a time
     * @description What is being tried again by itself is tried at once. Dead letters are delivered in the order of the log; behind one that is not taken, those of its workflow are left. It needs the scope admin; of a token for the workflows of one owner edit, and it sees what is this owner's only.
     */
    post: operations["recoverDeliveries"];
  };
  "/api/v1/subscriptions/{subscription}/replay": {
    /**
     * Deliver everything after a place in the log again
     * @description It needs the scope admin; of a token for the workflows of one owner edit, and it sees what is this owner's only.
     */
    post: operations["replaySubscription"];
  };
  "/api/v1/subscriptions/{subscription}/resend": {
    /**
     * Deliver one event once more, now
     * @description It comes with the same id, beside what is under way. An event whose turn has not come is refused. A dead letter that is taken waits no more. It needs the scope admin; of a token for the workflows of one owner edit, and it sees what is this owner's only.
     */
    post: operations["resendEvent"];
  };
  "/api/v1/subscriptions/{subscription}/resume": {
    /**
     * Let deliveries go on where they were
     * @description It needs the scope admin; of a token for the workflows of one owner edit, and it sees what is this owner's only.
     */
    post: operations["resumeSubscription"];
  };
  "/api/v1/subscriptions/{subscription}/rotate-key": {
    /**
     * Sign deliveries with a new key, and with the one before for a while
     * @description It needs the scope admin; of a token for the workflows of one owner edit, and it sees what is this owner's only.
     */
    post: operations["rotateKey"];
  };
  "/api/v1/subscriptions/{subscription}/secret": {
    /**
     * Replace the password that a target is shown, or the address of a Slack webhook
     * @description The secret is encrypted and never given back. Deliveries that failed are tried with it; nothing is delivered anew. It needs the scope admin; of a token for the workflows of one owner edit, and it sees what is this owner's only.
     */
    put: operations["setSubscriptionSecret"];
  };
  "/api/v1/subscriptions/{subscription}/test": {
    /**
     * Send an event that never happened, now, and say what came back
     * @description It needs the scope admin; of a token for the workflows of one owner edit, and it sees what is this owner's only.
     */
    post: operations["testSubscription"];
  };
  "/api/v1/system": {
    /**
     * The server that answers, and what it stands on
     * @description It needs the scope read.
     */
    get: operations["getSystem"];
  };
  "/api/v1/threads/{thread}": {
    /**
     * A conversation with an agent: everything that was said and done, in order
     * @description It needs the scope read.
     */
    get: operations["getConversation"];
  };
  "/api/v1/threads/{thread}/repair": {
    /**
     * The same of any repair, also of one that handed nothing in
     * @description It needs the scope read.
     */
    get: operations["getRepair"];
  };
  "/api/v1/timeline-choice": {
    /**
     * What you chose to see of timelines
     * @description It needs the scope read.
     */
    get: operations["getTimelineChoice"];
    /**
     * Have what you want to see of timelines remembered; empty lists for everything
     * @description It needs the scope read.
     */
    put: operations["putTimelineChoice"];
  };
  "/api/v1/tokens": {
    /**
     * Tokens that let somebody in
     * @description It needs the scope admin.
     */
    get: operations["listTokens"];
    /**
     * Make a token; what has to be shown is said this once
     * @description It needs the scope admin.
     */
    post: operations["createToken"];
  };
  "/api/v1/tokens/{token}": {
    /**
     * Shut a token out, and every session that was begun with it
     * @description It needs the scope admin.
     */
    delete: operations["revokeToken"];
  };
  "/api/v1/usage": {
    /**
     * What was used and what it cost, by day and workflow
     * @description It needs the scope read.
     */
    get: operations["getUsage"];
  };
  "/api/v1/verify": {
    /**
     * Check the hash chain of every stream
     * @description What is broken is in the answer. It reads the whole log: of one that takes longer than a request may, 'kintsugi verify' checks it beside the server. It needs the scope admin.
     */
    post: operations["verifyLog"];
  };
  "/api/v1/views": {
    /**
     * The views and their columns
     * @description It needs the scope read.
     */
    get: operations["listViews"];
  };
  "/api/v1/views/{view}": {
    /**
     * The rows of a view, now or as they were at any time
     * @description A view of the past is built anew from the log, which takes as long as the log is; of one that takes longer than a request may, ask 'kintsugi view'. It needs the scope read.
     */
    get: operations["getView"];
  };
  "/api/v1/ways-in": {
    /**
     * The ways in, for those who are not let in yet
     * @description It asks for no token: the page shows them before anybody is signed in.
     */
    get: operations["getWaysIn"];
  };
  "/api/v1/workflows": {
    /**
     * Workflows
     * @description It needs the scope read.
     */
    get: operations["listWorkflows"];
    /**
     * Create a workflow, with its first script if you have one
     * @description It needs the scope edit.
     */
    post: operations["createWorkflow"];
  };
  "/api/v1/workflows/{workflow}": {
    /**
     * A workflow: what it is for, where it stands, what happened last
     * @description It needs the scope read.
     */
    get: operations["getWorkflow"];
    /**
     * Delete an archived workflow for good
     * @description What its events say is erased, with its runs, conversations, keys, files and the secrets that only it may use. It cannot be undone. Their digests, who deleted it and what it used stay; backups, copies and external systems keep theirs. It answers when everything is erased. It needs the scope admin.
     */
    delete: operations["deleteWorkflow"];
    /**
     * Change a workflow's title, and what it is for
     * @description It needs the scope edit.
     */
    patch: operations["editWorkflow"];
  };
  "/api/v1/workflows/{workflow}/account": {
    /**
     * What the active version does once it is switched on, as far as that can be told without running it
     * @description Also which of its secrets nobody has set, and which of its hosts nobody has named. It needs the scope read.
     */
    get: operations["getWorkflowAccount"];
  };
  "/api/v1/workflows/{workflow}/activate": {
    /**
     * Let runs start; also answers a pause, a wait and an escalation
     * @description Hosts that an agent or a bundle wrote into the script, and that nobody named, have to be allowed; else it is refused, and says which. It needs the scope edit.
     */
    post: operations["activateWorkflow"];
  };
  "/api/v1/workflows/{workflow}/archive": {
    /**
     * Retire a workflow; everything is kept
     * @description It needs the scope edit.
     */
    post: operations["archiveWorkflow"];
  };
  "/api/v1/workflows/{workflow}/chains": {
    /**
     * Check the hash chains of a workflow's streams: 409 says where one is broken
     * @description It needs the scope read.
     */
    get: operations["verifyChains"];
  };
  "/api/v1/workflows/{workflow}/changes": {
    /**
     * What changed between two moments: state, settings, script, keys and files, and the runs in between
     * @description It needs the scope read.
     */
    get: operations["getChanges"];
  };
  "/api/v1/workflows/{workflow}/check": {
    /**
     * What saving a script would change: recorded successes are replayed on it, nothing is saved
     * @description It needs the scope read.
     */
    post: operations["checkScript"];
  };
  "/api/v1/workflows/{workflow}/compare": {
    /**
     * Two versions: in words, and line by line
     * @description It needs the scope read.
     */
    get: operations["compareVersions"];
  };
  "/api/v1/workflows/{workflow}/conversation": {
    /**
     * End the conversation with the planner
     * @description It needs the scope edit.
     */
    delete: operations["endConversation"];
  };
  "/api/v1/workflows/{workflow}/deletion": {
    /**
     * What deleting an archived workflow for good would take away; refused if it cannot be deleted
     * @description It needs the scope admin.
     */
    get: operations["getDeletion"];
  };
  "/api/v1/workflows/{workflow}/dry-run": {
    /**
     * See what a run would do: its writes are listed and never made
     * @description It needs the scope run.
     */
    post: operations["dryRun"];
  };
  "/api/v1/workflows/{workflow}/exempt": {
    /**
     * Which successes would be declared wrong, and what they wrote that may have to be put right
     * @description It needs the scope read.
     */
    get: operations["previewExemption"];
    /**
     * Declare everything wrong that succeeded in a time: fixes are not measured by it any more
     * @description It needs the scope decide.
     */
    post: operations["exemptRuns"];
  };
  "/api/v1/workflows/{workflow}/files": {
    /**
     * The files that a workflow keeps, with what is in them
     * @description It needs the scope read.
     */
    get: operations["getFiles"];
  };
  "/api/v1/workflows/{workflow}/files/{file}": {
    /**
     * One file: its path, with / written as %2F
     * @description It needs the scope read.
     */
    get: operations["getFile"];
  };
  "/api/v1/workflows/{workflow}/fixes": {
    /**
     * Put a fix of one's own through the gate: what passes is applied or waits for a person, what changes what used to work is refused
     * @description It needs the scope edit.
     */
    post: operations["suggestFix"];
  };
  "/api/v1/workflows/{workflow}/history": {
    /**
     * Every event of a workflow, in order
     * @description It needs the scope read.
     */
    get: operations["getHistory"];
  };
  "/api/v1/workflows/{workflow}/hooks": {
    /**
     * Addresses at which the outside starts a workflow
     * @description It needs the scope read.
     */
    get: operations["listHooks"];
  };
  "/api/v1/workflows/{workflow}/hooks/{hook}": {
    /**
     * Make a hook; its secret is said this once
     * @description It needs the scope edit.
     */
    post: operations["addHook"];
    /**
     * Take a hook away
     * @description It needs the scope edit.
     */
    delete: operations["removeHook"];
  };
  "/api/v1/workflows/{workflow}/inputs": {
    /**
     * Hand a workflow an input: it becomes a run, waits its turn, or is skipped
     * @description It needs the scope run.
     */
    post: operations["sendInput"];
  };
  "/api/v1/workflows/{workflow}/inputs/{run}/leave": {
    /**
     * Give up an input that waits, also one that never became a run: that is its outcome
     * @description It needs the scope decide.
     */
    post: operations["leaveInput"];
  };
  "/api/v1/workflows/{workflow}/inputs/retry": {
    /**
     * Have all inputs and slots tried again, in order, whose runs failed before their first write
     * @description It needs the scope run.
     */
    post: operations["retryInputs"];
  };
  "/api/v1/workflows/{workflow}/keys": {
    /**
     * The keys that a workflow keeps, with their values
     * @description It needs the scope read.
     */
    get: operations["getKeys"];
  };
  "/api/v1/workflows/{workflow}/keys/{key}": {
    /**
     * One key
     * @description It needs the scope read.
     */
    get: operations["getKey"];
  };
  "/api/v1/workflows/{workflow}/messages": {
    /**
     * Say something to the planner: it answers its question, goes on with its task, or begins one
     * @description It needs the scope edit.
     */
    post: operations["sendMessage"];
  };
  "/api/v1/workflows/{workflow}/moment": {
    /**
     * A workflow as it was, with its keys and files, and what is different now
     * @description It needs the scope read.
     */
    get: operations["getMoment"];
  };
  "/api/v1/workflows/{workflow}/pause": {
    /**
     * Stop new runs
     * @description It needs the scope edit.
     */
    post: operations["pauseWorkflow"];
  };
  "/api/v1/workflows/{workflow}/plans": {
    /**
     * Have a language model change a workflow's script, or go on with what was begun
     * @description It needs the scope edit.
     */
    post: operations["planWorkflow"];
  };
  "/api/v1/workflows/{workflow}/plans/{task}": {
    /**
     * What came of a wish: what the planner said, saved and asks
     * @description It needs the scope read.
     */
    get: operations["getPlan"];
  };
  "/api/v1/workflows/{workflow}/reach": {
    /**
     * What a workflow's last runs called: hosts, keys, files and messages, read or written
     * @description It needs the scope read.
     */
    get: operations["getReach"];
  };
  "/api/v1/workflows/{workflow}/restore": {
    /**
     * Take a workflow out of the archive, paused, or as the draft that it was
     * @description It needs the scope edit.
     */
    post: operations["restoreWorkflow"];
  };
  "/api/v1/workflows/{workflow}/runs": {
    /**
     * Start a run now, and wait for what becomes of it if you want to
     * @description With wait (or Prefer: wait=20) it answers 200 with what became of the run if that ended within this time, else 202 with the run. A client that goes away meanwhile ends nothing. It needs the scope run.
     */
    post: operations["startRun"];
  };
  "/api/v1/workflows/{workflow}/schedule": {
    /**
     * When it runs, and the next times
     * @description It needs the scope read.
     */
    get: operations["getSchedule"];
    /**
     * Change when a workflow runs
     * @description It needs the scope edit.
     */
    put: operations["putSchedule"];
    /**
     * Have a workflow run by hand only
     * @description It needs the scope edit.
     */
    delete: operations["removeSchedule"];
  };
  "/api/v1/workflows/{workflow}/schedule/preview": {
    /**
     * When a workflow would run; nothing is changed
     * @description It needs the scope read.
     */
    post: operations["previewSchedule"];
  };
  "/api/v1/workflows/{workflow}/settings": {
    /**
     * Settings, with the defaults of what nobody set
     * @description It needs the scope read.
     */
    get: operations["getSettings"];
    /**
     * Replace all settings; a workflow that waits for a host which they allow goes on
     * @description A body that leaves out a setting which is set is refused, so that none is lost by mistake: PATCH changes some of them. It needs the scope edit.
     */
    put: operations["putSettings"];
    /**
     * Change some settings; a workflow that waits for a host which they allow goes on
     * @description The body is a JSON merge patch (RFC 7396): a setting that is left out stays, null gives it its default, and a list is replaced as a whole. It needs the scope edit.
     */
    patch: operations["patchSettings"];
  };
  "/api/v1/workflows/{workflow}/threads": {
    /**
     * Conversations with agents about a workflow, the newest first
     * @description It needs the scope read.
     */
    get: operations["listThreads"];
  };
  "/api/v1/workflows/{workflow}/timeline": {
    /**
     * What happened, the newest first; what is routine is folded
     * @description If neither significance nor kinds is given, it is what the caller chose to be remembered; all, if they chose nothing. It needs the scope read.
     */
    get: operations["getTimeline"];
  };
  "/api/v1/workflows/{workflow}/triggers": {
    /**
     * The workflows on whose outcomes it starts
     * @description It needs the scope read.
     */
    get: operations["getTriggers"];
  };
  "/api/v1/workflows/{workflow}/triggers/{source}": {
    /**
     * Have it start when something comes of another workflow
     * @description It needs the scope edit.
     */
    put: operations["putTrigger"];
    /**
     * Have it start on another workflow no more
     * @description It needs the scope edit.
     */
    delete: operations["removeTrigger"];
  };
  "/api/v1/workflows/{workflow}/versions": {
    /**
     * A workflow's script versions
     * @description It needs the scope read.
     */
    get: operations["listVersions"];
    /**
     * Save a new version of the script: the next major, active from now on
     * @description It needs the scope edit.
     */
    post: operations["saveScript"];
  };
  "/api/v1/workflows/{workflow}/versions/{version}": {
    /**
     * A script: the active version, or the one named
     * @description It needs the scope read.
     */
    get: operations["getScript"];
  };
  "/api/v1/workflows/{workflow}/versions/{version}/impact": {
    /**
     * What going back to a version would change, and which recorded runs would come out otherwise
     * @description It needs the scope read.
     */
    get: operations["rollbackImpact"];
  };
  "/api/v1/workflows/{workflow}/versions/{version}/rollback": {
    /**
     * Go back to a version: it is saved again, as the next major
     * @description It needs the scope edit.
     */
    post: operations["rollback"];
  };
  "/api/v1/workflows/{workflow}/what-if": {
    /**
     * Replay past runs on another script, and say only what would be different
     * @description It needs the scope read.
     */
    post: operations["whatIf"];
  };
  "/api/v1/workflows/recent": {
    /**
     * How the last runs of many workflows went, the newest first
     * @description By the id of each workflow; one that is not there, or that you do not see, has none. It needs the scope read.
     */
    get: operations["listRecentRuns"];
  };
  "/hooks/{workflow}/{hook}": {
    /**
     * Start a workflow from outside
     * @description The sender shows no token: it proves itself as the style of the hook says. The body, JSON or a form, is the run's input. A service that asks whether the hook is there is answered as it wants it, and so is what it sends. A hook that was made with answer_within_ms answers with what the run returns: its status, type and body, or as JSON.
     */
    post: operations["callHook"];
  };
  "/mcp": {
    /**
     * The Model Context Protocol, for coding agents
     * @description Messages of the protocol (https://modelcontextprotocol.io), Streamable HTTP, without sessions. The tools are the commands that the token allows.
     */
    post: operations["mcp"];
  };
}
export interface components {
  schemas: {
    AcceptFixRequest: {
      /** @description Further hosts that the fix needs beyond the allow-list */
      allow_hosts?: string[];
      /**
       * Format: int64
       * @description Take the n-th alternative, counted from 1, instead of the fix itself
       */
      alternative?: number;
      reason?: string;
    };
    AcceptRepoJobRequest: {
      /**
       * Format: int64
       * @description What you have seen: refused if the job has moved on
       */
      checkpoint?: number;
      /** @description Why it may pass. The reason is recorded */
      reason: string;
    };
    Account: {
      currency: string;
      left_micros: number;
      limit_micros?: number;
      month_micros: number;
      open_payments: components["schemas"]["AccountPaymentStarted"][] | null;
      opened?: string;
      owner: string;
      paid_micros?: number;
      spent_micros?: number;
      stopped?: string;
      until?: string;
    };
    AccountPaymentStarted: {
      currency: string;
      link: string;
      micros: number;
      payment: string;
      provider: string;
      until?: string;
    };
    Action: {
      action: string;
      command: string;
    };
    ActivateWorkflowRequest: {
      allow_hosts?: string[];
    };
    AddedSubscription: {
      allow_private?: boolean;
      binary?: boolean;
      client_certificate?: string;
      client_key?: string;
      dead_letters: number;
      failing: number;
      failing_since?: string;
      filter?: string;
      from: components["schemas"]["SubscriptionPlace"];
      give_up_seconds: number;
      headers?: string[];
      lag: number;
      lanes: string;
      last_error?: string;
      left_out: number;
      name: string;
      oauth?: components["schemas"]["SubscriptionOAuth"];
      owner?: string;
      payload: string;
      position: string;
      rate?: string;
      reason?: string;
      /** @description What deliveries are signed with. It is said once */
      signing_key?: string;
      state: string;
      target: string;
      transform?: string;
      types?: string[];
      workflows?: string[];
    };
    AddHookRequest: {
      /**
       * Format: int64
       * @description Answer with what the run returns if it ends within this time, in milliseconds; left out, with what became of the input
       */
      answer_within_ms?: number;
      /** @description What the service has made: its signing secret, app secret, auth token or public key. Without it one is made here, where the service takes one */
      secret?: string;
      /**
       * @description How a sender proves itself: Standard Webhooks, by the secret itself, or as a service does
       * @enum {string}
       */
      style: "standard" | "token" | "github" | "stripe" | "slack" | "shopify" | "twilio" | "meta" | "zoom" | "discord" | "linear" | "telegram";
    };
    AnsweredFix: {
      accepted?: components["schemas"]["WorkflowFixAccepted"];
      active: string;
      alternatives?: components["schemas"]["WorkflowAlternative"][];
      attempt?: number;
      base: string;
      budget?: number;
      code: string;
      comment: string;
      decided?: string;
      decided_by?: string;
      fixer: components["schemas"]["WorkflowFixer"];
      proposal: string;
      proposed: string;
      reasons?: string[];
      rechecked?: string;
      run: string;
      state: string;
      status: string;
      task: string;
      thread?: string;
      told?: string[];
      verification?: components["schemas"]["WorkflowVerification"];
      version?: string;
      why?: string;
      withdrawn?: boolean;
      workflow: string;
    };
    AnswerRequest: {
      /** @description A number chooses one, where there are answers to choose from */
      answer: string;
    };
    AtifAgent: {
      model_name?: string;
      name: string;
      version: string;
    };
    AtifMetrics: {
      total_steps: number;
    };
    AtifObservation: {
      results: components["schemas"]["AtifResult"][] | null;
    };
    AtifReference: {
      extra?: {
        [key: string]: Json;
      };
      session_id?: string;
      trajectory_id?: string;
      trajectory_path?: string;
    };
    AtifResult: {
      content?: string;
      extra?: {
        [key: string]: Json;
      };
      is_error?: boolean;
      source_call_id?: string;
      subagent_trajectory_ref?: components["schemas"]["AtifReference"][];
    };
    AtifStep: {
      extra?: {
        [key: string]: Json;
      };
      llm_call_count?: number;
      message: string;
      model_name?: string;
      observation?: components["schemas"]["AtifObservation"];
      reasoning_content?: string;
      source: string;
      step_id: number;
      timestamp?: string;
      tool_calls?: components["schemas"]["AtifToolCall"][];
    };
    AtifToolCall: {
      arguments: Json;
      function_name: string;
      tool_call_id: string;
    };
    AtifTrajectory: {
      agent: components["schemas"]["AtifAgent"];
      extra?: {
        [key: string]: Json;
      };
      final_metrics?: components["schemas"]["AtifMetrics"];
      notes?: string;
      schema_version: string;
      session_id?: string;
      steps: components["schemas"]["AtifStep"][] | null;
      subagent_trajectories?: components["schemas"]["AtifTrajectory"][];
      trajectory_id?: string;
    };
    Attempt: {
      /** @description How the answer begins, up to 1 KiB */
      answer?: string;
      at: string;
      /**
       * Format: int64
       * @description Which of this event it was, from 1
       */
      attempt: number;
      /**
       * @description How a person had it made; missing for one that was made by itself
       * @enum {string}
       */
      by_hand?: "test" | "resend" | "retry" | "recover";
      /** @description Why it was not taken */
      error?: string;
      event: string;
      id: string;
      /** @description What the event belongs to: a workflow, as a subject */
      lane?: string;
      /**
       * Format: date-time
       * @description When it is tried again by itself; missing for never
       */
      next?: string;
      revision: number;
      /**
       * Format: int64
       * @description Of HTTP
       */
      status?: number;
      stream?: string;
      taken: boolean;
      took_ms: number;
      type: string;
    };
    AttemptPage: {
      items: components["schemas"]["Attempt"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    Autofix: {
      by?: string;
      per_day_usd: number;
      per_fix_usd: number;
      per_month_usd: number;
      reason?: string;
      repairs: string;
      since?: string;
      spent_day_usd: number;
      spent_month_usd: number;
      uncounted: components["schemas"]["Uncounted"][] | null;
      until?: string;
      waiting: string[] | null;
    };
    BrokenEvent: {
      differs: string;
      id?: string;
      position?: string;
      recorded_at?: string;
      revision: number;
      stream: string;
      type?: string;
      what: string;
    };
    Call: {
      class?: string;
      duration_ms: number;
      effect: string;
      from?: string;
      host?: string;
      method?: string;
      path?: string;
      problem?: string;
      received: number;
      retries?: number;
      secrets?: string[];
      sent: number;
      seq: number;
      start_ms: number;
      state: string;
      status?: number;
      target?: string;
      tool: string;
    };
    Calls: {
      calls: components["schemas"]["Call"][] | null;
      ended: boolean;
      ms: number;
      run: string;
      started?: string;
      workflow: string;
    };
    CancelledRun: {
      admitted: string;
      attempt?: number;
      cancelled?: string;
      continues?: string;
      delayed_by?: string;
      delayed_since?: string;
      ended?: string;
      exempted?: string;
      failure?: components["schemas"]["FailureFailure"];
      id: string;
      labels?: {
        [key: string]: string;
      };
      log_lines: number;
      next_try?: string;
      node?: string;
      output?: Json;
      settled?: string;
      slot?: string;
      started?: string;
      status: string;
      suspected?: string[];
      trigger: string;
      trusted?: boolean;
      usage: components["schemas"]["RunUsage"];
      version: string;
      workflow: string;
      /** @description What it, and the runs that it went on with, had written. One that was under way may happen still: it is in_doubt until it is answered, and the run shows the answer */
      writes: components["schemas"]["Rewrite"][] | null;
    };
    CancelRepoPlanRequest: {
      /** @description Why, for whoever finds it cancelled */
      reason?: string;
    };
    CancelRunRequest: {
      /** @description Why, for the history */
      reason?: string;
    };
    Candidate: {
      comment: string;
      diff: string;
      exempt?: string;
      fixer: string;
      verdict: string;
      why: string[] | null;
    };
    Cast: {
      applied: boolean;
      at: string;
      by: string;
      cast: number;
      changed: boolean;
      detail?: string;
      ended?: string;
      followup?: string;
      healing: number;
      kept?: components["schemas"]["SessionKept"][];
      note?: string;
      spell: string;
      undo: components["schemas"]["SessionUndo"];
      undone?: string;
    };
    Cause: {
      actions: string[] | null;
      count: number;
      first: string;
      id: string;
      last: string;
      sentence: string;
      workflows: number;
    };
    Chains: {
      streams: string[] | null;
      whole: boolean;
    };
    ChangedSubscriptionBody: {
      allow_private?: boolean;
      binary?: boolean;
      /** @description What the target is shown over TLS: the name of a secret that is bound to its host */
      client_certificate?: string;
      /** @description The key of this certificate, likewise */
      client_key?: string;
      /** @description An expression in JavaScript over event, the CloudEvent as it would come: it is sent if this gives what is true; empty for all */
      filter?: string;
      /** @description For how long an event is tried, like 72h */
      give_up_after?: string;
      /** @description All that a webhook is sent beside its own headers, by name; {} for none. They are shown to no other host than that of the target */
      headers?: {
        [key: string]: string;
      };
      /** @enum {string} */
      lanes?: "block" | "skip";
      oauth?: components["schemas"]["SubscriptionOAuth"];
      /** @enum {string} */
      payload?: "full" | "no-code" | "references";
      /** @description How many events are sent at most, like 10/s, 60/m or 1000/h; empty for no bound */
      rate?: string;
      /** @description Of the same kind as before; with its password, if that is for another host */
      target?: string;
      /** @description An expression in JavaScript over event, whose value is sent in its place: an object as JSON, a text as it is; empty for the event itself */
      transform?: string;
      /** @description Types of events; none for all that happens to workflows themselves */
      types?: string[];
      /** @description Ids of workflows; none for all */
      workflows?: string[];
    };
    ChangeEgressRequest: {
      /** @description Networks, addresses or hosts, the last two with a port or without */
      close?: string[];
      /** @description Private places for workflows of tenants */
      open?: string[];
      /** @description Whose workflows: for open and remove; those of all tenants if it is left out */
      owner?: string;
      /** @description Entries that are closed or open */
      remove?: string[];
    };
    ChangeSpendCapRequest: {
      /**
       * Format: double
       * @description 0 for no cap; as it is, if it is left out
       */
      per_day_usd?: number;
      per_fix_usd?: number;
      per_month_usd?: number;
    };
    Check: {
      do?: string;
      name: string;
      seen: string;
      status: string;
    };
    CheckPage: {
      items: components["schemas"]["Check"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    CheckScriptRequest: {
      code: string;
    };
    CommandChunk: {
      content?: string;
      err?: string;
      exit?: number;
      file?: string;
      out?: string;
    };
    CommandRequest: {
      agent?: boolean;
      args: string[] | null;
      colour?: boolean;
      files?: {
        [key: string]: string;
      };
      stdin?: string;
      typing?: boolean;
      width?: number;
      zone?: string;
    };
    Comparison: {
      after: components["schemas"]["Version"];
      before: components["schemas"]["Version"];
      comment: string;
      diff: string;
      from: string;
      sides: components["schemas"]["SideRow"][] | null;
      summary: string[] | null;
      to: string;
    };
    Conversation: {
      attached?: number;
      attempt?: number;
      base?: string;
      budget?: number;
      closed?: string;
      comment?: string;
      conversation: components["schemas"]["ThreadEntry"][] | null;
      cost_usd?: number;
      explanation?: string;
      failure?: components["schemas"]["FailureFailure"];
      id: string;
      kind: string;
      missing?: string;
      model?: string;
      node?: string;
      opened: string;
      outcome: string;
      proposal?: string;
      run?: string;
      talk?: components["schemas"]["PlanningLine"][];
      task: string;
      title: string;
      tokens?: number;
      turns?: number;
      version?: string;
      workflow: string;
      workflow_title: string;
    };
    CorrectFixRequest: {
      /** @description What to do otherwise */
      note: string;
    };
    CreateTokenBody: {
      expires?: string;
      /**
       * @description Who holds it: what an agent saves goes through what a planner's does, and a program saves what people decided. Left out, a person
       * @enum {string}
       */
      holder?: "agent" | "program";
      /** @description To tell it from others */
      name?: string;
      /** @description It sees the workflows of this owner only */
      owner?: string;
      /** @description Who acts with it; you, if it is left out */
      person?: string;
      scopes: ("read" | "run" | "edit" | "decide" | "admin" | "metrics")[] | null;
    };
    CreateWorkflowBody: {
      /** @description Private hosts, or host:port, that the script may reach */
      allowed_hosts?: string[];
      /** @description Do not activate it yet */
      draft?: boolean;
      /** @description The input of a run that is given none */
      input?: Json;
      /** @description What it is for, in your words; a repair is judged by it */
      intent?: string;
      /** @description Whose it is; yours, if it is left out */
      owner?: string;
      /** @description The first script */
      script?: string;
      title: string;
      /** @description IANA time zone of the script's local times; default UTC */
      zone?: string;
    };
    DeadLetteredPage: {
      items: components["schemas"]["SubscriptionDeadLettered"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    Decision: {
      actions?: components["schemas"]["Action"][];
      changed?: components["schemas"]["GateChanged"][];
      host?: string;
      repair?: string;
      run?: string;
      said?: string;
      secret?: string;
    };
    DeclineFixRequest: {
      reason?: string;
    };
    DelegateRequest: {
      /** @description What they should know */
      note?: string;
      /** @description A person, by name or mail address, or group: and the name of a subscription whose readers they are */
      to: string;
    };
    Deletion: {
      conversations: number;
      files: number;
      keys: number;
      payloads: number;
      runs: number;
      secrets: string[] | null;
      title: string;
      workflow: string;
    };
    Delivery: {
      delivered: boolean;
      event: string;
      said: string;
      /** @description What was sent, of a test */
      sent?: string;
      /**
       * Format: int64
       * @description Of HTTP
       */
      status?: number;
      took_ms: number;
    };
    DeliveryPage: {
      items: components["schemas"]["Delivery"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    Draft: {
      age: string;
      archives?: string;
      done?: string;
      id: string;
      owner: string;
      problem?: string;
      prompted?: string;
      title: string;
      touched: string;
    };
    DraftArchiving: {
      on: boolean;
    };
    DraftPage: {
      items: components["schemas"]["Draft"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    DriedRun: {
      assumed?: string[];
      compared?: string;
      diff?: string;
      failure?: string;
      output?: Json;
      refused?: components["schemas"]["RefusedHost"];
      unknown?: boolean;
      workflow: string;
      writes: components["schemas"]["GateWrite"][] | null;
    };
    Dropped: {
      dropped: string;
    };
    DryRunRequest: {
      /** @description A script to try; default the active one */
      code?: string;
      /** @description Default that of the last success, else of a slot */
      input?: Json;
      /**
       * @description Where reads are answered from: the world, or the last success; default live
       * @enum {string}
       */
      reads?: "live" | "recorded";
    };
    EditWorkflowRequest: {
      intent?: string;
      title?: string;
    };
    Effect: {
      args: Json[];
      key: string;
      look_up_at?: string;
      look_ups?: number;
      not_before?: string;
      resolved?: string;
      run: string;
      seq: number;
      tool: string;
      workflow: string;
    };
    EffectPage: {
      items: components["schemas"]["Effect"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    EgressAccount: {
      hosts: components["schemas"]["EgressAccountedHost"][] | null;
      on?: string[];
      schedule?: string;
      secrets: string[] | null;
      unclear?: string[];
      unnamed?: string[];
      unset_secrets?: components["schemas"]["EgressUnsetSecret"][];
      version: string;
      writes: string[] | null;
      zone?: string;
    };
    EgressAccountedHost: {
      closed?: boolean;
      command?: string;
      host: string;
      named: boolean;
      refused?: string;
    };
    EgressUnsetSecret: {
      command: string;
      hosts: string[] | null;
      name: string;
    };
    EntryPage: {
      items: components["schemas"]["GalleryEntry"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    ErasedEvent: {
      id: string;
      revision: number;
      stream: string;
      type: string;
    };
    EventMetadata: {
      actor: string;
      causation_id: string;
      command_id: string;
      correlation_id: string;
      event_id: string;
      hash: string;
      recorded_at: string;
      schema_version: number;
      subject: string;
      traceparent?: string;
    };
    EventTrigger: {
      outcomes: string[] | null;
      source: string;
      workflow: string;
    };
    ExemptedAll: {
      held_fix?: string;
      reason: string;
      runs: string[] | null;
      status: string;
      workflow: string;
      writes: components["schemas"]["MadeWrite"][] | null;
    };
    ExemptRunRequest: {
      /** @description Why, for the history */
      reason?: string;
    };
    ExemptRunsRequest: {
      /** @description Why it was wrong though it succeeded, for the history */
      reason?: string;
      /** @description All that succeeded since a day, a time or a weekday, like 2026-03-03 or tuesday */
      since: string;
      /** @description And began before this day or time */
      until?: string;
    };
    FailureFailure: {
      body?: string;
      class: string;
      code?: string;
      host?: string;
      loose: string;
      message: string;
      name: string;
      retry_after_ms?: number;
      stack?: string;
      status?: number;
      strict: string;
      tool?: string;
    };
    Fix: {
      accepted?: components["schemas"]["WorkflowFixAccepted"];
      alternatives?: components["schemas"]["WorkflowAlternative"][];
      attempt?: number;
      base: string;
      budget?: number;
      code: string;
      comment: string;
      decided?: string;
      decided_by?: string;
      fixer: components["schemas"]["WorkflowFixer"];
      proposal: string;
      proposed: string;
      reasons?: string[];
      rechecked?: string;
      run: string;
      state: string;
      task: string;
      thread?: string;
      verification?: components["schemas"]["WorkflowVerification"];
      version?: string;
      why?: string;
      withdrawn?: boolean;
      workflow: string;
    };
    FixView: {
      accepted?: components["schemas"]["WorkflowFixAccepted"];
      alternatives?: components["schemas"]["WorkflowAlternative"][];
      attempt?: number;
      base: string;
      budget?: number;
      code: string;
      comment: string;
      decided?: string;
      decided_by?: string;
      diff: string;
      exempt: string[] | null;
      fixer: components["schemas"]["WorkflowFixer"];
      held?: string;
      proposal: string;
      proposed: string;
      reasons?: string[];
      rechecked?: string;
      run: string;
      state: string;
      task: string;
      thread?: string;
      to_write: components["schemas"]["GateWrite"][] | null;
      verification?: components["schemas"]["WorkflowVerification"];
      version?: string;
      why?: string;
      withdrawn?: boolean;
      workflow: string;
      workflow_title: string;
      written: components["schemas"]["GateWrite"][] | null;
    };
    FollowUpRepoJobRequest: {
      /** @description Its name: small letters, digits, - and _ */
      id: string;
      /** @description What its agent is told */
      task: string;
      /** @description What it may touch, as patterns */
      touch: string[] | null;
    };
    ForkRunRequest: {
      /**
       * Format: int64
       * @description The first call that is made anew
       */
      from_call: number;
      /** @description Another input */
      input?: Json;
      /** @description What that call answers instead */
      result?: Json;
    };
    GalleryEntry: {
      /** @description What it is for */
      intent: string;
      name: string;
      /** @description When it may run; there is none for a hook */
      schedule?: string;
      /** @description The addresses of the examples that it asks */
      services: string[];
      tags: string[];
      title: string;
    };
    GateChanged: {
      /**
       * Format: int64
       * @description the number of that call in the failed run, from 1; 0 for the input
       */
      call: number;
      /** @description the host that was asked, of a call over the web */
      host?: string;
      /** @description gone, null, new, and so on */
      how: string;
      /** @description the input, or the call whose answer it is */
      of: string;
      /** @description of the place in the answer, as a[].b; empty for all of it */
      path: string;
      /** @description the same call for people: its method and address, as GET api.test/orders */
      read?: string;
      /** @description how it was, and how it is */
      says: string;
    };
    GateDifference: {
      /** @description As it would be; left out if there is none */
      now?: string;
      /** @description Where in the result or in the arguments of the write, as $.rows[2].total */
      path?: string;
      /** @description As it was recorded; left out if there was none */
      was?: string;
      /**
       * @description The result, a write, the order of the writes, a call that was never recorded, or the error that it ends with
       * @enum {string}
       */
      what: "output" | "write" | "order" | "call" | "error";
    };
    GateDivergence: {
      got: string;
      path?: string;
      run: string;
      want: string;
      what: string;
    };
    GateValue: {
      here: boolean;
      name: string;
      text: string;
    };
    GateWrite: {
      args: Json[];
      tool: string;
    };
    GenerationPage: {
      items: components["schemas"]["ReadmodelGeneration"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    Group: {
      class: string;
      failures: number;
      fingerprint: string;
      first: string;
      host?: string;
      id: string;
      last: string;
      members: components["schemas"]["GroupMember"][] | null;
      message: string;
      open: number;
      workflows: number;
    };
    GroupMember: {
      comment?: string;
      fix?: string;
      fix_state?: string;
      open: boolean;
      run: string;
      status: string;
      title: string;
      version?: string;
      workflow: string;
    };
    GroupPage: {
      items: components["schemas"]["Group"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    Healing: {
      advice?: string;
      at: string;
      branch?: string;
      checked?: components["schemas"]["SessionCheckRan"];
      checks: number;
      continue: boolean;
      ended?: string;
      failure: components["schemas"]["SessionFailure"];
      followup?: string;
      head: string;
      healing: number;
      model_missing?: boolean;
      outcome: string;
      plan?: string;
      planner: string;
      reason?: string;
      same?: boolean;
      session: string;
      subtask?: string;
      trigger: string;
    };
    HealingReport: {
      advice?: string;
      at: string;
      branch?: string;
      checked?: components["schemas"]["SessionCheckRan"];
      checks: number;
      continue: boolean;
      ended?: string;
      failure: components["schemas"]["SessionFailure"];
      followup?: string;
      head: string;
      healing: number;
      model_missing?: boolean;
      outcome: string;
      plan?: string;
      planner: string;
      reason?: string;
      same?: boolean;
      session: string;
      spells: components["schemas"]["Cast"][];
      subtask?: string;
      trigger: string;
    };
    HealSession: {
      blocked: {
        [key: string]: string;
      };
      healings: number;
      host: string;
      id: string;
      last_at: string;
      opened: string;
      opened_by: string;
      outcome?: string;
      plan?: string;
      repository: string;
      subtask?: string;
      trigger?: string;
      worktree: string;
    };
    HealSessionPage: {
      items: components["schemas"]["HealSession"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    HealSessionView: {
      blocked: {
        [key: string]: string;
      };
      green: components["schemas"]["SessionCheckRan"][];
      healings: number;
      heals: components["schemas"]["HealingReport"][];
      host: string;
      id: string;
      last_at: string;
      opened: string;
      opened_by: string;
      outcome?: string;
      plan?: string;
      policy: components["schemas"]["SessionPolicy"];
      repository: string;
      subtask?: string;
      trigger?: string;
      worktree: string;
    };
    HistoryLine: {
      metadata: components["schemas"]["EventMetadata"];
      payload: Json;
      position: string;
      revision: number;
      stream: string;
      summary: string;
      type: string;
    };
    HistoryLinePage: {
      items: components["schemas"]["HistoryLine"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    Hook: {
      /**
       * Format: int64
       * @description It answers with what the run returns, if that ends within this time, in milliseconds
       */
      answer_within_ms?: number;
      name: string;
      /** @description Where it is, on the server */
      path: string;
      /** @description What a sender proves itself with, if it was made here. It is said once */
      secret?: string;
      /** @enum {string} */
      style: "standard" | "token" | "github" | "stripe" | "slack" | "shopify" | "twilio" | "meta" | "zoom" | "discord" | "linear" | "telegram";
      /** @description What Meta is given as the verify token. It is said once */
      verify_token?: string;
      workflow: string;
    };
    HookPage: {
      items: components["schemas"]["Hook"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    InboxItem: {
      id: string;
      kind: string;
      opened: string;
      outcome?: string;
      proposal?: string;
      questions: number;
      since: string;
      state: string;
      task: string;
      thread: string;
      title: string;
      workflow: string;
      workflow_title: string;
    };
    InboxItemPage: {
      items: components["schemas"]["InboxItem"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    InstallationAccount: {
      issuer: string;
      subject: string;
    };
    InstallationEgress: {
      closed: string[] | null;
      open?: components["schemas"]["InstallationEgressOpening"][];
    };
    InstallationEgressOpening: {
      owner?: string;
      place: string;
    };
    KeptChange: {
      after?: Json;
      before?: Json;
      bytes_after?: number;
      bytes_before?: number;
      file?: string;
      key?: string;
    };
    Lately: {
      admitted: string;
      exempted?: string;
      id: string;
      status: string;
      suspected?: string[];
      trusted?: boolean;
    };
    LeaveInputRequest: {
      /** @description For the history */
      note?: string;
    };
    LeftInput: {
      note?: string;
      run: string;
      workflow: string;
    };
    ListedFix: {
      accepted?: components["schemas"]["WorkflowFixAccepted"];
      alternatives?: components["schemas"]["WorkflowAlternative"][];
      attempt?: number;
      base: string;
      budget?: number;
      code: string;
      comment: string;
      decided?: string;
      decided_by?: string;
      fixer: components["schemas"]["WorkflowFixer"];
      proposal: string;
      proposed: string;
      reasons?: string[];
      rechecked?: string;
      run: string;
      state: string;
      task: string;
      thread?: string;
      verification?: components["schemas"]["WorkflowVerification"];
      version?: string;
      why?: string;
      withdrawn?: boolean;
      workflow: string;
      workflow_title: string;
    };
    ListedFixPage: {
      items: components["schemas"]["ListedFix"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    ListedRun: {
      admitted: string;
      attempt?: number;
      cancelled?: string;
      continues?: string;
      delayed_by?: string;
      delayed_since?: string;
      ended?: string;
      exempted?: string;
      failure?: components["schemas"]["FailureFailure"];
      id: string;
      labels?: {
        [key: string]: string;
      };
      log_lines: number;
      next_try?: string;
      node?: string;
      output?: Json;
      settled?: string;
      slot?: string;
      started?: string;
      status: string;
      suspected?: string[];
      trigger: string;
      trusted?: boolean;
      usage: components["schemas"]["RunUsage"];
      version: string;
      workflow: string;
      workflow_title: string;
    };
    ListedRunPage: {
      items: components["schemas"]["ListedRun"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    ListedWorkflow: {
      agent: string;
      archives?: string;
      auto_fix: string;
      created: string;
      failed: number;
      fixes: number;
      held_fix?: string;
      id: string;
      intent: string;
      labels?: {
        [key: string]: string;
      };
      last_ended?: string;
      last_outcome?: string;
      last_run?: string;
      /**
       * Format: date-time
       * @description When its schedule runs it next
       */
      next_run?: string;
      open_task?: string;
      owner: string;
      prompted?: string;
      retrying?: components["schemas"]["RetryingRun"][];
      running: number;
      schedule?: string;
      /** @description When it runs, to go on after 'it runs': every weekday at 09:00 */
      schedule_words: string;
      schedule_zone?: string;
      status: string;
      succeeded: number;
      title: string;
      touched?: string;
      updated: string;
      version: string;
      versions: number;
      zone: string;
    };
    ListedWorkflowPage: {
      items: components["schemas"]["ListedWorkflow"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    LiveEvent: {
      actor: string;
      at: string;
      payload?: Json;
      position: string;
      revision: number;
      stream: string;
      summary: string;
      type: string;
      workflow?: string;
    };
    Local: {
      files: {
        [key: string]: components["schemas"]["LocalFile"];
      };
      kv: {
        [key: string]: Json;
      };
    };
    LocalFile: {
      modified_ms: number;
      text: string;
    };
    LogLinePage: {
      items: components["schemas"]["RunLogLine"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    MadeWrite: {
      args: Json[];
      at: string;
      failed?: boolean;
      run: string;
      seq: number;
      tool: string;
    };
    MendedStore: {
      acknowledged: boolean;
      at: string;
      found: string[] | null;
      id: string;
    };
    NewPlanBody: {
      /** @description Hosts, or host:port, that the workflow may reach, also if they are private */
      allow_hosts?: string[];
      /** @description Whose it is; yours, if it is left out */
      owner?: string;
      /** @description Default the beginning of the wish */
      title?: string;
      /** @description What you want, in your own words */
      wish: string;
      /** @description IANA time zone of the script's local times; default UTC */
      zone?: string;
    };
    NewReport: {
      /** @description What the browser says of itself, a line each */
      browser?: string[];
      /** @description The last errors that were met, a line each */
      errors?: string[];
      /** @description Where it happened */
      page?: string;
      /** @description Also what those events say, with the data that is in them */
      payloads?: boolean;
      /** @description Only say what the report would be */
      preview?: boolean;
      /** @description A picture of the page: PNG, in base64 */
      screenshot?: string;
      /** @description What happened, and what was expected */
      text: string;
      /** @description The workflow that it is about: its last events are told, too */
      workflow?: string;
    };
    NewSchedule: {
      /**
       * @description Which slots run that no server was there for
       * @enum {string}
       */
      catch_up?: "last" | "none" | "all";
      /** @description The input of each run; slot and zone are added */
      input?: Json;
      /** @description Start up to this much later, like 30s */
      jitter?: string;
      /**
       * @description What a slot does while a run goes on
       * @enum {string}
       */
      overlap?: "skip" | "queue";
      /** @description Five or six fields of cron, @daily, every 15m, or at 2026-03-01 08:00 */
      spec: string;
      /** @description How far back catch_up all goes, like 24h */
      window?: string;
      /** @description IANA time zone; default the workflow's */
      zone?: string;
    };
    NewSubscriptionBody: {
      /** @description The target may be at an address that is not public, and not be encrypted */
      allow_private?: boolean;
      binary?: boolean;
      /** @description What the target is shown over TLS: the name of a secret that is bound to its host */
      client_certificate?: string;
      /** @description The key of this certificate, likewise */
      client_key?: string;
      /** @description An expression in JavaScript over event, the CloudEvent as it would come: it is sent if this gives what is true */
      filter?: string;
      /** @description start, now, a position, a time or a weekday: deliveries begin after it; default now */
      from?: string;
      /** @description For how long an event is tried, like 72h */
      give_up_after?: string;
      /** @description What a webhook is sent beside its own headers, by name. The values are encrypted and never given back */
      headers?: {
        [key: string]: string;
      };
      /**
       * @description What becomes of a workflow's events behind a dead letter
       * @enum {string}
       */
      lanes?: "block" | "skip";
      oauth?: components["schemas"]["SubscriptionOAuth"];
      /** @description Only of the workflows of this owner, and what is spent for them; yours, if your token is for one owner. It stays */
      owner?: string;
      /** @enum {string} */
      payload?: "full" | "no-code" | "references";
      /** @description How many events are sent at most, like 10/s, 60/m or 1000/h */
      rate?: string;
      /** @description webhook:https://…, slack:https://…, smtp://…, nats+tls://…, kafka+tls://…, amqps://… or rediss://… */
      target: string;
      /** @description An expression in JavaScript over event, whose value is sent in its place: an object as JSON, a text as it is */
      transform?: string;
      /** @description Types of events; without it, all that happens to workflows themselves */
      types?: string[];
      /** @description Ids of workflows; without it, all */
      workflows?: string[];
    };
    NodeAtWork: {
      /**
       * Format: int64
       * @description Conversations that agents of it lead
       */
      agents: number;
      /** @description Runs and conversations whose lease is over, and which nobody has taken over yet */
      late: string[] | null;
      /**
       * Format: date-time
       * @description The end of its newest lease: a server at work extends it
       */
      lease_until?: string;
      name: string;
      /**
       * Format: int64
       * @description That it executes
       */
      runs: number;
      /** @description It is the one that answers */
      self: boolean;
    };
    NotedBody: {
      /**
       * Format: int64
       * @description What you have seen: refused if the job has moved on
       */
      checkpoint?: number;
      /** @description For the agent, or for whoever reads it later */
      note?: string;
    };
    Notification: {
      acknowledged?: string;
      acknowledger?: string;
      actions: string[] | null;
      also?: components["schemas"]["Told"][];
      at: string;
      call?: number;
      candidate?: components["schemas"]["Candidate"];
      cause?: components["schemas"]["Cause"];
      checkpoint?: number;
      delegated?: string;
      delegated_by?: string;
      delegated_to?: string;
      delegation_note?: string;
      due?: string;
      healing?: number;
      id: string;
      job?: string;
      on_deadline?: string;
      options?: string[];
      owner?: string;
      plan?: string;
      proposal?: string;
      question?: string;
      reminded?: string;
      resolved?: string;
      run?: string;
      session?: string;
      stands_still?: boolean;
      task?: string;
      text?: string;
      title: string;
      type: string;
      version?: string;
      workflow: string;
      workflow_title: string;
    };
    NotificationPage: {
      items: components["schemas"]["Notification"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    OrganisationWay: {
      /** @description How people know the provider */
      name: string;
      /** @description Where a browser goes to sign in */
      path: string;
    };
    Outage: {
      host?: string;
      next: string;
      runs: number;
      workflows: components["schemas"]["WorkflowOfOutage"][] | null;
    };
    OutagePage: {
      items: components["schemas"]["Outage"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    PauseSubscriptionRequest: {
      /** @description Why, for whoever finds it paused */
      reason?: string;
    };
    PlanEnding: {
      agent: string;
      kind: string;
      says: string;
      until?: string;
    };
    PlanHealingEnded: {
      flaky?: boolean;
      job: string;
      kept?: string[];
      number: number;
      outcome: string;
      reason: string;
      session: string;
    };
    PlanJobHeld: {
      allowed: string[] | null;
      attempt: number;
      checkpoint: number;
      commit?: string;
      count?: number;
      guarded?: {
        [key: string]: string;
      };
      healing?: components["schemas"]["PlanHealingEnded"];
      job: string;
      kind: string;
      may_create?: string[];
      reason: string;
      since?: string;
      violations?: components["schemas"]["PlanViolation"][];
    };
    Planned: {
      cost_usd: number;
      message?: string;
      notification?: string;
      options?: string[];
      question?: string;
      saved: string[] | null;
      schedule?: string;
      state: string;
      status: string;
      switched_on?: components["schemas"]["EgressAccount"];
      task: string;
      thread: string;
      tokens: number;
      version?: string;
      workflow: string;
    };
    PlanningLine: {
      at: string;
      /** @enum {string} */
      by: "person" | "planner" | "tool" | "program";
      failed?: boolean;
      options?: string[];
      question?: boolean;
      revision?: number;
      text: string;
    };
    PlanOutcome: {
      bytes?: number;
      code: number;
      ending?: components["schemas"]["PlanEnding"];
      fingerprint?: string;
      left?: number;
      millis: number;
      ok: boolean;
      reason?: string;
      says: string;
      tail?: string;
      walled?: boolean;
    };
    PlanViolation: {
      change: string;
      from?: string;
      path: string;
      why: string;
    };
    PlanWorkflowRequest: {
      /** @description Plan a workflow anew that was handed to you: the planner gets what broke */
      replan?: boolean;
      /** @description What you want; without it the planner goes on */
      wish?: string;
    };
    Preview: {
      /** @description What would be sent */
      body?: string;
      content_type?: string;
      /** @description Why the filter or the transform gives nothing */
      error?: string;
      event: string;
      type: string;
      /** @description The filter lets it through */
      wanted: boolean;
    };
    Problem: {
      /** @description What is wrong, where, and what to do */
      detail: string;
      /** @description Each thing that is wrong with the request */
      errors?: components["schemas"]["V2ErrorDetail"][];
      /** @enum {string} */
      kind?: "invalid" | "conflict" | "not_found" | "forbidden" | "internal";
      /**
       * Format: int64
       * @description With 412: the revision that the stream is at
       */
      revision?: number;
      status: number;
      /** @description What the status means */
      title: string;
      /**
       * Format: uri-reference
       * @example about:blank
       */
      type: string;
    };
    Proof: {
      certificate: string;
      fix: string;
      holds: boolean;
      other_gate?: boolean;
      problem?: string;
      recorded: string;
      verdict: string;
    };
    PutLimitRequest: {
      /** @description US dollars, like 20 or 0.50; 0 for no limit */
      per_month: string;
    };
    PutTriggerRequest: {
      outcomes: ("succeeded" | "failed" | "recovered" | "escalated")[] | null;
    };
    QueuedInput: {
      at: string;
      bytes: number;
      due?: string;
      reason: string;
      run: string;
      trigger: string;
      waits?: string;
      workflow: string;
    };
    Reach: {
      reached: components["schemas"]["Reached"][] | null;
      runs: number;
      workflow: string;
    };
    Reached: {
      calls: number;
      /** @enum {string} */
      effect: "read" | "write";
      failed: number;
      host?: string;
      runs: number;
      target?: string;
      tool: string;
    };
    Readiness: {
      build?: components["schemas"]["ReadmodelProgress"];
      ready: boolean;
      seconds_left?: number;
      state: string;
      views: string;
    };
    ReadmodelAside: {
      event_id: string;
      left_out: number;
      reason: string;
      revision: number;
      stream: string;
      type: string;
    };
    ReadmodelComparison: {
      differ?: components["schemas"]["ReadmodelDifference"][];
      file: string;
      position: string;
      problem?: string;
      rows: number;
      same: boolean;
      tables: number;
    };
    ReadmodelDifference: {
      changed: number;
      columns?: string[];
      extra: number;
      first: {
        [key: string]: Json;
      };
      how: string;
      missing: number;
      table: string;
    };
    ReadmodelGeneration: {
      behind: number;
      bytes: number;
      current: boolean;
      error?: string;
      in_use: boolean;
      name: string;
      position: string;
      rows: number;
      set_aside?: components["schemas"]["ReadmodelAside"][];
      state: string;
      used: string;
    };
    ReadmodelProgress: {
      done: number;
      events: number;
      events_per_second: number;
      since: string;
    };
    ReadmodelView: {
      columns: components["schemas"]["ReadmodelViewColumn"][] | null;
      name: string;
    };
    ReadmodelViewColumn: {
      key?: boolean;
      name: string;
      type: string;
    };
    ReadScript: {
      active: boolean;
      author: string;
      code: string;
      comment: string;
      confirmed?: boolean;
      diagram?: string;
      id: string;
      /** @description A JSON schema of what main takes, if its types say so */
      input_schema?: Json;
      origin: string;
      proposal?: string;
      restored?: string;
      saved: string;
      sha256: string;
      summary?: string;
      task?: string;
      version: string;
      withdrawn?: boolean;
      workflow: string;
    };
    ReasonedBody: {
      /** @description Why, for whoever looks at the plan later */
      reason?: string;
    };
    RecoverDeliveriesRequest: {
      /** @description A day, a time or a weekday, like 2026-03-03 or tuesday */
      since: string;
    };
    Recovered: {
      /** @description Of dead letters, in the order of the log */
      deliveries: components["schemas"]["Delivery"][];
      /**
       * Format: int64
       * @description Dead letters that were not sent, as one before them in their workflow was not taken
       */
      left: number;
      /**
       * Format: int64
       * @description Workflows with an event that is being tried again by itself: a server tries it now
       */
      trying: number;
    };
    RefusedHost: {
      closed?: boolean;
      host: string;
    };
    RehearsalCheckedRun: {
      at?: string;
      differs?: components["schemas"]["GateDifference"][];
      result: string;
      run: string;
    };
    RehearsalDifference: {
      divergence: components["schemas"]["GateDivergence"];
      recorded: string;
      run: string;
    };
    RehearsalSaveCheck: {
      against: string;
      differ: number;
      excluded: number;
      exempted: number;
      runs: components["schemas"]["RehearsalCheckedRun"][] | null;
      same: number;
      unverifiable: number;
    };
    RemovedSubscription: {
      name: string;
      state: string;
    };
    Repair: {
      attached?: number;
      attempt?: number;
      attempts: components["schemas"]["Fix"][] | null;
      base?: string;
      budget?: number;
      candidates: components["schemas"]["ThreadCandidateJudged"][] | null;
      closed?: string;
      comment?: string;
      conversation: components["schemas"]["ThreadEntry"][] | null;
      cost_usd?: number;
      explanation?: string;
      failure?: components["schemas"]["FailureFailure"];
      id: string;
      kind: string;
      missing?: string;
      model?: string;
      node?: string;
      opened: string;
      outcome: string;
      proposal?: string;
      run?: string;
      task: string;
      title: string;
      tokens?: number;
      turns?: number;
      version?: string;
      workflow: string;
      workflow_title: string;
    };
    ReplayedOn: {
      different: components["schemas"]["RehearsalDifference"][] | null;
      replayed: number;
      workflow: string;
    };
    ReplayedRun: {
      diff?: string;
      divergence?: string;
      failure?: string;
      output?: Json;
      run: string;
      same: boolean;
      unknown?: boolean;
      version?: string;
      writes: components["schemas"]["GateWrite"][] | null;
    };
    ReplayRunRequest: {
      /** @description A script that is no version */
      code?: string;
      /** @description major.minor; default the run's own */
      version?: string;
    };
    ReplaySubscriptionRequest: {
      /** @description start, now, a position, a time or a weekday */
      from: string;
    };
    RepoCheckpoint: {
      allowed?: string[];
      answer?: string;
      answered_at?: string;
      answered_by?: string;
      at: string;
      attempt: number;
      checkpoint: number;
      commit?: string;
      count?: number;
      healing?: components["schemas"]["PlanHealingEnded"];
      job: string;
      kind: string;
      may_create?: string[];
      reason: string;
      since?: string;
      violations?: components["schemas"]["PlanViolation"][];
      why?: string;
    };
    RepoCheckpointPage: {
      items: components["schemas"]["RepoCheckpoint"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    RepoDiff: {
      count: number;
      cut?: boolean;
      files: components["schemas"]["RepoDiffFile"][];
      from: string;
      to: string;
    };
    RepoDiffFile: {
      binary?: boolean;
      change: string;
      cut?: boolean;
      from?: string;
      outside?: string;
      patch?: string;
      path: string;
      symlink?: string;
    };
    RepoJob: {
      attempt: number;
      branch?: string;
      checkpoint?: components["schemas"]["PlanJobHeld"];
      commit?: string;
      flaky?: string;
      id: string;
      init_left?: string[];
      last?: components["schemas"]["PlanOutcome"];
      may_create?: string[];
      merge?: string;
      needs?: string[];
      output?: string;
      running?: string;
      session?: string;
      status: string;
      task: string;
      touch?: string[];
      waits_until?: string;
      worktree?: string;
    };
    RepoJobWork: {
      agent: string;
      attempts: number;
      changed?: number;
      id: string;
      merged_at?: string;
      onto?: string;
      ready_at?: string;
      since?: string;
      status: string;
      subtasks?: string[];
      timeout: string;
      train?: number;
      verify?: string[];
    };
    RepoOutput: {
      ended: boolean;
      from: number;
      gone?: boolean;
      launch: string;
      line: string;
      says?: string;
      size: number;
      text: string;
      to: number;
    };
    RepoPlan: {
      base: string;
      base_commit: string;
      commit: string;
      ended_at?: string;
      held: number;
      id: string;
      integration: string;
      last_at: string;
      last_event: string;
      last_job?: string;
      merged: number;
      place: string;
      reason?: string;
      repository: string;
      started_at: string;
      started_by: string;
      states: {
        [key: string]: number;
      };
      status: string;
      title: string;
      total: number;
    };
    RepoPlanPage: {
      items: components["schemas"]["RepoPlan"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    RepoPlanView: {
      base: string;
      base_commit: string;
      checkpoints: components["schemas"]["RepoCheckpoint"][];
      commit: string;
      ended_at?: string;
      healings: components["schemas"]["Healing"][];
      held: number;
      id: string;
      init?: string;
      integration: string;
      jobs: components["schemas"]["RepoJob"][] | null;
      last_at: string;
      merged: number;
      parallel: number;
      place: string;
      reason?: string;
      repository: string;
      started_at: string;
      started_by: string;
      states: {
        [key: string]: number;
      };
      status: string;
      steps: components["schemas"]["RepoStep"][];
      title: string;
      verify?: string[];
      walled: boolean;
      work: components["schemas"]["RepoJobWork"][];
    };
    RepoStep: {
      attempt: number;
      bytes: number;
      code: number;
      ended?: string;
      index: number;
      job: string;
      launch: string;
      left?: number;
      line: string;
      merging: boolean;
      millis: number;
      number: number;
      ok: boolean;
      phase: string;
      says?: string;
      started: string;
    };
    RepoStepPage: {
      items: components["schemas"]["RepoStep"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    ResendEventRequest: {
      /** @description The id of an event that is in the list of deliveries or a dead letter, or a position in the log */
      event: string;
    };
    ResolveEffectRequest: {
      /**
       * @description It happened, it did not, or go on as if it had
       * @enum {string}
       */
      how: "happened" | "did_not" | "skip";
      /** @description What the host answered, of one that happened */
      result?: Json;
    };
    RestartRunRequest: {
      /** @description What the run had written (unfinished.again of the run) may be written again */
      write_again?: boolean;
    };
    RetriedInputs: {
      inputs: number;
      workflow: string;
    };
    RetryingRun: {
      at: string;
      run: string;
    };
    Rewrite: {
      call: string;
      in_doubt?: boolean;
      run: string;
    };
    RollbackImpact: {
      after: components["schemas"]["Version"];
      becomes: string;
      before: components["schemas"]["Version"];
      comment: string;
      diff: string;
      follows: string[] | null;
      from: string;
      runs: components["schemas"]["RehearsalSaveCheck"];
      sides: components["schemas"]["SideRow"][] | null;
      summary: string[] | null;
      to: string;
    };
    RollbackRequest: {
      /** @description Why */
      comment?: string;
      /** @description Declare everything wrong, too, that succeeded since a day, a time or a weekday: both, or neither. It takes the scope decide */
      exempt_since?: string;
    };
    RotatedKey: {
      /**
       * Format: date-time
       * @description Until then the one before signs, too
       */
      both_until: string;
      name: string;
      /** @description It is said once */
      signing_key: string;
    };
    RotateKeyRequest: {
      /** @description For how long the key before signs, too; default 24h */
      both?: string;
    };
    Run: {
      admitted: string;
      attempt?: number;
      cancelled?: string;
      continues?: string;
      delayed_by?: string;
      delayed_since?: string;
      ended?: string;
      exempted?: string;
      failure?: components["schemas"]["FailureFailure"];
      id: string;
      labels?: {
        [key: string]: string;
      };
      log_lines: number;
      next_try?: string;
      node?: string;
      output?: Json;
      settled?: string;
      slot?: string;
      started?: string;
      status: string;
      suspected?: string[];
      trigger: string;
      trusted?: boolean;
      usage: components["schemas"]["RunUsage"];
      version: string;
      workflow: string;
    };
    RunBetween: {
      failure?: string;
      outcome: string;
      run: string;
      version: string;
    };
    RunCall: {
      args: Json[];
      effect: string;
      error?: components["schemas"]["RunCallError"];
      from?: string;
      key?: string;
      ms?: number;
      resolved?: string;
      result?: Json;
      returned: boolean;
      seq: number;
      tool: string;
    };
    RunCallError: {
      body?: string;
      class: string;
      code?: string;
      host?: string;
      message: string;
      name: string;
      retry_after_ms?: number;
      status?: number;
    };
    RunLocal: {
      files?: {
        [key: string]: string;
      };
      kv?: {
        [key: string]: Json;
      };
    };
    RunLogLine: {
      level: string;
      text: string;
    };
    RunResult: {
      asked?: boolean;
      candidate?: components["schemas"]["Candidate"];
      changed?: components["schemas"]["GateChanged"][];
      explanation?: string;
      final: components["schemas"]["Run"];
      held_fix?: string;
      repairable?: boolean;
      repairs_stopped?: string;
      retry_at?: string;
      run: components["schemas"]["Run"];
      status: string;
      unfinished?: components["schemas"]["Unfinished"][];
    };
    RunSuspect: {
      key: string;
      kind: string;
      text: string;
    };
    RunSuspicion: {
      suspects: components["schemas"]["RunSuspect"][] | null;
      write?: Json;
    };
    RunUsage: {
      calls: number;
      reused?: number;
      virtual_ms: number;
      wall_ms: number;
    };
    RunView: {
      admitted: string;
      attempt?: number;
      calls: components["schemas"]["RunCall"][] | null;
      cancelled?: string;
      changed?: components["schemas"]["GateChanged"][];
      clock?: string;
      continues?: string;
      delayed_by?: string;
      delayed_since?: string;
      ended?: string;
      exempted?: string;
      failed_at?: components["schemas"]["ScriptPlace"];
      failure?: components["schemas"]["FailureFailure"];
      id: string;
      input?: Json;
      labels?: {
        [key: string]: string;
      };
      local?: components["schemas"]["RunLocal"];
      log: components["schemas"]["RunLogLine"][] | null;
      log_lines: number;
      next_try?: string;
      node?: string;
      output?: Json;
      refused?: components["schemas"]["RefusedHost"];
      /** @description It failed by hand: a repair of it may be asked for */
      repairable?: boolean;
      retriable?: boolean;
      retry_at?: string;
      seed?: string;
      settled?: string;
      slot?: string;
      started?: string;
      status: string;
      suspected?: string[];
      suspicion?: components["schemas"]["RunSuspicion"];
      trigger: string;
      trusted?: boolean;
      unfinished?: components["schemas"]["Unfinished"];
      usage: components["schemas"]["RunUsage"];
      version: string;
      workflow: string;
      /** @description Of a run that was cancelled: what it, and the runs that it went on with, had written */
      writes?: components["schemas"]["Rewrite"][];
      zone?: string;
    };
    SaveScriptRequest: {
      code: string;
      /** @description What changed, in one line */
      comment?: string;
      /** @description What the script does, for people */
      summary?: string;
    };
    Scheduled: {
      catch_up?: string;
      input?: Json;
      jitter?: string;
      next: string[] | null;
      overlap?: string;
      spec: string;
      window?: string;
      /** @description When that is, to go on after 'it runs': every weekday at 09:00 */
      words: string;
      workflow: string;
      zone: string;
    };
    Script: {
      active: boolean;
      author: string;
      code: string;
      comment: string;
      confirmed?: boolean;
      diagram?: string;
      id: string;
      origin: string;
      proposal?: string;
      restored?: string;
      saved: string;
      sha256: string;
      summary?: string;
      task?: string;
      version: string;
      withdrawn?: boolean;
      workflow: string;
    };
    ScriptPlace: {
      column: number;
      line: number;
    };
    SecretPage: {
      items: components["schemas"]["VaultSecret"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    SendInputRequest: {
      input?: Json;
      /** @description What tells this input from others: sent twice, it is one */
      key?: string;
    };
    SendMessageRequest: {
      /** @description A number chooses one, where the planner asked with answers to choose from */
      text: string;
    };
    Sent: {
      key: string;
      outcome: string;
      reason?: string;
      repeated: boolean;
      run: string;
      workflow: string;
    };
    SentReport: {
      /** @description The whole report, in Markdown */
      body: string;
      /** @description Whether a picture can go with it: where it goes may take none */
      pictures: boolean;
      /** @description False of a preview */
      sent: boolean;
      title: string;
      /** @description Where it can be read, if it can be */
      url?: string;
      /** @description In words */
      where: string;
    };
    SessionAgent: {
      command?: string[];
      resume?: string[];
    };
    SessionCheck: {
      command?: string;
      name: string;
    };
    SessionCheckRan: {
      check: components["schemas"]["SessionCheck"];
      clean: boolean;
      code: number;
      fingerprint?: string;
      head: string;
      healing: number;
      lost?: string[];
      millis: number;
      passed: boolean;
      says: string;
      tail?: string;
    };
    SessionFailure: {
      agent?: boolean;
      agent_session?: string;
      check: components["schemas"]["SessionCheck"];
      code: number;
      files?: string[];
      fingerprint: string;
      kind: string;
      repeated?: string[];
      says: string;
      subagents?: string[];
      subtask?: string;
      tail?: string;
      task?: string;
      trajectory?: string;
      trajectory_id?: string;
      trigger: string;
      unread?: string;
    };
    SessionKept: {
      commit: string;
      ref: string;
    };
    SessionPolicy: {
      agent: components["schemas"]["SessionAgent"];
      allowed?: string[];
      checks?: components["schemas"]["SessionCheck"][];
      clean: boolean;
      enabled: boolean;
      forbidden?: string[];
      hard_reset: boolean;
      mode: string;
      model?: boolean;
      off?: string[];
      per_session: number;
      per_subtask: number;
      progress: string;
      protected?: string[];
      stuck_after?: number;
      timeout_seconds: number;
    };
    SessionUndo: {
      kind: string;
      ref?: string;
    };
    SetSecret: {
      activated: string[] | null;
      go_on?: components["schemas"]["Unfinished"][];
      hosts: string[] | null;
      name: string;
      /** @description The runs that were refused and are tried again with it: their result says whether it is taken */
      retried?: string[];
      workflow?: string;
    };
    SetSecretRequest: {
      /** @description Hosts, or host:port, that it may be sent to */
      hosts: string[] | null;
      /** @description Try the runs again that were refused without it */
      retry?: boolean;
      value: string;
    };
    SetSubscriptionSecretRequest: {
      secret: string;
    };
    ShownChange: {
      after: components["schemas"]["Snapshot"];
      before: components["schemas"]["Snapshot"];
      counts: {
        [key: string]: number;
      };
      diff: string;
      events: components["schemas"]["HistoryLine"][] | null;
      from: string;
      kept: components["schemas"]["KeptChange"][] | null;
      runs: components["schemas"]["RunBetween"][] | null;
      to: string;
      words?: string[];
    };
    ShownMoment: {
      at: string;
      diff: string;
      events: components["schemas"]["HistoryLine"][] | null;
      now: components["schemas"]["Snapshot"];
      state: components["schemas"]["Snapshot"];
    };
    SideRow: {
      after?: string;
      before?: string;
      line?: number;
      same?: boolean;
      to_line?: number;
    };
    Snapshot: {
      comment: string;
      escalation?: string;
      fixes: number;
      intent: string;
      local: components["schemas"]["Local"];
      settings: components["schemas"]["WorkflowSettings"];
      sha256: string;
      status: string;
      title: string;
      unconfirmed: string[] | null;
      under_way: string[] | null;
      version: string;
    };
    StartedPayment: {
      link: string;
      payment: string;
    };
    StartPaymentRequest: {
      /** @description US dollars */
      amount: string;
      /** @description Where the browser goes afterwards */
      return_url: string;
    };
    StartRunBody: {
      /** @description The script's input; default that of the settings, or {} */
      input?: Json;
      /** @description What the run is found by, beside the labels of its workflow: up to 16, as {"order": "4711"} */
      labels?: {
        [key: string]: string;
      };
      /** @description If it fails, have the workflow mended of that, as for a run that starts by itself; else a failure is this run's alone */
      repair?: boolean;
    };
    StreamMoment: {
      after: Json;
      before: Json;
      event: components["schemas"]["HistoryLine"];
    };
    StreamPage: {
      items: components["schemas"]["HistoryLine"][];
      /**
       * Format: int64
       * @description The revision of the newest event
       */
      last: number;
      /** @description Give it as after, to have those before */
      next?: string;
      stream: string;
    };
    StringPage: {
      items: string[];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    Subscription: {
      allow_private?: boolean;
      binary?: boolean;
      client_certificate?: string;
      client_key?: string;
      dead_letters: number;
      failing: number;
      failing_since?: string;
      filter?: string;
      from: components["schemas"]["SubscriptionPlace"];
      give_up_seconds: number;
      headers?: string[];
      lag: number;
      lanes: string;
      last_error?: string;
      left_out: number;
      name: string;
      oauth?: components["schemas"]["SubscriptionOAuth"];
      owner?: string;
      payload: string;
      position: string;
      rate?: string;
      reason?: string;
      state: string;
      target: string;
      transform?: string;
      types?: string[];
      workflows?: string[];
    };
    SubscriptionDeadLettered: {
      attempts: number;
      event: components["schemas"]["SubscriptionPlace"];
      lane: string;
      reason: string;
      type: string;
    };
    SubscriptionOAuth: {
      audience?: string;
      client_id: string;
      scopes?: string[];
      secret: string;
      token_url: string;
    };
    SubscriptionPage: {
      items: components["schemas"]["Subscription"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    SubscriptionPlace: {
      event_id?: string;
      position?: string;
      revision?: number;
      stream?: string;
    };
    SuggestedFix: {
      base: string;
      became: string;
      fix?: string;
      reasons?: string[];
      status: string;
      verification: components["schemas"]["WorkflowVerification"];
      version?: string;
      workflow: string;
    };
    SuggestFixRequest: {
      /** @description The version that it was made of; default the active one */
      base?: string;
      /** @description The whole script, mended */
      code: string;
      /** @description What it changes, in one line */
      comment?: string;
    };
    SwitchedOn: {
      agent: string;
      archives?: string;
      auto_fix: string;
      created: string;
      failed: number;
      fixes: number;
      go_on?: components["schemas"]["Unfinished"][];
      held_fix?: string;
      id: string;
      intent: string;
      labels?: {
        [key: string]: string;
      };
      last_ended?: string;
      last_outcome?: string;
      last_run?: string;
      open_task?: string;
      owner: string;
      prompted?: string;
      retrying?: components["schemas"]["RetryingRun"][];
      running: number;
      schedule?: string;
      schedule_zone?: string;
      status: string;
      succeeded: number;
      switched_on?: components["schemas"]["EgressAccount"];
      title: string;
      touched?: string;
      updated: string;
      version: string;
      versions: number;
      zone: string;
    };
    System: {
      /** @description A program proposes fixes here */
      fixer_program: boolean;
      /** @description The newest position of the log */
      head: string;
      /** @description That agents of this server ask; empty for none */
      model?: string;
      /** @description This server among others */
      node: string;
      /** @description Servers that have claimed something, and this one */
      nodes: components["schemas"]["NodeAtWork"][] | null;
      /** @description Where the event log is: sqlite, postgres or esdb */
      store: string;
      /** @description The program's */
      version: string;
      views: components["schemas"]["Readiness"];
    };
    TakeFromGalleryBody: {
      /** @description Whose it is; yours, if it is left out */
      owner?: string;
      /** @description The addresses of your services, by those of the examples */
      services: {
        [key: string]: string;
      };
      /** @description Default its own */
      title?: string;
    };
    Taken: {
      already: boolean;
      commit: string;
      forward: boolean;
      into: string;
      plan: string;
    };
    TendDraftsRequest: {
      /** @enum {string} */
      age?: "stale" | "abandoned";
      /** @enum {string} */
      do: "archived" | "kept";
      /** @description Why they are archived, for the history */
      reason?: string;
      /** @description Which; or all of an age */
      workflows?: string[];
    };
    Thread: {
      attached?: number;
      attempt?: number;
      base?: string;
      budget?: number;
      closed?: string;
      comment?: string;
      cost_usd?: number;
      explanation?: string;
      failure?: components["schemas"]["FailureFailure"];
      id: string;
      kind: string;
      missing?: string;
      model?: string;
      node?: string;
      opened: string;
      outcome: string;
      proposal?: string;
      run?: string;
      task: string;
      title: string;
      tokens?: number;
      turns?: number;
      version?: string;
      workflow: string;
    };
    ThreadCandidateJudged: {
      candidate: number;
      comment: string;
      diff: string;
      divergence?: string;
      diverges?: string;
      fixer: string;
      reasons?: string[];
      verdict: string;
    };
    ThreadEntry: {
      actor: string;
      at: string;
      candidate?: components["schemas"]["ThreadCandidateJudged"];
      invoked?: components["schemas"]["ThreadToolInvoked"];
      kind: string;
      message?: components["schemas"]["ThreadMessageAppended"];
      resulted?: components["schemas"]["ThreadToolResulted"];
      revision: number;
      unavailable?: components["schemas"]["ThreadModelUnavailable"];
    };
    ThreadMessageAppended: {
      extra?: Json;
      role: string;
      text: string;
      usage?: components["schemas"]["ThreadUsage"];
    };
    ThreadModelUnavailable: {
      code?: string;
      detail?: string;
      kind: string;
      model: string;
      retry_at: string;
      since: string;
      status?: number;
      try: number;
      usage?: components["schemas"]["ThreadUsage"];
    };
    ThreadPage: {
      items: components["schemas"]["Thread"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    ThreadToolInvoked: {
      args: Json;
      call: string;
      extra?: Json;
      tool: string;
    };
    ThreadToolResulted: {
      call: string;
      end?: boolean;
      error?: string;
      result?: Json;
    };
    ThreadUsage: {
      cached?: number;
      cost_usd?: number;
      estimated?: boolean;
      input: number;
      model: string;
      output: number;
    };
    TimelineChoice: {
      kinds: ("workflow" | "script" | "setting" | "run" | "repair" | "fix" | "question" | "planner" | "trigger" | "draft" | "routine")[] | null;
      significance: ("person_facing" | "notable" | "routine")[] | null;
    };
    TimelineEntry: {
      actor?: string;
      at: string;
      counts?: {
        [key: string]: number;
      };
      first?: number;
      fix?: string;
      from?: string;
      kind: string;
      last?: number;
      number: number;
      run?: string;
      significance: string;
      text: string;
      type?: string;
      version?: string;
      workflow: string;
    };
    TimelinePage: {
      entries: components["schemas"]["TimelineEntry"][] | null;
      next?: number;
    };
    Token: {
      account?: components["schemas"]["InstallationAccount"];
      expires?: string;
      /**
       * @description Who holds it, if that is not the person
       * @enum {string}
       */
      holder?: "agent" | "program";
      id: string;
      name?: string;
      /** @description It sees the workflows of this owner only */
      owner?: string;
      person: string;
      scopes: string[] | null;
      /** @description Somebody signed in on the page */
      session?: boolean;
      /** @enum {string} */
      standing: "valid" | "expired" | "revoked";
      /** @description It is the one that asks */
      this?: boolean;
      /** @description What has to be shown. It is said once and kept nowhere */
      token?: string;
    };
    TokenPage: {
      items: components["schemas"]["Token"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    Told: {
      at: string;
      id: string;
      proposal?: string;
      run?: string;
      text?: string;
      title: string;
      workflow: string;
      workflow_title: string;
    };
    TopUpRequest: {
      /** @description US dollars */
      amount: string;
      /** @description What the payment is called in the books */
      reference: string;
    };
    Triggered: {
      triggers: components["schemas"]["TriggeredOn"][] | null;
      workflow: string;
    };
    TriggeredOn: {
      outcomes: string[] | null;
      source: string;
      title: string;
    };
    UnblockSubtaskRequest: {
      /** @description What was done about it */
      reason?: string;
      /** @description The subtask or job; without it, the session itself */
      subtask?: string;
    };
    Uncounted: {
      model: string;
      tokens: number;
    };
    Unfinished: {
      again?: components["schemas"]["Rewrite"][];
      asked: boolean;
      problem: string;
      run: string;
      version: string;
      writes: number;
    };
    Usage: {
      calls: number;
      day: string;
      failed: number;
      micros: number;
      owner: string;
      run_ms: number;
      runs: number;
      tokens: number;
      workflow: string;
      workflow_title: string;
    };
    UsageOfDay: {
      calls: number;
      day: string;
      failed: number;
      micros: number;
      run_ms: number;
      runs: number;
      tokens: number;
    };
    UsageReport: {
      by_day: components["schemas"]["UsageOfDay"][] | null;
      days: components["schemas"]["Usage"][] | null;
      from: string;
      next?: string;
      to: string;
      total: components["schemas"]["UsageTotal"];
    };
    UsageTotal: {
      calls: number;
      currency: string;
      failed: number;
      micros: number;
      run_ms: number;
      runs: number;
      tokens: number;
    };
    V2ErrorDetail: {
      /** @description Where the error occurred, e.g. 'body.items[3].tags' or 'path.thing-id' */
      location?: string;
      /** @description Error message text */
      message?: string;
      /** @description The value at the given location */
      value?: Json;
    };
    ValuePage: {
      items: components["schemas"]["GateValue"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    VaultBinding: {
      hosts: string[] | null;
      name: string;
      workflow?: string;
    };
    VaultSecret: {
      hosts: string[] | null;
      name: string;
      set_at: string;
      workflow?: string;
    };
    Verified: {
      broken?: components["schemas"]["BrokenEvent"];
      checkpoint?: string;
      erased?: components["schemas"]["ErasedEvent"][];
      events: number;
      mended?: components["schemas"]["MendedStore"][];
      other_events: number;
      other_streams: number;
      restored?: string[];
      root?: string;
      since_checkpoint?: number;
      streams: number;
      unknown_types: number;
      unread_streams?: number;
      views?: components["schemas"]["ReadmodelComparison"];
      whole: boolean;
    };
    VerifyLogRequest: {
      /** @description Also check that every event can have happened */
      deep?: boolean;
    };
    Version: {
      active: boolean;
      author: string;
      code: string;
      comment: string;
      confirmed?: boolean;
      diagram?: string;
      id: string;
      origin: string;
      proof?: components["schemas"]["VersionProof"];
      proposal?: string;
      restored?: string;
      saved: string;
      sha256: string;
      summary?: string;
      task?: string;
      version: string;
      withdrawn?: boolean;
      workflow: string;
    };
    VersionPage: {
      items: components["schemas"]["Version"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    VersionProof: {
      decided_by: string;
      excluded: number;
      fixer: components["schemas"]["WorkflowFixer"];
      identical: number;
      proposal: string;
      reasons?: string[];
      replayed: number;
      run: string;
      state: string;
      verdict?: string;
    };
    ViewPage: {
      items: components["schemas"]["ReadmodelView"][];
      /** @description Give it as after, to have the next page; there is none if it is missing */
      next?: string;
    };
    ViewRows: {
      at?: string;
      columns: components["schemas"]["ReadmodelViewColumn"][] | null;
      more?: boolean;
      position?: string;
      recorded?: string;
      rows: (Json[] | null)[] | null;
      view: string;
    };
    Ways: {
      organisation?: components["schemas"]["OrganisationWay"];
    };
    WhatIfRequest: {
      code: string;
      /** @description How far back: 12h, 7d; default 7d */
      since?: string;
    };
    WhichLettersBody: {
      /** @description Which; without it, all that wait */
      events?: string[];
      /** @description Why they are dropped */
      reason?: string;
    };
    Who: {
      expires?: string;
      /** @description They see the workflows of this owner only */
      owner?: string;
      person: string;
      scopes: ("read" | "run" | "edit" | "decide" | "admin" | "metrics")[];
      /** @description The program's */
      version: string;
    };
    WholeSubscription: {
      allow_private?: boolean;
      binary?: boolean;
      client_certificate?: string;
      client_key?: string;
      dead_letters: number;
      failing: number;
      failing_since?: string;
      filter?: string;
      from: components["schemas"]["SubscriptionPlace"];
      give_up_seconds: number;
      headers?: string[];
      history: components["schemas"]["HistoryLine"][] | null;
      lag: number;
      lanes: string;
      last_error?: string;
      left_out: number;
      name: string;
      oauth?: components["schemas"]["SubscriptionOAuth"];
      owner?: string;
      payload: string;
      position: string;
      rate?: string;
      reason?: string;
      state: string;
      target: string;
      transform?: string;
      types?: string[];
      workflows?: string[];
    };
    WithdrawFixRequest: {
      /** @description Why, for the history */
      reason?: string;
    };
    Withdrawn: {
      active: string;
      status: string;
      withdrawn: string[] | null;
      workflow: string;
    };
    WithNoteBody: {
      /** @description Why, for the history */
      note?: string;
    };
    WithReasonBody: {
      /** @description Why, for the history */
      reason?: string;
    };
    WithWhyBody: {
      /** @description Why, for whoever finds it so */
      reason?: string;
    };
    Workflow: {
      agent: string;
      archives?: string;
      auto_fix: string;
      created: string;
      failed: number;
      fixes: number;
      held_fix?: string;
      id: string;
      intent: string;
      labels?: {
        [key: string]: string;
      };
      last_ended?: string;
      last_outcome?: string;
      last_run?: string;
      open_task?: string;
      owner: string;
      prompted?: string;
      retrying?: components["schemas"]["RetryingRun"][];
      running: number;
      schedule?: string;
      schedule_zone?: string;
      status: string;
      succeeded: number;
      title: string;
      touched?: string;
      updated: string;
      version: string;
      versions: number;
      zone: string;
    };
    WorkflowAlternative: {
      code: string;
      comment: string;
      output?: Json;
      widens?: components["schemas"]["WorkflowWidening"];
      writes?: components["schemas"]["GateWrite"][];
    };
    WorkflowFixAccepted: {
      allow_hosts?: string[];
      alternative?: number;
      bind_secrets?: components["schemas"]["WorkflowSecretUse"][];
      proposal: string;
      reason?: string;
      version: components["schemas"]["WorkflowVersion"];
    };
    WorkflowFixer: {
      detail?: string;
      kind: string;
      version: string;
    };
    WorkflowLimits: {
      calls?: number;
      cpu_ms?: number;
      fetch_bytes?: number;
      log_bytes?: number;
      memory_bytes?: number;
      result_bytes?: number;
      stored_bytes?: number;
      wall_ms?: number;
    };
    WorkflowOfOutage: {
      id: string;
      title: string;
    };
    WorkflowReconcile: {
      host: string;
      lookup: string;
      result?: string;
    };
    WorkflowRehearsal: {
      assumed?: string[];
      invented?: string[];
      output?: Json;
      problem?: string;
      succeeded: boolean;
      writes?: components["schemas"]["GateWrite"][];
    };
    WorkflowSecretUse: {
      host: string;
      name: string;
    };
    WorkflowSettings: {
      allowed_hosts?: string[];
      atomic_hosts?: string[];
      auto_fix?: string;
      budget?: number;
      concurrency_key?: string;
      debounce_ms?: number;
      decide_within_ms?: number;
      fixers?: string[];
      guard?: string;
      hook_answers_ms?: {
        [key: string]: number;
      };
      hooks?: {
        [key: string]: string;
      };
      idempotent_hosts?: string[];
      input?: Json;
      labels?: {
        [key: string]: string;
      };
      limits?: components["schemas"]["WorkflowLimits"];
      locale?: string;
      max_active?: number;
      on_deadline?: string;
      on_escalation?: string;
      on_hold?: string;
      outage_after_ms?: number;
      priority_key?: string;
      queued_inputs?: number;
      reconcile?: components["schemas"]["WorkflowReconcile"][];
      repairs_per_hr?: number;
      runs_per_hr?: number;
      unfinished?: string;
    };
    WorkflowVerification: {
      assumed?: string[];
      certificate: string;
      divergence?: string;
      diverges?: string;
      doubts?: string[];
      excluded: number;
      exempted?: number;
      failing_run: string;
      gate_version: string;
      identical: number;
      missing: number;
      output?: Json;
      reasons?: string[];
      rehearsal?: components["schemas"]["WorkflowRehearsal"];
      replayed: number;
      runs?: string[];
      unverified?: string[];
      verdict: string;
      widens?: components["schemas"]["WorkflowWidening"];
      writes?: components["schemas"]["GateWrite"][];
    };
    WorkflowVersion: {
      major: number;
      minor: number;
    };
    WorkflowView: {
      agent: string;
      archives?: string;
      auto_fix: string;
      created: string;
      failed: number;
      fixes: number;
      held_fix?: string;
      id: string;
      intent: string;
      labels?: {
        [key: string]: string;
      };
      last_ended?: string;
      last_outcome?: string;
      last_run?: string;
      notifications: components["schemas"]["Notification"][] | null;
      open_task?: string;
      owner: string;
      prompted?: string;
      queued: components["schemas"]["QueuedInput"][] | null;
      repairs: components["schemas"]["Thread"][] | null;
      repairs_stopped?: string;
      retrying?: components["schemas"]["RetryingRun"][];
      running: number;
      schedule?: string;
      /** @description When it runs, to go on after 'it runs': every weekday at 09:00 */
      schedule_words: string;
      schedule_zone?: string;
      status: string;
      succeeded: number;
      title: string;
      touched?: string;
      triggers: components["schemas"]["EventTrigger"][] | null;
      unfinished: components["schemas"]["Unfinished"][] | null;
      unreadable?: string;
      updated: string;
      version: string;
      versions: number;
      zone: string;
    };
    WorkflowWidening: {
      hosts?: string[];
      secrets?: components["schemas"]["WorkflowSecretUse"][];
      writes?: string[];
    };
  };
  responses: {
    /** @description The request cannot be read */
    BadRequest: {
      headers: {
        [name: string]: Json;
      };
      content: {
        "application/problem+json": components["schemas"]["Problem"];
      };
    };
    /** @description It does not go with what is so now: look again, then decide */
    Conflict: {
      headers: {
        [name: string]: Json;
      };
      content: {
        "application/problem+json": components["schemas"]["Problem"];
      };
    };
    /** @description The body is too large */
    ContentTooLarge: {
      headers: {
        [name: string]: Json;
      };
      content: {
        "application/problem+json": components["schemas"]["Problem"];
      };
    };
    /** @description Your token does not allow this, or the rules of the installation do not */
    Forbidden: {
      headers: {
        [name: string]: Json;
      };
      content: {
        "application/problem+json": components["schemas"]["Problem"];
      };
    };
    /** @description The answer took too long: send it again, a write with the same Idempotency-Key */
    GatewayTimeout: {
      headers: {
        [name: string]: Json;
      };
      content: {
        "application/problem+json": components["schemas"]["Problem"];
      };
    };
    /** @description The disk is full: send it again with the same Idempotency-Key once there is room */
    InsufficientStorage: {
      headers: {
        [name: string]: Json;
      };
      content: {
        "application/problem+json": components["schemas"]["Problem"];
      };
    };
    /** @description The server failed at it: its log says how. Acknowledged writes are not lost */
    InternalServerError: {
      headers: {
        [name: string]: Json;
      };
      content: {
        "application/problem+json": components["schemas"]["Problem"];
      };
    };
    /** @description The server is not reached by this name: its operator allows it with --host */
    MisdirectedRequest: {
      headers: {
        [name: string]: Json;
      };
      content: {
        "application/problem+json": components["schemas"]["Problem"];
      };
    };
    /** @description It is not there, or you do not see it */
    NotFound: {
      headers: {
        [name: string]: Json;
      };
      content: {
        "application/problem+json": components["schemas"]["Problem"];
      };
    };
    /** @description It has changed since the revision of If-Match: the problem says where it is now */
    PreconditionFailed: {
      headers: {
        [name: string]: Json;
      };
      content: {
        "application/problem+json": components["schemas"]["Problem"];
      };
    };
    /** @description The body did not come in time */
    RequestTimeout: {
      headers: {
        [name: string]: Json;
      };
      content: {
        "application/problem+json": components["schemas"]["Problem"];
      };
    };
    /** @description Not now: send it again after Retry-After, a write with the same Idempotency-Key */
    ServiceUnavailable: {
      headers: {
        /** @description How many seconds to wait */
        "Retry-After": number;
        [name: string]: Json;
      };
      content: {
        "application/problem+json": components["schemas"]["Problem"];
      };
    };
    /** @description Wait as long as Retry-After says */
    TooManyRequests: {
      headers: {
        /** @description How many seconds to wait */
        "Retry-After": number;
        [name: string]: Json;
      };
      content: {
        "application/problem+json": components["schemas"]["Problem"];
      };
    };
    /** @description No token, or one that is not known: show another */
    Unauthorized: {
      headers: {
        [name: string]: Json;
      };
      content: {
        "application/problem+json": components["schemas"]["Problem"];
      };
    };
    /** @description The request says something that cannot be: the problem names the place */
    UnprocessableEntity: {
      headers: {
        [name: string]: Json;
      };
      content: {
        "application/problem+json": components["schemas"]["Problem"];
      };
    };
    /** @description The body is in a form that is not understood: send application/json */
    UnsupportedMediaType: {
      headers: {
        [name: string]: Json;
      };
      content: {
        "application/problem+json": components["schemas"]["Problem"];
      };
    };
  };
}
export interface operations {
  getAccount: {
    parameters: {
      path: {
        owner: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Account"];
        };
      };
    };
  };
  putLimit: {
    parameters: {
      path: {
        owner: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["PutLimitRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Account"];
        };
      };
    };
  };
  startPayment: {
    parameters: {
      path: {
        owner: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["StartPaymentRequest"];
      };
    };
    responses: {
      /** @description Created */
      201: {
        content: {
          "application/json": components["schemas"]["StartedPayment"];
        };
      };
    };
  };
  checkPayments: {
    parameters: {
      path: {
        owner: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Account"];
        };
      };
    };
  };
  topUp: {
    parameters: {
      path: {
        owner: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TopUpRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Account"];
        };
      };
    };
  };
  getAutofix: {
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Autofix"];
        };
      };
    };
  };
  changeSpendCap: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["ChangeSpendCapRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Autofix"];
        };
      };
    };
  };
  stopRepairs: {
    requestBody?: {
      content: {
        "application/json": components["schemas"]["WithWhyBody"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Autofix"];
        };
      };
    };
  };
  resumeRepairs: {
    requestBody?: {
      content: {
        "application/json": components["schemas"]["WithWhyBody"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Autofix"];
        };
      };
    };
  };
  command: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["CommandRequest"];
      };
    };
    responses: {
      /** @description What it prints */
      200: {
        content: {
          "application/x-ndjson": components["schemas"]["CommandChunk"];
        };
      };
    };
  };
  doctor: {
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["CheckPage"];
        };
      };
    };
  };
  listDrafts: {
    parameters: {
      query?: {
        /** @description At least: stale after 3 days, abandoned after 7 */
        age?: "stale" | "abandoned";
        owner?: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["DraftPage"];
        };
      };
    };
  };
  tendDrafts: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["TendDraftsRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["DraftPage"];
        };
      };
    };
  };
  getDraftArchiving: {
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["DraftArchiving"];
        };
      };
    };
  };
  putDraftArchiving: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["DraftArchiving"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["DraftArchiving"];
        };
      };
    };
  };
  listEffects: {
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["EffectPage"];
        };
      };
    };
  };
  getEgress: {
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["InstallationEgress"];
        };
      };
    };
  };
  changeEgress: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["ChangeEgressRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["InstallationEgress"];
        };
      };
    };
  };
  events: {
    parameters: {
      query?: {
        /** @description A position, or start; without it only what comes from now on */
        after?: string;
        /** @description full: what the event says in full */
        payload?: string;
        /** @description Only of this stream, as plan-ID or session-ID */
        stream?: string;
        /** @description Only these types of events, with commas */
        types?: string;
        /** @description true: what agents say, too */
        words?: string;
        /** @description Only of this workflow */
        workflow?: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description The stream */
      200: {
        content: {
          "text/event-stream": components["schemas"]["LiveEvent"];
        };
      };
    };
  };
  listFixes: {
    parameters: {
      query?: {
        /** @description The next of the page before */
        after?: string;
        /** @description The most items to have */
        limit?: number;
        /** @description A fix: it and the newest one of each other workflow that failed of the same cause */
        same_cause?: string;
        state?: string;
        workflow?: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["ListedFixPage"];
        };
      };
    };
  };
  getFix: {
    parameters: {
      path: {
        /** @description The id of a fix */
        fix: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["FixView"];
        };
      };
    };
  };
  acceptFix: {
    parameters: {
      path: {
        /** @description The id of a fix */
        fix: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["AcceptFixRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["AnsweredFix"];
        };
      };
    };
  };
  correctFix: {
    parameters: {
      path: {
        /** @description The id of a fix */
        fix: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CorrectFixRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["AnsweredFix"];
        };
      };
    };
  };
  declineFix: {
    parameters: {
      path: {
        /** @description The id of a fix */
        fix: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["DeclineFixRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["AnsweredFix"];
        };
      };
    };
  };
  recheckFix: {
    parameters: {
      path: {
        /** @description The id of a fix */
        fix: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["FixView"];
        };
      };
    };
  };
  getThread: {
    parameters: {
      path: {
        /** @description The id of a fix */
        fix: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Repair"];
        };
      };
    };
  };
  verifyFix: {
    parameters: {
      path: {
        /** @description The id of a fix */
        fix: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Proof"];
        };
      };
    };
  };
  withdrawFix: {
    parameters: {
      path: {
        /** @description The id of a fix */
        fix: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["WithdrawFixRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Withdrawn"];
        };
      };
    };
  };
  listGallery: {
    parameters: {
      query?: {
        /** @description Only those that have all these words, in their name, title, purpose or tags */
        text?: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["EntryPage"];
        };
      };
    };
  };
  takeFromGallery: {
    parameters: {
      path: {
        /** @description The name of an automation of the gallery */
        name: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TakeFromGalleryBody"];
      };
    };
    responses: {
      /** @description Created */
      201: {
        content: {
          "application/json": components["schemas"]["WorkflowView"];
        };
      };
    };
  };
  listGenerations: {
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["GenerationPage"];
        };
      };
    };
  };
  dropGeneration: {
    parameters: {
      path: {
        generation: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Dropped"];
        };
      };
    };
  };
  listGroups: {
    parameters: {
      query?: {
        /** @description The next of the page before */
        after?: string;
        /** @description The most items to have */
        limit?: number;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["GroupPage"];
        };
      };
    };
  };
  listHealSessions: {
    parameters: {
      query?: {
        /** @description The next of the page before */
        after?: string;
        /** @description The most items to have */
        limit?: number;
        /** @description Only those of this plan */
        plan?: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["HealSessionPage"];
        };
      };
    };
  };
  getHealSession: {
    parameters: {
      path: {
        /** @description The id of a session */
        session: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["HealSessionView"];
        };
      };
    };
  };
  getHealing: {
    parameters: {
      path: {
        /** @description The number of a healing of the session */
        healing: number;
        /** @description The id of a session */
        session: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["HealingReport"];
        };
      };
    };
  };
  getHealingTrajectory: {
    parameters: {
      path: {
        /** @description The number of a healing of the session */
        healing: number;
        /** @description The id of a session */
        session: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["AtifTrajectory"];
        };
      };
    };
  };
  unblockSubtask: {
    parameters: {
      path: {
        /** @description The id of a session */
        session: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["UnblockSubtaskRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["HealSessionView"];
        };
      };
    };
  };
  getInbox: {
    parameters: {
      query?: {
        /** @description Also what is done */
        all?: boolean;
        kind?: string;
        limit?: number;
        state?: string;
        workflow?: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["InboxItemPage"];
        };
      };
    };
  };
  listNotifications: {
    parameters: {
      query?: {
        /** @description The next of the page before */
        after?: string;
        /** @description Also those that are resolved, or were acknowledged while nothing stands still for them */
        all?: boolean;
        /** @description Only those that were given to this person, or to group:NAME */
        for?: string;
        /** @description The most items to have */
        limit?: number;
        type?: string;
        workflow?: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["NotificationPage"];
        };
      };
    };
  };
  acknowledge: {
    parameters: {
      path: {
        /** @description The id of a notification */
        notification: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Notification"];
        };
      };
    };
  };
  answer: {
    parameters: {
      path: {
        /** @description The id of a notification */
        notification: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AnswerRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Notification"];
        };
      };
    };
  };
  getDecision: {
    parameters: {
      path: {
        /** @description The id of a notification */
        notification: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Decision"];
        };
      };
    };
  };
  delegate: {
    parameters: {
      path: {
        /** @description The id of a notification */
        notification: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["DelegateRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Notification"];
        };
      };
    };
  };
  listOutages: {
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["OutagePage"];
        };
      };
    };
  };
  createPlan: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewPlanBody"];
      };
    };
    responses: {
      /** @description Created */
      201: {
        content: {
          "application/json": components["schemas"]["Planned"];
        };
      };
    };
  };
  listRecorded: {
    parameters: {
      query?: {
        /** @description The next of the page before */
        after?: string;
        /** @description Only those of streams of this kind */
        kind?: "workflow" | "run" | "thread" | "account" | "subscription" | "plan" | "session" | "admin";
        /** @description The most items to have */
        limit?: number;
        /** @description Only those of these types */
        type?: string[] | null;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["HistoryLinePage"];
        };
      };
    };
  };
  listRepoPlans: {
    parameters: {
      query?: {
        /** @description The next of the page before */
        after?: string;
        /** @description The most items to have */
        limit?: number;
        /** @description held: all that is left of it waits for a person */
        status?: "running" | "held" | "completed" | "cancelled";
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["RepoPlanPage"];
        };
      };
    };
  };
  getRepoPlan: {
    parameters: {
      path: {
        /** @description The id of a plan, the end of it, or its title */
        plan: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["RepoPlanView"];
        };
      };
    };
  };
  cancelRepoPlan: {
    parameters: {
      path: {
        /** @description The id of a plan, the end of it, or its title */
        plan: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["CancelRepoPlanRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["RepoPlanView"];
        };
      };
    };
  };
  listRepoCheckpoints: {
    parameters: {
      query?: {
        /** @description The next of the page before */
        after?: number;
        /** @description Only of this job */
        job?: string;
        /** @description The most items to have */
        limit?: number;
      };
      path: {
        /** @description The id of a plan, the end of it, or its title */
        plan: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["RepoCheckpointPage"];
        };
      };
    };
  };
  getRepoPlanHistory: {
    parameters: {
      query?: {
        /** @description A revision: the events before it */
        after?: number;
        limit?: number;
      };
      path: {
        /** @description The id of a plan, the end of it, or its title */
        plan: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["StreamPage"];
        };
      };
    };
  };
  acceptRepoJob: {
    parameters: {
      path: {
        /** @description The id of a job of the plan */
        job: string;
        /** @description The id of a plan, the end of it, or its title */
        plan: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AcceptRepoJobRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["RepoPlanView"];
        };
      };
    };
  };
  getRepoJobDiff: {
    parameters: {
      query?: {
        /** @description Only the files that it is held for */
        held?: boolean;
      };
      path: {
        /** @description The id of a job of the plan */
        job: string;
        /** @description The id of a plan, the end of it, or its title */
        plan: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["RepoDiff"];
        };
      };
    };
  };
  dropRepoJob: {
    parameters: {
      path: {
        /** @description The id of a job of the plan */
        job: string;
        /** @description The id of a plan, the end of it, or its title */
        plan: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["ReasonedBody"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["RepoPlanView"];
        };
      };
    };
  };
  followUpRepoJob: {
    parameters: {
      path: {
        /** @description The id of a job of the plan */
        job: string;
        /** @description The id of a plan, the end of it, or its title */
        plan: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["FollowUpRepoJobRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["RepoPlanView"];
        };
      };
    };
  };
  getRepoJobOutput: {
    parameters: {
      query?: {
        /** @description A place in the output, in bytes; -1 for its end */
        from?: number;
        /** @description Which one; without it the newest */
        launch?: string;
        /** @description The most bytes to have */
        limit?: number;
      };
      path: {
        /** @description The id of a job of the plan */
        job: string;
        /** @description The id of a plan, the end of it, or its title */
        plan: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["RepoOutput"];
        };
      };
    };
  };
  relaunchRepoJob: {
    parameters: {
      path: {
        /** @description The id of a job of the plan */
        job: string;
        /** @description The id of a plan, the end of it, or its title */
        plan: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["NotedBody"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["RepoPlanView"];
        };
      };
    };
  };
  retryRepoJob: {
    parameters: {
      path: {
        /** @description The id of a job of the plan */
        job: string;
        /** @description The id of a plan, the end of it, or its title */
        plan: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["NotedBody"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["RepoPlanView"];
        };
      };
    };
  };
  stopRepoJob: {
    parameters: {
      path: {
        /** @description The id of a job of the plan */
        job: string;
        /** @description The id of a plan, the end of it, or its title */
        plan: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["ReasonedBody"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["RepoPlanView"];
        };
      };
    };
  };
  listRepoSteps: {
    parameters: {
      query?: {
        /** @description The next of the page before */
        after?: number;
        /** @description Only of this job */
        job?: string;
        /** @description The most items to have */
        limit?: number;
      };
      path: {
        /** @description The id of a plan, the end of it, or its title */
        plan: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["RepoStepPage"];
        };
      };
    };
  };
  takeRepoPlan: {
    parameters: {
      path: {
        /** @description The id of a plan, the end of it, or its title */
        plan: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Taken"];
        };
      };
    };
  };
  reportProblem: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewReport"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["SentReport"];
        };
      };
    };
  };
  listRuns: {
    parameters: {
      query?: {
        /** @description The next of the page before */
        after?: string;
        /** @description Only those that failed with this in the text of their failure, in upper or lower case */
        error?: string;
        /** @description Only those with this label, as team=billing; several choose those that have all */
        label?: string[] | null;
        /** @description The most items to have */
        limit?: number;
        /** @description Only those that were admitted from then on: how long ago (2h, 7d), a day, a time or a weekday */
        since?: string;
        status?: "admitted" | "running" | "asking" | "in_doubt" | "succeeded" | "failed" | "cancelled";
        /** @description Only those that were admitted before then */
        until?: string;
        workflow?: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["ListedRunPage"];
        };
      };
    };
  };
  getRun: {
    parameters: {
      path: {
        /** @description The id of a run */
        run: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["RunView"];
        };
      };
    };
  };
  getCalls: {
    parameters: {
      path: {
        /** @description The id of a run */
        run: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Calls"];
        };
      };
    };
  };
  cancelRun: {
    parameters: {
      path: {
        /** @description The id of a run */
        run: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["CancelRunRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["CancelledRun"];
        };
      };
    };
  };
  continueRun: {
    parameters: {
      path: {
        /** @description The id of a run */
        run: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Run"];
        };
      };
    };
  };
  resolveEffect: {
    parameters: {
      path: {
        /** @description The id of a run */
        run: string;
        /** @description The number of the call */
        seq: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ResolveEffectRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["RunView"];
        };
      };
    };
  };
  exemptRun: {
    parameters: {
      path: {
        /** @description The id of a run */
        run: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["ExemptRunRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Run"];
        };
      };
    };
  };
  forkRun: {
    parameters: {
      path: {
        /** @description The id of a run */
        run: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ForkRunRequest"];
      };
    };
    responses: {
      /** @description Created */
      201: {
        content: {
          "application/json": components["schemas"]["Run"];
        };
      };
    };
  };
  leaveRun: {
    parameters: {
      path: {
        /** @description The id of a run */
        run: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["WithNoteBody"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Run"];
        };
      };
    };
  };
  getLogs: {
    parameters: {
      path: {
        /** @description The id of a run */
        run: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["LogLinePage"];
        };
      };
    };
  };
  repairRun: {
    parameters: {
      path: {
        /** @description The id of a run */
        run: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Run"];
        };
      };
    };
  };
  replayRun: {
    parameters: {
      path: {
        /** @description The id of a run */
        run: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["ReplayRunRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["ReplayedRun"];
        };
      };
    };
  };
  restartRun: {
    parameters: {
      path: {
        /** @description The id of a run */
        run: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["RestartRunRequest"];
      };
    };
    responses: {
      /** @description Created */
      201: {
        content: {
          "application/json": components["schemas"]["Run"];
        };
      };
    };
  };
  getResult: {
    parameters: {
      path: {
        /** @description The id of a run */
        run: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["RunResult"];
        };
      };
    };
  };
  retryRun: {
    parameters: {
      path: {
        /** @description The id of a run */
        run: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Run"];
        };
      };
    };
  };
  trustRun: {
    parameters: {
      path: {
        /** @description The id of a run */
        run: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["WithNoteBody"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Run"];
        };
      };
    };
  };
  getFailureValues: {
    parameters: {
      path: {
        /** @description The id of a run */
        run: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["ValuePage"];
        };
      };
    };
  };
  listSecrets: {
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["SecretPage"];
        };
      };
    };
  };
  setSecret: {
    parameters: {
      query?: {
        /** @description The workflow that may use it; without it, every workflow */
        workflow?: string;
      };
      path: {
        name: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SetSecretRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["SetSecret"];
        };
      };
    };
  };
  removeSecret: {
    parameters: {
      query?: {
        /** @description The workflow that may use it; without it, every workflow */
        workflow?: string;
      };
      path: {
        name: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["VaultBinding"];
        };
      };
    };
  };
  getSession: {
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Who"];
        };
      };
    };
  };
  signIn: {
    requestBody?: never;
    responses: {
      /** @description Who is signed in */
      200: {
        content: {
          "application/json": components["schemas"]["Who"];
        };
      };
    };
  };
  signOut: {
    requestBody?: never;
    responses: {
      /** @description It is ended */
      204: {
        content?: never;
      };
    };
  };
  listSessions: {
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["TokenPage"];
        };
      };
    };
  };
  endSession: {
    parameters: {
      path: {
        session: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Token"];
        };
      };
    };
  };
  getStream: {
    parameters: {
      query?: {
        /** @description A revision: the events before it */
        after?: number;
        limit?: number;
      };
      path: {
        /** @description workflow-ID, run-ID, thread-ID, account-OWNER, subscription-NAME, or admin */
        stream: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["StreamPage"];
        };
      };
    };
  };
  verifyStream: {
    parameters: {
      path: {
        /** @description workflow-ID, run-ID, thread-ID, account-OWNER, subscription-NAME, or admin */
        stream: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Chains"];
        };
      };
    };
  };
  getStreamMoment: {
    parameters: {
      query: {
        /** @description A revision of the stream */
        at: number;
      };
      path: {
        /** @description workflow-ID, run-ID, thread-ID, account-OWNER, subscription-NAME, or admin */
        stream: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["StreamMoment"];
        };
      };
    };
  };
  listSubscriptions: {
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["SubscriptionPage"];
        };
      };
    };
  };
  getSubscription: {
    parameters: {
      path: {
        /** @description The name of a subscription */
        subscription: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["WholeSubscription"];
        };
      };
    };
  };
  addSubscription: {
    parameters: {
      path: {
        /** @description The name of a subscription */
        subscription: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewSubscriptionBody"];
      };
    };
    responses: {
      /** @description Created */
      201: {
        content: {
          "application/json": components["schemas"]["AddedSubscription"];
        };
      };
    };
  };
  removeSubscription: {
    parameters: {
      path: {
        /** @description The name of a subscription */
        subscription: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["RemovedSubscription"];
        };
      };
    };
  };
  changeSubscription: {
    parameters: {
      path: {
        /** @description The name of a subscription */
        subscription: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ChangedSubscriptionBody"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["WholeSubscription"];
        };
      };
    };
  };
  listDeadLetters: {
    parameters: {
      path: {
        /** @description The name of a subscription */
        subscription: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["DeadLetteredPage"];
        };
      };
    };
  };
  dropDeadLetters: {
    parameters: {
      path: {
        /** @description The name of a subscription */
        subscription: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["WhichLettersBody"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["StringPage"];
        };
      };
    };
  };
  retryDeadLetters: {
    parameters: {
      path: {
        /** @description The name of a subscription */
        subscription: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["WhichLettersBody"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["DeliveryPage"];
        };
      };
    };
  };
  listDeliveries: {
    parameters: {
      query?: {
        /** @description The next of the page before */
        after?: string;
        /** @description Only those of this event */
        event?: string;
        /** @description Only those that were not taken */
        failed?: boolean;
        /** @description The most items to have */
        limit?: number;
        /** @description Only from a day, a time or a weekday on, like 2026-03-03 or tuesday */
        since?: string;
      };
      path: {
        /** @description The name of a subscription */
        subscription: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["AttemptPage"];
        };
      };
    };
  };
  pauseSubscription: {
    parameters: {
      path: {
        /** @description The name of a subscription */
        subscription: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PauseSubscriptionRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["WholeSubscription"];
        };
      };
    };
  };
  previewEvent: {
    parameters: {
      query?: {
        /** @description A position in the log, or the id of an event that was tried before; without it, the newest that the filter lets through */
        event?: string;
      };
      path: {
        /** @description The name of a subscription */
        subscription: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Preview"];
        };
      };
    };
  };
  recoverDeliveries: {
    parameters: {
      path: {
        /** @description The name of a subscription */
        subscription: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RecoverDeliveriesRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Recovered"];
        };
      };
    };
  };
  replaySubscription: {
    parameters: {
      path: {
        /** @description The name of a subscription */
        subscription: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReplaySubscriptionRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["WholeSubscription"];
        };
      };
    };
  };
  resendEvent: {
    parameters: {
      path: {
        /** @description The name of a subscription */
        subscription: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ResendEventRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Delivery"];
        };
      };
    };
  };
  resumeSubscription: {
    parameters: {
      path: {
        /** @description The name of a subscription */
        subscription: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["WholeSubscription"];
        };
      };
    };
  };
  rotateKey: {
    parameters: {
      path: {
        /** @description The name of a subscription */
        subscription: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["RotateKeyRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["RotatedKey"];
        };
      };
    };
  };
  setSubscriptionSecret: {
    parameters: {
      path: {
        /** @description The name of a subscription */
        subscription: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SetSubscriptionSecretRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["WholeSubscription"];
        };
      };
    };
  };
  testSubscription: {
    parameters: {
      path: {
        /** @description The name of a subscription */
        subscription: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Delivery"];
        };
      };
    };
  };
  getSystem: {
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["System"];
        };
      };
    };
  };
  getConversation: {
    parameters: {
      path: {
        /** @description The id of a conversation with an agent */
        thread: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Conversation"];
        };
      };
    };
  };
  getRepair: {
    parameters: {
      path: {
        /** @description The id of a conversation with an agent */
        thread: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Repair"];
        };
      };
    };
  };
  getTimelineChoice: {
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["TimelineChoice"];
        };
      };
    };
  };
  putTimelineChoice: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["TimelineChoice"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["TimelineChoice"];
        };
      };
    };
  };
  listTokens: {
    parameters: {
      query?: {
        /** @description Also those that were revoked or have expired */
        all?: boolean;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["TokenPage"];
        };
      };
    };
  };
  createToken: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateTokenBody"];
      };
    };
    responses: {
      /** @description Created */
      201: {
        content: {
          "application/json": components["schemas"]["Token"];
        };
      };
    };
  };
  revokeToken: {
    parameters: {
      query?: {
        reason?: string;
      };
      path: {
        token: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Token"];
        };
      };
    };
  };
  getUsage: {
    parameters: {
      query?: {
        /** @description The next of the page before */
        after?: string;
        /** @description The first day, like 2026-03-01; default that of this month */
        from?: string;
        /** @description The most rows of a day and a workflow to have */
        limit?: number;
        owner?: string;
        /** @description The last day; default today */
        to?: string;
        workflow?: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["UsageReport"];
        };
      };
    };
  };
  verifyLog: {
    requestBody?: {
      content: {
        "application/json": components["schemas"]["VerifyLogRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Verified"];
        };
      };
    };
  };
  listViews: {
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["ViewPage"];
        };
      };
    };
  };
  getView: {
    parameters: {
      query?: {
        /** @description A position of the log, or a time */
        at?: string;
        limit?: number;
        /** @description COLUMN=VALUE: only rows with this value */
        where?: string[] | null;
      };
      path: {
        view: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["ViewRows"];
        };
      };
    };
  };
  getWaysIn: {
    requestBody?: never;
    responses: {
      /** @description Beside tokens */
      200: {
        content: {
          "application/json": components["schemas"]["Ways"];
        };
      };
    };
  };
  listWorkflows: {
    parameters: {
      query?: {
        /** @description The next of the page before */
        after?: string;
        /** @description Also archived ones */
        archived?: boolean;
        /** @description Only those with this label, as team=billing; several choose those that have all */
        label?: string[] | null;
        /** @description The most items to have */
        limit?: number;
        owner?: string;
        /** @description Only those that have all these words, or parts of words, in their title or in what they are for, in upper or lower case; or whose id begins with this, at least four characters */
        q?: string;
        /** @description By title, those that changed last first, or those first that need somebody most; default: in the order they were created */
        sort?: "title" | "updated" | "trouble";
        status?: "draft" | "active" | "maintenance" | "held" | "waiting" | "escalated" | "paused" | "archived";
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["ListedWorkflowPage"];
        };
      };
    };
  };
  createWorkflow: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateWorkflowBody"];
      };
    };
    responses: {
      /** @description Created */
      201: {
        content: {
          "application/json": components["schemas"]["SwitchedOn"];
        };
      };
    };
  };
  getWorkflow: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["WorkflowView"];
        };
      };
    };
  };
  deleteWorkflow: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Deletion"];
        };
      };
    };
  };
  editWorkflow: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["EditWorkflowRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Workflow"];
        };
      };
    };
  };
  getWorkflowAccount: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["EgressAccount"];
        };
      };
    };
  };
  activateWorkflow: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["ActivateWorkflowRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["SwitchedOn"];
        };
      };
    };
  };
  archiveWorkflow: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["WithReasonBody"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Workflow"];
        };
      };
    };
  };
  verifyChains: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Chains"];
        };
      };
    };
  };
  getChanges: {
    parameters: {
      query: {
        /** @description A version, a revision or a time */
        from: string;
        /** @description Likewise; default now */
        to?: string;
      };
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["ShownChange"];
        };
      };
    };
  };
  checkScript: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CheckScriptRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["RehearsalSaveCheck"];
        };
      };
    };
  };
  compareVersions: {
    parameters: {
      query?: {
        /** @description Default the version before */
        from?: string;
        /** @description Default the active version */
        to?: string;
      };
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Comparison"];
        };
      };
    };
  };
  endConversation: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Workflow"];
        };
      };
    };
  };
  getDeletion: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Deletion"];
        };
      };
    };
  };
  dryRun: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["DryRunRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["DriedRun"];
        };
      };
    };
  };
  previewExemption: {
    parameters: {
      query: {
        /** @description All that succeeded since a day, a time or a weekday, like 2026-03-03 or tuesday */
        since: string;
        /** @description And began before this day or time */
        until?: string;
      };
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["ExemptedAll"];
        };
      };
    };
  };
  exemptRuns: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ExemptRunsRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["ExemptedAll"];
        };
      };
    };
  };
  getFiles: {
    parameters: {
      query?: {
        /** @description A version (1.1), a revision (14) or a time: as it was then */
        at?: string;
      };
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": {
            [key: string]: components["schemas"]["LocalFile"];
          };
        };
      };
    };
  };
  getFile: {
    parameters: {
      query?: {
        /** @description A version (1.1), a revision (14) or a time: as it was then */
        at?: string;
      };
      path: {
        file: string;
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["LocalFile"];
        };
      };
    };
  };
  suggestFix: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SuggestFixRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["SuggestedFix"];
        };
      };
    };
  };
  getHistory: {
    parameters: {
      query?: {
        /** @description The next of the page before */
        after?: string;
        /** @description Also what runs did and agents said */
        all?: boolean;
        /** @description The most items to have */
        limit?: number;
      };
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["HistoryLinePage"];
        };
      };
    };
  };
  listHooks: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["HookPage"];
        };
      };
    };
  };
  addHook: {
    parameters: {
      path: {
        hook: string;
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AddHookRequest"];
      };
    };
    responses: {
      /** @description Created */
      201: {
        content: {
          "application/json": components["schemas"]["Hook"];
        };
      };
    };
  };
  removeHook: {
    parameters: {
      path: {
        hook: string;
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Hook"];
        };
      };
    };
  };
  sendInput: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SendInputRequest"];
      };
    };
    responses: {
      /** @description Accepted */
      202: {
        content: {
          "application/json": components["schemas"]["Sent"];
        };
      };
    };
  };
  leaveInput: {
    parameters: {
      path: {
        /** @description The run that it would become, or that failed */
        run: string;
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["LeaveInputRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["LeftInput"];
        };
      };
    };
  };
  retryInputs: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["RetriedInputs"];
        };
      };
    };
  };
  getKeys: {
    parameters: {
      query?: {
        /** @description A version (1.1), a revision (14) or a time: as it was then */
        at?: string;
      };
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": {
            [key: string]: Json;
          };
        };
      };
    };
  };
  getKey: {
    parameters: {
      query?: {
        /** @description A version (1.1), a revision (14) or a time: as it was then */
        at?: string;
      };
      path: {
        key: string;
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": Json;
        };
      };
    };
  };
  sendMessage: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SendMessageRequest"];
      };
    };
    responses: {
      /** @description Created */
      201: {
        content: {
          "application/json": components["schemas"]["Planned"];
        };
      };
    };
  };
  getMoment: {
    parameters: {
      query: {
        /** @description A version (1.1), a revision of the workflow's stream (14) or a time */
        at: string;
      };
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["ShownMoment"];
        };
      };
    };
  };
  pauseWorkflow: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["WithReasonBody"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Workflow"];
        };
      };
    };
  };
  planWorkflow: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PlanWorkflowRequest"];
      };
    };
    responses: {
      /** @description Created */
      201: {
        content: {
          "application/json": components["schemas"]["Planned"];
        };
      };
    };
  };
  getPlan: {
    parameters: {
      path: {
        task: string;
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Planned"];
        };
      };
    };
  };
  getReach: {
    parameters: {
      query?: {
        /** @description How many of the last runs to look at */
        runs?: number;
      };
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Reach"];
        };
      };
    };
  };
  restoreWorkflow: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Workflow"];
        };
      };
    };
  };
  startRun: {
    parameters: {
      query?: {
        /** @description How long to wait for the end of the run at most: seconds, or a duration such as 20s, up to a minute */
        wait?: string;
      };
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["StartRunBody"];
      };
    };
    responses: {
      /** @description The run has ended within the time: this is what became of it */
      200: {
        content: {
          "application/json": components["schemas"]["RunResult"];
        };
      };
      /** @description The run was started */
      201: {
        content: {
          "application/json": components["schemas"]["Run"];
        };
      };
      /** @description The run was started, and has not ended within the time */
      202: {
        content: {
          "application/json": components["schemas"]["Run"];
        };
      };
    };
  };
  getSchedule: {
    parameters: {
      query?: {
        next?: number;
      };
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Scheduled"];
        };
      };
    };
  };
  putSchedule: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewSchedule"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Scheduled"];
        };
      };
    };
  };
  removeSchedule: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Scheduled"];
        };
      };
    };
  };
  previewSchedule: {
    parameters: {
      query?: {
        next?: number;
      };
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewSchedule"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Scheduled"];
        };
      };
    };
  };
  getSettings: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["WorkflowSettings"];
        };
      };
    };
  };
  putSettings: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["WorkflowSettings"];
        "application/octet-stream": string;
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["WorkflowSettings"];
        };
      };
    };
  };
  patchSettings: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody: {
      content: {
        "application/merge-patch+json": {
          [key: string]: Json;
        };
        "application/octet-stream": string;
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["WorkflowSettings"];
        };
      };
    };
  };
  listThreads: {
    parameters: {
      query?: {
        kind?: "planner" | "maintainer";
      };
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["ThreadPage"];
        };
      };
    };
  };
  getTimeline: {
    parameters: {
      query?: {
        actor?: string;
        /** @description The next of the page before */
        before?: number;
        /** @description Only these */
        kinds?: ("workflow" | "script" | "setting" | "run" | "repair" | "fix" | "question" | "planner" | "trigger" | "draft" | "routine")[] | null;
        limit?: number;
        /** @description The number of a folded entry: answer with what is in it */
        open?: number;
        /** @description Only these */
        significance?: ("person_facing" | "notable" | "routine")[] | null;
      };
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["TimelinePage"];
        };
      };
    };
  };
  getTriggers: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Triggered"];
        };
      };
    };
  };
  putTrigger: {
    parameters: {
      path: {
        source: string;
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["PutTriggerRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Triggered"];
        };
      };
    };
  };
  removeTrigger: {
    parameters: {
      path: {
        source: string;
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Triggered"];
        };
      };
    };
  };
  listVersions: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["VersionPage"];
        };
      };
    };
  };
  saveScript: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SaveScriptRequest"];
      };
    };
    responses: {
      /** @description Created */
      201: {
        content: {
          "application/json": components["schemas"]["Script"];
        };
      };
    };
  };
  getScript: {
    parameters: {
      path: {
        /** @description major.minor, or active */
        version: string;
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["ReadScript"];
        };
      };
    };
  };
  rollbackImpact: {
    parameters: {
      path: {
        /** @description major.minor, or active */
        version: string;
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["RollbackImpact"];
        };
      };
    };
  };
  rollback: {
    parameters: {
      path: {
        /** @description major.minor, or active */
        version: string;
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["RollbackRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["Script"];
        };
      };
    };
  };
  whatIf: {
    parameters: {
      path: {
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["WhatIfRequest"];
      };
    };
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": components["schemas"]["ReplayedOn"];
        };
      };
    };
  };
  listRecentRuns: {
    parameters: {
      query: {
        /** @description The ids of workflows, with commas between */
        ids: string[] | null;
        /** @description The most runs of each */
        limit?: number;
      };
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        content: {
          "application/json": {
            [key: string]: components["schemas"]["Lately"][] | null;
          };
        };
      };
    };
  };
  callHook: {
    parameters: {
      path: {
        /** @description The name of its hook */
        hook: string;
        /** @description The id of a workflow */
        workflow: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": Json;
      };
    };
    responses: {
      /** @description It is taken, or a challenge is answered: what the service wants to hear */
      200: {
        content?: never;
      };
      /** @description It is taken */
      202: {
        content: {
          "application/json": components["schemas"]["Sent"];
        };
      };
      /** @description The same, of Discord */
      204: {
        content?: never;
      };
    };
  };
  mcp: {
    requestBody: {
      content: {
        "application/json": Json;
      };
    };
    responses: {
      /** @description The answer of the protocol */
      200: {
        content: {
          "application/json": Json;
        };
      };
    };
  };
}
