const SHEET = 'abc';
function push() {
  const answers = UrlFetchApp.fetchAll([
    { url: 'BASE/echo', method: 'post', contentType: 'application/json', payload: JSON.stringify({ a: 1 }), headers: { 'X-Key': 'k' } },
    { url: 'BASE/echo', method: 'post', payload: { b: 'x y' } },
  ]).map((r) => JSON.parse(r.getContentText()));
  if (answers.length > 5) SpreadsheetApp.openById(SHEET);
  return answers;
}
