/** The UTC day of an ISO time. */
export function day(time: string): string {
  return time.slice(0, 10);
}
