package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

const deployed = "../../deploy"

func deployedFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deployed, name))
	require.NoError(t, err)
	return string(text)
}

// Every metric that the dashboard, the alerts and the manual name is one that a server has, and the manual names every
// one that it has.
func TestNamedMetricsExist(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Orders", "function main() { return 1 }")
	h.ok("subscription", "add", "audit", "--to", "exec:/bin/true")
	n := h.node()
	n.Health.Measured(http.NotFoundHandler()).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	there := map[string]bool{}
	for name := range scraped(t, n.Health.Metrics()) {
		name, _, _ = strings.Cut(name, "{")
		there[name] = true
	}
	manual, err := os.ReadFile("../../docs/operations.md")
	require.NoError(t, err)
	named := regexp.MustCompile(`\b(kintsugi|process|go)_[a-z_]+`)
	for file, text := range map[string]string{
		"grafana-dashboard.json": deployedFile(t, "grafana-dashboard.json"), "alerts.yaml": deployedFile(t, "alerts.yaml"), "operations.md": string(manual),
	} {
		for _, name := range named.FindAllString(text, -1) {
			if strings.HasSuffix(name, "_") || there[name+"_count"] { // a beginning, or the whole of a histogram
				continue
			}
			require.True(t, there[name], "%s names %s, which no server has", file, name)
		}
	}
	for name := range there {
		short := regexp.MustCompile(`_(bucket|count|sum)$`).ReplaceAllString(name, "")
		if own, of := strings.CutPrefix(short, "kintsugi_subscription_"); of {
			require.Contains(t, string(manual), "_"+own, name)
		} else if strings.HasPrefix(short, "kintsugi_") {
			require.Contains(t, string(manual), "`"+short, name)
		}
	}
	require.True(t, json.Valid([]byte(deployedFile(t, "grafana-dashboard.json"))))
}

// Each alert says what it means and what to do, and has its line in the manual.
func TestAlertsHaveARunbook(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile("../../docs/operations.md")
	require.NoError(t, err)
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Labels      struct{ Severity string }
				Annotations struct{ Summary, Runbook string }
			}
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(deployedFile(t, "alerts.yaml")), &rules))
	lines := regexp.MustCompile("(?m)^\\| `(Kintsugi[A-Za-z]+)` \\|").FindAllStringSubmatch(string(manual), -1)
	var inManual []string
	for _, line := range lines {
		inManual = append(inManual, line[1])
	}
	var alerts []string
	commands := leaves()
	for _, rule := range rules.Groups[0].Rules {
		alerts = append(alerts, rule.Alert)
		require.NotEmpty(t, rule.Expr, rule.Alert)
		require.Contains(t, []string{"critical", "warning"}, rule.Labels.Severity, rule.Alert)
		require.NotEmpty(t, rule.Annotations.Summary, rule.Alert)
		require.NotEmpty(t, rule.Annotations.Runbook, rule.Alert)
		for _, command := range regexp.MustCompile(`'kintsugi ([a-z -]+[a-z])`).FindAllStringSubmatch(rule.Annotations.Runbook, -1) {
			path := strings.TrimSpace(strings.Split(command[1], " --")[0])
			require.NotNil(t, commands[path], "%s: there is no command %q", rule.Alert, path)
		}
	}
	require.Equal(t, alerts, inManual)
}

// The files for deployment name settings that exist: the file is valid, the unit's flags are the server's, and the
// variables of the containers are settings or are read by the program.
func TestDeploymentFilesNameRealSettings(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("config", "validate", "--config", filepath.Join(deployed, "config.toml"))
	suggested := regexp.MustCompile(`(?m)^# ([a-z-]+ = )`).ReplaceAllString(deployedFile(t, "config.toml"), "$1")
	h.ok("config", "validate", "--config", h.file("suggested.toml", suggested))

	serve := leaves()["serve"]
	started := regexp.MustCompile(`(?m)^ExecStart=\S+ serve (.*)$`).FindStringSubmatch(deployedFile(t, "kintsugi.service"))
	require.NotNil(t, started)
	for _, flag := range regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(started[1], -1) {
		require.NotNil(t, serve.Flag(flag[1]), "serve has no --%s", flag[1])
	}
	known := []string{"KINTSUGI_SECRET_KEY_FILE", "KINTSUGI_OPENAI_API_KEY"}
	for key := range h.settingsOf(nil) {
		known = append(known, terminal.Variable(key))
	}
	for _, file := range []string{"compose.yaml", "Dockerfile", "kintsugi.service"} {
		for _, variable := range regexp.MustCompile(`\bKINTSUGI_[A-Z_]+`).FindAllString(deployedFile(t, file), -1) {
			require.True(t, slices.Contains(known, variable), "%s: %s is no setting", file, variable)
		}
	}
	var compose struct {
		Services map[string]struct {
			Volumes   []string
			DependsOn map[string]any `yaml:"depends_on"`
		}
		Volumes map[string]any
	}
	require.NoError(t, yaml.Unmarshal([]byte(deployedFile(t, "compose.yaml")), &compose))
	for name, service := range compose.Services {
		for _, volume := range service.Volumes {
			of, _, _ := strings.Cut(volume, ":")
			require.Contains(t, compose.Volumes, of, name)
		}
		for other := range service.DependsOn {
			require.Contains(t, compose.Services, other, name)
		}
	}
}
