package workflow

import (
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
)

func (s State) openPlannerTask(c OpenPlannerTask) ([]event.Event, error) {
	if err := s.editable(); err != nil {
		return nil, err
	}
	if c.Task == "" || c.Thread == "" {
		return nil, invalid("a planner task needs an id and a thread")
	}
	if s.Planner != nil {
		return nil, s.refused("has an open planner task already: " + s.Planner.Task)
	}
	if err := fits("wish", c.Ask, maxText); err != nil {
		return nil, err
	}
	return []event.Event{PlannerTaskOpened(c)}, nil
}

// planner refuses what is not about the open planner task.
func (s State) planner(task string) (*Planner, error) {
	if s.Planner == nil || s.Planner.Task != task {
		return nil, notFound("workflow %q has no open planner task %s", s.Title, task)
	}
	return s.Planner, nil
}

func (s State) waitPlannerTask(c WaitPlannerTask) ([]event.Event, error) {
	planner, err := s.planner(c.Task)
	if err != nil || planner.Waiting {
		return nil, err
	}
	return []event.Event{PlannerTaskWaiting(c)}, nil
}

func (s State) tellPlanner(c TellPlanner) ([]event.Event, error) {
	if err := s.editable(); err != nil {
		return nil, err
	}
	planner, err := s.planner(c.Task)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(c.Text) == "" {
		return nil, invalid("say something to the planner")
	}
	if err := fits("message", c.Text, maxText); err != nil {
		return nil, err
	}
	if !planner.Waiting {
		return nil, s.refused("has a planner at work: wait until it is done or asks")
	}
	if slices.ContainsFunc(s.Questions, func(q Question) bool { return q.Task == c.Task }) {
		return nil, s.refused("has a question of the planner open: answer it first")
	}
	return []event.Event{PlannerTold(c)}, nil
}

func (s State) closePlannerTask(c ClosePlannerTask) ([]event.Event, error) {
	if _, err := s.planner(c.Task); err != nil {
		return nil, err
	}
	return []event.Event{PlannerTaskClosed{Task: c.Task, Outcome: failure.Cut(c.Outcome, maxText), Stopped: c.Stopped}}, nil
}

func (s State) askQuestion(c AskQuestion) ([]event.Event, error) {
	if c.Question == "" || c.Text == "" {
		return nil, invalid("a question needs an id and a text")
	}
	if err := fits("question", c.Text, maxText); err != nil {
		return nil, err
	}
	byPlanner := s.Planner != nil && s.Planner.Task == c.Task
	byMaintainer := s.Maintenance != nil && s.Maintenance.Task == c.Task
	if !byPlanner && !byMaintainer {
		return nil, notFound("workflow %q has no open task %s that could ask", s.Title, c.Task)
	}
	if s.open(c.Question) {
		return nil, conflict("question %s was asked already", c.Question)
	}
	return []event.Event{QuestionAsked(c)}, nil
}

func (s State) answerQuestion(c AnswerQuestion) ([]event.Event, error) {
	if !s.open(c.Question) {
		return nil, notFound("workflow %q has no open question %s: it was answered, or its task ended", s.Title, c.Question)
	}
	if strings.TrimSpace(c.Answer) == "" {
		return nil, invalid("the answer is empty: say something")
	}
	if err := fits("answer", c.Answer, maxText); err != nil {
		return nil, err
	}
	return []event.Event{QuestionAnswered(c)}, nil
}

// open says that a question waits for an answer.
func (s State) open(question string) bool {
	return slices.ContainsFunc(s.Questions, func(q Question) bool { return q.ID == question })
}

func (s State) acknowledgeNotification(c AcknowledgeNotification) ([]event.Event, error) {
	if c.Notification == "" {
		return nil, invalid("name the notification")
	}
	return []event.Event{NotificationAcknowledged(c)}, nil
}
