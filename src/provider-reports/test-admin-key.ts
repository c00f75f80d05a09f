import { TollbookError } from '../domain/errors.ts';
import { type AskProvider, readOutcome } from './ask-provider.ts';
import type { ReportedOrganization } from './source.ts';
import { MalformedReport } from './source.ts';
import type { ReportEndpoint } from './read-reports.ts';

/**
 * Requests the organization of an admin key from its provider.
 * @throws TollbookError `invalid` for more than one line; `unprocessable` for a key of another kind, or one that is refused; `upstream_unreachable`
 */
export async function testAdminKey(
  { source, url, name }: ReportEndpoint,
  key: string,
  ask: AskProvider,
  now: number,
): Promise<ReportedOrganization> {
  if (/[\r\n]/.test(key))
    throw new TollbookError('invalid', 'The admin key has more than one line. Enter only the key.', 'adminKey');
  const refusal = source.refuseKey(key);
  if (refusal) throw new TollbookError('unprocessable', refusal, 'adminKey');
  const answer = await ask({ url, request: source.test(now), headers: source.headers(key) });
  const outcome = readOutcome(answer, now);
  if (outcome.kind === 'refused')
    throw new TollbookError(
      'unprocessable',
      `${name} refused this admin key (${outcome.reason}). An API key for models cannot read reports: create an admin key of the organization.`,
      'adminKey',
    );
  const failed = (reason: string): TollbookError =>
    new TollbookError('upstream_unreachable', `${name} could not be asked about this key: ${reason}. Try again.`);
  if (outcome.kind === 'rate_limited') throw failed('it limits the rate of requests');
  if (outcome.kind !== 'body') throw failed(outcome.reason);
  try {
    return source.readOrganization(outcome.body, answer.ok ? answer.headers : {});
  } catch (error) {
    if (error instanceof MalformedReport) throw failed(error.message);
    throw error;
  }
}
