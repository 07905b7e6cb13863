import { Command } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { takeSecretVariables } from '../server/config/environment.ts'
import { explainError } from './explain-error.ts'
import { exitCodes } from './exit-codes.ts'
import { paintError } from './output/paint.ts'
import { printableLines, printable } from './output/printable.ts'

/** Runs the `tocsin` command and resolves to its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  takeSecretVariables()
  const outputs = watchOutputs()
  try {
    await (await program(args)).parseAsync(readIdsAsValues(args), { from: 'user' })
    return outputs.failed() ? exitCodes.failed : exitCodes.ok
  } catch (error) {
    const code = explainError(error)
    return outputs.failed() && code === exitCodes.ok ? exitCodes.failed : code
  }
}

/**
 * In the order of the help. Loaded on demand: importing the server alone takes longer than most commands run.
 */
export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./commands/server/serve.ts')).serveCommand(),
  demo: async () => (await import('./commands/server/demo.ts')).demoCommand(),
  sandbox: async () => (await import('./commands/server/sandbox.ts')).sandboxCommand(),
  validate: async () => (await import('./commands/playbooks/validate.ts')).validateCommand(),
  test: async () => (await import('./commands/playbooks/test.ts')).testCommand(),
  'dry-run': async () => (await import('./commands/playbooks/dry-run.ts')).dryRunCommand(),
  backtest: async () => (await import('./commands/playbooks/backtest.ts')).backtestCommand(),
  shadow: async () => (await import('./commands/playbooks/shadow.ts')).shadowCommand(),
  playbooks: async () => (await import('./commands/playbooks/playbooks.ts')).playbooksCommand(),
  run: async () => (await import('./commands/playbooks/run.ts')).runCommand(),
  skills: async () => (await import('./commands/playbooks/skills.ts')).skillsCommand(),
  plugins: async () => (await import('./commands/playbooks/plugins.ts')).pluginsCommand(),
  new: async () => (await import('./commands/new/new.ts')).newCommand(),
  graph: async () => (await import('./commands/playbooks/graph.ts')).graphCommand(),
  fmt: async () => (await import('./commands/playbooks/fmt.ts')).fmtCommand(),
  schema: async () => (await import('./commands/playbooks/schema.ts')).schemaCommand(),
  lsp: async () => (await import('./commands/playbooks/lsp.ts')).lspCommand(),
  case: async () => (await import('./commands/data/case.ts')).caseCommand(),
  correlate: async () => (await import('./commands/data/correlate.ts')).correlateCommand(),
  checkpoints: async () => (await import('./commands/data/checkpoints.ts')).checkpointsCommand(),
  answer: async () => (await import('./commands/data/answer.ts')).answerCommand(),
  containments: async () => (await import('./commands/containments/containments.ts')).containmentsCommand(),
  state: async () => (await import('./commands/data/state.ts')).stateCommand(),
  resolve: async () => (await import('./commands/data/resolve.ts')).resolveCommand(),
  people: async () => (await import('./commands/people/people.ts')).peopleCommand(),
  keys: async () => (await import('./commands/keys/keys.ts')).keysCommand(),
  nodes: async () => (await import('./commands/server/nodes.ts')).nodesCommand(),
  doctor: async () => (await import('./commands/server/doctor.ts')).doctorCommand(),
  backup: async () => (await import('./commands/server/backup.ts')).backupCommand(),
  restore: async () => (await import('./commands/server/restore.ts')).restoreCommand(),
  migrate: async () => (await import('./commands/server/migrate.ts')).migrateCommand(),
  'rotate-key': async () => (await import('./commands/server/rotate-key.ts')).rotateKeyCommand(),
  audit: async () => (await import('./commands/data/audit.ts')).auditCommand(),
}

/**
 * Stored ids of questions may begin with `-`: earlier versions made such ids. A space in front keeps commander from
 * reading them as options; `tocsin answer` removes it.
 */
function readIdsAsValues(args: readonly string[]): readonly string[] {
  if (args[0] !== 'answer') return args
  const isId = (arg: string, before = ''): boolean => /^-[\w-]{31}$/.test(arg) && !/^--[a-z]+$/.test(before)
  return args.map((arg, index) => (isId(arg, args[index - 1]) ? ` ${arg}` : arg))
}

/** Loads the called command, none for the version, or all of them for the help and for an unknown name. */
async function program([called = '']: readonly string[]): Promise<Command> {
  const isVersion = called === '-V' || called === '--version'
  const names = Object.hasOwn(commands, called) ? [called] : isVersion ? [] : Object.keys(commands)
  const program = new Command('tocsin')
    .description('Security automation: receives alerts, investigates them with playbooks, records cases.')
    .version(packageJson.version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText(
      'after',
      `
Exit codes: 0 success · 1 failure or mistakes found · 2 invalid command line
Configuration comes from TOCSIN_* variables; see docs/configuration.md.`,
    )
  for (const name of names) program.addCommand(await commands[name]!())
  behaveAlike(program, program.name())
  return program
}

/** Gives all commands the same usage errors: the error, a hint, and an exception instead of an exit. */
function behaveAlike(command: Command, path: string): void {
  command
    .exitOverride()
    .helpOption('-h, --help', 'show this help')
    .showHelpAfterError(`${paintError.dim('hint')}  ${path} --help lists commands and options`)
    .configureOutput({
      writeErr: (text) => process.stderr.write(text),
      outputError(text, write) {
        write(`${paintError.bad('error')} ${printableLines(text.replace(/^error: /, ''))}`)
        if (text.startsWith("error: unknown option '-") && command.registeredArguments.length > 0)
          write(
            `${paintError.dim('hint')}  put -- in front of values that begin with -, behind all options\n`,
          )
      },
    })
  for (const child of command.commands) behaveAlike(child, `${path} ${child.name()}`)
}

/**
 * A failed write to the output is reported once and sets the exit code, but does not stop the command. A
 * reader that closes early (`tocsin skills | head -1`) is not a failure.
 */
function watchOutputs(): { readonly failed: () => boolean } {
  let failed = false
  const fail = (error: NodeJS.ErrnoException, name: string): void => {
    if (error.code === 'EPIPE' || failed) return
    failed = true
    // The output may be written after the command has ended.
    process.exitCode = exitCodes.failed
    if (name !== 'error')
      process.stderr.write(
        `${paintError.bad('error')} standard ${name} cannot be written: ${printable(error.message.replace(/, write$/, ''))}\n`,
      )
  }
  process.stdout.on('error', (error) => fail(error, 'output'))
  process.stderr.on('error', (error) => fail(error, 'error'))
  return { failed: () => failed }
}
