import { Button, Modal, MultiSelect, NumberInput, Select, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { useOrganizations } from '../api/lookups.ts'
import type { Role } from '../api/types.ts'
import { useTyped } from '../forms/typed.ts'
import { useFilters } from '../lists/filters/use-filters.ts'
import { serverTime } from '../parts/time/now.ts'
import { Refusal } from '../parts/states/refusal.tsx'
import { useSession } from '../session/session.ts'
import { ShownOnce } from './shown-once.tsx'

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

/** Makes an API key, and shows its value once. */
export function NewKey() {
  const queries = useQueryClient()
  const { filters, set } = useFilters(names)
  const opened = filters.new !== undefined
  const organizations = useOrganizations()
  const { organization_codes: ownCodes } = useSession()
  const [typed, setTyped, forget] = useTyped({ place: 'New key', empty: nothing, textOf })
  const { name, role, codes, days } = typed
  const type = (part: Partial<Typed>): void => setTyped((now) => ({ ...now, ...part }))
  const make = useMutation({
    mutationFn: () =>
      call<{ readonly key: string | null }>('POST', '/keys', {
        body: {
          name: name.trim(),
          role,
          // No key reaches further than the one that makes it.
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
        opened={opened}
        onClose={finish}
        title="New key"
        closeOnClickOutside={!make.isSuccess}
        closeOnEscape={!make.isSuccess}
        withCloseButton={!make.isSuccess}
      >
        {make.isSuccess ? (
          <ShownOnce value={make.data.key ?? ''} onDone={finish} />
        ) : (
          <form
            onSubmit={(event) => {
              event.preventDefault()
              make.mutate()
            }}
          >
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
              {make.isError && <Refusal error={make.error} />}
              <Button type="submit" loading={make.isPending} disabled={name.trim() === ''}>
                Create key
              </Button>
            </Stack>
          </form>
        )}
      </Modal>
    </>
  )
}
