import { assumedOutput } from '../../dry-run/assumed-output.ts'
import type { SkillCall, SkillCaller } from '../../engine/skills/skill-caller.ts'
import { RetryableError, SkillError, TocsinError } from '../../plugin/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Catalogue } from '../../registry/catalogue.ts'
import { compileSchema, validate, withDefaults } from '../../schema/index.ts'
import { compare, show } from '../read/compare.ts'
import { withoutTimes } from './tries-before.ts'
import type { MockError, Mocks, Reply } from '../read/playbook-test.ts'

/** One step, or one item of a step, that called a skill. */
export interface SeenCall {
  readonly skill: string
  /** In the journal. */
  readonly path: string
  /** How mocks and expectations call the step; see `NamedStep`. */
  readonly step: string
  readonly input: unknown
  readonly idempotencyKey: string
  /** Of the first try, epoch milliseconds. */
  readonly atMs: number
  readonly attempts: number
}

/** A call that nothing answered. */
export interface Unmocked {
  readonly path: string
  readonly message: string
  readonly hint: string
}

/** What mocks need to know of a place in a run. */
export interface Places {
  /** How mocks call a step, by its path in the journal; see `NamedStep`. */
  readonly nameOf: (path: string) => string
  /** How many tries came before this one (`triesBefore`): it gets the reply after theirs, also after a crash. */
  readonly triesBefore: (path: string) => number
}

export interface MockedSkillsOptions extends Places {
  readonly catalogue: Pick<Catalogue, 'skill'>
  readonly mocks: Mocks
  readonly clock: Clock
  /** Whether the path is of a checkpoint: its skill only tells a person, who answers by another way. */
  readonly asks: (path: string) => boolean
  /** Whether a checkpoint has its answer from elsewhere: then nobody has to be told. */
  readonly isAnswered?: (name: string) => boolean
  /** What calls a skill that nothing is said about; undefined where nothing may be called. */
  readonly otherwise: (skill: string) => SkillCaller | undefined
}

/** Skills that answer as a test says. */
export interface MockedSkills {
  readonly call: SkillCaller
  /** Whether a mock is there for this skill or step, for whatever input. */
  readonly isMocked: (call: SkillCall) => boolean
  /** In the order in which they were first called. */
  readonly calls: () => readonly SeenCall[]
  readonly unmocked: Unmocked[]
  /** What a write that was called with this key came to, if it took effect. */
  readonly effect: (idempotencyKey: string) => { readonly output: unknown } | undefined
}

export function createMockedSkills(options: MockedSkillsOptions): MockedSkills {
  const { mocks, clock } = options
  const calls = new Map<string, SeenCall>()
  const effects = new Map<string, { readonly output: unknown }>()
  /** When each try began: the other system goes on with it after a crash, and answers no later for it. */
  const begun = new Map<string, number>()
  const unmocked: Unmocked[] = []

  const call: SkillCaller = async (asked) => {
    const { idempotencyKey } = asked.attempt
    const path = pathOf(asked)
    const known = effects.get(idempotencyKey)
    if (asked.purpose === 'verify') return known?.output
    checkInput(options.catalogue, asked)
    const step = options.nameOf(path)
    note(calls, asked, path, step, clock.now())
    const replies = repliesFor(mocks, asked, path, step)
    const live = replies === undefined ? options.otherwise(asked.skill) : undefined
    let output: unknown
    if (live !== undefined) output = await live(asked)
    else if (replies === undefined && options.isAnswered?.(step) === true)
      output = toldOutput(options.catalogue, asked)
    else if (replies === undefined || replies.length === 0) {
      const missing = missingMock(asked, path, step, replies !== undefined)
      unmocked.push(missing)
      throw new TocsinError('mock_missing', missing.message, { hint: missing.hint })
    } else {
      const tries = options.triesBefore(path)
      const reply = replies[Math.min(tries, replies.length - 1)]!
      const attempt = `${idempotencyKey} ${tries}`
      const begunAt = begun.get(attempt) ?? clock.now()
      begun.set(attempt, begunAt)
      const isTold = reply.kind === 'answer' || (reply.kind === 'timeout' && options.asks(path))
      output = isTold
        ? toldOutput(options.catalogue, asked)
        : await answer(reply, begunAt, clock, asked.attempt.signal)
    }
    effects.set(idempotencyKey, { output })
    return output
  }
  return {
    call,
    isMocked: (asked) => repliesFor(mocks, asked, pathOf(asked), options.nameOf(pathOf(asked))) !== undefined,
    calls: () => [...calls.values()],
    unmocked,
    effect: (idempotencyKey) => effects.get(idempotencyKey),
  }
}

