import type { Entry } from '../../domain/usage/call.ts';
import { NO_NAME } from './names.ts';
import type { NameTable } from './names.ts';
import type { ValueCaps } from './value-caps.ts';

/** What knows the numbers of words, and which new ones get one. */
export interface NameSources {
  readonly names: NameTable;
  readonly caps: ValueCaps;
}

interface ModelColumns {
  readonly asked_model: number;
  readonly asked_model_text: string | null;
  readonly model: number;
  readonly model_text: string | null;
}

/**
 * Where the models of an entry are stored. Anybody can ask for any name, and names are kept for ever: a new one gets a
 * number only where it has a row in a roll-up, of which a day has so many. Others are text in their entry.
 */
export function modelColumns({ names, caps }: NameSources, entry: Entry, sent: boolean): ModelColumns {
  const model = entry.model === null ? NO_NAME : (names.find(entry.model) ?? place({ names, caps }, entry, sent));
  const asked = entry.requestedModel === null ? NO_NAME : names.find(entry.requestedModel);
  return {
    asked_model: asked ?? NO_NAME,
    asked_model_text: asked === undefined ? entry.requestedModel : null,
    model,
    model_text: entry.model !== null && names.find(entry.model) !== model ? entry.model : null,
  };
}

function place({ names, caps }: NameSources, entry: Entry, sent: boolean): number {
  return sent ? caps.placeModel(names.id(entry.workspaceId), entry) : NO_NAME;
}
