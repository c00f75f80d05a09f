import type { IncomingMessage } from 'node:http';
import type { Dispatcher } from 'undici';
import type { ModelBounds } from '../../domain/limits/cost-bound.ts';
import type { GatewayKey } from '../../domain/identity/wrapped-key.ts';
import type { TagReading } from '../../domain/usage/tags.ts';
import type { InferenceRoute, Provider, RequestFacts, StreamCostForm } from '../../providers/provider.ts';
import type { ProxyAddress } from './address.ts';
import type { BodyLease } from './body-budget.ts';
import { type ContextReading, NO_CONTEXT_READING } from './call-context.ts';
import type { ClientResponse } from './client-response.ts';
import type { ClientShare } from './client-shares.ts';

/** A model that may answer, with the name that the request gives it. */
export type AskedModel = ModelBounds & { readonly model: string };

/** Head of a request. A call on a WebSocket has that of its socket. */
export type RequestHead = Pick<IncomingMessage, 'headers' | 'socket' | 'method'>;

/** An authenticated request to a provider, before its body is read. */
export interface ProxyRequest {
  /** Id of the call it may become. */
  readonly id: string;
  readonly req: RequestHead;
  readonly res: ClientResponse;
  readonly address: ProxyAddress;
  readonly provider: Provider;
  readonly key: GatewayKey;
  /** Share of the client address that it comes from. */
  readonly client: ClientShare;
  /** Memory that its body takes. */
  readonly lease: BodyLease;
  /** WebSocket that the call travels on; absent = none. */
  readonly link?: CallLink | null;
}

/** Sends calls over a connection that is open already. */
export type CallLink = Pick<Dispatcher, 'dispatch'>;

const NO_BODY = Buffer.alloc(0);
const NO_TAGS: TagReading = { tags: {}, warnings: [] };

/** Parts of a route that a call needs. */
export type CallRoute = Pick<InferenceRoute, 'operation' | 'streamCost' | 'authorize' | 'readForm'>;

/** An inference request with its body read. One object carries it from there until its call has ended or it was refused. */
export class InferenceRequest implements ProxyRequest {
  readonly id: string;
  readonly req: RequestHead;
  readonly res: ClientResponse;
  readonly address: ProxyAddress;
  readonly provider: Provider;
  readonly client: ClientShare;
  readonly lease: BodyLease;
  readonly link: CallLink | null;
  readonly route: CallRoute;
  readonly facts: RequestFacts;
  readonly bodyBytes: number;
  /** Decoded; empty after `releaseBody`. */
  body: Buffer;
  /** The key's current state: it may change while the body arrives or the call waits. */
  key: GatewayKey;
  tagReading = NO_TAGS;
  contextReading: ContextReading = NO_CONTEXT_READING;
  /** Place for the cost in the stream; null = the client doesn't ask for it, or its form has none. */
  streamCost: StreamCostForm | null = null;
  /** IP address of the client; null = unknown. */
  callerAddress: string | null = null;
  /** Uptime at which only the gateway's own work was left: the body was there, or the wait was over. */
  readyAt: number;

  constructor(request: ProxyRequest, route: CallRoute, facts: RequestFacts, body: Buffer, readyAt: number) {
    this.id = request.id;
    this.req = request.req;
    this.res = request.res;
    this.address = request.address;
    this.provider = request.provider;
    this.client = request.client;
    this.lease = request.lease;
    this.link = request.link ?? null;
    this.key = request.key;
    this.route = route;
    this.facts = facts;
    this.body = body;
    this.bodyBytes = body.length;
    this.readyAt = readyAt;
  }

  /** Frees the body's memory. Safe to call more than once. */
  releaseBody(): void {
    this.body = NO_BODY;
    this.lease.end();
  }
}