/** The idempotency key is the run and the path; what tells of a checkpoint has a place inside the checkpoint's. */
function pathOf({ run, attempt }: SkillCall): string {
  return attempt.idempotencyKey.slice(run.uuid.length + 1)
}

/** As the real caller does: an input that does not fit fails the step before anything is called. */
function checkInput(catalogue: Pick<Catalogue, 'skill'>, { skill, input }: SkillCall): void {
  const schema = catalogue.skill(skill)?.skill.input
  if (schema === undefined) return
  validate(compileSchema(schema), withDefaults(schema, input), `input of ${skill}`)
}

function note(
  calls: Map<string, SeenCall>,
  { skill, input, attempt: { idempotencyKey } }: SkillCall,
  path: string,
  step: string,
  nowMs: number,
): void {
  const before = calls.get(idempotencyKey)
  const atMs = before?.atMs ?? nowMs
  const attempts = (before?.attempts ?? 0) + 1
  calls.set(idempotencyKey, { skill, path, step, input, idempotencyKey, atMs, attempts })
}

/** What is said about a step: about this item of it before all of them. */
export function stepReplies(mocks: Mocks, path: string, step: string): readonly Reply[] | undefined {
  const place = withoutTimes(path.replace(/\/@[a-z_]+$/, ''))
  return mocks.get(`steps.${place}`) ?? mocks.get(`steps.${step}`)
}

/** Of the step before those of the skill; those for this input before those for any. Undefined: nothing is said at all. */
function repliesFor(
  mocks: Mocks,
  { skill, input }: SkillCall,
  path: string,
  step: string,
): readonly Reply[] | undefined {
  const replies = stepReplies(mocks, path, step) ?? mocks.get(skill)
  if (replies === undefined) return undefined
  const own = replies.filter((reply) => reply.with !== undefined && compare(reply.with, input).length === 0)
  return own.length > 0 ? own : replies.filter((reply) => reply.with === undefined)
}

function missingMock({ skill, input }: SkillCall, path: string, step: string, isMocked: boolean): Unmocked {
  // A place among siblings changes with them.
  const key = /(?:^|\/)\d+$/.test(step) ? skill : `steps.${step}`
  const message = isMocked
    ? `no reply of the mock fits what step '${path}' gives to ${skill}: ${show(input)}`
    : `step '${path}' calls ${skill}, which is not mocked; its input is ${show(input)}`
  const hint = isMocked
    ? 'add a reply without `with`, or with what this input holds'
    : `add to mocks: ${key}: { output: … } (or example, error, timeout)`
  return { path, message, hint }
}

/** What a skill gives that told a person: of no interest to the playbook. */
function toldOutput(catalogue: Pick<Catalogue, 'skill'>, { skill, input }: SkillCall): unknown {
  const found = catalogue.skill(skill)?.skill
  return found === undefined ? null : assumedOutput(found, input).output
}

async function answer(reply: Reply, begunAt: number, clock: Clock, signal: AbortSignal): Promise<unknown> {
  const leftMs = begunAt + reply.delayMs - clock.now()
  if (leftMs > 0) await clock.sleep(leftMs, signal)
  switch (reply.kind) {
    case 'output':
      return structuredClone(reply.output)
    case 'error':
      throw asThrown(reply.error)
    case 'timeout':
      return await never(signal)
    case 'answer':
      throw new Error('a person answers checkpoints, not skills')
  }
}

function asThrown({ code, message, hint, details, retryable, retryAfterMs }: MockError): TocsinError {
  return retryable
    ? new RetryableError(code, message, { hint, details, retryAfterMs })
    : new SkillError(code, message, { hint, details })
}

function never(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}
