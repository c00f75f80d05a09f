/**
 * Checks the walls of .dependency-cruiser.mjs. A cruiser without a parser for TypeScript sees no module and reports no
 * violation, so a run that saw too few of the source files fails as loudly as a broken wall.
 */
import { globSync } from 'node:fs';
// The cruiser's parser for TypeScript: imported so that a machine without it fails here.
import '@swc/core';
import { cruise } from 'dependency-cruiser';
import config from '../.dependency-cruiser.mjs';

const SEEN_SHARE_MIN = 0.9;

const { output } = await cruise(['src', 'dashboard/src'], { ...config.options, ruleSet: config, validate: true });
const files = globSync('{src,dashboard/src}/**/*.{ts,tsx}').length;
const seen = output.modules.filter((module) => /^(dashboard\/)?src\/.*\.tsx?$/.test(module.source)).length;
const comments = new Map(config.forbidden.map((rule) => [rule.name, rule.comment]));

for (const violation of output.summary.violations) {
  const { from, to, rule, cycle } = violation;
  const path = cycle ? cycle.map((step) => step.name).join(' → ') : to;
  console.error(`${from} → ${path}: ${rule.name}. ${comments.get(rule.name) ?? ''}`);
}
if (seen < files * SEEN_SHARE_MIN)
  console.error(`Only ${seen} of ${files} source files were read: is @swc/core installed for this machine?`);

const failed = output.summary.violations.length > 0 || seen < files * SEEN_SHARE_MIN;
console.log(
  failed
    ? 'walls: broken'
    : `walls: ${seen} of ${files} files, ${output.summary.totalDependenciesCruised} imports, all inside`,
);
process.exitCode = failed ? 1 : 0;
