// Package forge talks with the places where repositories are published and changes are reviewed, over the part of GitHub's API that
// Gitea and Forgejo have, too: pull requests, what people say of them, and what checks found.
package forge
