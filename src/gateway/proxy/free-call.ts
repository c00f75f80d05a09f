import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { NO_PLACE } from '../../lib/concurrency/slots.ts';
import type { ClientResponse } from './client-response.ts';
import type { AddressHeader } from '../../providers/provider.ts';
import { clientHeaders } from './headers.ts';
import type { ConnectionLease } from './upstream.ts';

export interface FreeCallParts {
  readonly res: ClientResponse;
  /** Uptime at which it is ended. */
  readonly until: number;
  /** Its connection to the provider. */
  readonly connection: Pick<ConnectionLease, 'end'>;
  /** Place of an address of the provider in the answer, which becomes a path; null, absent = there is none. */
  readonly ownAddress?: RegExp | null;
  /** Header with an address of the provider, and the address of the gateway in place of its `url`; null, absent = there is none. */
  readonly addressHeader?: (AddressHeader & { readonly gatewayUrl: string }) | null;
  /** Reports the provider's failure to the client, or interrupts the answer. */
  deny(status: 502 | 504, what: string): void;
}

/** Longest answer in which an address is looked for. */
const ADDRESS_BYTES_MAX = 65_536;

/** A request that costs nothing and is not recorded. Its answer is forwarded unchanged, but for an address of the provider. */
export class FreeCall implements Dispatcher.DispatchHandler {
  place = NO_PLACE;
  readonly #parts: FreeCallParts;
  #controller: Dispatcher.DispatchController | null = null;
  /** True once its client has disconnected or was refused. The call then only frees its connection. */
  #over = false;
  /** The answer so far in which an address is looked for; null = it is forwarded as it comes. */
  #kept: Buffer[] | null = null;
  #keptBytes = 0;

  constructor(parts: FreeCallParts) {
    this.#parts = parts;
    parts.res.once('close', () => {
      if (!parts.res.writableFinished) this.#giveUp('the client left');
    });
  }

  /**
   * Ends the call if it takes too long, since a client that does not read would keep a connection. Called about once
   * a second.
   */
  sweep(uptime: number): void {
    if (uptime >= this.#parts.until) this.#fail(504, 'did not answer in time');
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The call may have ended while it waited for a connection. An abort here sends nothing.
    if (this.#over) controller.abort(new Error('the call is over'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200 || this.#over) return;
    const { res, ownAddress = null, addressHeader = null } = this.#parts;
    const shown = addressHeader === null ? headers : withGatewayAddress(headers, addressHeader);
    res.writeHead(status, clientHeaders(shown, ownAddress === null, true));
    if (ownAddress !== null) this.#kept = [];
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    const { res } = this.#parts;
    if (this.#over || this.#keep(piece) || res.write(piece)) return;
    controller.pause();
    res.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    this.#parts.connection.end();
    if (this.#over) return;
    const { res, ownAddress = null } = this.#parts;
    if (this.#kept && ownAddress) res.end(Buffer.concat(this.#kept).toString().replace(ownAddress, '$1$2'));
    else res.end();
  }

  /** Keeps a piece of an answer in which an address is looked for. Returns false if the answer is too long for that. */
  #keep(piece: Buffer): boolean {
    if (!this.#kept) return false;
    this.#keptBytes += piece.length;
    if (this.#keptBytes <= ADDRESS_BYTES_MAX) return this.#kept.push(piece) > 0;
    for (const earlier of this.#kept) this.#parts.res.write(earlier);
    this.#kept = null;
    return false;
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#parts.connection.end();
    this.#fail(502, `could not be reached (${(error as NodeJS.ErrnoException).code ?? error.name})`);
  }

  #fail(status: 502 | 504, what: string): void {
    if (this.#over) return;
    this.#parts.deny(status, what);
    this.#giveUp(what);
  }

  #giveUp(reason: string): void {
    this.#over = true;
    this.#controller?.abort(new Error(reason));
  }
}

function withGatewayAddress(
  headers: IncomingHttpHeaders,
  { name, pattern, gatewayUrl }: NonNullable<FreeCallParts['addressHeader']>,
): IncomingHttpHeaders {
  const [, path] = pattern.exec(String(headers[name] ?? '')) ?? [];
  return path === undefined ? headers : { ...headers, [name]: gatewayUrl + path };
}
