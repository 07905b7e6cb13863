import { inside } from '../../engine/journal/paths.ts'
import type { Entry, Node } from '../../playbook/yaml/document.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import type { Span } from '../../playbook/language/source-text.ts'
import { placedSteps, withoutItems } from '../../playbook-test/read/placed-steps.ts'
import type { CalledByName } from '../../playbook-test/read/playbook-test.ts'
import { findNode, type PathStep } from '../inspection.ts'
import type { TestsInspection } from './inspect-tests.ts'

/** An occurrence of a step id in a test file. */
export interface NamedInTests {
  /** The playbook of the step: the playbook under test, or a playbook that it calls. */
  readonly playbook: string
  readonly id: string
  readonly span: Span
}

/** All step ids in a test file: in mocks, paths, expected calls, error details, and unreachable branches. */
export function stepNamesIn({ root, source, playbook, called }: TestsInspection): readonly NamedInTests[] {
  if (root === undefined || playbook === undefined) return []
  const owners = ownersOf(playbook, called)
  const found: NamedInTests[] = []
  const add = (name: string, at: Span): void => {
    const start = source.text.indexOf(name, at.start)
    if (start < 0 || start + name.length > at.end) return
    found.push(...idsIn(name, start, playbook, owners))
  }
  findNode(root, ({ node, path }) => {
    if (node.kind === 'map' && keyAt(path.at(-1)) === 'mocks')
      for (const { name, key } of node.entries) if (name.startsWith('steps.')) add(name.slice(6), key)
    if (node.kind !== 'scalar' || typeof node.value !== 'string' || !isStepName(path)) return undefined
    add(keyAt(path[0]) === 'unreachable' ? (node.value.split(' ')[0] ?? '') : node.value, node)
    return undefined
  })
  return found
}

const keyAt = (step: PathStep | undefined): string | undefined =>
  step !== undefined && 'key' in step ? step.key : undefined

function isStepName(path: readonly PathStep[]): boolean {
  const keys = path.flatMap((step) => keyAt(step) ?? [])
  if (keys[0] === 'unreachable') return keys.length === 1
  if (keys[0] !== 'tests' || keys[1] !== 'expect') return false
  const [what, ...rest] = keys.slice(2)
  if (what === 'path' || what === 'skipped') return rest.length === 0
  if (what === 'calls') return rest.length === 1 && rest[0] === 'step'
  return what === 'error' && rest.join('.') === 'details.path'
}

/** Playbook and id of the step at each path of the journal. */
type Owners = ReadonlyMap<string, { readonly playbook: string; readonly id: string | null }>

function ownersOf(playbook: Playbook, called: CalledByName): Owners {
  const owners = new Map<string, { readonly playbook: string; readonly id: string | null }>()
  const visit = (each: Playbook, prefix: string, callers: readonly string[]): void => {
    for (const { path, step } of placedSteps(each)) {
      const place = inside(prefix, path)
      owners.set(place, { playbook: each.name, id: step.id })
      const callee = step.action === 'call' ? called.get(step.playbook) : undefined
      if (callee !== undefined && !callers.includes(callee.name))
        visit(callee, place, [...callers, callee.name])
    }
  }
  visit(playbook, '', [playbook.name])
  return owners
}

/** The ids in a name: the id itself, or those of each path segment. */
function idsIn(name: string, start: number, playbook: Playbook, owners: Owners): readonly NamedInTests[] {
  const id = withoutItems(name)
  if (
    !name.includes('/') &&
    owners.values().some((owner) => owner.playbook === playbook.name && owner.id === id)
  )
    return [{ playbook: playbook.name, id, span: { start, end: start + id.length } }]
  const found: NamedInTests[] = []
  let place = ''
  let at = start
  for (const segment of name.split('/')) {
    const key = withoutItems(segment)
    place = inside(place, key)
    const owner = owners.get(place)
    if (owner?.id === key && key !== '')
      found.push({ playbook: owner.playbook, id: key, span: { start: at, end: at + key.length } })
    at += segment.length + 1
  }
  return found
}

/** The file name in the value of `playbook`. */
export function playbookNameIn({
  root,
  source,
}: TestsInspection): (Span & { readonly name: string }) | undefined {
  const entry: Entry | undefined =
    root?.kind === 'map' ? root.entries.find(({ name }) => name === 'playbook') : undefined
  const value: Node | undefined = entry?.value
  if (value?.kind !== 'scalar' || typeof value.value !== 'string') return undefined
  const [, name] = /([^/]*)\.ya?ml$/.exec(value.value) ?? []
  const written = source.text.indexOf(value.value, value.start)
  if (name === undefined || written < 0) return undefined
  const start = written + value.value.lastIndexOf('/') + 1
  return { name, start, end: start + name.length }
}
