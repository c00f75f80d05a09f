import type { LocalCall } from '../../src/domain/sessions/local-call.ts';
import { TOKEN_CLASSES } from '../../src/domain/usage/usage.ts';

/** Calls in an order of their own, without the classes of tokens that are 0: equal where they mean the same. */
export function sortedCalls(calls: readonly LocalCall[]): LocalCall[] {
  return calls
    .map((call) => ({ text: JSON.stringify(plain(call)), call: plain(call) }))
    .toSorted((a, b) => a.call.at - b.call.at || (a.text < b.text ? -1 : 1))
    .map(({ call }) => call);
}

function plain(call: LocalCall): LocalCall {
  const { source, sessionId, project, model, at, usage } = call;
  const inferences = usage.inferences.map(({ model: own, tokens, promptTokens }) => {
    const counts = TOKEN_CLASSES.filter((name) => tokens[name]).map((name) => [name, tokens[name]] as const);
    return { model: own, tokens: Object.fromEntries(counts), promptTokens };
  });
  const { uses, thinking, terms } = usage;
  return { source, sessionId, project, model, at, usage: { inferences, uses, thinking, terms } };
}
