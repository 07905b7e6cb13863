import { fork, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'

/** The end of a command: its exit and both outputs. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** What `command-host.ts` is sent. */
export interface HostedCommand {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** In Base64. */
  readonly input: string
  /** Ends what the command wrote, on both outputs. */
  readonly mark: string
}

const program = fileURLToPath(new URL('command-host.ts', import.meta.url))

let host: ChildProcess | undefined
let isBusy = false
let last: Promise<unknown> = Promise.resolve()

/** Runs a command in the process that stays for the next ones, after those that wait already. */
export function runHosted(command: Omit<HostedCommand, 'mark'>): Promise<Ended> {
  const ended = last.then(() => run({ ...command, mark: `[${randomUUID()}]` }))
  last = ended
  return ended
}

/** Ends a command that is still under way, with the process, which is left alone otherwise. */
export async function killHostedCommand(): Promise<void> {
  if (isBusy) host?.kill('SIGKILL')
  await last
}

function run(command: HostedCommand): Promise<Ended> {
  const child = (host ??= startHost())
  isBusy = true
  holdOpen(child, true)
  return new Promise((resolve) => {
    const written = { stdout: '', stderr: '' }
    let code: number | null = null
    const end = (ended: Ended) => {
      for (const name of outputs) child[name]!.removeAllListeners('data')
      child.off('message', onMessage).off('close', onClose)
      isBusy = false
      holdOpen(child, false)
      resolve(ended)
    }
    const look = () => {
      if (code === null || !outputs.every((name) => written[name].endsWith(command.mark))) return
      const [stdout = '', stderr = ''] = outputs.map((name) => written[name].slice(0, -command.mark.length))
      end({ code, signal: null, stdout, stderr })
    }
    const onMessage = (ended: number) => {
      code = ended
      look()
    }
    const onClose = (exitCode: number | null, signal: NodeJS.Signals | null) =>
      end({ code: exitCode, signal, ...written })
    for (const name of outputs) {
      child[name]!.on('data', (text: string) => {
        written[name] += text
        look()
      })
    }
    child.on('message', onMessage).on('close', onClose)
    child.send(command)
  })
}

const outputs = ['stdout', 'stderr'] as const

function startHost(): ChildProcess {
  const child = fork(program, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], execArgv: [] })
  child.stdout!.setEncoding('utf8')
  child.stderr!.setEncoding('utf8')
  child.once('exit', () => {
    if (host === child) host = undefined
  })
  return child
}

/** Whether the tests wait for it: between two commands they may end without. */
function holdOpen(child: ChildProcess, isHeld: boolean): void {
  const ref = isHeld ? 'ref' : 'unref'
  child[ref]()
  child.channel?.[ref]()
  for (const stream of [child.stdout, child.stderr])
    (stream as unknown as { ref(): void; unref(): void })[ref]()
}
