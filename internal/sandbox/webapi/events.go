package webapi

import (
	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

var _ = engine.Declare(engine.Builtin{
	Names: []string{"EventTarget", "Event", "CustomEvent", "DOMException"},
	Use:   "EventTarget, Event, CustomEvent, DOMException",
	Doc:   "As in Node. What a listener throws fails the run. The reason of an abort is a NetworkError, and a DOMException to instanceof.",
	Types: `declare class Event {
  constructor(type: string, options?: { bubbles?: boolean; cancelable?: boolean; composed?: boolean });
  readonly type: string; readonly target: EventTarget | null; readonly currentTarget: EventTarget | null; readonly bubbles: boolean; readonly cancelable: boolean; readonly defaultPrevented: boolean; readonly timeStamp: number;
  preventDefault(): void; stopPropagation(): void; stopImmediatePropagation(): void; composedPath(): EventTarget[];
}
declare class CustomEvent<T = any> extends Event { constructor(type: string, options?: { detail?: T; bubbles?: boolean; cancelable?: boolean }); readonly detail: T }
declare class EventTarget {
  addEventListener(type: string, listener: ((event: any) => unknown) | { handleEvent(event: any): unknown } | null, options?: boolean | { once?: boolean; passive?: boolean; capture?: boolean; signal?: AbortSignal }): void;
  removeEventListener(type: string, listener: ((event: any) => unknown) | { handleEvent(event: any): unknown } | null, options?: boolean | { capture?: boolean }): void;
  dispatchEvent(event: Event): boolean;
}
declare class DOMException extends Error { constructor(message?: string, name?: string); readonly code: number }`,
	Make: func(r *engine.Run, name string) goja.Value { return eventsPrelude(r).Get(name) },
})

func eventsPrelude(r *engine.Run) *goja.Object {
	r.Alive()
	return r.Prelude(prelude, "events.js", map[string]*goja.Object{
		"now": r.Function("now", func(goja.FunctionCall) goja.Value { return r.VM.ToValue(r.Elapsed()) }),
	})
}
