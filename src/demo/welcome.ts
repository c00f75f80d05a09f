const OWN_MACHINE: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

interface DemoPlace {
  readonly baseUrl: string;
  /** What it listens on. */
  readonly host: string;
}

/** The wrapped key that the demo shows, with the lines of a first call. */
interface ShownKey {
  readonly secret: string;
  readonly firstCall: readonly string[];
}

/** What the demo says on the terminal. */
export function demoWelcome({ baseUrl, host }: DemoPlace, token: string, shown: ShownKey): string {
  const others = OWN_MACHINE.has(host)
    ? ''
    : `Others reach it too, as SVC_HOST is ${host}: without SVC_HOST it is yours alone.\n`;
  return `
DEMO: Tollbook serves on ${baseUrl}
Nothing here is real: sandbox providers, invented traffic, a temporary folder.
Open it in a browser: whoever does is signed in.
${others}
A wrapped key:    ${shown.secret}
An access token:  ${token}

Call through the gate:

${shown.firstCall.map((line) => `  ${line}`).join('\n')}

Read the book:

  curl ${baseUrl}/api/mcp/usage/summary \\
  -H "authorization: Bearer ${token}"

`;
}
