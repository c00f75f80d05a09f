import { NO_DEMAND, NO_MEDIA } from '../../core/demand.ts';
import type { InferenceRoute } from '../provider.ts';
import { inferenceRoute } from '../request-body.ts';
import { openChatReader } from './chat-answer.ts';
import { EMBEDDINGS_PLAN } from './request-plan.ts';
import { tierWord } from './request-terms.ts';

/** Pictures and sound, as some providers of this form take them. */
const ANY_INPUT = { ...NO_MEDIA, audioIn: true, imageIn: true };

export function embeddingsRoute(prefix: string): InferenceRoute {
  return inferenceRoute('embeddings', EMBEDDINGS_PLAN, () => ({
    receive: () => undefined,
    facts: (body) => ({
      upstreamPath: `${prefix}/embeddings`,
      model: body.model(),
      stream: false,
      splices: [],
      // The prompt is the text of the input, without roles or tools, and the answer is no text.
      demand: {
        ...NO_DEMAND,
        textBytes: body.bytes.length,
        beyondBody: body.notes(),
        media: body.notes() ? ANY_INPUT : NO_MEDIA,
        outputMax: 0,
        tier: tierWord(body) ?? 'default',
      },
      forward: () => [],
      counter: null,
      openReader: (answer) => openChatReader(false, answer),
    }),
  }));
}
