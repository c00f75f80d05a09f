import { z } from 'zod';
import { TollbookError } from '../../domain/errors.ts';

/** Who is signed in says so which workspace a stream or a download is of: every address takes it. */
const COMMON_PARAMETERS = ['workspace'];

/** The parameters of a query; one that is given several times is a list, which no shape takes. */
export function readParameters(url: URL): Record<string, string | string[]> {
  const names = new Set(url.searchParams.keys());
  return Object.fromEntries([...names].map((name) => [name, singleOrList(url.searchParams.getAll(name))]));
}

/**
 * What a request is asked by is left out in silence only where its shape takes anything: a period that is spelt otherwise
 * would give another one.
 * @throws TollbookError `invalid` that names those there are
 */
export function rejectUnknownParameters(query: Readonly<Record<string, unknown>>, shape: z.ZodType | undefined): void {
  if (shape instanceof z.ZodObject && shape.def.catchall instanceof z.ZodUnknown) return;
  const names = shape instanceof z.ZodObject ? Object.keys(shape.shape) : [];
  const unknown = Object.keys(query).find((name) => !names.includes(name) && !COMMON_PARAMETERS.includes(name));
  if (unknown === undefined) return;
  const there = names.length === 0 ? 'none is taken here' : `there are ${names.join(', ')}`;
  throw new TollbookError('invalid', `There is no parameter ${JSON.stringify(unknown)}; ${there}.`, unknown);
}

function singleOrList(values: string[]): string | string[] {
  const [only, ...others] = values;
  return only !== undefined && others.length === 0 ? only : values;
}
