import type { FlatHeaders } from './headers.ts';

/** The provider took the prompt for no valid one when it was to count it: of the call it would say the same. */
export class CountRefusal extends Error {
  override readonly name = 'CountRefusal';
  readonly status: number;
  readonly headers: FlatHeaders;
  readonly body: Buffer;

  constructor(status: number, headers: FlatHeaders, body: Buffer) {
    super(`the token counter answered ${status}`);
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}
