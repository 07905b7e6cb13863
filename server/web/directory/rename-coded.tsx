import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { problemOf } from '../api/problem.ts'
import { fieldErrors } from '../forms/form-fields.ts'
import { FormRefusal } from '../forms/form-refusal.tsx'
import type { Coded, CodedKind } from './coded.ts'
import { useCodedChanged } from './use-coded-changed.ts'

interface RenameCodedProps {
  readonly kind: CodedKind
  /** As it was when somebody began: what another has named it since is not overwritten. */
  readonly before: Coded
  readonly onClose: () => void
}

/** Gives an organization or a provider another name; its code stays. */
export function RenameCoded({ kind, before, onClose }: RenameCodedProps) {
  const changed = useCodedChanged(kind)
  const [name, setName] = useState(before.name)
  const rename = useMutation({
    mutationFn: () =>
      call<Coded>('PATCH', `${kind.path}/${encodeURIComponent(before.code)}`, {
        body: { name: name.trim() },
        headers: { 'if-match': `"${before.revision}"` },
      }),
    onSuccess: onClose,
    onSettled: changed,
  })
  const errors = fieldErrors(rename.isError ? problemOf(rename.error).errors : undefined, '')
  return (
    <Modal opened onClose={onClose} title={`Rename ${before.code}`}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          rename.mutate()
        }}
      >
        <Stack>
          <TextInput
            label="Name"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errors.get('name')}
            data-autofocus
          />
          {rename.isError && <FormRefusal error={rename.error} shown={errors.size} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Back
            </Button>
            <Button
              type="submit"
              loading={rename.isPending}
              disabled={name.trim() === '' || name.trim() === before.name}
            >
              Rename
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
