/** How this machine is seen by whoever looks for configuration. */
export interface Surroundings {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How a host starts the tool server. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** What the tool server is told, the access token apart. */
  readonly env: Readonly<Record<string, string>>;
  /** The access token as text; null = only where to find it is written. */
  readonly key: string | null;
}

/** A program that can start tool servers. */
export interface Host {
  /** As it is typed. */
  readonly name: string;
  readonly title: string;
  file(surroundings: Surroundings): string;
  /** The file with this tool server in it. Throws a `TollbookError` with the lines to paste where it can't be changed. */
  change(before: string, launch: Launch): string;
  /** How the host learns the access token when it is not written; null = by itself. */
  readonly keyNote: string | null;
}

export const SERVER_NAME = 'tollbook';
