import { z } from 'zod';
import { TollbookError } from '../domain/errors.ts';
import type { PriceFile } from './price-rows.ts';
import { priceFileSchema, toInvalidError } from './price-schema.ts';

/** Maximum length of a fetched price list. */
const TEXT_CHARS_MAX = 4_000_000;
const FILES_MAX = 100;

const filesSchema = z.array(priceFileSchema).max(FILES_MAX);
const fetchedSchema = z.strictObject({ source: z.string(), fetchedAt: z.int(), files: filesSchema });

/**
 * Fetches newer prices: a JSON list in the format of the files in `overrides/`, one element per provider. They override the
 * built-in prices (`PriceBook.setRefreshed`). Throws if anything in the list is invalid.
 */
export async function refreshCards(fetchText: () => Promise<string>): Promise<PriceFile[]> {
  return parsePriceFiles(await fetchText());
}

export function parsePriceFiles(text: string): PriceFile[] {
  if (text.length > TEXT_CHARS_MAX)
    throw new TollbookError('invalid', `The price list is longer than ${TEXT_CHARS_MAX} characters.`);
  return check(filesSchema, text);
}

/** Parses a stored price list, with the URL it was fetched from. */
export function parseFetched(text: string): { source: string; fetchedAt: number; files: PriceFile[] } {
  return check(fetchedSchema, text);
}

function check<T>(schema: z.ZodType<T>, text: string): T {
  const parsed = schema.safeParse(parseJson(text));
  if (!parsed.success) throw toInvalidError('The price list', parsed.error);
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new TollbookError('invalid', 'The price list is not JSON.');
  }
}
