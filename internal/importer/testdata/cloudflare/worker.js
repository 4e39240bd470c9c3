export default {
  async scheduled(event, env, ctx) {
    const response = await fetch("BASE/echo", { method: "POST", headers: { "X-Key": env.SHOP_KEY }, body: "hello" });
    ctx.waitUntil(Promise.resolve());
    const { method, body } = await response.json();
    return { method, body };
  },
};
