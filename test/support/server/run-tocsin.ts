import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { killHostedCommand, runHosted, type Ended } from './hosted-commands.ts'

const command = fileURLToPath(new URL('../../../cli/tocsin.js', import.meta.url))

export interface StartOptions {
  /** Default: the working directory of the tests. */
  readonly cwd?: string
  /** Added to the environment, from which variables that affect the command are removed. */
  readonly env?: Readonly<Record<string, string>>
  /** Default: that of the checkout. */
  readonly command?: string
  /** A program with arguments that starts it, such as a tracer. Default: none. */
  readonly under?: readonly string[]
  /** The Node executable with arguments. Default: that of the tests. */
  readonly node?: readonly string[]
}

export interface RunOptions extends StartOptions {
  /** Standard input. Default: none. */
  readonly input?: string | Uint8Array
  /** Use a separate process, to test the process itself. Default: the shared process. */
  readonly ownProcess?: boolean
}

/** A running `tocsin` command. */
export interface RunningCommand {
  readonly process: ChildProcessWithoutNullStreams
  readonly ended: Promise<Ended>
  /** Resolves to standard output when it matches; rejects if the command ends before. */
  hasPrinted(pattern: RegExp): Promise<string>
}

const running = new Set<RunningCommand>()

/** For `after` and `afterEach`: stops it even if a test failed halfway. */
export async function killCommands(): Promise<void> {
  await killHostedCommand()
  await Promise.all(
    [...running].map(({ process, ended }) => {
      process.kill('SIGKILL')
      return ended
    }),
  )
}

/** Starts `tocsin` like a user: as a process, through the file in package.json. */
export function startTocsinCommand(args: readonly string[], options: StartOptions = {}): RunningCommand {
  const node = options.node ?? [process.execPath]
  const whole = [...(options.under ?? []), ...node, options.command ?? command, ...args]
  const child = spawn(whole[0]!, whole.slice(1), {
    cwd: options.cwd,
    env: { ...plainEnvironment(), ...options.env },
  })
  let stdout = ''
  let stderr = ''
  const look = new Set<() => void>()
  child.stdin.on('error', () => undefined) // it need not read its input
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    for (const check of look) check()
  })
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => {
      running.delete(started)
      resolve({ code, signal, stdout, stderr })
    })
  })
  const hasPrinted = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const check = () => {
        if (pattern.test(stdout)) resolve(stdout)
      }
      look.add(check)
      check()
      void ended.then(() => reject(new Error(`ended without printing ${pattern}:\n${stdout}\n${stderr}`)))
    })
  const started: RunningCommand = { process: child, ended, hasPrinted }
  running.add(started)
  return started
}

/** Runs `tocsin` until it ends. */
export function runTocsin(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  if (options.ownProcess !== true && options.command === undefined && options.node === undefined) {
    const { cwd = process.cwd(), env, input = '' } = options
    return runHosted({
      args,
      cwd,
      env: { ...plainEnvironment(), ...env },
      input: Buffer.from(input).toString('base64'),
    })
  }
  const started = startTocsinCommand(args, options)
  started.process.stdin.end(options.input)
  return started.ended
}

function plainEnvironment(): Record<string, string | undefined> {
  const changing = /^(TOCSIN_|NO_COLOR$|FORCE_COLOR$|NODE_OPTIONS$|COLUMNS$)/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !changing.test(name)))
}
