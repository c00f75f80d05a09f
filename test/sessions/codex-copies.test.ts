import { describe, expect, it } from 'vitest';
import type { LocalCall } from '../../src/domain/sessions/local-call.ts';
import { ROLLOUTS } from '../../src/sessions/codex/rollouts.ts';
import { type Random, seeded, seedOfRun } from '../seeded.ts';
import { chance, pick, shuffled, whole } from './chance.ts';
import { NO_USAGE, RolloutDraft, timedId } from './codex-rollout.ts';

const seed = seedOfRun();
const FAMILIES = 400;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const NOON = Date.UTC(2026, 8, 10, 12);

/** How a fork shows what it inherited. */
const SHAPES = ['timed', 'described', 'bare', 'agent', 'dated', 'counter', 'independent'] as const;
type Shape = (typeof SHAPES)[number];

/** One file, with the requests that it made and those that it repeats: each has another input. */
interface Made {
  readonly draft: RolloutDraft;
  readonly own: readonly number[];
  readonly copied: readonly number[];
}

/** A thread that others may be forked from. */
interface Parent {
  readonly thread: string;
  readonly rows: readonly string[];
  readonly requests: readonly number[];
  readonly isTimed: boolean;
  readonly draft: RolloutDraft;
}

class FamilyWriter {
  readonly files: Made[] = [];
  /** Requests that a fork repeats without their turns, so that nothing but their time may show that they are copies. */
  readonly turnless = new Set<number>();
  readonly #random: Random;
  readonly #parents: Parent[] = [];
  #at = NOON;
  #input = 1_000;
  #name = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  write(): this {
    this.#root();
    for (let left = whole(this.#random, 1, 6); left > 0; left--)
      this.#child(this.#parents[whole(this.#random, 0, this.#parents.length - 1)]!);
    return this;
  }

  #id(isTimed: boolean): string {
    const number = ++this.#name;
    return isTimed ? timedId(this.#at, `${number}`) : `id-${number}`;
  }

  #root(): void {
    const isTimed = chance(this.#random, 0.5);
    const thread = this.#id(isTimed);
    const draft = new RolloutDraft({ thread, at: this.#at });
    const own = this.#work(draft, isTimed);
    this.files.push({ draft, own, copied: [] });
    const rows = [...draft.rows];
    const requests = [...own];
    if (chance(this.#random, 0.3)) {
      const meta = { history_mode: 'paginated', history_base: { thread_id: thread } };
      const page = new RolloutDraft({ thread, at: this.#at, meta, total: draft.total });
      const more = this.#work(page, isTimed);
      this.files.push({ draft: page, own: more, copied: [] });
      rows.push(...page.rows.slice(1));
      requests.push(...more);
      draft.total = page.total;
    }
    this.#parents.push({ thread, rows, requests, isTimed, draft });
  }

  /** Two requests at least: one alone may be alike by chance. */
  #work(draft: RolloutDraft, isTimed: boolean): number[] {
    const inputs: number[] = [];
    draft.wait(2 * SECOND);
    for (let turns = whole(this.#random, 1, 2); turns > 0; turns--) {
      this.#at = draft.at;
      draft.turn(this.#id(isTimed));
      for (let left = whole(this.#random, 2, 3); left > 0; left--) {
        const usage = { input: (this.#input += whole(this.#random, 1, 9)), output: whole(this.#random, 1, 99) };
        draft.wait(whole(this.#random, 2 * SECOND, MINUTE));
        if (isTimed && chance(this.#random, 0.5)) draft.record(`resp_${usage.input}`, usage);
        draft.count(usage);
        if (chance(this.#random, 0.3)) draft.tell();
        inputs.push(usage.input);
      }
      draft.wait(MINUTE);
    }
    this.#at = draft.at;
    return inputs;
  }

  #child(parent: Parent): void {
    const shape = this.#shapeFor(parent);
    const isTimed = shape === 'timed' || shape === 'counter';
    this.#at += MINUTE;
    const thread = this.#id(isTimed);
    const named = shape === 'agent' ? { parent_thread_id: parent.thread } : { forked_from_id: parent.thread };
    const draft = new RolloutDraft({ thread, at: this.#at, meta: named });
    const isCopy = shape !== 'counter' && shape !== 'independent';
    if (isCopy) this.#replay(draft, parent, shape);
    if (shape !== 'independent') draft.total = parent.draft.total;
    if (shape === 'counter') draft.turn(this.#id(isTimed)).tell(NO_USAGE);
    const copied = isCopy ? parent.requests : [];
    const own = this.#work(draft, isTimed);
    this.files.push({ draft, own, copied });
    const requests = [...copied, ...own];
    this.#parents.push({ thread, rows: [...draft.rows], requests, isTimed: isTimed && parent.isTimed, draft });
  }

  /** Rows of turns without a time can't be told by it. */
  #shapeFor(parent: Parent): Shape {
    const shape = pick(this.#random, SHAPES);
    return shape === 'timed' && !parent.isTimed ? 'bare' : shape;
  }

  #replay(draft: RolloutDraft, parent: Parent, shape: Shape): void {
    const counters = parent.rows.filter((row) => row.includes('token_count'));
    if (shape !== 'timed' && shape !== 'described') for (const input of parent.requests) this.turnless.add(input);
    if (shape === 'timed') draft.replay(parent.rows.slice(1), whole(this.#random, 0, 2 * SECOND));
    else if (shape === 'described') draft.replay(parent.rows, whole(this.#random, 0, 40));
    else if (shape === 'bare') draft.replay(counters, whole(this.#random, 0, 100));
    else if (shape === 'agent') {
      draft.replay(counters, whole(this.#random, 0, 4 * SECOND));
      draft.row('inter_agent_communication_metadata', { trigger_turn: true });
    } else this.#replayDated(draft, counters);
  }

  /** With the times that they had. */
  #replayDated(draft: RolloutDraft, rows: readonly string[]): void {
    const { at } = draft;
    for (const row of rows) {
      draft.at = Date.parse((JSON.parse(row) as { timestamp: string }).timestamp);
      draft.replay([row]);
    }
    draft.at = at;
  }
}

function resolved(random: Random, files: readonly Made[]) {
  const doubled = files.flatMap((file) => (chance(random, 0.2) ? [file, file] : [file]));
  return ROLLOUTS.resolve(
    shuffled(random, doubled).map(({ draft }, index) => {
      const file = { path: `/s/${index}`, sessionId: draft.thread, size: 0, modifiedAt: 0, inode: `${index}` };
      const reader = ROLLOUTS.read(file, null);
      const bytes = Buffer.from(draft.text);
      reader.block(bytes, 0, bytes.length);
      return { file, facts: reader.facts() };
    }),
  );
}

function inputOf({ usage }: LocalCall): number {
  return usage.inferences[0]?.tokens.input ?? 0;
}

describe(`families of Codex threads, seed ${seed}`, () => {
  it('count each request once if some files are missing or duplicated, and mark requests known only from copies', () => {
    for (let round = 0; round < FAMILIES; round++) {
      const random = seeded(seed + round);
      const { files, turnless } = new FamilyWriter(random).write();
      const left = round % 4 === 0 ? files : files.filter(() => chance(random, 0.6));
      const own = new Set(left.flatMap((file) => file.own));
      const copied = new Set(left.flatMap((file) => file.copied).filter((input) => !own.has(input)));
      const calls = resolved(random, left);
      const ascending = (inputs: Iterable<number>) =>
        [...inputs].filter((input) => own.has(input) || !turnless.has(input)).toSorted((a, b) => a - b);
      expect(ascending(calls.map(inputOf)), `round ${round}`).toEqual(ascending([...own, ...copied]));
      const marked = calls.filter((call) => call.copied).map(inputOf);
      expect(ascending(marked), `round ${round}`).toEqual(ascending(copied));
      expect(new Set(calls.map(inputOf)).size, `round ${round}`).toBe(calls.length);
      expect(
        marked.filter((input) => !copied.has(input)),
        `round ${round}`,
      ).toEqual([]);
    }
  });
});
