import { z } from 'zod';

/** Fields of a record as the caller read them before changing it. */
export type SeenFields = Readonly<Record<string, unknown>>;

export const seen = z
  .record(z.string(), z.unknown())
  .optional()
  .meta({ description: 'Fields as you read them. If one has changed since, nothing is changed: 409' });

/** Body of a deletion. Without it, the record is deleted as it is. */
export const seenBody = z.strictObject({ seen }).optional();
