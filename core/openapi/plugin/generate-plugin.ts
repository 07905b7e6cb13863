import { readPlugin } from '../../declarative/index.ts'
import { textAt, valueAt, type JsonObject } from '../../plugin/index.ts'
import type { ApiDocument, DocumentProblem } from '../document/api-document.ts'
import { cleanText } from '../document/clean-text.ts'
import { UniqueNames } from '../document/names.ts'
import type { ApiOperation } from '../document/operations.ts'
import { planAddress } from './base-url.ts'
import { planCheck } from './check-request.ts'
import { planCredentials } from './credentials.ts'
import { planSkill, secureAddress, type PlannedSkill } from './skill.ts'
import { writeReadme } from './write-readme.ts'
import { writeJson, writePluginYaml } from './write-yaml.ts'

/** What to generate. */
export interface GenerateOptions {
  readonly document: ApiDocument
  readonly operations: readonly ApiOperation[]
  /** The operations that become skills. */
  readonly chosen: readonly ApiOperation[]
  /** In playbooks: `ticket_system`. */
  readonly name: string
}

/** A file of a generated plugin, by its path below the folder. */
export interface GeneratedFile {
  readonly path: string
  readonly text: string
}

export interface GeneratedPlugin {
  /** Empty if one of the problems is an error. */
  readonly files: readonly GeneratedFile[]
  /** Remarks for the author, which the README repeats. */
  readonly notes: readonly string[]
  readonly problems: readonly DocumentProblem[]
}

/** Maximum number of skills of a plugin. */
const maxSkills = 200
/** Initial limit of properties in the schemas of all skills together. */
const maxProperties = 2_400
/** Number of files above which missing objects get no examples. */
const maxExamples = 100

/**
 * Generates a declarative plugin from some operations of a document: `plugin.yaml`, examples and README. Reads
 * nothing but the document.
 */
export function generatePlugin(options: GenerateOptions): GeneratedPlugin {
  const { document, chosen } = options
  if (chosen.length === 0 || chosen.length > maxSkills)
    return refused(document, `${chosen.length} operations are chosen`, `choose 1 to ${maxSkills} of them`)
  let size = Math.min(60, Math.floor(maxProperties / chosen.length))
  for (;;) {
    const generated = generate(options, size)
    const text = generated.files[0]!.text
    if (document.problems.some(({ severity }) => severity === 'error'))
      return { files: [], notes: [], problems: document.problems }
    const wrong = loadingProblem(generated.files, text)
    if (wrong === undefined) return { ...generated, problems: document.problems }
    if (wrong.isTooLarge && size > 1) size = Math.floor(size / 2)
    else
      return refused(
        document,
        wrong.message,
        wrong.isTooLarge ? 'choose fewer operations' : 'leave this operation out',
      )
  }
}

function refused(document: ApiDocument, message: string, hint: string): GeneratedPlugin {
  document.add({ severity: 'error', pointer: '', message, hint })
  return { files: [], notes: [], problems: document.problems }
}

/** Why the plugin would not load. */
function loadingProblem(files: readonly GeneratedFile[], text: string) {
  const texts = new Map(files.map((file) => [file.path, file.text]))
  const read = (path: string) => {
    const found = texts.get(path)
    return found === undefined ? { refused: 'does not exist' } : { text: found }
  }
  const { plugin, problems } = readPlugin(text, { files: { read } })
  if (plugin !== undefined) return undefined
  const first = problems.find(({ severity }) => severity === 'error')
  const lines = text.split('\n').slice(0, first?.line)
  const skill = lines.findLast((line) => line.startsWith('  - name: '))?.slice(10)
  return {
    isTooLarge: first?.code === 'E001' || first?.code === 'E004',
    message: `the skill ${skill ?? ''} would not load: ${first?.message ?? ''}`,
  }
}

