/** A body under way: names and scalars are JSON texts, so that any spelling of them can stand there. */
export type Draft =
  | { readonly kind: 'object'; readonly members: [name: string, value: Draft][] }
  | { readonly kind: 'list'; readonly items: Draft[] }
  | { readonly kind: 'raw'; readonly text: string };

export function draftOf(value: unknown): Draft {
  if (Array.isArray(value)) return { kind: 'list', items: value.map(draftOf) };
  if (value === null || typeof value !== 'object') return { kind: 'raw', text: JSON.stringify(value) };
  const members = Object.entries(value).map(([name, inner]): [string, Draft] => [JSON.stringify(name), draftOf(inner)]);
  return { kind: 'object', members };
}

export function write(draft: Draft): string {
  if (draft.kind === 'raw') return draft.text;
  if (draft.kind === 'list') return `[${draft.items.map(write).join(',')}]`;
  return `{${draft.members.map(([name, value]) => `${name}:${write(value)}`).join(',')}}`;
}

/** The object at a path, made where it is missing; `0` is the first element of a list. */
export function objectAt(root: Draft, path: readonly string[], template: unknown): [string, Draft][] {
  let here = root;
  path.forEach((name, depth) => {
    const next = path[depth + 1];
    here = child(here, name, () => draftOf(next === '0' ? [] : next === undefined ? template : {}));
  });
  return here.kind === 'object' ? here.members : [];
}

function child(here: Draft, name: string, make: () => Draft): Draft {
  if (here.kind === 'list') return (here.items[0] ??= make());
  if (here.kind === 'raw') return here;
  const known = here.members.find(([each]) => each === JSON.stringify(name));
  if (known && known[1].kind !== 'raw') return known[1];
  const made = make();
  if (known) known[1] = made;
  else here.members.push([JSON.stringify(name), made]);
  return made;
}
