import { Group, Select, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { get } from '../../api/call.ts'
import { problemOf } from '../../api/problem.ts'
import type { Alert, Page } from '../../api/types.ts'
import { showInvisible } from '../../parts/json/show-invisible.ts'
import { Time } from '../../parts/time/times.tsx'
import type { StartedOn } from '../playbook.ts'

interface AlertChoiceProps {
  readonly organization: string
  /** Which alerts start the playbook. */
  readonly trigger: NonNullable<StartedOn['alert']>
  readonly chosen: ChosenAlert | null
  readonly onChange: (alert: ChosenAlert | null) => void
}

export interface ChosenAlert {
  /** Its uuid. */
  readonly value: string
  /** Its id. */
  readonly label: string
}

/** Whoever types an id means that alert, of whatever type it is. */
const isId = (text: string): boolean => /^\w+-\w+-\d+$|^[\da-f]{8}-[\da-f-]{27}$/i.test(text)

/** A past alert: the newest that fit, or what is searched for. */
export function AlertChoice({ organization, trigger, chosen, onChange }: AlertChoiceProps) {
  const [typed, setTyped] = useState('')
  const [words] = useDebouncedValue(typed.trim(), 250)
  const query = {
    organization,
    limit: 20,
    content: 'preview',
    q: words,
    ...(!isId(words) && { type: trigger.type, provider: trigger.provider ?? undefined }),
  }
  const found = useQuery({
    queryKey: ['alerts to try', query],
    queryFn: ({ signal }) => get<Page<Alert>>('/alerts', query, signal),
    placeholderData: keepPreviousData,
  })
  const alerts = found.data?.data ?? []
  return (
    <Select
      label="Alert"
      description={`The newest of type ${trigger.type}; enter text or an id to find another`}
      placeholder={found.isPending ? 'Loading' : 'Choose an alert'}
      data={alerts.map(({ alert_uuid: uuid, alert_id: id }) => ({ value: uuid, label: id.toUpperCase() }))}
      value={chosen?.value ?? null}
      onChange={(_, option) => onChange(option)}
      error={found.isError && `Search failed: ${problemOf(found.error).title}`}
      searchable
      onSearchChange={setTyped}
      // The API has searched.
      filter={({ options }) => options}
      nothingFoundMessage={nothingFound(found, trigger.type)}
      maxDropdownHeight={280}
      renderOption={({ option }) => (
        <AlertLine alert={alerts.find((each) => each.alert_uuid === option.value)} />
      )}
    />
  )
}

function nothingFound(
  { isFetching, isError }: { isFetching: boolean; isError: boolean },
  type: string,
): string {
  if (isFetching) return 'Searching …'
  return isError ? 'Search failed' : `No matching alerts of type ${type}`
}

function AlertLine({ alert }: { readonly alert: Alert | undefined }) {
  if (alert === undefined) return null
  return (
    <div>
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {alert.alert_id.toUpperCase()}
        </Text>
        <Text size="xs" c="dimmed">
          {alert.alert_type} · <Time at={alert.created_at} />
        </Text>
      </Group>
      <Text size="xs" c="dimmed" lineClamp={1} className="outside-text">
        {showInvisible(alert.content_preview ?? '')}
      </Text>
    </div>
  )
}
