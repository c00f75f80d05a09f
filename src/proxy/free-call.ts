import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import { clientHeaders } from './headers.ts';

/** A request that costs nothing and is not booked: its answer passes through as it is. */
export class FreeCall implements Dispatcher.DispatchHandler {
  readonly #res: ServerResponse;
  readonly #onFailure: (error: Error) => void;
  #controller: Dispatcher.DispatchController | null = null;

  /** `onFailure` answers the client; it runs at most once, when the provider could not be reached or broke off. */
  constructor(res: ServerResponse, onFailure: (error: Error) => void) {
    this.#res = res;
    this.#onFailure = onFailure;
    res.on('close', () => {
      if (!res.writableFinished) this.#controller?.abort(new Error('the client left'));
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status >= 200) this.#res.writeHead(status, clientHeaders(headers, true, true));
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#res.write(piece)) return;
    controller.pause();
    this.#res.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    this.#res.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#onFailure(error);
  }
}
