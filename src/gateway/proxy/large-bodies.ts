import { TollbookError } from '../../domain/errors.ts';
import { FairLanes, type LaneTurn } from '../../lib/concurrency/lanes.ts';
import { SliceQueue } from '../../lib/concurrency/slice-queue.ts';

/** Limits of bodies that take more than one slice. Waiting bodies also count in the budget for bodies. */
const READING = { totalMax: 1_000, perNameMax: 1, perOriginMax: 4, waitingMax: 2_000, sharesPlaces: true };

/** A body to read. One of `abandoned`, `done` and `failed` runs, once. An error thrown by `done` goes to `failed`. */
export interface LargeBody<Facts> {
  readonly key: string;
  /** Name of the client's share; null = unknown. */
  readonly address: string | null;
  readonly slices: Generator<undefined, Facts, undefined>;
  /** Reports that the client has disconnected, so that the facts are not needed. */
  readonly hasClientLeft: () => boolean;
  readonly abandoned: () => void;
  readonly done: (facts: Facts) => void;
  readonly failed: (failure: unknown) => void;
}

/**
 * Reads large bodies in slices. Most take one slice and are read immediately. The others are read one at a time per
 * key, a few at a time per address, one slice in each turn of the event loop, so that slow bodies of one key or
 * address delay no others.
 */
export class LargeBodies {
  readonly #lanes = new FairLanes(READING);
  readonly #turns = new SliceQueue();
  /** A body that has just come was read in this turn of the event loop. */
  #hasReadInTurn = false;

  read<Facts>(body: LargeBody<Facts>): void {
    if (this.#takeTurn() && this.#advance(body)) return;
    void this.#lanes.enter(body.key, body.address).then((turn) => this.#begin(turn, body));
  }

  /** Says whether the first slice may be read now: no other body waits for its turn, or has had this one. */
  #takeTurn(): boolean {
    if (this.#hasReadInTurn || !this.#turns.isEmpty) return false;
    this.#hasReadInTurn = true;
    setImmediate(() => (this.#hasReadInTurn = false));
    return true;
  }

  #begin<Facts>(turn: LaneTurn, body: LargeBody<Facts>): void {
    if (turn === 'go') this.#turns.wait(() => this.#goOn(body));
    else body.failed(tooManyLargeBodies());
  }

  #goOn<Facts>(body: LargeBody<Facts>): void {
    if (this.#advance(body)) this.#lanes.leave(body.key, body.address);
    else this.#turns.wait(() => this.#goOn(body));
  }

  /** Reads one slice. Returns true when there is nothing more to do. */
  #advance<Facts>({ slices, hasClientLeft: isLeft, abandoned: left, done, failed }: LargeBody<Facts>): boolean {
    try {
      if (isLeft()) {
        left();
        return true;
      }
      const slice = slices.next();
      if (!slice.done) return false;
      done(slice.value);
    } catch (failure) {
      failed(failure);
    }
    return true;
  }
}

function tooManyLargeBodies(): TollbookError {
  return new TollbookError(
    'unavailable',
    'Too many large bodies are waiting to be read; try again in a moment, or send fewer of them at a time.',
  );
}
