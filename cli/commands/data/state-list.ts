import { Command } from 'commander'
import { stringifyJson } from '../../../core/common/json.ts'
import { paint } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { table } from '../../output/table.ts'
import { serverClient, urlOption } from '../../server-client.ts'

interface State {
  readonly organization_code: string
  readonly name: string
  readonly kind: string
  readonly declared: boolean | null
  readonly entries: number
  readonly value: unknown
  readonly changed_at: number
}

interface Entry {
  readonly organization_code: string
  readonly key: string
  readonly value: unknown
  readonly added_at: number
  readonly expires_at: number | null
}

interface StateListOptions {
  readonly organization?: string
  readonly url?: string
}

export function stateListCommand(): Command {
  return new Command('list')
    .description('list the states of a playbook, or the newest 100 entries of one')
    .argument('<playbook>', 'its name')
    .argument('[state]', 'name of a set, map or counters')
    .option('--organization <code>', 'only of this organization')
    .option(...urlOption)
    .addHelpText(
      'after',
      `
Set TOCSIN_KEY to an API key with the role reader.

Example:
  TOCSIN_KEY=toc_… tocsin state list deduplicate seen`,
    )
    .action(listState)
}

async function listState(
  playbook: string,
  state: string | undefined,
  { organization, url }: StateListOptions,
): Promise<void> {
  const client = serverClient(url)
  const of = organization === undefined ? '' : `organization=${encodeURIComponent(organization)}`
  const path = `/playbooks/${encodeURIComponent(playbook)}/state`
  if (state === undefined) {
    const { data } = await client.get<{ readonly data: readonly State[] }>(`${path}?${of}`)
    const rows = data.map((each) => [
      paint.strong(printable(each.name)),
      each.declared === false ? paint.warn(`${each.kind}, declaration changed`) : each.kind,
      each.organization_code,
      String(each.entries),
      each.value === null ? '' : shown(each.value),
      time(each.changed_at),
    ])
    console.log(table(['STATE', 'KIND', 'ORGANIZATION', 'ENTRIES', 'VALUE', 'CHANGED'], rows))
    return
  }
  const { data } = await client.get<{ readonly data: readonly Entry[] }>(
    `${path}/${encodeURIComponent(state)}?limit=100&${of}`,
  )
  if (data.length === 0) {
    await explainEmpty(path, of, state, client)
    return
  }
  const rows = data.map((each) => [
    paint.strong(printable(each.key)),
    each.value === null ? '' : shown(each.value),
    each.organization_code,
    time(each.added_at),
    each.expires_at === null ? 'never' : time(each.expires_at),
  ])
  console.log(table(['KEY', 'VALUE', 'ORGANIZATION', 'ADDED', 'EXPIRES'], rows))
}

/** A state without entries may be misspelt, or is a value or counter, which has none. */
async function explainEmpty(
  path: string,
  of: string,
  state: string,
  client: ReturnType<typeof serverClient>,
): Promise<void> {
  const { data } = await client.get<{ readonly data: readonly State[] }>(`${path}?${of}`)
  const found = data.find(({ name }) => name === state)
  const names = [...new Set(data.map(({ name }) => printable(name)))].join(', ') || 'none'
  if (found === undefined) console.log(`nothing is stored in '${printable(state)}'; states with data: ${names}`)
  else if (found.kind === 'value' || found.kind === 'counter') console.log(shown(found.value))
  else console.log(`'${printable(state)}' has no entries`)
}

const shown = (value: unknown): string =>
  printable(typeof value === 'string' ? value : stringifyJson(value), 60)

/** In UTC: 2026-03-01 08:00. */
const time = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace('T', ' ')
