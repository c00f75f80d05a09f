import type { ContractScope, PriceContract } from '../../domain/pricing/contract.ts';
import { newId } from '../../lib/crypto/id.ts';
import { type Actor, audited } from './audit.ts';
import { type ChangeCheck, notFound, type RecordContext, requireRoom, requireWorkspace } from './context.ts';
import type { RecordTables } from './tables.ts';

const CONTRACTS_PER_WORKSPACE_MAX = 1_000;

/** A contract as it is set. */
export type NewContract = Omit<PriceContract, 'id' | 'workspaceId'>;

export interface StoredContract extends PriceContract {
  readonly createdAt: number;
}

/** Contracts, which no change edits: a new one with the same scope and start takes the place of the old one. */
export interface ContractRecords {
  /** Sets a contract. Returns it, and the one that it replaced. */
  set(
    workspaceId: string,
    contract: NewContract,
    actor: Actor,
  ): Promise<{ readonly contract: StoredContract; readonly replaced: StoredContract | null }>;
  list(workspaceId: string): Promise<StoredContract[]>;
  /** Deletes a contract, and returns it. */
  remove(workspaceId: string, id: string, actor: Actor, check?: ChangeCheck<StoredContract>): Promise<StoredContract>;
  /** Returns the contracts of all workspaces, for the price book. */
  all(): Promise<PriceContract[]>;
}

export function contractRecords(context: RecordContext): ContractRecords {
  const { db, clock } = context;
  return {
    set: (workspaceId, contract, actor) =>
      audited(context, actor, async (tx, note) => {
        await requireWorkspace(tx, workspaceId);
        const rows = await tx.selectFrom('contracts').selectAll().where('workspace_id', '=', workspaceId).execute();
        const replaced = rows.map(readContractRow).find((one) => isSameContract(one, contract)) ?? null;
        if (replaced) await tx.deleteFrom('contracts').where('id', '=', replaced.id).execute();
        else requireRoom(rows.length, CONTRACTS_PER_WORKSPACE_MAX, 'contracts');
        const set = { ...contract, id: newId('contract', clock), workspaceId, createdAt: clock() };
        const row = {
          id: set.id,
          workspace_id: workspaceId,
          contract: JSON.stringify(contract),
          created_at: set.createdAt,
        };
        await tx.insertInto('contracts').values(row).execute();
        const before = replaced ? { contract: withoutIds(replaced) } : null;
        await note({ workspaceId, action: 'contract.set', subject: set.id, before, after: { contract } });
        return { contract: set, replaced };
      }),
    async list(workspaceId) {
      const query = db.selectFrom('contracts').selectAll().where('workspace_id', '=', workspaceId).orderBy('id');
      return (await query.execute()).map(readContractRow);
    },
    remove: (workspaceId, id, actor, check) =>
      audited(context, actor, async (tx, note) => {
        const query = tx
          .selectFrom('contracts')
          .selectAll()
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', id);
        const row = await query.executeTakeFirst();
        if (!row) throw notFound('contract', id);
        const removed = readContractRow(row);
        check?.(removed);
        await tx.deleteFrom('contracts').where('id', '=', id).execute();
        const before = { contract: withoutIds(removed) };
        await note({ workspaceId, action: 'contract.remove', subject: id, before, after: null });
        return removed;
      }),
    async all() {
      return (await db.selectFrom('contracts').selectAll().execute()).map(readContractRow);
    },
  };
}

function readContractRow(row: RecordTables['contracts']): StoredContract {
  const { id, workspace_id: workspaceId, created_at: createdAt, contract } = row;
  return { ...(JSON.parse(contract) as NewContract), id, workspaceId, createdAt };
}

function withoutIds({ scope, from, until, terms }: StoredContract): NewContract {
  return { scope, from, until, terms };
}

/** Reports whether a contract takes the place of another one. */
export function isSameContract(one: NewContract, other: NewContract): boolean {
  return one.from === other.from && contractScopeKey(one.scope) === contractScopeKey(other.scope);
}

function contractScopeKey({ provider, model, keyId, tag }: ContractScope): string {
  return JSON.stringify([provider, model?.toLowerCase() ?? null, keyId, tag?.key ?? null, tag?.value ?? null]);
}
