import { Command } from 'commander'
import { writeFile } from 'node:fs/promises'
import { formatProblem } from '../../../core/errors/source-frame.ts'
import { formatPlaybook } from '../../../core/playbook/yaml/format.ts'
import { Exit, exitCodes } from '../../exit-codes.ts'
import { paintError } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { readPlaybooks, standardInput, type PlaybookSource } from '../../playbook-files.ts'

export function fmtCommand(): Command {
  return new Command('fmt')
    .description('format playbooks: indentation, spacing and blank lines; keeps comments, order and meaning')
    .argument(
      '[paths...]',
      'files, folders, or - for standard input; default: TOCSIN_PLAYBOOKS_DIR (./playbooks)',
    )
    .option('--check', 'change nothing; list unformatted files, and exit with 1 if there are any')
    .addHelpText(
      'after',
      `
Prints the names of changed files. Files that are not valid YAML stay unchanged.
Maps in braces wider than 110 columns get one line per entry. Strings and numbers stay as written.

Examples:
  tocsin fmt                                          the playbooks folder
  tocsin fmt --check playbooks                        for CI
  tocsin fmt - < draft.yaml > tidy.yaml               standard input to standard output`,
    )
    .action(async (paths: readonly string[], options: { check?: boolean }) => {
      const outcomes: Outcome[] = []
      for (const playbook of await readPlaybooks(paths))
        outcomes.push(await format(playbook, options.check === true))
      const isChecked = options.check === true && outcomes.includes('changed')
      if (isChecked || outcomes.includes('refused')) throw new Exit(exitCodes.failed)
    })
}

type Outcome = 'unchanged' | 'changed' | 'refused'

async function format({ file, source }: PlaybookSource, isCheck: boolean): Promise<Outcome> {
  const formatted = formatPlaybook(source, file)
  const isInput = file === standardInput
  const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(source)
  if (formatted.kind === 'refused') {
    for (const problem of formatted.problems) process.stderr.write(`${formatProblem(problem, before)}\n\n`)
    return 'refused'
  }
  if (formatted.kind === 'kept') {
    process.stderr.write(`${paintError.warn('not changed')} ${printable(file)}: ${formatted.reason}\n`)
  }
  const after = formatted.kind === 'formatted' ? formatted.text : before
  if (isInput && !isCheck) process.stdout.write(after)
  if (after === before) return 'unchanged'
  if (!isInput || isCheck) console.log(printable(file, 1000))
  if (!isInput && !isCheck) await writeFile(file, after)
  return 'changed'
}
