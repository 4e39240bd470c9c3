package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// A file of an archive.
type file struct {
	name string // with slashes
	mode int64
	data []byte
}

// read gives what is in a folder, in the order of names.
func read(folder, under string) ([]file, error) {
	var found []file
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		found = append(found, file{path.Join(under, e.Name()), 0o644, data})
	}
	return found, nil
}

// archives writes an archive for each target: the program, the manual, completions, and how to install it.
func (r release) archives() error {
	shared, err := r.documents()
	if err != nil {
		return err
	}
	for _, t := range r.present() {
		program, err := os.ReadFile(r.binary(t))
		if err != nil {
			return err
		}
		name := "kintsugi_" + r.version + "_" + t.os + "_" + t.arch
		all := append([]file{{t.program(), 0o755, program}}, shared...)
		for i := range all {
			all[i].name = path.Join(name, all[i].name)
		}
		pack, ending := r.tarball, ".tar.gz"
		if t.os == "windows" {
			pack, ending = r.zip, ".zip"
		}
		packed, err := pack(all)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.to, name+ending), packed, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// documents are in each archive beside the program.
func (r release) documents() ([]file, error) {
	var all []file
	for _, d := range []file{{name: "LICENSE"}, {name: "README.md"}, {name: "docs/install.md"}} {
		data, err := os.ReadFile(filepath.Join(r.root, d.name))
		if err != nil {
			return nil, err
		}
		all = append(all, file{path.Base(d.name), 0o644, data})
	}
	for _, folder := range []string{"man", "completions"} {
		found, err := read(filepath.Join(r.extras, folder), folder)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// tarball gives the same bytes for the same files.
func (r release) tarball(all []file) ([]byte, error) {
	var out bytes.Buffer
	zipped, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is a valid one
	if err := r.tar(zipped, all); err != nil {
		return nil, err
	}
	err := zipped.Close()
	return out.Bytes(), err
}

func (r release) tar(w io.Writer, all []file) error {
	archive := tar.NewWriter(w)
	for _, f := range all {
		header := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: r.date, Typeflag: tar.TypeReg}
		if f.data == nil {
			header.Typeflag = tar.TypeDir
			header.Uid, header.Gid = 65532, 65532 // the user of the image: the folders are for it to write in
		}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(f.data); err != nil {
			return err
		}
	}
	return archive.Close()
}

func (r release) zip(all []file) ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, f := range all {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: r.date}
		header.SetMode(os.FileMode(f.mode))
		w, err := archive.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return out.Bytes(), err
}

// names of the files in the folder of packages, in order.
func (r release) names() ([]string, error) {
	entries, err := os.ReadDir(r.to)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	return names, err
}
