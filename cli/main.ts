import { Command } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { takeSecretVariables } from '../server/config/environment.ts'
import { explainError } from './explain-error.ts'
import { exitCodes } from './exit-codes.ts'
import { paintError } from './output/paint.ts'
import { printableLines } from './output/printable.ts'
import { watchOutputs } from './output/watch-outputs.ts'

/** Runs the `tocsin` command and resolves to its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  takeSecretVariables()
  const outputs = watchOutputs()
  try {
    await (await program(args)).parseAsync(args, { from: 'user' })
    return outputs.failed() ? exitCodes.failed : exitCodes.ok
  } catch (error) {
    const code = explainError(error)
    return outputs.failed() && code === exitCodes.ok ? exitCodes.failed : code
  }
}

/** In the order of the help. Each is loaded when it is needed: the modules of the server alone take longer than most commands do. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./commands/server/serve.ts')).serveCommand(),
  demo: async () => (await import('./commands/server/demo.ts')).demoCommand(),
  sandbox: async () => (await import('./commands/server/sandbox.ts')).sandboxCommand(),
  validate: async () => (await import('./commands/playbooks/validate.ts')).validateCommand(),
  test: async () => (await import('./commands/playbooks/test.ts')).testCommand(),
  'dry-run': async () => (await import('./commands/playbooks/dry-run.ts')).dryRunCommand(),
  run: async () => (await import('./commands/playbooks/run.ts')).runCommand(),
  skills: async () => (await import('./commands/playbooks/skills.ts')).skillsCommand(),
  new: async () => (await import('./commands/playbooks/new.ts')).newCommand(),
  graph: async () => (await import('./commands/playbooks/graph.ts')).graphCommand(),
  fmt: async () => (await import('./commands/playbooks/fmt.ts')).fmtCommand(),
  schema: async () => (await import('./commands/playbooks/schema.ts')).schemaCommand(),
  lsp: async () => (await import('./commands/playbooks/lsp.ts')).lspCommand(),
  case: async () => (await import('./commands/data/case.ts')).caseCommand(),
  checkpoints: async () => (await import('./commands/data/checkpoints.ts')).checkpointsCommand(),
  resolve: async () => (await import('./commands/data/resolve.ts')).resolveCommand(),
  keys: async () => (await import('./commands/data/keys.ts')).keysCommand(),
  doctor: async () => (await import('./commands/server/doctor.ts')).doctorCommand(),
  backup: async () => (await import('./commands/server/backup.ts')).backupCommand(),
  restore: async () => (await import('./commands/server/restore.ts')).restoreCommand(),
  'rotate-key': async () => (await import('./commands/server/rotate-key.ts')).rotateKeyCommand(),
  audit: async () => (await import('./commands/data/audit.ts')).auditCommand(),
}

/** Knows the command that is called, and all of them where none is: for help, and for what is mistyped. */
async function program([called = '']: readonly string[]): Promise<Command> {
  const names = Object.hasOwn(commands, called) ? [called] : Object.keys(commands)
  const program = new Command('tocsin')
    .description('Security automation: alerts in, playbooks investigate them, cases out.')
    .version(packageJson.version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText(
      'after',
      `
Exit codes: 0 all is well · 1 something failed or has mistakes · 2 the command line is wrong
Configuration comes from TOCSIN_* variables; see docs/configuration.md.`,
    )
  for (const name of names) program.addCommand(await commands[name]!())
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
