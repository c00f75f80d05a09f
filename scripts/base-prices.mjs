/**
 * Writes the base list of prices, src/prices/base-list.json, from the package it is taken from: what prices need of each
 * model, a line each, so that a newer package shows what it changes. The service reads this file alone: the package
 * itself would be 17 MB and 60 ms in each thread. `--check` changes nothing and fails when the list is not the package's.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { findProvider } from '@pydantic/genai-prices';

const LIST = new URL('../src/prices/base-list.json', import.meta.url);
/** So many providers there were when this was written: fewer means that they were not found. */
const PROVIDERS_MIN = 40;

const fresh = `{\n${listed().join(',\n')}\n}\n`;
if (!process.argv.includes('--check')) writeFileSync(LIST, fresh);
else if (fresh !== readFileSync(LIST, 'utf8')) {
  console.error('The base list of prices is not that of the package: npx node scripts/base-prices.mjs');
  process.exitCode = 1;
}

function listed() {
  const providers = providerIds().map((id) => {
    const models = findProvider({ providerId: id }).models.map((model) => `    ${JSON.stringify(lineOf(model))}`);
    return `  ${JSON.stringify(id)}: [\n${models.join(',\n')}\n  ]`;
  });
  if (providers.length < PROVIDERS_MIN) throw new Error(`Only ${providers.length} providers were found.`);
  return providers;
}

/** The package has no list of its providers; their ids are among all ids in its text. */
function providerIds() {
  const text = readFileSync(createRequire(import.meta.url).resolve('@pydantic/genai-prices'), 'utf8');
  const ids = new Set([...text.matchAll(/\bid:"([^"]+)"/g)].map(([, id]) => id));
  return [...ids].filter((id) => findProvider({ providerId: id })?.id === id);
}

function lineOf({ id, match, context_window, prices }) {
  return { id, match, context_window, prices };
}
