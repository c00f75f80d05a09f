import type { KeyTest } from '../api/services.ts';
import type { Provider } from '../providers/provider.ts';

/** Statuses by which providers say that a key is not good; Google answers 400 to a bad key. */
const BAD_KEY_STATUSES = new Set([400, 401, 403]);

/** Asks the provider's free model list with a key. Never throws: an unreachable provider is an answer too. */
export async function testKey(provider: Provider, providerKey: string, msMax: number): Promise<KeyTest> {
  const headers: Record<string, string> = { ...provider.defaultHeaders, accept: 'application/json' };
  try {
    provider.authorize(headers, providerKey);
    const answer = await fetch(provider.url + provider.modelListPath, {
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(msMax),
    });
    await answer.body?.cancel();
    if (answer.ok) return { ok: true };
    if (BAD_KEY_STATUSES.has(answer.status))
      return { ok: false, offline: false, message: `${provider.name} refused this key (status ${answer.status}).` };
    return {
      ok: false,
      offline: true,
      message: `${provider.name} answered ${answer.status}, so the key could not be tested.`,
    };
  } catch (error) {
    return {
      ok: false,
      offline: true,
      message: `${provider.name} could not be reached (${failureReason(error)}), so the key was not tested.`,
    };
  }
}

function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  const cause = error.cause as NodeJS.ErrnoException | undefined;
  return cause?.code ?? error.name;
}
