import { Badge, Button, Group, Text } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { apiCall, apiGet } from '../api/call.ts'
import type { ApiPage, ApiPlaybookState, ApiStateEntry } from '../api/types.ts'
import { ConfirmButton, ErrorAlert, ShowMore } from '../parts/feedback.tsx'
import { SmallTable, type SmallColumn } from '../parts/small-table.tsx'
import { OutsideText } from '../parts/text-view.tsx'
import { TableTime } from '../parts/times.tsx'

interface StateSectionProps {
  readonly name: string
  /** Whether the playbook declares state, so that the section is shown without any. */
  readonly isDeclared: boolean
  readonly mayReset: boolean
}

type Place = Pick<ApiPlaybookState, 'name' | 'organization_code'>

const pathOf = (playbook: string, state = '') => {
  const path = `/playbooks/${encodeURIComponent(playbook)}/state`
  return state === '' ? path : `${path}/${encodeURIComponent(state)}`
}

/** The stored states of a playbook. */
export function StateSection({ name, isDeclared, mayReset }: StateSectionProps) {
  const [shown, setShown] = useState<Place>()
  const states = useQuery({
    queryKey: ['state of playbook', name],
    queryFn: ({ signal }) =>
      apiGet<{ readonly data: readonly ApiPlaybookState[] }>(pathOf(name), undefined, signal),
  })
  if (states.isLoadingError) return <ErrorAlert error={states.error} />
  const rows = states.data?.data ?? []
  if (rows.length === 0 && !isDeclared) return null
  const opened = rows.find(
    (row) => row.name === shown?.name && row.organization_code === shown.organization_code,
  )
  return (
    <>
      <SmallTable
        title="State"
        count={rows.length}
        rows={rows}
        columns={stateColumns({ playbook: name, mayReset, opened, onOpen: setShown })}
        idOf={(row) => `${row.organization_code}/${row.name}`}
        mah={320}
        empty={states.isPending ? 'Loading …' : 'Nothing stored yet'}
      />
      {opened !== undefined && <Entries playbook={name} state={opened} mayReset={mayReset} />}
    </>
  )
}

interface ColumnOptions {
  readonly playbook: string
  readonly mayReset: boolean
  readonly opened: ApiPlaybookState | undefined
  readonly onOpen: (place: Place | undefined) => void
}

const hasEntries = ({ kind }: ApiPlaybookState): boolean => kind !== 'value' && kind !== 'counter'

function stateColumns({ playbook, mayReset, opened, onOpen }: ColumnOptions) {
  const columns: readonly SmallColumn<ApiPlaybookState>[] = [
    {
      title: 'Name',
      cell: ({ name, declared }) => (
        <Group gap="xs">
          <code>{name}</code>
          {declared === false && <Badge color="orange">Declaration changed</Badge>}
        </Group>
      ),
    },
    { title: 'Kind', isNarrow: true, cell: ({ kind }) => kind },
    { title: 'Organization', isNarrow: true, cell: (row) => row.organization_code },
    {
      title: 'Value',
      cell: (row) =>
        hasEntries(row) ? (
          <Text size="sm">
            {row.entries.toLocaleString()} {row.entries === 1 ? 'entry' : 'entries'}
          </Text>
        ) : (
          <Value value={row.value} />
        ),
    },
    { title: 'Changed', isNarrow: true, cell: ({ changed_at: at }) => <TableTime at={at} /> },
    {
      title: 'Actions',
      isNarrow: true,
      cell: (row) => (
        <Group gap="xs" wrap="nowrap">
          {hasEntries(row) && (
            <Button size="xs" variant="default" onClick={() => onOpen(row === opened ? undefined : row)}>
              {row === opened ? 'Hide entries' : 'Show entries'}
            </Button>
          )}
          {mayReset && <ResetState playbook={playbook} state={row} />}
        </Group>
      ),
    },
  ]
  return columns
}

function Value({ value }: { readonly value: unknown }) {
  if (value === null) return null
  return <OutsideText text={typeof value === 'string' ? value : JSON.stringify(value)} />
}

interface ResetProps {
  readonly playbook: string
  readonly state: Place
  /** Default: all entries. */
  readonly entry?: string
}

function ResetState({ playbook, state, entry }: ResetProps) {
  const queries = useQueryClient()
  const reset = useMutation({
    mutationFn: () =>
      apiCall('DELETE', pathOf(playbook, state.name), {
        query: { organization: state.organization_code, key: entry },
      }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['entries of state', playbook] })
      await queries.invalidateQueries({ queryKey: ['state of playbook', playbook] })
    },
  })
  const what = entry === undefined ? state.name : `an entry of ${state.name}`
  return (
    <ConfirmButton
      text={entry === undefined ? 'Reset' : 'Delete'}
      title={entry === undefined ? `Reset ${what}?` : `Delete ${what}?`}
      action={entry === undefined ? 'Reset state' : 'Delete entry'}
      mutation={reset}
    >
      {entry !== undefined && <OutsideText text={entry} />}
      <Text size="sm">
        The next run of {playbook} for {state.organization_code} finds it empty, and may repeat actions that
        it would have left out.
      </Text>
    </ConfirmButton>
  )
}

interface EntriesProps {
  readonly playbook: string
  readonly state: ApiPlaybookState
  readonly mayReset: boolean
}

/** The entries of a set, map or counters, newest first. */
function Entries({ playbook, state, mayReset }: EntriesProps) {
  const { name, organization_code: organization } = state
  const entries = useInfiniteQuery({
    queryKey: ['entries of state', playbook, name, organization],
    queryFn: ({ pageParam: cursor }) =>
      apiGet<ApiPage<ApiStateEntry>>(pathOf(playbook, name), { organization, limit: 50, cursor }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  })
  const rows = entries.data?.pages.flatMap(({ data }) => data) ?? []
  const total = entries.data?.pages[0]?.total ?? 0
  if (entries.isLoadingError) return <ErrorAlert error={entries.error} />
  const columns: readonly SmallColumn<ApiStateEntry>[] = [
    { title: 'Key', cell: ({ key }) => <OutsideText text={key} /> },
    ...(state.kind === 'set'
      ? []
      : [{ title: 'Value', cell: (row: ApiStateEntry) => <Value value={row.value} /> }]),
    { title: 'Added', isNarrow: true, cell: ({ added_at: at }) => <TableTime at={at} /> },
    { title: 'Expires', isNarrow: true, cell: ({ expires_at: at }) => <TableTime at={at} /> },
    // The keys of sensitive states are hashes, which delete nothing.
    ...(mayReset && !state.sensitive
      ? [
          {
            title: 'Actions',
            isNarrow: true,
            cell: ({ key }: ApiStateEntry) => <ResetState playbook={playbook} state={state} entry={key} />,
          },
        ]
      : []),
  ]
  return (
    <SmallTable
      title={`Entries of ${name}`}
      {...(entries.data && { count: total })}
      rows={rows}
      columns={columns}
      idOf={({ key }) => key}
      mah={320}
      empty={entries.isPending ? 'Loading …' : 'No entries'}
    >
      <ShowMore hidden={total - rows.length} query={entries} />
    </SmallTable>
  )
}
