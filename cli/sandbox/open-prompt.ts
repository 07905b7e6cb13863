import { clearLine, createInterface, cursorTo } from 'node:readline'

/** A line-oriented prompt, at a terminal or behind a pipe. */
export interface Prompt {
  /** Shows lines above what is being typed. */
  readonly say: (text: string) => void
  /**
   * Hands each line on as it is typed, one after the other.
   *
   * @returns when the handler says so by `true`, or when a terminal's input ends. A pipe that ends says nothing: nobody sits there.
   */
  each(handle: (line: string) => Promise<boolean>): Promise<void>
  close(): void
}

export function openPrompt(): Prompt {
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY
  const lines = createInterface({
    input: process.stdin,
    ...(isTerminal ? { output: process.stdout, prompt: '> ' } : {}),
  })
  // From now on: what is typed before somebody listens waits.
  const typed = lines[Symbol.asyncIterator]()
  // The terminal is in raw mode: what Ctrl-C means is decided elsewhere.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  let isOpen = true
  const prompt = () => {
    if (isTerminal && isOpen) lines.prompt(true)
  }
  return {
    say(text) {
      if (isTerminal) {
        cursorTo(process.stdout, 0)
        clearLine(process.stdout, 0)
      }
      process.stdout.write(`${text}\n`)
      prompt()
    },
    async each(handle) {
      prompt()
      for await (const line of typed) {
        if (await handle(line)) return
        prompt()
      }
      if (!isTerminal) await new Promise<never>(() => undefined)
    },
    close() {
      if (isTerminal && isOpen) process.stdout.write('\n')
      isOpen = false
      lines.close()
    },
  }
}
