// Package packages says how a script of several files, and of packages from npm, is one text.
//
// The code of a version is what its author wrote. Other files than the one that runs follow it, each behind a line that
// names it, and the last lines say which packages it takes, in which versions:
//
//	import dayjs from 'dayjs';
//	import { line } from './lib/line.ts';
//	export default function main(input) { … }
//	//# file ./lib/line.ts
//	export const line = (text) => text + '\n';
//	//# packages sha256 4f0c…
//	//# dayjs 1.11.13: default
//	//# with lodash 4.17.21
//
// All of these lines are comments of JavaScript, so that whoever reads, compares or edits code needs to know nothing of
// them. The text of the packages ([Text]) is kept once, by its digest.
package packages
