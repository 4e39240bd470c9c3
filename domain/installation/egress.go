package installation

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// Egress says where scripts may not go, whatever the settings of workflows allow, and which private places are open to the
// workflows of tenants, see [State.Tenant]. A place is a network (10.0.0.0/8), an address or a host, the last two with a port or without.
type Egress struct {
	// Closed are places that no setting opens.
	Closed []string `json:"closed"`
	// Open are private places that workflows of tenants may reach, if their settings allow them, too. All other workflows need
	// no entry here.
	Open []EgressOpening `json:"open,omitempty"`
}

// EgressOpening opens a private place to the workflows of one tenant, or to those of all.
type EgressOpening struct {
	Place string `json:"place"`
	Owner string `json:"owner,omitempty"` // empty for every tenant
}

// metadataServices are the addresses at which clouds hand out the credentials of the machine: AWS, Azure, Google, Alibaba, Oracle
// (169.254.0.0/16 and its IPv6 spellings), Azure's platform endpoint, Alibaba's own.
var metadataServices = []string{"169.254.0.0/16", "fe80::/10", "fd00:ec2::254", "168.63.129.16", "100.100.100.200", "metadata.google.internal"}

// closed are the places that nothing opens now: until somebody changes them, the metadata services of clouds.
func (e Egress) closed() []string {
	if e.Closed == nil {
		return metadataServices
	}
	return e.Closed
}

// WithDefaults is the policy with the defaults spelled out.
func (e Egress) WithDefaults() Egress {
	e.Closed = slices.Clone(e.closed())
	return e
}

// ClosedBy is the entry of the policy that closes a place, or "". The address is the one that is dialled; it is invalid as long as
// nobody has looked it up.
func (e Egress) ClosedBy(host, port string, address netip.Addr) string {
	for _, place := range e.closed() {
		if covers(place, host, port, address) {
			return place
		}
	}
	return ""
}

// OpenTo says that a private place is open to a tenant's workflows.
func (e Egress) OpenTo(tenant, host, port string, address netip.Addr) bool {
	return slices.ContainsFunc(e.Open, func(one EgressOpening) bool {
		return (one.Owner == "" || one.Owner == tenant) && covers(one.Place, host, port, address)
	})
}

// Refuses says why an entry of a workflow's allowed hosts opens nothing, or "", as far as that can be told from its spelling. The
// address that is dialled decides. The tenant is empty for a workflow of none.
func (e Egress) Refuses(tenant, entry string) string {
	host, port := splitPort(entry)
	address, _ := netip.ParseAddr(strings.TrimSuffix(host, "."))
	switch closed := e.ClosedBy(host, port, address); {
	case closed != "":
		return "the installation closes " + closed + " to all scripts. Only an admin can open it: 'kintsugi egress remove " + closed + "'"
	case tenant == "" || !address.IsValid() || e.OpenTo(tenant, host, port, address):
		return ""
	case slices.ContainsFunc(spellings(address), private):
		return "the installation has not opened " + entry + " to workflows of " + tenant + ". Only an admin can open it: 'kintsugi egress open " + entry + " --owner " + tenant + "'"
	}
	return ""
}

func private(a netip.Addr) bool {
	return a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsUnspecified() || a.IsMulticast()
}

// covers says that a place of the policy has a host in it, by its name or by its address.
func covers(place, host, port string, address netip.Addr) bool {
	if network, err := netip.ParsePrefix(place); err == nil {
		return slices.ContainsFunc(spellings(address), network.Contains)
	}
	name, of := splitPort(place)
	if of != "" && port != "" && of != port {
		return false
	}
	if at, err := netip.ParseAddr(name); err == nil {
		return slices.Contains(spellings(address), at)
	}
	return name == strings.ToLower(strings.TrimSuffix(host, "."))
}

// translated are the prefixes under which IPv6 carries an IPv4 address, with the byte at which it begins: RFC 6052, RFC 8215, RFC 3056,
// RFC 4291.
var translated = []struct {
	prefix netip.Prefix
	at     int
}{
	{netip.MustParsePrefix("64:ff9b::/96"), 12},
	{netip.MustParsePrefix("64:ff9b:1::/48"), 12},
	{netip.MustParsePrefix("2002::/16"), 2},
	{netip.MustParsePrefix("::/96"), 12},
}

