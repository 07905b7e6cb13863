import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isCallOf } from '../../core/editor/calls.ts'
import { findNode, inspectPlaybook } from '../../core/editor/inspection.ts'
import { definitionOf, placesOfStep } from '../../core/editor/steps.ts'
import type { TestsInspection } from '../../core/editor/tests/inspect-tests.ts'
import { playbookNameIn, stepNamesIn } from '../../core/editor/tests/names-in-tests.ts'
import type { Node } from '../../core/playbook/yaml/document.ts'
import type { Span } from '../../core/playbook/language/source-text.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { inspectTestsAt, isTests } from './tests-documents.ts'

/** A place in a file. */
export interface Place {
  readonly path: string
  readonly text: string
  readonly span: Span
}

export interface Project {
  /** Typed before saved; undefined where there is no such file. */
  readonly read: (path: string) => string | undefined
  readonly catalogue: Catalogue | undefined
}

interface File {
  readonly path: string
  readonly text: string
}

/** The playbooks and the files of tests in a folder. */
function filesIn(folder: string, { read }: Project): { playbooks: readonly File[]; tests: readonly File[] } {
  let names: readonly string[]
  try {
    names = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name))
  } catch {
    names = []
  }
  const files = names.toSorted().flatMap((name): File[] => {
    const path = join(folder, name)
    const text = read(path)
    return text === undefined ? [] : [{ path, text }]
  })
  return {
    playbooks: files.filter(({ path }) => !/\.test\.ya?ml$/.test(path)),
    tests: files.filter(({ path, text }) => isTests(path, text)),
  }
}

const inspectTestsIn = ({ path, text }: File, { read, catalogue }: Project): TestsInspection =>
  inspectTestsAt(path, text, read, catalogue)

/** Where the id of a step of a playbook stands: in the playbook, in its tests, and in the tests of those that call it. */
export function placesOfStepIn(path: string, id: string, project: Project): readonly Place[] {
  const text = project.read(path)
  if (text === undefined) return []
  const inspection = inspectPlaybook(text, project.catalogue)
  const own = placesOfStep(inspection, id).map((span) => ({ path, text, span }))
  const name = playbookNameOf(inspection.root)?.name
  const inTests = filesIn(dirname(path), project).tests.flatMap((file) =>
    stepNamesIn(inspectTestsIn(file, project))
      .filter((each) => each.playbook === name && each.id === id)
      .map(({ span }) => ({ ...file, span })),
  )
  return [...own, ...inTests]
}

/** The `id:` of a step in a playbook. */
export function stepDefinition(path: string, id: string, project: Project): Place | undefined {
  const text = project.read(path)
  const span = text === undefined ? undefined : definitionOf(inspectPlaybook(text, project.catalogue), id)
  return span && { path, text: text!, span }
}

/** Where the name of a playbook stands: in itself, in the calls of others beside it, and in tests. */
export function placesOfPlaybook(path: string, name: string, project: Project): readonly Place[] {
  const { playbooks, tests } = filesIn(dirname(path), project)
  const inPlaybooks = playbooks.flatMap((file) => {
    const { root } = inspectPlaybook(file.text, undefined)
    const own = file.path === path ? playbookNameOf(root) : undefined
    const calls = root === undefined ? [] : callsIn(root, file.text, name)
    return [...(own?.name === name ? [own] : []), ...calls].map((span) => ({ ...file, span }))
  })
  const inTests = tests.flatMap((file) => {
    const found = playbookNameIn(inspectTestsIn(file, project))
    return found?.name === name ? [{ ...file, span: found }] : []
  })
  return [...inPlaybooks, ...inTests].map(({ path: at, text, span }) => ({
    path: at,
    text,
    span: { start: span.start, end: span.end },
  }))
}

function callsIn(root: Node, text: string, name: string): readonly Span[] {
  const spans: Span[] = []
  findNode(root, ({ node, path }) => {
    if (node.kind !== 'scalar' || node.value !== name || !isCallOf(path)) return undefined
    const start = text.indexOf(name, node.start)
    spans.push({ start, end: start + name.length })
    return undefined
  })
  return spans
}

/** The value of `name:`. */
export function playbookNameOf(root: Node | undefined): (Span & { readonly name: string }) | undefined {
  const entry = root?.kind === 'map' ? root.entries.find(({ name }) => name === 'name') : undefined
  const value = entry?.value
  if (value?.kind !== 'scalar' || typeof value.value !== 'string') return undefined
  // Within its quotes, if it has any.
  const quotes = value.end - value.start > value.value.length ? 1 : 0
  const start = value.start + quotes
  return { name: value.value, start, end: start + value.value.length }
}

/** The files that are named for a playbook, with the names that they get with another one. */
export function filesNamedFor(
  path: string,
  name: string,
  newName: string,
  { read }: Project,
): readonly (readonly [from: string, to: string])[] {
  const folder = dirname(path)
  if (!basename(path).startsWith(`${name}.`)) return []
  return ['.yaml', '.yml', '.test.yaml', '.test.yml']
    .map((ending) => [join(folder, name + ending), join(folder, newName + ending)] as const)
    .filter(([from]) => read(from) !== undefined)
}
