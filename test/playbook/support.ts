import { expect } from 'chai'
import { defineConnection, definePlugin, defineSkill } from '../../core/plugin/index.ts'
import { parsePlaybook, type ParseOptions } from '../../core/playbook/read/parse.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import type { Problem } from '../../core/playbook/language/problem.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'

const connection = defineConnection({
  title: 'Intel',
  description: 'For tests.',
  settings: { type: 'object', required: ['url'], properties: { url: { type: 'string' } } },
  baseUrl: ({ url }) => url,
  authenticate: async () => {},
})

const getEnrichment = defineSkill({
  name: 'get_enrichment',
  title: 'Get Enrichment',
  description: 'What is known about an indicator.',
  effect: 'read',
  connection,
  input: {
    type: 'object',
    required: ['kind', 'value'],
    additionalProperties: false,
    properties: {
      kind: { enum: ['ip', 'domain', 'url'] },
      value: { type: 'string', minLength: 3, pattern: '^\\S+$', patternErrorMessage: 'must have no spaces' },
      limit: { type: 'integer', minimum: 1, maximum: 100 },
      filter: {
        type: 'object',
        additionalProperties: false,
        required: ['tags'],
        properties: { tags: { type: 'array', items: { type: 'string' } }, since: { type: 'string' } },
      },
    },
  },
  output: {
    type: 'object',
    required: ['risk', 'status', 'tags', 'owner'],
    additionalProperties: false,
    properties: {
      risk: {
        type: 'object',
        required: ['score'],
        additionalProperties: false,
        properties: { score: { type: 'number' }, rules: { type: 'array', items: { type: 'string' } } },
      },
      status: { enum: ['confirmed', 'cancelled', 'pending'] },
      tags: { type: 'array', items: { type: 'string' } },
      owner: { type: ['string', 'null'] },
    },
  },
  examples: [],
  run: async () => ({ risk: { score: 1 }, status: 'pending', tags: [], owner: null }),
})

const sendMessage = defineSkill({
  name: 'send_message',
  title: 'Send Message',
  description: 'Sends a message.',
  effect: 'write',
  repeat: 'never',
  connection,
  input: {
    type: 'object',
    required: ['text'],
    additionalProperties: false,
    properties: { text: { type: 'string', 'x-message': true } },
  },
  output: { type: 'object', additionalProperties: false, properties: {} },
  examples: [],
  run: async () => ({}),
})

const askPerson = defineSkill({
  name: 'checkpoint',
  title: 'Checkpoint',
  description: 'Asks a person.',
  effect: 'write',
  repeat: 'never',
  asks: true,
  connection,
  input: {
    type: 'object',
    required: ['message', 'checkpoint_id', 'answers'],
    additionalProperties: false,
    properties: {
      user: { type: 'string' },
      message: { type: 'string', 'x-message': true },
      checkpoint_id: { type: 'string' },
      answers: { type: 'array', items: { type: 'string' } },
    },
  },
  output: { type: 'object', additionalProperties: false, properties: {} },
  examples: [],
  run: async () => ({}),
})

const updateCase = defineSkill({
  name: 'update',
  title: 'Update Case',
  description: 'Changes the case.',
  effect: 'write',
  repeat: 'safe',
  input: {
    type: 'object',
    additionalProperties: false,
    properties: {
      verdict: { enum: ['benign', 'suspicious', 'malicious'] },
      severity: { enum: ['low', 'medium', 'high', 'critical'] },
      summary: { type: 'string' },
    },
  },
  output: { type: 'object', additionalProperties: false, properties: {} },
  examples: [],
  run: async () => ({}),
})

const searchTravel = defineSkill({
  name: 'search_user_travel',
  title: 'Search User Travel',
  description: 'Trips of a person.',
  effect: 'read',
  input: {
    type: 'object',
    required: ['email'],
    additionalProperties: false,
    properties: { email: { type: 'string' } },
  },
  output: {
    type: 'object',
    required: ['trips'],
    additionalProperties: false,
    properties: {
      trips: {
        type: 'array',
        items: {
          type: 'object',
          required: ['country'],
          additionalProperties: false,
          properties: { country: { type: 'string' }, city: { type: 'string' } },
        },
      },
    },
  },
  examples: [],
  run: async () => ({ trips: [] }),
})

