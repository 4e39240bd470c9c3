package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"aead.dev/minisign"
)

// formula writes the formula of Homebrew, which names the archives and their checksums.
func (r release) formula() error {
	var b strings.Builder
	fmt.Fprintf(&b, `class Kintsugi < Formula
  desc "Runs JavaScript automations, and mends them when they break"
  homepage "%s"
  version "%s"
  license "Apache-2.0"
`, homepage, r.version)
	for _, system := range []struct{ os, block string }{{"darwin", "macos"}, {"linux", "linux"}} {
		var archives strings.Builder
		for _, processor := range []struct{ arch, block string }{{"amd64", "intel"}, {"arm64", "arm"}} {
			name := "kintsugi_" + r.version + "_" + system.os + "_" + processor.arch + ".tar.gz"
			sum, err := r.sum(name)
			if os.IsNotExist(err) {
				continue
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(&archives, "    on_%s do\n      url \"%s/releases/download/v%s/%s\"\n      sha256 \"%s\"\n    end\n", processor.block, homepage, r.version, name, sum)
		}
		if archives.Len() > 0 {
			fmt.Fprintf(&b, "\n  on_%s do\n%s  end\n", system.block, &archives)
		}
	}
	b.WriteString(`
  def install
    bin.install "kintsugi"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/kintsugi.bash" => "kintsugi"
    zsh_completion.install "completions/kintsugi.zsh" => "_kintsugi"
    fish_completion.install "completions/kintsugi.fish"
  end

  service do
    run [opt_bin/"kintsugi", "dev", "--data-dir", var/"kintsugi"]
    keep_alive true
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/kintsugi version")
    system bin/"kintsugi", "demo"
  end
end
`)
	return os.WriteFile(filepath.Join(r.to, "kintsugi.rb"), []byte(b.String()), 0o644)
}

func (r release) sum(name string) (string, error) {
	data, err := os.ReadFile(filepath.Join(r.to, name))
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

const sums = "SHA256SUMS"

// checksums writes the checksum of each file, and signs them if there is a key.
func (r release) checksums(key string) error {
	names, err := r.names()
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, name := range names {
		sum, err := r.sum(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, name)
	}
	if err := os.WriteFile(filepath.Join(r.to, sums), []byte(b.String()), 0o644); err != nil {
		return err
	}
	if key == "" {
		fmt.Fprintf(os.Stderr, "release: %d files in %s, not signed: RELEASE_KEY names no minisign key\n", len(names)+1, r.to)
		return nil
	}
	private, err := privateKey(key)
	if err != nil {
		return err
	}
	signature := minisign.SignWithComments(private, []byte(b.String()), "kintsugi "+r.version, "signature of "+sums)
	if err := os.WriteFile(filepath.Join(r.to, sums+".minisig"), signature, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "release: %d files in %s, signed\n", len(names)+2, r.to)
	return nil
}

// privateKey reads a key, which may have no password.
func privateKey(file string) (key minisign.PrivateKey, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return key, err
	}
	if !minisign.IsEncrypted(text) {
		return key, key.UnmarshalText(text)
	}
	if key, err = minisign.DecryptKey(os.Getenv("MINISIGN_PASSWORD"), text); err != nil {
		err = fmt.Errorf("the key %s does not open with the password in MINISIGN_PASSWORD: %w", file, err)
	}
	return key, err
}
