import { object } from '../../expression/index.ts'
import { apiVersion } from '../../playbook/language/constants.ts'
import { Problems, quote, type Problem } from '../../playbook/language/problem.ts'
import { SourceText } from '../../playbook/language/source-text.ts'
import { describe, readFields, readText, readWord } from '../../playbook/template/fields.ts'
import type { ReadObserver } from '../../playbook/template/observer.ts'
import type { Entry } from '../../playbook/yaml/document.ts'
import { openSource, type OpenSource } from '../../playbook/yaml/open-source.ts'
import { tooLarge } from '../../playbook/yaml/pre-scan.ts'
import type { DeclaredPlugin, DeclaredSkill } from '../language/declared.ts'
import { pluginGrammar } from '../language/plugin-keys.ts'
import { pluginNamePattern, pluginNameRule } from '../language/related-keys.ts'
import { hintInPlugin } from '../language/hints.ts'
import { readConnection, readDocs } from './read-connection.ts'
import type { PluginFiles } from '../read-examples.ts'
import { checkRatePaths } from './read-rate.ts'
import { literalText } from './read-request.ts'
import { readRelated } from './read-related.ts'
import { readSkill, type SkillSurroundings } from './read-skill.ts'
import type { PluginReading } from './reading.ts'

export interface ReadPluginOptions {
  /** Shown with the problems. */
  readonly file?: string | undefined
  /** The folder of the plugin; without it, examples are not read. */
  readonly files?: PluginFiles | undefined
  /** The name of the folder, which the name of the plugin must match; undefined: any name. */
  readonly folder?: string | undefined
  /** Whether to compile schemas too, which is slow. Default true. */
  readonly isThorough?: boolean | undefined
  readonly observer?: ReadObserver | undefined
}

export interface ReadPlugin {
  /** Undefined exactly if one of the problems is an error. */
  readonly plugin: DeclaredPlugin | undefined
  /** In source order. */
  readonly problems: readonly Problem[]
}

/** Maximum weight of all regular expressions in the expressions of a plugin. */
const maxPatternWeight = 100_000
const maxSkills = 200
/** Higher than the limits of playbooks, because a plugin may describe a whole API. */
const pluginLimits = { bytes: 1_048_576, nodes: 100_000, tokens: 750_000 }

/**
 * Reads and checks a `plugin.yaml`. Never throws: mistakes become problems at their places.
 *
 * @example
 * const { plugin, problems } = readPlugin(await readFile(file), { file })
 * for (const problem of problems) console.error(formatProblem(problem, source))
 */
export function readPlugin(source: string | Uint8Array, options: ReadPluginOptions = {}): ReadPlugin {
  const { file, observer, isThorough = true } = options
  const opened = openSource(source, file, observer ? 'tolerant' : 'repaired', pluginLimits)
  const { problems, root } = opened
  if (root) observer?.document(root, opened.source)
  const plugin = root && readRoot(opened, options, isThorough)
  return { plugin: problems.hasErrors ? undefined : plugin, problems: problems.list() }
}

/** Size above which the content of a file is not read, with its byte order mark. */
export const maxPluginBytes = pluginLimits.bytes + 3

/** The problem of a file above {@link maxPluginBytes}. */
export function refuseSize(size: number, file: string): readonly Problem[] {
  const problems = new Problems(new SourceText(''), file)
  const { code, message, start, end } = tooLarge(size, pluginLimits)
  problems.add(code, message, { start, end })
  return problems.list()
}

function readRoot(
  { problems, root, source }: OpenSource,
  { files, folder, observer }: ReadPluginOptions,
  isThorough: boolean,
): DeclaredPlugin | undefined {
  const fields = readFields(problems, root!, pluginGrammar.plugin)
  if (fields === undefined) return undefined
  const reading: PluginReading = {
    problems,
    source,
    observer,
    isThorough,
    ids: new Map(),
    patterns: { left: maxPatternWeight },
    readSteps: new Set(),
    conditionsInBraces: true,
    hintFor: hintInPlugin,
    secrets: new Set(),
    hasXml: false,
    hosts: new Set(),
  }
  const version = fields.get('apiVersion')
  if (version && readText(problems, version) !== apiVersion)
    problems.add(
      'E107',
      `\`apiVersion\` must be ${apiVersion}`,
      version.value,
      `write apiVersion: ${apiVersion}`,
    )
  const name = readName(reading, fields.get('plugin'), folder)
  const title = literalText(reading, fields, 'title') ?? ''
  const description = literalText(reading, fields, 'description') ?? ''
  const docs = readDocs(reading, fields)
  const connectionEntry = fields.get('connection')
  const read = connectionEntry && readConnection(reading, connectionEntry, { title, description })
  const settings = read?.settings ?? object({})
  const skills = readSkills(reading, fields.get('skills'), { settings, files })
  if (read?.connection && !problems.hasErrors)
    checkRatePaths(reading, connectionEntry!.value, read.connection, skills)
  if (name === undefined) return undefined
  return { name, title, description, docs, connection: read?.connection, skills }
}

function readName(
  { problems }: PluginReading,
  entry: Entry | undefined,
  folder: string | undefined,
): string | undefined {
  const name = entry && readWord(problems, entry, pluginNamePattern, pluginNameRule)
  const wanted = folder?.replaceAll('-', '_')
  if (name !== undefined && wanted !== undefined && name !== wanted)
    problems.add(
      'E806',
      `${quote(name)} must match its folder '${folder}'`,
      entry!.value,
      `write plugin: ${wanted}`,
    )
  return name
}

function readSkills(
  reading: PluginReading,
  entry: Entry | undefined,
  surroundings: SkillSurroundings,
): readonly DeclaredSkill[] {
  if (entry === undefined) return []
  const { problems } = reading
  const { value } = entry
  if (value.kind !== 'list' || value.items.length === 0) {
    const found = value.kind === 'list' ? 'an empty list' : describe(value)
    problems.add('E106', `expected a list of skills for \`skills\`, found ${found}`, value, 'write - name: …')
    return []
  }
  if (value.items.length > maxSkills)
    problems.add(
      'E107',
      `a plugin may have at most ${maxSkills} skills`,
      value.items[maxSkills]!,
      'split the plugin',
    )
  const names = new Set<string>()
  const skills = value.items.slice(0, maxSkills).flatMap((node) => {
    const skill = readSkill(reading, node, surroundings)
    if (skill !== undefined && names.has(skill.name))
      problems.add('E103', `the skill ${quote(skill.name)} is declared twice`, node, 'rename one of them')
    if (skill !== undefined) names.add(skill.name)
    return skill ?? []
  })
  return readRelated(reading, value, skills)
}