// spellings are an address and the addresses that lead to the same place: the IPv4 address that an IPv6 one carries, and the loopback.
func spellings(address netip.Addr) []netip.Addr {
	if !address.IsValid() {
		return nil
	}
	address = address.WithZone("").Unmap()
	all := []netip.Addr{address}
	if address.IsUnspecified() { // a connection to it goes to the machine itself
		all = append(all, netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback())
	}
	for _, one := range translated {
		if one.prefix.Contains(address) {
			bytes := address.As16()
			all = append(all, netip.AddrFrom4([4]byte(bytes[one.at:one.at+4])))
		}
	}
	return all
}

// splitPort takes a port off a host, and the brackets off an IPv6 address. A text with several colons and no brackets is an address.
func splitPort(text string) (host, port string) {
	if at := strings.LastIndexByte(text, ':'); at >= 0 && (strings.Count(text, ":") == 1 || strings.HasSuffix(text[:at], "]")) {
		text, port = text[:at], text[at+1:]
	}
	return strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"), port
}

// placeOf is the one form of a place.
func placeOf(text string) (string, error) {
	place := strings.ToLower(strings.TrimSpace(text))
	if network, err := netip.ParsePrefix(place); err == nil {
		return network.Masked().String(), nil
	}
	if address, err := netip.ParseAddr(strings.Trim(place, "[]")); err == nil {
		return address.Unmap().String(), nil
	}
	host, port := splitPort(place)
	if address, err := netip.ParseAddr(host); err == nil {
		host = address.Unmap().String()
	}
	host = strings.TrimSuffix(host, ".")
	if host == "" || len(host) > 253 || strings.ContainsAny(host, "/ \t@?#*%\\\"'") || port != "" && strings.Trim(port, "0123456789") != "" {
		return "", fault.New(fault.Invalid, "%q is no place: name a network (10.0.0.0/8), an address or a host, the last two with a port or without (db.internal:5432)", text)
	}
	if port != "" {
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		return host + ":" + port, nil
	}
	return host, nil
}

// maxPlaces bounds a policy.
const maxPlaces = 1000

func (s State) changeEgress(c ChangeEgress) ([]event.Event, error) {
	if len(c.Close)+len(c.Open)+len(c.Remove) == 0 {
		return nil, fault.New(fault.Invalid, "name a place to close, to open to owners or to take off the policy")
	}
	changed := Egress{Closed: slices.Clone(s.Egress.closed()), Open: slices.Clone(s.Egress.Open)}
	for _, text := range c.Remove {
		place, err := placeOf(text)
		if err != nil {
			return nil, err
		}
		opening := EgressOpening{Place: place, Owner: c.Owner}
		at, opened := slices.Index(changed.Closed, place), slices.Index(changed.Open, opening)
		switch {
		case at >= 0 && c.Owner == "":
			changed.Closed = slices.Delete(changed.Closed, at, at+1)
		case opened >= 0:
			changed.Open = slices.Delete(changed.Open, opened, opened+1)
		default:
			return nil, fault.New(fault.NotFound, "the policy has no entry %s: see 'kintsugi egress show'", place)
		}
	}
	for _, text := range c.Close {
		place, err := placeOf(text)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(changed.Closed, place) {
			changed.Closed = append(changed.Closed, place)
		}
	}
	for _, text := range c.Open {
		place, err := placeOf(text)
		if err != nil {
			return nil, err
		}
		if opening := (EgressOpening{Place: place, Owner: c.Owner}); !slices.Contains(changed.Open, opening) {
			changed.Open = append(changed.Open, opening)
		}
	}
	if len(changed.Closed)+len(changed.Open) > maxPlaces {
		return nil, fault.New(fault.Invalid, "a policy has %d places at most: close or open networks instead of addresses", maxPlaces)
	}
	if slices.Equal(changed.Closed, s.Egress.closed()) && slices.Equal(changed.Open, s.Egress.Open) {
		return nil, nil
	}
	return []event.Event{EgressChanged(changed)}, nil
}
