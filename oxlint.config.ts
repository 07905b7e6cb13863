import { defineConfig } from 'oxlint'

/** One package, one place: who may import what. Everybody else is refused. */
const places: Readonly<Record<string, readonly string[]>> = {
  koa: ['server/http/**', 'test/bench/**'],
  '@koa/router': ['server/http/**', 'test/bench/**'],
  'raw-body': ['server/http/**', 'test/bench/**'],
  '@node-rs/argon2': ['server/access/**'],
  otpauth: ['server/access/**', 'test/http/**'],
  '@simplewebauthn/server': ['server/http/resources/access/**'],
  '@simplewebauthn/browser': ['server/web/session/**'],
  'better-sqlite3': ['server/sqlite/**', 'test/bench/**'],
  pg: ['server/postgres/**'],
  got: ['server/egress/**'],
  imapflow: ['plugins/mail/**'],
  nodemailer: [],
  'nodemailer/lib/mail-composer': ['plugins/mail/**'],
  'nodemailer/lib/smtp-connection': ['plugins/mail/**'],
  'postal-mime': ['plugins/mail/**'],
  'smtp-server': ['plugins/mail/**'],
  tsyringe: ['server/container.ts'],
  'reflect-metadata': ['server/container.ts'],
  yaml: ['core/playbook/**', 'core/openapi/**'],
  'js-yaml': ['core/openapi/**'],
  ajv: ['core/schema/**'],
  'ajv/dist/2020.js': ['core/schema/**'],
  'ajv-formats': ['core/schema/**'],
  '@rgrove/parse-xml': ['core/declarative/**'],
  pino: ['server/log.ts'],
  '@opentelemetry/api': ['server/tracing/**'],
  '@opentelemetry/sdk-trace': ['server/tracing/**'],
  '@opentelemetry/resources': ['server/tracing/**'],
  '@opentelemetry/exporter-trace-otlp-http': ['server/tracing/**'],
  re2js: ['core/expression/**', 'core/schema/**'],
  'openid-client': ['server/identity/**'],
  jose: ['server/identity/**'],
  croner: ['core/trigger/**'],
  'ipaddr.js': [
    'core/alert-source/**',
    'core/expression/**',
    'core/observable/**',
    'server/egress/**',
    'server/http/**',
    'server/config/unreachable.ts',
    'plugins/indicators/**',
    'plugins/endpoint-security/**',
  ],
  tldts: ['core/expression/**', 'plugins/indicators/**', 'plugins/endpoint-security/**'],
  commander: ['cli/**'],
  diff: ['cli/playbook-set/**'],
  'chart.js': ['server/web/numbers/**'],
  '@dagrejs/dagre': ['core/graph/**'],
  'react-markdown': ['server/web/parts/**'],
  'remark-gfm': ['server/web/parts/**'],
  'vscode-languageserver': ['cli/lsp/**'],
  'vscode-languageserver/node': ['cli/lsp/**'],
  'vscode-languageserver-textdocument': ['cli/lsp/**'],
}

/**
 * Modules that reach the network. Only `server/egress` may use them; the HTTP server and sandboxes also
 * listen with `node:http`.
 */
const network: Readonly<Record<string, readonly string[]>> = {
  'node:http': ['server/http/**', 'server/egress/**', 'core/plugin/testing/**'],
  'node:https': ['server/egress/**'],
  'node:http2': ['server/egress/**'],
  'node:dgram': ['server/egress/**'],
  'node:net': ['server/egress/**', 'core/plugin/testing/**'],
  'node:tls': ['server/egress/**', 'core/plugin/testing/**'],
  'node:dns': ['server/egress/**'],
  'node:dns/promises': ['server/egress/**'],
  undici: [],
  axios: [],
}

const restricted = { ...places, ...network }

function refuse(names: readonly string[], patterns: readonly object[] = []) {
  const paths = names.map((name) => ({
    name,
    message: `only in ${restricted[name]?.join(', ') || 'no place'} (oxlint.config.ts: one package, one place)`,
  }))
  return ['error', { paths: [...paths, unnamedDialogs], patterns }] as const
}

const unnamedDialogs = {
  name: '@mantine/core',
  importNames: ['Modal', 'Drawer'],
  message:
    'use Dialog and SidePanel of server/web/parts/dialog.tsx, which have a name from their first paint',
}

const all = Object.keys(restricted)

