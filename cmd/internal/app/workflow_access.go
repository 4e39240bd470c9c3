package app

import (
	"context"
	"net"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/secret/vault"
	"github.com/kintsugi-run/kintsugi/projections"
)

// refusal is the access that a failed run lacked: in which call, and what that call carried.
type refusal struct {
	code    string
	status  int
	secrets []string
	host    string // as the URL has it; without its port if a redirect led there
	address string // host:port, what a person would allow
}

// refusalOf is the zero refusal for a run that did not fail of access, or whose call is not known.
func refusalOf(failed run.State) (r refusal) {
	why := failed.Failure
	if why == nil || why.Class != failure.Auth && why.Class != failure.Permission {
		return r
	}
	r.code, r.status = why.Code, why.Status
	for _, call := range slices.Backward(failed.Calls) {
		at := egress.AddressOf(call.Args)
		refused := call.Error != nil && call.Error.Class == why.Class && call.Error.Code == why.Code
		answered := call.Error == nil && call.Returned && call.Tool == why.Tool && at != nil && at.Hostname() == why.Host // the script threw it
		if !refused && !answered {
			continue
		}
		r.secrets = hostcall.SecretsOf(call.Args)
		if at == nil || why.Host != "" && at.Hostname() != why.Host {
			r.host, r.address = why.Host, why.Host
			return r
		}
		r.host, r.address = at.Host, net.JoinHostPort(at.Hostname(), hostcall.PortOf(at))
		return r
	}
	return r
}

// ofAddress is the address that was refused, nil if it was something else.
func (r refusal) ofAddress() *RefusedHost {
	if r.address == "" || r.code != hostcall.CodeAddressRefused && r.code != hostcall.CodeAddressClosed {
		return nil
	}
	return &RefusedHost{Host: r.address, Closed: r.code == hostcall.CodeAddressClosed}
}

// answeredBy says that a secret is what the refused call lacked, or was refused with.
func (r refusal) answeredBy(set vault.Binding) bool {
	if r.code == hostcall.CodeAddressRefused || r.code == hostcall.CodeAddressClosed || r.code == hostcall.CodeQuota {
		return false
	}
	return slices.Contains(r.secrets, set.Name) && set.Reaches(r.host)
}

// released is what goes on because there is access now: the workflows that waited for it, their half-done runs, and the runs
// that were refused and are tried again.
type released struct {
	Workflows []string
	GoOn      []Unfinished
	Retried   []string
}

// goOn activates the workflows that wait for access and have it now.
func (s *Secrets) goOn(ctx context.Context, actor, of string, activate workflow.Activate, has func(refusal) bool) (r released, err error) {
	r.Workflows = []string{}
	waiting, err := s.Queries.Workflows(ctx, projections.WorkflowFilter{Status: workflow.StatusWaiting})
	if err != nil {
		return r, err
	}
	for _, one := range waiting {
		if of != "" && of != one.ID {
			continue
		}
		state, err := s.Commands.LoadWorkflow(ctx, one.ID)
		if err != nil {
			return r, err
		}
		if state.Waiting == nil {
			continue
		}
		failed, err := s.Commands.LoadRun(ctx, state.Waiting.Run)
		if err != nil {
			return r, err
		}
		if !has(refusalOf(failed)) {
			continue
		}
		result, err := s.Commands.ActivateWorkflow(ctx, one.ID, activate, By(actor))
		if err != nil {
			return r, err
		}
		r.Workflows, r.GoOn = append(r.Workflows, one.ID), append(r.GoOn, GoOnAgain(state, result.Events)...)
		for _, happened := range result.Events {
			if retry, is := happened.Event.(workflow.RetryScheduled); is && retry.Run == state.Waiting.Run {
				r.Retried = append(r.Retried, retry.Run)
			}
		}
	}
	return r, nil
}

// ChangedSettings is what came of a change of settings.
type ChangedSettings struct {
	commands.Result
	Activated []string
	GoOn      []Unfinished
}

// ChangeSettings changes them; a workflow that waits for a host which they allow goes on.
func (w *Workflows) ChangeSettings(ctx context.Context, id string, settings workflow.Settings, meta commands.Meta) (changed ChangedSettings, err error) {
	if changed.Result, err = w.Commands.ChangeSettings(ctx, id, workflow.ChangeSettings{Settings: settings}, meta); err != nil || len(changed.Events) == 0 {
		return changed, err
	}
	if err := w.Views.WaitFor(ctx, changed.Position); err != nil {
		return changed, err
	}
	on, err := w.Secrets.goOn(ctx, meta.Actor, id, workflow.Activate{}, func(r refusal) bool {
		return r.code == hostcall.CodeAddressRefused && hostcall.Allows(settings.AllowedHosts, r.address)
	})
	changed.Activated, changed.GoOn = on.Workflows, on.GoOn
	return changed, err
}

// AccountOf gives the account of a workflow's active version, with the commands that allow the hosts and set the secrets which nobody
// has allowed or set.
func (w *Workflows) AccountOf(ctx context.Context, id string) (account egress.Account, err error) {
	if account, err = egress.AccountOf(ctx, w.Commands, id); err != nil {
		return account, err
	}
	for i, one := range account.Hosts {
		if one.Refused != "" && !one.Closed {
			account.Hosts[i].Command = "workflow settings " + id + " --allow-host " + plain.Quoted(one.Host)
		}
	}
	if len(account.Secrets) == 0 {
		return account, nil
	}
	sealed, err := w.Secrets.sealed(ctx)
	if err != nil {
		return account, err
	}
	var set []vault.Secret
	if sealed != nil {
		if set, err = sealed.List(ctx); err != nil {
			return account, err
		}
	}
	hosts := make([]string, len(account.Hosts))
	for i, one := range account.Hosts {
		hosts[i] = one.Host
	}
	for _, name := range account.Secrets {
		if slices.ContainsFunc(set, func(one vault.Secret) bool {
			return one.Name == name && (one.Workflow == "" || one.Workflow == id) && (len(hosts) == 0 || slices.ContainsFunc(hosts, one.Reaches))
		}) {
			continue
		}
		host := "HOST"
		if len(hosts) == 1 {
			host = hosts[0]
		}
		account.Unset = append(account.Unset, egress.UnsetSecret{
			Name: name, Hosts: hosts, Command: strings.Join([]string{"secret set", name, "--workflow", id, "--host", host}, " "),
		})
	}
	return account, nil
}
