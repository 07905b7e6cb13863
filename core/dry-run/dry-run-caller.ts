import type { Expiry } from '../destructive/containment.ts'
import { hide, type StepMasks } from '../domain/mask.ts'
import type { SkillCall, SkillCaller } from '../engine/skills/skill-caller.ts'
import { NotFoundError } from '../errors/errors.ts'
import { RetryableError, SkillError } from '../plugin/index.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { compileSchema, validate, withDefaults } from '../schema/index.ts'
import { assumedOutput, type AssumedOutput } from './assumed-output.ts'

/** A write that a real run would have made. */
export interface WouldDo extends AssumedOutput {
  /** Path in the journal. */
  readonly path: string
  readonly skill: string
  readonly connection: string | undefined
  /** With the defaults of the skill's schema. */
  readonly input: unknown
  /** The sensitive places in the input and output. */
  readonly masks?: StepMasks | undefined
  /** When its containment would be undone. */
  readonly undo?: Expiry | undefined
}

export interface DryRunCallerOptions {
  readonly catalogue: Pick<Catalogue, 'skill'>
  /** Answers from fixtures and calls skills that only read. */
  readonly read: SkillCaller
  /** Whether a fixture answers this call. */
  readonly hasFixture: (call: SkillCall) => boolean
  readonly onWouldDo: (would: WouldDo) => void
}

/**
 * A caller that changes nothing: it calls only skills that declare to read, and no skill that is not
 * installed. A write is validated and reported, and answered by a fixture or an assumed output.
 */
export function createDryRunCaller(options: DryRunCallerOptions): SkillCaller {
  return async (call) => {
    const found = options.catalogue.skill(call.skill)
    if (found === undefined)
      throw new NotFoundError('skill_not_found', `the skill '${call.skill}' is not installed`)
    if (found.skill.effect === 'read') return await options.read(call)
    const input = withDefaults(found.skill.input, call.input)
    validate(compileSchema(found.skill.input), input, `input of ${call.skill}`)
    // A field that also occurs in the output is sensitive there too.
    const shown = hide(call.masks?.input, input)
    const answer: AssumedOutput = options.hasFixture(call)
      ? { output: await options.read(call), from: 'fixtures' }
      : assumedOutput(found.skill, shown)
    const path = call.attempt.idempotencyKey.slice(call.run.uuid.length + 1)
    options.onWouldDo({
      ...answer,
      path,
      skill: call.skill,
      connection: call.connection,
      input,
      ...(call.masks && { masks: call.masks }),
    })
    return answer.output
  }
}

/**
 * Without retries: waits take no time in a dry run, so retries would hit the other system in quick
 * succession.
 */
export function withoutRetries(read: SkillCaller): SkillCaller {
  return async (call) => {
    try {
      return await read(call)
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error
      const hint = 'a dry run tries once; a real run would retry'
      throw new SkillError(error.code, error.message, { hint, details: error.details, cause: error })
    }
  }
}
