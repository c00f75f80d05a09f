import type { UseClass } from '../../core/usage.ts';
import type { ScanRecord } from '../../lib/json-scan-record.ts';
import type { DemandTally } from '../demand-tally.ts';

/** Fees of the uses that an answer counts, where the request decides them. */
export interface ToolFees {
  readonly search: UseClass;
  readonly interpreter: UseClass;
  readonly shell: UseClass;
}

/** Tools that run at the client's. */
const CLIENT_TOOL = /^(?:function|custom|namespace|local_shell|apply_patch|computer(?:_use_preview)?)$/;
const SEARCH = /^web_search(_preview)?(?:_20\d\d_\d\d_\d\d)?$/;

/** Containers, the dearest last. The first is what a request gets that names no size. */
const CONTAINERS = [
  'codeInterpreter',
  'codeInterpreter4g',
  'codeInterpreter16g',
  'codeInterpreter64g',
] as const satisfies readonly UseClass[];
const SEARCHES = ['webSearch', 'webSearchPreview'] as const satisfies readonly UseClass[];
const SIZES: ReadonlyMap<string, number> = new Map([
  ['1g', 0],
  ['4g', 1],
  ['16g', 2],
  ['64g', 3],
]);
const LARGEST = CONTAINERS.length - 1;
/** Containers that the provider makes for the call. */
const MADE_FOR_CALL: ReadonlySet<string> = new Set(['auto', 'container_auto']);

/** Collects the tools of one Responses request that the provider runs, with the dearest fee of each kind. */
export class RequestedTools {
  #first: string | null = null;
  /** Indexes into the lists of fees; null = there is no such tool. */
  #search: number | null = null;
  #interpreter: number | null = null;
  #shell: number | null = null;
  #fileSearch = false;

  /** Reads one tool. Returns the name of a tool that no rule here bounds, else null. */
  read(tool: ScanRecord): string | null {
    const type = tool.text('type') ?? '';
    const local =
      (type === 'shell' && tool.text('environment.type') === 'local') ||
      (type === 'tool_search' && tool.text('execution') === 'client');
    if (local || CLIENT_TOOL.test(type)) return null;
    if (!this.#add(type, tool)) return type;
    this.#first ??= type;
    return null;
  }

  #add(type: string, tool: ScanRecord): boolean {
    const search = SEARCH.exec(type);
    if (search) this.#search = Math.max(this.#search ?? 0, search[1] === undefined ? 0 : 1);
    else if (type === 'code_interpreter')
      this.#interpreter = Math.max(this.#interpreter ?? 0, containerSize(tool, 'container'));
    else if (type === 'shell') this.#shell = Math.max(this.#shell ?? 0, containerSize(tool, 'environment'));
    else if (type === 'file_search') this.#fileSearch = true;
    else return type === 'tool_search';
    return true;
  }

  /** All calls of all tools together are bounded by one field: `callsMax`. */
  addWork(tally: DemandTally, callsMax: number | null): void {
    if (this.#first === null) return;
    tally.work(callsMax, null, `tools[].${this.#first} without max_tool_calls`);
    const calls = callsMax ?? 0;
    if (this.#search !== null) tally.use(at(SEARCHES, this.#search), calls);
    if (this.#fileSearch) tally.use('fileSearch', calls);
    // The provider may start a container before any code runs in it.
    for (const size of [this.#interpreter, this.#shell])
      if (size !== null) tally.use(at(CONTAINERS, size), Math.max(1, calls));
  }

  /** An answer may tell of a tool that a stored prompt brought: its fee is the dearest. */
  get fees(): ToolFees {
    return {
      search: at(SEARCHES, this.#search ?? 1),
      interpreter: at(CONTAINERS, this.#interpreter ?? LARGEST),
      shell: at(CONTAINERS, this.#shell ?? LARGEST),
    };
  }
}

/** Index of the container's size. One given by its id may have any size, and so may one described in other words. */
function containerSize(tool: ScanRecord, field: 'container' | 'environment'): number {
  if ((tool.value(field) ?? null) === null) return 0;
  if (!MADE_FOR_CALL.has(tool.text(`${field}.type`) ?? '')) return LARGEST;
  const size = tool.text(`${field}.memory_limit`);
  return size === null ? 0 : (SIZES.get(size) ?? LARGEST);
}

function at(fees: readonly UseClass[], index: number): UseClass {
  return fees[index] ?? 'codeInterpreter64g';
}
