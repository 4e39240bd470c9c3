package terminal

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// Bounds on the folders that a command reads.
const (
	mostFolderBytes = 4 << 20
	mostFolderFiles = 2000
)

// foldersAnnotation says that all arguments of a command are folders which it reads.
const foldersAnnotation = "remote-folders"

// ReadsFolders says that the arguments of a command name folders.
func ReadsFolders() remoteOption {
	return func(annotations map[string]string) { annotations[foldersAnnotation] = always }
}

func readsFolders(c *cobra.Command) bool { return c.Annotations[foldersAnnotation] != "" }

// folderKinds are the endings of the files that are read of a folder.
var folderKinds = []string{".yaml", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".json"}

// ReadWorkflowFolder reads the scripts and descriptions of a folder and of those below it, by their paths in it. Hidden folders,
// node_modules and links are left out.
func (cli *CLI) ReadWorkflowFolder(folder string) (map[string][]byte, error) {
	if cli.caller == nil {
		return cli.readWorkflowFolder(folder)
	}
	files := map[string][]byte{}
	for name, content := range cli.caller.files {
		if below, is := strings.CutPrefix(name, path.Clean(filepath.ToSlash(folder))+"/"); is {
			files[below] = content
		} else if path.Clean(filepath.ToSlash(folder)) == "." {
			files[name] = content
		}
	}
	return files, nil
}

// readWorkflowFolder also links the scripts that descriptions name: each has all that it imports, as one text.
func (cli *CLI) readWorkflowFolder(folder string) (map[string][]byte, error) {
	files, err := filesBelow(folder)
	if err != nil {
		return nil, err
	}
	for name, content := range files {
		if !app.IsWorkflowFile(name) {
			continue
		}
		script := path.Join(path.Dir(name), app.ScriptNamed(content))
		if _, is := files[script]; !is {
			continue
		}
		whole, err := cli.portable(filepath.Join(folder, filepath.FromSlash(script)))
		if err != nil {
			return nil, err
		}
		files[script] = []byte(whole)
	}
	return files, nil
}

func filesBelow(folder string) (map[string][]byte, error) {
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.NotFound, "there is no folder %s", folder)
	case err != nil:
		return nil, fault.New(fault.Invalid, "cannot read the folder %s: %w", folder, err)
	case !info.IsDir():
		return nil, fault.New(fault.Invalid, "%s is a file: name the folder that it is in", folder)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fault.New(fault.Invalid, "cannot read the folder %s: %w", folder, err)
	}
	defer root.Close()
	files, bytes := map[string][]byte{}, 0
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules"):
			return fs.SkipDir
		case !entry.Type().IsRegular() || !slices.Contains(folderKinds, path.Ext(name)):
			return nil
		}
		content, err := root.ReadFile(filepath.FromSlash(name))
		if err != nil {
			return err
		}
		files[name] = content
		if bytes += len(content); bytes > mostFolderBytes || len(files) > mostFolderFiles {
			return fault.New(fault.Invalid, "it has more than %d MiB or %d files of scripts and descriptions: name the folders of workflows in it", mostFolderBytes>>20, mostFolderFiles)
		}
		return nil
	})
	if err != nil {
		return nil, fault.New(fault.Invalid, "cannot read the folder %s: %w", folder, err)
	}
	return files, nil
}

// isBelow says that a path is that of a script or a description in a folder, or below it; nothing is below the empty one.
func isBelow(folder, file string) bool {
	inside, is := strings.CutPrefix(file, path.Clean(folder)+"/")
	if path.Clean(folder) == "." {
		inside, is = file, true
	}
	return folder != "" && is && fs.ValidPath(inside) && slices.Contains(folderKinds, path.Ext(inside))
}

// WriteInto writes a file into a folder that the person named, by its path in it; folders that are not there are made.
func (cli *CLI) WriteInto(folder, name string, content []byte) error {
	at := path.Join(filepath.ToSlash(folder), name)
	if !isBelow(filepath.ToSlash(folder), at) {
		return fault.New(fault.Invalid, "%s is no place for a script or a description in %s", name, folder)
	}
	if cli.caller == nil {
		if err := os.MkdirAll(filepath.Dir(filepath.FromSlash(at)), 0o755); err != nil {
			return err
		}
	}
	file, err := cli.CreateFile(at)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}
