import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { main } from '../../../cli/main.ts'
import type { HostedCommand } from './hosted-commands.ts'

/**
 * Runs `tocsin` commands one after the other in this process: starting Node and loading the modules takes longer than what most
 * of them do. Each gets a working directory, an environment and a standard input of its own; when it has ended, and has left
 * nothing open that would keep a process of its own alive, both outputs are closed with its mark.
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

/** What keeps the process alive, by kind. */
function openResources(): readonly string[] {
  return process.getActiveResourcesInfo().toSorted()
}

/** Waits as a process would that may not end before; whoever waits for the command gives up in its own time. */
async function allClosed(): Promise<void> {
  while (openResources().length > usual.length) await sleep(2, undefined, { ref: false })
}
