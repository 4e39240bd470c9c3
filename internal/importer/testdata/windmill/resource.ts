import { getResource, getVariable } from "windmill-client";

export async function main(kind: "a" | "b", tags: string[]) {
  const shop = await getResource("u/ann/shop");
  const token = await getVariable("u/ann/token");
  const r = await fetch(`BASE/echo?kind=${kind}`, { method: "POST", headers: { "X-Key": shop.key }, body: tags.join() });
  return { token, got: await r.json() };
}
