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

/** Input of `command-host.ts`. */
export interface HostedCommand {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** In Base64. */
  readonly input: string
  /** Marks the end of a command's output on both streams. */
  readonly mark: string
}

const program = fileURLToPath(new URL('command-host.ts', import.meta.url))

let host: ChildProcess | undefined
let isBusy = false
let last: Promise<unknown> = Promise.resolve()

/** Runs a command in the shared process, after those already queued. */
export function runHosted(command: Omit<HostedCommand, 'mark'>): Promise<Ended> {
  const ended = last.then(() => run({ ...command, mark: `[${randomUUID()}]` }))
  last = ended
  return ended
}

/** Stops a running command together with the process, which otherwise keeps running. */
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

/** Whether tests wait for it: between commands it does not keep the tests alive. */
function holdOpen(child: ChildProcess, isHeld: boolean): void {
  const ref = isHeld ? 'ref' : 'unref'
  child[ref]()
  child.channel?.[ref]()
  for (const stream of [child.stdout, child.stderr])
    (stream as unknown as { ref(): void; unref(): void })[ref]()
}