const isolate = defineSkill({
  name: 'isolate',
  title: 'Isolate',
  description: 'Cuts a machine off.',
  effect: 'write',
  destructive: 'containment',
  followWith: 'get_isolation',
  repeat: 'safe',
  input: {
    type: 'object',
    required: ['id'],
    additionalProperties: false,
    properties: { id: {}, wait_seconds: { type: 'integer' } },
  },
  output: { type: 'object', additionalProperties: false, properties: { finished: { type: 'boolean' } } },
  examples: [],
  run: async () => ({}),
})
const block = defineSkill({
  name: 'block',
  title: 'Block',
  description: 'Blocks a value.',
  effect: 'write',
  destructive: 'blocking',
  repeat: 'safe',
  input: { type: 'object', required: ['id'], additionalProperties: false, properties: { id: {} } },
  output: { type: 'object', additionalProperties: false, properties: {} },
  examples: [],
  run: async () => ({}),
})

const plugin = (name: string, skills: Parameters<typeof definePlugin>[0]['skills']) =>
  definePlugin({ name, title: name, description: 'For tests.', skills })

/** A small catalogue: a read skill with a connection, a write that must not be repeated, and two skills without connection. */
export const catalogue = buildCatalogue([
  definePlugin({
    name: 'intel_provider',
    title: 'Intel',
    description: 'For tests.',
    connection,
    skills: [getEnrichment],
  }),
  definePlugin({
    name: 'messaging',
    title: 'Messaging',
    description: 'For tests.',
    connection,
    skills: [sendMessage, askPerson],
  }),
  plugin('case', [updateCase]),
  plugin('travel', [searchTravel]),
  plugin('edr', [isolate, block]),
])

/** A playbook with these steps, indented as a list under `steps:`. Steps start at line 4. */
export function withSteps(steps: string, rest = ''): string {
  return `apiVersion: tocsin/v1\nname: test\non: { alert: { type: t } }\nsteps:\n${steps.replace(/^\n/, '').trimEnd()}\n${rest}`
}

export function check(source: string | Uint8Array, options: ParseOptions = {}): readonly Problem[] {
  const { playbook, problems } = parsePlaybook(source, { catalogue, ...options })
  expect(playbook === undefined, 'no playbook exactly if there is an error').to.equal(
    problems.some((problem) => problem.severity === 'error'),
  )
  return problems
}

/** Code and place of each problem: `E202 4:7-4:12`. */
export const placed = (problems: readonly Problem[]): readonly string[] =>
  problems.map(
    ({ code, line, column, endLine, endColumn }) => `${code} ${line}:${column}-${endLine}:${endColumn}`,
  )

export const codesOf = (problems: readonly Problem[]): readonly string[] =>
  problems.map((problem) => problem.code)

/** The playbook; fails with its problems if there is none. */
export function parsed(source: string): Playbook {
  const { playbook, problems } = parsePlaybook(source, { catalogue })
  if (playbook === undefined)
    expect.fail(problems.map(({ message, line }) => `${line}: ${message}`).join('\n'))
  return playbook
}

/** The marked text of a problem in the source. */
export function marked(source: string, problem: Problem): string {
  const lines = source.split('\n')
  const offset = (line: number, column: number) =>
    lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + column - 1
  return source.slice(offset(problem.line, problem.column), offset(problem.endLine, problem.endColumn))
}

/** Errors as `code message`. */
export const errorsOf = (source: string) =>
  check(source)
    .filter(({ severity }) => severity === 'error')
    .map(({ code, message }) => `${code} ${message}`)
/** Codes of the errors of some steps. */
export const errorCodesOf = (steps: string, rest = '') =>
  codesOf(check(withSteps(steps, rest)).filter(({ severity }) => severity === 'error'))
