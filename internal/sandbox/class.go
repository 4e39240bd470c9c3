package sandbox

import (
	"github.com/dop251/goja"
)

// class is a class of the standard API that is written in Go. To the engine each method is an object with a table of
// properties, and a class has a dozen: a run makes only those that the script uses. A script sees nothing of that. The
// prototype is a proxy, which has them all as soon as it is asked for anything but the value of one property.
type class struct {
	name      string
	takes     int                                            // arguments of the constructor
	construct func(r *run, args []goja.Value) (instance any) // nil: scripts make none
	statics   []member
	members   []member
}

// member is a property of a prototype, read and written by functions, or a method.
type member struct {
	name   string
	symbol *goja.Symbol // instead of a name
	takes  int
	get    native
	set    native
	call   native
}

type native func(r *run, this goja.Value, args []goja.Value) goja.Value

// getter is a property of instances of T.
func getter[T any](name string, get func(r *run, it *T) goja.Value) member {
	return member{name: name, get: func(r *run, this goja.Value, _ []goja.Value) goja.Value { return get(r, instanceOf[T](r, this)) }}
}

// method is a method of instances of T.
func method[T any](name string, takes int, call func(r *run, it *T, args []goja.Value) goja.Value) member {
	return member{name: name, takes: takes, call: func(r *run, this goja.Value, args []goja.Value) goja.Value {
		return call(r, instanceOf[T](r, this), args)
	}}
}

// tagged is how objects of a class name themselves.
func tagged(name string) member {
	return member{symbol: goja.SymToStringTag, get: func(r *run, _ goja.Value, _ []goja.Value) goja.Value { return r.vm.ToValue(name) }}
}

var classByName = map[string]*class{}

// declareClass makes a class known to [run.class].
func declareClass(c *class) struct{} { //nolint:unparam // as declare
	classByName[c.name] = c
	return struct{}{}
}

// madeClass is a class in a run.
type madeClass struct {
	*class
	r           *run
	prototype   *goja.Object   // a proxy of
	target      *goja.Object   // which has nothing of its own until it is whole
	functions   []*goja.Object // of the members that are methods, nil if nobody asked
	constructor *goja.Object   // nil if nobody asked
	whole       bool
}

func (r *run) class(name string) *madeClass {
	if c := r.madeClasses[name]; c != nil {
		return c
	}
	c := &madeClass{class: classByName[name], r: r, target: r.vm.NewObject()}
	c.functions = make([]*goja.Object, len(c.members))
	prototype, err := r.vm.New(r.original.Get("Proxy"), c.target, r.vm.NewDynamicObject((*traps)(c)))
	if err != nil {
		panic(err)
	}
	c.prototype = prototype
	if r.madeClasses == nil {
		r.madeClasses = map[string]*madeClass{}
	}
	r.madeClasses[name] = c
	return c
}

// constructor is a class itself, as scripts have it.
func (r *run) constructor(name string) *goja.Object { return r.class(name).constructed() }

// instantiate makes an object of a class.
func (r *run) instantiate(name string, instance any) *goja.Object {
	object := r.vm.CreateObject(r.class(name).prototype)
	r.hold(object, instance)
	return object
}

// state is by what an object has what Go knows of it, as objects have in Node. The value tells a script nothing.
var state = goja.NewSymbol("state")

// held is that value.
type held struct{ instance any }

func (held) Get(string) goja.Value       { return nil }
func (held) Has(string) bool             { return false }
func (held) Set(string, goja.Value) bool { return false }
func (held) Delete(string) bool          { return false }
func (held) Keys() []string              { return nil }

