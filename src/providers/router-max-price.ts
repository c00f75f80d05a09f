import type { ModelBounds } from '../domain/limits/cost-bound.ts';
import { PICO_DIGITS } from '../domain/money/money.ts';
import type { TokenRates } from '../domain/pricing/price.ts';
import { only, type ScanSpec } from '../lib/json/scan-plan.ts';
import type { BodyEdits, MemberGap, MemberPlace } from './body-edits.ts';
import type { RequestBody } from './request-body.ts';

/** Members of `provider.max_price` that the gateway sets. The others limit charges without a listed price. */
const MEMBERS = ['prompt', 'completion', 'request'] as const;
type PriceMember = (typeof MEMBERS)[number];

/** Prices in whole pico-USD, per token or per request. */
type MemberPrices = Readonly<Record<PriceMember, number>>;

/** Digits between pico-USD and the unit of each member: USD per million tokens, or USD. */
const DIGITS: MemberPrices = { prompt: PICO_DIGITS - 6, completion: PICO_DIGITS - 6, request: PICO_DIGITS };

/** Members by which a body chooses the endpoint that serves it. */
export const ENDPOINT_SPEC: ScanSpec = {
  provider: only(
    { max_price: only({ prompt: {}, completion: {}, request: {} }, 'audio', 'image'), require_parameters: {} },
    'allow_fallbacks',
    'data_collection',
    'enforce_distillable_text',
    'ignore',
    'only',
    'order',
    'preferred_max_latency',
    'preferred_min_throughput',
    'quantizations',
    'sort',
    'zdr',
  ),
  'providerOptions|provider_options': {},
  fallbacks: {},
};
const ROUTER_MEMBERS = ['provider', 'providerOptions', 'fallbacks'];

interface StatedPrice {
  readonly place: MemberPlace;
  readonly name: PriceMember;
  /** USD in the member's unit; null = absent. */
  readonly says: number | null;
}

/**
 * Place of `provider.max_price` in a body. OpenRouter serves the call only by an endpoint with at most these prices, and
 * fails it if there is none.
 */
export interface MaxPricePlace {
  /** Members of the existing object; null = it is absent. */
  readonly stated: readonly StatedPrice[] | null;
  /** Place for the object if it is absent. */
  readonly place: MemberPlace;
  /** The object is added as a member with this name. */
  readonly within: 'max_price' | null;
  /**
   * Place for `require_parameters`, with which OpenRouter skips endpoints that ignore a parameter, such as the output
   * maximum. null = it is added with the object.
   */
  readonly requires: MemberPlace | null;
  /** The request has parameters that bound its cost. */
  readonly hasMaximum: boolean;
}

/** Notes that a member has no bound; `phrase` names it. */
type NoteUnbounded = (phrase: string) => void;

/**
 * Reads how the body chooses the endpoint.
 * @param obeyed the provider obeys `provider.max_price`. Another provider may be a router with unbounded choice.
 * @param hasMaximum the request limits the output, which endpoints must not ignore
 */
export function readEndpoint(
  body: RequestBody,
  obeyed: boolean,
  hasMaximum: boolean,
  unbounded: NoteUnbounded,
): MaxPricePlace | undefined {
  if (obeyed) return findMaxPrice(body, hasMaximum, unbounded);
  const choice = ROUTER_MEMBERS.find((name) => body.uses(name));
  if (choice !== undefined) unbounded(`${choice}, which may choose an endpoint with another price`);
  return undefined;
}

/** Finds the place. Values that OpenRouter might read differently have no bound. */
function findMaxPrice(body: RequestBody, hasMaximum: boolean, unbounded: NoteUnbounded): MaxPricePlace {
  const provider = body.find('provider');
  if (!provider || !body.isObject('provider')) {
    if (body.uses('provider')) unbounded('provider, which is not an object');
    return { stated: null, place: body.place('provider'), within: 'max_price', requires: null, hasMaximum };
  }
  const gap = body.gapAt(provider.start);
  const span = body.find('provider.require_parameters') ?? null;
  const requires =
    hasMaximum && !body.isTrue('provider.require_parameters') ? { span, gap, name: 'require_parameters' } : null;
  const found = body.find('provider.max_price');
  if (found && body.isObject('provider.max_price'))
    return {
      stated: readStated(body, body.gapAt(found.start), unbounded),
      place: body.place('provider'),
      within: null,
      requires,
      hasMaximum,
    };
  if (body.uses('provider.max_price')) unbounded('provider.max_price, which is not an object');
  const place = { span: found ?? null, gap, name: 'max_price' };
  return { stated: null, place, within: null, requires, hasMaximum };
}

function readStated(body: RequestBody, gap: MemberGap, unbounded: NoteUnbounded): readonly StatedPrice[] {
  return MEMBERS.map((name) => {
    const path = `provider.max_price.${name}`;
    const value = body.value(path);
    const says = asPrice(value);
    if (says === null && value !== undefined && value !== null) unbounded(`${path}, which is not a price`);
    return { place: { span: body.find(path) ?? null, gap, name }, name, says };
  });
}

/** Reads a number or decimal text; null = neither. */
function asPrice(value: unknown): number | null {
  const price = typeof value === 'string' && /^\d{1,12}(?:\.\d{1,12})?$/.test(value) ? Number(value) : value;
  return typeof price === 'number' && price >= 0 ? price : null;
}

/** Lowers the maximum prices to those of the cost bound for these models. Lower ones stay. */
export function putMaxPrice(
  { stated, place, within, requires, hasMaximum }: MaxPricePlace,
  models: readonly ModelBounds[],
  edits: BodyEdits,
): void {
  const most = highestPrices(models);
  if (most === null) return;
  if (requires !== null) edits.put(requires, 'true');
  if (stated === null) {
    const json = `{${MEMBERS.map((name) => `"${name}":${usd(name, most)}`).join(',')}}`;
    const required = hasMaximum ? ',"require_parameters":true' : '';
    return edits.put(place, within === null ? json : `{"${within}":${json}${required}}`);
  }
  for (const { place: member, name, says } of stated)
    if (says === null || says > Number(usd(name, most))) edits.put(member, usd(name, most));
}

/** Returns the highest base prices of the cards; null = a model has no price. */
function highestPrices(models: readonly ModelBounds[]): MemberPrices | null {
  let [prompt, completion, request] = [0, 0, 0];
  for (const { cards } of models) {
    if (cards.length === 0) return null;
    for (const { tiers, fees } of cards) {
      // Endpoints are compared by the first length tier.
      const rates: TokenRates = tiers[0]?.rates ?? {};
      prompt = Math.max(prompt, rates.input ?? 0);
      completion = Math.max(completion, rates.output ?? 0);
      request = Math.max(request, fees.request ?? 0);
    }
  }
  return { prompt, completion, request };
}

/** Returns a price as exact decimal text. */
function usd(name: PriceMember, prices: MemberPrices): string {
  const digits = DIGITS[name];
  const text = String(prices[name]).padStart(digits + 1, '0');
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`.replace(/\.?0+$/, '');
}
