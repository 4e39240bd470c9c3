package hostcall

import (
	"net/netip"
	"strings"
)

// special is a block of addresses that scripts may not reach although it lies in the
// space of public addresses.
type special struct {
	block netip.Prefix
	use   string
}

// specialV4 is the IANA IPv4 Special-Purpose Address Registry
// (https://www.iana.org/assignments/iana-ipv4-special-registry), complete, with the blocks
// that are globally reachable too: none of them is anything that an API lives in. Added are
// multicast (RFC 5771) and the one public address that is a cloud's own inside.
var specialV4 = []special{
	{netip.MustParsePrefix("0.0.0.0/8"), "this network, RFC 791"},
	{netip.MustParsePrefix("10.0.0.0/8"), "private use, RFC 1918"},
	{netip.MustParsePrefix("100.64.0.0/10"), "shared address space, RFC 6598"},
	{netip.MustParsePrefix("127.0.0.0/8"), "loopback, RFC 1122"},
	{netip.MustParsePrefix("168.63.129.16/32"), "Azure platform endpoint"},
	{netip.MustParsePrefix("169.254.0.0/16"), "link local and cloud metadata, RFC 3927"},
	{netip.MustParsePrefix("172.16.0.0/12"), "private use, RFC 1918"},
	{netip.MustParsePrefix("192.0.0.0/24"), "IETF protocol assignments, RFC 6890"},
	{netip.MustParsePrefix("192.0.2.0/24"), "documentation, RFC 5737"},
	{netip.MustParsePrefix("192.31.196.0/24"), "AS112, RFC 7535"},
	{netip.MustParsePrefix("192.52.193.0/24"), "AMT, RFC 7450"},
	{netip.MustParsePrefix("192.88.99.0/24"), "6to4 relay anycast, RFC 7526"},
	{netip.MustParsePrefix("192.168.0.0/16"), "private use, RFC 1918"},
	{netip.MustParsePrefix("192.175.48.0/24"), "AS112, RFC 7534"},
	{netip.MustParsePrefix("198.18.0.0/15"), "benchmarking, RFC 2544"},
	{netip.MustParsePrefix("198.51.100.0/24"), "documentation, RFC 5737"},
	{netip.MustParsePrefix("203.0.113.0/24"), "documentation, RFC 5737"},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast, RFC 5771"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved and broadcast, RFC 1112 and RFC 919"},
}

// globalUnicast is all of IPv6 that IANA gives out to the public. Everything outside it
// (loopback, mapped and translated IPv4, unique local, link local, multicast …) is refused.
var globalUnicast = netip.MustParsePrefix("2000::/3")

// specialV6 are the blocks inside globalUnicast that are in the IANA IPv6 Special-Purpose
// Address Registry (https://www.iana.org/assignments/iana-ipv6-special-registry).
var specialV6 = []special{
	{netip.MustParsePrefix("2001::/23"), "IETF protocol assignments (Teredo, ORCHID …), RFC 2928"},
	{netip.MustParsePrefix("2001:db8::/32"), "documentation, RFC 3849"},
	{netip.MustParsePrefix("2002::/16"), "6to4, RFC 3056"},
	{netip.MustParsePrefix("2620:4f:8000::/48"), "AS112, RFC 7534"},
	{netip.MustParsePrefix("3fff::/20"), "documentation, RFC 9637"},
}

// special6Names say what the blocks outside globalUnicast are, for the message only.
var special6Names = []special{
	{netip.MustParsePrefix("::/128"), "unspecified, RFC 4291"},
	{netip.MustParsePrefix("::1/128"), "loopback, RFC 4291"},
	{netip.MustParsePrefix("::ffff:0:0/96"), "mapped IPv4, RFC 4291"},
	{netip.MustParsePrefix("64:ff9b::/96"), "translated IPv4, RFC 6052"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "translated IPv4, RFC 8215"},
	{netip.MustParsePrefix("fc00::/7"), "unique local, RFC 4193"},
	{netip.MustParsePrefix("fe80::/10"), "link local, RFC 4291"},
	{netip.MustParsePrefix("ff00::/8"), "multicast, RFC 4291"},
}

// WhyNotPublic says which special block addr lies in, or "" if it is a public unicast
// address, which is all that a script may reach unasked.
func WhyNotPublic(addr netip.Addr) string {
	switch {
	case !addr.IsValid():
		return "no address"
	case addr.Zone() != "":
		return "an address with a zone"
	case addr.Is4():
		return useOf(addr, specialV4)
	case !globalUnicast.Contains(addr):
		// Contains is false for IPv4 mapped into IPv6 too: it is a way around, not an address.
		if use := useOf(addr, special6Names); use != "" {
			return use
		}
		return "outside 2000::/3"
	}
	return useOf(addr, specialV6)
}

func useOf(addr netip.Addr, blocks []special) string {
	for _, s := range blocks {
		if s.block.Contains(addr) {
			return s.block.String() + ", " + s.use
		}
	}
	if addr.Is4In6() {
		return "mapped IPv4, RFC 4291"
	}
	return ""
}

// endsInNumber says that a host is one of the spellings that browsers and C libraries read
// as an IPv4 address (2130706433, 0x7f.1, 0177.0.0.1), by the rule of the URL standard.
// The plain spelling of four decimals is an address before this is asked.
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" {
		return false
	}
	if hex, ok := strings.CutPrefix(strings.ToLower(last), "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}