function generate(
  { document, operations, chosen, name }: GenerateOptions,
  size: number,
): Omit<GeneratedPlugin, 'problems'> {
  const address = planAddress(document)
  const credentials = planCredentials(document, chosen, address)
  const check = planCheck(document, operations, chosen)
  const info = valueAt(document.root, 'info')
  const title = (cleanText(textAt(info, 'title'), 60) ?? name).replace(/ (rest )?api$/i, '') || name
  const docs = docsOf(document, address.origin)
  const version = cleanText(valueAt(info, 'version'), 30)
  const source = `OpenAPI document of ${title}${version === undefined ? '' : `, version ${version}`}`
  const names = new UniqueNames()
  const hasRoom = chosen.length <= maxExamples
  const skills = chosen.map((operation) =>
    planSkill(operation, { document, names, size, docs: docs.url, source, hasRoom }),
  )
  const notes = [...address.notes, ...credentials.notes, check.note, docs.note, serverNote(chosen)].filter(
    (note) => note !== undefined,
  )
  const fields = { ...address.fields, ...credentials.fields }
  const written = {
    apiVersion: 'tocsin/v1',
    plugin: name,
    title,
    description: cleanText(textAt(info, 'description'), 200) ?? `Skills for ${title}.`,
    docs: docs.url,
    connection: {
      ...(Object.keys(fields).length > 0 && { fields }),
      base_url: address.baseUrl,
      ...(credentials.otherOrigins.length > 0 && { other_origins: credentials.otherOrigins }),
      ...(Object.keys(credentials.headers).length > 0 && { headers: credentials.headers }),
      ...(credentials.auth && { auth: credentials.auth }),
      check: check.written,
    },
    skills: skills.map((skill) => skill.written),
  }
  const text = writePluginYaml(
    written,
    commentsOf(skills, { ...(notes.length > 0 && { connection: notes }) }, source),
  )
  const readme = writeReadme({ name, title, source, skills, notes, fields })
  return {
    files: [{ path: 'plugin.yaml', text }, ...exampleFiles(skills), { path: 'README.md', text: readme }],
    notes: [...notes, ...skills.flatMap(notesOf)],
  }
}

const notesOf = ({ name, notes }: PlannedSkill): readonly string[] => notes.map((note) => `${name}: ${note}`)

function commentsOf(
  skills: readonly PlannedSkill[],
  comments: Readonly<Record<string, readonly string[]>>,
  source: string,
) {
  const head = [`Generated from the ${source}. Edit it as you like.`]
  const beside = skills.flatMap(
    ({ comment, notes }, index): readonly (readonly [string, readonly string[]])[] => [
      ...(comment === undefined ? [] : [[`skills/${index}/repeat`, [comment]] as const]),
      ...(notes.length === 0 ? [] : [[`skills/${index}/request`, notes] as const]),
    ],
  )
  return new Map([['apiVersion', head] as const, ...Object.entries(comments), ...beside])
}

const exampleFiles = (skills: readonly PlannedSkill[]): readonly GeneratedFile[] =>
  skills.flatMap(({ examples }) =>
    [...examples].map(([file, content]) => ({
      path: `examples/${file}`,
      text: writeJson(content),
    })),
  )

/** The vendor's documentation, which every skill links to. */
function docsOf(
  { root }: ApiDocument,
  origin: string | undefined,
): { readonly url: string; readonly note?: string } {
  const info = valueAt(root, 'info')
  const candidates = [valueAt(valueAt(root, 'externalDocs'), 'url'), valueAt(valueAt(info, 'contact'), 'url')]
  const found = candidates
    .map(secureAddress)
    .find((url) => url !== undefined && URL.parse(url)!.pathname.length > 1)
  if (found !== undefined) return { url: found }
  const host =
    candidates.map(secureAddress).find((url) => url !== undefined) ?? `${origin ?? 'https://example.com'}/`
  const note = `The document names no page with its documentation: replace \`${host}docs\` in \`docs\` by the vendor's.`
  return { url: `${host}docs`, note }
}

/** Operations that have another address than the document. */
function serverNote(chosen: readonly ApiOperation[]): string | undefined {
  const others = chosen.filter(({ raw, shared }) =>
    [raw, shared].some((holder: JsonObject) => Array.isArray(valueAt(holder, 'servers'))),
  )
  if (others.length === 0) return undefined
  const named = others.slice(0, 5).map(({ method, path }) => `\`${method.toUpperCase()} ${path}\``)
  return `The document gives ${named.join(', ')} another address than the rest: check \`base_url\`.`
}
