import { Button, MultiSelect, Select, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { apiCall } from '../api/call.ts'
import { useOrganizations } from '../api/lookups.ts'
import type { Role } from '../../../core/domain/api-key.ts'
import { useUnsavedInput, handleSubmit } from '../forms/form-state.ts'
import { useFilters } from '../lists/use-filters.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorAlert } from '../parts/feedback.tsx'
import { useSession } from '../session/session.ts'
import { AddressesField, EndField, endOf, OwnerField, ShownOnce, type MadeKey } from './key-fields.tsx'

const roles: readonly { readonly value: Role; readonly label: string }[] = [
  { value: 'intake', label: 'intake: posts alerts' },
  { value: 'reader', label: 'reader: reads everything except keys' },
  { value: 'analyst', label: 'analyst: reads, answers, retries' },
  { value: 'responder', label: 'responder: works on cases, answers' },
  { value: 'author', label: 'author: publishes playbooks, e.g. from CI' },
  { value: 'connection_admin', label: 'connection_admin: manages connections' },
  { value: 'admin', label: 'admin: everything' },
]

const names = ['new'] as const

interface Typed {
  readonly name: string
  readonly role: Role
  readonly codes: string[]
  /** See `EndField`. */
  readonly end: string
  readonly owner: string
  readonly addresses: string[]
}

const nothing: Typed = { name: '', role: 'intake', codes: [], end: '', owner: '', addresses: [] }

const textOf = ({ name }: Typed): string => name.trim()

/** Creates an API key and shows its value once. */
export function NewKey() {
  const queries = useQueryClient()
  const { filters, set } = useFilters(names)
  const { organization_codes: ownCodes } = useSession()
  const [typed, setTyped, forget] = useUnsavedInput({ place: 'New key', empty: nothing, textOf })
  const { name, role, codes, end, owner, addresses } = typed
  const make = useMutation({
    mutationFn: () =>
      apiCall<MadeKey>('POST', '/keys', {
        body: {
          name: name.trim(),
          role,
          // A key reaches no further than its creator.
          organization_codes: codes.length > 0 ? codes : ownCodes,
          ...endOf(end),
          ...(owner !== '' && { owner }),
          ...(addresses.length > 0 && { allowed_addresses: addresses }),
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
      <Dialog
        opened={filters.new !== undefined}
        onClose={finish}
        title="New key"
        closeOnClickOutside={!make.isSuccess}
        closeOnEscape={!make.isSuccess}
        withCloseButton={!make.isSuccess}
      >
        {make.isSuccess ? (
          <ShownOnce value={make.data.key ?? ''} expiresAt={make.data.expires_at} onDone={finish} />
        ) : (
          <KeyForm
            typed={typed}
            onType={(part) => setTyped((now) => ({ ...now, ...part }))}
            isPending={make.isPending}
            error={make.error}
            onSubmit={() => make.mutate()}
          />
        )}
      </Dialog>
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
  typed: { name, role, codes, end, owner, addresses },
  onType: type,
  isPending,
  error,
  onSubmit,
}: KeyFormProps) {
  const organizations = useOrganizations()
  const { organization_codes: ownCodes, account_uuid: account } = useSession()
  const isKey = account === null
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
        <EndField
          label="Ends"
          unset={role === 'intake' ? 'Default: never' : 'Default of the server'}
          value={end}
          onChange={(next) => type({ end: next })}
        />
        <OwnerField
          unset={role === 'intake' || isKey ? 'Default: nobody' : 'Default: you'}
          value={owner}
          onChange={(next) => type({ owner: next })}
        />
        <AddressesField value={addresses} onChange={(next) => type({ addresses: next })} />
        {error !== null && <ErrorAlert error={error} />}
        <Button type="submit" loading={isPending} disabled={name.trim() === ''}>
          Create key
        </Button>
      </Stack>
    </form>
  )
}
