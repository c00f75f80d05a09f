import { DAY_MS } from '../domain/time/units.ts';
import type { ProviderName } from './answers/answer.ts';

/** A made-up team, its wrapped key and its habits. */
export interface DemoTeam {
  /** Name of its wrapped key. */
  readonly name: string;
  readonly provider: ProviderName;
  readonly tags: Readonly<Record<string, string>>;
  readonly operation: 'messages' | 'generateContent' | 'chat.completions' | 'embeddings';
  /** Share of all calls. */
  readonly weight: number;
  /** The models it calls, the usual one first and the exception last. */
  readonly models: readonly [usual: string, rare: string];
  readonly features: readonly string[];
  /** Made-up people who make its calls, the busiest first. */
  readonly users: readonly string[];
  /** Tokens of a usual call. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Share of the prompt that comes from the provider's cache. */
  readonly cachedShare: number;
  readonly streams: boolean;
  /** Its calls name their session and agent. */
  readonly hasSessions: boolean;
}

/** The team whose calls name sessions. */
export const AGENTS_TEAM: DemoTeam = {
  name: 'Coding agents',
  provider: 'anthropic',
  tags: { team: 'engineering', env: 'development' },
  operation: 'messages',
  weight: 42,
  models: ['claude-opus-4-8', 'claude-sonnet-5'],
  features: ['edit', 'review', 'test'],
  users: ['ben', 'chloe', 'dev', 'ida'],
  inputTokens: 220_000,
  outputTokens: 20_000,
  cachedShare: 0.4,
  streams: true,
  hasSessions: true,
};

export const TEAMS: readonly DemoTeam[] = [
  {
    name: 'Support assistant',
    provider: 'anthropic',
    tags: { team: 'support', env: 'production' },
    operation: 'messages',
    weight: 20,
    models: ['claude-sonnet-5', 'claude-haiku-4-5'],
    features: ['answer', 'triage', 'translate'],
    users: ['ana', 'milo', 'zoe'],
    inputTokens: 60_000,
    outputTokens: 6_000,
    cachedShare: 0.7,
    streams: true,
    hasSessions: false,
  },
  AGENTS_TEAM,
  {
    name: 'Search',
    provider: 'openai',
    tags: { team: 'search', env: 'production' },
    operation: 'embeddings',
    weight: 12,
    models: ['text-embedding-3-small', 'text-embedding-3-large'],
    features: ['index', 'query'],
    users: ['kim'],
    inputTokens: 30_000,
    outputTokens: 0,
    cachedShare: 0,
    streams: false,
    hasSessions: false,
  },
  {
    name: 'Checkout',
    provider: 'openai',
    tags: { team: 'checkout', env: 'production' },
    operation: 'chat.completions',
    weight: 10,
    models: ['gpt-5-mini', 'gpt-5.4'],
    features: ['fraud-notes', 'receipt'],
    users: ['leo', 'mara'],
    inputTokens: 40_000,
    outputTokens: 8_000,
    cachedShare: 0.4,
    streams: false,
    hasSessions: false,
  },
  {
    name: 'Research',
    provider: 'google',
    tags: { team: 'research', env: 'staging' },
    operation: 'generateContent',
    weight: 16,
    models: ['gemini-2.5-pro', 'gemini-2.5-flash'],
    features: ['summary', 'extract'],
    users: ['nils', 'olga'],
    inputTokens: 180_000,
    outputTokens: 20_000,
    cachedShare: 0.3,
    streams: true,
    hasSessions: false,
  },
];

/** Keys of the sandbox providers, which accept any. */
export const SANDBOX_KEYS: Readonly<Record<ProviderName, string>> = {
  anthropic: 'sk-ant-api03-sandbox-of-the-demo-x7Qa',
  google: 'AIza-sandbox-of-the-demo-k2Vd',
  openai: 'sk-proj-sandbox-of-the-demo-m9Te',
};

/** A number in [0, 1). */
export type RandomSource = () => number;

export function pickTeam(random: RandomSource): DemoTeam {
  const total = TEAMS.reduce((sum, { weight }) => sum + weight, 0);
  let left = random() * total;
  return TEAMS.find(({ weight }) => (left -= weight) < 0) ?? (TEAMS[0] as DemoTeam);
}

/** Most tokens that a team's calls ask for. */
export const OUTPUT_TOKENS_MAX = 32_000;

const RARE_SHARE = 0.15;
/** Share of the research team's calls whose model has no price, since it tries that model. */
const UNPRICED_SHARE = 0.06;
const UNPRICED_DAYS = 5;
const UNPRICED_PROVIDER = 'google';
/** No list has a price for it. */
export const UNPRICED_MODEL = 'gemini-experimental';

/** @param msAgo age of the call */
export function pickModel({ models, provider }: DemoTeam, msAgo: number, random: RandomSource): string {
  const triesNew = provider === UNPRICED_PROVIDER && msAgo < UNPRICED_DAYS * DAY_MS;
  if (triesNew && random() < UNPRICED_SHARE) return UNPRICED_MODEL;
  return models[random() < RARE_SHARE ? 1 : 0];
}

/**
 * Returns the tags that differ from call to call of a team.
 * @param user of the call's session; null = any of the team
 */
export function pickTags(
  team: DemoTeam,
  user: string | null,
  random: RandomSource,
): Readonly<Record<'feature' | 'user', string>> {
  const { features } = team;
  return {
    feature: features[Math.floor(random() * features.length)] ?? 'other',
    user: user ?? pickUser(team, random),
  };
}

export function pickUser({ users }: DemoTeam, random: RandomSource): string {
  // The square makes the first ones busier.
  return users[Math.floor(random() ** 2 * users.length)] ?? 'other';
}

/** Time to the first byte of a usual answer, and from one of its tokens to the next. */
export const FIRST_BYTE_MS = 900;
export const EMBEDDING_MS = 180;
export const MS_PER_TOKEN = 7;

/** Most near `usual`, few several times as large. */
export function spread(usual: number, random: RandomSource): number {
  return Math.round(usual * Math.exp((random() + random() - 1) * 1.2));
}
