import { Command, InvalidArgumentError } from 'commander'
import type { AuditHead } from '../../../core/domain/audit.ts'
import { Exit, exitCodes } from '../../exit-codes.ts'
import { paint, paintError } from '../../output/paint.ts'
import { withStores } from '../../with-stores.ts'

export function auditVerifyCommand(): Command {
  return new Command('verify')
    .description('verify the hash chain of the audit log and report the first changed entry')
    .option('--head <sequence:hash>', 'an entry noted elsewhere that must still exist', readHead)
    .addHelpText(
      'after',
      `
The chain detects entries that were changed, inserted, moved or removed within the log. Someone who can write to the database can
also cut entries off the end or rewrite the whole log. To detect that, compare with a head kept elsewhere: the server logs each new
head (message 'audit log'), and this command prints the current one.

Examples:
  tocsin audit verify
  tocsin audit verify --head 41:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08`,
    )
    .action(verify)
}

async function verify({ head: kept }: { readonly head?: AuditHead }): Promise<void> {
  const { entries, head, broken, unguarded = [] } = await withStores((stores) => stores.audit.verify(kept))
  if (broken !== null) {
    process.stderr.write(
      `${paintError.bad('error')} the audit log is broken at entry ${broken.sequence}: ${broken.reason}\n` +
        `${paintError.dim('hint')}  ${entries === 0 ? 'no entry' : `entries 1 to ${entries}`} before it can be trusted; compare with a backup${entries === 0 ? ' (a database from before the audit log has no entries until the first change)' : ''}\n`,
    )
    throw new Exit(exitCodes.failed)
  }
  if (unguarded.length > 0) {
    process.stderr.write(
      `${paintError.bad('error')} entries 1 to ${entries} are unchanged, but no longer protected: ${unguarded.length === 1 ? 'trigger' : 'triggers'} ${unguarded.join(', ')} of the database missing or changed\n` +
        `${paintError.dim('hint')}  the database was changed: find out who could do that, and compare with a backup or with a head from the server's log (--head)\n`,
    )
    throw new Exit(exitCodes.failed)
  }
  console.log(paint.good(`the audit log is intact: ${entries} ${entries === 1 ? 'entry' : 'entries'}`))
  if (head !== null) console.log(`head ${head.sequence}:${head.hash}`)
}

function readHead(text: string): AuditHead {
  const [, sequence, hash] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? []
  if (sequence === undefined || hash === undefined)
    throw new InvalidArgumentError('It must be a number, a colon and 64 hex digits, as `verify` prints it.')
  return { sequence: Number(sequence), hash }
}
