const answer = await this.helpers.httpRequest({ method: 'POST', url: 'BASE/echo', body: { id: $json.id }, json: true });
return { json: { ...$json, sent: answer.body, next: $itemIndex + 1 } };
