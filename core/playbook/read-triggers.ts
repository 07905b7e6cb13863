import { codePattern } from '../domain/ids.ts'
import type { Context } from './context.ts'
import type { Entry, Node } from './document.ts'
import { compileCondition } from './expressions.ts'
import { describe, headOf, readFields, readText, readWord } from './fields.ts'
import { grammar } from './grammar.ts'
import type { AlertTrigger, Playbook } from './playbook.ts'
import { Scope, triggerNames } from './scope.ts'

/** `on`: what starts the playbook. */
export function readTriggers(context: Context, node: Node): Pick<Playbook, 'alertTrigger'> {
  const { problems } = context
  const fields = readFields(problems, node, grammar.on)
  const alert = fields?.get('alert')
  const manual = fields?.get('manual')
  if (manual && !(manual.value.kind === 'scalar' && manual.value.value === true)) {
    problems.add(
      'E106',
      `\`manual\` must be true, not ${describe(manual.value)}`,
      manual.value,
      'write manual: true',
    )
  }
  if (node.kind === 'map' && node.entries.length === 0) {
    problems.add('E105', '`on` needs `alert` or `manual`', headOf(node))
  }
  return { alertTrigger: alert && readAlertTrigger(context, alert) }
}

function readAlertTrigger(context: Context, { value }: Entry): AlertTrigger | undefined {
  const { problems } = context
  const fields = readFields(problems, value, grammar.alertTrigger)
  if (fields === undefined) return undefined
  const type = fields.get('type')
  const provider = fields.get('provider')
  const where = fields.get('where')
  return {
    type: (type && readText(problems, type)) ?? '',
    provider: provider && readWord(problems, provider, codePattern, 'letters, digits and _'),
    where: where && compileCondition(context, new Scope(triggerNames), where).program,
  }
}
