import { writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { env } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown, type Plugin } from 'rolldown';
import type { TestProject } from 'vitest/node';

const SOURCES = fileURLToPath(new URL('../../src', import.meta.url));
const BUNDLE = fileURLToPath(new URL('../../node_modules/.cache/tollbook-service', import.meta.url));
const THREAD = /threadModule\('([^']+)', import\.meta\.url\)/g;

let bundled: Promise<void> | null = null;

/**
 * Bundles the present sources once before the tests of several projects: a service starts from few files in half the time.
 * Threads and processes that it starts are of the bundle too; files that it reads are those next to the sources.
 */
export async function setup(project: TestProject): Promise<void> {
  await (bundled ??= bundle());
  // While somebody edits sources and Vitest watches them.
  project.onTestsRerun(bundle);
  // Test files run in processes that are started later.
  env['TEST_SERVICE_MAIN'] = join(BUNDLE, 'main.js');
}

async function bundle(): Promise<void> {
  const bundler = await rolldown({
    input: { main: join(SOURCES, 'main.ts') },
    platform: 'node',
    external: /^node:/,
    plugins: [placesOfSources()],
  });
  await bundler.write({ dir: BUNDLE, entryFileNames: '[name].js', chunkFileNames: 'chunks/[name].js' });
  await bundler.close();
  // Otherwise Node parses each file as CommonJS first.
  await writeFile(join(BUNDLE, 'package.json'), '{ "type": "module" }\n');
}

function placesOfSources(): Plugin {
  return {
    name: 'places of sources',
    transform(code, id) {
      if (!id.startsWith(SOURCES) || !code.includes('import.meta.url')) return null;
      const withThreads = code.replaceAll(THREAD, (_, name: string) => {
        const thread = join(dirname(id), `${name}.ts`);
        const entry = relative(SOURCES, thread).replace(/\.ts$/, '');
        if (entry !== 'main') this.emitFile({ type: 'chunk', id: thread, fileName: `${entry}.js` });
        return `new URL(${JSON.stringify(pathToFileURL(join(BUNDLE, `${entry}.js`)).href)})`;
      });
      return withThreads.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href));
    },
  };
}
