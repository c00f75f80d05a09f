import type { ScanRecord } from '../../lib/json/scan-record.ts';
import { type DemandTally, readCacheControl } from '../demand-tally.ts';
import type { ToolMaximum } from '../forward-plan.ts';
import { recordPlace } from '../request-body.ts';

/** Tokens of the provider's own prompt for a client tool, by the start of its type; rounded up. */
const CLIENT_TOOLS: readonly (readonly [string, number])[] = [
  // Claude docs, "Pricing" (bash 244 to 325, text editor 700) and "Computer use tool" (735 and 499; the toolset 4,590).
  ['bash_', 400],
  ['text_editor_', 800],
  ['computer_toolset_', 5_000],
  ['computer_', 1_500],
  // Claude docs, "Browser use tool" (6,670).
  ['browser_toolset_', 7_500],
  // No figure is published. The description has a few hundred words.
  ['memory_', 2_000],
];

const WEB_TOOL = /^web_(search|fetch)_(\d{8})$/;
/** Later versions run the tool from the model's code by default. */
const LAST_DIRECT_VERSION = 20_260_208;
/**
 * Maximum passes of the model for one request with server tools, "10 iterations per request" by default: Claude docs, "Stop
 * reasons and fallback", `pause_turn`. A use beyond `max_uses` returns an error, which the model reads too.
 */
const LOOP_ITERATIONS = 10;
/** Characters of a client-defined type shown in errors. */
const SHOWN_TYPE_CHARS_MAX = 64;

/** Adds what a tool lets the provider do by itself: Claude docs, "Server tools" and the page of each tool. */
export function readAnthropicTool(tool: ScanRecord, tally: DemandTally, maxima: ToolMaximum[]): void {
  readCacheControl(tool, tally);
  const type = tool.text('type');
  if (type === null || type === 'custom') return;
  const client = CLIENT_TOOLS.find(([beginning]) => type.startsWith(beginning));
  if (client) tally.preambleTokens += client[1];
  else readServerTool(type, tool, tally, maxima);
}

/** Tools without a bound that have no fee, or none for each use: Claude docs, "Pricing". */
const IN_TOKENS = /^(?:code_execution_|mcp_toolset|tool_search_tool_)/;

function readServerTool(type: string, tool: ScanRecord, tally: DemandTally, maxima: ToolMaximum[]): void {
  const web = WEB_TOOL.exec(type);
  const isAdvisor = type.startsWith('advisor_');
  const field = `tools[].${type.slice(0, SHOWN_TYPE_CHARS_MAX)}`;
  if (!web && !isAdvisor) return IN_TOKENS.test(type) ? tally.unbounded(field) : tally.unlistedFee(field);
  if (!isDirect(tool, web ? Number(web[2]) : 0))
    return tally.unbounded(`${field} without "allowed_callers": ["direct"]`);
  const uses = tool.count('max_uses') || null;
  const otherwise = `${field} without max_uses`;
  // A maximum that is no number from 1 up is not replaced, because it is unknown what the provider makes of it.
  if (uses === null && (tool.value('max_uses') ?? null) !== null) return tally.unbounded(otherwise);
  maxima.push({ place: recordPlace(tool, 'max_uses'), says: uses });
  const isSearch = web?.[1] === 'search';
  tally.loopTool({
    uses,
    fees: isAdvisor ? [] : [isSearch ? 'webSearch' : 'webFetch'],
    leastFees: [],
    iterations: LOOP_ITERATIONS,
    isSearch,
    asksModel: isAdvisor,
    otherwise,
  });
  if (!isAdvisor) return;
  tally.otherModel(tool.value('model'), field);
  readCacheControl(tool, tally, 'caching');
}

/** Returns true if only the model calls the tool, and no code does. */
function isDirect(tool: ScanRecord, version: number): boolean {
  const callers = tool.value('allowed_callers');
  if (callers === undefined || callers === null) return version <= LAST_DIRECT_VERSION && !tool.find('allowed_callers');
  return Array.isArray(callers) && callers.length > 0 && callers.every((caller) => caller === 'direct');
}
