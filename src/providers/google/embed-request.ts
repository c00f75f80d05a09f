import { TollbookError } from '../../domain/errors.ts';
import type { ScanRecord } from '../../lib/json/scan-record.ts';
import { DemandTally, textBytes } from '../demand-tally.ts';
import type { InferenceRoute, RequestFacts } from '../provider.ts';
import { inferenceRoute, type RequestBody, type RequestReader } from '../request-body.ts';
import { openEmbedReader } from './embed-answer.ts';
import { BATCH_EMBED_PLAN, EMBED_PLAN } from './request-plan.ts';

/** `POST /{version}/models/{model}:embedContent`: one content. */
export function embedRoute(version: string, model: string): InferenceRoute {
  return inferenceRoute('embedContent', EMBED_PLAN, () => new EmbedReader(version, model, 'embedContent'));
}

/** `POST /{version}/models/{model}:batchEmbedContents`: a list of contents, which the provider embeds at once. */
export function batchEmbedRoute(version: string, model: string): InferenceRoute {
  return inferenceRoute(
    'batchEmbedContents',
    BATCH_EMBED_PLAN,
    () => new EmbedReader(version, model, 'batchEmbedContents'),
  );
}

class EmbedReader implements RequestReader {
  readonly #tally = new DemandTally();
  readonly #version: string;
  readonly #model: string;
  readonly #action: 'embedContent' | 'batchEmbedContents';
  /** Parts that are not text. Each may fill the window of its content. */
  #media = 0;

  constructor(version: string, model: string, action: 'embedContent' | 'batchEmbedContents') {
    this.#version = version;
    this.#model = model;
    this.#action = action;
  }

  receive(record: ScanRecord): void {
    if (record.kind === 'part') this.#readPart(record);
    else if (record.kind === 'request') this.#readRequest(record);
  }

  facts(body: RequestBody): RequestFacts {
    this.#requireModel(body.text('model'), 'model');
    const demand = this.#readDemand(body);
    return {
      upstreamPath: `/${this.#version}/models/${this.#model}:${this.#action}`,
      model: this.#model,
      stream: false,
      splices: [],
      demand,
      tools: null,
      forward: () => [],
      counter: null,
      openReader: () => openEmbedReader(this.#media > 0),
    };
  }

  /** Refuses another model than that of the path, whose price and policy apply. */
  #requireModel(name: string | null, field: string): void {
    if (name === null || name.replace(/^models\//, '') === this.#model) return;
    throw new TollbookError('invalid', `"${field}" must be the model of the path, "models/${this.#model}".`, field);
  }

  #readRequest(request: ScanRecord): void {
    this.#requireModel(request.text('model'), 'requests[].model');
    if (request.strangers > 0) this.#tally.unlistedFee('requests[] with an unknown field');
  }

  #readPart(part: ScanRecord): void {
    const tally = this.#tally;
    const isText = part.strangers === 0 && !part.uses('fileData') && !part.uses('inlineData');
    if (isText) return;
    this.#media++;
    const [kind] = partMimeType(part).split('/');
    if (part.strangers > 0 || kind === undefined || !PRICED_MEDIA.has(kind))
      tally.unlistedFee('content.parts[] with media other than pictures and audio');
    // What the part holds is not verified, so it counts as the most expensive kind.
    tally.reference();
    tally.media(textBytes(part, 'inlineData.data'));
  }

  /** Builds the demand: prompts without roles or tools, and no output. */
  #readDemand(body: RequestBody): RequestFacts['demand'] {
    const tally = this.#tally;
    if (body.stranger !== null) tally.unlistedFee(body.stranger);
    // Media in places that are not read.
    if (body.notes()) tally.unlistedFee('media in an unknown field');
    const demand = tally.demand(body, this.#model, () => null, {
      preambleTokens: 0,
      outputMax: 0,
      pictureTokens: 0,
      answers: 1,
      outputLeast: 0,
      thinkingLeast: 0,
      liftsMaxUpTo: 0,
      speed: null,
      tier: 'standard',
      geo: null,
      pinTier: null,
    });
    return this.#action === 'embedContent' ? demand : { ...demand, listedWindows: this.#media };
  }
}

/** Kinds of media with a price per token. */
const PRICED_MEDIA: ReadonlySet<string> = new Set(['text', 'image', 'audio']);

function partMimeType(part: ScanRecord): string {
  return (part.text('inlineData.mimeType') ?? part.text('fileData.mimeType') ?? '').toLowerCase();
}
