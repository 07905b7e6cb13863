import { entryNamed } from '../../playbook/yaml/plain-value.ts'
import { isAction } from '../../playbook/language/step-keys.ts'
import type { Entry, MapNode, Node } from '../../playbook/yaml/document.ts'
import type { Span } from '../../playbook/language/source-text.ts'

/** An entry in the outline of a playbook, test file or plugin. */
export interface OutlineItem {
  readonly name: string
  /** Shown beside the name. */
  readonly detail: string
  readonly kind: 'section' | 'step' | 'input' | 'test' | 'mock' | 'skill'
  readonly span: Span
  /** The range to select when the entry is opened. */
  readonly head: Span
  readonly children: readonly OutlineItem[]
}

const stepLists: readonly string[] = ['steps', 'parallel', 'else', 'on_error', 'finally']

const keyedSections: Readonly<Record<string, 'input' | 'mock' | undefined>> = {
  inputs: 'input',
  state: 'input',
  mocks: 'mock',
}

/** Inputs, states, steps with the steps inside of them, mocks, tests and skills. */
export function outlineOf(root: Node | undefined): readonly OutlineItem[] {
  if (root?.kind !== 'map') return []
  return root.entries.flatMap((entry): OutlineItem[] => {
    const { name, value } = entry
    if (stepLists.includes(name)) return [section(entry, stepsIn(value))]
    const kind = keyedSections[name]
    if (kind !== undefined) return [section(entry, keysIn(value, kind))]
    if (name === 'skills') return [section(entry, namedIn(value, 'skill'))]
    return name === 'tests' ? [section(entry, namedIn(value, 'test'))] : []
  })
}

const section = ({ name, key, value }: Entry, children: readonly OutlineItem[]): OutlineItem => ({
  name,
  detail: '',
  kind: 'section',
  span: { start: key.start, end: Math.max(key.end, value.end) },
  head: key,
  children,
})

const keysIn = (node: Node, kind: 'input' | 'mock'): readonly OutlineItem[] =>
  node.kind !== 'map'
    ? []
    : node.entries.map(({ name, key, value }) => ({
        name,
        detail: '',
        kind,
        span: { start: key.start, end: Math.max(key.end, value.end) },
        head: key,
        children: [],
      }))

function namedIn(node: Node, kind: 'test' | 'skill'): readonly OutlineItem[] {
  const maps = node.kind === 'list' ? node.items.filter((item) => item.kind === 'map') : []
  return maps.map((map) => {
    const name = entryNamed(map, 'name')
    return {
      name: textOf(name) || '(no name)',
      detail: '',
      kind,
      span: map,
      head: name?.value ?? map,
      children: [],
    }
  })
}

function stepsIn(node: Node): readonly OutlineItem[] {
  const maps = node.kind === 'list' ? node.items.filter((item) => item.kind === 'map') : []
  return maps.map(stepItem)
}

function stepItem(map: MapNode): OutlineItem {
  const id = entryNamed(map, 'id')
  const action = map.entries.find(({ name }) => isAction(name))
  const what = action === undefined ? '' : textOf(action) || action.name
  return {
    name: textOf(id) || what || '(empty)',
    detail: id === undefined ? '' : what,
    kind: 'step',
    span: map,
    head: id?.value ?? action?.key ?? map,
    children: map.entries.flatMap(({ name, value }) =>
      stepLists.includes(name) ? stepsIn(value) : name === 'switch' ? casesIn(value) : [],
    ),
  }
}

/** Steps of all cases. */
function casesIn(node: Node): readonly OutlineItem[] {
  const maps = node.kind === 'list' ? node.items.filter((item) => item.kind === 'map') : []
  return maps.flatMap((map) => {
    const steps = entryNamed(map, 'steps')
    return steps === undefined ? [] : stepsIn(steps.value)
  })
}

const textOf = (entry: Entry | undefined): string =>
  entry?.value.kind === 'scalar' ? String(entry.value.value ?? '') : ''
