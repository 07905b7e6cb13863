import {
  defineConnection,
  definePlugin,
  defineSkill,
  type AnySkill,
  type SkillContext,
  Secret,
} from '../../core/plugin/index.ts'
import { testCases } from '../../core/plugin/testing/index.ts'
import { mayHaveHappened } from '../../core/engine/context/retry-class.ts'
import type { SkillCall } from '../../core/engine/skills/skill-caller.ts'
import type { Connection } from '../../core/domain/connection.ts'
import type { ConnectionStore } from '../../core/ports/connection-store.ts'
import type { Egress, EgressRequest, EgressResponse } from '../../core/ports/egress.ts'
import type { LogFields } from '../../core/ports/log.ts'
import { ManualClock } from '../engine/support/manual-clock.ts'
import type { SecretResolver } from '../../core/skill/connection/secret-resolver.ts'
import { createSkillCaller } from '../../core/skill/call/caller.ts'
import { createPerformTask } from '../../core/skill/call/perform-task.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'

export const canary = 'canary-0123456789'

export const connection = defineConnection({
  title: 'Box',
  description: 'A box.',
  settings: {
    type: 'object',
    required: ['base_url', 'key'],
    additionalProperties: false,
    properties: {
      base_url: { type: 'string' },
      key: { type: 'string', minLength: 4, 'x-secret': true },
      region: { type: 'string', default: 'eu' },
    },
  },
  baseUrl: (settings) => settings.base_url,
  otherOrigins: () => ['https://login.example.com'],
  headers: (settings) => ({ 'X-Key': settings.key.reveal() }),
  errors: { 403: 'ask the owner of the box' },
  authenticate: async ({ http }) => void (await http.get('/me')),
})

/** A skill defined by the test. */
export function skillThat(
  run: (input: never, context: SkillContext<never>) => unknown,
  more: object = {},
): AnySkill {
  return {
    ...defineSkill({
      name: 'act',
      title: 'Act',
      description: 'Acts.',
      effect: 'read',
      connection,
      input: {
        type: 'object',
        additionalProperties: false,
        properties: { id: { type: 'string' }, limit: { type: 'integer', default: 10 } },
      },
      output: {
        type: 'object',
        required: ['text'],
        properties: { text: { type: 'string' }, n: { type: 'integer' } },
      },
      examples: [],
      run: async () => ({ text: '' }),
    }),
    ...more,
    run,
  } as unknown as AnySkill
}

export function storedConnection(name: string, changes: Partial<Connection> = {}): Connection {
  return {
    uuid: name,
    organizationUuid: 'org',
    name,
    plugin: 'box',
    settings: { base_url: 'https://box.example.com/v1' },
    secretReferences: {},
    enabled: true,
    secretsAt: 0,
    broken: null,
    lastFailure: null,
    warning: null,
    signIn: null,
    revision: 1,
    createdAt: 0,
    modifiedAt: 0,
    ...changes,
  }
}

interface Options {
  /** Why connections cannot be opened. */
  readonly away?: Error
  readonly connections?: readonly Connection[]
  readonly secrets?: Readonly<Record<string, Secret>>
  readonly answer?: (request: EgressRequest) => Partial<EgressResponse> | Error
  readonly clock?: ManualClock
  readonly resolver?: SecretResolver
}

/** A caller of one skill that records all its actions. */
export function callerOf(skill: AnySkill, options: Options = {}) {
  const requests: EgressRequest[] = []
  const lines: { readonly fields: LogFields; readonly message: string }[] = []
  const cases = testCases()
  const clock = options.clock ?? new ManualClock()
  const stored = options.connections ?? [storedConnection('main')]
  const secrets = options.secrets ?? { key: new Secret(canary) }
  const connections: Pick<ConnectionStore, 'list' | 'open'> = {
    list: async (scope) => stored.filter((one) => scope !== 'all' && scope.includes(one.organizationUuid)),
    open: async (organization, name) => {
      if (options.away !== undefined) throw options.away
      const found = stored.find(
        (one) => one.organizationUuid === organization && one.name.toLowerCase() === name.toLowerCase(),
      )
      return found === undefined ? undefined : { connection: found, secrets }
    },
  }
  const egress: Egress = {
    async send(request) {
      requests.push(request)
      const answer = options.answer?.(request) ?? {}
      if (!(answer instanceof Error) || mayHaveHappened(answer)) request.onSent?.()
      if (answer instanceof Error) throw answer
      return { status: 200, headers: {}, body: '', ...answer }
    },
  }
  const write = (fields: LogFields, message: string): void => void lines.push({ fields, message })
  const plugin = definePlugin({ name: 'box', title: 'Box', description: 'Box.', connection, skills: [skill] })
  const catalogue = buildCatalogue([plugin])
  const call = createSkillCaller({
    catalogue,
    stores: { connections, cases },
    performTask: createPerformTask({ catalogue, egress, clock }),
    secrets: options.resolver,
    log: { debug: write, info: write, warn: write, error: write },
  })
  return {
    requests,
    lines,
    cases,
    call: (changes: Partial<SkillCall> = {}) =>
      call({
        purpose: 'run',
        skill: 'box.act',
        connection: undefined,
        input: {},
        run: {
          uuid: 'run-1',
          organizationUuid: 'org',
          playbookName: 'triage',
          openCase: async () => 'DEMO-1',
        },
        attempt: {
          number: 1,
          idempotencyKey: 'run-1/act',
          deadlineMs: Infinity,
          signal: AbortSignal.timeout(30_000),
        },
        ...changes,
      }),
  }
}

/** The error of a rejected call. */
export async function failure(
  work: Promise<unknown>,
): Promise<Error & { code?: string; hint?: string; details?: unknown }> {
  return work.then(
    (output) => {
      throw new Error(`it should have failed, and gave ${JSON.stringify(output)}`)
    },
    (error: Error) => error,
  )
}
