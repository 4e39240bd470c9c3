export default defineComponent({
  props: { threshold: { type: "integer", default: 5 }, db: "$.service.db" },
  methods: { large(order) { return Number(order.total) >= this.threshold } },
  async run({ steps, $ }) {
    const response = await fetch("BASE/orders")
    const orders = await response.json()
    await this.db.set("seen", orders.length)
    return { large: orders.filter((order) => this.large(order)).map((order) => order.id), hook: steps.trigger.event.hook, kept: await this.db.get("seen") }
  },
})
