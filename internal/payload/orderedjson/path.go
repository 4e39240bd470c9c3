package orderedjson

// PutAt sets the value at a path and makes the objects on the way. A value on the way that is no object is replaced
// by one. It changes the objects of the value, and returns the whole.
func PutAt(value any, path []string, what any) any {
	if len(path) == 0 {
		return what
	}
	o, ok := value.(*Object)
	if !ok {
		o = New()
	}
	if _, there := o.Fields[path[0]]; !there {
		o.Keys = append(o.Keys, path[0])
	}
	o.Fields[path[0]] = PutAt(o.Fields[path[0]], path[1:], what)
	return o
}

// RemoveAt takes the value at a path away, and the objects that it leaves empty. It changes the objects of the value, and returns
// the whole.
func RemoveAt(value any, path []string) any {
	if len(path) == 0 {
		return nil
	}
	o, ok := value.(*Object)
	if !ok {
		return value
	}
	if len(path) == 1 {
		o.Remove(path[0])
		return o
	}
	inner, ok := o.Fields[path[0]].(*Object)
	if !ok {
		return value
	}
	if RemoveAt(inner, path[1:]); len(inner.Keys) == 0 {
		o.Remove(path[0])
	}
	return o
}
