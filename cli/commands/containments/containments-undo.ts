import { Command } from 'commander'
import { ValidationError } from '../../../core/errors/errors.ts'
import { Exit, exitCodes } from '../../exit-codes.ts'
import { paint } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { serverClient, urlOption } from '../../server-client.ts'
import { containmentTable, type ContainmentPage } from './shown-containment.ts'

interface UndoOptions {
  readonly case?: string
  readonly run?: string
  readonly yes?: true
  readonly url?: string
}

interface Undone {
  readonly data: readonly {
    readonly containment_id: string
    readonly run_uuid: string | null
    readonly error: { readonly code: string; readonly message: string; readonly hint?: string } | null
  }[]
  readonly left: number
}

export function containmentsUndoCommand(): Command {
  return new Command('undo')
    .description('undo the containments of a case or a run: lists them, and with --yes starts a run for each')
    .option('--case <id>', 'of this case')
    .option('--run <uuid>', 'of this run')
    .option('--yes', 'undo them; without it, they are only listed')
    .option(...urlOption)
    .addHelpText(
      'after',
      `
The runs count against the hourly limits and may wait for an approval.
Set TOCSIN_KEY to an API key with the role analyst.

Example:
  TOCSIN_KEY=toc_… tocsin containments undo --case ACME-7 --yes`,
    )
    .action(undo)
}

async function undo({ case: caseId, run, yes, url }: UndoOptions): Promise<void> {
  if ((caseId === undefined) === (run === undefined))
    throw new ValidationError('arguments_invalid', 'either --case or --run is required', [], {
      hint: 'tocsin containments list shows the cases and what they contain',
    })
  const client = serverClient(url)
  const query = new URLSearchParams({ limit: '100', ...(caseId && { case: caseId }), ...(run && { run }) })
  const { data, total } = await client.get<ContainmentPage>(`/containments?${query.toString()}`)
  if (data.length === 0) {
    console.log('nothing stands that could be undone')
    return
  }
  console.log(containmentTable(data))
  if (yes !== true) {
    console.log(paint.dim(`${total} would be undone: repeat it with --yes`))
    return
  }
  const path =
    caseId === undefined ? `/runs/${encodeURIComponent(run!)}` : `/cases/${encodeURIComponent(caseId)}`
  const body = { containments: data.map((one) => one.containment_id) }
  const undone = await client.post<Undone>(`${path}/containments/undo`, body)
  for (const { containment_id: id, run_uuid: started, error } of undone.data)
    console.log(
      error === null
        ? `${paint.good('ok')} ${id} run ${started}`
        : `${paint.bad('refused')} ${id} ${printable(error.message)}${error.hint === undefined ? '' : ` (${printable(error.hint)})`}`,
    )
  const left = total - undone.data.length
  if (left > 0) console.log(paint.dim(`${left} are left: repeat the command`))
  if (undone.data.some(({ error }) => error !== null)) throw new Exit(exitCodes.failed)
}
