import { z } from 'zod';
import {
  type CustomProvider,
  DEPLOYMENT_NAME_CHARS_MAX,
  DEPLOYMENTS_MAX,
  PROVIDER_KINDS,
} from '../../domain/identity/custom-provider.ts';
import { TollbookError } from '../../domain/errors.ts';
import { type Actor, audited } from './audit.ts';
import type { ChangeCheck, RecordContext } from './context.ts';
import type { DocumentRecords } from './documents.ts';
import type { RecordDb } from './tables.ts';

/** Providers that the operator added, kept in the document `providers.json`. */
export interface ProviderRecords {
  list(): Promise<CustomProvider[]>;
  add(row: CustomProvider, actor: Actor): Promise<void>;
  /** Replaces the provider with the same id; its keys and entries stay. */
  replace(row: CustomProvider, actor: Actor, check?: ChangeCheck<CustomProvider>): Promise<void>;
  remove(id: string, actor: Actor, check?: ChangeCheck<CustomProvider>): Promise<void>;
}

const DOCUMENT = 'providers.json';
const PROVIDERS_MAX = 100;

const deploymentName = z.string().min(1).max(DEPLOYMENT_NAME_CHARS_MAX);
const providerSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be lower-case letters, digits and hyphens, at most 32'),
  name: z.string().trim().min(1).max(100),
  url: z.string().transform((text, issues) => {
    const url = URL.parse(text);
    if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash)
      return url.href.replace(/\/+$/, '');
    issues.addIssue('must be an http or https address without a user, a query or a fragment');
    return z.NEVER;
  }),
  priceProvider: z.string().min(1).max(64).nullable().default(null),
  kind: z.enum(PROVIDER_KINDS).nullable().optional(),
  region: z.string().max(64).nullable().optional(),
  deployments: z
    .record(deploymentName, deploymentName)
    .refine((names) => Object.keys(names).length <= DEPLOYMENTS_MAX, `may have at most ${DEPLOYMENTS_MAX} names`)
    .optional(),
});
const documentSchema = z.array(providerSchema).max(PROVIDERS_MAX);

/** Throws a `TollbookError` that names the wrong place. */
function parseProviders(text: string | null, place: string): CustomProvider[] {
  const rows = parse(documentSchema, text === null ? [] : parseJson(text, place), `${DOCUMENT}: `);
  const repeated = rows.find((row, i) => rows.findIndex(({ id }) => id === row.id) !== i);
  if (repeated) throw new TollbookError('invalid', `${DOCUMENT}: the provider "${repeated.id}" occurs twice.`);
  return rows;
}

export function providerRecords(context: RecordContext, documents: DocumentRecords): ProviderRecords {
  const read = async (db?: RecordDb): Promise<CustomProvider[]> =>
    parseProviders(await documents.read(DOCUMENT, db), documents.place(DOCUMENT));
  const write = (rows: readonly CustomProvider[], tx: RecordDb): Promise<void> =>
    documents.write(DOCUMENT, `${JSON.stringify(rows, null, 2)}\n`, tx);
  return {
    list: () => read(),
    // Written last, inside the transaction: where that fails, the audit row goes too.
    add: (input, actor) =>
      audited(context, actor, async (tx, note) => {
        const row = parse(providerSchema, input, '');
        const rows = await read(tx);
        if (rows.some(({ id }) => id === row.id))
          throw new TollbookError('conflict', `There is a provider "${row.id}" already.`, 'id');
        if (rows.length >= PROVIDERS_MAX)
          throw new TollbookError('unprocessable', `There can be at most ${PROVIDERS_MAX} custom providers.`);
        await note({ workspaceId: null, action: 'provider.add', subject: row.id, before: null, after: { ...row } });
        await write([...rows, row], tx);
      }),
    replace: (input, actor, check) =>
      audited(context, actor, async (tx, note) => {
        const after = parse(providerSchema, input, '');
        const rows = await read(tx);
        const before = findRow(rows, after.id);
        check?.(before);
        const change = { before: { ...before }, after: { ...after } };
        await note({ workspaceId: null, action: 'provider.change', subject: after.id, ...change });
        await write(
          rows.map((row) => (row === before ? after : row)),
          tx,
        );
      }),
    remove: (id, actor, check) =>
      audited(context, actor, async (tx, note) => {
        const rows = await read(tx);
        const row = findRow(rows, id);
        check?.(row);
        await note({ workspaceId: null, action: 'provider.remove', subject: id, before: { ...row }, after: null });
        const others = rows.filter((one) => one !== row);
        await write(others, tx);
      }),
  };
}

function findRow(rows: readonly CustomProvider[], id: string): CustomProvider {
  const row = rows.find((one) => one.id === id);
  if (row) return row;
  throw new TollbookError('not_found', `There is no custom provider named "${id}".`);
}

function parseJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new TollbookError('invalid', `${place} is not valid JSON: ${error.message}.`);
    throw error;
  }
}

function parse<T extends z.ZodType>(schema: T, value: unknown, prefix: string): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const place = issue?.path.join('.') ?? '';
  throw new TollbookError(
    'invalid',
    `${prefix}${place ? `"${place}" ` : ''}${issue?.message ?? 'is wrong'}.`,
    place || undefined,
  );
}
