import { entryNamed } from '../yaml/plain-value.ts'
import { keywords } from '../../expression/index.ts'
import type { Entry, MapNode, Node } from '../yaml/document.ts'
import { idPattern } from '../language/constants.ts'
import { suggestId } from '../language/did-you-mean.ts'
import { quote, type Problems } from '../language/problem.ts'
import type { SourceText, Span } from '../language/source-text.ts'

interface KnownStep {
  readonly span: Span
  readonly insideForeach: boolean
}

/**
 * All steps with an id, collected before expressions are read, to distinguish later steps from unknown ones.
 */
export type StepIds = ReadonlyMap<string, KnownStep>

const validId = new RegExp(idPattern)

/** Collects the ids of all steps, and reports invalid and duplicate ones. */
export function collectStepIds(playbook: Node, source: SourceText, problems: Problems): StepIds {
  const ids = new Map<string, KnownStep>()
  const visitList = (node: Node | undefined, insideForeach: boolean) => {
    if (node?.kind === 'list')
      for (const item of node.items) if (item.kind === 'map') visitStep(item, insideForeach)
  }
  const visitStep = (step: MapNode, insideForeach: boolean) => {
    const id = entryNamed(step, 'id')
    if (id) addId(id, { span: step, insideForeach })
    const inside = insideForeach || entryNamed(step, 'foreach') !== undefined
    for (const key of ['steps', 'parallel', 'else']) visitList(entryNamed(step, key)?.value, inside)
    visitList(entryNamed(step, 'on_error')?.value, insideForeach)
    const cases = entryNamed(step, 'switch')?.value
    if (cases?.kind !== 'list') return
    for (const each of cases.items)
      if (each.kind === 'map') visitList(entryNamed(each, 'steps')?.value, inside)
  }
  const addId = ({ value }: Entry, step: KnownStep) => {
    if (value.kind !== 'scalar' || typeof value.value !== 'string') {
      problems.add('E110', 'expected a string for `id`', value)
      return
    }
    const id = value.value
    const first = ids.get(id)
    if (keywords.includes(id)) {
      problems.add(
        'E110',
        `${quote(id)} cannot be an id: it is reserved in expressions`,
        value,
        'choose another id',
      )
    } else if (!validId.test(id)) problems.add('E110', `invalid id ${quote(id)}`, value, suggestId(id))
    else if (first) {
      const hint = `the other step is at line ${source.place(first.span.start).line}`
      problems.add('E111', `duplicate id ${quote(id)}`, value, hint)
    } else ids.set(id, step)
  }
  if (playbook.kind !== 'map') return ids
  visitList(entryNamed(playbook, 'steps')?.value, false)
  visitList(entryNamed(playbook, 'on_error')?.value, false)
  visitList(entryNamed(playbook, 'finally')?.value, false)
  return ids
}
