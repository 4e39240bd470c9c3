package workflow_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

// A run has the labels of its workflow as they are when it starts, its own, which count before these, and those of the run that it goes on with.
func TestARunHasTheLabelsOfItsWorkflowAndItsOwn(t *testing.T) {
	t.Parallel()
	g := given(t, active.and(SettingsChanged{Settings: Settings{Labels: Labels{"team": "billing", "env": "prod"}}})...).
		When(AdmitRun{Run: "r1", Trigger: TriggerManual, Repair: true, Labels: Labels{"env": "test", "order": "4711"}}).ThenTypes(TypeRunAdmitted)
	want := Labels{"team": "billing", "env": "test", "order": "4711"}
	require.Equal(t, want, g.State().Admitted["r1"].Labels)
	require.Equal(t, []string{"env=test", "order=4711", "team=billing"}, want.Texts())
	retried := g.When(settleFailed("r1", refused)).ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeRetryScheduled).
		After(time.Minute).When(AdmitRun{Run: "r2", Trigger: TriggerRetry, Continues: "r1"}).ThenTypes(TypeRunAdmitted)
	require.Equal(t, want, retried.State().Admitted["r2"].Labels)
}

// Labels are few and short, and the refusal says what they are.
func TestLabelsAreBounded(t *testing.T) {
	t.Parallel()
	many := Labels{}
	for i := range MaxLabels {
		many[fmt.Sprint("k", i)] = strings.Repeat("ä", MaxLabelValue)
	}
	g := given(t, active...)
	g.When(AdmitRun{Run: "r1", Trigger: TriggerManual, Labels: many}).ThenTypes(TypeRunAdmitted)
	g.When(ChangeSettings{Settings: Settings{Labels: many}}).ThenTypes(TypeSettingsChanged)
	many["one"] = "more"
	g.When(AdmitRun{Run: "r1", Trigger: TriggerManual, Labels: many}).ThenRefused(fault.Invalid, "there are 17 labels, and 16 are allowed")
	for _, wrong := range []Labels{{"": "x"}, {"a b": "x"}, {"-a": "x"}, {strings.Repeat("k", MaxLabelKey+1): "x"}, {"k": strings.Repeat("v", MaxLabelValue+1)}, {"k": "a\nb"}, {"k": "\xff"}} {
		g.When(AdmitRun{Run: "r1", Trigger: TriggerManual, Labels: wrong}).ThenRefused(fault.Invalid, "a label is key=value")
		g.When(ChangeSettings{Settings: Settings{Labels: wrong}}).ThenRefused(fault.Invalid, "a label is key=value")
	}
	_, err := ParseLabels([]string{"team"})
	require.ErrorContains(t, err, "is no label")
	parsed, err := ParseLabels([]string{"a=b=c", "empty="})
	require.NoError(t, err)
	require.Equal(t, Labels{"a": "b=c", "empty": ""}, parsed)
}
