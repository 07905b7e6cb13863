import { Button, Modal, Select, Stack, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { call } from '../api/call.ts'
import { useOrganizations } from '../api/lookups.ts'
import type { Run } from '../api/types.ts'
import { useJsonText } from '../forms/use-json-text.ts'
import { Refusal } from '../parts/refusal.tsx'

/** Starts a playbook for an organization, with inputs. */
export function StartByHand({ name }: { readonly name: string }) {
  const [, navigate] = useLocation()
  const [opened, { open, close }] = useDisclosure()
  const organizations = useOrganizations()
  const [chosen, setChosen] = useState<string | null>(null)
  const typed = useJsonText()
  const organization = chosen ?? organizations[0]?.code
  const start = useMutation({
    mutationFn: (inputs: unknown) =>
      call<Run>('POST', `/playbooks/${encodeURIComponent(name)}/runs`, {
        body: { organization_code: organization, inputs },
      }),
    onSuccess: ({ run_uuid: uuid }) => navigate(`/runs/${uuid}`),
  })
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        Start by hand
      </Button>
      <Modal opened={opened} onClose={close} title={`Start ${name}`}>
        <Stack>
          <Select
            label="Organization"
            data={organizations.map(({ code }) => code)}
            value={organization ?? null}
            onChange={setChosen}
            allowDeselect={false}
          />
          <Textarea
            label="Inputs, by name"
            {...typed.field}
            classNames={{ input: 'code-input' }}
            spellCheck={false}
            autosize
            minRows={3}
          />
          {start.isError && <Refusal error={start.error} />}
          <Button loading={start.isPending} onClick={() => typed.read((inputs) => start.mutate(inputs))}>
            Start
          </Button>
        </Stack>
      </Modal>
    </>
  )
}
