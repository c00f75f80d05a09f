import type { Inference, TokenCounts, Usage, UseCounts } from '../../domain/usage/usage.ts';
import { asCount, asObject, asText, asWord } from '../../lib/json/values.ts';
import { plainUsage, requiredCount, withoutZeros } from '../answer-tally.ts';

type UsageFields = Readonly<Record<string, unknown>>;

/**
 * Merges the `usage` of a later event into the earlier one. A stream repeats it with cumulative counts. Members that a later
 * one leaves out or sets to null (write breakdown, tier, geography, speed) keep their earlier value.
 */
export function mergeUsage(seen: UsageFields | null, later: unknown): UsageFields | null {
  const fields = asObject(later);
  if (fields === null) return seen;
  if (seen === null) return fields;
  const merged: Record<string, unknown> = { ...seen };
  for (const [name, value] of Object.entries(fields)) if (value !== null) merged[name] = value;
  return merged;
}

/**
 * Reads usage by the rules of the Anthropic API reference, "Messages", `usage` and its `iterations`.
 * @param othersPay the request has someone else billed
 */
export function readMessageUsage(fields: UsageFields, othersPay = false): Usage | null {
  const uses = readUses(fields);
  const inferences = readIterations(fields) ?? [readWhole(fields, Object.keys(uses).length > 0)];
  const usage = plainUsage({
    inferences,
    uses,
    thinking: asCount(asObject(fields['output_tokens_details'])?.['thinking_tokens']),
    terms: {
      tier: asWord(fields['service_tier']),
      speed: asWord(fields['speed']),
      geo: asWord(fields['inference_geo']),
    },
  });
  return usage !== null && (othersPay || hasCredit(fields)) ? { ...usage, otherBilling: true } : usage;
}

/** Returns true if cache writes were billed as reads because another model had refused the prompt. */
function hasCredit(fields: UsageFields): boolean {
  const credit = asObject(fields['fallback_credit']);
  return credit !== null && asObject(credit['status'])?.['type'] !== 'not_applied';
}

/** Returns the usage of an answer that was refused before any output: nothing is billed. */
export function unbilled(usage: Usage): Usage {
  return { ...usage, inferences: [{ model: null, tokens: {}, promptTokens: 0 }], uses: {}, thinking: 0 };
}

function readWhole(fields: UsageFields, serverTools: boolean): Inference {
  const inference = readInference(fields, null);
  // Server tools cause several passes, but only their sum is reported, so no pass is known to be long.
  return serverTools ? { ...inference, promptTokens: null } : inference;
}

/** Returns one inference per pass; null = the answer does not list its passes, and the top level has all usage. */
function readIterations(fields: UsageFields): Inference[] | null {
  const list = fields['iterations'];
  if (!Array.isArray(list) || list.length === 0) return null;
  const entries = list.map((entry) => asObject(entry) ?? {});
  const fellBack = entries.some((entry) => entry['type'] === 'fallback_message');
  return entries
    .filter((entry) => !(fellBack && isDeclined(entry)))
    .map((entry) => readInference(entry, asText(entry['model'])));
}

/** Returns true for a model that declined before any output, so that another one answered. It is not billed. */
function isDeclined(entry: UsageFields): boolean {
  return entry['type'] === 'message' && asCount(entry['output_tokens']) === 0;
}

function readInference(fields: UsageFields, model: string | null): Inference {
  const input = requiredCount(fields['input_tokens']);
  const cacheRead = asCount(fields['cache_read_input_tokens']);
  const writes = readCacheWrites(fields);
  const tokens: TokenCounts = withoutZeros({
    input,
    cacheRead,
    cacheWrite5m: writes.fiveMinutes,
    cacheWrite1h: writes.oneHour,
    output: requiredCount(fields['output_tokens']),
  });
  return { model, tokens, promptTokens: input + cacheRead + writes.fiveMinutes + writes.oneHour };
}

/**
 * Reads cache writes. In a stream their sum is cumulative, but the breakdown comes only at the start. Later writes get the
 * lifetime of the earlier ones, or five minutes if those were mixed or absent.
 */
function readCacheWrites(fields: UsageFields): { fiveMinutes: number; oneHour: number } {
  const breakdown = asObject(fields['cache_creation']) ?? {};
  const fiveMinutes = asCount(breakdown['ephemeral_5m_input_tokens']);
  const oneHour = asCount(breakdown['ephemeral_1h_input_tokens']);
  const sum = fields['cache_creation_input_tokens'];
  if (sum === undefined || sum === null) return { fiveMinutes, oneHour };
  const all = asCount(sum);
  const long = oneHour > 0 && fiveMinutes === 0 ? all : Math.min(oneHour, all);
  return { fiveMinutes: all - long, oneHour: long };
}

function readUses(fields: UsageFields): UseCounts {
  const used = asObject(fields['server_tool_use']);
  return used === null
    ? {}
    : withoutZeros({
        webSearch: asCount(used['web_search_requests']),
        webFetch: asCount(used['web_fetch_requests']),
        codeExecution: asCount(used['code_execution_requests']),
      });
}
