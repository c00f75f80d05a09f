import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { SENSITIVITIES, type DetectionSensitivity } from '../../src/domain/anomaly/series.ts';
import { SCENARIOS } from './scenarios.ts';
import { numentaTable } from './numenta-run.ts';
import { medianOf, type Score, scoreOf, sumScores } from './score.ts';

// `npm run detection -- --numenta <checkout of github.com/numenta/NAB> [--sensitivity normal]`
// `npm run detection -- [--write] [--only <part of a name>] [--seeds 11-14] [--sensitivity normal] [--verbose]`

const { values } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    seeds: { type: 'string', default: '11-14' },
    sensitivity: { type: 'string' },
    numenta: { type: 'string' },
  },
});
const [low = 0, high = low] = values.seeds.split('-').map(Number);
const seeds = Array.from({ length: high - low + 1 }, (_, k) => low + k);
const chosen = SENSITIVITIES.filter((one) => (values.sensitivity ?? one) === one);
if (values.numenta !== undefined) {
  console.log(numentaTable(values.numenta, chosen).join('\n'));
  process.exit();
}
const scenarios = SCENARIOS.filter(({ name }) => name.includes(values.only));

function scoresAt(sensitivity: DetectionSensitivity): Score[] {
  return scenarios.map((scenario) => {
    const scores = seeds.map((seed) => scoreOf(scenario, seed, sensitivity));
    if (values.verbose)
      scores.forEach((score, k) => {
        if (score.found < score.incidents) console.error(`missed: ${scenario.name}, seed ${seeds[k]}, ${sensitivity}`);
        for (const { key, opening } of score.falseAlerts)
          console.error(
            `false: ${scenario.name}, seed ${seeds[k]}, ${sensitivity}: ${key} ${opening.kind} ${opening.text}`,
          );
      });
    return sumScores(scores);
  });
}

function row(name: string, { incidents, found, delays, alerts, falseAlerts, weeks }: Score): string {
  const delay = medianOf(delays);
  const cells = [
    name,
    incidents === 0 ? '' : `${found} of ${incidents}`,
    delay === null ? '' : `${delay} h`,
    found === 0 ? '' : (alerts / incidents).toFixed(1),
    (falseAlerts.length / weeks).toFixed(2),
  ];
  return `| ${cells.join(' | ')} |`;
}

const started = performance.now();
const bySensitivity = new Map(chosen.map((one) => [one, scoresAt(one)]));
const head = ['incidents found', 'median delay', 'alerts per incident', 'false alerts a week'];
const lines: string[] = [];
const shown = bySensitivity.get('normal') ?? bySensitivity.get(chosen[0] ?? 'normal') ?? [];
lines.push(`| scenario | ${head.join(' | ')} |`, '| --- | --- | --- | --- | --- |');
scenarios.forEach(({ name }, k) => lines.push(row(name, shown[k] ?? sumScores([]))));
lines.push('', `| sensitivity | ${head.join(' | ')} |`, '| --- | --- | --- | --- | --- |');
for (const [one, scores] of bySensitivity) lines.push(row(one, sumScores(scores)));
console.log(lines.join('\n'));
console.error(
  `${scenarios.length} scenarios, seeds ${values.seeds}, ${((performance.now() - started) / 1000).toFixed(0)} s`,
);

if (values.write) {
  const path = new URL('../../src/domain/anomaly/README.md', import.meta.url);
  const [before = '', , after = ''] = readFileSync(path, 'utf8').split(/<!-- \/?table -->/);
  writeFileSync(path, `${before}<!-- table -->\n\n${lines.join('\n')}\n\n<!-- /table -->${after}`);
}
