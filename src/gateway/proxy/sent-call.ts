import type { Dispatcher } from 'undici';
import { MESSAGE_END, MESSAGES } from '../../lib/http/message-end.ts';
import type { MessageHead } from '../../providers/provider.ts';
import type { FrameResponse } from './frame-response.ts';

const END_MARK = Buffer.of(MESSAGE_END);
const ANSWER_HEADERS = { 'content-type': MESSAGES };

/** One response of a stream. A stream has one at a time. */
export interface OpenResponse {
  readonly streamId: string | null;
  readonly response: FrameResponse;
  /** The client has all of it, or has disconnected. */
  isClosed: boolean;
  /** null = not sent, or over. It may go on after the client disconnected. */
  sent: SentCall | null;
}

/** Acts of a call on its socket. */
interface CallControl {
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
}

/** A call that was sent, as its handler controls it. */
export class SentCall implements Dispatcher.DispatchController {
  aborted = false;
  paused = false;
  reason: Error | null = null;
  readonly open: OpenResponse;
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #socket: CallControl;
  #isAnswered = false;

  constructor(open: OpenResponse, handler: Dispatcher.DispatchHandler, socket: CallControl) {
    this.open = open;
    this.#handler = handler;
    this.#socket = socket;
  }

  receive({ type, status }: MessageHead, message: Buffer): void {
    if (!this.#isAnswered) {
      this.#isAnswered = true;
      const refused = type === 'error' && status !== null && status >= 400;
      this.#handler.onResponseStart?.(this, refused ? status : 200, ANSWER_HEADERS);
    }
    this.#handler.onResponseData?.(this, Buffer.concat([message, END_MARK]));
  }

  end(): void {
    this.#handler.onResponseEnd?.(this, {});
  }

  fail(reason: Error): void {
    this.#handler.onResponseError?.(this, reason);
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#socket.abort(reason);
  }

  pause(): void {
    if (this.paused) return;
    this.paused = true;
    this.#socket.pause();
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    this.#socket.resume();
  }
}
