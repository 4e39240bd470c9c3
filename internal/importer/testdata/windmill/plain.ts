// A script of the kind that Windmill's editor begins with.
export async function main(
  a: number,
  b: "my" | "enum",
  // a list, with a default
  c = ["x", "y"],
  e = { nested: "object" },
) {
  return { foo: a, b, c, nested: e?.nested };
}
