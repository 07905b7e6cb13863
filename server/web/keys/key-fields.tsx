import { Button, Group, Select, Stack, TagsInput, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { apiAll } from '../api/call.ts'
import type { ApiAccount, ListedKey } from '../api/types.ts'
import { showInvisible } from '../parts/outside-text.ts'
import { StateBadge } from '../parts/states.tsx'
import { serverTime } from '../parts/time.ts'
import { DateTime } from '../parts/times.tsx'
import { Command } from '../parts/text-view.tsx'
import { isEndingSoon, keyState } from './key.ts'
import { useMay } from '../session/session.ts'

const dayMs = 86_400_000

/** The state of a key at a time. */
export function KeyStateBadge({ apiKey, now }: { readonly apiKey: ListedKey; readonly now: number }) {
  if (isEndingSoon(apiKey, now)) return <StateBadge text="Ends soon" color="orange" />
  const state = keyState(apiKey, now)
  return <StateBadge text={state} color={state === 'Active' ? 'green' : 'gray'} />
}

interface EndFieldProps {
  readonly label: string
  /** The choice without a value: what happens if nothing is chosen. */
  readonly unset: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** When a key ends: a number of days, or `never`; empty: not chosen. */
export function EndField({ label, unset, value, onChange }: EndFieldProps) {
  return (
    <Select
      label={label}
      data={[
        { value: '', label: unset },
        { value: '30', label: 'In 30 days' },
        { value: '90', label: 'In 90 days' },
        { value: '365', label: 'In a year' },
        { value: '730', label: 'In two years' },
        { value: 'never', label: 'Never' },
      ]}
      value={value}
      onChange={(next) => onChange(next ?? '')}
      allowDeselect={false}
    />
  )
}

/** For the body of a request. */
export const endOf = (value: string) =>
  value === '' ? {} : { expires_at: value === 'never' ? null : serverTime() + Number(value) * dayMs }

interface OwnerFieldProps {
  /** Uuid of an account; empty: the default. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** The choice without a person. */
  readonly unset: string
  /** The owner so far, who may not be in the list. */
  readonly known?: { readonly uuid: string; readonly name: string } | undefined
}

/** The person who answers for a key. */
export function OwnerField({ value, onChange, unset, known }: OwnerFieldProps) {
  const mayList = useMay('people:read')
  const { data: people = [] } = useQuery({
    queryKey: ['accounts', 'all'],
    queryFn: () => apiAll<ApiAccount>('/accounts'),
    enabled: mayList,
  })
  const active = people.filter(({ state }) => state !== 'disabled')
  const others =
    known !== undefined && !active.some(({ account_uuid: uuid }) => uuid === known.uuid) ? [known] : []
  return (
    <Select
      label="Owner"
      description="The person who answers for the key. It is refused while the account is disabled."
      searchable
      data={[
        { value: '', label: unset },
        ...active.map(({ account_uuid: uuid, name, email }) => ({
          value: uuid,
          label: showInvisible(`${name} (${email})`),
        })),
        ...others.map(({ uuid, name }) => ({ value: uuid, label: showInvisible(name) })),
      ]}
      value={value}
      onChange={(next) => onChange(next ?? '')}
      allowDeselect={false}
    />
  )
}

interface AddressesFieldProps {
  readonly value: string[]
  readonly onChange: (value: string[]) => void
}

/** From where a key is accepted. */
export function AddressesField({ value, onChange }: AddressesFieldProps) {
  return (
    <TagsInput
      label="Allowed addresses"
      description="Addresses and ranges, such as 10.1.0.0/16. Leave blank for all."
      value={value}
      onChange={onChange}
      splitChars={[',', ' ']}
      acceptValueOnBlur
      clearable
    />
  )
}

interface ShownOnceProps {
  readonly value: string
  readonly expiresAt: number | null
  readonly onDone: () => void
}

/** The value of a key. The server does not store it. */
export function ShownOnce({ value, expiresAt, onDone }: ShownOnceProps) {
  return (
    <Stack>
      <Text size="sm">Copy the key now: it is not shown again.</Text>
      <Command text={value} label="API key" />
      <Text size="sm">
        {expiresAt === null ? (
          'It never ends.'
        ) : (
          <>
            It ends on <DateTime at={expiresAt} />.
          </>
        )}
      </Text>
      <Group justify="flex-end">
        <Button onClick={onDone}>Done</Button>
      </Group>
    </Stack>
  )
}

export interface MadeKey {
  readonly key: string | null
  readonly expires_at: number | null
}
