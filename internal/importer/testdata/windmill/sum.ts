import * as wmill from "windmill-client";

type Order = { id: number; total: string; customer: string };

export async function main(customer: string, limit: number = 10, options?: { currency: string }) {
  const response = await fetch("BASE/orders");
  const orders = (await response.json()) as Order[];
  const mine = orders.filter((o) => o.customer === customer).slice(0, limit);
  const state = (await wmill.getState()) ?? { runs: 0 };
  await wmill.setState({ runs: state.runs + 1 });
  return { sum: mine.reduce((a, o) => a + Number(o.total), 0), currency: options?.currency ?? "EUR", runs: state.runs };
}
