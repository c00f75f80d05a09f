/** How this machine is seen by whoever looks for configuration. */
export interface HostEnvironment {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How a host starts the tool server. */
export interface LaunchCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** What the tool server is told, the access token apart. */
  readonly env: Readonly<Record<string, string>>;
  /** The access token as text; null = only where to find it is written. */
  readonly key: string | null;
}

/** A program that can start tool servers. */
export interface ToolHost {
  /** As it is typed. */
  readonly name: string;
  readonly title: string;
  file(surroundings: HostEnvironment): string;
  /** The file with this tool server in it. Throws a `TollbookError` with the lines to paste where it can't be changed. */
  change(before: string, launch: LaunchCommand): string;
  /** How the host learns the access token when it is not written; null = by itself. */
  readonly keyNote: string | null;
}

export const SERVER_NAME = 'tollbook';

const TOKEN = 'svc_sk_';

/** Whether an access token stands in the text of a configuration. */
export function holdsToken(text: string): boolean {
  return text.includes(TOKEN);
}

/**
 * What was set for the tool server before stays set, unless this start says otherwise: a token, an address, what must
 * not be uploaded. `SVC_AUTO_SYNC` alone goes by what is asked for now.
 */
export function withSettings(launch: LaunchCommand, before: Readonly<Record<string, unknown>>): LaunchCommand {
  const { SVC_API_KEY: key, SVC_AUTO_SYNC: _, ...others } = before;
  const kept = Object.entries(others).filter(([, value]) => typeof value === 'string') as [string, string][];
  const token = typeof key === 'string' && key.startsWith(TOKEN) ? key : null;
  return { ...launch, env: { ...Object.fromEntries(kept), ...launch.env }, key: launch.key ?? token };
}
