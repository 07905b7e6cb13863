import type { Type } from '../expression/index.ts'
import type { Context } from './context.ts'
import type { Node } from './document.ts'
import { compileValue } from './expressions.ts'
import { readChoice, readFields } from './fields.ts'
import { grammar } from './grammar.ts'
import type { Concurrency } from './playbook.ts'
import { Scope } from './scope.ts'

/** `concurrency`: its key is known when a run is queued, before there is anything but its alert and inputs. */
export function readConcurrency(
  context: Context,
  node: Node,
  names: Readonly<Record<string, Type>>,
): Concurrency | undefined {
  const { problems } = context
  const fields = readFields(problems, node, grammar.concurrency)
  const key = fields?.get('key')
  const policy = fields?.get('policy')
  const chosen = policy && readChoice(problems, policy, ['queue', 'drop'])
  if (key === undefined) return undefined
  const { template, type } = compileValue(context, new Scope(names, { isBefore: true }), key.value)
  const isText = type.kind === 'string' || type.kind === 'dyn'
  if (!isText) problems.add('E211', 'the key of `concurrency` must be a text', key.value, 'write string(…)')
  return { key: template, policy: chosen ?? 'queue' }
}
