package payload

import (
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
)

// Paging is what a member beside a list says of its pages.
type Paging string

// A member may say any of these of pages.
const (
	NextPage  Paging = "next"  // how to ask for the next one
	MorePages Paging = "more"  // that there are more
	LastPage  Paging = "last"  // that there are none
	AllItems  Paging = "total" // how many items all pages have
	AllPages  Paging = "pages"
	ThisPage  Paging = "page"  // the number of this one
	PageSize  Paging = "size"  // how many items one has at most
	PageStart Paging = "start" // how many items were before it
	OtherPage Paging = "other" // how to ask for the first or the one before
)

var (
	nextPage  = lazyregexp.New(`^(odata)?next(page|token|cursor|url|link|offset|uri|href|id|maxid|after|key|marker|start)*$`)
	ofNext    = lazyregexp.New(`^((end|after)?cursor|continuation(token|key)?|marker|after)$`)
	isMore    = lazyregexp.New(`^(has|is)?(more|next|nextpage|truncated)(results|data|pages|items|available)?$`)
	isTheLast = lazyregexp.New(`^(is)?(last|lastpage|done|complete|finished)$`)
	otherPage = lazyregexp.New(`^(prev|previous|first|last|self)(page|token|cursor|url|link|offset|uri|href|id|minid|before)*$`)
)

// ofNumbers are the names of numbers that say something of pages. The first that fits is meant.
var ofNumbers = []struct {
	name *lazyregexp.Pattern
	says Paging
}{
	{lazyregexp.New(`^(total|count|found|hits|matches|(total|num|item|items|result|results|record|records|overall)(count|found|items|results|elements|records|entries|hits|rows|size|total))$`), AllItems},
	{lazyregexp.New(`^(pages|lastpage|(total|num)pages|pages?(count|total))$`), AllPages},
	{lazyregexp.New(`^(current|this)?page(number|no|num|index)?$`), ThisPage},
	{lazyregexp.New(`^(limit|size|maxresults|itemsperpage|per_?page|page(size|limit|len|length))$`), PageSize},
	{lazyregexp.New(`^([a-z]*offset|skip|start(at|index)?)$`), PageStart},
	{otherPage, OtherPage},
}

// PagingOf is what a member says of pages by its name and its value, empty for nothing. Null may say that there is no other page.
func PagingOf(path []string, value any) Paging {
	name := Squeeze(path[len(path)-1])
	under := len(path) > 1
	next := nextPage.MatchString(name) || ofNext.MatchString(name) && (under || name != "after") ||
		slices.ContainsFunc(path[:len(path)-1], func(step string) bool { return nextPage.MatchString(Squeeze(step)) })
	switch value.(type) {
	case bool:
		switch {
		case isMore.MatchString(name):
			return MorePages
		case isTheLast.MatchString(name):
			return LastPage
		}
	case float64:
		if next {
			return NextPage
		}
		for _, one := range ofNumbers {
			if one.name.MatchString(name) {
				return one.says
			}
		}
	case string, nil:
		switch {
		case next:
			return NextPage
		case otherPage.MatchString(name):
			return OtherPage
		}
	}
	return ""
}

// Beside visits the members of an answer that stand in no list, and in no object that is a list's element, with the lists among them.
func Beside(value any, visit func(path []string, value any)) {
	var walk func(path []string, value any)
	walk = func(path []string, value any) {
		o, ok := value.(*orderedjson.Object)
		if !ok || len(o.Keys) == 0 || len(path) >= deepestPaging {
			visit(path, value)
			return
		}
		for _, key := range o.Keys {
			walk(append(slices.Clip(path), key), o.Fields[key])
		}
	}
	walk(nil, value)
}

// deepestPaging is how deep in an answer a list and what says of its pages stand.
const deepestPaging = 5

// SaysMore says that a member tells of more than was answered. It may be an object that holds where to ask on.
func SaysMore(path []string, value any) bool {
	if of, ok := value.(map[string]any); ok {
		return len(of) > 0 && nextPage.MatchString(Squeeze(path[len(path)-1]))
	}
	switch PagingOf(path, value) {
	case MorePages:
		return value == true
	case LastPage:
		return value == false
	case NextPage:
		text, isText := value.(string)
		number, isNumber := value.(float64)
		return isText && strings.TrimSpace(text) != "" || isNumber && number > 0
	}
	return false
}
