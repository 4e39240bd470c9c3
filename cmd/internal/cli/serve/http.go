package serve

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	neturl "net/url"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/kintsugi-run/kintsugi/cmd/internal/api"
	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/web"
)

// defaultListen is where the API and the page are, unless it is said otherwise: this machine only.
const defaultListen = "127.0.0.1:7480"

// anyPort is where they are if another program is there, and nobody said where.
const anyPort = "127.0.0.1:0"

// httpFlags say where, under which names and how the API and the page are served.
type httpFlags struct {
	listen    string
	hosts     []string
	cert, key string
	public    string
	reports   string   // where reports of problems go
	names     []string // of the public address, which is answered to as well
	oidc      oidcFlags
}

// oidcFlags say who vouches for people, and what their groups may do.
type oidcFlags struct {
	issuer, client, secretFile string
	grants                     []string
	groups, person             string
}

// oidcSecretVariable has the client's secret, where no file is named.
const oidcSecretVariable = "KINTSUGI_OIDC_CLIENT_SECRET"

func (f *oidcFlags) declare(flags *pflag.FlagSet) {
	flags.StringVar(&f.issuer, "oidc-issuer", "", "let people sign in with their organisation's account: the address of its provider of OpenID Connect")
	flags.StringVar(&f.client, "oidc-client-id", "", "how the provider knows Kintsugi")
	flags.StringVar(&f.secretFile, "oidc-client-secret-file", "", "the file with the secret that the provider gave Kintsugi (env "+oidcSecretVariable+")")
	flags.StringArrayVar(&f.grants, "oidc-grant", nil, "what a group may do: GROUP=SCOPE,SCOPE, with @OWNER behind it for this owner's workflows only; repeat it, or put semicolons between")
	flags.StringVar(&f.groups, "oidc-groups-claim", app.DefaultGroupsClaim, "the claim with a person's groups")
	flags.StringVar(&f.person, "oidc-person-claim", app.DefaultPersonClaim, "the claim with a person's name in the history; nobody may be able to choose another's")
}

// open makes what lets people in for whom the provider vouches; nil if there is none.
func (f *oidcFlags) open(n *app.Node, public string) (*app.Organisation, error) {
	if f.issuer == "" {
		if f.client+f.secretFile != "" || len(f.grants) > 0 {
			return nil, fault.New(fault.Invalid, "the other --oidc flags need --oidc-issuer, which says who vouches for people")
		}
		return nil, nil
	}
	grants, err := app.ParseGrants(f.grants)
	if err != nil {
		return nil, err
	}
	secret, err := credential(f.secretFile, oidcSecretVariable)
	if err != nil {
		return nil, err
	}
	redirect, err := neturl.JoinPath(public, api.CallbackPath)
	if err != nil {
		return nil, err
	}
	return app.NewOrganisation(app.OrganisationOptions{
		Issuer: f.issuer, ClientID: f.client, ClientSecret: secret, Grants: grants, GroupsClaim: f.groups, PersonClaim: f.person,
		Redirect: redirect, Tokens: n.Tokens, Now: n.Now, Logger: n.Logger,
	})
}

func (f *httpFlags) declare(flags *pflag.FlagSet) {
	flags.StringVar(&f.listen, "listen", defaultListen, "serve the API and the page at this host:port; '' for not at all (env KINTSUGI_LISTEN)")
	_ = flags.SetAnnotation("listen", terminal.EmptySays, []string{}) // it is declared
	flags.StringSliceVar(&f.hosts, "host", nil, "a name by which others reach this server, such as kintsugi.example.com")
	flags.StringVar(&f.public, "public-url", "", "the address at which people reach this server, for links in mail and chat; the first --host, if it is not said")
	flags.StringVar(&f.reports, "report-to", "", "where problems go that people report on the page: file:DIRECTORY, webhook:https://…, github:OWNER/REPOSITORY, or github: and the address of a repository in an API like GitHub's; default a directory beside the data (env KINTSUGI_REPORT_TOKEN is its token)")
	flags.StringVar(&f.cert, "tls-cert", "", "certificate file (PEM), with --tls-key: serve HTTPS")
	flags.StringVar(&f.key, "tls-key", "", "key file of the certificate")
	f.oidc.declare(flags)
}

