import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { namesPlaybook } from '../../core/editor/calls.ts'
import { findNode, inspectPlaybook } from '../../core/editor/inspection.ts'
import { placesOfStep, stepIdSpan } from '../../core/editor/steps.ts'
import type { TestsInspection } from '../../core/editor/tests/inspect-tests.ts'
import { playbookNameIn, stepNamesIn } from '../../core/editor/tests/names-in-tests.ts'
import type { Node } from '../../core/playbook/yaml/document.ts'
import type { Span } from '../../core/playbook/language/source-text.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { inspectTestsAt, isTests } from './tests-documents.ts'

/** A position in a file. */
export interface FilePosition {
  readonly path: string
  readonly text: string
  readonly span: Span
}

export interface Project {
  /** Unsaved text first; undefined if the file does not exist. */
  readonly read: (path: string) => string | undefined
  readonly catalogue: Catalogue | undefined
}

interface File {
  readonly path: string
  readonly text: string
}

/** The playbooks and test files of a folder. */
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

/** All places with the id of a step: in its playbook, in its tests, and in tests of callers. */
export function placesOfStepIn(path: string, id: string, project: Project): readonly FilePosition[] {
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

/** The `id:` of a step. */
export function stepDefinition(path: string, id: string, project: Project): FilePosition | undefined {
  const text = project.read(path)
  const span = text === undefined ? undefined : stepIdSpan(inspectPlaybook(text, project.catalogue), id)
  return span && { path, text: text!, span }
}

/** All places with the name of a playbook: in itself, in calls, and in tests. */
export function placesOfPlaybook(path: string, name: string, project: Project): readonly FilePosition[] {
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
    if (node.kind !== 'scalar' || node.value !== name || !namesPlaybook(path)) return undefined
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
  // Without quotes.
  const quotes = value.end - value.start > value.value.length ? 1 : 0
  const start = value.start + quotes
  return { name: value.value, start, end: start + value.value.length }
}

/** The files of a playbook with their new names. */
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
