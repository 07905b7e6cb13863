import { assumedOutput } from '../dry-run/assumed-output.ts'
import type { StoredError } from '../domain/run.ts'
import type { SkillCall, SkillCaller } from '../engine/skills/skill-caller.ts'
import { NotFoundError, TimeoutError } from '../errors/errors.ts'
import { ConnectionError, RetryableError, SkillError, TocsinError, type AnySkill } from '../plugin/index.ts'
import { testCases } from '../plugin/testing/index.ts'
import { localSkills, reachesOut } from '../playbook-test/run/run-test.ts'
import type { VirtualClock } from '../playbook-test/run/virtual-clock.ts'
import type { CaseStore } from '../ports/case-store.ts'
import type { ConnectionStore } from '../ports/connection-store.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { requireConnection } from '../skill/connection/find-connection.ts'
import { compileSchema, summarize, validate, withDefaults } from '../schema/index.ts'
import type { CallPlace, RecordedCall, RecordedReplies, RecordedReply } from './recorded-replies.ts'
import type { ReplayNotes, ReplayPolicy } from './replay-notes.ts'
import type { RecordedAlert, Unjudged } from './recording.ts'

export interface RecordedCallerOptions {
  readonly recording: Pick<RecordedAlert, 'run'>
  readonly replies: RecordedReplies
  readonly isControl: boolean
  readonly policy: ReplayPolicy
  readonly live: SkillCaller
  /** Finds stored cases, with the policy `shadow`. Default: a case that was not looked up is unknown. */
  readonly findCase?: CaseStore['findByKey'] | undefined
  readonly catalogue: Catalogue
  readonly connections: Pick<ConnectionStore, 'list'>
  readonly organization: { readonly code: string }
  readonly clock: VirtualClock
  readonly notes: ReplayNotes
  /** Number of failed attempts at a path. */
  readonly failedAt: (path: string) => number
  /** The error of a message to a person that could not be sent, by path of the checkpoint. */
  readonly told: (path: string) => { readonly error: StoredError } | undefined
}

/** Longer than any timeout. */
const foreverMs = 10 * 366 * 86_400_000

/**
 * Answers calls as they were answered in the recorded run. Never calls a skill that writes to another system: its output is
 * recorded or assumed.
 */
export function recordedCaller(options: RecordedCallerOptions): SkillCaller {
  const { catalogue, clock, notes, recording } = options
  const find = createFinder(options)
  const local = createLocalCaller(options)
  return async (call) => {
    if (call.purpose !== 'run') return undefined
    const { skill, input } = call
    const path = call.attempt.idempotencyKey.slice(recording.run.uuid.length + 1)
    if (call.connection !== undefined) notes.connection(path, call.connection)
    const found = catalogue.skill(skill)?.skill
    if (found === undefined) {
      notes.cannotJudge({
        code: 'skill_not_found',
        message: `the skill '${skill}' of step '${path}' is not installed`,
      })
      throw new NotFoundError('skill_not_found', `the skill '${skill}' is not installed`)
    }
    if (path.endsWith('/@ask')) {
      const notSent = options.told(path.slice(0, -'/@ask'.length))
      if (notSent !== undefined) throw thrown(notSent.error, false)
      return assumedOutput(found, input).output
    }
    validate(compileSchema(found.input), withDefaults(found.input, input), `input of ${skill}`)
    const recorded = find({ path, skill, input })
    if (recorded !== undefined) {
      const reply = recorded.replies[Math.min(options.failedAt(path), recorded.replies.length - 1)]!
      checkOutput(found, skill, path, reply, notes)
      return await replied(reply, clock, call.attempt.signal)
    }
    if (options.isControl)
      notes.cannotJudge({ code: 'reply_missing', message: `the recorded run has no reply to step '${path}'` })
    if (!reachesOut(catalogue, skill)) return await local(call, found, path)
    return found.effect === 'write'
      ? await newWrite(options, found, call, path)
      : await newRead(options, found, call, path)
  }
}

/** Finds the recorded call for a step, the same one for all attempts. */
function createFinder({ replies, isControl }: RecordedCallerOptions) {
  const byPath = new Map<string, RecordedCall | undefined>()
  const turns = new Map<string, number>()
  return (place: CallPlace): RecordedCall | undefined => {
    if (byPath.has(place.path)) return byPath.get(place.path)
    let found: RecordedCall | undefined
    if (isControl) {
      found = replies.atPath(place)
      if (found !== undefined) replies.alsoKnownAs(found, place)
    } else {
      const key = replies.inputKey(place)
      const turn = turns.get(key) ?? 0
      turns.set(key, turn + 1)
      found = replies.refused(place) ?? replies.withInput(place, turn)
    }
    byPath.set(place.path, found)
    return found
  }
}

