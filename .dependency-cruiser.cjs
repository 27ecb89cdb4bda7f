/** The floors of docs/architecture.md: who may import whom. */
const floors = {
  contract: [],
  kernels: [],
  formats: ['kernels'],
  analyses: ['contract', 'kernels', 'formats'],
  storage: ['contract', 'formats'],
  service: ['contract', 'storage', 'formats', 'kernels/features'],
  worker: ['contract', 'analyses', 'formats', 'storage', 'kernels'],
  web: [
    'contract',
    'kernels/color',
    'kernels/features',
    'kernels/grid',
    'kernels/overlay',
    'kernels/places',
    'formats',
  ],
};
const tests = '[.]test[.]tsx?$|/testing/';
const floorRules = Object.entries(floors).map(([floor, allowed]) => ({
  name: `floor-${floor}`,
  comment: `${floor} may import ${allowed.join(', ') || 'nothing'} of the other floors`,
  severity: 'error',
  from: { path: `^src/${floor}/`, pathNot: tests },
  to: { path: '^src/', pathNot: `^src/(${[floor, ...allowed].join('|')})/` },
}));
const webRooms = ['routes', 'features', 'viewer', 'ui'];
const roomRules = webRooms.slice(1).map((room, i) => ({
  name: `web-${room}-looks-down`,
  severity: 'error',
  from: { path: `^src/web/${room}/`, pathNot: tests },
  to: { path: `^src/web/(${webRooms.slice(0, i + 1).join('|')})/` },
}));
const pure = (floor, allowed) => ({
  name: `${floor}-packages`,
  severity: 'error',
  from: {
    path: `^src/${floor}/`,
    pathNot: `${tests}|/simd/(build|describe-kernels)[.]ts$|(openapi|interface-page)[.]ts$`,
  },
  to: { dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'core'], pathNot: allowed },
});

module.exports = {
  forbidden: [
    ...floorRules,
    ...roomRules,
    {
      name: 'web-api-below-viewer-and-ui',
      comment: 'the viewer and ui do not know the service',
      severity: 'error',
      from: { path: '^src/web/(viewer|ui)/', pathNot: tests },
      to: { path: '^src/web/api/' },
    },
    {
      name: 'features-apart',
      comment: 'features never import features: routes compose them',
      severity: 'error',
      from: { path: '^src/web/features/([^/]+)/' },
      to: { path: '^src/web/features/', pathNot: '^src/web/features/$1/' },
    },
    {
      name: 'resources-apart',
      comment: 'resources never import resources: app.ts composes them',
      severity: 'error',
      from: { path: '^src/service/resources/([^/]+)/', pathNot: tests },
      to: { path: '^src/service/resources/', pathNot: '^src/service/resources/$1/' },
    },
    {
      name: 'kernels-below-their-rooms',
      comment: 'the base of all kernels imports only the compiled kernels',
      severity: 'error',
      from: { path: '^src/kernels/[^/]+[.]ts$' },
      to: { path: '^src/kernels/[^/]+/', pathNot: '^src/kernels/simd/' },
    },
    pure('contract', '(^|/)node_modules/zod/'),
    pure('kernels', '^$'),
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-barrels', severity: 'error', from: {}, to: { path: '^src/.*/index[.]tsx?$' } },
    {
      name: 'no-utils',
      severity: 'error',
      from: {},
      to: { path: '^src/.*/(utils?|helpers|common)([./]|$)' },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^(virtual:|vite/)' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['simd/assembly', 'api/generated', 'routeTree[.]gen'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'src/tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.json', '.d.ts'],
    },
  },
};
