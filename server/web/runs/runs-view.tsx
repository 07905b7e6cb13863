import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { PlayIcon } from '@radix-ui/react-icons'
import { useLocation } from 'wouter'
import { useOrganizations } from '../api/lookups.ts'
import type { Run } from '../api/types.ts'
import { ChoiceFilter, LookupFilter, TypedFilter } from '../lists/filter-fields.tsx'
import { ListPage } from '../lists/list-page.tsx'
import { SavedMenu } from '../lists/saved-menu.tsx'
import { TimeFilter, timeNames } from '../lists/time-filter.tsx'
import { useChoice } from '../lists/use-choice.ts'
import { useFilters } from '../lists/use-filters.ts'
import { choicesOf, runStatuses } from '../parts/states.tsx'
import { useMay } from '../session/session.ts'
import type { RetryChoice } from './many-retries.ts'
import { RetryMany } from './retry-many.tsx'
import { runColumns } from './run-columns.tsx'

const idOf = (run: Run): string => run.run_uuid
const names = ['status', 'organization', 'playbook', 'alert', 'case', 'error', ...timeNames, 'sort'] as const
type FilterName = (typeof names)[number]
const newestFirst = '-created_at'

/** So many the API takes at once. */
const maxRetries = 100

/** All runs; failed ones can be retried together, after a look at what that would do again. */
export default function RunsView() {
  const [, navigate] = useLocation()
  const { filters, of, choose } = useFilters(names)
  const organizations = useOrganizations()
  const mayRetry = useMay('analyst', 'admin')
  const { sort = newestFirst, ...narrowing } = filters
  const selection = useChoice(narrowing)
  return (
    <ListPage
      title="Runs"
      icon={PlayIcon}
      path="/runs"
      query={filters}
      columns={runColumns}
      idOf={idOf}
      onOpen={(run) => navigate(`/runs/${run.run_uuid}`)}
      sort={sort}
      onSort={(by) => choose({ sort: by === newestFirst ? null : by })}
      {...(mayRetry && {
        selection,
        actions: (
          <RetryButton
            chosen={selection.ids}
            filter={filterOf(filters)}
            onDone={() => selection.onChange(new Set())}
          />
        ),
      })}
      filters={
        <Group gap="xs">
          <ChoiceFilter label="Status" data={choicesOf(runStatuses)} {...of('status')} />
          <LookupFilter label="Organization" lookup={organizations} {...of('organization')} />
          <TypedFilter label="Playbook" {...of('playbook')} />
          <TypedFilter label="Alert" {...of('alert')} />
          <TypedFilter label="Case" {...of('case')} />
          <TypedFilter label="Code of the error" {...of('error')} />
          <TimeFilter range={filters} onChange={choose} />
          <SavedMenu view="runs" />
        </Group>
      }
      empty="No run fits, or no playbook has run yet."
    />
  )
}

/** What all failed runs that are listed have in common; undefined where no request says just that. */
function filterOf({ status, playbook, error, sort: _, ...others }: Partial<Record<FilterName, string>>) {
  if (status !== 'failed' || playbook === undefined || Object.keys(others).length > 0) return undefined
  return { playbook, ...(error !== undefined && { error }) }
}

interface RetryButtonProps {
  readonly chosen: ReadonlySet<string>
  readonly filter: ReturnType<typeof filterOf>
  readonly onDone: () => void
}

/** Retries the runs that were chosen; where none were, all failed ones of the playbook that is listed which nothing has gone on from. */
function RetryButton({ chosen, filter, onDone }: RetryButtonProps) {
  const [opened, { open, close }] = useDisclosure()
  const some: RetryChoice = { runs: [...chosen].slice(0, maxRetries) }
  const choice = chosen.size > 0 ? some : filter && { filter }
  if (choice === undefined) return null
  const what =
    chosen.size === 0 ? `all failed of ${filter?.playbook}` : `${Math.min(chosen.size, maxRetries)} chosen`
  return (
    <>
      <Button size="xs" onClick={open}>
        Retry {what} …
      </Button>
      <RetryMany
        choice={choice}
        opened={opened}
        onClose={close}
        onDone={() => {
          close()
          onDone()
        }}
      />
    </>
  )
}
