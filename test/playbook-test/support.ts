import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatProblem } from '../../core/errors/source-frame.ts'
import { parseTests } from '../../core/playbook-test/read/parse.ts'
import { runTests, type TestResult } from '../../core/playbook-test/run/run-tests.ts'
import type { PlaybookTests } from '../../core/playbook-test/read/playbook-test.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import type { Problem } from '../../core/playbook/language/problem.ts'
import { defineConnection, definePlugin, defineSkill } from '../../core/plugin/index.ts'
import casePlugin from '../../plugins/case/plugin.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'
import { edr } from '../destructive/edr.ts'

const connection = defineConnection({
  title: 'Test',
  description: 'For tests.',
  settings: { type: 'object', required: ['url'], properties: { url: { type: 'string' } } },
  baseUrl: ({ url }) => url,
  authenticate: async () => {},
})

const mustNotBeCalled = async (): Promise<never> => {
  throw new Error('a skill with a connection was called in earnest')
}

const find = defineSkill({
  name: 'find',
  title: 'Find',
  description: 'Looks a person up.',
  effect: 'read',
  connection,
  input: {
    type: 'object',
    required: ['email'],
    additionalProperties: false,
    properties: { email: { type: 'string' }, limit: { type: 'integer', minimum: 1, default: 5 } },
  },
  output: {
    type: 'object',
    required: ['name', 'risk'],
    additionalProperties: false,
    properties: {
      name: { type: 'string' },
      risk: { type: ['integer', 'null'], minimum: 0 },
      tags: { type: 'array', items: { type: 'string' } },
    },
  },
  examples: [
    {
      title: 'A person',
      input: { email: 'kim@example.com' },
      output: { name: 'Kim', risk: 10, tags: ['vip'] },
    },
    { title: 'Nobody', input: { email: 'x@example.com' }, output: { name: '', risk: null } },
  ],
  run: mustNotBeCalled,
})

const isolate = defineSkill({
  name: 'isolate',
  title: 'Isolate',
  description: 'Cuts a machine off.',
  effect: 'write',
  repeat: 'verify',
  connection,
  input: {
    type: 'object',
    required: ['id'],
    additionalProperties: false,
    properties: { id: { type: 'string' }, comment: { type: 'string', default: 'by Tocsin' } },
  },
  output: {
    type: 'object',
    required: ['id', 'state'],
    additionalProperties: false,
    properties: { id: { type: 'string' }, state: { enum: ['isolated', 'pending'] } },
  },
  examples: [],
  run: mustNotBeCalled,
  verify: mustNotBeCalled,
})

const post = defineSkill({
  name: 'post',
  title: 'Post',
  description: 'Posts a message, which cannot be taken back.',
  effect: 'write',
  repeat: 'never',
  connection,
  input: {
    type: 'object',
    required: ['text'],
    additionalProperties: false,
    properties: { text: { type: 'string' } },
  },
  output: {
    type: 'object',
    required: ['id'],
    additionalProperties: false,
    properties: { id: { type: 'string' } },
  },
  examples: [{ title: 'Hello', input: { text: 'hello' }, output: { id: 'm-1' } }],
  run: mustNotBeCalled,
})

const ask = defineSkill({
  name: 'ask',
  title: 'Ask',
  description: 'Asks a person.',
  effect: 'write',
  repeat: 'never',
  asks: true,
  connection,
  input: {
    type: 'object',
    required: ['checkpoint_id', 'answers', 'user'],
    additionalProperties: false,
    properties: {
      checkpoint_id: { type: 'string' },
      answers: { type: 'array', items: { type: 'string' } },
      user: { type: 'string' },
      remind_after: { type: 'string' },
    },
  },
  output: {
    type: 'object',
    required: ['message'],
    additionalProperties: false,
    properties: { message: { type: 'string' } },
  },
  examples: [],
  run: mustNotBeCalled,
  settle: mustNotBeCalled,
  remind: mustNotBeCalled,
  refuse: mustNotBeCalled,
})

/** Answers differently each time, so that no test may depend on it. */
let moods = 0
const mood = defineSkill({
  name: 'mood',
  title: 'Mood',
  description: 'Another number each time.',
  effect: 'read',
  input: { type: 'object', additionalProperties: false, properties: {} },
  output: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
  examples: [],
  run: async () => ({ n: ++moods }),
})

const slow = defineSkill({
  name: 'slow',
  title: 'Slow',
  description: 'Takes some real time.',
  effect: 'read',
  input: { type: 'object', additionalProperties: false, properties: {} },
  output: { type: 'object', additionalProperties: false, properties: {} },
  examples: [],
  run: () => sleep(30, {}),
})

const broken = defineSkill({
  name: 'broken',
  title: 'Broken',
  description: 'Has a bug.',
  effect: 'read',
  input: { type: 'object', additionalProperties: false, properties: {} },
  output: { type: 'object', additionalProperties: false, properties: {} },
  examples: [],
  run: async () => {
    throw new TypeError('x is not a function')
  },
})

/** Skills with connections, which must not be called; case skills; three without a connection; and destructive ones. */
export const catalogue = buildCatalogue([
  casePlugin,
  definePlugin({
    name: 'people',
    title: 'People',
    description: 'For tests.',
    connection,
    skills: [find, isolate, post, ask],
  }),
  definePlugin({ name: 'own', title: 'Own', description: 'For tests.', skills: [mood, slow, broken] }),
  edr,
])

/** A playbook with these steps, indented as a list under `steps:`. */
export function playbookSource(steps: string, rest = ''): string {
  return `apiVersion: tocsin/v1\nname: tested\non: { alert: { type: odd } }\nsteps:\n${trim(steps)}\n${rest}`
}

const trim = (text: string): string => text.replace(/^\n/, '').trimEnd()

/** A file of tests; the playbook is `p.yaml`. */
export function testsSource(tests: string, head = ''): string {
  return `playbook: p.yaml\n${head}tests:\n${trim(tests)}\n`
}

export function parsed(
  playbook: string,
  source: string,
): { tests: PlaybookTests | undefined; problems: readonly Problem[] } {
  return parseTests(source, {
    file: 'p.test.yaml',
    catalogue,
    loadPlaybook: (name) => (name === 'p.yaml' ? playbook : undefined),
  })
}

/** The problems of a test file as `tocsin test` prints them. */
export function problemsOf(playbook: string, source: string): readonly string[] {
  const { problems } = parsed(playbook, source)
  return problems.map((problem) => formatProblem(problem, source))
}

export function playbookOf(source: string): Playbook {
  const { playbook, problems } = parsePlaybook(source, { catalogue })
  return playbook ?? expect.fail(problems.map((problem) => formatProblem(problem, source)).join('\n'))
}

export function testsOf(playbook: string, source: string): PlaybookTests {
  const { tests, problems } = parsed(playbook, source)
  return tests ?? expect.fail(problems.map((problem) => formatProblem(problem, source)).join('\n'))
}

export async function results(
  playbook: string,
  source: string,
  options: { readonly crash?: boolean } = {},
): Promise<readonly TestResult[]> {
  const { tests } = await runTests(testsOf(playbook, source), { catalogue, ...options })
  return tests
}

/** Failures of the first test as `tocsin test` prints them. */
export async function failures(playbook: string, source: string, options: { readonly crash?: boolean } = {}) {
  const [first] = await results(playbook, source, options)
  return first!.failures.map((failure) => formatProblem(failure, source))
}
