import { CommanderError } from 'commander'
import { TocsinError } from '../core/plugin/index.ts'
import { paintError } from './output/paint.ts'
import { printableLines } from './output/printable.ts'
import { Exit, exitCodes } from './exit-codes.ts'

/** Prints an error and its hint to standard error, and returns the exit code. */
export function explainError(error: unknown): number {
  if (error instanceof Exit) return error.code
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  if (error instanceof TocsinError) say(error.message, error.hint)
  else if (isSystemError(error)) say(error.message, systemHints[error.code])
  else say(`this is a bug in Tocsin: ${stackOf(error)}`)
  return exitCodes.failed
}

function say(message: string, hint?: string): void {
  process.stderr.write(`${paintError.bad('error')} ${printableLines(message)}\n`)
  if (hint !== undefined) process.stderr.write(`${paintError.dim('hint')}  ${printableLines(hint)}\n`)
}

/** Errors of the operating system are not bugs: files, ports, disks. */
function isSystemError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string'
}

const systemHints: Readonly<Record<string, string | undefined>> = {
  EADDRINUSE:
    'another program listens there; set TOCSIN_PORT (or TOCSIN_OPS_PORT) to another port, or to 0 for any free one',
  EADDRNOTAVAIL: 'TOCSIN_HOST must be an address of this machine, e.g. 127.0.0.1',
  ENOTFOUND: 'TOCSIN_HOST must be an address of this machine, e.g. 127.0.0.1, or a name that resolves to one',
  EAI_AGAIN:
    'TOCSIN_HOST must be an address of this machine, e.g. 127.0.0.1; its name cannot be resolved now',
  ENOENT:
    'nothing can be created there; choose another place, with TOCSIN_DATA_DIR for the data of the server',
  EACCES: 'permission denied; choose another place or port, or change the permissions',
  EPERM: 'permission denied; choose another place, or change the permissions',
  EROFS: 'that place is read-only; choose another one',
  ENOTDIR: 'a part of that path is a file, not a folder',
  EEXIST: 'a folder is needed, but there is a file',
  ENOSPC: 'the disk is full',
  EIO: 'the disk failed; see the system log',
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
