import { capture, JsonPick, look, type PickNode } from '../../lib/json/pick.ts';

type MemberPath = readonly string[];

const ROW = [
  'type',
  'timestamp',
  'requestId',
  'uuid',
  'sessionId',
  'cwd',
  'isSidechain',
  'isApiErrorMessage',
  'forkedFrom',
  'requestSessionId',
];
const MESSAGE = ['role', 'id', 'model', 'stop_reason', 'usage'];
const MEMBERS: readonly MemberPath[] = [
  ...ROW.map((name) => [name]),
  ...MESSAGE.map((name) => ['message', name]),
  ['data', 'type'],
  ...ROW.map((name) => ['data', 'message', name]),
  ...MESSAGE.map((name) => ['data', 'message', 'message', name]),
];
const PLAN = buildPlan(0, MEMBERS);

/** Reads a row that is too long for memory, and keeps only the members needed for usage. */
export class LongRowReader {
  readonly #values: Record<string, unknown> = {};
  readonly #pick = new JsonPick(PLAN, (slot, value) => setAtPath(this.#values, MEMBERS[slot] ?? [], value));
  #isSkipped = false;

  /** Reads a piece. A row that turns out to have no usage, such as a picture or file state, is skipped. */
  push(piece: Buffer): void {
    if (this.#isSkipped) return;
    this.#pick.push(piece);
    const { type, message } = this.#values;
    const isOther = typeof type === 'string' && type !== 'assistant' && type !== 'progress';
    this.#isSkipped = isOther || (isRecord(message) && message['role'] === 'user');
  }

  /** Returns the needed members of the row; null = it has no usage; undefined = it could not be read. */
  end(): unknown {
    if (this.#isSkipped) return null;
    return this.#pick.complete && !this.#pick.malformed && !this.#pick.oversize ? this.#values : undefined;
  }
}

function buildPlan(depth: number, paths: readonly MemberPath[]): PickNode {
  const names = new Set(paths.map((path) => path[depth] ?? ''));
  const members = Array.from(names, (name): [string, PickNode] => {
    const below = paths.filter((path) => path[depth] === name);
    const [first] = below;
    const isLast = first?.length === depth + 1;
    return [name, isLast ? capture(MEMBERS.indexOf(first)) : buildPlan(depth + 1, below)];
  });
  return look(Object.fromEntries(members));
}

function setAtPath(target: Record<string, unknown>, [name, ...rest]: MemberPath, value: unknown): void {
  if (name === undefined) return;
  if (rest.length === 0) target[name] = value;
  else setAtPath((target[name] ??= {}) as Record<string, unknown>, rest, value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
