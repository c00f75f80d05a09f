/**
 * The walls of the house: what each room may import of ours beside itself. Tests and contract suites may reach anywhere.
 */
const limits = 'src/config\\.ts';
const rooms = {
  core: [],
  lib: [],
  providers: ['core', 'lib'],
  prices: ['core', 'lib', 'providers'],
  storage: ['core', 'lib', limits],
  journal: ['core', 'lib', limits],
  ledger: ['core', 'lib'],
  proxy: ['core', 'lib', 'providers', 'prices', 'journal', 'ledger', limits],
  api: ['core', 'lib', 'storage', 'prices', 'providers', 'destinations', limits],
  jobs: [
    'core',
    'lib',
    'storage',
    'prices',
    'providers',
    'deliveries',
    'destinations',
    'detection',
    'digests',
    'reports',
    limits,
  ],
  destinations: ['core', 'lib'],
  detection: ['core', 'lib', 'storage', limits],
  reports: ['core', 'lib', 'storage'],
  digests: ['core', 'lib', 'storage', 'destinations'],
  deliveries: ['core', 'lib', 'destinations', 'storage', limits],
  sources: ['core', 'lib', limits],
  local: ['core', 'lib', 'sources', 'prices', 'providers', limits],
  demo: ['core', 'lib', 'storage'],
  accounts: ['core', 'lib', 'storage'],
};

const testFiles = '\\.test\\.ts$|/contract/';

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
      'The dashboard knows the service by the types of src/api/contract*.ts, which the linter holds to types, and by the list of destinations.',
    severity: 'error',
    from: { path: '^dashboard/src/' },
    to: { path: '^src/', pathNot: '^src/(api/contract[a-z-]*|core/webhook-kinds)\\.ts$' },
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
      name: 'core-is-pure',
      comment: 'src/core has no runtime and no library: time, randomness and data come in as arguments.',
      severity: 'error',
      from: { path: '^src/core/', pathNot: testFiles },
      to: { pathNot: '^src/core/' },
    },
    {
      name: 'commands-talk-http',
      comment:
        'A command is a request to the management API; only its shapes, the settings and the start of a service are shared.',
      severity: 'error',
      from: { path: '^src/commands/', pathNot: testFiles },
      to: {
        path: '^src/',
        pathNot:
          '^src/(commands|core|lib|local|tools)/|^src/api/contract[a-z-]*\\.ts$|^src/book/offline\\.ts$|^src/(serve|config|version)\\.ts$',
      },
    },
    {
      name: 'tools-talk-http',
      comment: 'A tool asks the API like anybody else, or reads what is on this machine; it never reaches the book.',
      severity: 'error',
      from: { path: '^src/tools/', pathNot: testFiles },
      to: {
        path: '^src/',
        pathNot: '^src/(tools|core|lib|local)/|^src/api/contract[a-z-]*\\.ts$|^src/(config|version)\\.ts$',
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