/** For each folder with allowed imports: the import rule without those imports. */
function exceptions() {
  const folders = new Set(Object.values(restricted).flat())
  return [...folders].map((folder) => ({
    files: [folder],
    rules: {
      'no-restricted-imports': refuse(
        all.filter((name) => !restricted[name]?.includes(folder)),
        patternsOf(folder),
      ),
    },
  }))
}

function patternsOf(folder: string): readonly object[] {
  if (folder.startsWith('plugins/')) return pluginPatterns
  return folder.startsWith('server/') ? serverPatterns : []
}

/** A plugin sees only `tocsin/plugin` (its tests and sandbox also `tocsin/plugin/testing`), so that its folder can move away. */
const pluginPatterns = [
  {
    regex: '^(\\.\\./)+(core|server|cli|test|plugins)(/|$)',
    message: "a plugin imports 'tocsin/plugin' and its own files only",
  },
]

const serverPatterns = [
  { regex: '(^|/)plugins/', message: 'core/registry loads plugins at run time' },
  { regex: '(^|/)cli/', message: 'cli imports server, never the other way round' },
]

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'node', 'promise'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  ignorePatterns: ['.build', '**/dist', 'test/architecture/planted'],
  rules: {
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'import/no-duplicates': ['error', { 'prefer-inline': true }],
    // Matters of taste, or wrong more often than right here.
    'consistent-return': 'off',
    'import/no-named-as-default': 'off',
    'import/no-named-as-default-member': 'off',
    'import/no-unassigned-import': 'off',
    'no-await-in-loop': 'off',
    'no-control-regex': 'off',
    'no-shadow': 'off',
    'oxc/no-map-spread': 'off',
    'promise/no-callback-in-promise': 'off',
    // A work is a generator whether it asks for something or not (server/sql/database/work.ts).
    'require-yield': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'unicorn/prefer-set-has': 'off',
    'no-console': 'error',
    'no-unused-vars': [
      'error',
      { varsIgnorePattern: '^_', argsIgnorePattern: '^_', ignoreRestSiblings: true },
    ],
    'no-eval': 'error',
    'no-new-func': 'error',
    'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
    'max-lines-per-function': ['error', { max: 80 }],
    'typescript/consistent-type-imports': 'error',
    'typescript/no-explicit-any': 'error',
    // Assertions are used where data enters (JSON, rows, errors); the checks beside them do what types cannot.
    'typescript/no-unsafe-type-assertion': 'off',
    // `get<T>(…)` reads better at an edge than an assertion at each call.
    'typescript/no-unnecessary-type-parameters': 'off',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'unicorn/prefer-node-protocol': 'error',
    'no-restricted-globals': [
      'error',
      { name: 'fetch', message: 'server/egress is the only way out (core/ports/egress.ts)' },
      { name: 'WebSocket', message: 'server/egress is the only way out (core/ports/egress.ts)' },
      { name: 'EventSource', message: 'server/egress is the only way out (core/ports/egress.ts)' },
    ],
    'no-restricted-imports': refuse(all),
  },
  overrides: [
    { files: ['plugins/**'], rules: { 'no-restricted-imports': refuse(all, pluginPatterns) } },
    { files: ['server/**'], rules: { 'no-restricted-imports': refuse(all, serverPatterns) } },
    ...exceptions(),
    // In the browser: it calls the server that it came from, and the content security policy lets it call no other.
    { files: ['server/web/**'], rules: { 'no-restricted-globals': 'off' } },
    {
      files: ['test/**', 'plugins/**/*.test.ts'],
      rules: {
        'typescript/no-explicit-any': 'off',
        'typescript/unbound-method': 'off',
        'no-restricted-globals': 'off',
        'no-unused-expressions': 'off',
        'max-lines': 'off',
        'max-lines-per-function': 'off',
      },
    },
    // The demo posts alerts to its own server, as any alert source would.
    { files: ['cli/api-client.ts'], rules: { 'no-restricted-globals': 'off' } },
    { files: ['test/**', 'server/web/parts/dialog.tsx'], rules: { 'no-restricted-imports': 'off' } },
    // The postMessage of a messaging system, not that of a window.
    {
      files: ['test/plugin-contract/messaging-client.test.ts'],
      rules: { 'unicorn/require-post-message-target-origin': 'off' },
    },
    // The table lists words that people write by mistake, such as `then`; it is never awaited.
    { files: ['core/playbook/template/familiar-words.ts'], rules: { 'unicorn/no-thenable': 'off' } },
    { files: ['cli/**', 'test/bench/**'], rules: { 'no-console': 'off' } },
  ],
})
