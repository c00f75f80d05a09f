import { TollbookError } from '../domain/errors.ts';
import type { Client } from './client.ts';

const LIMIT_ID = /^lim_[0-9a-z]+$/;
const PAGE = 10_000;

/** Returns the id of the limit that has this id or label. */
export async function findLimitId(client: Client, idOrLabel: string): Promise<string> {
  if (LIMIT_ID.test(idOrLabel)) return idOrLabel;
  const found: string[] = [];
  for (let cursor: string | undefined; ;) {
    const query = { values: '1', limit: PAGE, cursor };
    const { limits, nextCursor } = await client.call('GET /api/manage/limits', { query });
    for (const { id, label } of limits) if (label === idOrLabel) found.push(id);
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  const [id, ...others] = found;
  if (id !== undefined && others.length === 0) return id;
  throw new TollbookError(
    'not_found',
    id === undefined
      ? `No limit has the id or label "${idOrLabel}". To list limits: tollbook limits list`
      : `${found.length} limits have the label "${idOrLabel}". Use an id: ${found.join(', ')}`,
  );
}
