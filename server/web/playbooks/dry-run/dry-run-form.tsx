import { Button, Group, SegmentedControl, Select, Stack, Text, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { typedText, useTyped } from '../../forms/typed.ts'
import { useJsonText } from '../../forms/use-json-text.ts'
import { useOrganization } from '../../forms/use-organization.ts'
import { Refusal } from '../../parts/states/refusal.tsx'
import type { Validation } from '../playbook.ts'
import { AlertChoice, type ChosenAlert } from './alert-choice.tsx'
import type { DryRun } from './dry-run.ts'

interface DryRunFormProps {
  readonly source: string
  readonly checked: Pick<Validation, 'name' | 'on' | 'inputs'>
  /** @param about what it was given, for people */
  readonly onDone: (answer: DryRun, about: string) => void
}

/** What a dry run is given, and whose connections it reads over. */
export function DryRunForm({ source, checked: { name, on, inputs }, onDone }: DryRunFormProps) {
  const organization = useOrganization(useState<string | null>(null))
  const [alert, setAlert] = useState<ChosenAlert | null>(null)
  const [content, setContent, forgetContent] = useTyped({
    place: `Content for a dry run of ${name}`,
    empty: '',
    textOf: typedText,
  })
  const [from, setFrom] = useState(content === '' ? 'stored' : 'pasted')
  const [inputText, setInputText, forgetInputs] = useTyped<string | undefined>({
    place: `Inputs for a dry run of ${name}`,
    empty: undefined,
    textOf: typedText,
  })
  const given = useJsonText([inputText, setInputText])
  const trigger = on?.alert ?? null
  const isStored = from === 'stored'
  const under = useRef<AbortController>(null)
  // Closed, nobody waits for it any more: the server gives it up.
  useEffect(() => () => under.current?.abort(), [])
  const run = useMutation({
    mutationFn: (parsed: unknown) => {
      under.current = new AbortController()
      return call<DryRun>('POST', '/playbooks/dry-run', {
        body: {
          organization_code: organization.code,
          source,
          inputs: parsed,
          ...(trigger !== null && (isStored ? { alert: alert?.value } : { alert_content: content })),
        },
        signal: under.current.signal,
      })
    },
    onSuccess(answer) {
      forgetContent()
      forgetInputs()
      onDone(answer, trigger === null ? 'no alert' : isStored ? (alert?.label ?? '') : 'pasted content')
    },
  })
  const isReady =
    organization.code !== undefined && (trigger === null || (isStored ? alert !== null : content !== ''))
  return (
    <Stack>
      <Text size="sm">
        Read-only skills make real calls over the connections of the organization. Skills that write are not
        called. Nothing is stored: no run, no case, no change to the alert.
      </Text>
      {!organization.isSingle && (
        <Select
          {...organization.field}
          onChange={(code) => {
            organization.field.onChange(code)
            setAlert(null)
          }}
        />
      )}
      {trigger !== null && (
        <SegmentedControl
          aria-label="Alert source"
          data={[
            { value: 'stored', label: 'Past alert' },
            { value: 'pasted', label: 'Pasted content' },
          ]}
          value={from}
          onChange={setFrom}
        />
      )}
      {trigger !== null && isStored && organization.code !== undefined && (
        <AlertChoice organization={organization.code} trigger={trigger} chosen={alert} onChange={setAlert} />
      )}
      {trigger !== null && !isStored && (
        <Textarea
          label="Alert content"
          description={`Treated as an alert of type ${trigger.type}`}
          value={content}
          onChange={(event) => setContent(event.currentTarget.value)}
          autosize
          minRows={6}
          maxRows={16}
          ff="monospace"
        />
      )}
      {Object.keys(inputs?.properties ?? {}).length > 0 && (
        <Textarea
          label="Inputs (JSON)"
          description={Object.keys(inputs?.properties ?? {}).join(', ')}
          {...given.field}
          classNames={{ input: 'code-input' }}
          spellCheck={false}
          autosize
          minRows={3}
        />
      )}
      {run.isError && <Refusal error={run.error} />}
      <Group justify="flex-end">
        <Button
          loading={run.isPending}
          disabled={!isReady}
          onClick={() => given.read((parsed) => run.mutate(parsed))}
        >
          Start dry run
        </Button>
      </Group>
    </Stack>
  )
}