func (r *run) hold(object *goja.Object, instance any) {
	if err := object.DefineDataPropertySymbol(state, r.vm.NewDynamicObject(held{instance}), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
}

// known is what Go knows of a value, nil for what is of no class.
func known(value goja.Value) any {
	if object, is := value.(*goja.Object); is {
		if holder, is := object.GetSymbol(state).(*goja.Object); is {
			if held, is := holder.Export().(held); is {
				return held.instance
			}
		}
	}
	return nil
}

// instanceOf is what Go knows of an object on which something of its class is called.
func instanceOf[T any](r *run, this goja.Value) *T {
	it, is := known(this).(*T)
	if !is {
		panic(r.vm.NewTypeError("Illegal invocation"))
	}
	return it
}

// constructed is the class itself, as scripts have it.
func (c *madeClass) constructed() *goja.Object {
	if c.constructor != nil {
		return c.constructor
	}
	r := c.r
	c.constructor = r.vm.ToValue(func(call goja.ConstructorCall) *goja.Object {
		r.alive()
		if call.NewTarget == nil && call.This.Prototype() != c.prototype { // the engine takes a call without an object for new
			panic(r.vm.NewTypeError("Class constructor %s cannot be invoked without 'new'", c.name))
		}
		if c.construct == nil {
			panic(r.vm.NewTypeError("Illegal constructor"))
		}
		r.hold(call.This, c.construct(r, call.Arguments))
		return nil
	}).ToObject(r.vm)
	fixed := func(name string, value goja.Value, configurable goja.Flag) {
		if err := c.constructor.DefineDataProperty(name, value, goja.FLAG_FALSE, configurable, goja.FLAG_FALSE); err != nil {
			panic(err)
		}
	}
	fixed("name", r.vm.ToValue(c.name), goja.FLAG_TRUE)
	fixed("length", r.vm.ToValue(c.takes), goja.FLAG_TRUE)
	fixed("prototype", c.prototype, goja.FLAG_FALSE)
	for i := range c.statics {
		define(c.constructor, c.statics[i].name, r.native(c.statics[i].name, c.statics[i].takes, c.statics[i].call), hidden)
	}
	return c.constructor
}

func (r *run) native(name string, takes int, f native) *goja.Object {
	return r.functionOf(name, takes, func(call goja.FunctionCall) goja.Value {
		r.alive()
		return f(r, call.This, call.Arguments)
	})
}

// function is the function of a method.
func (c *madeClass) function(i int) *goja.Object {
	if c.functions[i] == nil {
		name := c.members[i].name
		if name == "" {
			name = "[" + c.members[i].symbol.String() + "]"
		}
		c.functions[i] = c.r.native(name, c.members[i].takes, c.members[i].call)
	}
	return c.functions[i]
}

// complete gives the prototype all that it has.
func (c *madeClass) complete() {
	c.whole = true
	define(c.target, "constructor", c.constructed(), hidden)
	for i := range c.members {
		one := &c.members[i]
		var err error
		switch {
		case one.call != nil && one.symbol != nil:
			err = c.target.DefineDataPropertySymbol(one.symbol, c.function(i), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
		case one.call != nil:
			define(c.target, one.name, c.function(i), hidden)
		case one.symbol != nil:
			err = c.target.DefineAccessorPropertySymbol(one.symbol, c.r.native("get ["+one.symbol.String()+"]", 0, one.get), nil, goja.FLAG_TRUE, goja.FLAG_FALSE)
		default:
			var set goja.Value
			if one.set != nil {
				set = c.r.native("set "+one.name, 1, one.set)
			}
			err = c.target.DefineAccessorProperty(one.name, c.r.native("get "+one.name, 0, one.get), set, goja.FLAG_TRUE, goja.FLAG_FALSE)
		}
		if err != nil {
			panic(err)
		}
	}
}

// get is the value of a property of an object of the class, as long as the prototype is not whole.
func (c *madeClass) get(property, of goja.Value) goja.Value {
	c.r.alive()
	symbol, _ := property.(*goja.Symbol)
	name := property.String()
	for i := range c.members {
		if one := &c.members[i]; one.symbol != symbol || symbol == nil && one.name != name {
			continue
		}
		if c.members[i].call != nil {
			return c.function(i)
		}
		return c.members[i].get(c.r, of, nil)
	}
	switch {
	case symbol == state:
		return goja.Undefined()
	case symbol == nil && name == "constructor":
		return c.constructed()
	case symbol == nil && name == "then": // of which every promise asks
		return c.target.Get(name)
	}
	reflect := c.r.original.Get("Reflect").ToObject(c.r.vm)
	return c.r.called(reflect.Get("get"), c.target, property, of)
}

// called is what a function gives, which is called without an object.
func (r *run) called(function goja.Value, args ...goja.Value) goja.Value {
	return r.calledOn(goja.Undefined(), function, args...)
}

func (r *run) calledOn(this, function goja.Value, args ...goja.Value) goja.Value {
	call, ok := goja.AssertFunction(function)
	if !ok {
		panic(r.vm.NewTypeError("Object is not a function"))
	}
	value, err := call(this, args...)
	if err != nil {
		panic(err)
	}
	return value
}

// traps is the handler of the proxy. The engine looks there for what is to be done instead of asking the target.
type traps madeClass

// Get implements goja.DynamicObject.
func (t *traps) Get(trap string) goja.Value {
	c := (*madeClass)(t)
	switch {
	case c.whole:
		return nil
	case trap != "get":
		c.complete()
		return nil
	}
	if c.r.getting == nil {
		c.r.getting = c.r.vm.ToValue(func(call goja.FunctionCall) goja.Value {
			return call.This.(*goja.Object).Export().(*traps).value(call.Argument(1), call.Argument(2))
		}).ToObject(c.r.vm)
	}
	return c.r.getting
}

func (t *traps) value(property, of goja.Value) goja.Value { return (*madeClass)(t).get(property, of) }

// Has implements goja.DynamicObject.
func (*traps) Has(string) bool { return false }

// Set implements goja.DynamicObject.
func (*traps) Set(string, goja.Value) bool { return false }

// Delete implements goja.DynamicObject.
func (*traps) Delete(string) bool { return false }

// Keys implements goja.DynamicObject.
func (*traps) Keys() []string { return nil }
