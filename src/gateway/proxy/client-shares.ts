import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type AddressRange, isInRange, networkKey, parseAddress } from '../../domain/identity/address-range.ts';
import { TollbookError } from '../../domain/errors.ts';
import type { BodyHolder } from './body-budget.ts';
import { callerAddress } from './caller-address.ts';
import type { ClientResponse } from './client-response.ts';
import { UnsentRequests } from './request-pace.ts';
import type { ConnectionHolder } from './upstream.ts';

/** One client address, and its use of what all clients share. */
export interface ClientShare extends BodyHolder, ConnectionHolder {
  /** The IPv4 address, or the 64-bit network of IPv6. */
  readonly name: string;
  /** Open connections; behind a trusted proxy, open requests. */
  open: number;
  /** Open requests to the ledger thread. */
  relayed: number;
  /** Its refused requests that have no wrapped key. */
  readonly unsent: UnsentRequests;
  /** Bodies of its management requests. */
  readonly managementBodies: BodyHolder;
}

export interface ClientRules {
  /** Proxies whose `x-forwarded-for` is trusted. They have no share themselves; each address that they name has one. */
  readonly trustedProxies: readonly AddressRange[];
  /** Connections, or requests behind a trusted proxy, that one client address may have open. */
  readonly connectionsPerAddressMax: number;
}

const PROXY = 'trusted proxy';

/** Counts open connections per client address, so that one machine can't take all of them. */
export class ClientShares {
  readonly #rules: ClientRules;
  /** Only addresses with something open. */
  readonly #clients = new Map<string, ClientShare>();
  readonly #onSocket = new WeakMap<object, ClientShare | typeof PROXY>();

  constructor(rules: ClientRules) {
    this.#rules = rules;
  }

  /** Client addresses that have something open. */
  get size(): number {
    return this.#clients.size;
  }

  /** Counts a new connection. Returns false if its address has as many as allowed; nothing was counted. */
  connect(socket: Socket): boolean {
    const bits = parseAddress(socket.remoteAddress ?? '');
    if (bits && this.#rules.trustedProxies.some((range) => isInRange(bits, range))) {
      this.#onSocket.set(socket, PROXY);
      return true;
    }
    const client = this.#take(bits ? networkKey(bits) : UNKNOWN);
    if (!client) return false;
    this.#onSocket.set(socket, client);
    socket.once('close', () => this.#leave(client));
    return true;
  }

  /**
   * Finds the share of a request's address. Throws if a trusted proxy brings more requests of one address than
   * allowed.
   */
  find(req: IncomingMessage, res: Pick<ClientResponse, 'once'>): ClientShare {
    const known = this.#onSocket.get(req.socket);
    return known && known !== PROXY ? known : this.#forwarded(req, res);
  }

  #forwarded(req: IncomingMessage, res: Pick<ClientResponse, 'once'>): ClientShare {
    const { trustedProxies, connectionsPerAddressMax } = this.#rules;
    const address = callerAddress(req.socket.remoteAddress, req.headers['x-forwarded-for'], trustedProxies);
    const bits = address === null ? null : parseAddress(address);
    const client = this.#take(bits ? networkKey(bits) : UNKNOWN);
    if (!client)
      throw new TollbookError(
        'in_flight',
        `${connectionsPerAddressMax} requests from ${address ?? 'an unknown address'} are open, as many as one address may have; wait until some have ended, or set SVC_CONNECTIONS_PER_ADDRESS higher.`,
        undefined,
        { retryAfter: 1 },
      );
    res.once('close', () => this.#leave(client));
    return client;
  }

  #take(name: string): ClientShare | null {
    let client = this.#clients.get(name);
    if (!client) this.#clients.set(name, (client = this.#newClient(name)));
    if (client.open >= this.#rules.connectionsPerAddressMax) return null;
    client.open += 1;
    return client;
  }

  #leave(client: ClientShare): void {
    client.open -= 1;
    this.#forgetIdle(client);
  }

  #newClient(name: string): ClientShare {
    const client: ClientShare = {
      name,
      open: 0,
      relayed: 0,
      unsent: new UnsentRequests(),
      bodyBytes: 0,
      managementBodies: { name, bodyBytes: 0 },
      connections: 0,
      connectionReleased: () => this.#forgetIdle(client),
    };
    return client;
  }

  /**
   * Forgets an address with nothing open. Calls of a client that disconnected may continue; until they end, its
   * address counts their connections.
   */
  #forgetIdle(client: ClientShare): void {
    if (client.open === 0 && client.connections === 0) this.#clients.delete(client.name);
  }
}

/** Share of all clients whose address can't be read. */
const UNKNOWN = 'unknown';