// validate refuses what does not go together.
func (f *httpFlags) validate() error {
	if (f.cert == "") != (f.key == "") {
		return fault.New(fault.Invalid, "--tls-cert and --tls-key go together")
	}
	if f.public != "" {
		u, err := app.PublicURL(f.public)
		if err != nil {
			return err
		}
		f.names = append(f.names, u.Hostname())
	}
	if f.reports != "" {
		if _, err := app.ParseTracker(f.reports, "", nil); err != nil {
			return err
		}
	}
	if f.listen == "" && len(f.hosts)+len(f.cert) > 0 {
		return fault.New(fault.Invalid, "--host and --tls-cert need --listen, which says where")
	}
	return nil
}

// open takes the port. If nobody chose it and another program has it, it takes one that is free: a second server on
// this machine is no mistake.
func (f *httpFlags) open(ctx context.Context, chosen bool) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", f.listen)
	if errors.Is(err, syscall.EADDRINUSE) && !chosen {
		listener, err = new(net.ListenConfig).Listen(ctx, "tcp", anyPort)
	}
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fault.New(fault.Conflict, "another program listens on %s already: stop it, or give --listen another port", f.listen)
	case errors.Is(err, syscall.EACCES):
		return nil, fault.New(fault.Forbidden, "listening on %s is not allowed: give --listen a port from 1024 on", f.listen)
	case err != nil:
		return nil, fault.New(fault.Invalid, "--listen %s: %w; write host:port, such as %s", f.listen, err, defaultListen)
	}
	if f.cert == "" {
		return listener, nil
	}
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return nil, errors.Join(fault.New(fault.Invalid, "--tls-cert: %w", err), listener.Close())
	}
	return tls.NewListener(listener, &tls.Config{
		Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
	}), nil
}

// url is where a browser finds it.
func (f *httpFlags) url(address net.Addr) string {
	scheme := "http://"
	if f.cert != "" {
		scheme = "https://"
	}
	if len(f.hosts) > 0 {
		if _, port, err := net.SplitHostPort(address.String()); err == nil {
			return scheme + net.JoinHostPort(f.hosts[0], port)
		}
	}
	return scheme + address.String()
}

// serveHTTP adds the API and the page to a server, and says where they are; at the very first start also how to get in.
func (f *httpFlags) serveHTTP(ctx context.Context, n *app.Node, cli *terminal.CLI, chosen bool, tell func(string)) (func(context.Context) error, error) {
	listener, err := f.open(ctx, chosen)
	if err != nil {
		return nil, err
	}
	if address, ok := listener.Addr().(*net.TCPAddr); ok && !address.IP.IsLoopback() && f.cert == "" {
		n.Logger.Warn("the API is served to other machines without TLS: anybody in between can read tokens. Put a proxy with TLS before it, or give --tls-cert and --tls-key", "address", f.listen)
	}
	tracker, err := app.ParseTracker(cmp.Or(f.reports, "file:"+filepath.Join(cli.DataDir, "reports")), os.Getenv(app.ReportVariable), n.Now)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	url := f.url(listener.Addr())
	organisation, err := f.oidc.open(n, cmp.Or(n.Links.Public, url))
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	if organisation != nil {
		tell("People sign in with their account at " + organisation.Name() + ", which has to know this address: " + organisation.Redirect())
		if err := organisation.Check(ctx); err != nil { // everything else goes on without it
			n.Logger.Error("nobody can sign in with an organisation's account for now; it is tried again when somebody does", "error", err)
		}
	}
	server := api.New(api.Config{Organisation: organisation, Tracker: tracker, Node: n, Logger: n.Logger, Hosts: slices.Concat(f.hosts, f.names), Secure: f.cert != "", Version: cli.Version, Model: cli.LLM, Command: cli.Serve(n), Access: cli.Access(), Page: web.Handler()})
	if n.Links.Public == "" && len(f.hosts) > 0 {
		n.Links.Public = url
	}
	person := "owner"
	if who, err := user.Current(); err == nil && who.Username != "" {
		person = who.Username
	}
	first, err := n.Tokens.First(ctx, person)
	switch {
	case err != nil:
		n.Logger.Error("no first token could be made: make one with 'kintsugi token create'", "error", err)
		fallthrough
	case first == nil:
		tell("The page and the API are at " + url + " (to sign in: kintsugi token create).")
	default:
		tell(fmt.Sprintf("The page and the API are at %s\nThis link signs you in. It is said this once; later: kintsugi token create\n  %s/#token=%s", url, url, first.Token))
	}
	return func(ctx context.Context) error { return server.Serve(ctx, listener) }, nil
}
