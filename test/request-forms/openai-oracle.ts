import type { UseClass } from '../../src/domain/usage/usage.ts';
import { noReach, type Reach } from './bill.ts';
import type { Json } from './json-tree.ts';
import { ANYTHING, anywhere, at, counts, isUsed, objects, textBytes, used, type Word, words } from './readings.ts';
import { cardOf, type Scene } from './scene.ts';

const CLIENT_TOOL = /^(?:function|custom|namespace|local_shell|apply_patch|computer|computer_use_preview)$/;
const TEXT_PART = /^(?:text|refusal|thinking|reasoning|input_text|output_text|summary_text|reasoning_text)$/;
const PICTURE = /^(?:image_url|input_image|computer_screenshot)$/;
/** OpenAI docs, "Images and vision": one picture at the least that any size of it comes to, which all figures exceed. */
const PICTURE_TOKENS = 85;
const TIERS: readonly string[] = [];
const PER_MILLION = 1_000_000;

export function readChat(scene: Scene, body: Json): Reach {
  const top = [body];
  const models = at(top, 'models').filter(isUsed);
  const others = models.flatMap((value) => (value.kind === 'list' ? value.items : [value]));
  const names = others.map((each) => (each.kind === 'scalar' && typeof each.value === 'string' ? each.value : null));
  const reach = noReach([scene.model, ...names].map((name) => (name === null ? null : cardOf(scene, name))));
  reach.reruns = names.length;
  reach.input = textBytes([...at(top, 'messages'), ...at(top, 'tools'), ...at(top, 'functions')]);
  for (const part of objects(at(top, 'messages', 'content'))) readPart(part, reach);
  if (used(top, 'messages', 'audio')) reach.input = Infinity;
  const maxima = counts([...at(top, 'max_tokens'), ...at(top, 'max_completion_tokens')].filter(isUsed));
  reach.output = maxima.length === 0 ? Infinity : Math.max(...maxima.map((each) => each || Infinity));
  reach.answers = Math.max(1, ...counts(at(top, 'n')).map((each) => each ?? 1));
  readKinds(top, reach);
  readTerms(top, scene, reach);
  readOpenRouterCache(top, reach);
  if (scene.priceProvider === 'openrouter') {
    readEndpoint(top, reach);
    readRequired(top, reach);
  } else if (scene.priceProvider !== 'openai' && used(top, 'provider')) reach.unbounded = 'provider';
  if (used(top, 'prediction')) reach.passes++;
  for (const name of ['web_search_options', 'search_parameters', 'plugins', 'deferred', 'preset'])
    if (used(top, name)) reach.unbounded = name;
  for (const tool of objects(at(top, 'tools')))
    if (words(at([tool], 'type')).some((type) => type === ANYTHING || !/^(?:function|custom)$/.test(type)))
      reach.unbounded = 'tools';
  return reach;
}

export function readResponses(scene: Scene, body: Json): Reach {
  const top = [body];
  const reach = noReach([cardOf(scene, scene.model)]);
  reach.input = textBytes([...at(top, 'input'), ...at(top, 'instructions'), ...at(top, 'tools')]);
  for (const part of objects([...at(top, 'input', 'content'), ...at(top, 'input', 'output')])) readPart(part, reach);
  for (const name of ['previous_response_id', 'conversation']) if (used(top, name)) reach.input = Infinity;
  if (used(top, 'prompt')) reach.unbounded = 'prompt';
  const maxima = counts(at(top, 'max_output_tokens'));
  reach.output = maxima.length === 0 ? Infinity : Math.max(...maxima.map((each) => each || Infinity));
  readTerms(top, scene, reach);
  const edits = at(top, 'context_management').filter(isUsed);
  if (objects(edits).length > 0) reach.passes++;
  readServerTools(top, reach);
  return reach;
}

export function readEmbeddings(scene: Scene, body: Json): Reach {
  const reach = noReach([cardOf(scene, scene.model)]);
  const inputs = at([body], 'input').flatMap((value) => (value.kind === 'list' ? value.items : [value]));
  // Objects are pictures, sound or files.
  reach.listed = inputs.flatMap((input) => {
    const media = objects([input]).map(() => Infinity);
    return media.length > 0 ? media : [textBytes([input])];
  });
  return reach;
}

function readPart(part: Json, reach: Reach): void {
  for (const type of words(at([part], 'type'))) {
    if (type !== ANYTHING && TEXT_PART.test(type)) continue;
    if (type !== ANYTHING && PICTURE.test(type)) reach.input += PICTURE_TOKENS;
    else reach.input = Infinity;
    if (type === 'input_audio') reach.inputClasses.add('inputAudio');
  }
}

function readKinds(top: readonly Json[], reach: Reach): void {
  const kinds = words(at(top, 'modalities'));
  if (kinds.includes('audio') || used(top, 'audio')) reach.outputClasses.add('outputAudio');
  if (kinds.includes('image')) reach.outputClasses.add('outputImage');
  if (kinds.includes(ANYTHING)) reach.maybe.add('outputImage').add('outputAudio');
}

