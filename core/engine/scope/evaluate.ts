import type { Author } from '../../domain/audit.ts'
import { stringifyJson } from '../../common/json.ts'
import { TocsinError } from '../../plugin/index.ts'
import { evaluateTemplate, isSensitiveTemplate } from '../../playbook/template/template.ts'
import { parseTimeMs, timeHint } from '../../playbook/language/times.ts'
import type { Template } from '../../playbook/language/playbook.ts'
import { nanosIn, type Program } from '../../expression/index.ts'
import { outputUnknownBy, type Scope } from './scope.ts'

/**
 * What a template stands for here and now. Throws what the step fails with. Every evaluation has limits of its own, and no
 * share in a total of the run: a replay evaluates less than the first time, and must not come further with the same total.
 */
export function valueOf(template: Template, scope: Scope): unknown {
  return explained(scope, () => evaluateTemplate(template, namesOf(scope)))
}

/** An output that is missing is named with the decision of the person who did not know it. */
function explained<T>(scope: Scope, evaluate: () => T): T {
  try {
    return evaluate()
  } catch (error) {
    throw whyUnknown(error, scope) ?? error
  }
}

const readOutput = /\bsteps(?:\.`?([\w-]+)`?|\[\s*['"]([\w-]+)['"]\s*\])(?:\.items\b.*)?\.output\b/

/** Of an output that is missing since a person decided that nobody knows it. */
function whyUnknown(error: unknown, { thread }: Scope): TocsinError | undefined {
  if (!(error instanceof TocsinError) || error.code !== 'expression_missing_field') return undefined
  const [, plain, quoted = ''] = readOutput.exec(error.message) ?? []
  const id = plain ?? quoted
  const by = thread.steps[id]?.[outputUnknownBy]
  if (by === undefined) return undefined
  return outputUnknown(id, by, `guard it with has(steps.${id}.output)`)
}

/** What reading such an output fails with. */
export function outputUnknown(step: string, by: Author, otherwise: string): TocsinError {
  const who = by.name || by.id
  return new TocsinError(
    'output_unknown',
    `the output of step '${step}' is not known: ${who} decided that it happened, output unknown`,
    {
      hint: `give the step a default, or ${otherwise}`,
      details: { step, decision: 'ran_output_unknown' },
    },
  )
}

/** Throws when the condition fails or is no boolean: an error never means false. */
export function holds(condition: Program, scope: Scope): boolean {
  const value = explained(scope, () => condition.evaluate(namesOf(scope)))
  if (typeof value === 'boolean') return value
  throw new TocsinError(
    'condition_not_boolean',
    `the condition is ${typeof value} and neither true nor false`,
    {
      hint: 'compare it with something, or write has(…)',
    },
  )
}

/** Epoch milliseconds at which a wait ends. */
export function untilMs(wait: { durationMs: Template } | { until: Template }, scope: Scope): number {
  if ('until' in wait) {
    const { until } = wait
    return timeOf(valueOf(until, scope), isSensitiveTemplate(until))
  }
  return scope.thread.nowMs + durationOf(wait.durationMs, scope)
}

/** What expressions see. */
function namesOf(scope: Scope): Record<string, unknown> {
  const { names, locals, thread } = scope
  return {
    ...names,
    ...locals,
    steps: thread.steps,
    // Few look at it, and to write a time costs as much as most expressions.
    get now() {
      return new Date(thread.nowMs).toISOString()
    },
  }
}

/** Milliseconds. Throws where it is none. */
export function durationOf(duration: Template, scope: Scope): number {
  // What is written in a playbook has been read; a number from elsewhere has no unit.
  if (duration.kind === 'literal' && typeof duration.value === 'number') return duration.value
  return durationMsOf(valueOf(duration, scope), isSensitiveTemplate(duration))
}

/** The same of a value that is at hand: text that expressions read as a duration. */
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
