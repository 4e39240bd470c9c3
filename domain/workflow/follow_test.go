package workflow_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

// TestInvariants shows that decided events may follow each other. These are the ones that may not.
func TestImpossibleEventsDoNotFollow(t *testing.T) {
	t.Parallel()
	saved := func(v Version, origin Origin) ScriptSaved {
		return ScriptSaved{ScriptID: "s9", Version: v, Code: codeV1, SHA256: shaV1, Origin: origin}
	}
	rollback := func(v Version, to *Version) ScriptSaved {
		s := saved(v, OriginRollback)
		s.Restored = to
		return s
	}
	otherCode := saved(v20, OriginPerson)
	otherCode.Code += " "
	otherRestored := rollback(v20, &v10)
	otherRestored.Code, otherRestored.SHA256 = codeV11, shaV11
	verified := FixVerified{Proposal: "p1", Verification: identical}
	foundDifferent := FixVerified{Proposal: "p1", Verification: different}
	apply := FixApplied{Proposal: "p1", Version: v11}
	replanned := applied.and(saved(v20, OriginPerson))
	for name, test := range map[string]struct {
		before history
		then   event.Event
		why    string
	}{
		"nothing was created":    {nil, WorkflowActivated{}, "never created"},
		"created twice":          {active, created, "exists already"},
		"an event of a run":      {active, run.RunStarted{Run: "r1"}, "does not belong in the stream of a workflow"},
		"activated, no script":   {history{created}, WorkflowActivated{}, "no script"},
		"paused twice":           {paused, WorkflowPaused{}, "paused already"},
		"archived twice":         {archived, WorkflowArchived{}, "is archived"},
		"restored, not archived": {active, WorkflowRestored{}, "not archived"},

		"saved in the archive":       {archived, saved(v20, OriginPerson), "is archived"},
		"admitted in the archive":    {archived, admitted("r1", v10), "is archived"},
		"settings in the archive":    {archived, SettingsChanged{}, "is archived"},
		"escalated in the archive":   {archived, Escalated{Active: v10}, "is archived"},
		"maintained in the archive":  {archived, entered("t1", "r1", v10, 1), "is archived"},
		"a retry in the archive":     {archived, RetryScheduled{Run: "r1"}, "is archived"},
		"a held fix in the archive":  {archived, FixHeld{Proposal: "p1"}, "is archived"},
		"a planner in the archive":   {archived, PlannerTaskOpened{Task: "pl"}, "is archived"},
		"another code than its hash": {active, otherCode, "not that of its SHA-256"},

		"version twice":          {active, saved(v10, OriginPerson), "version 1.0 is used twice"},
		"version back":           {replanned, saved(v12, OriginPerson), "version 1.2 goes back: 2.0 is there already, and the next is 3.0"},
		"version left out":       {active, saved(Version{Major: 3}, OriginPlanner), "version 3.0 is not the next one, which is 2.0"},
		"a person's minor":       {active, saved(v11, OriginPerson), "version 1.1 is not the next one"},
		"a rollback to nothing":  {active, rollback(v20, nil), "does not say to which version"},
		"a rollback to a ghost":  {active, rollback(v20, &v13), "restores version 1.3, which was never saved"},
		"a rollback to other":    {active, otherRestored, "has other code"},
		"a rollback, back":       {replanned, rollback(v10, &v10), "version 1.0 is used twice"},
		"a fix that nobody made": {active, saved(v11, OriginMaintainer), "no fix was applied that became version 1.1"},
		"from a stranger":        {active, saved(v20, "stranger"), `from "stranger"`},

		"admitted twice":             {running, admitted("r1", v10), "run r1 is admitted already"},
		"admitted after its end":     {maintenance, admitted("r1", v10), "run r1 has ended already"},
		"admitted on a ghost":        {active, admitted("r1", v13), "version 1.3, which was never saved"},
		"admitted on an old version": {applied, admitted("r9", v10), "version 1.0, and 1.1 is active"},
		"a retry of nothing":         {active, RunAdmitted{Run: "r2", Version: v10, Trigger: TriggerRetry, Continues: "r1"}, "does not wait to be tried again"},
		"a continuation of nothing":  {active, continues("r2", "r1", v10), "does not wait to go on"},
		"a continuation twice":       {continuing, continues("r3", "r1", v11), "does not wait to go on"},
		"a manual continuation":      {active, RunAdmitted{Run: "r2", Version: v10, Trigger: TriggerManual, Continues: "r1"}, "continues none"},
		"succeeded, not admitted":    {active, RunSucceeded{Run: "r1", Version: v10}, "run r1 was never admitted"},
		"failed, not admitted":       {active, RunFailed{Run: "r1", Version: v10}, "run r1 was never admitted"},
		"settled twice":              {maintenance, RunSucceeded{Run: "r1", Version: v10}, "run r1 is settled already"},
		"settled on another version": {continuing, RunSucceeded{Run: "r2", Version: v10}, "admitted on version 1.1, not on 1.0"},

		"classified, not failed":  {running, LogicErrorClassified{Classified{Run: "r1"}}, "run r1 has not just failed"},
		"network, not failed":     {running, NetworkErrorClassified{Classified{Run: "r1"}}, "has not just failed"},
		"auth, not failed":        {running, AuthErrorClassified{Classified{Run: "r1"}}, "has not just failed"},
		"permission, not failed":  {running, PermissionErrorClassified{Classified{Run: "r1"}}, "has not just failed"},
		"limit, not failed":       {running, LimitErrorClassified{Classified{Run: "r1"}}, "has not just failed"},
		"internal, not failed":    {running, InternalErrorClassified{Classified{Run: "r1"}}, "has not just failed"},
		"not reproduced what":     {running, NotReproduced{Run: "r1"}, "has not just failed"},
		"a retry, not failed":     {running, RetryScheduled{Run: "r1"}, "has not just failed"},
		"exhausted, not failed":   {running, RetriesExhausted{Run: "r1"}, "has not just failed"},
		"attached to no task":     {running.and(logicFailed("r1", v10, typeError)...), FailureAttached{Task: "t1", Run: "r1"}, "no open maintainer task t1"},
		"recovered from nothing":  {running.and(RunSucceeded{Run: "r1", Version: v10}), Recovered{Run: "r1"}, "nothing had failed"},
		"recovered by a failure":  {maintenance, Recovered{Run: "r1"}, "run r1 has not succeeded"},
		"exempted, failed":        {maintenance, RunExempted{Run: "r1"}, "run r1 has not succeeded"},
		"exempted twice":          {confirmed.and(RunExempted{Run: "r2"}), RunExempted{Run: "r2"}, "exempted already"},
		"confirmed by a failure":  {continuing.and(logicFailed("r2", v11, typeError)...), FixConfirmed{Version: v11, Run: "r2"}, "run r2 has not succeeded"},
		"confirmed twice":         {confirmed, FixConfirmed{Version: v11, Run: "r2"}, "no fix that waits to be confirmed"},
		"confirmed, no fix":       {running.and(RunSucceeded{Run: "r1", Version: v10}), FixConfirmed{Version: v10, Run: "r1"}, "no fix that waits"},
		"regressed by a success":  {confirmed, FixRegressed{Version: v11, Run: "r2"}, "run r2 has not failed"},
		"maintained twice":        {maintenance, entered("t2", "r1", v10, 2), "the maintainer task t1 is open"},
		"the task again":          {escalated, entered("t1", "r1", v10, 2), "task t1 was left already"},
		"maintained, not failed":  {running, entered("t1", "r1", v10, 1), "run r1 has not just failed"},
		"maintained, other base":  {running.and(logicFailed("r1", v10, typeError)...), entered("t1", "r1", v11, 1), "its base is version 1.1, and 1.0 is active"},
		"left twice":              {escalated, MaintenanceExited{Task: "t1"}, "no open maintainer task t1"},
		"left another":            {maintenance, MaintenanceExited{Task: "t2"}, "no open maintainer task t2"},
		"escalated, other task":   {maintenance, Escalated{Active: v10}, `names the task "", and t1 is open`},
		"escalated, goes back":    {confirmed, Escalated{Active: v10}, "makes version 1.0 active, and it can only be 1.1"},
		"escalated, keeps a fix":  {applied, Escalated{Active: v11}, "it withdraws the versions []"},
		"escalated, wrong target": {applied, Escalated{Active: v11, Withdrawn: []Version{v11}}, "it can only be 1.0"},

		"proposed for no task":      {active, proposed("p1", "t1", "r1", v10), "no open maintainer task t1"},
		"proposed twice":            {judging, proposed("p1", "t1", "r1", v10), "proposal p1 was submitted already"},
		"proposed for another run":  {maintenance, proposed("p1", "t1", "r7", v10), "task t1 is about run r1 on version 1.0"},
		"proposed on another base":  {escalated, proposed("p1", "t1", "r1", v11), "task t1 is about run r1 on version 1.0"},
		"verified, not proposed":    {maintenance, verified, "proposal p1 was never submitted"},
		"verified twice":            {judging.and(verified), verified, "proposal p1 is verified already"},
		"verified after the end":    {applied, verified, "proposal p1 is applied"},
		"applied, not proposed":     {maintenance, apply, "proposal p1 was never submitted"},
		"applied, not verified":     {judging, apply, "proposal p1 was never verified"},
		"applied, different":        {judging.and(foundDifferent), apply, "proposal p1 was found different"},
		"applied twice":             {applied, apply, "proposal p1 is applied"},
		"applied, left":             {judging.and(verified, saved(v20, OriginPerson), MaintenanceExited{Task: "t1"}), FixApplied{Proposal: "p1", Version: Version{2, 1}}, "no open maintainer task t1"},
		"applied, other version":    {judging.and(verified), FixApplied{Proposal: "p1", Version: v12}, "version 1.2 is not the next one, which is 1.1"},
		"applied, going back":       {judging.and(verified), FixApplied{Proposal: "p1", Version: v10}, "version 1.0 is used twice"},
		"applied, stale":            {judging.and(FixRejectedStale{Proposal: "p1"}), apply, "proposal p1 is stale"},
		"held, not proposed":        {maintenance, FixHeld{Proposal: "p1"}, "proposal p1 was never submitted"},
		"held, not verified":        {judging, FixHeld{Proposal: "p1"}, "proposal p1 was never verified"},
		"held, different":           {judging.and(foundDifferent), FixHeld{Proposal: "p1"}, "was found different"},
		"different, identical":      {judging.and(verified), FixRejectedDifferent{Proposal: "p1"}, "was found identical"},
		"different, not verified":   {judging, FixRejectedDifferent{Proposal: "p1"}, "was never verified"},
		"stale, not proposed":       {maintenance, FixRejectedStale{Proposal: "p1"}, "was never submitted"},
		"stale, applied":            {applied, FixRejectedStale{Proposal: "p1"}, "proposal p1 is applied"},
		"accepted, not held":        {judging, FixAccepted{Proposal: "p1", Version: v11}, "proposal p1 is proposed"},
		"accepted, other version":   {held, FixAccepted{Proposal: "p1", Version: v12}, "version 1.2 is not the next one"},
		"accepted twice":            {held.and(FixDeclined{Proposal: "p1"}), FixAccepted{Proposal: "p1", Version: v11}, "proposal p1 is declined"},
		"declined, not held":        {judging, FixDeclined{Proposal: "p1"}, "proposal p1 is proposed"},
		"corrected, not held":       {judging, FixCorrectionRequested{Proposal: "p1"}, "proposal p1 is proposed"},
		"rechecked, not held":       {judging, FixRechecked{Proposal: "p1"}, "proposal p1 is proposed"},
		"the fix is another's":      {judging.and(verified, apply), ScriptSaved{Version: v11, Code: codeV11, SHA256: shaV11, Origin: OriginMaintainer, Proposal: "p2"}, "no fix was applied"},
		"a second planner":          {active.and(PlannerTaskOpened{Task: "pl"}), PlannerTaskOpened{Task: "pm"}, "another planner task is open"},
		"nobody waits":              {active, PlannerTaskWaiting{Task: "pl"}, "no open planner task pl"},
		"nobody is told":            {active, PlannerTold{Task: "pl", Text: "go on"}, "no open planner task pl"},
		"told while at work":        {active.and(PlannerTaskOpened{Task: "pl"}), PlannerTold{Task: "pl", Text: "go on"}, "is at work"},
		"nobody closes":             {active, PlannerTaskClosed{Task: "pl"}, "no open planner task pl"},
		"an answer to nothing":      {active, QuestionAnswered{Question: "q"}, "there is no open question q"},
		"a question that is there":  {active.and(QuestionAsked{Question: "q"}), QuestionAsked{Question: "q"}, "question q is open already"},
		"what has no name in there": {active, strange{}, "does not belong"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := fold(test.before...)
			after, err := Follow(state, test.then)
			impossible, ok := errors.AsType[*event.ImpossibleError](err)
			require.True(t, ok, "it follows")
			require.Equal(t, test.then.EventType(), impossible.Type)
			require.ErrorContains(t, err, test.then.EventType()+" cannot have happened here: ")
			require.Contains(t, impossible.Why, test.why)
			require.Equal(t, state, after)
		})
	}
}

// strange is an event of no stream.
type strange struct{}

func (strange) EventType() string { return "Strange" }

// The stories of the other tests are possible ones.
func TestStoriesFollow(t *testing.T) {
	t.Parallel()
	for _, story := range []history{held, confirmed, escalated, waiting, paused, archived, archived.and(WorkflowRestored{})} {
		var state State
		for _, happened := range story {
			after, err := Follow(state, happened)
			require.NoError(t, err)
			state = after
		}
		require.Equal(t, fold(story...), state)
	}
}

// No event of a workflow is strange to Follow, or a history that came to it would be called forged.
func TestEveryEventBelongs(t *testing.T) {
	t.Parallel()
	codec := event.NewRegistry()
	Register(codec)
	for _, name := range codec.Types() {
		happened, err := codec.Decode(name, codec.Version(name), []byte(`{}`))
		require.NoError(t, err)
		if _, err := Follow(fold(active...), happened); err != nil {
			require.NotContains(t, err.Error(), "does not belong", "add %s to Follow", name)
		}
	}
}
