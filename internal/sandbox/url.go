package sandbox

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// webURL is a URL taken apart as browsers do it (the WHATWG URL standard, without
// international host names and without the odd spellings of IPv4 addresses).
type webURL struct {
	scheme             string // lower case, without the colon
	username, password string
	host               string
	authority          bool // there is a host part, even if empty
	port               string
	path               string
	query, fragment    string // with ? and # if there are any
}

var defaultPorts = map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21", "file": ""}

func (u *webURL) special() bool { _, ok := defaultPorts[u.scheme]; return ok }

// Characters besides controls and non-ASCII that are percent-encoded in each part.
const (
	fragmentEncoded = " \"<>`"
	queryEncoded    = " \"#<>"
	pathEncoded     = queryEncoded + "?^`{}"
	userEncoded     = pathEncoded + "/:;=@[\\]|"
)

// parseURL reads a URL, relative to base if it is relative and base is not nil.
func parseURL(input string, base *webURL) (*webURL, error) {
	input = strings.Trim(input, "\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f ")
	input = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(input)
	u := &webURL{}
	rest, absolute := u.cutScheme(input)
	if !absolute {
		if base == nil {
			return nil, fmt.Errorf("invalid URL: %q has no scheme", cut(input, 100))
		}
		u.scheme = base.scheme
	} else if base != nil && u.special() && u.scheme == base.scheme && !startsWithSlash(rest, true) {
		absolute = false // https:path, relative to an https base
	}
	rest, u.fragment = cutPart(rest, '#', fragmentEncoded)
	queries := queryEncoded
	if u.special() {
		queries += "'"
	}
	rest, u.query = cutPart(rest, '?', queries)
	if u.special() {
		rest = strings.ReplaceAll(rest, `\`, "/")
	}
	switch {
	case absolute && u.special() && u.scheme != "file":
		rest = "//" + strings.TrimLeft(rest, "/")
		fallthrough
	case strings.HasPrefix(rest, "//"):
		authority, path := rest[2:], ""
		if slash := strings.IndexByte(authority, '/'); slash >= 0 {
			authority, path = authority[:slash], authority[slash:]
		}
		u.authority = true
		if err := u.setAuthority(authority); err != nil {
			return nil, err
		}
		u.setPath(path)
		return u, nil
	case absolute && u.scheme == "file":
		u.authority = true
		u.setPath(rest)
		return u, nil
	case absolute:
		if strings.HasPrefix(rest, "/") {
			u.setPath(rest)
		} else {
			u.path = encode(rest, "") // opaque: mailto:, data:
		}
		return u, nil
	}
	if base.opaque() && rest+u.query != "" {
		return nil, fmt.Errorf("invalid URL: %q is relative and its base is not hierarchical", cut(input, 100))
	}
	u.username, u.password, u.host, u.authority, u.port = base.username, base.password, base.host, base.authority, base.port
	switch {
	case strings.HasPrefix(rest, "/"):
		u.setPath(rest)
	case rest == "":
		u.path = base.path
		if u.query == "" && !strings.Contains(input, "?") {
			u.query = base.query
		}
	default:
		u.setPath(base.path[:strings.LastIndexByte(base.path, '/')+1] + rest)
	}
	return u, nil
}

func startsWithSlash(s string, backslash bool) bool {
	return s != "" && (s[0] == '/' || backslash && s[0] == '\\')
}

func (u *webURL) opaque() bool {
	return !u.authority && !strings.HasPrefix(u.path, "/")
}

func (u *webURL) cutScheme(input string) (rest string, ok bool) {
	for i := range len(input) {
		switch c := input[i] | 0x20; {
		case input[i] == ':' && i > 0:
			u.scheme = strings.ToLower(input[:i])
			return input[i+1:], true
		case c >= 'a' && c <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || input[i] == '+' || input[i] == '-' || input[i] == '.'):
		default:
			return input, false
		}
	}
	return input, false
}

// cutPart cuts off what follows a separator; a part that is empty is none.
func cutPart(s string, separator byte, encoded string) (rest, part string) {
	at := strings.IndexByte(s, separator)
	if at < 0 {
		return s, ""
	}
	if part = s[at+1:]; part == "" {
		return s[:at], ""
	}
	return s[:at], string(separator) + encode(part, encoded)
}

func (u *webURL) setAuthority(authority string) error {
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		name, password, _ := strings.Cut(authority[:at], ":")
		u.username, u.password = encode(name, userEncoded), encode(password, userEncoded)
		authority = authority[at+1:]
	}
	host := authority
	if colon := strings.LastIndexByte(authority, ':'); colon > strings.LastIndexByte(authority, ']') {
		host = authority[:colon]
		if port := authority[colon+1:]; port != "" {
			n, err := strconv.ParseUint(port, 10, 16)
			if err != nil || port[0] == '+' {
				return fmt.Errorf("invalid URL: the port %q is not a number up to 65535", cut(port, 20))
			}
			u.port = strconv.FormatUint(n, 10)
		}
	}
	if u.port == defaultPorts[u.scheme] {
		u.port = ""
	}
	return u.setHost(host)
}

func (u *webURL) setHost(host string) error {
	switch {
	case host == "" && u.special() && u.scheme != "file":
		return fmt.Errorf("invalid URL: there is no host")
	case strings.HasPrefix(host, "["):
		address, err := netip.ParseAddr(strings.TrimSuffix(host[1:], "]"))
		if err != nil || !strings.HasSuffix(host, "]") || !address.Is6() || address.Zone() != "" {
			return fmt.Errorf("invalid URL: %q is not an IPv6 address", cut(host, 60))
		}
		u.host = "[" + address.String() + "]"
		return nil
	}
	if u.special() {
		host = strings.ToLower(percentDecode(host))
	}
	for _, c := range host {
		if c > 0x7E || c <= ' ' || strings.ContainsRune("#/:<>?@[\\]^|%", c) {
			return fmt.Errorf("invalid URL: the host %q has the character %q", cut(host, 60), c)
		}
	}
	u.host = host
	return nil
}

// setPath removes dot segments and encodes what must not stand in a path.
func (u *webURL) setPath(path string) {
	if path == "" && !u.special() {
		u.path = ""
		return
	}
	var out []string
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, segment := range segments {
		last := i == len(segments)-1
		switch strings.ReplaceAll(strings.ToLower(segment), "%2e", ".") {
		case "..":
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
			if last {
				out = append(out, "")
			}
		case ".":
			if last {
				out = append(out, "")
			}
		default:
			out = append(out, encode(segment, pathEncoded))
		}
	}
	u.path = "/" + strings.Join(out, "/")
}

func encode(s, encoded string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c > 0x7E || strings.IndexByte(encoded, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// percentDecode leaves a percent sign that starts nothing as it is.
func percentDecode(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				out = append(out, byte(n))
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return string(out)
}

// encodeForm and decodeForm are application/x-www-form-urlencoded, as query parameters are.
func encodeForm(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ':
			b.WriteByte('+')
		case c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("*-._", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func decodeForm(s string) string {
	return strings.ToValidUTF8(percentDecode(strings.ReplaceAll(s, "+", " ")), "\uFFFD")
}