/** Skills without another system: they really run, on a case in memory. */
function createLocalCaller({
  recording,
  organization,
  catalogue,
  clock,
  notes,
  policy,
  findCase,
}: RecordedCallerOptions) {
  const { caseId } = recording.run
  const cases = testCases(organization.code, 'Backtest', caseId ?? undefined)
  const findByKey: typeof cases.findByKey = async (...key) => {
    const found = await cases.findByKey(...key)
    if (found === undefined && policy === 'shadow' && findCase !== undefined) {
      notes.assume('a case as it is now, for a reference that was not looked up')
      return await clock.hold(() => findCase(...key))
    }
    if (found === undefined) {
      if (policy === 'assume') notes.assume('no case for a reference that was not looked up')
      else
        notes.cannotJudge({
          code: 'input_new',
          message: 'the step looks up a case that the recorded run did not look up',
        })
    }
    return found
  }
  const local = localSkills(catalogue, { ...cases, findByKey }, clock)
  return async (call: SkillCall, skill: AnySkill, path: string): Promise<unknown> => {
    try {
      return await local(call)
    } catch (error) {
      // A case of another run: nothing is known about it here.
      if (!(error instanceof TocsinError) || error.code !== 'case_not_found') throw error
      return assumed(skill, call, path, notes)
    }
  }
}

function assumed(
  skill: AnySkill,
  { skill: name, input }: SkillCall,
  path: string,
  notes: ReplayNotes,
): unknown {
  notes.assume(`the output of ${name} at '${path}'`)
  return assumedOutput(skill, withDefaults(skill.input, input)).output
}

/** Nothing is written. Without a connection, a run would fail here; with the policy `assume` there is one. */
async function newWrite(
  { policy, catalogue, connections, notes }: RecordedCallerOptions,
  skill: AnySkill,
  call: SkillCall,
  path: string,
): Promise<unknown> {
  if (policy !== 'assume') {
    const { organizationUuid } = call.run
    const wanted = { organizationUuid, name: call.connection }
    await requireConnection(connections, catalogue.skill(call.skill)!, wanted).catch((error: unknown) => {
      notes.cannotJudge(cannotCall(call, path, error))
      throw error
    })
  }
  return assumed(skill, call, path, notes)
}

const cannotCall = ({ skill }: SkillCall, path: string, error: unknown): Unjudged => ({
  code: 'connection_missing',
  message: `step '${path}' cannot call ${skill}: ${(error as Error).message}`,
})

async function newRead(
  options: RecordedCallerOptions,
  skill: AnySkill,
  call: SkillCall,
  path: string,
): Promise<unknown> {
  const { policy, clock, notes, live } = options
  if (policy === 'assume') return assumed(skill, call, path, notes)
  if (policy === 'fail') {
    const message = `step '${path}' calls ${call.skill} with an input that was not recorded`
    notes.cannotJudge({ code: 'input_new', message })
    throw new SkillError('input_new', message)
  }
  try {
    const output = await clock.hold(() => live(call))
    notes.assume(`a current reply to ${call.skill} at '${path}'`)
    return output
  } catch (error) {
    if (error instanceof ConnectionError || error instanceof NotFoundError)
      notes.cannotJudge(cannotCall(call, path, error))
    else if (policy === 'shadow' && isTransient(error))
      notes.cannotJudge({
        code: 'read_failed',
        message: `step '${path}' could not read with ${call.skill}: ${error.message}`,
      })
    throw error
  }
}

/** A real run would retry, so the step would possibly not fail. */
const isTransient = (error: unknown): error is Error =>
  error instanceof TimeoutError || (error instanceof SkillError && error.cause instanceof RetryableError)

function checkOutput(
  skill: AnySkill,
  name: string,
  path: string,
  reply: RecordedReply,
  notes: ReplayNotes,
): void {
  if (reply.kind !== 'output') return
  const problems = compileSchema(skill.output).problems(reply.output)
  if (problems.length === 0) return
  notes.cannotJudge({
    code: 'schema_changed',
    message: `the recorded output of ${name} at '${path}' does not match its schema: ${summarize(problems)}`,
  })
}

async function replied(reply: RecordedReply, clock: VirtualClock, signal: AbortSignal): Promise<unknown> {
  if (reply.kind === 'timeout') await clock.sleep(foreverMs, signal)
  else if (reply.tookMs > 0) await clock.sleep(reply.tookMs, signal)
  if (reply.kind === 'output') return structuredClone(reply.output)
  if (reply.kind === 'error') throw thrown(reply.error, reply.mayRetry)
  signal.throwIfAborted()
  return undefined
}

const thrown = ({ code, message, hint, details }: StoredError, mayRetry: boolean): TocsinError =>
  mayRetry
    ? new RetryableError(code, message, { hint, details })
    : new SkillError(code, message, { hint, details })
