/**
 * The walls of the house: what each room may import of ours beside itself. Tests and contract suites may reach anywhere.
 */
const limits = 'src/config\\.ts';
/** One folder for each assistant whose session files are read. */
const assistants = [
  'claude-code',
  'codex',
  'gemini-cli',
  'opencode',
  'qwen-code',
  'pi',
  'copilot-cli',
  'cline',
  'kimi-code',
  'zed',
  'goose',
  'kilo-code',
  'droid',
  'amp',
].map((name) => `sessions/${name}`);
const rooms = {
  domain: [],
  contract: ['domain', limits],
  lib: [],
  providers: ['domain', 'lib'],
  prices: ['domain', 'lib', 'providers'],
  storage: ['domain', 'lib', 'leases', limits],
  journal: ['domain', 'lib', limits],
  limits: ['domain', 'lib', 'leases'],
  leases: ['domain', 'lib'],
  ipc: ['domain', 'journal', 'limits', 'leases', 'providers', 'prices', 'storage', 'demo', limits],
  'gateway/proxy': ['domain', 'lib', 'providers', 'prices', 'journal', 'limits', limits],
  api: [
    'domain',
    'contract',
    'lib',
    'storage',
    'prices',
    'providers',
    'telemetry',
    'notifications/destinations',
    limits,
  ],
  jobs: ['domain', 'lib', 'storage', 'prices', 'providers', 'notifications', 'detection', 'provider-reports', limits],
  'notifications/destinations': ['domain', 'lib'],
  'notifications/digests': ['domain', 'lib', 'storage', 'notifications/destinations'],
  'notifications/deliveries': ['domain', 'lib', 'notifications/destinations', 'storage', limits],
  detection: ['domain', 'lib', 'storage', limits],
  'provider-reports': ['domain', 'lib', 'storage'],
  telemetry: ['domain', 'lib'],
  ...Object.fromEntries(assistants.map((name) => [name, ['domain', 'lib', 'sessions/reading']])),
  'sessions/reading': ['domain', 'lib', ...assistants, limits],
  'sessions/reports': ['domain', 'lib', 'sessions/reading', 'prices', 'providers', limits],
  'sessions/uploads': ['contract', 'domain', 'lib', 'sessions/reading', 'sessions/reports', limits],
  demo: ['domain', 'contract', 'lib', 'storage'],
  accounts: ['domain', 'lib', 'storage'],
};

const testFiles = '\\.test\\.ts$|^src/.+/contract/';

function wall([room, allowed]) {
  const open = [room, ...allowed].map((name) => (name.startsWith('src/') ? `^${name}$` : `^src/${name}/`));
  return {
    name: `walls-of-${room}`,
    comment: `src/${room} may import of ours only: ${[room, ...allowed].join(', ')}. Move the shared idea down, or pass it in.`,
    severity: 'error',
    from: { path: `^src/${room}/`, pathNot: testFiles },
    to: { path: '^src/', pathNot: open.join('|') },
  };
}

/** Rooms of the dashboard: shared -> features -> app, never back and never sideways. */
const dashboardWalls = [
  {
    name: 'dashboard-shared-knows-no-page',
    comment: 'What pages share knows none of them: pass in what differs.',
    severity: 'error',
    from: { path: '^dashboard/src/shared/' },
    to: { path: '^dashboard/src/(features|app)/' },
  },
  {
    name: 'dashboard-pages-stand-apart',
    comment: 'A page imports its own folder and what is shared: move the common idea to shared/.',
    severity: 'error',
    from: { path: '^dashboard/src/features/([^/]+)/' },
    to: { path: '^dashboard/src/(features|app)/', pathNot: '^dashboard/src/features/$1/' },
  },
  {
    name: 'dashboard-knows-shapes-only',
    comment:
      'The dashboard takes types from src/contract, words and formats from src/domain/text, the list of destinations, and the names in values of limits.',
    severity: 'error',
    from: { path: '^dashboard/src/' },
    to: {
      path: '^src/',
      pathNot:
        '^src/(contract/[a-z-]+|domain/(text/[a-z-]+|time/(units|period)|alerts/webhook-kinds|limits/each-value))\\.ts$',
    },
  },
  {
    name: 'service-knows-no-dashboard',
    comment: 'The service serves what was built of the dashboard; it imports nothing of it.',
    severity: 'error',
    from: { path: '^src/' },
    to: { path: '^dashboard/' },
  },
];

export default {
  forbidden: [
    ...Object.entries(rooms).map(wall),
    ...dashboardWalls,
    {
      name: 'domain-is-pure',
      comment: 'src/domain has no runtime and no library: time, randomness and data come in as arguments.',
      severity: 'error',
      from: { path: '^src/domain/', pathNot: testFiles },
      to: { pathNot: '^src/domain/' },
    },
    {
      name: 'commands-talk-http',
      comment:
        'A command is a request to the management API; only its shapes, the settings and the start of a service are shared.',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: testFiles },
      to: {
        path: '^src/',
        pathNot:
          '^src/(cli|domain|contract|lib|sessions|mcp)/|^src/(ledger/(offline|move-ledger)|storage/move/move-entries|gateway/serve)\\.ts$|^src/(config|version)\\.ts$',
      },
    },
    {
      name: 'tools-talk-http',
      comment: 'A tool asks the API like anybody else, or reads what is on this machine; it never reaches the book.',
      severity: 'error',
      from: { path: '^src/mcp/', pathNot: testFiles },
      to: {
        path: '^src/',
        pathNot: '^src/(mcp|domain|contract|lib|sessions)/|^src/(config|version)\\.ts$',
      },
    },
    {
      name: 'no-cycle',
      comment: 'Two files that import each other are one idea or three.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment: 'Every import must resolve from the lock file.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'declared-dependencies',
      comment: 'What ships may import only what package.json lists under dependencies.',
      severity: 'error',
      from: { path: '^src/', pathNot: testFiles },
      to: { dependencyTypes: ['npm-dev', 'npm-optional', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'tests-stay-outside',
      comment: 'What ships never imports a test, a contract suite, or anything outside src.',
      severity: 'error',
      from: { path: '^src/', pathNot: testFiles },
      to: { path: `${testFiles}|^(test|bench|scripts)/` },
    },
    {
      name: 'entry-point',
      comment: 'main.ts reads the command line; nothing imports it.',
      severity: 'error',
      from: {},
      to: { path: '^src/main\\.ts$' },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: false,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
