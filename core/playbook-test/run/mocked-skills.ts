import { assumedOutput } from '../../dry-run/assumed-output.ts'
import { placeOfPerson, withoutInner } from '../../engine/journal/paths.ts'
import type { SkillCall, SkillCaller } from '../../engine/skills/skill-caller.ts'
import { RetryableError, SkillError, TocsinError } from '../../plugin/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Catalogue } from '../../registry/catalogue.ts'
import { compileSchema, validate, withDefaults } from '../../schema/index.ts'
import { compareValues, show } from '../read/compare.ts'
import { withoutTimes } from './tries-before.ts'
import type { MockError, Mocks, MockReply } from '../read/playbook-test.ts'

/** A step, or an item of a step, that called a skill. */
export interface SeenCall {
  readonly skill: string
  /** Path in the journal. */
  readonly path: string
  /** Name of the step in mocks and expectations; see `NamedStep`. */
  readonly step: string
  readonly input: unknown
  readonly idempotencyKey: string
  /** Time of the first attempt, in epoch milliseconds. */
  readonly atMs: number
  readonly attempts: number
}

/** A call without a mock. */
export interface Unmocked {
  readonly path: string
  readonly message: string
  readonly hint: string
}

/** Facts about places in a run, for mocks. */
export interface Places {
  /** Name of a step in mocks, by its path in the journal; see `NamedStep`. */
  readonly nameOf: (path: string) => string
  /** Number of earlier attempts (`triesBefore`), which selects the reply, also after a crash. */
  readonly triesBefore: (path: string) => number
}

export interface MockedSkillsOptions extends Places {
  readonly catalogue: Pick<Catalogue, 'skill'>
  readonly mocks: Mocks
  readonly clock: Clock
  /** Whether the path is a checkpoint, whose skill only notifies a person. */
  readonly asks: (path: string) => boolean
  /** Whether a checkpoint already has an answer, so no notification is sent. */
  readonly isAnswered?: (name: string) => boolean
  /** The caller for skills without a mock; undefined if they must not be called. */
  readonly otherwise: (skill: string) => SkillCaller | undefined
}

/** Skills answered by mocks. */
export interface MockedSkills {
  readonly call: SkillCaller
  /** Whether this skill or step has a mock for any input. */
  readonly isMocked: (call: SkillCall) => boolean
  /** In the order of their first calls. */
  readonly calls: () => readonly SeenCall[]
  readonly unmocked: Unmocked[]
  /** Notes that a step used an interface, besides the calls of the chosen skills. */
  readonly note: (name: string, path: string, input: unknown) => void
  /** The effect of a write with this key, if it took effect. */
  readonly effect: (idempotencyKey: string) => { readonly output: unknown } | undefined
}

export function createMockedSkills(options: MockedSkillsOptions): MockedSkills {
  const { mocks, clock } = options
  const calls = new Map<string, SeenCall>()
  const effects = new Map<string, { readonly output: unknown }>()
  /** Start of each attempt: a crash does not delay the other system's reply. */
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
      const tries = placeOfPerson(path) ?? options.triesBefore(path)
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
    note(skill, path, input) {
      const key = `${skill} ${path}`
      const seen = { skill, path, step: options.nameOf(path), input, idempotencyKey: key, attempts: 1 }
      if (!calls.has(key)) calls.set(key, { ...seen, atMs: clock.now() })
    },
    effect: (idempotencyKey) => effects.get(idempotencyKey),
  }
}

/**
 * The idempotency key consists of the run and the path; the notification of a checkpoint has a path inside
 * the checkpoint's.
 */
function pathOf({ run, attempt }: SkillCall): string {
  return attempt.idempotencyKey.slice(run.uuid.length + 1)
}

/** Like the real caller, fails the step on an invalid input before calling anything. */
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

/** The mocks of a step; those of this item take precedence. */
export function stepReplies(mocks: Mocks, path: string, step: string): readonly MockReply[] | undefined {
  const place = withoutTimes(withoutInner(path))
  return mocks.get(`steps.${place}`) ?? mocks.get(`steps.${step}`)
}

/**
 * Replies of the step before those of the skill, and those for this input before those for any. Undefined if
 * there is no mock.
 */
function repliesFor(
  mocks: Mocks,
  { skill, input }: SkillCall,
  path: string,
  step: string,
): readonly MockReply[] | undefined {
  const replies = stepReplies(mocks, path, step) ?? mocks.get(skill)
  return replies && matchingReplies(replies, input)
}

/** The replies for this input, else those for any input. */
export function matchingReplies(replies: readonly MockReply[], input: unknown): readonly MockReply[] {
  const own = replies.filter(
    (reply) => reply.with !== undefined && compareValues(reply.with, input).length === 0,
  )
  return own.length > 0 ? own : replies.filter((reply) => reply.with === undefined)
}

function missingMock({ skill, input }: SkillCall, path: string, step: string, isMocked: boolean): Unmocked {
  // The position of a step without id changes when siblings are added.
  const key = /(?:^|\/)\d+$/.test(step) ? skill : `steps.${step}`
  const message = isMocked
    ? `no reply of the mock matches the input that step '${path}' gives to ${skill}: ${show(input)}`
    : `step '${path}' calls ${skill}, which is not mocked; its input is ${show(input)}`
  const hint = isMocked
    ? 'add a reply without `with`, or with values of this input'
    : `add to mocks: ${key}: { output: … } (or example, error, timeout)`
  return { path, message, hint }
}

/** The output of a notification, which the playbook does not read. */
function toldOutput(catalogue: Pick<Catalogue, 'skill'>, { skill, input }: SkillCall): unknown {
  const found = catalogue.skill(skill)?.skill
  return found === undefined ? null : assumedOutput(found, input).output
}

async function answer(
  reply: MockReply,
  begunAt: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<unknown> {
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
    case 'event':
      throw new Error('a skill has neither answers nor events')
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
