package lossydisk

import (
	"context"
	"os"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// fileSystem is the name under which the kernel lists the mounts.
const fileSystem = "kintsugi-lossydisk"

// mount mounts what is on the disk. The kernel keeps locks and shared memory, and sends each write at
// once: what the disk does not know of was not written. Names and sizes change through the kernel
// alone, so that it may remember them.
func (d *disk) mount(dir string) (*fuse.Server, error) {
	forever := 24 * time.Hour
	return fs.Mount(dir, &rootNode{disk: d}, &fs.Options{
		MountOptions: fuse.MountOptions{
			FsName:        fileSystem,
			Name:          fileSystem,
			DirectMount:   true, // as root; else fusermount3 does it
			DisableXAttrs: true,
		},
		EntryTimeout:    &forever,
		AttrTimeout:     &forever,
		NegativeTimeout: &forever,
	})
}

// rootNode is the directory.
type rootNode struct {
	fs.Inode
	disk *disk
}

var (
	_ fs.NodeCreater   = (*rootNode)(nil)
	_ fs.NodeFsyncer   = (*rootNode)(nil)
	_ fs.NodeLookuper  = (*rootNode)(nil)
	_ fs.NodeReaddirer = (*rootNode)(nil)
	_ fs.NodeRenamer   = (*rootNode)(nil)
	_ fs.NodeStatfser  = (*rootNode)(nil)
	_ fs.NodeUnlinker  = (*rootNode)(nil)
)

func (r *rootNode) node(ctx context.Context, f *file, out *fuse.EntryOut) *fs.Inode {
	f.attributes(&out.Attr)
	return r.NewInode(ctx, &fileNode{disk: r.disk, file: f}, fs.StableAttr{Mode: syscall.S_IFREG, Ino: f.id + 1})
}

// Lookup implements [fs.NodeLookuper].
func (r *rootNode) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	r.disk.mu.Lock()
	defer r.disk.mu.Unlock()
	f, there := r.disk.names[name]
	if !there {
		return nil, syscall.ENOENT
	}
	return r.node(ctx, f, out), 0
}

// Create implements [fs.NodeCreater].
func (r *rootNode) Create(ctx context.Context, name string, _, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	r.disk.mu.Lock()
	defer r.disk.mu.Unlock()
	return r.node(ctx, r.disk.create(name, mode&0o777), out), nil, 0, 0
}

// Unlink implements [fs.NodeUnlinker].
func (r *rootNode) Unlink(_ context.Context, name string) syscall.Errno {
	r.disk.mu.Lock()
	defer r.disk.mu.Unlock()
	if _, there := r.disk.names[name]; !there {
		return syscall.ENOENT
	}
	r.disk.change(change{remove: name})
	return 0
}

// Rename implements [fs.NodeRenamer].
func (r *rootNode) Rename(_ context.Context, name string, _ fs.InodeEmbedder, newName string, flags uint32) syscall.Errno {
	if flags != 0 {
		return syscall.ENOTSUP
	}
	r.disk.mu.Lock()
	defer r.disk.mu.Unlock()
	f, there := r.disk.names[name]
	if !there {
		return syscall.ENOENT
	}
	r.disk.change(change{remove: name, set: newName, file: f})
	return 0
}

// Readdir implements [fs.NodeReaddirer].
func (r *rootNode) Readdir(context.Context) (fs.DirStream, syscall.Errno) {
	r.disk.mu.Lock()
	defer r.disk.mu.Unlock()
	var entries []fuse.DirEntry
	for name, f := range r.disk.names {
		entries = append(entries, fuse.DirEntry{Name: name, Ino: f.id + 1, Mode: syscall.S_IFREG})
	}
	return fs.NewListDirStream(entries), 0
}

// Fsync implements [fs.NodeFsyncer].
func (r *rootNode) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	r.disk.mu.Lock()
	defer r.disk.mu.Unlock()
	r.disk.syncNames()
	return 0
}

// Statfs implements [fs.NodeStatfser].
func (r *rootNode) Statfs(_ context.Context, out *fuse.StatfsOut) syscall.Errno {
	*out = fuse.StatfsOut{Blocks: 1 << 20, Bfree: 1 << 20, Bavail: 1 << 20, Bsize: Page, Frsize: Page, NameLen: 255}
	return 0
}

// fileNode is a file.
type fileNode struct {
	fs.Inode
	disk *disk
	file *file
}

var (
	_ fs.NodeFlusher   = (*fileNode)(nil)
	_ fs.NodeFsyncer   = (*fileNode)(nil)
	_ fs.NodeGetattrer = (*fileNode)(nil)
	_ fs.NodeOpener    = (*fileNode)(nil)
	_ fs.NodeReader    = (*fileNode)(nil)
	_ fs.NodeSetattrer = (*fileNode)(nil)
	_ fs.NodeWriter    = (*fileNode)(nil)
)

func (f *file) attributes(out *fuse.Attr) {
	out.Mode, out.Size, out.Nlink = syscall.S_IFREG|f.mode, uint64(len(f.now)), 1
	out.Blocks, out.Blksize = (out.Size+Sector-1)/Sector, Page
	out.Uid, out.Gid = uint32(os.Getuid()), uint32(os.Getgid())
}

// Open implements [fs.NodeOpener].
func (n *fileNode) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_KEEP_CACHE, 0
}

// Flush implements [fs.NodeFlusher]: a close syncs nothing.
func (n *fileNode) Flush(context.Context, fs.FileHandle) syscall.Errno { return 0 }

// Getattr implements [fs.NodeGetattrer].
func (n *fileNode) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	n.file.attributes(&out.Attr)
	return 0
}

// Setattr implements [fs.NodeSetattrer]; owner and times are not kept.
func (n *fileNode) Setattr(_ context.Context, _ fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	if size, set := in.GetSize(); set {
		n.file.resize(int64(size))
	}
	if mode, set := in.GetMode(); set {
		n.file.mode = mode & 0o777
	}
	n.file.attributes(&out.Attr)
	return 0
}

// Read implements [fs.NodeReader].
func (n *fileNode) Read(_ context.Context, _ fs.FileHandle, buffer []byte, offset int64) (fuse.ReadResult, syscall.Errno) {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	return fuse.ReadResultData(buffer[:n.file.read(buffer, offset)]), 0
}

// Write implements [fs.NodeWriter].
func (n *fileNode) Write(_ context.Context, _ fs.FileHandle, data []byte, offset int64) (uint32, syscall.Errno) {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	n.file.write(data, offset)
	return uint32(len(data)), 0
}

// Fsync implements [fs.NodeFsyncer].
func (n *fileNode) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	n.file.sync()
	return 0
}
