import type { Run } from '../../../core/domain/run.ts'
import type { EffectAttempt, EffectWork } from '../../../core/engine/journal/durable-context.ts'
import { findEarlierTries } from '../../../core/engine/journal/earlier-tries.ts'
import { interpret } from '../../../core/engine/steps/interpreter.ts'
import { openLocalContext, type LocalContextOptions } from '../../../core/engine/context/local-context.ts'
import type { RunOutcome } from '../../../core/engine/scope/flow.ts'
import type { CalledPlaybooks } from '../../../core/engine/steps/walk.ts'
import type {
  QuestionFollowUp,
  SkillCall,
  DestructiveSkill,
  Skills,
} from '../../../core/engine/skills/skill-caller.ts'
import type { InterfaceCalls } from '../../../core/interface/interface-calls.ts'
import type { Playbook } from '../../../core/playbook/language/playbook.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { JournalStore } from '../../../core/ports/runs/journal-store.ts'
import type { Log } from '../../../core/ports/log.ts'
import type { Stores } from '../../../core/ports/stores.ts'
import { openTemporaryStores } from '../../support/stores.ts'
import { somebody } from '../../support/somebody.ts'

/** A skill as a function; it receives the number of its call, from 1. */
export interface TestSkill {
  readonly interrupted?: EffectWork['interrupted']
  run(input: unknown, attempt: EffectAttempt, call: number): unknown
  verify?(input: unknown, attempt: EffectAttempt): unknown
  settle?(asked: QuestionFollowUp, attempt: EffectAttempt): unknown
  remind?(asked: QuestionFollowUp, attempt: EffectAttempt): unknown
}

export type TestSkills = Readonly<Record<string, TestSkill | TestSkill['run']>>

/** Calls in the order in which they began. */
export interface SeenCall {
  readonly purpose: SkillCall['purpose']
  readonly skill: string
  readonly input: unknown
  readonly key: string
  readonly attempt: number
  readonly asked?: QuestionFollowUp
}

/** A real store in a temporary folder with one run, and functions as skills. */
export interface Bench {
  readonly stores: Stores
  readonly organizationUuid: string
  readonly calls: SeenCall[]
  readonly logged: Record<string, unknown>[]
  readonly log: Log
  /** A started run. */
  startRun(organizationUuid?: string): Promise<Run>
  /** Interprets a playbook for a run like a new process. */
  go(playbook: Playbook, skills: TestSkills, options?: GoOptions): Promise<RunOutcome>
  close(): Promise<void>
}

interface GoOptions extends Partial<
  Pick<
    LocalContextOptions,
    | 'journal'
    | 'stop'
    | 'cancel'
    | 'onIdle'
    | 'wakeUps'
    | 'checkpoints'
    | 'events'
    | 'destructiveLimits'
    | 'lease'
  >
> {
  readonly run?: Run
  readonly names?: Readonly<Record<string, unknown>>
  readonly playbooks?: CalledPlaybooks
  /** Installed skills with their declarations. */
  readonly destructive?: Readonly<Record<string, DestructiveSkill>>
  readonly interfaces?: InterfaceCalls
  readonly connectionFor?: Skills['connectionFor']
}

export async function openBench(clock: Clock): Promise<Bench> {
  const { stores, dispose } = await openTemporaryStores({ clock })
  const organization = await stores.organizations.create({ code: 'ACME', name: 'Acme' }, somebody())
  const calls: SeenCall[] = []
  const logged: Record<string, unknown>[] = []
  const note = (fields: object, message: string) => void logged.push({ ...fields, message })
  const log: Log = { debug: note, info: note, warn: note, error: note }

  async function startRun(organizationUuid = organization.uuid): Promise<Run> {
    const { uuid } = await stores.runs.queue({
      organizationUuid,
      playbookName: 'tested',
      playbookHash: 'a'.repeat(64),
      alertUuid: null,
    })
    return (await stores.runs.start(uuid, { title: 'tested' }))!
  }

  return {
    stores,
    organizationUuid: organization.uuid,
    calls,
    logged,
    log,
    startRun,
    async go(playbook, skills, options = {}) {
      const run = options.run ?? (await startRun())
      const context = await openLocalContext({
        checkpoints: stores.checkpoints,
        events: stores.eventWaits,
        ...options,
        run: { uuid: run.uuid, startedAt: run.startedAt! },
        earlierTries: () => findEarlierTries(stores, run),
        journal: options.journal ?? stores.journal,
        clock,
        log,
      })
      const { uuid, organizationUuid, playbookName, caseId } = run
      const openCase = async () => caseId ?? undefined
      const names = { alert: {}, inputs: {}, ...options.names }
      const outcome = await interpret(
        playbook,
        { run: { uuid, organizationUuid, playbookName, openCase }, names, playbooks: options.playbooks },
        context,
        {
          ...testSkills(skills, calls),
          destructive: (name) => options.destructive?.[name],
          interfaces: options.interfaces,
          connectionFor: options.connectionFor,
        },
      )
      await context.settled()
      return outcome
    },
    close: dispose,
  }
}

/** Functions as skills; a plain function may be repeated. */
export function testSkills(skills: TestSkills, calls: SeenCall[]) {
  const counts = new Map<string, number>()
  const find = (name: string): TestSkill => {
    const skill = skills[name]
    if (!skill) throw new Error(`the test has no skill ${name}`)
    return typeof skill === 'function' ? { run: skill } : skill
  }
  return {
    interrupted: (name: string) => find(name).interrupted ?? 'repeat',
    followUps: (name: string) => ({
      settles: find(name).settle !== undefined,
      reminds: find(name).remind !== undefined,
    }),
    async call({ purpose, skill, input, attempt, asked, onConnection }: SkillCall): Promise<unknown> {
      const call = { purpose, skill, input, key: attempt.idempotencyKey, attempt: attempt.number }
      calls.push(asked === undefined ? call : { ...call, asked })
      if (purpose === 'verify') return find(skill).verify?.(input, attempt)
      if (purpose === 'settle' || purpose === 'remind') {
        await find(skill)[purpose]?.(asked!, attempt)
        return undefined
      }
      await onConnection?.('chat')
      const count = (counts.get(skill) ?? 0) + 1
      counts.set(skill, count)
      return await find(skill).run(input, attempt, count)
    },
  }
}

/** Paths and states of a run's journal, sorted by path: the same regardless of timing. */
export async function journalOf(stores: { readonly journal: JournalStore }, runUuid: string) {
  const entries = await stores.journal.entries(runUuid)
  return entries
    .map(({ path, kind, state, input, output, error }) => ({ path, kind, state, input, output, error }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
}
