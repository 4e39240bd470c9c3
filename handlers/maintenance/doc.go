// Package maintenance works on the failures of workflows: it loads the evidence, lets fixers
// propose, and hands the verdict of the gate to the workflow, which decides.
package maintenance
