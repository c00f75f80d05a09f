import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asCount, asMembers, asObject, asText, type JsonObject } from '../../lib/json/values.ts';
import { parseJsonObject, readJsonDocument, readRelatedDocument } from '../reading/json-document.ts';
import { wholeFileReader } from '../reading/logged-reader.ts';
import { toMakersModel, toProviderModel } from '../reading/provider-model.ts';
import type { SessionFile } from '../reading/source.ts';
import { SETTINGS } from './settings-file.ts';

/** Room for the first row of a session, which has its folder and title. */
const FIRST_ROW_BYTES = 64 * 1024;
/** A model of the user's own: its name and its number among those of this name. */
const OWN_MODEL = /^custom:(.+)-\d+$/;
const SESSIONS_DEPTH_MAX = 4;

export const SESSION_TOTALS = wholeFileReader('droid', (file, calls) => {
  const settings = asObject(readJsonDocument(file));
  if (settings === null) return calls.unreadable();
  const usage = asMembers(settings['tokenUsage']);
  calls.add({
    id: file.sessionId,
    session: file.sessionId,
    project: readFolder(file.path.replace(SETTINGS, '.jsonl')),
    model: toDroidModel(asText(settings['model']) ?? 'unknown', file),
    at: Math.floor(file.modifiedAt),
    input: asCount(usage['inputTokens']),
    cacheRead: asCount(usage['cacheReadTokens']),
    cacheWrite: asCount(usage['cacheCreationTokens']),
    output: asCount(usage['outputTokens']),
    thinking: asCount(usage['thinkingTokens']),
    isTotal: true,
  });
});

/** Returns the folder of a session; null = unknown. */
function readFolder(path: string): string | null {
  if (!existsSync(path)) return null;
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(FIRST_ROW_BYTES);
    const text = bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0));
    return asText(parseJsonObject(text.slice(0, Math.max(0, text.indexOf('\n'))))?.['cwd']);
  } finally {
    closeSync(file);
  }
}

/** Returns a model as in calls. One of the user's own is looked up in the user's settings; other models have their maker's price. */
function toDroidModel(name: string, file: SessionFile): string {
  const own = OWN_MODEL.exec(name)?.[1];
  if (own === undefined) return toMakersModel(name);
  const found = listOwnModels(file).filter((model) => ownName(model) === own);
  const [model] = found;
  if (model === undefined || found.length > 1) return name;
  const [provider, id] = [asText(model['provider']) ?? '', asText(model['model']) ?? name];
  return provider === 'anthropic' || provider === 'openai' ? toProviderModel(provider, id) : toMakersModel(id);
}

function ownName(model: JsonObject): string | undefined {
  return (asText(model['displayName']) ?? asText(model['model']))?.replaceAll(' ', '-');
}

function listOwnModels(file: SessionFile): JsonObject[] {
  const models = readRelatedDocument(file, join(settingsFolder(file.path), 'settings.json'))['customModels'];
  return Array.isArray(models) ? models.map(asMembers) : [];
}

/** Returns the folder of Droid, in which `sessions` is. */
function settingsFolder(path: string): string {
  let folder = dirname(path);
  for (let depth = 0; depth < SESSIONS_DEPTH_MAX && !folder.endsWith('sessions'); depth += 1) folder = dirname(folder);
  return dirname(folder);
}
