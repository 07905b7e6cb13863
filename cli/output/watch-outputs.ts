import { exitCodes } from '../exit-codes.ts'
import { paintError } from './paint.ts'
import { printable } from './printable.ts'

/**
 * What the command writes may have nowhere to go. It goes on, since what it does may matter more than what it says, and ends as failed;
 * that is said once. Whoever has read enough and is gone (`tocsin skills | head -1`) is no failure.
 */
export function watchOutputs(): { readonly failed: () => boolean } {
  let failed = false
  const fail = (error: NodeJS.ErrnoException, name: string): void => {
    if (error.code === 'EPIPE' || failed) return
    failed = true
    // The command may have ended already, before its output was written.
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
