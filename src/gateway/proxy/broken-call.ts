import type { ObservedResponse } from '../../domain/usage/settle.ts';
import type { Provider } from '../../providers/provider.ts';
import type { ClientResponse } from './client-response.ts';
import { denyUpstream } from './deny.ts';

export type StopReason = NonNullable<ObservedResponse['stopped']>;

/** A call that ended while it waited for a connection. */
export class NoConnection extends Error {
  override readonly name = 'no free connection';
}

/** Reads from an error of the connection why a call that was sent broke off. */
export function readStopReason(error: Error): StopReason {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT' ? 'timeout' : 'reset';
}

/** Answers a call that broke off before the provider's answer began. */
export function denyBrokenCall(
  { res, provider }: { readonly res: ClientResponse; readonly provider: Provider },
  callId: string,
  stopped: StopReason | null,
  error: Error,
): void {
  const code = (error as NodeJS.ErrnoException).code ?? error.name;
  if (stopped === 'timeout') denyUpstream(res, provider, 504, `${provider.name} did not answer in time.`, callId);
  else if (stopped === 'not_sent')
    denyUpstream(res, provider, 502, `${provider.name} could not be reached (${code}). Nothing was sent.`, callId);
  else
    denyUpstream(
      res,
      provider,
      502,
      `The connection to ${provider.name} broke before an answer came (${code}); it may have been charged.`,
      callId,
    );
}
