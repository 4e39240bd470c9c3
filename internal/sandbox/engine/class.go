package engine

import (
	"github.com/dop251/goja"
)

// Class is a class of the standard API that is written in Go. To the engine each method is an object with a table of
// properties, and a class has a dozen: a run makes only those that the script uses. A script sees nothing of that. The
// prototype is a proxy, which has them all as soon as it is asked for anything but the value of one property.
type Class struct {
	Name      string
	Takes     int                                            // arguments of the constructor
	Construct func(r *Run, args []goja.Value) (instance any) // nil: scripts make none
	Statics   []Member
	Members   []Member
}

// Member is a property of a prototype, read and written by functions, or a method.
type Member struct {
	Name   string
	symbol *goja.Symbol // instead of a name
	Takes  int
	Get    native
	Set    native
	Call   native
}

type native func(r *Run, this goja.Value, args []goja.Value) goja.Value

// Getter is a property of instances of T.
func Getter[T any](name string, get func(r *Run, it *T) goja.Value) Member {
	return Member{Name: name, Get: func(r *Run, this goja.Value, _ []goja.Value) goja.Value { return get(r, InstanceOf[T](r, this)) }}
}

// Method is a method of instances of T.
func Method[T any](name string, takes int, call func(r *Run, it *T, args []goja.Value) goja.Value) Member {
	return Member{Name: name, Takes: takes, Call: func(r *Run, this goja.Value, args []goja.Value) goja.Value {
		return call(r, InstanceOf[T](r, this), args)
	}}
}

// Tagged is how objects of a class name themselves.
func Tagged(name string) Member {
	return Member{symbol: goja.SymToStringTag, Get: func(r *Run, _ goja.Value, _ []goja.Value) goja.Value { return r.VM.ToValue(name) }}
}

var classByName = map[string]*Class{}

// DeclareClass makes a class known to [Run.class].
func DeclareClass(c *Class) struct{} { //nolint:unparam // as declare
	classByName[c.Name] = c
	return struct{}{}
}

// madeClass is a class in a run.
type madeClass struct {
	*Class
	r           *Run
	prototype   *goja.Object   // a proxy of
	target      *goja.Object   // which has nothing of its own until it is whole
	functions   []*goja.Object // of the members that are methods, nil if nobody asked
	constructor *goja.Object   // nil if nobody asked
	whole       bool
}

