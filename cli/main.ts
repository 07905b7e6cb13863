import { Command, CommanderError } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { TocsinError } from '../core/plugin/index.ts'
import { demoCommand } from './commands/demo.ts'
import { keysCommand } from './commands/keys.ts'
import { serveCommand } from './commands/serve.ts'
import { skillsCommand } from './commands/skills.ts'
import { validateCommand } from './commands/validate.ts'
import { paint } from './output/paint.ts'
import { Exit, exitCodes } from './exit-codes.ts'

/** Runs the `tocsin` command and resolves to its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  try {
    await program().parseAsync(args, { from: 'user' })
    return exitCodes.ok
  } catch (error) {
    return exitCodeOf(error)
  }
}

function program(): Command {
  return new Command('tocsin')
    .description('Security automation: alerts in, playbooks investigate them, cases out.')
    .version(packageJson.version)
    .showHelpAfterError('(add --help for what there is)')
    .exitOverride()
    .addCommand(serveCommand())
    .addCommand(demoCommand())
    .addCommand(validateCommand())
    .addCommand(skillsCommand())
    .addCommand(keysCommand())
    .addHelpText(
      'after',
      `
Exit codes: 0 all is well · 1 something failed or has mistakes · 2 the command line is wrong
Configuration comes from TOCSIN_* variables; see docs/configuration.md.`,
    )
}

function exitCodeOf(error: unknown): number {
  if (error instanceof Exit) return error.code
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  if (error instanceof TocsinError) {
    process.stderr.write(`${paint.bad('error')} ${error.message}\n`)
    if (error.hint !== undefined) process.stderr.write(`${paint.dim('hint')}  ${error.hint}\n`)
    return exitCodes.failed
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`${paint.bad('error')} this is a bug in Tocsin: ${text}\n`)
  return exitCodes.failed
}
