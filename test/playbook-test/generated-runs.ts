import { expect } from 'chai'
import { createWakeUps } from '../../core/engine/journal/wake-ups.ts'
import type { SkillCaller } from '../../core/engine/skills/skill-caller.ts'
import { createMemoryCheckpoints } from '../../core/playbook-test/run/memory-checkpoints.ts'
import type { CalledByName } from '../../core/playbook-test/read/playbook-test.ts'
import { VirtualClock } from '../../core/playbook-test/run/virtual-clock.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import { parseWithCalled } from '../../core/playbook/read/parse-with-called.ts'
import { defineSkill, RetryableError, SkillError, type AnySkill } from '../../core/plugin/index.ts'
import { compileSchema, validate, withDefaults } from '../../core/schema/index.ts'
import { personOf } from '../../core/domain/audit.ts'
import { makeRandom } from '../support/random.ts'
import { alertView, realRun } from './real-run.ts'
import { catalogue as plain } from './support.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'

const secretSkill = defineSkill({
  name: 'secret',
  title: 'Secret',
  description: 'Gives what is sensitive.',
  effect: 'read',
  input: { type: 'object', additionalProperties: false, properties: { key: { type: 'string' } } },
  output: {
    type: 'object',
    required: ['id', 'token', 'details'],
    additionalProperties: false,
    properties: {
      id: { type: 'string' },
      token: { type: 'string', 'x-sensitive': true },
      details: {
        type: 'object',
        required: ['n'],
        properties: { n: { type: 'integer' }, note: { type: 'string' } },
        'x-sensitive': true,
      },
    },
  },
  examples: [],
  run: async () => {
    throw new Error('called in earnest')
  },
})

/** The skills of other tests: one is destructive, and one returns sensitive values. */
export const generatedCatalogue = buildCatalogue(
  plain.plugins.map((plugin) =>
    plugin.name !== 'people'
      ? plugin
      : {
          ...plugin,
          skills: [
            ...plugin.skills.map((skill: AnySkill) =>
              skill.name === 'isolate' ? ({ ...skill, destructive: 'containment' } as AnySkill) : skill,
            ),
            { ...secretSkill, connection: plugin.connection } as AnySkill,
          ],
        },
  ),
)

type StepMap = Record<string, unknown>

