import type { Author } from '../../domain/audit.ts'
import { stringifyJson } from '../../common/json.ts'
import { TocsinError } from '../../plugin/index.ts'
import { evaluateTemplate, isSensitiveTemplate } from '../../playbook/template/template.ts'
import { parseTimeMs, timeHint } from '../../playbook/language/durations.ts'
import type { Template } from '../../playbook/language/playbook.ts'
import { nanosIn, type Program } from '../../expression/index.ts'
import { outputUnknownBy, type StepScope } from './scope.ts'

/**
 * The value of a template now; throws the error that the step fails with. Limits apply to each evaluation, not to
 * the run: a replay evaluates less, and must not get further with the same total.
 */
export function templateValue(template: Template, scope: StepScope): unknown {
  return explained(scope, () => evaluateTemplate(template, namesOf(scope)))
}

/** Explains a missing output by the decision of the person who marked it unknown. */
function explained<T>(scope: StepScope, evaluate: () => T): T {
  try {
    return evaluate()
  } catch (error) {
    throw whyUnknown(error, scope) ?? error
  }
}

const readOutput = /\bsteps(?:\.`?([\w-]+)`?|\[\s*['"]([\w-]+)['"]\s*\])(?:\.items\b.*)?\.output\b/

/** The error for an output that a person marked unknown; undefined for other errors. */
function whyUnknown(error: unknown, { thread }: StepScope): TocsinError | undefined {
  if (!(error instanceof TocsinError) || error.code !== 'expression_missing_field') return undefined
  const [, plain, quoted = ''] = readOutput.exec(error.message) ?? []
  const id = plain ?? quoted
  const by = thread.steps[id]?.[outputUnknownBy]
  if (by === undefined) return undefined
  return outputUnknown(id, by, `guard it with has(steps.${id}.output)`)
}

export function outputUnknown(step: string, by: Author, otherwise: string): TocsinError {
  const who = by.name || by.id
  return new TocsinError(
    'output_unknown',
    `the output of step '${step}' is unknown: ${who} decided that it ran with unknown output`,
    {
      hint: `give the step a default, or ${otherwise}`,
      details: { step, decision: 'ran_output_unknown' },
    },
  )
}

/** Throws if the condition fails or is not a boolean: an error never means false. */
export function holds(condition: Program, scope: StepScope): boolean {
  const value = explained(scope, () => condition.evaluate(namesOf(scope)))
  if (typeof value === 'boolean') return value
  throw new TocsinError('condition_not_boolean', `the condition is a ${typeof value}, not a boolean`, {
    hint: 'compare it with something, or write has(…)',
  })
}

/** Epoch milliseconds at which a wait ends. */
export function untilMs(wait: { durationMs: Template } | { until: Template }, scope: StepScope): number {
  if ('until' in wait) {
    const { until } = wait
    return timeOf(templateValue(until, scope), isSensitiveTemplate(until))
  }
  return scope.thread.nowMs + templateDurationMs(wait.durationMs, scope)
}

/** The names that expressions see. */
function namesOf(scope: StepScope): Record<string, unknown> {
  const { names, locals, thread } = scope
  return {
    ...names,
    ...locals,
    steps: thread.steps,
    // A getter, because few expressions use it and formatting a time is costly.
    get now() {
      return new Date(thread.nowMs).toISOString()
    },
  }
}

/** Milliseconds; throws if it is not a duration. */
export function templateDurationMs(duration: Template, scope: StepScope): number {
  // The parser has converted literal durations; any other number has no unit.
  if (duration.kind === 'literal' && typeof duration.value === 'number') return duration.value
  return durationMsOf(templateValue(duration, scope), isSensitiveTemplate(duration))
}

/** Milliseconds of a value; throws if it is not a duration. */
export function durationMsOf(value: unknown, isSecret = false): number {
  const nanos = typeof value === 'string' ? nanosIn(value) : undefined
  if (nanos !== undefined) return Number(nanos / 1_000n) / 1_000
  throw new TocsinError('wait_invalid', `cannot wait for ${quoted(value, isSecret)}`, {
    hint: 'write a duration such as 30s, 5m or 1h',
  })
}

const quoted = (value: unknown, isSecret: boolean): string =>
  isSecret ? 'a sensitive value' : stringifyJson(value)

function timeOf(value: unknown, isSecret: boolean): number {
  const ms = typeof value === 'string' ? parseTimeMs(value) : undefined
  if (ms !== undefined) return ms
  throw new TocsinError('wait_invalid', `cannot wait until ${quoted(value, isSecret)}`, { hint: timeHint })
}
