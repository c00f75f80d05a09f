/** The part of Node's response to a client that calls use. A call on a WebSocket has another one. */
export interface ClientResponse {
  /** The client disconnected, or the response was broken off. */
  readonly destroyed: boolean;
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  /** All of it was handed to the system. */
  readonly writableFinished: boolean;
  once(event: 'close' | 'drain', listener: () => void): unknown;
  on(event: 'drain', listener: () => void): unknown;
  appendHeader(name: string, value: string): unknown;
  writeHead(status: number, headers?: HeadersToSend): Pick<ClientResponse, 'end'>;
  flushHeaders(): void;
  /** Returns false when the client reads too slowly: wait for `drain`. */
  write(piece: Uint8Array): boolean;
  end(body?: Uint8Array | string): unknown;
  destroy(): unknown;
}

export type HeadersToSend = Readonly<Record<string, string | number>> | (string | string[])[];
