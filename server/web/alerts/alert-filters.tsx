import { Group } from '@mantine/core'
import type { ComponentProps } from 'react'
import { useOrganizations, useProviders } from '../api/lookups.ts'
import { ChoiceFilter, LookupFilter, SearchFilter, TypedFilter } from '../lists/filters/filter-fields.tsx'
import { SavedMenu } from '../lists/filters/saved-menu.tsx'
import { TimeFilter, timeNames } from '../lists/filters/time-filter.tsx'
import type { TimeRange } from '../lists/filters/time-range.ts'
import type { useFilters } from '../lists/filters/use-filters.ts'
import { alertStatuses } from '../parts/states/states.tsx'

/** What stands in the address: query parameters of GET alerts under their own names, and `since`, a span of time up to now. */
export const filterNames = [
  'q',
  'organization',
  'provider',
  'status',
  'type',
  'case',
  ...timeNames,
  'sort',
] as const

type FilterName = (typeof filterNames)[number]

interface AlertFiltersProps {
  readonly of: ReturnType<typeof useFilters<FilterName>>['of']
  readonly times: TimeRange
  readonly onTimes: ComponentProps<typeof TimeFilter>['onChange']
}

const statuses = Object.entries(alertStatuses).map(([value, { text }]) => ({ value, label: text }))

export function AlertFilters({ of, times, onTimes }: AlertFiltersProps) {
  const organizations = useOrganizations()
  const providers = useProviders()
  return (
    <Group gap="xs">
      <SearchFilter label="Search alerts" placeholder="Search id, name, content" {...of('q')} />
      <LookupFilter label="Organization" lookup={organizations} {...of('organization')} />
      <LookupFilter label="Provider" lookup={providers} {...of('provider')} />
      <ChoiceFilter label="Status" data={statuses} {...of('status')} />
      <TypedFilter label="Alert name" {...of('type')} />
      <TypedFilter label="Case" {...of('case')} />
      <TimeFilter label="Created" range={times} onChange={onTimes} />
      <SavedMenu view="alerts" />
    </Group>
  )
}
