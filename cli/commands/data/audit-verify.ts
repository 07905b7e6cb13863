import { Command, InvalidArgumentError } from 'commander'
import type { AuditHead } from '../../../core/domain/audit.ts'
import { Exit, exitCodes } from '../../exit-codes.ts'
import { paint, paintError } from '../../output/paint.ts'
import { withStores } from '../../with-stores.ts'

/** `tocsin audit verify`: whether the audit log is what was recorded. */
export function auditVerifyCommand(): Command {
  return new Command('verify')
    .description('follow the chain of the audit log, and name the first entry that is not what was recorded')
    .option('--head <sequence:hash>', 'an entry that was kept elsewhere: it has to be there still', readHead)
    .addHelpText(
      'after',
      `
The chain shows what was changed, put in, moved or removed in the midst of the log. Who can write to the database can also cut
entries off its end, or write the whole log anew: that shows against an entry kept where they cannot write. The server writes
each new head into its log (message 'audit log'), and this command prints the head.

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
        `${paintError.dim('hint')}  ${entries === 0 ? 'no entry' : `entries 1 to ${entries}`} before it can be trusted; compare with a backup${entries === 0 ? ' (one that was upgraded from before there was an audit log has no entry until something is changed)' : ''}\n`,
    )
    throw new Exit(exitCodes.failed)
  }
  if (unguarded.length > 0) {
    process.stderr.write(
      `${paintError.bad('error')} entries 1 to ${entries} are as they were recorded, but the database would let them be changed: ${unguarded.join(', ')} of its triggers ${unguarded.length === 1 ? 'is' : 'are'} missing or changed\n` +
        `${paintError.dim('hint')}  somebody has changed the database: see who could, and compare with a backup, or with a head of the server's log (--head)\n`,
    )
    throw new Exit(exitCodes.failed)
  }
  console.log(paint.good(`the audit log is whole: ${entries} ${entries === 1 ? 'entry' : 'entries'}`))
  if (head !== null) console.log(`head ${head.sequence}:${head.hash}`)
}

function readHead(text: string): AuditHead {
  const [, sequence, hash] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? []
  if (sequence === undefined || hash === undefined)
    throw new InvalidArgumentError('It must be a number, a colon and 64 hex digits, as `verify` prints it.')
  return { sequence: Number(sequence), hash }
}
