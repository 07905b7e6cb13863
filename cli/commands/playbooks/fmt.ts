import { Command } from 'commander'
import { writeFile } from 'node:fs/promises'
import { formatProblem } from '../../../core/errors/source-frame.ts'
import { formatPlaybook } from '../../../core/playbook/yaml/format.ts'
import { Exit, exitCodes } from '../../exit-codes.ts'
import { paintError } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { readPlaybooks, standardInput, type PlaybookSource } from '../../playbook-files.ts'

/** `tocsin fmt`: playbooks in their canonical form. */
export function fmtCommand(): Command {
  return new Command('fmt')
    .description('format playbooks: indentation, spacing and blank lines; comments, order and meaning stay')
    .argument(
      '[paths...]',
      'files, folders, or - for standard input; TOCSIN_PLAYBOOKS_DIR (./playbooks) when left out',
    )
    .option('--check', 'change nothing; name what is not formatted, and exit 1 if there is any')
    .addHelpText(
      'after',
      `
Prints the names of the files it changed. A file that is not YAML is left as it is.
Maps in braces that are wider than 110 columns take a line for each entry; texts and numbers stay as they are written.

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
    process.stderr.write(`${paintError.warn('left as it is')} ${printable(file)}: ${formatted.reason}\n`)
  }
  const after = formatted.kind === 'formatted' ? formatted.text : before
  if (isInput && !isCheck) process.stdout.write(after)
  if (after === before) return 'unchanged'
  if (!isInput || isCheck) console.log(printable(file, 1000))
  if (!isInput && !isCheck) await writeFile(file, after)
  return 'changed'
}
