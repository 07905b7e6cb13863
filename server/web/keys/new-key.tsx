import { Button, Modal, MultiSelect, NumberInput, Select, Stack, TextInput, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { apiCall } from '../api/call.ts'
import { useOrganizations } from '../api/lookups.ts'
import type { Role } from '../../../core/domain/api-key.ts'
import { useUnsavedInput, handleSubmit } from '../forms/form-state.ts'
import { useFilters } from '../lists/use-filters.ts'
import { serverTime } from '../parts/time.ts'
import { ErrorAlert } from '../parts/feedback.tsx'
import { useSession } from '../session/session.ts'
import { Command } from '../parts/text-view.tsx'

const roles: readonly { readonly value: Role; readonly label: string }[] = [
  { value: 'intake', label: 'intake: posts alerts' },
  { value: 'reader', label: 'reader: reads everything except keys' },
  { value: 'analyst', label: 'analyst: reads, answers, retries' },
  { value: 'admin', label: 'admin: everything' },
]

const names = ['new'] as const

const dayMs = 86_400_000

interface Typed {
  readonly name: string
  readonly role: Role
  readonly codes: string[]
  readonly days: number | string
}

const nothing: Typed = { name: '', role: 'intake', codes: [], days: '' }

const textOf = ({ name }: Typed): string => name.trim()

/** Creates an API key and shows its value once. */
export function NewKey() {
  const queries = useQueryClient()
  const { filters, set } = useFilters(names)
  const { organization_codes: ownCodes } = useSession()
  const [typed, setTyped, forget] = useUnsavedInput({ place: 'New key', empty: nothing, textOf })
  const { name, role, codes, days } = typed
  const make = useMutation({
    mutationFn: () =>
      apiCall<{ readonly key: string | null }>('POST', '/keys', {
        body: {
          name: name.trim(),
          role,
          // A key reaches no further than its creator.
          organization_codes: codes.length > 0 ? codes : ownCodes,
          ...(typeof days === 'number' && { expires_at: serverTime() + days * dayMs }),
        },
      }),
    onSuccess() {
      forget()
      return queries.resetQueries({ queryKey: ['list', '/keys'] })
    },
  })
  const finish = (): void => {
    set('new', null)
    make.reset()
  }
  return (
    <>
      <Button size="xs" onClick={() => set('new', 'yes')}>
        New key
      </Button>
      <Modal
        opened={filters.new !== undefined}
        onClose={finish}
        title="New key"
        closeOnClickOutside={!make.isSuccess}
        closeOnEscape={!make.isSuccess}
        withCloseButton={!make.isSuccess}
      >
        {make.isSuccess ? (
          <ShownOnce value={make.data.key ?? ''} onDone={finish} />
        ) : (
          <KeyForm
            typed={typed}
            onType={(part) => setTyped((now) => ({ ...now, ...part }))}
            isPending={make.isPending}
            error={make.error}
            onSubmit={() => make.mutate()}
          />
        )}
      </Modal>
    </>
  )
}

interface KeyFormProps {
  readonly typed: Typed
  readonly onType: (part: Partial<Typed>) => void
  readonly isPending: boolean
  readonly error: unknown
  readonly onSubmit: () => void
}

function KeyForm({
  typed: { name, role, codes, days },
  onType: type,
  isPending,
  error,
  onSubmit,
}: KeyFormProps) {
  const organizations = useOrganizations()
  const { organization_codes: ownCodes } = useSession()
  return (
    <form onSubmit={handleSubmit(onSubmit)}>
      <Stack>
        <TextInput
          label="Name"
          placeholder="mail gateway"
          value={name}
          onChange={(event) => type({ name: event.currentTarget.value })}
          required
          data-autofocus
        />
        <Select
          label="Role"
          data={[...roles]}
          value={role}
          onChange={(value) => value !== null && type({ role: value })}
          allowDeselect={false}
        />
        <MultiSelect
          label="Organizations"
          description={
            ownCodes === null
              ? 'Leave blank for all, including future ones.'
              : 'Leave blank for all of yours.'
          }
          data={[...organizations.codes]}
          error={organizations.error}
          value={codes}
          onChange={(next) => type({ codes: next })}
          clearable
        />
        <NumberInput
          label="Expires after (days)"
          placeholder="never"
          value={days}
          onChange={(next) => type({ days: next })}
          min={1}
          max={3_650}
          allowDecimal={false}
        />
        {error !== null && <ErrorAlert error={error} />}
        <Button type="submit" loading={isPending} disabled={name.trim() === ''}>
          Create key
        </Button>
      </Stack>
    </form>
  )
}

/** The value of a new key. The server does not store it. */
function ShownOnce({ value, onDone }: { readonly value: string; readonly onDone: () => void }) {
  return (
    <Stack>
      <Text size="sm">Copy the key now: it is not shown again.</Text>
      <Command text={value} label="API key" />
      <Group justify="flex-end">
        <Button onClick={onDone}>Done</Button>
      </Group>
    </Stack>
  )
}
