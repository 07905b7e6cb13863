import type { Type } from '../../expression/index.ts'
import type { Context } from '../scope/context.ts'
import type { Node } from '../yaml/document.ts'
import { compileValue } from '../template/expressions.ts'
import { readChoice, readFields } from '../template/fields.ts'
import { grammar } from '../language/grammar.ts'
import type { Concurrency } from '../language/playbook.ts'
import { Scope } from '../scope/scope.ts'
import type { Sliced } from '../../common/sliced.ts'

/** `concurrency`: its key is known when a run is queued, before there is anything but its alert and inputs. */
export function* readConcurrency(
  context: Context,
  node: Node,
  names: Readonly<Record<string, Type>>,
): Sliced<Concurrency | undefined> {
  const { problems } = context
  const fields = readFields(problems, node, grammar.concurrency)
  const key = fields?.get('key')
  const policy = fields?.get('policy')
  const chosen = policy && readChoice(problems, policy, ['queue', 'drop'])
  if (key === undefined) return undefined
  const { template, type } = yield* compileValue(context, new Scope(names, { isBefore: true }), key.value)
  const isText = type.kind === 'string' || type.kind === 'dyn'
  if (!isText) problems.add('E211', 'the key of `concurrency` must be a text', key.value, 'write string(…)')
  return { key: template, policy: chosen ?? 'queue' }
}
