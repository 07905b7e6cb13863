import { Command, Option } from 'commander'
import { formatProblem } from '../../../core/errors/source-frame.ts'
import { parsePlaybook } from '../../../core/playbook/read/parse.ts'
import { toStepGraph } from '../../../core/playbook/language/step-graph.ts'
import { Exit, exitCodes } from '../../exit-codes.ts'
import { writeOutput } from '../../output/write-output.ts'
import { readPlaybook } from '../../playbook-files.ts'

const formats = ['mermaid', 'svg'] as const

interface GraphOptions {
  readonly format?: (typeof formats)[number]
  readonly output?: string
}

export function graphCommand(): Command {
  return new Command('graph')
    .description('draw a playbook: steps, branches, joins, error handlers and final steps')
    .argument('<playbook>', 'playbook file, or - for standard input')
    .addOption(
      new Option('--format <format>', 'default: by the name of the output file, else mermaid').choices(
        formats,
      ),
    )
    .option('-o, --output <file>', 'file to write; default: standard output')
    .addHelpText(
      'after',
      `
Mermaid is drawn by GitHub, GitLab and most wikis; SVG by every browser, light or dark by the viewer's preference.
Skills need not be installed.

Examples:
  tocsin graph playbooks/phishing-report.yaml                    Mermaid, to paste into a \`\`\`mermaid block
  tocsin graph playbooks/phishing-report.yaml -o phishing.svg    a picture`,
    )
    .action(async (path: string, options: GraphOptions) => {
      const { file, source } = await readPlaybook(path)
      const { playbook, problems } = parsePlaybook(source, { file })
      if (playbook === undefined) {
        const text = new TextDecoder().decode(source)
        const errors = problems.filter((problem) => problem.severity === 'error')
        for (const problem of errors) process.stderr.write(`${formatProblem(problem, text)}\n\n`)
        throw new Exit(exitCodes.failed)
      }
      const format = options.format ?? (options.output?.endsWith('.svg') ? 'svg' : 'mermaid')
      const picture = await draw(toStepGraph(playbook), format)
      if (options.output === undefined) process.stdout.write(picture)
      else await writeOutput(options.output, picture)
    })
}

/** Loads the layout only when needed. */
async function draw(
  graph: ReturnType<typeof toStepGraph>,
  format: (typeof formats)[number],
): Promise<string> {
  if (format === 'svg') return (await import('../../../core/graph/svg.ts')).toSvg(graph)
  return (await import('../../../core/graph/mermaid.ts')).toMermaid(graph)
}
