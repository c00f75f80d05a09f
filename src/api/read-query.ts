/** The parameters of a query; one that is given several times is a list, which no shape takes. */
export function readQuery(url: URL): Record<string, string | string[]> {
  const names = new Set(url.searchParams.keys());
  return Object.fromEntries([...names].map((name) => [name, valueOf(url.searchParams.getAll(name))]));
}

function valueOf(values: string[]): string | string[] {
  const [only, ...others] = values;
  return only !== undefined && others.length === 0 ? only : values;
}
