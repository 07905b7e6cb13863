import { Command } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { demoCommand } from './commands/demo.ts'
import { dryRunCommand } from './commands/dry-run.ts'
import { fmtCommand } from './commands/fmt.ts'
import { graphCommand } from './commands/graph.ts'
import { keysCommand } from './commands/keys.ts'
import { runCommand } from './commands/run.ts'
import { lspCommand } from './commands/lsp.ts'
import { schemaCommand } from './commands/schema.ts'
import { serveCommand } from './commands/serve.ts'
import { skillsCommand } from './commands/skills.ts'
import { testCommand } from './commands/test.ts'
import { validateCommand } from './commands/validate.ts'
import { explainError } from './explain-error.ts'
import { exitCodes } from './exit-codes.ts'
import { paintError } from './output/paint.ts'
import { printableLines } from './output/printable.ts'

/** Runs the `tocsin` command and resolves to its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosedPipe)
  try {
    await program().parseAsync(args, { from: 'user' })
    return exitCodes.ok
  } catch (error) {
    return explainError(error)
  }
}

function program(): Command {
  const program = new Command('tocsin')
    .description('Security automation: alerts in, playbooks investigate them, cases out.')
    .version(packageJson.version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .addCommand(serveCommand())
    .addCommand(demoCommand())
    .addCommand(validateCommand())
    .addCommand(testCommand())
    .addCommand(dryRunCommand())
    .addCommand(runCommand())
    .addCommand(skillsCommand())
    .addCommand(graphCommand())
    .addCommand(fmtCommand())
    .addCommand(schemaCommand())
    .addCommand(lspCommand())
    .addCommand(keysCommand())
    .addHelpText(
      'after',
      `
Exit codes: 0 all is well · 1 something failed or has mistakes · 2 the command line is wrong
Configuration comes from TOCSIN_* variables; see docs/configuration.md.`,
    )
  behaveAlike(program, program.name())
  return program
}

/** Mistakes on the command line end every command alike: what is wrong, where to read on, and an exception instead of an exit. */
function behaveAlike(command: Command, path: string): void {
  command
    .exitOverride()
    .helpOption('-h, --help', 'show this help')
    .showHelpAfterError(`${paintError.dim('hint')}  ${path} --help shows what there is`)
    .configureOutput({
      writeErr: (text) => process.stderr.write(text),
      outputError: (text, write) =>
        write(`${paintError.bad('error')} ${printableLines(text.replace(/^error: /, ''))}`),
    })
  for (const child of command.commands) behaveAlike(child, `${path} ${child.name()}`)
}

/** Whoever reads may have gone already: `tocsin skills | head -1`. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}
