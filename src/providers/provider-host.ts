import type { HoldTerms } from '../domain/limits/cost-bound.ts';
import type { Usage } from '../domain/usage/usage.ts';

/** Facts that depend on the address of a provider. */
export interface ProviderHost {
  /** Geography that prices depend on; null = the address does not say. */
  readonly geo: string | null;
  /** Error codes of refusals that may be charged, like a timeout; null = the provider's own host charges no refusal. */
  readonly chargedErrors: ReadonlySet<string> | null;
}

interface HostedProvider {
  readonly regional?: boolean;
  readonly host?: ProviderHost;
}

/** Refusals after the prompt was read: Azure OpenAI docs, "Content filtering" ("there will be a charge for this request"). */
const FILTERED = ['content_filter', 'content_policy_violation', 'ResponsibleAIPolicyViolation'];
const FILTERED_ERRORS: ReadonlySet<string> = new Set(FILTERED);
/** Azure OpenAI docs, "Manage costs": also "a 400 error due to a content filter or input limit". */
const AZURE_ERRORS: ReadonlySet<string> = new Set([...FILTERED, 'context_length_exceeded']);

const REQUEST_TIMEOUT = 408;
const PLAIN_GEO = 'global';
const OWN_HOST: ProviderHost = { geo: null, chargedErrors: null };

/** Returns the facts about `url`, where `own` is the address of the provider itself; null = it has none. */
export function describeHost(own: string | null, url: string, regional = false): ProviderHost {
  const host = URL.parse(url)?.hostname ?? '';
  const ownHost = own === null ? '' : (URL.parse(own)?.hostname ?? '');
  if (ownHost !== '' && (host === ownHost || host.endsWith(`.${ownHost}`))) {
    if (!regional) return OWN_HOST;
    const region = host.slice(0, -ownHost.length - 1);
    return { geo: region === '' ? PLAIN_GEO : region, chargedErrors: null };
  }
  return { geo: null, chargedErrors: host.endsWith('.azure.com') ? AZURE_ERRORS : FILTERED_ERRORS };
}

/** Returns the terms of a key's account: a region in the address decides, then the policy. */
export function accountTerms(policy: HoldTerms, { regional, host }: HostedProvider): HoldTerms {
  const geo = regional === true ? (host?.geo ?? null) : null;
  return geo === null || (geo === PLAIN_GEO && policy.geo !== null) ? policy : { geo, tier: policy.tier };
}

/** Returns the usage with the geography of a provider whose answers do not say it. */
export function withGeo(usage: Usage | null, policy: HoldTerms, provider: HostedProvider): Usage | null {
  if (usage === null || provider.regional !== true || usage.terms.geo !== null) return usage;
  const { geo } = accountTerms(policy, provider);
  return geo === null || geo === PLAIN_GEO ? usage : { ...usage, terms: { ...usage.terms, geo } };
}

/** Returns true if a refusal may be charged. */
export function mayChargeRefusal({ host }: HostedProvider, status: number, code: string | null): boolean {
  const codes = host?.chargedErrors ?? null;
  return codes !== null && (status === REQUEST_TIMEOUT || (status >= 400 && code !== null && codes.has(code)));
}
