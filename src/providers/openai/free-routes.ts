import type { FreeRoute, NoRoute } from '../provider.ts';
import { wrongMethod } from '../routes.ts';

/** Paths that cost nothing, without the version. */
export interface FreePath {
  readonly pattern: RegExp;
  readonly methods: readonly ('GET' | 'POST' | 'DELETE')[];
  /** Path as errors show it. */
  readonly shown: string;
  readonly options?: Omit<FreeRoute, 'kind' | 'upstreamPath'>;
  /** Why other methods are not served; absent = the path has no other. */
  readonly otherwise?: string;
}

const MODELS: FreePath = { pattern: /^\/models(?:\/.+)?$/, methods: ['GET'], shown: '/models' };

export const COMPATIBLE_FREE: readonly FreePath[] = [MODELS];

/** Libraries write the brackets of a list encoded. */
const INCLUDE = ['include', 'include[]', 'include%5B%5D'];
const PAGE = ['after', 'limit', 'order'];

/**
 * OpenAI API reference: moderation and the storage of files and responses are free of charge. A stored response or file is
 * found by its id, which cannot be guessed. Lists are not served: they would show what other keys have stored.
 */
export const OPENAI_FREE: readonly FreePath[] = [
  MODELS,
  { pattern: /^\/moderations$/, methods: ['POST'], shown: '/moderations' },
  { pattern: /^\/responses\/input_tokens$/, methods: ['POST'], shown: '/responses/input_tokens' },
  {
    pattern: /^\/responses\/resp_[^/]+$/,
    methods: ['GET', 'DELETE'],
    shown: '/responses/{id}',
    options: { queryParameters: [...INCLUDE, 'stream', 'starting_after', 'include_obfuscation'] },
  },
  {
    pattern: /^\/responses\/resp_[^/]+\/input_items$/,
    methods: ['GET'],
    shown: '/responses/{id}/input_items',
    options: { queryParameters: [...INCLUDE, ...PAGE] },
  },
  { pattern: /^\/responses\/resp_[^/]+\/cancel$/, methods: ['POST'], shown: '/responses/{id}/cancel' },
  {
    pattern: /^\/files$/,
    methods: ['POST'],
    shown: '/files',
    options: { keepsContentType: true },
    otherwise: 'Lists of files are not served: they show what other keys have stored. Ask for a file by its id.',
  },
  { pattern: /^\/files\/[^/]+$/, methods: ['GET', 'DELETE'], shown: '/files/{id}' },
  { pattern: /^\/files\/[^/]+\/content$/, methods: ['GET'], shown: '/files/{id}/content' },
];

/** Paths of batches, where they are served. */
export const BATCH_FREE: readonly FreePath[] = [
  { pattern: /^\/batches\/batch_[^/]+$/, methods: ['GET'], shown: '/batches/{id}' },
  { pattern: /^\/batches\/batch_[^/]+\/cancel$/, methods: ['POST'], shown: '/batches/{id}/cancel' },
];

/** Finds the free route of a path; null = the path is not free. */
export function findFreeRoute(
  paths: readonly FreePath[],
  method: string,
  name: string,
  prefix: string,
): FreeRoute | NoRoute | null {
  const found = paths.find(({ pattern }) => pattern.test(name));
  if (!found) return null;
  if (!found.methods.some((each) => each === method)) {
    const refused = wrongMethod(method, name, found.methods.join(' or '));
    return found.otherwise === undefined ? refused : { ...refused, reason: `${refused.reason} ${found.otherwise}` };
  }
  return { kind: 'free', upstreamPath: prefix + name, ...found.options };
}

/** A path whose cost can't be known, with the reason. */
export type RefusedPath = readonly [pattern: RegExp, reason: string];

export const OPENAI_REFUSED: readonly RefusedPath[] = [
  [/^\/batches/, 'Batches are not supported: their usage arrives in a later response.'],
  [/^\/images\//, 'Variations of images are not supported. Use /images/edits.'],
  [/^\/videos/, 'Videos are not supported: they are billed by the second.'],
  [/^\/audio\//, 'Custom voices are not supported.'],
  [/^\/realtime/, 'Realtime calls are not supported: nothing bounds their cost.'],
  [/^\/(?:assistants|threads)/, 'Assistants are not supported. Use /responses.'],
  [/^\/vector_stores/, 'Vector stores are not supported: they are billed by the day.'],
  [/^\/(?:uploads|fine_tuning)/, 'This path is not supported: its cost arrives later.'],
];

/** Lists the free paths for errors. */
export function freePathNames(paths: readonly FreePath[]): string[] {
  return paths.flatMap(({ methods, shown }) => methods.map((method) => `${method} ${shown}`));
}
