package main

import (
	"bytes"
	"encoding/pem"
	"io"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// image writes an image for containers as a layout of the Open Container Initiative in a tar, which docker (from 25 on),
// podman and skopeo read. It is as deploy/Dockerfile makes it: the program and the roots of certificates, nothing else.
func (r release) image() error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, t := range r.present() {
		if t.os != "linux" {
			continue
		}
		image, err := r.imageOf(t)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{
			Platform:    &v1.Platform{OS: t.os, Architecture: t.arch},
			Annotations: map[string]string{"org.opencontainers.image.ref.name": r.version},
		}})
	}
	work, err := os.MkdirTemp("", "kintsugi-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if _, err := layout.Write(work, index); err != nil {
		return err
	}
	var all []file
	err = filepath.WalkDir(work, func(at string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(at)
		all = append(all, file{filepath.ToSlash(strings.TrimPrefix(at, work+string(filepath.Separator))), 0o644, data})
		return err
	})
	if err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(r.to, "kintsugi_"+r.version+"_image.tar"))
	if err != nil {
		return err
	}
	defer out.Close()
	if err := r.tar(out, all); err != nil {
		return err
	}
	return out.Close()
}

func (r release) imageOf(t target) (v1.Image, error) {
	program, err := os.ReadFile(r.binary(t))
	if err != nil {
		return nil, err
	}
	var roots bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue // trusted for some certificates only, which a file of certificates cannot say
		}
		if err := pem.Encode(&roots, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
	}
	packed, err := r.tarball([]file{
		{"etc/ssl/certs/ca-certificates.crt", 0o644, roots.Bytes()},
		{"kintsugi", 0o755, program},
		{"var/lib/kintsugi/", 0o700, nil},
		{"etc/kintsugi/", 0o700, nil},
		{"tmp/", 0o1777, nil},
	})
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed)), nil }, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	image, err := mutate.Append(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON),
		mutate.Addendum{Layer: layer, History: v1.History{Created: v1.Time{Time: r.date}, CreatedBy: "make release"}})
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = t.os, t.arch, v1.Time{Time: r.date}
	config.Config = v1.Config{
		User: "65532:65532", Entrypoint: []string{"/kintsugi"}, Cmd: []string{"serve"}, StopSignal: "SIGTERM",
		Env:          []string{"KINTSUGI_DATA_DIR=/var/lib/kintsugi", "KINTSUGI_SECRET_KEY_FILE=/etc/kintsugi/secret.key", "KINTSUGI_LOG_FORMAT=json"},
		Volumes:      map[string]struct{}{"/var/lib/kintsugi": {}, "/etc/kintsugi": {}},
		ExposedPorts: map[string]struct{}{"7480/tcp": {}},
		Labels: map[string]string{"org.opencontainers.image.source": homepage, "org.opencontainers.image.version": r.version,
			"org.opencontainers.image.licenses": "Apache-2.0"},
	}
	return mutate.ConfigFile(image, config)
}
