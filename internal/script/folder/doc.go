// Package folder makes the code of a version, and the text of its packages, of a folder as people have it for Node: files that
// import each other, package-lock.json and node_modules.
//
//	made, err := folder.Read(path, folder.Options{Has: has})
//	made.Code // the author's files, and the lock of the packages
//	made.Text // the packages
//
// Nothing of the folder is executed, and nothing outside it is read. Versions are those of package-lock.json; what is not locked, or
// not installed as it is locked, is refused.
package folder
