package api_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// A patch of the settings changes the settings that it names. A replacement that would lose one is refused, and says which.
func TestSettingsArePatchedAndNoneIsLost(t *testing.T) {
	t.Parallel()
	s := serve(t)
	path := "/workflows/" + s.workflow("Patched", "ann") + "/settings"
	s.ok(http.MethodPatch, path, `{"allowed_hosts":["127.0.0.1:9","10.0.0.1"],"input":{"z":1,"a":{"b":2,"c":[1,2]}},"limits":{"wall_ms":5000}}`)
	told := s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPut, "/api/v1"+path, `{"auto_fix":"off"}`)
	require.Contains(t, told, "allowed_hosts, input, limits")
	for _, patch := range []string{`{"auto_fix":"off","input":{"a":{"b":null,"c":[3]}}}`, `{"allowed_hosts":null,"max_active":3}`} {
		s.ok(http.MethodPatch, path, patch, "Content-Type", "application/merge-patch+json")
	}
	var is workflow.Settings
	now := s.ok(http.MethodGet, path, nil)
	now.into(t, &is)
	require.Equal(t, workflow.Mode("off"), is.AutoFix)
	require.Empty(t, is.AllowedHosts)
	require.Equal(t, 3, is.MaxActive)
	require.EqualValues(t, 5000, is.Limits.WallMS)
	require.JSONEq(t, `{"z":1,"a":{"c":[3]}}`, string(is.Input))
	s.ok(http.MethodPut, path, string(now.body), "If-Match", now.header.Get("ETag"))
	for _, wrong := range []string{`{"auto_fixx":"off"}`, `{"max_active":"three"}`, `[]`, `{"auto_fix":"sometimes"}`, `{`} {
		require.Contains(t, []int{400, 422}, s.ask(s.admin, http.MethodPatch, "/api/v1"+path, wrong).status, wrong)
	}
	require.Contains(t, s.refused(422, s.admin, http.MethodPatch, "/api/v1"+path, `{"auto_fixx":"off"}`), `no setting "auto_fixx"`)
	require.Contains(t, s.refused(422, s.admin, http.MethodPatch, "/api/v1"+path, `{"max_active":"three"}`), "max_active does not take a string")
	require.JSONEq(t, string(now.body), string(s.ok(http.MethodGet, path, nil).body), "nothing wrong changed anything")
	s.refused(http.StatusPreconditionFailed, s.admin, http.MethodPatch, "/api/v1"+path, `{"budget":2}`, "If-Match", `"0"`)
}

// A key stands for one request: with another body it is refused, and nothing is done. The same request is one, however often it is sent.
func TestAKeyIsOfOneRequest(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id := s.workflow("Keyed", "ann")
	runs := "/workflows/" + id + "/runs"
	first := s.ok(http.MethodPost, runs, `{"input":{"name":"a"}}`, "Idempotency-Key", "k").field(t, "id")
	for _, other := range []string{`{"input":{"name":"b"}}`, `{}`, ``} {
		told := s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPost, "/api/v1"+runs, other, "Idempotency-Key", "k")
		require.Contains(t, told, "another request")
	}
	require.Equal(t, first, s.ok(http.MethodPost, runs, `{"input":{"name":"a"}}`, "Idempotency-Key", "k").field(t, "id"))
	s.ok(http.MethodPatch, "/workflows/"+id+"/settings", `{"budget":2}`, "Idempotency-Key", "k")
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPatch, "/api/v1/workflows/"+id+"/settings", `{"budget":5}`, "Idempotency-Key", "k")
	require.Equal(t, "2", s.ok(http.MethodGet, "/workflows/"+id+"/settings", nil).field(t, "budget"))
	s.refused(http.StatusRequestEntityTooLarge, s.admin, http.MethodPost, "/api/v1"+runs, `{"input":"`+strings.Repeat("x", 2<<20)+`"}`, "Idempotency-Key", "large")
}

