import type { UseClass } from '../../domain/usage/usage.ts';
import type { ScanRecord } from '../../lib/json/scan-record.ts';
import type { DemandTally } from '../demand-tally.ts';

/** Fees of tool uses that depend on the request. */
export interface ToolFees {
  readonly search: UseClass;
  readonly interpreter: ContainerFee;
  readonly shell: ContainerFee;
}

export interface ContainerFee {
  /** The highest possible fee. */
  readonly use: UseClass;
  /** The request specifies the container's size. */
  readonly known: boolean;
}

/** Tools that run on the client. */
const CLIENT_TOOL = /^(?:function|custom|namespace|local_shell|apply_patch|computer(?:_use_preview)?)$/;
const SEARCH = /^web_search(_preview)?(?:_20\d\d_\d\d_\d\d)?$/;

/** Containers, the most expensive last. The first one is the default. */
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

/** Size of a container as an index into the list of fees. */
interface ContainerSize {
  readonly largest: number;
  /** The container has exactly this size. */
  readonly known: boolean;
}

const SMALLEST: ContainerSize = { largest: 0, known: true };
const UNKNOWN_SIZE: ContainerSize = { largest: CONTAINERS.length - 1, known: false };
/** Types of containers that the provider creates for the call. */
const MADE_FOR_CALL: ReadonlySet<string> = new Set(['auto', 'container_auto']);

/** Returns the name of a tool that does not run on the client; null = it does. */
export function hostedTool(tool: ScanRecord): string | null {
  const type = tool.text('type') ?? '';
  const isLocal =
    (type === 'shell' && tool.text('environment.type') === 'local') ||
    (type === 'tool_search' && tool.text('execution') === 'client');
  return isLocal || CLIENT_TOOL.test(type) ? null : type;
}

/** Collects the tools of one Responses request that the provider runs, with the highest fee of each kind. */
export class RequestedTools {
  #first: string | null = null;
  /** Index into the list of fees; null = no such tool. */
  #search: number | null = null;
  #interpreter: ContainerSize | null = null;
  #shell: ContainerSize | null = null;
  #fileSearch = false;
  #onlySearches = true;

  /** Reads one tool. Returns the name of a tool without a bound, else null. */
  read(tool: ScanRecord): string | null {
    const type = hostedTool(tool);
    if (type === null) return null;
    if (!this.#add(type, tool)) return type;
    this.#first ??= type;
    this.#onlySearches &&= SEARCH.test(type);
    return null;
  }

  #add(type: string, tool: ScanRecord): boolean {
    const search = SEARCH.exec(type);
    if (search) this.#search = Math.max(this.#search ?? 0, search[1] === undefined ? 0 : 1);
    else if (type === 'code_interpreter')
      this.#interpreter = eitherSize(this.#interpreter, containerSize(tool, 'container'));
    else if (type === 'shell') this.#shell = eitherSize(this.#shell, containerSize(tool, 'environment'));
    else if (type === 'file_search') this.#fileSearch = true;
    else return type === 'tool_search';
    return true;
  }

  /** Returns true if a tool of the provider is among them. */
  get areRequested(): boolean {
    return this.#first !== null;
  }

  /**
   * Adds the work of all tools, which one field limits together.
   * @param callsMax its value; null = absent. A value that is no number from 1 up is not replaced, because it is unknown
   *   what the provider makes of it.
   */
  addWork(tally: DemandTally, callsMax: number | null | 'unclear'): void {
    if (this.#first === null) return;
    const otherwise = `tools[].${this.#first} without max_tool_calls`;
    if (callsMax === 'unclear') return tally.unbounded(otherwise);
    const fees: UseClass[] = [];
    if (this.#search !== null) fees.push(at(SEARCHES, this.#search));
    if (this.#fileSearch) fees.push('fileSearch');
    // The provider may start a container before any code runs in it.
    const leastFees = [this.#interpreter, this.#shell].flatMap((size) =>
      size === null ? [] : [containerFee(size).use],
    );
    tally.loopTool({
      uses: callsMax,
      fees,
      leastFees,
      // Calls beyond the maximum are ignored: OpenAI API reference, `max_tool_calls`.
      iterations: 0,
      isSearch: this.#onlySearches,
      asksModel: false,
      otherwise,
    });
  }

  /** Returns the fees. A tool of a stored prompt is unknown: its search has the highest fee, its container any size. */
  get fees(): ToolFees {
    return {
      search: at(SEARCHES, this.#search ?? 1),
      interpreter: containerFee(this.#interpreter ?? UNKNOWN_SIZE),
      shell: containerFee(this.#shell ?? UNKNOWN_SIZE),
    };
  }
}

/** Reads the size of a container. One given by id, or in an unknown form, may have any size. */
function containerSize(tool: ScanRecord, field: 'container' | 'environment'): ContainerSize {
  if ((tool.value(field) ?? null) === null) return SMALLEST;
  if (!MADE_FOR_CALL.has(tool.text(`${field}.type`) ?? '')) return UNKNOWN_SIZE;
  const size = tool.text(`${field}.memory_limit`);
  if (size === null) return SMALLEST;
  const index = SIZES.get(size);
  return index === undefined ? UNKNOWN_SIZE : { largest: index, known: true };
}

/** Combines the sizes of two tools of one kind, because an answer does not say which one ran. */
function eitherSize(one: ContainerSize | null, other: ContainerSize): ContainerSize {
  if (one === null) return other;
  const known = one.known && other.known && one.largest === other.largest;
  return { largest: Math.max(one.largest, other.largest), known };
}

function containerFee({ largest, known }: ContainerSize): ContainerFee {
  return { use: at(CONTAINERS, largest), known };
}

function at(fees: readonly UseClass[], index: number): UseClass {
  return fees[index] ?? 'codeInterpreter64g';
}
