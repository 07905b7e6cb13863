import { clearLine, createInterface, cursorTo } from 'node:readline'

/** A line-oriented prompt, at a terminal or behind a pipe. */
export interface Prompt {
  /** Prints lines above the current input. */
  readonly say: (text: string) => void
  /**
   * Passes on each line, one after the other.
   *
   * @returns when the handler returns `true`, or the input of a terminal ends. The end of a pipe does not end
   * it.
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
  // Buffers lines from now on, until they are read.
  const typed = lines[Symbol.asyncIterator]()
  // The terminal is in raw mode; Ctrl-C is handled elsewhere.
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