// The description names every status by which this server refuses, once, and each operation refers to those that it may have.
func TestEveryStatusIsDescribed(t *testing.T) {
	t.Parallel()
	s := serve(t)
	var described struct {
		Servers    []struct{ URL string }
		Paths      map[string]map[string]struct{ Responses map[string]map[string]any }
		Components struct{ Responses map[string]any }
	}
	s.ask("", http.MethodGet, "/openapi.json", nil).into(t, &described)
	require.NotEmpty(t, described.Servers)
	for _, path := range []string{"/api/v1/session", "/api/v1/events", "/hooks/{workflow}/{hook}"} {
		require.NotEmpty(t, described.Paths[path], path)
	}
	for path, methods := range described.Paths {
		for method, operation := range methods {
			want := []int{400, 401, 403, 404, 421, 422, 429, 500, 503, 504}
			if method != "get" {
				want = append(want, 408, 409, 412, 413, 415, 507)
			}
			for _, status := range want {
				refers, _ := operation.Responses[strconv.Itoa(status)]["$ref"].(string)
				name := strings.TrimPrefix(refers, "#/components/responses/")
				require.NotNil(t, described.Components.Responses[name], "%s %s: %d", method, path, status)
			}
		}
	}
	id := s.workflow("Described", "ann")
	for status, got := range map[int]reply{
		400: s.ask(s.admin, http.MethodPost, "/api/v1/workflows", `{`),
		413: s.ask(s.admin, http.MethodPost, "/api/v1/workflows/"+id+"/runs", `"`+strings.Repeat("x", 2<<20)+`"`),
		415: s.ask(s.admin, http.MethodPost, "/api/v1/workflows", `title=x`, "Content-Type", "application/x-www-form-urlencoded"),
		421: s.ask(s.admin, http.MethodGet, "/api/v1/workflows", nil, "Host", "elsewhere.test"),
	} {
		require.Equal(t, status, got.status, "%s", got.body)
		s.isProblem(got)
	}
}

// Each group of operations is described, and each that is described has operations.
func TestEveryTagIsDescribed(t *testing.T) {
	t.Parallel()
	s := serve(t)
	var described struct {
		Tags  []struct{ Name, Description string }
		Paths map[string]map[string]struct{ Tags []string }
	}
	s.ask("", http.MethodGet, "/openapi.json", nil).into(t, &described)
	named, used := map[string]bool{}, map[string]bool{}
	for _, tag := range described.Tags {
		require.NotEmpty(t, tag.Description, tag.Name)
		named[tag.Name] = true
	}
	for _, methods := range described.Paths {
		for _, operation := range methods {
			require.Len(t, operation.Tags, 1)
			used[operation.Tags[0]] = true
		}
	}
	require.Equal(t, used, named)
}

// A path that has other methods says which. Something new says where it is.
func TestPathsSayWhatTheyHave(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for path, allowed := range map[string]string{"/workflows": "GET, POST", "/session": "GET, POST, DELETE", "/runs/x": "GET"} {
		got := s.ask(s.admin, http.MethodPut, "/api/v1"+path, nil)
		require.Equal(t, http.StatusMethodNotAllowed, got.status, path)
		require.Equal(t, allowed, got.header.Get("Allow"), path)
		s.isProblem(got)
	}
	s.refused(http.StatusNotFound, s.admin, http.MethodGet, "/api/v1/nothing", nil)
	made := s.ok(http.MethodPost, "/workflows", map[string]any{"title": "Made", "script": greeting})
	id := made.field(t, "id")
	for _, got := range []reply{made, s.ok(http.MethodPost, "/workflows/"+id+"/runs", nil), s.ok(http.MethodPost, "/workflows/"+id+"/versions", map[string]any{"code": greeting + "\n"})} {
		at := got.header.Get("Location")
		require.NotEmpty(t, at)
		require.Equal(t, got.field(t, "id"), s.ask(s.admin, http.MethodGet, at, nil).field(t, "id"), at)
	}
}

// A token of one owner is told that it may not ask for another's, where it was shown its own.
func TestAnotherOwnerIsRefused(t *testing.T) {
	t.Parallel()
	s := serve(t)
	bob := s.token(installation.CreateToken{Name: "bob", Person: "bob", Owner: "bob", Scopes: []installation.Scope{installation.Read, installation.Edit}}).Token
	for _, path := range []string{"/workflows", "/drafts", "/usage"} {
		s.refused(http.StatusForbidden, bob, http.MethodGet, "/api/v1"+path+"?owner=alice", nil)
		for _, may := range []string{"", "?owner=bob"} {
			require.Equal(t, http.StatusOK, s.ask(bob, http.MethodGet, "/api/v1"+path+may, nil).status, path+may)
		}
	}
	s.refused(http.StatusForbidden, bob, http.MethodPost, "/api/v1/workflows", map[string]any{"title": "Hers", "owner": "alice"})
}

// The caller's trace goes on in what is recorded. One that is none is dropped.
func TestTheCallersTraceIsTakenUp(t *testing.T) {
	t.Parallel()
	s := serve(t)
	const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for given, kept := range map[string]string{trace: trace, "00-nonsense": "", "": ""} {
		id := s.ok(http.MethodPost, "/workflows", map[string]any{"title": "Traced " + given}, "traceparent", given).field(t, "id")
		var traces []string
		for record, err := range s.node.Log.Stream(t.Context(), workflow.Stream(id), 0) {
			require.NoError(t, err)
			var metadata struct {
				Traceparent string `json:"traceparent"`
			}
			require.NoError(t, json.Unmarshal(record.Metadata, &metadata))
			traces = append(traces, metadata.Traceparent)
		}
		require.NotEmpty(t, traces)
		require.Equal(t, []string{kept}, slices.Compact(traces))
	}
}
