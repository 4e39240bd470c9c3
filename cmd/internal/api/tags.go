package api

import "github.com/danielgtaylor/huma/v2"

// tags are the groups that operations stand in: readers of the description, and clients that are made of it, show them so.
var tags = []*huma.Tag{
	{Name: "autofix", Description: "The switch for all repairs"},
	{Name: "commands", Description: "Command lines, and tools of coding agents"},
	{Name: "egress", Description: "Where the installation lets scripts go"},
	{Name: "events", Description: "Events as they happen"},
	{Name: "fixes", Description: "Proposed fixes, and what a person decides about them"},
	{Name: "healer", Description: "Sessions of coding agents, and how they were healed"},
	{Name: "history", Description: "The event log, its proofs and its views"},
	{Name: "hooks", Description: "Addresses at which the outside starts workflows"},
	{Name: "notifications", Description: "Notices for people"},
	{Name: "planner", Description: "Conversations in which scripts are written"},
	{Name: "repo-plans", Description: "Plans that coding agents work through in repositories"},
	{Name: "runs", Description: "Runs of workflows, and inputs"},
	{Name: "scripts", Description: "Versions of scripts, and runs without writes"},
	{Name: "secrets", Description: "Names of secrets, and their hosts; no operation gives a value"},
	{Name: "session", Description: "Sessions of browsers, and ways in"},
	{Name: "subscriptions", Description: "External systems that are told of events"},
	{Name: "system", Description: "The server itself"},
	{Name: "tokens", Description: "Tokens of people, agents and programs"},
	{Name: "usage", Description: "Use of models and money, with limits and payments"},
	{Name: "workflows", Description: "Workflows, their settings, schedules and triggers"},
}
