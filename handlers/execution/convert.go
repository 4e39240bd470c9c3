package execution

import (
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

func failureOf(e sandbox.Error) failure.Failure {
	return failure.Failure{
		Class: failure.Class(e.Class), Name: e.Name, Code: e.Code, Message: e.Message, Stack: e.Stack,
		Tool: e.Tool, Status: e.Status, Body: e.Body, Host: e.Host, RetryAfterMS: e.RetryAfterMS,
		Strict: e.Strict, Loose: e.Loose,
	}
}

func callErrorOf(e *sandbox.Error) *run.CallError {
	if e == nil {
		return nil
	}
	return &run.CallError{
		Class: failure.Class(e.Class), Name: e.Name, Code: e.Code, Message: e.Message,
		Status: e.Status, Body: e.Body, Host: e.Host, RetryAfterMS: e.RetryAfterMS,
	}
}

func logOf(lines []sandbox.LogLine) []run.LogLine {
	converted := make([]run.LogLine, len(lines))
	for i, line := range lines {
		converted[i] = run.LogLine(line)
	}
	return converted
}
