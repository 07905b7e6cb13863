import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { apiCall } from '../api/call.ts'
import type { ApiMe } from '../api/types.ts'
import { handleSubmit } from '../forms/form-state.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ConfirmButton } from '../parts/feedback.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { SmallTable } from '../parts/small-table.tsx'
import { TableTime } from '../parts/times.tsx'
import { useSignInMethods } from '../session/single-sign-on.tsx'
import { ChangeError } from './change-error.tsx'

type Ways = NonNullable<ApiMe['sign_in']>
type Passkey = Ways['passkeys'][number]

/** Lists, adds, renames and removes passkeys. */
export function Passkeys({ ways: { passkeys } }: { readonly ways: Ways }) {
  const [isAdding, setIsAdding] = useState(false)
  const canUse = useSignInMethods()?.passkeys === true
  if (!canUse && passkeys.length === 0) return null
  return (
    <SmallTable
      title="Passkeys"
      count={passkeys.length}
      rows={passkeys}
      idOf={(each) => each.passkey_uuid}
      empty="A passkey signs you in with fingerprint, face or PIN, without password and code."
      actions={
        canUse && (
          <Button size="xs" variant="default" onClick={() => setIsAdding(true)}>
            Add passkey
          </Button>
        )
      }
      columns={[
        { title: 'Name', cell: ({ name }) => <span className="outside-text">{showInvisible(name)}</span> },
        { title: 'Synced', cell: (each) => (each.is_backed_up ? 'yes' : 'no') },
        { title: 'Added', cell: (each) => <TableTime at={each.created_at} /> },
        {
          title: 'Last used',
          cell: ({ last_used_at: at }) => (at === null ? 'never' : <TableTime at={at} />),
        },
        { title: 'Actions', cell: (passkey) => <Actions passkey={passkey} />, isNarrow: true },
      ]}
    >
      {isAdding && (
        <NameDialog
          title="Add passkey"
          action="Continue"
          name=""
          save={async (name) => (await import('../session/browser-passkeys.ts')).addPasskey(name)}
          onClose={() => setIsAdding(false)}
        />
      )}
    </SmallTable>
  )
}

function Actions({ passkey }: { readonly passkey: Passkey }) {
  const queries = useQueryClient()
  const [isRenaming, setIsRenaming] = useState(false)
  const path = `/me/passkeys/${passkey.passkey_uuid}`
  const remove = useMutation({
    mutationFn: () => apiCall<ApiMe>('DELETE', path),
    onSuccess: (me) => queries.setQueryData(['me'], me),
  })
  return (
    <Group gap="xs" wrap="nowrap">
      <Button size="xs" variant="default" onClick={() => setIsRenaming(true)}>
        Rename
      </Button>
      <ConfirmButton text="Remove" title="Remove passkey" action="Remove passkey" mutation={remove}>
        <Text size="sm" className="outside-text">
          {showInvisible(passkey.name)} no longer signs you in. Delete it on the device too.
        </Text>
      </ConfirmButton>
      {isRenaming && (
        <NameDialog
          title="Rename passkey"
          action="Rename passkey"
          name={passkey.name}
          save={(name) => apiCall<ApiMe>('PATCH', path, { body: { name } })}
          onClose={() => setIsRenaming(false)}
        />
      )}
    </Group>
  )
}

interface NameDialogProps {
  readonly title: string
  /** Text of the button. */
  readonly action: string
  /** To begin with. */
  readonly name: string
  readonly save: (name: string) => Promise<ApiMe>
  readonly onClose: () => void
}

function NameDialog({ title, action, name: before, save, onClose }: NameDialogProps) {
  const queries = useQueryClient()
  const [name, setName] = useState(before)
  const change = useMutation({
    mutationFn: () => save(name.trim()),
    onSuccess(me) {
      queries.setQueryData(['me'], me)
      onClose()
    },
  })
  return (
    <Dialog opened onClose={onClose} title={title}>
      <form onSubmit={handleSubmit(() => change.mutate())}>
        <Stack>
          <TextInput
            label="Name of the passkey"
            description="To tell your passkeys apart, e.g. Laptop."
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            maxLength={100}
            data-autofocus
            required
          />
          {change.isError && <ChangeError error={change.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Back
            </Button>
            <Button type="submit" loading={change.isPending} disabled={name.trim() === ''}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
