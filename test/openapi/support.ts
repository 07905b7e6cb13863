import { expect } from 'chai'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { load } from 'js-yaml'
import { chooseOperations, generatePlugin, openDocument, operationsOf } from '../../core/openapi/index.ts'
import { loadPlugin, readPlugin, type LoadedPlugin } from '../../core/declarative/index.ts'
import { formatProblem } from '../../core/errors/source-frame.ts'

/** The generated plugin of a document, as the parts of its files. */
export interface Generated {
  /** The content of `plugin.yaml`. */
  readonly plugin: PlainPlugin
  readonly text: string
  readonly readme: string
  /** The content of the example files, by name. */
  readonly examples: Readonly<Record<string, PlainExample>>
  readonly notes: readonly string[]
  /** Problems of the document as `pointer: message`. */
  readonly problems: readonly string[]
  readonly files: ReturnType<typeof generatePlugin>['files']
}

// oxlint-disable-next-line typescript/no-explicit-any -- parsed YAML, which the assertions check
export type PlainValue = Readonly<Record<string, any>>

export interface PlainPlugin {
  readonly title: string
  readonly description: string
  readonly connection: PlainValue
  readonly skills: readonly PlainValue[]
}

interface PlainExample {
  readonly title: string
  readonly synthetic: boolean
  readonly input: Readonly<Record<string, unknown>>
  readonly responses: readonly Readonly<Record<string, unknown>>[]
  readonly output: Readonly<Record<string, unknown>>
}

/** Generates the plugin `example` from a document, given as text or value. */
export function generated(given: string | object, operations?: string): Generated {
  const text = typeof given === 'string' ? given : JSON.stringify(given)
  const { document, problems } = openDocument(text)
  expect(problems).to.deep.equal([])
  const all = operationsOf(document!)
  const chosen = operations === undefined ? all : chooseOperations(all, operations).operations
  const {
    files,
    notes,
    problems: found,
  } = generatePlugin({
    document: document!,
    operations: all,
    chosen,
    name: 'example',
  })
  const textOf = (path: string) => files.find((file) => file.path === path)?.text ?? ''
  const examples = files.filter(({ path }) => path.startsWith('examples/'))
  return {
    plugin: load(textOf('plugin.yaml') || 'null') as PlainPlugin,
    text: textOf('plugin.yaml'),
    readme: textOf('README.md'),
    examples: Object.fromEntries(
      examples.map(({ path, text: json }) => [
        path.replace('examples/', ''),
        JSON.parse(json) as PlainExample,
      ]),
    ),
    notes,
    problems: found.map(({ pointer, message }) => `${pointer}: ${message}`),
    files,
  }
}

/** A document of version 3.0 with one operation. */
export const documentWith = (
  operation: object,
  more: object = {},
  [method, path]: readonly [string, string] = ['get', '/things'],
): object => ({
  openapi: '3.0.3',
  info: { title: 'Things', version: '1' },
  servers: [{ url: 'https://api.things.example' }],
  paths: { [path]: { [method]: { operationId: 'listThings', responses: {}, ...operation } } },
  ...more,
})

/** A response with this schema as JSON. */
export const answering = (schema: object, more: object = {}): object => ({
  responses: { 200: { description: '', content: { 'application/json': { schema, ...more } } } },
})

/** Writes generated files into a folder and loads the plugin there. */
export function loadFrom(folder: string, { files }: Pick<Generated, 'files'>): LoadedPlugin {
  for (const { path, text } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const loaded = loadPlugin({ path: join(folder, 'plugin.yaml') })
  expect(loaded.problems.map((problem) => formatProblem(problem, loaded.source)).join('\n')).to.equal('')
  return loaded
}

/** The problems of reading the generated `plugin.yaml`; its examples are read too. */
export const readingProblems = ({ files }: Pick<Generated, 'files'>): readonly string[] => {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  const read = (path: string) => ({ text: texts.get(path) ?? '' })
  return readPlugin(texts.get('plugin.yaml') ?? '', { files: { read } }).problems.map(
    ({ message }) => message,
  )
}
