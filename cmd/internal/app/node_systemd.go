package app

import (
	"net"
	"os"
	"strings"
)

// TellSystemd tells the service manager how far this process is, if it is one that waits to be told (Type=notify). A failure there is its business: it ends a service that does not say that it is ready.
func TellSystemd(state string) {
	address := os.Getenv("NOTIFY_SOCKET")
	if address == "" {
		return
	}
	if name, abstract := strings.CutPrefix(address, "@"); abstract {
		address = "\x00" + name
	}
	connection, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: address, Net: "unixgram"})
	if err != nil {
		return
	}
	_, _ = connection.Write([]byte(state))
	_ = connection.Close()
}