function readTerms(top: readonly Json[], { priceProvider }: Scene, reach: Reach): void {
  const said: Word[] = words(at(top, 'service_tier'), TIERS);
  reach.tiers = said.map((word) => (word === 'fast' ? 'priority' : word === 'auto' ? ANYTHING : word));
  // OpenAI's project decides where nothing is said.
  if (said.length === 0 && priceProvider === 'openai') reach.tiers.push(ANYTHING);
  const marks = anywhere([...at(top, 'messages'), ...at(top, 'input')], 'prompt_cache_breakpoint');
  const lives = [...at(top, 'prompt_cache_options'), ...marks].filter(isUsed);
  const long = lives.some((each) =>
    each.kind === 'object' ? words(at([each], 'ttl')).some((life) => life === '12h' || life === ANYTHING) : true,
  );
  const writes = reach.cards.some((card) => card?.tiers[0]?.rates.cacheWrite !== undefined);
  if (writes) reach.inputClasses.add('cacheWrite');
  if (writes && long) reach.inputClasses.add('cacheWrite12h');
  const modes = words(at(top, 'reasoning', 'mode'));
  if (modes.some((mode) => mode === ANYTHING || mode === 'pro')) reach.unbounded = 'reasoning.mode';
}

function readOpenRouterCache(top: readonly Json[], reach: Reach): void {
  const writes = reach.cards.some((card) => card?.tiers[0]?.rates.cacheWrite !== undefined);
  for (const place of [top, at(top, 'messages', 'content'), at(top, 'tools')])
    for (const value of at(place, 'cache_control').filter(isUsed)) {
      const lives = value.kind === 'object' ? words(at([value], 'ttl')) : [ANYTHING];
      if (writes && lives.some((life) => life === '1h' || life === ANYTHING)) reach.inputClasses.add('cacheWrite1h');
    }
}

/** An endpoint that ignores the maximum answers as long as it likes. */
function readRequired(top: readonly Json[], reach: Reach): void {
  const required = at(top, 'provider', 'require_parameters');
  if (required.length === 0 || required.some((each) => each.kind !== 'scalar' || each.value !== true))
    reach.unbounded = 'require_parameters';
}

/** An endpoint is as dear as `provider.max_price` lets it be, whatever the model's listed price is. */
function readEndpoint(top: readonly Json[], reach: Reach): void {
  const rates = reach.cards.map((card) => card?.tiers[0]?.rates);
  for (const [name, listed] of [
    ['prompt', Math.max(...rates.map((each) => each?.input ?? 0))],
    ['completion', Math.max(...rates.map((each) => each?.output ?? 0))],
  ] as const) {
    const most = at(top, 'provider', 'max_price', name).map((each) =>
      each.kind === 'scalar' && each.value !== null && each.value !== '' ? Number(each.value) * PER_MILLION : Infinity,
    );
    if (most.length === 0 || most.some((each) => !(each >= 0 && each <= listed + 0.5))) reach.unbounded = name;
  }
}

/** The cheapest first. */
const SIZES: ReadonlyMap<Word, UseClass> = new Map([
  ['1g', 'codeInterpreter'],
  ['4g', 'codeInterpreter4g'],
  ['16g', 'codeInterpreter16g'],
]);

/** A container for each call, and one at the least. One that is not made for the call may be of any size. */
function addContainer(values: readonly Json[], reach: Reach): void {
  const described = values.filter(isUsed);
  const made = described.every(
    (each) =>
      words(at([each], 'type')).every((type) => type === 'auto' || type === 'container_auto') && used([each], 'type'),
  );
  const sizes = words(at(described, 'memory_limit'));
  const classes = made ? sizes.map((size) => SIZES.get(size) ?? 'codeInterpreter64g') : ['codeInterpreter64g' as const];
  const highest = [...SIZES.values(), 'codeInterpreter64g' as const].findLast((each) => classes.includes(each));
  reach.fees.set(highest ?? 'codeInterpreter', Math.max(1, reach.loop.passes));
}

function readServerTools(top: readonly Json[], reach: Reach): void {
  const tools = objects(at(top, 'tools'));
  const nested = tools.flatMap((tool) => objects(at([tool], 'tools')));
  const most = counts(at(top, 'max_tool_calls'));
  let others = false;
  for (const tool of [...tools, ...nested, ...nested.flatMap((each) => objects(at([each], 'tools')))])
    for (const type of words(at([tool], 'type'))) {
      if (type !== ANYTHING && CLIENT_TOOL.test(type)) continue;
      if (type === 'shell' && words(at([tool], 'environment', 'type')).includes('local')) continue;
      if (type === 'tool_search' && words(at([tool], 'execution')).includes('client')) continue;
      if (most.length === 0 || most.includes(null) || type === ANYTHING) reach.unbounded = 'tools';
      else reach.loop.passes = Math.max(...most.map((each) => each ?? 0));
      reach.loop.searches = type !== ANYTHING && type.startsWith('web_search') && !others ? reach.loop.passes : null;
      others = reach.loop.searches === null;
      if (type !== ANYTHING && type.startsWith('web_search')) reach.fees.set('webSearch', reach.loop.passes);
      if (type === 'file_search') reach.fees.set('fileSearch', reach.loop.passes);
      if (type === 'code_interpreter') addContainer(at([tool], 'container'), reach);
      if (type === 'shell') addContainer(at([tool], 'environment'), reach);
    }
}
