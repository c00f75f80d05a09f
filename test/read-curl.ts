/** Returns the URL, headers and body of a shown curl command. */
export function readCurl(command: string): { url: string; init: RequestInit } {
  const quoted = [...command.matchAll(/-(H|d) ("([^"]*)"|'([^']*)')/g)].map(
    ([, option, , double, single]) => [option, double ?? single ?? ''] as const,
  );
  const headers = quoted.filter(([option]) => option === 'H').map(([, text]) => text.split(': ') as [string, string]);
  const body = quoted.find(([option]) => option === 'd')?.[1];
  const url = /curl (\S+)/.exec(command)?.[1] ?? '';
  return { url, init: { headers, ...(body === undefined ? {} : { method: 'POST', body }) } };
}
