import { Button, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { problemOf } from '../api/problem.ts'
import { fieldErrors } from '../forms/form-fields.ts'
import { FormRefusal } from '../forms/form-refusal.tsx'
import { useTyped } from '../forms/typed.ts'
import { useOnce } from '../forms/use-once.ts'
import type { Coded, CodedKind } from './coded.ts'
import { useCodedChanged } from './use-coded-changed.ts'

/** Makes an organization or a provider. */
export function NewCoded({ kind }: { readonly kind: CodedKind }) {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button size="xs" onClick={open}>
        New {kind.one}
      </Button>
      <Modal opened={opened} onClose={close} title={`New ${kind.one}`}>
        <NewForm kind={kind} onDone={close} />
      </Modal>
    </>
  )
}

interface NewFormProps {
  readonly kind: CodedKind
  readonly onDone: () => void
}

const nothing = { code: '', name: '' }

const textOf = ({ code, name }: typeof nothing): string => `${code} ${name}`.trim()

function NewForm({ kind, onDone }: NewFormProps) {
  const changed = useCodedChanged(kind)
  const once = useOnce()
  const [{ code, name }, setTyped, forget] = useTyped({ place: `New ${kind.one}`, empty: nothing, textOf })
  const make = useMutation({
    mutationFn() {
      const body = { code: code.trim(), name: name.trim() }
      return call<Coded>('POST', kind.path, { body, headers: once.headersFor(body) })
    },
    onSuccess() {
      forget()
      changed()
      onDone()
    },
  })
  const errors = fieldErrors(make.isError ? problemOf(make.error).errors : undefined, '')
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        make.mutate()
      }}
    >
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
        {make.isError && <FormRefusal error={make.error} shown={errors.size} />}
        <Button type="submit" loading={make.isPending} disabled={code.trim() === '' || name.trim() === ''}>
          Create {kind.one}
        </Button>
      </Stack>
    </form>
  )
}
