import { paint } from '../output/paint.ts'
import { printableLines } from '../output/printable.ts'
import { byHand, type ByHandOptions } from './by-hand.ts'
import type { Prompt } from './open-prompt.ts'
import type { StartedSandbox } from './start-sandboxes.ts'

/**
 * Runs typed lines until `quit`, or the end of a terminal's input. Errors are printed, and the next line is
 * read.
 */
export function talk(
  prompt: Prompt,
  sandboxes: readonly StartedSandbox[],
  options: ByHandOptions,
): Promise<void> {
  const understand = byHand(sandboxes, options)
  return prompt.each(async (line) => {
    if (line.trim() === '') return false
    if (['quit', 'exit'].includes(line.trim())) return true
    try {
      prompt.say(await understand(line)())
    } catch (error) {
      prompt.say(
        `${paint.bad('no')} ${printableLines(error instanceof Error ? error.message : String(error))}`,
      )
    }
    return false
  })
}
