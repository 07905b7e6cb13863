import type { DirectoryEntry } from '../api/types.ts'
import { Button, Stack, Text, TextInput, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { apiCall } from '../api/call.ts'
import { apiProblem } from '../api/problem.ts'
import { fieldErrors } from '../forms/form-fields.ts'
import { FormError } from '../forms/schema-form.tsx'
import { useUnsavedInput, useIdempotencyKey, handleSubmit } from '../forms/form-state.ts'
import { Dialog } from '../parts/dialog.tsx'

/** Creates an organization or a provider. */
export function NewEntry({ kind }: { readonly kind: DirectoryKind }) {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button size="xs" onClick={open}>
        New {kind.one}
      </Button>
      <Dialog opened={opened} onClose={close} title={`New ${kind.one}`}>
        <NewForm kind={kind} onDone={close} />
      </Dialog>
    </>
  )
}

interface NewFormProps {
  readonly kind: DirectoryKind
  readonly onDone: () => void
}

const nothing = { code: '', name: '' }

const textOf = ({ code, name }: typeof nothing): string => `${code} ${name}`.trim()

function NewForm({ kind, onDone }: NewFormProps) {
  const changed = useCodedChanged(kind)
  const once = useIdempotencyKey()
  const [{ code, name }, setTyped, forget] = useUnsavedInput({
    place: `New ${kind.one}`,
    empty: nothing,
    textOf,
  })
  const make = useMutation({
    mutationFn() {
      const body = { code: code.trim(), name: name.trim() }
      return apiCall<DirectoryEntry>('POST', kind.path, { body, headers: once.headersFor(body) })
    },
    onSuccess() {
      forget()
      changed()
      onDone()
    },
  })
  const errors = fieldErrors(make.isError ? apiProblem(make.error).errors : undefined, '')
  return (
    <form noValidate onSubmit={handleSubmit(() => make.mutate())}>
      <Stack>
        <Text size="sm">{kind.about}</Text>
        <TextInput
          label="Code"
          description="Letters, digits and _. You cannot change it later: alert ids start with it."
          placeholder={kind.example.code}
          value={code}
          onChange={(event) => setTyped({ code: event.currentTarget.value, name })}
          error={errors.get('code')}
          autoComplete="off"
          spellCheck={false}
          withAsterisk
          data-autofocus
        />
        <TextInput
          label="Name"
          description="Shown to people. You can change it later."
          placeholder={kind.example.name}
          value={name}
          onChange={(event) => setTyped({ code, name: event.currentTarget.value })}
          error={errors.get('name')}
          withAsterisk
        />
        {make.isError && <FormError error={make.error} shown={errors.size} />}
        <Button type="submit" loading={make.isPending} disabled={code.trim() === '' || name.trim() === ''}>
          Create {kind.one}
        </Button>
      </Stack>
    </form>
  )
}

interface RenameCodedProps {
  readonly kind: DirectoryKind
  /** The entry before the edit, to detect conflicts. */
  readonly before: DirectoryEntry
  readonly onClose: () => void
}

/** Renames an organization or a provider. The code stays. */
export function RenameEntry({ kind, before, onClose }: RenameCodedProps) {
  const changed = useCodedChanged(kind)
  const [name, setName] = useState(before.name)
  const rename = useMutation({
    mutationFn: () =>
      apiCall<DirectoryEntry>('PATCH', `${kind.path}/${encodeURIComponent(before.code)}`, {
        body: { name: name.trim() },
        headers: { 'if-match': `"${before.revision}"` },
      }),
    onSuccess: onClose,
    onSettled: changed,
  })
  const errors = fieldErrors(rename.isError ? apiProblem(rename.error).errors : undefined, '')
  return (
    <Dialog opened onClose={onClose} title={`Rename ${before.code}`}>
      <form noValidate onSubmit={handleSubmit(() => rename.mutate())}>
        <Stack>
          <TextInput
            label="Name"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errors.get('name')}
            data-autofocus
          />
          {rename.isError && <FormError error={rename.error} shown={errors.size} />}
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
    </Dialog>
  )
}

/** Organizations or providers, in the API and in texts. */
export interface DirectoryKind {
  readonly path: '/organizations' | '/providers'
  readonly title: string
  /** Singular. */
  readonly one: string
  /** The purpose of an entry. */
  readonly about: string
  readonly example: { readonly code: string; readonly name: string }
  /** The filter of the list of alerts. */
  readonly filter: 'organization' | 'provider'
}

export const organizations: DirectoryKind = {
  path: '/organizations',
  title: 'Organizations',
  one: 'organization',
  about: 'An organization has its own alerts, cases and connections, separate from all others.',
  example: { code: 'initech', name: 'Initech' },
  filter: 'organization',
}

export const providers: DirectoryKind = {
  path: '/providers',
  title: 'Providers',
  one: 'provider',
  about: 'A provider sends alerts. All organizations share the list.',
  example: { code: 'mail_gateway', name: 'Mail gateway' },
  filter: 'provider',
}

/** Reloads the list and all fields that offer entries. */
function useCodedChanged({ path }: DirectoryKind): () => void {
  const queries = useQueryClient()
  return () => {
    void queries.resetQueries({ queryKey: ['list', path] })
    void queries.invalidateQueries({ queryKey: [path] })
  }
}
