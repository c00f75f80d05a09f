import type { RequestDemand } from '../../src/domain/limits/demand.ts';
import type { RateCard } from '../../src/domain/pricing/price.ts';
import { boundCall, type KnownBounds, type ModelBounds } from '../../src/domain/limits/cost-bound.ts';
import { TollbookError } from '../../src/domain/errors.ts';
import { OutputMaxima } from '../../src/prices/output-maxima.ts';
import { searchResultTokens } from '../../src/prices/search-results.ts';
import { readBody, spliced } from '../../src/providers/contract/read-body.ts';
import { readAnthropic } from './anthropic-oracle.ts';
import { highestBill, type Reach } from './bill.ts';
import { readGoogle } from './google-oracle.ts';
import { type Json, parseTree } from './json-tree.ts';
import { readChat, readEmbeddings, readResponses } from './openai-oracle.ts';
import { cardOf, type Scene } from './scene.ts';
import { findStranger } from './strangers.ts';

const ORACLES: Readonly<Record<Scene['dialect'], (scene: Scene, body: Json) => Reach>> = {
  anthropic: readAnthropic,
  google: readGoogle,
  chat: readChat,
  responses: readResponses,
  embeddings: readEmbeddings,
};
/** The most that an amount can name. Nothing larger is told apart. */
const DEAREST_NANO = 9_000_000_000_000_000;
const outputMaxima = new OutputMaxima();

/** What the gateway makes of a body under a limit in dollars. */
export type Held =
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'held'; readonly nano: number; readonly forwarded: string };

export function hold(scene: Scene, body: string, cut: Cut = AS_ASKED): Held {
  try {
    const facts = readBody(scene.address, body);
    const { tools } = facts;
    const demand = tools === null || cut.toolUses === null ? facts.demand : tools.demandAt(cut.toolUses);
    const models = [facts.model, ...demand.otherModels].map((model) => boundsOfModel(scene, model));
    const { outputMax } = boundCall(demand, models, TERMS);
    const given = cut.output === null ? {} : shortenTo(Math.max(1, Math.floor(outputMax * cut.output)), demand);
    const bounds = boundCall(demand, models, TERMS, given);
    if (bounds.unbounded !== null) return { kind: 'refused', why: bounds.unbounded };
    if (bounds.hold.usd === null) return { kind: 'refused', why: 'no price' };
    const splices = facts.forward({
      outputMax: bounds.forwardMax,
      thinkingBudget: given.thinkingBudget ?? null,
      toolUses: tools === null ? null : cut.toolUses,
      tier: bounds.tier,
      models,
    });
    return { kind: 'held', nano: bounds.hold.usd, forwarded: spliced(body, splices) };
  } catch (error) {
    if (error instanceof TollbookError) return { kind: 'refused', why: error.message };
    throw error;
  }
}

/** How a call is shortened: to a part of its output, and to some uses of tools; null = as it asks. */
export interface Cut {
  readonly output: number | null;
  readonly toolUses: number | null;
}

const AS_ASKED: Cut = { output: null, toolUses: null };
const TERMS = { geo: null, tier: null };

/** The thinking budget is at most half of a shortened answer. */
function shortenTo(outputMax: number, { thinkingLeast, outputLeast }: RequestDemand): KnownBounds {
  const budget = Math.max(thinkingLeast, Math.floor(outputMax / 2));
  return budget < outputLeast ? { outputMax, thinkingBudget: budget } : { outputMax };
}

export function boundsOfModel(scene: Scene, model: string): ModelBounds {
  const card = cardOf(scene, model);
  return {
    cards: card ? [card] : [],
    outputMax: outputMaxima.find(scene.priceProvider, model),
    searchResultTokens: searchResultTokens(scene.priceProvider),
  };
}

export interface Verdict {
  readonly held: Held;
  /** Nano-USD that the provider may charge beyond what is held; null = none. */
  readonly short: number | null;
}

/** Returns the dearest bill of a body in nano-USD. @param reprice the price at which the provider sells it */
export function dearestBill(
  scene: Scene,
  body: string,
  reprice: (card: RateCard) => RateCard = (card) => card,
): number {
  const tree = parseTree(body);
  const read = ORACLES[scene.dialect](scene, tree);
  const reach = { ...read, cards: read.cards.map((card) => card && reprice(card)) };
  reach.unbounded ??= findStranger(scene, tree);
  return Math.min(highestBill(reach, outputMaxima.find(scene.priceProvider, scene.model)), DEAREST_NANO);
}

/** Holds a body, and holds that against the dearest bill of what is forwarded. */
export function checkForm(scene: Scene, body: string, cut: Cut = AS_ASKED): Verdict {
  const held = hold(scene, body, cut);
  if (held.kind === 'refused') return { held, short: null };
  const bill = dearestBill(scene, held.forwarded);
  if (bill === DEAREST_NANO && held.nano < DEAREST_NANO) return { held, short: Infinity };
  // The bill is a floating-point figure.
  return { held, short: bill * (1 - 1e-9) > held.nano ? bill - held.nano : null };
}
