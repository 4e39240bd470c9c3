package api

import (
	"net/http"
	"reflect"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// refusal is a status by which requests are refused, and its meaning for a caller.
type refusal struct {
	status int
	name   string
	means  string
}

// ofEvery refuses a request of any operation, and ofWrites one that changes something.
var (
	ofEvery = []refusal{
		{http.StatusBadRequest, "BadRequest", "The request cannot be read"},
		{http.StatusUnauthorized, "Unauthorized", "No token, or one that is not known: show another"},
		{http.StatusForbidden, "Forbidden", "Your token does not allow this, or the rules of the installation do not"},
		{http.StatusNotFound, "NotFound", "It is not there, or you do not see it"},
		{http.StatusMisdirectedRequest, "MisdirectedRequest", "The server is not reached by this name: its operator allows it with --host"},
		{http.StatusUnprocessableEntity, "UnprocessableEntity", "The request says something that cannot be: the problem names the place"},
		{http.StatusTooManyRequests, "TooManyRequests", "Wait as long as Retry-After says"},
		{http.StatusInternalServerError, "InternalServerError", "The server failed at it: its log says how. Acknowledged writes are not lost"},
		{http.StatusServiceUnavailable, "ServiceUnavailable", "Not now: send it again after Retry-After, a write with the same Idempotency-Key"},
		{http.StatusGatewayTimeout, "GatewayTimeout", "The answer took too long: send it again, a write with the same Idempotency-Key"},
	}
	ofWrites = []refusal{
		{http.StatusRequestTimeout, "RequestTimeout", "The body did not come in time"},
		{http.StatusConflict, "Conflict", "It does not go with what is so now: look again, then decide"},
		{http.StatusPreconditionFailed, "PreconditionFailed", "It has changed since the revision of If-Match: the problem says where it is now"},
		{http.StatusRequestEntityTooLarge, "ContentTooLarge", "The body is too large"},
		{http.StatusUnsupportedMediaType, "UnsupportedMediaType", "The body is in a form that is not understood: send application/json"},
		{http.StatusInsufficientStorage, "InsufficientStorage", "The disk is full: send it again with the same Idempotency-Key once there is room"},
	}
)

// refusalResponses are the refusals as parts of the description that operations refer to.
func refusalResponses(schemas huma.Registry) map[string]*huma.Response {
	problems := map[string]*huma.MediaType{"application/problem+json": {Schema: schemas.Schema(reflect.TypeFor[Problem](), true, "Problem")}}
	responses := map[string]*huma.Response{}
	for _, one := range slices.Concat(ofEvery, ofWrites) {
		response := &huma.Response{Description: one.means, Content: problems}
		if one.status == http.StatusTooManyRequests || one.status == http.StatusServiceUnavailable {
			response.Headers = map[string]*huma.Param{"Retry-After": {Required: true, Description: "How many seconds to wait", Schema: &huma.Schema{Type: "integer"}}}
		}
		responses[one.name] = response
	}
	return responses
}

// refusalsOf refers to all statuses by which a request with this method may be refused.
func refusalsOf(method string) map[string]*huma.Response {
	responses := map[string]*huma.Response{}
	list := ofEvery
	if method != http.MethodGet {
		list = slices.Concat(ofEvery, ofWrites)
	}
	for _, one := range list {
		responses[strconv.Itoa(one.status)] = &huma.Response{Ref: "#/components/responses/" + one.name}
	}
	return responses
}
