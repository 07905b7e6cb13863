import { Button, Checkbox, Select, Stack, Table, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { apiAll, apiCall, apiGet } from '../api/call.ts'
import type { ApiNotificationChoices, DirectoryEntry } from '../api/types.ts'
import { ErrorAlert } from '../parts/feedback.tsx'
import { isAllowed } from './unread.ts'

type Choice = ApiNotificationChoices['choices'][number]
type Kind = ApiNotificationChoices['kinds'][number]

const path = '/notifications/choices'

/** What the person wants to be told, in all organizations or in one. */
export function Choices() {
  const queries = useQueryClient()
  const [code, setCode] = useState<string | null>(null)
  const chosen = useQuery({
    queryKey: ['notification-choices'],
    queryFn: () => apiGet<ApiNotificationChoices>(path),
  })
  const organizations = useQuery({
    queryKey: ['/organizations', 'all'],
    queryFn: () => apiAll<DirectoryEntry>('/organizations'),
  })
  const save = useMutation({
    // One after the other, so that the last one counts.
    scope: { id: path },
    mutationFn: (choices: readonly Choice[]) =>
      apiCall<ApiNotificationChoices>('PUT', path, { body: { choices } }),
    onSuccess(saved) {
      queries.setQueryData(['notification-choices'], saved)
      void queries.invalidateQueries({ queryKey: ['notifications'] })
    },
  })
  if (chosen.isError) return <ErrorAlert error={chosen.error} onRetry={() => void chosen.refetch()} />
  if (chosen.data === undefined) return null
  const { kinds } = chosen.data
  const choices = save.isPending ? save.variables : chosen.data.choices
  const change = (choice: Choice) => {
    const others = choices.filter(
      (each) => each.kind !== choice.kind || each.organization_code !== choice.organization_code,
    )
    save.mutate([...others, choice])
  }
  return (
    <Stack gap="sm">
      <BrowserPermission />
      {save.isError && <ErrorAlert error={save.error} />}
      {(organizations.data?.length ?? 0) > 1 && (
        <Select
          label="Organization"
          data={[
            { value: '', label: 'All organizations' },
            ...(organizations.data ?? []).map(({ code: value, name }) => ({ value, label: name })),
          ]}
          value={code ?? ''}
          onChange={(value) => setCode(value === '' ? null : value)}
          allowDeselect={false}
        />
      )}
      <Table verticalSpacing={6} aria-label="What to tell me">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Tell me when</Table.Th>
            <Table.Th w={60}>Page</Table.Th>
            <Table.Th w={70}>Browser</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {kinds.map((kind) => (
            <ChoiceRow key={kind.kind} kind={kind} choice={choiceOf(choices, kind, code)} onChange={change} />
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  )
}

function choiceOf(choices: readonly Choice[], { kind, page, browser }: Kind, code: string | null): Choice {
  const ofKind = choices.filter((each) => each.kind === kind)
  const found =
    ofKind.find(({ organization_code: of }) => of === code) ??
    ofKind.find(({ organization_code: of }) => of === null)
  return { kind, page, browser, ...found, organization_code: code }
}

interface ChoiceRowProps {
  readonly kind: Kind
  readonly choice: Choice
  readonly onChange: (choice: Choice) => void
}

function ChoiceRow({ kind: { title }, choice, onChange }: ChoiceRowProps) {
  return (
    <Table.Tr>
      <Table.Td>{title}</Table.Td>
      <Table.Td>
        <Checkbox
          aria-label={`${title}: in the page`}
          checked={choice.page}
          onChange={(event) => onChange({ ...choice, page: event.currentTarget.checked })}
        />
      </Table.Td>
      <Table.Td>
        <Checkbox
          aria-label={`${title}: by the browser`}
          checked={choice.page && choice.browser}
          disabled={!choice.page}
          onChange={(event) => onChange({ ...choice, browser: event.currentTarget.checked })}
        />
      </Table.Td>
    </Table.Tr>
  )
}

/** Asks for the permission of the browser, on a click only. */
function BrowserPermission() {
  const [permission, setPermission] = useState(() =>
    'Notification' in window ? Notification.permission : 'denied',
  )
  if (isAllowed())
    return <Text size="sm">The browser shows notifications while this page is in the background.</Text>
  if (permission === 'denied')
    return (
      <Text size="sm">
        The browser does not allow notifications of this page. Its settings can change that.
      </Text>
    )
  return (
    <Button
      variant="default"
      onClick={() => void Notification.requestPermission().then((given) => setPermission(given))}
    >
      Allow browser notifications
    </Button>
  )
}
