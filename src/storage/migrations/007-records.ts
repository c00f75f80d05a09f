/**
 * What waits is found beside any number of deliveries that ended: of two indexes that begin alike the partial one was
 * never chosen, and every look went through all that had ever been sent.
 */
export const records007: readonly string[] = [
  'DROP INDEX deliveries_waiting',
  'CREATE INDEX deliveries_line ON deliveries (webhook_id, state, created_at, id, next_at)',
];