/** A playbook with every kind of step, as JSON, which is valid YAML. */
function generate(random: () => number, depth: number, prefix: string): StepMap[] {
  const int = (max: number) => Math.floor(random() * max)
  const maybe = <T>(value: T, chance = 0.4): T | undefined => (random() < chance ? value : undefined)
  const one = <T>(...all: readonly T[]): T => all[int(all.length)]!
  let count = 0
  const id = () => `${prefix}${count++}`
  const texts = [
    '${{ run.url }}',
    'Case ${{ case.id }} of ${{ organization.name }}',
    'At ${{ string(now) }}, ${{ run.id }}',
    '${{ alert.data.email }}: "quoted" #1',
    'plain',
  ]
  const handled = () => ({
    on_error: maybe(
      one<unknown>('continue', [{ id: id(), uses: 'case.comment', with: { text: '${{ error.code }}' } }]),
    ),
  })
  const find = () => ({
    uses: 'people.find',
    with: { email: one('kim', '${{ alert.data.email }}', 'ann') },
    retry: maybe({ max: 2, backoff: '1s' }),
    timeout: maybe('20s'),
  })
  const condition = () =>
    one(
      'alert.data.n > 3',
      'run.url.size() > 20',
      'now > timestamp("2020-01-01T00:00:00Z")',
      'case.id == "ACME-17"',
      'false',
    )
  const kinds: readonly (() => StepMap)[] = [
    () => ({ id: id(), ...find(), ...handled(), if: maybe(condition(), 0.2) }),
    () => ({ id: maybe(id()), ...find(), on_error: 'continue', default: { name: 'x', risk: null } }),
    () => ({
      id: id(),
      foreach: "${{ ['a', 'b', 'a', 'c'] }}",
      concurrency: maybe(3),
      on_item_error: 'continue',
      ...find(),
      with: { email: '${{ item }}' },
    }),
    () => ({
      id: id(),
      ...find(),
      repeat: { until: 'output.name == "B"', every: '5m', max: 3 },
      on_error: 'continue',
    }),
    () => ({
      id: id(),
      uses: 'people.isolate',
      with: { id: one('m-1', 'm-2'), comment: one(...texts) },
      ...handled(),
    }),
    () => ({ id: id(), uses: 'people.post', with: { text: one(...texts) }, ...handled() }),
    () => {
      const asks = one('people.ask', 'operator')
      return {
        id: id(),
        checkpoint: {
          via: asks,
          with: asks === 'operator' ? { message: one(...texts) } : { user: one('kim', 'ann') },
          answers: ['yes', 'no'],
          timeout: '1h',
          on_timeout: maybe(one('no', 'nobody')),
        },
        ...handled(),
      }
    },
    () => ({
      id: id(),
      checkpoint: {
        via: 'operator',
        with: { message: 'How many?' },
        form: {
          type: 'object',
          required: ['n'],
          properties: { n: { type: 'integer', 'x-sensitive': true } },
        },
        timeout: '30m',
      },
      on_error: 'continue',
    }),
    () => ({ id: id(), wait: one('5m', '2s') }),
    () => ({
      id: id(),
      set: { at: '${{ string(now) }}', url: '${{ run.url }}', n: '${{ alert.data.n + 1 }}' },
    }),
    () => ({ id: id(), uses: 'own.mood' }),
    () => ({ id: id(), uses: 'people.secret', with: { key: 'k' } }),
    () => ({ id: id(), uses: 'case.create', with: { title: one('Another case', 'A third one') } }),
    () => ({ id: id(), uses: 'case.comment', with: { text: one(...texts) } }),
    () => ({ uses: 'case.update', with: { summary: one(...texts), severity: one('low', 'high') } }),
    () => ({ id: id(), call: 'child', with: { who: one('kim', 'ann') }, ...handled() }),
  ]
  const groups: readonly (() => StepMap)[] = [
    () => ({ id: id(), parallel: generate(random, depth - 1, `${id()}_`), on_error: 'continue' }),
    () => ({
      id: id(),
      switch: [
        { when: condition(), steps: generate(random, depth - 1, `${id()}_`) },
        { when: condition(), steps: generate(random, depth - 1, `${id()}_`) },
      ],
      else: generate(random, depth - 1, `${id()}_`),
    }),
    () => ({
      id: id(),
      foreach: "${{ ['x', 'x', 'y'] }}",
      on_item_error: 'continue',
      steps: generate(random, depth - 1, `${id()}_`),
    }),
    () => ({
      id: id(),
      repeat: { until: 'false', every: '1m', max: 2 },
      steps: generate(random, depth - 1, `${id()}_`),
      on_error: 'continue',
    }),
    () => ({
      id: id(),
      timeout: '90s',
      steps: generate(random, depth - 1, `${id()}_`),
      on_error: 'continue',
    }),
  ]
  const length = 1 + int(depth > 1 ? 5 : 3)
  return Array.from({ length }, () => (depth > 0 && random() < 0.3 ? one(...groups)() : one(...kinds)()))
}

const child = JSON.stringify({
  apiVersion: 'tocsin/v1',
  name: 'child',
  on: { call: true },
  inputs: { who: { type: 'string' } },
  steps: [
    { id: 'found', uses: 'people.find', with: { email: '${{ inputs.who }}' }, on_error: 'continue' },
    {
      id: 'sure',
      checkpoint: {
        via: 'people.ask',
        with: { user: '${{ inputs.who }}' },
        answers: ['yes', 'no'],
        timeout: '1h',
        on_timeout: 'no',
      },
    },
    { if: 'steps.sure.output.answer == "yes"', uses: 'people.post', with: { text: 'sure' } },
  ],
  outputs: { answer: '${{ steps.sure.output.answer }}' },
})

const email = 'dana@example.com'

