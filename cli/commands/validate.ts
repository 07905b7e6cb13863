import { Command } from 'commander'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer as readAll } from 'node:stream/consumers'
import { formatProblem } from '../../core/errors/source-frame.ts'
import { NotFoundError } from '../../core/errors/errors.ts'
import { parsePlaybook, type Problem } from '../../core/playbook/index.ts'
import { Exit, exitCodes } from '../exit-codes.ts'
import { readConfig } from '../../server/config.ts'
import { installedCatalogue } from '../installed-catalogue.ts'
import { paint } from '../output/paint.ts'
import { printable, printableJson } from '../output/printable.ts'
import { shortestPath } from '../shortest-path.ts'

/** `tocsin validate`: every mistake in playbooks, each at its place. */
export function validateCommand(): Command {
  return new Command('validate')
    .description('check playbooks: files, folders, or - for standard input')
    .argument('[paths...]', 'playbook files or folders; TOCSIN_PLAYBOOKS_DIR (./playbooks) when left out')
    .option('--json', 'a list of problems with code, severity, message, hint, file, line and column')
    .addHelpText(
      'after',
      `
Examples:
  tocsin validate                                     the playbooks folder
  tocsin validate playbooks/phishing-report.yaml      one file
  curl -sS … | tocsin validate -                      standard input
  tocsin validate --json playbooks > problems.json    for editors and CI`,
    )
    .action(async (given: readonly string[], options: { json?: boolean }) => {
      const catalogue = await installedCatalogue()
      const paths = given.length > 0 ? given : [shortestPath(readConfig(process.env).playbooksDir)]
      const sources = await Promise.all((await playbookFiles(paths)).map(read))
      const checked = sources.map(({ file, source }) => ({
        file,
        source,
        problems: parsePlaybook(source, { file, catalogue }).problems,
      }))
      const problems = checked.flatMap((playbook) => playbook.problems)
      if (options.json) console.log(printableJson(problems))
      else for (const { source, problems } of checked) printFrames(source, problems)
      if (!options.json) console.log(summary(checked.length, problems))
      if (problems.some((problem) => problem.severity === 'error')) throw new Exit(exitCodes.failed)
    })
}

async function read(file: string): Promise<{ file: string; source: Uint8Array }> {
  return file === '-'
    ? { file: '<stdin>', source: await readAll(process.stdin) }
    : { file, source: await readFile(file) }
}

async function playbookFiles(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(filesAt))
  const files = [...new Set(found.flat())]
  if (files.length === 0) {
    throw new NotFoundError(
      'no_playbooks',
      `no playbooks in ${paths.map((path) => printable(path)).join(', ')}`,
      {
        hint: 'playbooks are files named <name>.yaml; `tocsin validate --help` has examples',
      },
    )
  }
  return files
}

async function filesAt(path: string): Promise<string[]> {
  if (path === '-') return ['-']
  const info = await stat(path).catch(() => undefined)
  if (info === undefined) {
    throw new NotFoundError('file_not_found', `there is no file or folder '${printable(path)}'`)
  }
  if (!info.isDirectory()) return [path]
  const names = await readdir(path, { recursive: true })
  return names
    .filter((name) => /\.ya?ml$/.test(name) && !/\.test\.ya?ml$/.test(name))
    .toSorted()
    .map((name) => join(path, name))
}

function printFrames(source: Uint8Array, problems: readonly Problem[]): void {
  const text = new TextDecoder().decode(source)
  for (const problem of problems) console.log(`${formatProblem(problem, text)}\n`)
}

function summary(files: number, problems: readonly Problem[]): string {
  const errors = problems.filter((problem) => problem.severity === 'error').length
  const others = problems.length - errors
  const checked = `${files} playbook${files === 1 ? '' : 's'} checked`
  const also = others === 0 ? '' : `, ${others} to look at`
  return errors === 0
    ? `${paint.good('ok')} ${checked}${also}`
    : `${paint.bad('not ok')} ${checked}: ${errors} error${errors === 1 ? '' : 's'}${also}`
}
