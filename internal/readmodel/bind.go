package readmodel

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"zombiezen.com/go/sqlite"
)

// JSON is an argument that is stored as JSON text.
func JSON(v any) any { return jsonArgument{v} }

type jsonArgument struct{ value any }

// bind fills the placeholders of a statement.
func bind(stmt *sqlite.Stmt, args []any) error {
	if want := stmt.BindParamCount(); want != len(args) {
		return fmt.Errorf("%d arguments for %d placeholders", len(args), want)
	}
	for i, arg := range args {
		if err := bindOne(stmt, i+1, arg); err != nil {
			return fmt.Errorf("argument %d: %w", i+1, err)
		}
	}
	return nil
}

func bindOne(stmt *sqlite.Stmt, param int, arg any) error {
	switch v := arg.(type) {
	case nil:
		stmt.BindNull(param)
		return nil
	case string:
		stmt.BindText(param, v)
		return nil
	case int:
		stmt.BindInt64(param, int64(v))
		return nil
	case int64:
		stmt.BindInt64(param, v)
		return nil
	case bool:
		stmt.BindBool(param, v)
		return nil
	case []byte:
		if v == nil {
			stmt.BindNull(param)
		} else {
			stmt.BindBytes(param, v)
		}
		return nil
	case json.RawMessage:
		if v == nil {
			stmt.BindNull(param)
		} else {
			stmt.BindText(param, string(v))
		}
		return nil
	case time.Time:
		if v.IsZero() {
			stmt.BindNull(param)
		} else {
			stmt.BindInt64(param, v.UnixMicro())
		}
		return nil
	case jsonArgument:
		text, err := json.Marshal(v.value)
		if err != nil {
			return err
		}
		stmt.BindText(param, string(text))
		return nil
	}
	v := reflect.ValueOf(arg)
	switch v.Kind() {
	case reflect.String:
		stmt.BindText(param, v.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		stmt.BindInt64(param, v.Int())
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		stmt.BindInt64(param, int64(v.Uint()))
	case reflect.Float32, reflect.Float64:
		stmt.BindFloat(param, v.Float())
	case reflect.Bool:
		stmt.BindBool(param, v.Bool())
	case reflect.Pointer:
		if v.IsNil() {
			stmt.BindNull(param)
			return nil
		}
		return bindOne(stmt, param, v.Elem().Interface())
	default:
		return fmt.Errorf("type %T cannot be stored; wrap it in readmodel.JSON", arg)
	}
	return nil
}
