/** One POST. */
export interface SendRequest {
  readonly url: string;
  /** Without `host`, and what else is the connection's own. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `message` is a sentence that holds no part of the URL but its host and port. */
export type SendResult = SendAnswer | SendFailure;

/** A complete answer, whatever it says, but no redirection. */
export interface SendAnswer {
  readonly ok: true;
  readonly status: number;
  /** Names in lower case. No cookies: they are neither kept nor shown. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Its beginning, as it came: nothing is decompressed. */
  readonly body: string;
}

interface SendFailure {
  readonly ok: false;
  readonly reason: SendFailureReason;
  readonly message: string;
  /** Where an answer had begun. */
  readonly status: number | null;
}

export type SendFailureReason =
  /** Nothing was sent: the address may not be reached. */
  | 'blocked'
  /** Nothing was sent: the name has no address. */
  | 'dns'
  /** Nothing was sent: nobody took the connection. */
  | 'connect'
  /** Nothing was sent: no certificate to be trusted, or no TLS at all. */
  | 'tls'
  | 'timeout'
  /** The connection ended before the answer did. */
  | 'reset'
  /** The answer is not HTTP. */
  | 'malformed'
  /** The answer's headers do not end. */
  | 'too_large'
  /** 3xx; it is not followed. */
  | 'redirect'
  /** Nothing was sent: the request can't be written as HTTP. */
  | 'unsendable'
  /** Nothing was sent: too many are waiting. */
  | 'busy'
  /** Nothing was sent: the sender is closed. */
  | 'closed';

export interface SendLimits {
  /** Until a connection is made, the look-up of the name included. */
  readonly connectMsMax: number;
  /** From its turn to the last byte of the answer. */
  readonly totalMsMax: number;
  readonly headerBytesMax: number;
  /** Of the answer's body; what comes after them is not waited for. */
  readonly bodyBytesMax: number;
  /** Of the answer's body, as it is returned. */
  readonly keptBytesMax: number;
  readonly underWayMax: number;
  readonly perHostMax: number;
  readonly waitingMax: number;
}
