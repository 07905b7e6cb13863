import { Button, Group, MultiSelect, Select, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { apiCall } from '../api/call.ts'
import { useOrganizations } from '../api/lookups.ts'
import type { ApiAccount, ApiRole } from '../api/types.ts'
import { handleSubmit, useUnsavedInput } from '../forms/form-state.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorAlert } from '../parts/feedback.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { Command } from '../parts/text-view.tsx'
import { useSession } from '../session/session.ts'
import { useGivableRoles } from './use-roles.ts'

export interface MadeLink {
  readonly invitation_url: string | null
}

interface RoleLine {
  readonly role: string
  /** Empty: all organizations. */
  readonly codes: string[]
}

/** Each role with its organizations. */
function linesOf({ roles }: Pick<ApiAccount, 'roles'>): readonly RoleLine[] {
  const byRole = Map.groupBy(
    roles,
    ({ role, organization_code: code }) => `${role} ${code === null ? 'all' : 'some'}`,
  )
  return [...byRole.values()].map((same) => ({
    role: same[0]?.role ?? 'reader',
    codes: same.flatMap(({ organization_code: code }) => code ?? []),
  }))
}

interface GivenRole {
  readonly role: string
  readonly organization_code: string | null
}

/** Without organizations: all of the session. */
const bodyOf = (lines: readonly RoleLine[], ownCodes: readonly string[] | null): readonly GivenRole[] =>
  lines.flatMap(({ role, codes }) => {
    const chosen: readonly (string | null)[] = codes.length > 0 ? codes : (ownCodes ?? [null])
    return chosen.map((code) => ({ role, organization_code: code }))
  })

interface RoleFieldsProps {
  readonly lines: readonly RoleLine[]
  readonly onChange: (lines: readonly RoleLine[]) => void
}

/** The choices of a role, with the chosen one even if it is not among them. */
function choicesOf(roles: readonly ApiRole[], chosen: string) {
  const choices = roles.map(({ name, description, organization_code: code }) => ({
    value: name,
    label: showInvisible(`${name}${code === null ? '' : ` (only ${code})`}: ${description}`),
  }))
  return choices.some(({ value }) => value === chosen)
    ? choices
    : [...choices, { value: chosen, label: chosen }]
}

/** Roles, each with its organizations. */
function RoleFields({ lines, onChange }: RoleFieldsProps) {
  const organizations = useOrganizations()
  const roles = useGivableRoles()
  const { organization_codes: ownCodes } = useSession()
  const chooseRole = (at: number, role: string): void => {
    const only = roles.find(({ name }) => name === role)?.organization_code ?? null
    edit(at, { role, ...(only !== null && { codes: [only] }) })
  }
  const edit = (at: number, part: Partial<RoleLine>) =>
    onChange(lines.map((line, index) => (index === at ? { ...line, ...part } : line)))
  return (
    <Stack>
      {lines.map(({ role, codes }, at) => (
        <Stack key={at} gap="xs">
          <Select
            label="Role"
            data={choicesOf(roles, role)}
            value={role}
            onChange={(value) => value !== null && chooseRole(at, value)}
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
            onChange={(next) => edit(at, { codes: next })}
            clearable
          />
          {lines.length > 1 && (
            <Button
              size="compact-xs"
              variant="subtle"
              style={{ alignSelf: 'flex-start' }}
              onClick={() => onChange(lines.filter((_, index) => index !== at))}
            >
              Remove role
            </Button>
          )}
        </Stack>
      ))}
      <Button
        size="compact-sm"
        variant="default"
        style={{ alignSelf: 'flex-start' }}
        onClick={() => onChange([...lines, { role: 'reader', codes: [] }])}
      >
        Add another role
      </Button>
    </Stack>
  )
}

interface Typed {
  readonly name: string
  readonly email: string
  readonly lines: readonly RoleLine[]
}

const nothing: Typed = { name: '', email: '', lines: [{ role: 'analyst', codes: [] }] }
const textOf = ({ name, email }: Typed): string => `${name} ${email}`.trim()

/** Invites a person, and shows the link once. */
export function InvitePerson() {
  const queries = useQueryClient()
  const [opened, setOpened] = useState(false)
  const { organization_codes: ownCodes } = useSession()
  const [typed, setTyped, forget] = useUnsavedInput({ place: 'New person', empty: nothing, textOf })
  const { name, email, lines } = typed
  const type = (part: Partial<Typed>): void => setTyped((now) => ({ ...now, ...part }))
  const invite = useMutation({
    mutationFn: () =>
      apiCall<MadeLink>('POST', '/accounts', {
        body: { name: name.trim(), email: email.trim(), roles: bodyOf(lines, ownCodes) },
      }),
    onSuccess() {
      forget()
      return queries.resetQueries({ queryKey: ['list', '/accounts'] })
    },
  })
  const finish = (): void => {
    setOpened(false)
    invite.reset()
  }
  return (
    <>
      <Button size="xs" onClick={() => setOpened(true)}>
        Invite person
      </Button>
      <Dialog
        opened={opened}
        onClose={finish}
        title="Invite person"
        closeOnClickOutside={!invite.isSuccess}
        closeOnEscape={!invite.isSuccess}
        withCloseButton={!invite.isSuccess}
      >
        {invite.isSuccess ? (
          <ShownLink link={invite.data} onDone={finish} />
        ) : (
          <form onSubmit={handleSubmit(() => invite.mutate())}>
            <Stack>
              <TextInput
                label="Name"
                value={name}
                onChange={(event) => type({ name: event.currentTarget.value })}
                required
                data-autofocus
              />
              <TextInput
                label="E-mail address"
                type="email"
                value={email}
                onChange={(event) => type({ email: event.currentTarget.value })}
                required
              />
              <RoleFields lines={lines} onChange={(next) => type({ lines: next })} />
              {invite.isError && <ErrorAlert error={invite.error} />}
              <Button
                type="submit"
                loading={invite.isPending}
                disabled={name.trim() === '' || email.trim() === ''}
              >
                Create invitation
              </Button>
            </Stack>
          </form>
        )}
      </Dialog>
    </>
  )
}

/** A link with which a person sets a password. Only its hash is stored. */
export function ShownLink({ link, onDone }: { readonly link: MadeLink; readonly onDone: () => void }) {
  return (
    <Stack>
      <Text size="sm">
        Send this link to the person. It works once, for 72 hours, and is not shown again. Anyone who has it
        can set the password.
      </Text>
      <Command text={link.invitation_url ?? ''} label="Invitation link" />
      <Group justify="flex-end">
        <Button onClick={onDone}>Done</Button>
      </Group>
    </Stack>
  )
}

/** Changes the roles of a person. */
export function EditRoles({
  account,
  onClose,
}: {
  readonly account: ApiAccount
  readonly onClose: () => void
}) {
  const queries = useQueryClient()
  const { organization_codes: ownCodes } = useSession()
  const [lines, setLines] = useState(() => linesOf(account))
  const save = useMutation({
    mutationFn: () =>
      apiCall('PATCH', `/accounts/${account.account_uuid}`, {
        body: { roles: bodyOf(lines, ownCodes) },
        headers: { 'if-match': `"${account.revision}"` },
      }),
    onSuccess() {
      void queries.resetQueries({ queryKey: ['list', '/accounts'] })
      onClose()
    },
  })
  return (
    <Dialog opened onClose={onClose} title={`Roles of ${showInvisible(account.name)}`}>
      <form onSubmit={handleSubmit(() => save.mutate())}>
        <Stack>
          <RoleFields lines={lines} onChange={setLines} />
          {save.isError && <ErrorAlert error={save.error} />}
          <Button type="submit" loading={save.isPending}>
            Save roles
          </Button>
        </Stack>
      </form>
    </Dialog>
  )
}
