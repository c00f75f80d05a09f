import type { Endpoint } from './endpoint.ts';
import { createKey } from './manage/keys-create.ts';
import { byTag } from './usage/by-tag.ts';
import { summary } from './usage/summary.ts';

/** Every endpoint there is: a new one is a file and a line here. */
export const endpoints: readonly Endpoint[] = [
  summary,
  byTag,
  createKey,
];
