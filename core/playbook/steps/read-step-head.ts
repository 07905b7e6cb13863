import type { ReadContext } from '../scope/context.ts'
import type { MapNode } from '../yaml/document.ts'
import { headSpan, type Fields } from '../template/fields.ts'
import { belongsTo, isBesideOwner } from '../language/grammar.ts'
import { actions, isAction, type Action } from '../language/step-keys.ts'
import type { Span } from '../language/source-text.ts'

/** The action of a step; reports none, or more than one. */
export function chooseAction({ problems }: ReadContext, node: MapNode, fields: Fields): Action | undefined {
  const present = [...fields.keys()].filter(isAction)
  const [first, second] = present
  if (second !== undefined) {
    const others = present.slice(1).map((name) => `\`${name}\``)
    const message = `a step has one action; found \`${first}\` and ${others.join(' and ')}`
    problems.add('E109', message, fields.get(second)!.key, 'split them into separate steps')
  }
  const hasUnread = node.entries.some(({ name }) => !fields.has(name))
  // A mistyped or unsupported action has been reported as an unknown key.
  if (first === undefined && !hasUnread && !problems.hasErrorIn(node)) {
    const hint = fields.has('with')
      ? 'add uses: <plugin>.<skill>, or call: <playbook>, which take `with`'
      : `add one of ${actions.join(', ')}`
    problems.add('E109', 'the step has no action', headSpan(node), hint)
  }
  return first
}

/** Actions with their own output. */
const readsOwnOutput: ReadonlySet<Action> = new Set(['uses', 'set', 'checkpoint', 'call'])

/** Reports keys that do not belong to the action. */
export function checkBelonging({ problems }: ReadContext, fields: Fields, action: Action): void {
  for (const [name, { key }] of fields) {
    const owners = belongsTo[name]
    if (owners === undefined || owners.includes(action) || isBesideOwner(name, (key) => fields.has(key)))
      continue
    const hint =
      name === 'else' && fields.has('if')
        ? 'write a switch: with - when: … and steps: …, which has an else'
        : name === 'output' && readsOwnOutput.has(action)
          ? 'remove it: the output of this step is steps.<id>.output'
          : `use it with ${owners.map((owner) => `\`${owner}\``).join(', ')}`
    problems.add('E112', `\`${name}\` does not belong to a step with \`${action}\``, key, hint)
  }
}

/** The id of a step. */
export function stepIdOf({ ids }: ReadContext, fields: Fields): string | null {
  const node = fields.get('id')?.value
  const value = node?.kind === 'scalar' ? node.value : undefined
  // Invalid and duplicate ids have been reported; the first step keeps the id.
  return typeof value === 'string' && ids.has(value) && isOwner(ids.get(value)!.span, node!) ? value : null
}

const isOwner = (step: Span, id: Span): boolean => step.start <= id.start && step.end >= id.end
