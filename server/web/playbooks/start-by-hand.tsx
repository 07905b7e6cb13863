import { Button, Modal, Select, Stack, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import type { Run } from '../api/types.ts'
import { typedText, useTyped } from '../forms/typed.ts'
import { useJsonText } from '../forms/use-json-text.ts'
import { useOnce } from '../forms/use-once.ts'
import { useOrganization } from '../forms/use-organization.ts'
import { Refusal } from '../parts/states/refusal.tsx'
import { useGoOn } from '../parts/use-go-on.ts'

/** Starts a playbook for an organization, with inputs. */
export function StartByHand({ name }: { readonly name: string }) {
  const goOn = useGoOn()
  const [opened, { open, close }] = useDisclosure()
  const organization = useOrganization(useState<string | null>(null))
  const [text, setText, forget] = useTyped<string | undefined>({
    place: `Inputs for ${name}`,
    empty: undefined,
    textOf: typedText,
  })
  const typed = useJsonText([text, setText])
  const once = useOnce()
  const start = useMutation({
    mutationFn(inputs: unknown) {
      const body = { organization_code: organization.code, inputs }
      const headers = once.headersFor(body)
      return call<Run>('POST', `/playbooks/${encodeURIComponent(name)}/runs`, { body, headers })
    },
    onSuccess({ run_uuid: uuid }) {
      once.done()
      forget()
      goOn(`/runs/${uuid}`)
    },
  })
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        Run manually
      </Button>
      <Modal opened={opened} onClose={close} title={`Run ${name}`}>
        <Stack>
          <Select {...organization.field} />
          <Textarea
            label="Inputs (JSON)"
            {...typed.field}
            classNames={{ input: 'code-input' }}
            spellCheck={false}
            autosize
            minRows={3}
          />
          {start.isError && <Refusal error={start.error} />}
          <Button
            loading={start.isPending}
            disabled={organization.code === undefined}
            onClick={() => typed.read((inputs) => start.mutate(inputs))}
          >
            Run
          </Button>
        </Stack>
      </Modal>
    </>
  )
}
