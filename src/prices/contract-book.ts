import {
  byPrecedence,
  concernsCall,
  contractedCard,
  isInForce,
  type ContractedCall,
  type PriceContract,
} from '../domain/pricing/contract.ts';
import type { RateCard } from '../domain/pricing/price.ts';
import { compilePattern, modelSpellings } from '../domain/policy/model-pattern.ts';
import { within } from './remembered-periods.ts';

/** A contract with its pattern of models, ready to be matched. */
interface KnownContract {
  readonly contract: PriceContract;
  readonly matches: ((name: string) => boolean) | null;
}

/** Contracted cards, and models with their contracts, that are remembered; above this, they are found again. */
const REMEMBERED_MAX = 10_000;
const NO_CONTRACTS: readonly KnownContract[] = [];

/** Contracts of all workspaces, and the prices that follow from them. */
export class ContractBook {
  readonly #contracts = new Map<string, readonly KnownContract[]>();
  /** Contracted cards by contract, then by listed card, or by model where no list has it. */
  readonly #cards = new Map<PriceContract, Map<RateCard | string, RateCard | null>>();
  /** Contracts by workspace and model: its requested and its listed name. */
  readonly #ofModels = new Map<string, Map<string, readonly PriceContract[]>>();
  #remembered = 0;

  /** Replaces the contracts of all workspaces. */
  set(contracts: readonly PriceContract[]): void {
    this.#forget();
    this.#contracts.clear();
    for (const [workspaceId, own] of Map.groupBy(contracts, (contract) => contract.workspaceId))
      this.#contracts.set(workspaceId, own.toSorted(byPrecedence).map(toKnown));
  }

  has(workspaceId: string): boolean {
    return this.#contracts.has(workspaceId);
  }

  /** Returns the price that a call pays for a model at a time (epoch ms). @param card the listed price; null = none */
  at(call: ContractedCall, model: string, card: RateCard | null, at: number): RateCard | null {
    const contract = this.#about(call, model, card).find((one) => isInForce(one, at));
    return contract ? this.#contracted(card, model, contract) : card;
  }

  /**
   * Returns every price that a call may pay for a model from `fromMs` to `untilMs` (both inclusive).
   * @param cards the listed prices of this time
   */
  between(
    call: ContractedCall,
    model: string,
    cards: readonly RateCard[],
    { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
  ): readonly RateCard[] {
    const about = this.#about(call, model, cards[0] ?? null);
    if (about.length === 0) return cards;
    // Which contract applies changes only where one starts or ends.
    const times = new Set([fromMs, ...about.flatMap(({ from, until }) => [from ?? fromMs, until ?? fromMs])]);
    const found = new Set<RateCard>();
    for (const at of times) {
      if (at < fromMs || at > untilMs) continue;
      const contract = about.find((one) => isInForce(one, at));
      for (const card of cards.length > 0 ? cards : [null]) {
        const own = contract ? this.#contracted(card, model, contract) : card;
        // A model has a price only if it has one all the time.
        if (!own) return [];
        found.add(own);
      }
    }
    return [...found];
  }

  /** Returns the contracts about a call and a model, at any time, the one that comes first first. */
  #about(call: ContractedCall, model: string, card: RateCard | null): readonly PriceContract[] {
    return this.#aboutModel(call.workspaceId, model, card).filter((contract) => concernsCall(contract, call));
  }

  #aboutModel(workspaceId: string, model: string, card: RateCard | null): readonly PriceContract[] {
    const known = within(this.#ofModels, workspaceId);
    const name = `${model}\n${card?.model ?? ''}`;
    const found = known.get(name);
    if (found) return found;
    const spellings = modelSpellings(model, card?.model ?? null);
    const own = (this.#contracts.get(workspaceId) ?? NO_CONTRACTS)
      .filter(({ matches }) => matches === null || spellings.some(matches))
      .map(({ contract }) => contract);
    this.#makeRoom();
    within(this.#ofModels, workspaceId).set(name, own);
    return own;
  }

  #contracted(card: RateCard | null, model: string, contract: PriceContract): RateCard | null {
    const listed = card ?? model;
    const known = this.#cards.get(contract)?.get(listed);
    if (known !== undefined) return known;
    this.#makeRoom();
    const made = contractedCard(card, model, contract);
    within(this.#cards, contract).set(listed, made);
    return made;
  }

  /** Clients choose the names of models, so what is remembered is dropped at a maximum. */
  #makeRoom(): void {
    if (this.#remembered >= REMEMBERED_MAX) this.#forget();
    this.#remembered += 1;
  }

  #forget(): void {
    this.#cards.clear();
    this.#ofModels.clear();
    this.#remembered = 0;
  }
}

function toKnown(contract: PriceContract): KnownContract {
  return { contract, matches: contract.scope.model === null ? null : compilePattern(contract.scope.model) };
}
