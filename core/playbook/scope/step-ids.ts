import { keywords } from '../../expression/index.ts'
import type { Entry, MapNode, Node } from '../yaml/document.ts'
import { idPattern } from '../language/grammar.ts'
import { quote, type Problems } from '../language/problem.ts'
import type { SourceText, Span } from '../language/source-text.ts'

interface KnownStep {
  readonly span: Span
  readonly insideForeach: boolean
}

/** All steps with an id, known before any expression is read, so that a later step can be told from none. */
export type StepIds = ReadonlyMap<string, KnownStep>

const validId = new RegExp(idPattern)

/** Finds the ids in all lists of steps below the playbook, and reports bad and duplicate ones. */
export function collectStepIds(playbook: Node, source: SourceText, problems: Problems): StepIds {
  const ids = new Map<string, KnownStep>()
  const visitList = (node: Node | undefined, insideForeach: boolean) => {
    if (node?.kind === 'list')
      for (const item of node.items) if (item.kind === 'map') visitStep(item, insideForeach)
  }
  const visitStep = (step: MapNode, insideForeach: boolean) => {
    const id = find(step, 'id')
    if (id) addId(id, { span: step, insideForeach })
    const inside = insideForeach || find(step, 'foreach') !== undefined
    for (const key of ['steps', 'parallel', 'else']) visitList(find(step, key)?.value, inside)
    visitList(find(step, 'on_error')?.value, insideForeach)
    const cases = find(step, 'switch')?.value
    if (cases?.kind !== 'list') return
    for (const each of cases.items) if (each.kind === 'map') visitList(find(each, 'steps')?.value, inside)
  }
  const addId = ({ value }: Entry, step: KnownStep) => {
    if (value.kind !== 'scalar' || typeof value.value !== 'string') {
      problems.add('E110', 'an id must be a text', value)
      return
    }
    const id = value.value
    const first = ids.get(id)
    if (keywords.includes(id)) {
      problems.add(
        'E110',
        `${quote(id)} cannot be an id: it means something else in expressions`,
        value,
        'choose another',
      )
    } else if (!validId.test(id)) problems.add('E110', `${quote(id)} cannot be an id`, value, suggestId(id))
    else if (first) {
      const hint = `the other one is the step at line ${source.place(first.span.start).line}`
      problems.add('E111', `the id ${quote(id)} is already taken`, value, hint)
    } else ids.set(id, step)
  }
  if (playbook.kind !== 'map') return ids
  visitList(find(playbook, 'steps')?.value, false)
  visitList(find(playbook, 'on_error')?.value, false)
  visitList(find(playbook, 'finally')?.value, false)
  return ids
}

const idRule = 'lower-case letters, digits and _, beginning with a letter'

/** The id that is nearest to what was written. */
function suggestId(id: string): string {
  const better = id
    .slice(0, 64)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
  return validId.test(better) ? `write ${better}` : idRule
}

const find = (map: MapNode, name: string): Entry | undefined =>
  map.entries.find((entry) => entry.name === name)
