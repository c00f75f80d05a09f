/** The first 48 bits of a UUID of version 7 are its time; null = another kind of id. */
export function idTime(id: string | null): number | null {
  const parts = /^(?<high>[\da-f]{8})-(?<low>[\da-f]{4})-7[\da-f]{3}-/i.exec(id ?? '')?.groups;
  return parts ? Number.parseInt(`${parts['high']}${parts['low']}`, 16) : null;
}

/**
 * Whether a turn began after its thread was made. One that began before was taken over from another thread, its id kept.
 * null = neither the id nor the turn's start (whole seconds) tells.
 */
export function isOwnTurn(
  createdAt: number | null,
  turn: string | null,
  startedAtSeconds: number | null,
): boolean | null {
  if (createdAt === null) return null;
  const began = idTime(turn);
  if (began !== null) return began >= createdAt;
  if (startedAtSeconds === null) return null;
  const second = Math.floor(createdAt / 1_000);
  return startedAtSeconds === second ? null : startedAtSeconds > second;
}
