// Package forge opens pull requests where repositories are published and changes are reviewed, over the part of GitHub's API that
// Gitea and Forgejo have, too.
package forge
