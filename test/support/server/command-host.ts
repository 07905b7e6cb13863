import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { main } from '../../../cli/main.ts'
import type { HostedCommand } from './hosted-commands.ts'

/**
 * Runs `tocsin` commands one after the other in this process, because starting Node and loading the modules
 * takes longer than most commands. Each has its own working directory, environment and standard input. When
 * it has ended and nothing is open that would keep its own process alive, a mark ends both outputs.
 */
process.on('message', (command: HostedCommand) => void run(command))
process.on('disconnect', () => process.exit())
const usual = openResources()

async function run({ args, cwd, env, input, mark }: HostedCommand): Promise<void> {
  process.chdir(cwd)
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  const stdin = Readable.from(input === '' ? [] : [Buffer.from(input, 'base64')])
  Object.defineProperty(process, 'stdin', { value: stdin, configurable: true })
  const code = await main(args)
  await allClosed()
  for (const stream of [process.stdout, process.stderr]) {
    stream.removeAllListeners('error')
    await new Promise((resolve) => stream.write(mark, resolve))
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal)
  process.send!(code)
}

/** Resources that keep the process alive, by kind. */
function openResources(): readonly string[] {
  return process.getActiveResourcesInfo().toSorted()
}

/** Waits like a process that cannot exit yet; the caller of the command has its own timeout. */
async function allClosed(): Promise<void> {
  while (openResources().length > usual.length) await sleep(2, undefined, { ref: false })
}
