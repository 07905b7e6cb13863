import type { Sliced } from '../../common/sliced.ts'
import { grammar } from '../language/grammar.ts'
import type { WaitStep } from '../language/playbook.ts'
import { checkTimeFits } from '../scope/check-times.ts'
import type { ReadContext } from '../scope/context.ts'
import type { NameScope } from '../scope/scope.ts'
import { durationTemplate, timeTemplate, type ActionResult, type Own } from '../steps/read-actions.ts'
import { describe, headSpan, readFields, type Fields } from '../template/fields.ts'
import type { Entry, Node } from '../yaml/document.ts'
import { readEventWait } from './read-event-wait.ts'

/** Reads `wait`: a duration, a time, or an event. */
export function* readWait(
  context: ReadContext,
  { value }: Entry,
  scope: NameScope,
): Sliced<ActionResult<Own<WaitStep, 'wait'>>> {
  if (value.kind !== 'map') {
    const durationMs = yield* durationTemplate(context, value, scope)
    if (durationMs) checkTimeFits(context, value, durationMs, scope, 'wait')
    return { part: durationMs && { action: 'wait', wait: { durationMs } } }
  }
  const fields = readFields(context.problems, value, grammar.wait)
  const event = fields?.get('for')
  if (fields && event?.value.kind === 'map') return yield* readEventWait(context, fields, value, scope)
  if (event) {
    const message = `expected an event for \`for\`, found ${describe(event.value)}`
    context.problems.add('E106', message, event.value, 'write wait: 5m, or for: { alert: { type: … } }')
    return { part: undefined }
  }
  const until = fields && readUntil(context, fields, value)
  const time = until && (yield* timeTemplate(context, until.value, scope))
  return { part: time && { action: 'wait', wait: { until: time } } }
}

function readUntil({ problems }: ReadContext, fields: Fields, node: Node): Entry | undefined {
  const until = fields.get('until')
  const other = [...fields.keys()].find((name) => name !== 'until')
  const hint = 'write for: { alert: { type: … } }'
  if (other !== undefined)
    problems.add('E112', `\`${other}\` goes with \`for\``, fields.get(other)!.key, hint)
  else if (until === undefined && node.kind === 'map' && node.entries.length === 0)
    problems.add(
      'E105',
      'a `wait` needs `until` or `for`',
      headSpan(node),
      `write wait: 5m, or ${hint.slice(6)}`,
    )
  return until
}