func (r *Run) class(name string) *madeClass {
	if c := r.madeClasses[name]; c != nil {
		return c
	}
	c := &madeClass{Class: classByName[name], r: r, target: r.VM.NewObject()}
	c.functions = make([]*goja.Object, len(c.Members))
	prototype, err := r.VM.New(r.Original.Get("Proxy"), c.target, r.VM.NewDynamicObject((*traps)(c)))
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

// Constructor is a class itself, as scripts have it.
func (r *Run) Constructor(name string) *goja.Object { return r.class(name).constructed() }

// Instantiate makes an object of a class.
func (r *Run) Instantiate(name string, instance any) *goja.Object {
	object := r.VM.CreateObject(r.class(name).prototype)
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

func (r *Run) hold(object *goja.Object, instance any) {
	if err := object.DefineDataPropertySymbol(state, r.VM.NewDynamicObject(held{instance}), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
}

// Known is what Go knows of a value, nil for what is of no class.
func Known(value goja.Value) any {
	if object, is := value.(*goja.Object); is {
		if holder, is := object.GetSymbol(state).(*goja.Object); is {
			if held, is := holder.Export().(held); is {
				return held.instance
			}
		}
	}
	return nil
}

// InstanceOf is what Go knows of an object on which something of its class is called.
func InstanceOf[T any](r *Run, this goja.Value) *T {
	it, is := Known(this).(*T)
	if !is {
		panic(r.VM.NewTypeError("Illegal invocation"))
	}
	return it
}

// constructed is the class itself, as scripts have it.
func (c *madeClass) constructed() *goja.Object {
	if c.constructor != nil {
		return c.constructor
	}
	r := c.r
	c.constructor = r.VM.ToValue(func(call goja.ConstructorCall) *goja.Object {
		r.Alive()
		if call.NewTarget == nil && call.This.Prototype() != c.prototype { // the engine takes a call without an object for new
			panic(r.VM.NewTypeError("Class constructor %s cannot be invoked without 'new'", c.Name))
		}
		if c.Construct == nil {
			panic(r.VM.NewTypeError("Illegal constructor"))
		}
		r.hold(call.This, c.Construct(r, call.Arguments))
		return nil
	}).ToObject(r.VM)
	fixed := func(name string, value goja.Value, configurable goja.Flag) {
		if err := c.constructor.DefineDataProperty(name, value, goja.FLAG_FALSE, configurable, goja.FLAG_FALSE); err != nil {
			panic(err)
		}
	}
	fixed("name", r.VM.ToValue(c.Name), goja.FLAG_TRUE)
	fixed("length", r.VM.ToValue(c.Takes), goja.FLAG_TRUE)
	fixed("prototype", c.prototype, goja.FLAG_FALSE)
	for i := range c.Statics {
		Define(c.constructor, c.Statics[i].Name, r.native(c.Statics[i].Name, c.Statics[i].Takes, c.Statics[i].Call), Hidden)
	}
	return c.constructor
}

func (r *Run) native(name string, takes int, f native) *goja.Object {
	return r.FunctionOf(name, takes, func(call goja.FunctionCall) goja.Value {
		r.Alive()
		return f(r, call.This, call.Arguments)
	})
}

// function is the function of a method.
func (c *madeClass) function(i int) *goja.Object {
	if c.functions[i] == nil {
		name := c.Members[i].Name
		if name == "" {
			name = "[" + c.Members[i].symbol.String() + "]"
		}
		c.functions[i] = c.r.native(name, c.Members[i].Takes, c.Members[i].Call)
	}
	return c.functions[i]
}

// complete gives the prototype all that it has.
func (c *madeClass) complete() {
	c.whole = true
	Define(c.target, "constructor", c.constructed(), Hidden)
	for i := range c.Members {
		one := &c.Members[i]
		var err error
		switch {
		case one.Call != nil && one.symbol != nil:
			err = c.target.DefineDataPropertySymbol(one.symbol, c.function(i), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
		case one.Call != nil:
			Define(c.target, one.Name, c.function(i), Hidden)
		case one.symbol != nil:
			err = c.target.DefineAccessorPropertySymbol(one.symbol, c.r.native("get ["+one.symbol.String()+"]", 0, one.Get), nil, goja.FLAG_TRUE, goja.FLAG_FALSE)
		default:
			var set goja.Value
			if one.Set != nil {
				set = c.r.native("set "+one.Name, 1, one.Set)
			}
			err = c.target.DefineAccessorProperty(one.Name, c.r.native("get "+one.Name, 0, one.Get), set, goja.FLAG_TRUE, goja.FLAG_FALSE)
		}
		if err != nil {
			panic(err)
		}
	}
}

// get is the value of a property of an object of the class, as long as the prototype is not whole.
func (c *madeClass) get(property, of goja.Value) goja.Value {
	c.r.Alive()
	symbol, _ := property.(*goja.Symbol)
	name := property.String()
	for i := range c.Members {
		if one := &c.Members[i]; one.symbol != symbol || symbol == nil && one.Name != name {
			continue
		}
		if c.Members[i].Call != nil {
			return c.function(i)
		}
		return c.Members[i].Get(c.r, of, nil)
	}
	switch {
	case symbol == state:
		return goja.Undefined()
	case symbol == nil && name == "constructor":
		return c.constructed()
	case symbol == nil && name == "then": // of which every promise asks
		return c.target.Get(name)
	}
	reflect := c.r.Original.Get("Reflect").ToObject(c.r.VM)
	return c.r.Called(reflect.Get("get"), c.target, property, of)
}

// Called is what a function gives, which is called without an object.
func (r *Run) Called(function goja.Value, args ...goja.Value) goja.Value {
	return r.CalledOn(goja.Undefined(), function, args...)
}

func (r *Run) CalledOn(this, function goja.Value, args ...goja.Value) goja.Value {
	call, ok := goja.AssertFunction(function)
	if !ok {
		panic(r.VM.NewTypeError("Object is not a function"))
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
		c.r.getting = c.r.VM.ToValue(func(call goja.FunctionCall) goja.Value {
			return call.This.(*goja.Object).Export().(*traps).value(call.Argument(1), call.Argument(2))
		}).ToObject(c.r.VM)
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
