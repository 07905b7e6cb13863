import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { PlayIcon } from '@radix-ui/react-icons'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useOrganizations } from '../../api/lookups.ts'
import type { Run } from '../../api/types.ts'
import { ChoiceFilter, LookupFilter, TypedFilter } from '../../lists/filters/filter-fields.tsx'
import { ListPage } from '../../lists/page/list-page.tsx'
import { SavedMenu } from '../../lists/filters/saved-menu.tsx'
import { TimeFilter, timeNames } from '../../lists/filters/time-filter.tsx'
import { useChoice } from '../../lists/table/use-choice.ts'
import { useFilters } from '../../lists/filters/use-filters.ts'
import { choicesOf, runStatuses } from '../../parts/states/states.tsx'
import { serverTime } from '../../parts/time/now.ts'
import { useMay } from '../../session/session.ts'
import { failedFilter } from './failed-filter.ts'
import type { RetryChoice } from '../retry/many-retries.ts'
import { RetryMany } from '../retry/retry-many.tsx'
import { runColumns } from './run-columns.tsx'

const idOf = (run: Run): string => run.run_uuid
const names = ['status', 'organization', 'playbook', 'alert', 'case', 'error', ...timeNames, 'sort'] as const
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
            filters={filters}
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
          <TypedFilter label="Error code" {...of('error')} />
          <TimeFilter label="Queued" range={filters} onChange={choose} />
          <SavedMenu view="runs" />
        </Group>
      }
      empty="No matching runs"
    />
  )
}

interface RetryButtonProps {
  readonly chosen: ReadonlySet<string>
  /** What is listed. */
  readonly filters: Partial<Record<(typeof names)[number], string>>
  readonly onDone: () => void
}

/** Retries the runs that were chosen; where none were, all failed ones of the playbook that is listed which nothing has gone on from. */
function RetryButton({ chosen, filters, onDone }: RetryButtonProps) {
  const [opened, { open, close }] = useDisclosure()
  // As it was when it was asked for: what is looked at stays.
  const [looked, look] = useState<RetryChoice>()
  const count = Math.min(chosen.size, maxRetries)
  const choose = (): RetryChoice | undefined => {
    if (count > 0) return { runs: [...chosen].slice(0, maxRetries) }
    const filter = failedFilter(filters, serverTime())
    return filter && { filter }
  }
  const canRetry = choose() !== undefined
  return (
    <>
      {canRetry && (
        <Button
          size="xs"
          onClick={() => {
            look(choose())
            open()
          }}
        >
          Retry {count > 0 ? `${count} selected` : `all failed runs of ${filters.playbook}`} …
        </Button>
      )}
      {looked !== undefined && (
        <RetryMany
          choice={looked}
          opened={opened}
          onClose={close}
          onDone={() => {
            close()
            onDone()
          }}
        />
      )}
    </>
  )
}
