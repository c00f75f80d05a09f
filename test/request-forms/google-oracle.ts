import { noReach, type Reach } from './bill.ts';
import type { Json } from './json-tree.ts';
import { ANYTHING, anywhere, at, counts, folded, isUsed, objects, textBytes, used, words } from './readings.ts';
import { cardOf, type Scene } from './scene.ts';

/** The numbers of the enums, as protocol buffers write them. */
const MODALITIES = ['modality_unspecified', 'text', 'image', 'audio', 'video'];
const PROCESSING = ['media_processing_unspecified', 'static', 'agentic'];
const TIERS = ['unspecified', 'standard', 'flex', 'priority'];
/** Gemini API docs, "Media resolution": models from Gemini 3 on; for older ones no maximum is published. */
const PICTURE_TOKENS = 2_240;
const OLDER = /^gemini-[12]\b/;
/** Tools that run at the client's. */
const CLIENT_TOOLS = ['functiondeclarations', 'computeruse'];

export function readGoogle(scene: Scene, body: Json): Reach {
  const top = [body];
  const config = at(top, 'generationConfig');
  const reach = noReach([cardOf(scene, scene.model)]);
  readPrompt(top, scene, reach);
  readKinds(config, reach);
  const maxima = counts(at(config, 'maxOutputTokens'));
  reach.output = maxima.length === 0 ? Infinity : Math.max(...maxima.map((each) => each || Infinity));
  reach.answers = Math.max(1, ...counts(at(config, 'candidateCount')).map((each) => each ?? 1));
  reach.tiers = words(at(top, 'serviceTier'), TIERS);
  for (const name of ['routingConfig', 'modelSelectionConfig']) if (used(config, name)) reach.unbounded = name;
  for (const tool of objects(at(top, 'tools')))
    if (tool.kind === 'object')
      for (const [name, value] of tool.members)
        if (isUsed(value) && !CLIENT_TOOLS.includes(folded(name))) reach.unbounded = name;
  return reach;
}

function readPrompt(top: readonly Json[], { model }: Scene, reach: Reach): void {
  const prompt = [...at(top, 'contents'), ...at(top, 'systemInstruction'), ...at(top, 'tools')];
  reach.input = textBytes(prompt);
  // Tools are stored with cached content.
  if (used(top, 'cachedContent')) reach.unbounded = 'cachedContent';
  if (used(top, 'continuationToken') || anywhere(prompt, 'fileData').some(isUsed)) reach.input = Infinity;
  if (anywhere(prompt, 'numTokens').some(isUsed)) reach.input = Infinity;
  if (words(at(prompt, 'parts', 'mediaProcessing'), PROCESSING).some((word) => word === ANYTHING || word === 'agentic'))
    reach.unbounded = 'mediaProcessing';
  for (const data of anywhere(prompt, 'inlineData').filter(isUsed)) {
    const [kind] = words(at([data], 'mimeType')).map((each) => (each === ANYTHING ? '' : each.split('/')[0]));
    if (kind === 'text') continue;
    if (kind === 'image' && !OLDER.test(model)) reach.input += PICTURE_TOKENS;
    else reach.input = Infinity;
    if (kind !== 'image') reach.inputClasses.add('inputAudio');
  }
}

function readKinds(config: readonly Json[], reach: Reach): void {
  const kinds = words(at(config, 'responseModalities'), MODALITIES);
  if (used(config, 'responseFormat')) reach.unbounded = 'responseFormat';
  if (kinds.includes('image')) reach.outputClasses.add('outputImage');
  if (kinds.includes('audio')) reach.outputClasses.add('outputAudio');
  if (kinds.includes('video')) reach.unbounded = 'video';
  const unsaid = kinds.length === 0 || kinds.includes('modality_unspecified') || kinds.includes(ANYTHING);
  if (unsaid) reach.maybe.add('outputImage').add('outputAudio');
}
