/** A request as people read it: a body of JSON is unfolded, one that was cut or is none stays a text. */
export function requestText(request: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ ...request, ...('body' in request && { body: unfolded(request['body']) }) }, null, 2);
}

function unfolded(body: unknown): unknown {
  if (typeof body !== 'string') return body;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
