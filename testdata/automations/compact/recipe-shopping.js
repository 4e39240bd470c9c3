// The shopping list
// On Fridays make one shopping list of the week's recipes, by aisle.
async function main(input) {
  const needed = {};
  for (const id of input.recipes) {
    const recipe = await web.getJSON('https://food.example.test/recipes/' + id);
    recipe.ingredients.forEach(({ product, quantity, unit }) => {
      const factor = input.people / recipe.servings;
      const line = (needed[product.aisle] = needed[product.aisle] || {});
      const key = `${product.name.toLowerCase()} (${unit})`;
      line[key] = Math.round(((line[key] || 0) + quantity * factor) * 10) / 10;
      if (Number.isNaN(line[key])) throw new Error(`no quantity for ${product.name} in ${recipe.title}`);
    });
  }
  const text = Object.keys(needed).sort().map((aisle) => aisle.toUpperCase() + '\n' + Object.entries(needed[aisle]).sort().map(([k, q]) => `  ${q} ${k}`).join('\n')).join('\n');
  await files.write('shopping.txt', text + '\n');
  await notify('Shopping list', text);
  return { aisles: Object.keys(needed).length };
}
// ---- outside
function outside(n) {
  const recipes = ['rc' + (100 + n), 'rc' + (200 + n)], answers = {};
  for (const id of recipes) {
    answers['https://food.example.test/recipes/' + id] = { id, title: pick(nouns) + ' stew', servings: int(2, 6), ingredients: times(int(2, 4), () => ({ product: { name: pick(['Leek', 'Rice', 'Milk', 'Bean', 'Plum']), aisle: pick(['veg', 'dry', 'dairy']) }, quantity: int(1, 9), unit: pick(['g', 'pcs']) })) };
  }
  return { input: { recipes, people: 4 }, answers };
}
