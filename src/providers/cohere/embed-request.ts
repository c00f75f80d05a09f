import { NO_DEMAND, NO_MEDIA, NO_WORK } from '../../domain/limits/demand.ts';
import { eachAmongAnything, expecting, scanPlan } from '../../lib/json/scan-plan.ts';
import type { ScanRecord } from '../../lib/json/scan-record.ts';
import { fixedRequest } from '../fixed-request.ts';
import type { InferenceRoute, RequestFacts } from '../provider.ts';
import { unlistedWork } from '../demand-tally.ts';
import { inferenceRoute, type RequestBody, type RequestReader } from '../request-body.ts';
import { openCohereReader } from './answer.ts';

/** Cohere docs, "Embed": `texts` are texts alone, `images` and `inputs` may have pictures. */
const PLAN = expecting(
  scanPlan(
    {
      model: {},
      texts: {},
      images: {},
      inputs: eachAmongAnything('input', {
        content: eachAmongAnything('part', { type: {}, text: {}, image_url: {} }),
      }),
    },
    { type: ['image_url', 'image'] },
  ),
  ['embedding_types', 'input_type', 'max_tokens', 'output_dimension', 'priority', 'truncate'],
);
const WITH_PICTURES = { ...NO_MEDIA, imageIn: true };

/** `POST /v2/embed`. */
export function cohereEmbedRoute(): InferenceRoute {
  return inferenceRoute('embed', PLAN, () => new EmbedReader());
}

class EmbedReader implements RequestReader {
  /** Parts that are not text. Each may fill the window of its input. */
  #pictures = 0;
  #unknown: string | null = null;

  receive(record: ScanRecord): void {
    if (record.kind !== 'part') return;
    const isPicture = record.uses('image_url') || !record.says('type', 'text');
    if (isPicture) this.#pictures++;
    if (record.strangers > 0 || !(record.says('type', 'text') || record.says('type', 'image_url')))
      this.#unknown = 'inputs[].content[] with a part of an unknown kind';
  }

  facts(body: RequestBody): RequestFacts {
    const unknown = body.stranger ?? this.#unknown;
    // A call has one picture in `images`.
    const windows = this.#pictures + (body.uses('images') ? 1 : 0) || (body.notes() ? 1 : 0);
    return fixedRequest({
      upstreamPath: '/v2/embed',
      model: body.model(),
      stream: false,
      demand: {
        ...NO_DEMAND,
        textBytes: body.textBytes,
        beyondBody: windows > 0,
        listedWindows: windows,
        media: windows > 0 ? WITH_PICTURES : NO_MEDIA,
        outputMax: 0,
        work: unknown === null ? NO_WORK : unlistedWork(unknown),
      },
      openReader: openCohereReader,
    });
  }
}
