// Collects the open to-dos of a Notion page and says which are new.
function main(input) {
  var url = 'https://api.notion.com/v1/blocks/' + input.page + '/children?page_size=100';
  var before;
  var todos;

  function plain(parts) {
    return parts.map(function (part) { return part.plain_text; }).join('');
  }

  return kv.get('todos:' + input.page)
    .then(function (known) {
      before = known || [];
      return web.getJSON(url, { headers: { 'notion-version': input.version } });
    })
    .then(function (page) {
      todos = page.results
        .filter(function (block) { return block.type === 'to_do'; })
        .map(function (block) { return { id: block.id, text: plain('rich_text' in block.to_do ? block.to_do.rich_text : block.to_do.text), done: block.to_do.checked }; });
      var list = todos.map(function (todo) { return (todo.done ? '- [x] ' : '- [ ] ') + todo.text; });
      return files.write('todos.md', list.join('\n') + '\n');
    })
    .then(function () {
      return kv.set('todos:' + input.page, todos.map(function (todo) { return todo.id; }));
    })
    .then(function () {
      var fresh = todos.filter(function (todo) { return !todo.done && before.indexOf(todo.id) < 0; });
      var result = { todos: todos.length, open: todos.filter(function (todo) { return !todo.done; }).length, fresh: fresh.length };
      if (fresh.length === 0) return result;
      return notify('New to-dos', fresh.map(function (todo) { return todo.text; }).join('\n')).then(function () { return result; });
    });
}
