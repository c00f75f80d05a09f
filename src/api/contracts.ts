import type { ContractShape } from '../contract/prices.ts';
import { isoOrNull } from '../contract/fields.ts';
import type { ContractScope, PriceContract } from '../domain/pricing/contract.ts';
import { toIso } from '../domain/time/period.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/crypto/id.ts';
import { readContract } from '../prices/price-schema.ts';
import type { Provider } from '../providers/provider.ts';
import { isSameContract, type StoredContract } from '../storage/records/contracts.ts';
import type { Records } from '../storage/records/records.ts';
import type { GatewayNotices } from './gateway-notices.ts';
import { endpoint } from './http/endpoint.ts';
import { withEtag } from './http/if-match.ts';
import type { RepricedSum } from '../domain/pricing/repriced-sum.ts';
import { feesView, perMillion, repricedView } from './prices.ts';
import { unknownProvider } from './unknown-provider.ts';

export interface ContractServices {
  readonly records: Records;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly gateway: Pick<GatewayNotices, 'contractsChanged'>;
  readonly clock: Clock;
  /** Sums the calls that get another cost from a contract, among the contracts of its workspace. */
  readonly previewContract: (contract: PriceContract, contracts: readonly PriceContract[]) => Promise<RepricedSum>;
}

function contractView({ id, scope, from, until, terms, createdAt }: StoredContract): ContractShape {
  const { provider, model, keyId, tag } = scope;
  return withEtag({
    id,
    provider,
    model,
    keyId,
    tag: tag && `${tag.key}=${tag.value}`,
    from: isoOrNull(from),
    until: isoOrNull(until),
    multiplier: terms.kind === 'multiplier' ? terms.multiplier.num / terms.multiplier.den : null,
    usdPerMillion: terms.kind === 'fixed' ? perMillion(terms.rates) : {},
    fees: terms.kind === 'fixed' ? feesView(terms.fees) : {},
    createdAt: toIso(createdAt),
  });
}

export const listContracts = endpoint('GET /api/manage/contracts', async ({ caller }, { records }: ContractServices) =>
  (await records.contracts.list(caller.workspaceId)).map(contractView),
);

export const setContract = endpoint(
  'POST /api/manage/contracts',
  async ({ caller, body }, services: ContractServices) => {
    const { records, gateway } = services;
    const wanted = readContract(body);
    await checkScope(wanted.scope, caller.workspaceId, services);
    const { contract, replaced } = await records.contracts.set(caller.workspaceId, wanted, caller.actor);
    await gateway.contractsChanged(replaced ? [replaced, contract] : [contract]);
    return contractView(contract);
  },
);

export const previewNewContract = endpoint(
  'POST /api/manage/contracts/preview',
  async ({ caller: { workspaceId }, body }, services: ContractServices) => {
    const wanted = readContract(body);
    await checkScope(wanted.scope, workspaceId, services);
    const kept = (await services.records.contracts.list(workspaceId)).filter((one) => !isSameContract(one, wanted));
    // An id as it would get: of two alike, the later one applies.
    const contract = { ...wanted, id: newId('contract', services.clock), workspaceId };
    return repricedView(await services.previewContract(contract, [...kept, contract]));
  },
);

/** Refuses a provider or a key that does not exist: such a contract would never apply. */
async function checkScope(
  { provider, keyId }: ContractScope,
  workspaceId: string,
  { records, providers }: ContractServices,
): Promise<void> {
  if (provider !== null && !providers.has(provider)) throw unknownProvider(provider, providers.keys());
  if (keyId !== null) await records.keys.get(workspaceId, keyId);
}

export const removeContract = endpoint(
  'DELETE /api/manage/contracts/{id}',
  async ({ caller, path, requireMatch }, { records, gateway }: ContractServices) => {
    const removed = await records.contracts.remove(caller.workspaceId, path.id, caller.actor, (now) =>
      requireMatch(contractView(now)),
    );
    await gateway.contractsChanged([removed]);
    return { id: path.id };
  },
);
