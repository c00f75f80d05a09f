import { noReach, type Reach } from './bill.ts';
import type { Json } from './json-tree.ts';
import { ANYTHING, at, counts, isUsed, objects, textBytes, used, type Word, words } from './readings.ts';
import { cardOf, type Scene } from './scene.ts';

/** Claude docs, "Vision": the most of one picture. */
const PICTURE_TOKENS = 4_784;
/** Claude docs, "Stop reasons and fallback": the default limit of the server-side sampling loop is 10 iterations per request. */
const SAMPLES_PER_REQUEST = 10;
/** Parts that are their text alone. */
const PLAIN = /^(?:text|thinking|redacted_thinking|search_result|tool_use|tool_result)$/;
const SERVER_TOOL = /^(?:web_search|web_fetch|code_execution|tool_search|advisor|mcp)/;
const CLIENT_TOOL = /^(?:custom|bash_|text_editor_|computer_|browser_|memory_)/;

export function readAnthropic(scene: Scene, body: Json): Reach {
  const top = [body];
  const fallbacks = objects(at(top, 'fallbacks'));
  const others = fallbacks.map((each) => modelOf(each));
  const reach = noReach([scene.model, ...others].map((name) => (name === null ? null : cardOf(scene, name))));
  reach.reruns = fallbacks.length;
  if (used(top, 'fallbacks') && fallbacks.length === 0 && words(at(top, 'fallbacks')).length > 0)
    reach.unbounded = 'fallbacks';
  readPrompt(top, reach);
  readCache(top, reach);
  readAnswer(top, fallbacks, reach);
  readWork(top, scene, reach);
  reach.speeds = words(
    [...at(top, 'speed'), ...fallbacks.flatMap((each) => at([each], 'speed'))],
    ['standard', 'fast'],
  );
  reach.tiers = words(at(top, 'service_tier'), ['auto', 'standard_only']);
  reach.geos = words(at(top, 'inference_geo'));
  // Where nothing is said the account decides.
  if (!used(top, 'inference_geo')) reach.geos.push(ANYTHING);
  return reach;
}

function modelOf(fallback: Json): string | null {
  const [model] = at([fallback], 'model');
  return model?.kind === 'scalar' && typeof model.value === 'string' ? model.value : null;
}

function readPrompt(top: readonly Json[], reach: Reach): void {
  reach.input = textBytes([...at(top, 'messages'), ...at(top, 'system'), ...at(top, 'tools')]);
  if (used(top, 'container') || used(top, 'thread', 'previous_message_id')) reach.input = Infinity;
  const parts = objects([...at(top, 'messages', 'content'), ...at(top, 'system')]);
  for (const part of parts) {
    const types = words(at([part], 'type'));
    if (types.includes('image')) reach.input += PICTURE_TOKENS;
    const sources = words(at([part], 'source', 'type'));
    if (types.includes('document') && !sources.every((each) => each === 'text' || each === 'content'))
      reach.input = Infinity;
    if (types.some((type) => type === ANYTHING || !(PLAIN.test(type) || type === 'image' || type === 'document')))
      reach.input = Infinity;
  }
}

function readCache(top: readonly Json[], reach: Reach): void {
  const places = [top, at(top, 'system'), at(top, 'tools'), at(top, 'messages', 'content')];
  for (const place of places) readLives(at(place, 'cache_control'), reach);
}

function readLives(marks: readonly Json[], reach: Reach): void {
  for (const mark of marks.filter(isUsed)) {
    reach.inputClasses.add('cacheWrite5m');
    const lives = mark.kind === 'object' ? words(at([mark], 'ttl')) : [ANYTHING];
    if (lives.some((life) => life === '1h' || life === ANYTHING)) reach.inputClasses.add('cacheWrite1h');
  }
}

/** The largest maximum that a reader may see; a budget that is not smaller makes the window the limit. */
function readAnswer(top: readonly Json[], fallbacks: readonly Json[], reach: Reach): void {
  const own = counts(at(top, 'max_tokens'));
  const theirs = fallbacks.flatMap((each) => counts(at([each], 'max_tokens').filter(isUsed)));
  const maxima = [...own, ...theirs].map((each) => each ?? Infinity);
  reach.output = own.length === 0 ? Infinity : Math.max(...maxima);
  const budgets = counts(at(top, 'thinking', 'budget_tokens').filter(isUsed)).map((each) => each ?? Infinity);
  reach.lifted = budgets.some((budget) => budget > 0 && maxima.some((most) => most <= budget));
}

function readWork(top: readonly Json[], scene: Scene, reach: Reach): void {
  const servers = at(top, 'mcp_servers').filter(isUsed);
  if (servers.some((value) => value.kind !== 'list' || value.items.length > 0)) reach.unbounded = 'mcp_servers';
  for (const edit of objects(at(top, 'context_management', 'edits')))
    if (words(at([edit], 'type')).some((type) => type === ANYTHING || type.startsWith('compact'))) reach.passes++;
  let asked = 0;
  for (const tool of objects(at(top, 'tools'))) asked += readTool(tool, scene, reach);
  // Uses that are refused are answered to the model as well, until the server stops sampling.
  if (asked > 0) reach.loop.passes = Math.max(asked, SAMPLES_PER_REQUEST);
}

/** How often the provider itself may run the tool. */
function readTool(tool: Json, scene: Scene, reach: Reach): number {
  let asked = 0;
  for (const type of words(at([tool], 'type'))) {
    if (type !== ANYTHING && CLIENT_TOOL.test(type)) continue;
    if (type !== ANYTHING && !SERVER_TOOL.test(type)) continue;
    const most = boundOf(tool, type);
    if (most === null) reach.unbounded = 'a tool';
    else {
      asked += most;
      const searches = type !== ANYTHING && type.startsWith('web_search') ? reach.loop.searches : null;
      reach.loop.searches = searches === null ? null : searches + most;
      if (type !== ANYTHING && type.startsWith('web_search'))
        reach.fees.set('webSearch', (reach.fees.get('webSearch') ?? 0) + most);
      if (type !== ANYTHING && type.startsWith('advisor')) readAdvisor(tool, most, scene, reach);
    }
  }
  return asked;
}

/** Another model is asked, in a pass of its own each time, and may write its own cache. */
function readAdvisor(tool: Json, asked: number, scene: Scene, reach: Reach): void {
  reach.passes += asked;
  const model = modelOf(tool);
  reach.cards.push(model === null ? null : cardOf(scene, model));
  readLives(at([tool], 'caching'), reach);
}

/** How often the model may call the tool; null = no field says it (0 is none either), or code may call it. */
function boundOf(tool: Json, type: Word): number | null {
  if (type === ANYTHING || !/^(?:web_search|web_fetch|advisor)_\d{8}$/.test(type)) return null;
  const callers = words(at([tool], 'allowed_callers'));
  const late = !type.startsWith('advisor') && Number(type.slice(-8)) > 20_260_208;
  const code = callers.length > 0 ? callers.some((each) => each !== 'direct') : late;
  const most = counts(at([tool], 'max_uses'));
  return !code && most.length > 0 && most.every((each) => each !== null && each > 0)
    ? Math.max(...most.map((each) => each ?? 0))
    : null;
}
