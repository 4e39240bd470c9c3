package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // registers itself
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // registers itself
)

// systemPackages writes a .deb and a .rpm for each Linux: the program, the manual, completions, the unit of systemd and
// the settings of the server. The service is not switched on: its settings come first. Removing the package leaves the data.
func (r release) systemPackages() error {
	work, err := os.MkdirTemp("", "kintsugi-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	unit, err := os.ReadFile(filepath.Join(r.root, "deploy/kintsugi.service"))
	if err != nil {
		return err
	}
	_, unitText, whole := strings.Cut(string(unit), "[Unit]")
	if !whole {
		return fmt.Errorf("deploy/kintsugi.service has no [Unit]")
	}
	unitText = "[Unit]" + strings.ReplaceAll(unitText, "/usr/local/bin/", "/usr/bin/")
	texts := map[string]string{
		"kintsugi.service": unitText,
		"postinstall":      postInstall,
		"preremove":        preRemove,
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	for _, t := range r.present() {
		if t.os != "linux" {
			continue
		}
		contents := files.Contents{
			r.content(r.binary(t), "/usr/bin/kintsugi", 0o755),
			r.content(filepath.Join(work, "kintsugi.service"), "/usr/lib/systemd/system/kintsugi.service", 0o644),
			r.content(filepath.Join(r.root, "LICENSE"), "/usr/share/doc/kintsugi/copyright", 0o644),
			r.content(filepath.Join(r.root, "docs/install.md"), "/usr/share/doc/kintsugi/install.md", 0o644),
			r.content(filepath.Join(r.extras, "completions/kintsugi.bash"), "/usr/share/bash-completion/completions/kintsugi", 0o644),
			r.content(filepath.Join(r.extras, "completions/kintsugi.zsh"), "/usr/share/zsh/vendor-completions/_kintsugi", 0o644),
			r.content(filepath.Join(r.extras, "completions/kintsugi.fish"), "/usr/share/fish/vendor_completions.d/kintsugi.fish", 0o644),
		}
		settings := r.content(filepath.Join(r.root, "deploy/config.toml"), "/etc/kintsugi/config.toml", 0o640)
		settings.Type = files.TypeConfigNoReplace
		contents = append(contents, settings)
		pages, err := filepath.Glob(filepath.Join(r.extras, "man/*.1"))
		if err != nil {
			return err
		}
		for _, page := range pages {
			contents = append(contents, r.content(page, "/usr/share/man/man1/"+filepath.Base(page), 0o644))
		}
		for _, format := range []string{"deb", "rpm"} {
			if err := r.systemPackage(format, t, contents, work); err != nil {
				return fmt.Errorf("%s for %s: %w", format, t, err)
			}
		}
	}
	return nil
}

func (r release) content(source, destination string, mode os.FileMode) *files.Content {
	return &files.Content{Source: source, Destination: destination,
		FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: r.date}}
}

func (r release) systemPackage(format string, t target, contents files.Contents, work string) error {
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "kintsugi", Arch: t.arch, Platform: "linux", Version: r.version, Section: "utils", Priority: "optional",
		Maintainer: "The founders of Kintsugi <founders@kintsugi.run>", Vendor: "Kintsugi", Homepage: homepage, License: "Apache-2.0",
		Description: "Runs JavaScript automations, and mends them when they break\n" +
			"A failure is classified, a repair is proposed and proved on everything that the\n" +
			"script did before, and the failed run goes on where it stopped.",
		MTime: r.date, DisableGlobbing: true,
		Overridables: nfpm.Overridables{
			Contents: contents, Recommends: []string{"ca-certificates"},
			Scripts: nfpm.Scripts{PostInstall: filepath.Join(work, "postinstall"), PreRemove: filepath.Join(work, "preremove")},
			RPM:     nfpm.RPM{BuildHost: "kintsugi"},
		},
	})
	if err := nfpm.PrepareForPackager(info, format); err != nil {
		return err
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(r.to, packager.ConventionalFileName(info)))
	if err != nil {
		return err
	}
	defer out.Close()
	if err := packager.Package(info, out); err != nil {
		return err
	}
	return out.Close()
}

// postInstall makes the user of the service, and lets it read the settings. It starts nothing.
const postInstall = `#!/bin/sh
set -e
if ! getent passwd kintsugi > /dev/null; then
	useradd --system --user-group --home-dir /var/lib/kintsugi --shell /usr/sbin/nologin kintsugi
fi
# The key of secrets is made in there by the service.
chown kintsugi:kintsugi /etc/kintsugi /etc/kintsugi/config.toml
chmod 0700 /etc/kintsugi
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	if systemctl is-active --quiet kintsugi; then
		echo "kintsugi: the server still runs the old version; 'systemctl restart kintsugi' starts the new one"
	fi
fi
`

// preRemove stops the service when the package goes, not when a newer one takes its place.
const preRemove = `#!/bin/sh
set -e
case "$1" in
remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl disable --now kintsugi || true
	fi
	echo "kintsugi: /var/lib/kintsugi and /etc/kintsugi stay; remove them if you want nothing of it back"
	;;
esac
`