export async function generatedRun(seed: number) {
  const random = makeRandom(seed)
  const steps = generate(random, 2, 's')
  const ends = random() < 0.2 ? [{ if: 'alert.data.n > 3', fail: 'given up in ${{ case.id }}' }] : []
  const source = JSON.stringify(
    {
      apiVersion: 'tocsin/v1',
      name: 'generated',
      on: { alert: { type: 'odd' } },
      alert: {
        type: 'object',
        required: ['email', 'n'],
        properties: { email: { type: 'string' }, n: { type: 'integer' } },
      },
      inputs: {
        pin: { type: 'string', default: 'hunter22', 'x-sensitive': true },
        code: { type: 'integer', minimum: 1000, default: 4711, 'x-sensitive': true },
      },
      steps: [...steps, ...ends],
      outputs: {
        url: '${{ run.url }}',
        at: '${{ string(now) }}',
        n: '${{ alert.data.n }}',
        id: '${{ case.id }}',
      },
      finally:
        random() < 0.3 ? [{ uses: 'case.comment', with: { text: 'ended as ${{ run.status }}' } }] : undefined,
    },
    null,
    1,
  )
  const { playbook, called } = compiled(source)
  const clock = new VirtualClock(1_770_000_000_000 + Math.floor(random() * 1e9))
  const wakeUps = createWakeUps()
  const checkpoints = createMemoryCheckpoints(clock, 'o', ({ id, path, question }) => {
    if (!path.endsWith('/@approval') && random() < 0.3) return
    const words = question.answers
    const value =
      words === null ? { n: Math.floor(random() * 9) } : words[Math.floor(random() * words.length)]!
    const by = { ...personOf('kim'), ...(random() < 0.3 ? { kind: 'api_key' as const } : {}) }
    void answerLater()
    async function answerLater(): Promise<void> {
      await clock.sleep(Math.floor(random() * 900_000), new AbortController().signal)
      await checkpoints.store.answer(id, { value, text: random() < 0.5 ? null : 'so be it' }, by)
      wakeUps.wake()
    }
  })
  const fixtures = {
    nowMs: clock.now(),
    alert: {
      type: 'odd',
      provider: 'splunk',
      content: JSON.stringify({ email, n: Math.floor(random() * 8) }),
      id: 'ACME-splunk-9',
      uuid: '00000000-0000-4000-8000-0000000000ff',
      createdAt: clock.now() - 5_000,
      createdAtSource: null,
    },
    organization: { code: 'ACME', name: 'Acme Corp.' },
    state: {},
    inputs: { pin: 'hunter22', code: 123_456 },
  }
  const uuid = `11111111-2222-4333-8444-${String(seed % 1_000_000).padStart(12, '0')}`
  const held = new Map<string, boolean>()
  const run = await realRun({
    uuid,
    playbook,
    called,
    fixtures,
    catalogue: generatedCatalogue,
    clock,
    checkpoints,
    wakeUps,
    call: whatever(random, clock),
    isHeld: (path) => {
      if (!held.has(path)) held.set(path, random() < 0.4)
      return held.get(path)!
    },
  })
  const loadPlaybook = (name: string) =>
    name === 'generated.yaml' ? source : name === 'child.yaml' ? child : undefined
  const options = {
    catalogue: generatedCatalogue,
    playbook,
    playbookFile: 'generated.yaml',
    loadPlaybook,
    alert: alertView(fixtures),
  }
  return { run, options, source }
}

function compiled(source: string): { readonly playbook: Playbook; readonly called: CalledByName } {
  const beside = { keys: () => ['child'], get: (name: string) => (name === 'child' ? child : undefined) }
  const { playbook, called, problems } = parseWithCalled(source, { catalogue: generatedCatalogue, beside })
  const errors = problems.filter(({ severity }) => severity === 'error')
  if (playbook === undefined)
    expect.fail(
      `${errors.map(({ code, message, line }) => `${line} ${code} ${message}`).join('\n')}\n${source}`,
    )
  expect(parsePlaybook(child, { catalogue: generatedCatalogue }).playbook).to.not.equal(undefined)
  return { playbook, called }
}

/** Another system: slow, different each time, failing, busy or silent. */
function whatever(random: () => number, clock: VirtualClock): SkillCaller {
  return async ({ skill, input, attempt, purpose }) => {
    if (purpose === 'verify') return undefined
    const { skill: declared } = generatedCatalogue.skill(skill)!
    validate(compileSchema(declared.input), withDefaults(declared.input, input), `input of ${skill}`)
    const luck = random()
    await clock.sleep(luck < 0.1 ? 4_000 : 3 + Math.floor(random() * 200), attempt.signal)
    if (purpose === 'settle' || purpose === 'remind') return undefined
    if (luck > 0.95) await clock.sleep(1e9, attempt.signal)
    if (luck > 0.85) throw new SkillError('http_404', 'not there', { details: { status: 404 } })
    if (luck > 0.7) throw new RetryableError('http_503', 'busy')
    switch (skill) {
      case 'people.find':
        return { name: random() < 0.5 ? 'A' : 'B', risk: random() < 0.5 ? null : Math.floor(random() * 100) }
      case 'people.isolate':
        return { id: 'm-1', state: random() < 0.5 ? 'isolated' : 'pending' }
      case 'people.post':
        return { id: `p-${Math.floor(random() * 1e6)}` }
      case 'people.secret':
        return {
          id: 's-1',
          token: `tok-${Math.floor(random() * 1e9)}`,
          details: { n: 7, note: 'very private' },
        }
      default:
        return { message: 'asked', asked: 'kim' }
    }
  }
}
