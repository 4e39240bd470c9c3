// A TCP proxy whose connections can be cut, as networks cut them.
import { once } from "node:events";
import { connect, createServer } from "node:net";

export async function proxy(address) {
  const [host, port] = address.split(":");
  const sockets = new Set();
  const server = createServer((near) => {
    const far = connect({ host, port: Number(port) });
    for (const [one, other] of [[near, far], [far, near]]) {
      sockets.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `127.0.0.1:${server.address().port}`,
    cut: () => sockets.forEach((socket) => socket.destroy()),
    close: () => {
      sockets.forEach((socket) => socket.destroy());
      server.close();
    },
  };
}
