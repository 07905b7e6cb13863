import { Command, InvalidArgumentError, Option } from 'commander'
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import packageJson from '../../../package.json' with { type: 'json' }
import { isInPluginsFolder, loadPlugin, pluginFile } from '../../../core/declarative/index.ts'
import { toSarif } from '../../../core/errors/sarif.ts'
import { formatProblem } from '../../../core/errors/source-frame.ts'
import { findRivals } from '../../../core/playbook/check/find-rivals.ts'
import { parseTogether } from '../../../core/playbook/read/parse-together.ts'
import { problemCatalogue } from '../../../core/playbook/language/problem-catalogue.ts'
import type { PlaybookSources } from '../../../core/playbook/read/callable-playbooks.ts'
import type { Problem } from '../../../core/playbook/language/problem.ts'
import type { Catalogue } from '../../../core/registry/catalogue.ts'
import { Exit, exitCodes } from '../../exit-codes.ts'
import { installedCatalogue } from '../../installed-catalogue.ts'
import { paint } from '../../output/paint.ts'
import { printableJson } from '../../output/printable.ts'
import { readPlaybooks, type PlaybookSource, standardInput } from '../../playbook-files.ts'
import { playbooksIn } from '../../playbooks-in.ts'
import { pathToFileURL } from 'node:url'

const formats = ['text', 'json', 'sarif'] as const

interface ValidateOptions {
  readonly format: (typeof formats)[number]
  readonly json?: boolean
  readonly maxWarnings?: number
}

interface Checked extends PlaybookSource {
  readonly kind: 'playbook' | 'plugin'
  readonly problems: readonly Problem[]
}

export function validateCommand(): Command {
  return new Command('validate')
    .description('check playbooks and plugin.yaml files: files, folders, or - for standard input')
    .argument('[paths...]', 'files or folders; default: TOCSIN_PLAYBOOKS_DIR (./playbooks)')
    .addOption(new Option('--format <format>', 'output format').choices(formats).default('text'))
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .addOption(new Option('--max-warnings <count>', 'fail if there are more warnings').argParser(toCount))
    .addHelpText(
      'after',
      `
Examples:
  tocsin validate                                     the playbooks folder
  tocsin validate playbooks/phishing-report.yaml      one file
  tocsin validate plugins/greynoise/plugin.yaml       a declarative plugin and its examples
  curl -sS … | tocsin validate -                      standard input
  tocsin validate --format json playbooks             a list with code, severity, message, hint, file, line, column
  tocsin validate --max-warnings 0                    in a pipeline: warnings fail too
  tocsin validate --format sarif > tocsin.sarif       for code scanning, which shows problems beside the changed lines`,
    )
    .action(async (paths: readonly string[], options: ValidateOptions) => {
      const catalogue = await installedCatalogue()
      const sources = await readPlaybooks(paths)
      const { plugins = [], playbooks = [] } = Object.groupBy(sources, (source) =>
        isPlugin(source) ? 'plugins' : 'playbooks',
      )
      const checked = [...check(playbooks, catalogue), ...plugins.map(checkPlugin)]
      report(checked, options.json === true ? 'json' : options.format)
      if (isBad(checked, options)) throw new Exit(exitCodes.failed)
    })
}

function toCount(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number, such as 0.')
}

/** Suggestions do not count. */
function isBad(checked: readonly Checked[], { maxWarnings }: ValidateOptions): boolean {
  const count = (wanted: Problem['severity']) =>
    checked.flatMap(({ problems }) => problems).filter(({ severity }) => severity === wanted).length
  if (count('error') > 0) return true
  const warnings = count('warning')
  if (maxWarnings === undefined || warnings <= maxWarnings) return false
  console.error(`${warnings} warning${warnings === 1 ? '' : 's'}, and --max-warnings allows ${maxWarnings}`)
  return true
}

/** Validates each playbook with those it calls, then all valid ones together. */
function check(sources: readonly PlaybookSource[], catalogue: Catalogue): readonly Checked[] {
  const parsed = parseTogether(sources, { catalogue, beside: besideEach() })
  const rivals = findRivals(
    parsed.flatMap(({ file, playbook }) => (playbook === undefined ? [] : [{ file, playbook }])),
  )
  return parsed.map(({ file, source, problems }) => ({
    kind: 'playbook',
    file,
    source,
    problems: [...problems, ...rivals.filter((rivalry) => rivalry.file === file)],
  }))
}

/** A playbook may have this file name too. */
const isPlugin = ({ file, source }: PlaybookSource): boolean =>
  basename(file) === pluginFile && !/^steps *:/m.test(new TextDecoder().decode(source))

/** Checks a plugin as it is loaded. */
function checkPlugin({ file, source }: PlaybookSource): Checked {
  const { problems } = loadPlugin({ path: file, isNamedAfterFolder: isInPluginsFolder(file) })
  return { kind: 'plugin', file, source, problems }
}

/** Playbooks of one folder share the same callees. */
function besideEach(): (caller: PlaybookSource) => PlaybookSources {
  const folders = new Map<string, PlaybookSources>()
  return ({ file }) => {
    const folder = dirname(file)
    const playbooks = folders.get(folder) ?? playbooksIn(folder)
    folders.set(folder, playbooks)
    return playbooks
  }
}

function report(checked: readonly Checked[], format: ValidateOptions['format']): void {
  const problems = checked.flatMap((playbook) => playbook.problems)
  switch (format) {
    case 'json':
      console.log(printableJson(problems))
      break
    case 'sarif': {
      const { version } = packageJson
      console.log(printableJson(toSarif(problems, { version, rules: problemCatalogue, uriOf: relativeUri })))
      break
    }
    case 'text':
      for (const playbook of checked) printFrames(playbook)
      console.log(summary(checked, problems))
  }
}

function printFrames({ source, problems }: Checked): void {
  const text = new TextDecoder().decode(source)
  for (const problem of problems) console.log(`${formatProblem(problem, text)}\n`)
}

function summary(files: readonly Checked[], problems: readonly Problem[]): string {
  const counted = (severity: Problem['severity'], word: string): string[] => {
    const count = problems.filter((problem) => problem.severity === severity).length
    return count === 0 ? [] : [`${count} ${word}${count === 1 ? '' : 's'}`]
  }
  const errors = counted('error', 'error')
  const others = [...counted('warning', 'warning'), ...counted('info', 'suggestion')]
  const numbers = (['playbook', 'plugin'] as const).flatMap((kind) => {
    const count = files.filter((file) => file.kind === kind).length
    return count === 0 ? [] : `${count} ${kind}${count === 1 ? '' : 's'}`
  })
  const checked = `${numbers.join(' and ')} checked`
  return errors.length === 0
    ? `${paint.good('ok')} ${[checked, ...others].join(', ')}`
    : `${paint.bad('not ok')} ${checked}: ${[...errors, ...others].join(', ')}`
}

/**
 * A file name for reports: relative to the current folder, or absolute outside of it. Standard input is
 * `stdin`.
 */
function relativeUri(file: string): string {
  if (file === standardInput) return 'stdin'
  const path = relative('.', resolve(file))
  if (path.startsWith('..') || isAbsolute(path)) return pathToFileURL(resolve(file)).href
  return path.split(sep).map(encodeURIComponent).join('/')
}
