package process

import (
	"context"
	"fmt"
)

// Wall is one thing that an operating system can hold a worker with, whatever the script
// made of the process.
type Wall struct {
	Name   string
	Holds  bool
	Detail string // what it keeps out, or why it does not hold
}

// String is for people: "landlock: yes (ABI 7: no files, no TCP)".
func (w Wall) String() string {
	answer := "no"
	if w.Holds {
		answer = "yes"
	}
	return fmt.Sprintf("%s: %s (%s)", w.Name, answer, w.Detail)
}

// Containment says what holds the workers on this machine, as a worker found it when it
// started. Walls that do not hold are in the list too.
func (p *Pool) Containment(ctx context.Context) ([]Wall, error) {
	if err := p.enter(); err != nil {
		return nil, fmt.Errorf("sandbox: containment: %w", err)
	}
	defer p.tasks.Done()
	turn := p.slotOf("", "")
	defer turn.release()
	process, err := p.acquire(ctx, "", turn, false)
	if err != nil {
		return nil, fmt.Errorf("sandbox: containment: %w", err)
	}
	defer p.release(process, turn, "", true)
	return process.walls, nil
}

func (e *encoder) walls(list []Wall) {
	e.int(int64(len(list)))
	for _, wall := range list {
		e.text(wall.Name)
		e.bool(wall.Holds)
		e.text(wall.Detail)
	}
}

// mostWalls is more than any system has.
const mostWalls = 16

func (d *decoder) walls() []Wall {
	list := make([]Wall, d.count(mostWalls))
	for i := range list {
		list[i] = Wall{Name: d.text(), Holds: d.bool(), Detail: d.text()}
	}
	return list
}
